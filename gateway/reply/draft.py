"""What one person has answered so far of an ask with several fields: a value and its JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gateway.answer import from_json, to_json

if TYPE_CHECKING:
    from gateway.answer import Value, Values
    from gateway.question import Question


@dataclass(frozen=True, slots=True)
class Draft:
    """`values` by field name, `left` the fields left out, `order` both in order of entry."""

    values: Values = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    order: tuple[str, ...] = ()

    def holds(self, name: str) -> bool:
        """Whether that field is filled or left out."""
        return name in self.values or name in self.left

    def same_as(self, other: Draft) -> bool:
        """Whether both hold the same, in whatever order it was entered."""
        return (self.values, self.left) == (other.values, other.left)

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
            "values": to_json(self.values),
            "left": sorted(self.left),
            "order": list(self.order),
        }

    @classmethod
    def from_dict(cls, question: Question, kept: Any) -> Draft:
        """The draft of that question that `to_dict` made this of.

        Raises:
            ValueError: it is nothing that `to_dict` makes of a draft of this question.
        """
        match kept:
            case {"values": dict() as values, "left": list() as left, "order": list() as order}:
                pass
            case _:
                raise ValueError("not a draft")
        names = [*values, *left]
        if sorted(map(str, names)) != sorted(map(str, order)):
            raise ValueError("a draft's order names each entry once")
        if any(question.field(str(name)) is None for name in names):
            raise ValueError("a draft of another question")
        try:
            return cls(from_json(question, values), frozenset(left), tuple(order))
        except (KeyError, TypeError) as error:
            raise ValueError("not a draft's values") from error
