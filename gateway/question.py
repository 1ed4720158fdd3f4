"""What is asked: a prompt and one or more fields of six kinds. Frozen values, no rules.

What makes a question valid stands in `gateway.contracts.fields`; what makes an answer fit it, in
`gateway.answer`.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

OTHER = "other"
"""The reserved option id of a write-in (the third original: exactly one `other` is injected)."""


class Frozen(BaseModel):
    """The base of every value that goes over the wire or into the store."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class Kind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    CHOICE = "choice"
    MULTI_CHOICE = "multi-choice"
    DATE = "date"
    TOGGLE = "toggle"


class Option(Frozen):
    """One answer to pick. `id` is ours (`o1`, `o2`…), unique in its field and stable."""

    id: str
    label: str
    description: str | None = None


class Field(Frozen):
    """One value wanted. Attributes that do not belong to `kind` keep their defaults.

    `label` is the short name people read (`ask_user`'s header); `description` says what is wanted
    (`ask_user`'s question). `write_in` allows the person's own words on a choice. Bounds are
    inclusive; `max_length` counts code points after NFC, of a text or of a choice's own words.
    """

    name: str
    kind: Kind
    label: str | None = None
    description: str | None = None
    required: bool = False
    options: tuple[Option, ...] = ()
    write_in: bool = False
    min: int | float | None = None
    max: int | float | None = None
    integer: bool = False
    max_length: int | None = None
    multiline: bool = False
    date_time: bool = False

    @property
    def title(self) -> str:
        """What people call this field."""
        return self.label or self.name

    @property
    def is_choice(self) -> bool:
        """Whether its value is a pick of options: one, or several."""
        return self.kind in (Kind.CHOICE, Kind.MULTI_CHOICE)


class Question(Frozen):
    """A prompt and its fields, in order. An approval has a prompt and no field.

    The prompt is empty only where several questions were asked at once; then each field's
    description is its question. `typed` is a question asked as fields (the first original's "typed
    question"): its answer is an object of values, even where there is one field.
    """

    prompt: str
    fields: tuple[Field, ...] = ()
    typed: bool = False

    def field(self, name: str) -> Field | None:
        """The field of that name, or None."""
        return next((field for field in self.fields if field.name == name), None)

    @property
    def single(self) -> Field | None:
        """The only field, where there is just one."""
        return self.fields[0] if len(self.fields) == 1 else None

    @property
    def answer_field(self) -> Field | None:
        """The field whose value alone is the answer, or None where the answer is an object."""
        return None if self.typed else self.single
