"""What was answered: the values of a question's fields, checked against it. Pure.

A value is `str` for text and dates (`YYYY-MM-DD`, or RFC 3339 with offset), `int`/`float` for a
number, `bool` for a toggle, and a `Picked` for both choice kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TEXT_CAP = 16_384
"""Characters of a text answer without `max_length` (contracts, decision 5)."""


@dataclass(frozen=True, slots=True)
class Picked:
    """A choice's value: option ids in the options' order, and the person's own words, if any.

    One choice has exactly one of the two; several picks may have both.
    """

    options: tuple[str, ...] = ()
    write_in: str | None = None


Value = str | int | float | bool | Picked
Values = Mapping[str, Value]
