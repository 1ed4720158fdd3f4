"""What one person has answered so far of an ask with several fields: a value and its JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gateway.answer import Picked

if TYPE_CHECKING:
    from gateway.answer import Value, Values


@dataclass(frozen=True, slots=True)
class Draft:
    """`values` by field name, `left` the fields left out, `order` both in order of entry."""

    values: Values = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

    def holds(self, name: str) -> bool:
        """Whether that field is filled or left out."""
        return name in self.values or name in self.left

    def fill(self, name: str, value: Value) -> Draft:
        """The draft with that field filled, as the last entry."""
        rest = self.without(name)
        return Draft({**rest.values, name: value}, rest.left, (*rest.order, name))

    def leave(self, name: str) -> Draft:
        """The draft with that field left out, as the last entry."""
        rest = self.without(name)
        return Draft(rest.values, rest.left | {name}, (*rest.order, name))

    def without(self, name: str) -> Draft:
        """The draft with that field open again."""
        return Draft(
            {key: value for key, value in self.values.items() if key != name},
            self.left - {name},
            tuple(key for key in self.order if key != name),
        )

    def back(self) -> Draft:
        """The draft before its last entry; an empty one stays empty."""
        return self.without(self.order[-1]) if self.order else self

    def to_dict(self) -> dict[str, Any]:
        """The draft as JSON values."""
        return {
            "values": {name: value_to_json(value) for name, value in self.values.items()},
            "left": sorted(self.left),
            "order": list(self.order),
        }

    @classmethod
    def from_dict(cls, kept: Any) -> Draft:
        """The draft that `to_dict` made that of.

        Raises:
            ValueError: it is nothing that `to_dict` makes.
        """
        match kept:
            case {"values": dict() as values, "left": list() as left, "order": list() as order}:
                if not all(isinstance(name, str) for name in (*values, *left, *order)):
                    raise ValueError("a draft's fields are named by strings")
                if sorted(order) != sorted({*values, *left}):
                    raise ValueError("a draft's order names each entry once")
                return cls(
                    {name: value_from_json(value) for name, value in values.items()},
                    frozenset(left),
                    tuple(order),
                )
            case _:
                raise ValueError("not a draft")


def value_to_json(value: Value) -> Any:
    """One value as JSON: picks as `{"options": […], "write_in": …}`, all else as it is."""
    if isinstance(value, Picked):
        return {"options": list(value.options), "write_in": value.write_in}
    return value


def value_from_json(kept: Any) -> Value:
    """The value that `value_to_json` made that of.

    Raises:
        ValueError: it is nothing that `value_to_json` makes.
    """
    match kept:
        case str() | int() | float():  # bool is an int
            return kept
        case {"options": list() as options, "write_in": None | str() as write_in}:
            if all(isinstance(option, str) for option in options):
                return Picked(tuple(options), write_in)
    raise ValueError("not a value of a draft")
