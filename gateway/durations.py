"""Waits as people write them (`4h`, `1d 12h`) and as agents read them (`4:00:00`). Pure.

A number without a unit is never a wait: `90` could be seconds or minutes.
"""

from __future__ import annotations

import re
from datetime import timedelta
from fractions import Fraction

LONGEST = timedelta(days=3650)
"""Ours: ten years; past it a typing error is likelier than a plan."""

_UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
_PART = r"(?:([0-9]{1,12}(?:\.[0-9]{1,6})?)[ ]?%s)?"
_WAIT = re.compile("[ ]?".join(_PART % unit for unit in _UNITS))
_SHARE = re.compile(r"0?\.[0-9]{1,6}")


def parse(text: str) -> timedelta:
    """The wait that `4h`, `15m`, `90s`, `1d 12h` or `1.5h` names, in whole seconds above zero.

    Raises:
        ValueError: with a sentence that says what to write instead.
    """
    found = _WAIT.fullmatch(text.strip().lower())
    if found is None or not any(found.groups()):
        raise ValueError("A wait is written like 90s, 15m, 4h, 1d or 1d 12h.")
    seconds = sum(
        Fraction(number) * size
        for number, size in zip(found.groups(), _UNITS.values(), strict=True)
        if number
    )
    if seconds.denominator != 1:
        raise ValueError("A wait is a whole number of seconds.")
    if not 0 < seconds <= LONGEST.total_seconds():
        raise ValueError(f"A wait is above zero and at most {LONGEST.days} days.")
    return timedelta(seconds=int(seconds))


def parse_after(value: str | float) -> float | timedelta:
    """When a rung of the ladder comes: a share of the wait (`0.25`), or a time (`15m`).

    Raises:
        ValueError: with a sentence that says what to write instead.
    """
    if isinstance(value, str) and not _SHARE.fullmatch(value.strip()):
        return parse(value)
    share = float(value)
    if not 0 < share < 1:
        raise ValueError("A share of the wait lies between 0 and 1, like 0.25; a time has a unit.")
    return share


def show(wait: timedelta | float) -> str:
    """A span, or seconds, as agents read it: `4:00:00`, and from a day on `1 day, 0:00:00`."""
    return str(wait if isinstance(wait, timedelta) else timedelta(seconds=wait))
