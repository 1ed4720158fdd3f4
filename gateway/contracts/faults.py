"""Every fault of one call, found in one reading: a reader notes what is wrong and goes on.

A faulty value reads as None, so that what depends on it is left alone and the rest still checked.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from gateway.errors import InvalidQuestion, Problem
from gateway.scalars import NUMBER_DIGITS
from gateway.text import characters, has_surrogate
from gateway.visible import is_blank, one_line

MAX_PROBLEMS = 100
"""Ours: a call with more faults is not being mended one by one."""

_MAX_KEY_CHARS = 64
"""Ours: an unknown key in a path is the model's text; this much tells which."""


class Faults:
    """The problems of one call, in the order they were met; `count` goes on past the cap."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.count = 0

    def add(self, path: str, message: str, code: str, limit: float | str | None = None) -> None:
        self.count += 1
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(path, message, code, limit))

    def refuse_if_any(self) -> None:
        """Raises: InvalidQuestion, with all of them."""
        if not self.problems:
            return
        first = self.problems[0]
        message = f"{first.path}: {first.message}" if first.path else first.message
        if self.count > 1:
            message = f"This call has {self.count} faults, of which the first is {message}"
        raise InvalidQuestion(message, self.problems)

    def mapping(
        self, value: object, path: str, takes: Collection[str], needs: Collection[str]
    ) -> Mapping[str, Any]:
        """The object's known keys; unknown ones and missing ones are faults."""
        if not isinstance(value, Mapping):
            self.add(path, "Must be an object.", "wrong_type")
            return {}
        for key in value:
            if key not in takes:
                shown = one_line(str(key)[:_MAX_KEY_CHARS])
                message = f"Is not taken here; this takes {', '.join(takes)}."
                self.add(_join(path, shown), message, "unknown")
        for key in needs:
            if key not in value:
                self.add(_join(path, key), "Is needed.", "missing")
        return {key: value[key] for key in takes if key in value}

    def items(self, value: object, path: str, least: int, most: int) -> list[Any]:
        """The list's items, at most `most` of them; too few and too many are faults."""
        if not isinstance(value, (list, tuple)):
            self.add(path, "Must be a list.", "wrong_type")
            return []
        if len(value) < least:
            self.add(path, f"Needs at least {least}; this has {len(value)}.", "too_few", least)
        if len(value) > most:
            self.add(path, f"Takes at most {most}; this has {len(value)}.", "too_many", most)
        return list(value[:most])

    def text(self, value: object, path: str, most: int, *, trimmed: bool = False) -> str | None:
        """The text as authored, where something in it can be read.

        `trimmed` leaves the blanks around it out of its length, as for choices (decision 2).
        """
        if not isinstance(value, str):
            self.add(path, "Must be a string.", "wrong_type")
        elif "\0" in value or has_surrogate(value):
            message = "Holds a NUL or half of a surrogate pair, neither of which can be kept."
            self.add(path, message, "not_text")
        elif is_blank(value):
            self.add(path, "Is empty.", "empty")
        elif (length := characters(value.strip() if trimmed else value)) > most:
            message = f"Takes at most {most:,} characters; this has {length:,}."
            self.add(path, message, "too_long", most)
        else:
            return value
        return None

    def flag(self, value: object, path: str) -> bool | None:
        if isinstance(value, bool):
            return value
        self.add(path, "Must be true or false.", "wrong_type")
        return None

    def number(self, value: object, path: str, wanted: str = "a number") -> int | float | None:
        """The number, finite and short enough to be written."""
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.add(path, f"Must be {wanted}.", "wrong_type")
        elif not math.isfinite(value) if isinstance(value, float) else abs(value) >= _TOO_BIG:
            message = f"Must be a finite number of at most {NUMBER_DIGITS:,} digits."
            self.add(path, message, "not_finite", NUMBER_DIGITS)
        else:
            return value
        return None

    def integer(self, value: object, path: str) -> int | None:
        """The whole number; `900.0` is one, as in JSON Schema."""
        number = self.number(value, path, "an integer")
        if number is not None and number != int(number):
            self.add(path, "Must be an integer.", "not_whole")
            return None
        return None if number is None else int(number)


_TOO_BIG = 10**NUMBER_DIGITS


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
