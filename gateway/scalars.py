"""One text, number, date or toggle of an answer, read against its field. Pure, total.

Each reader returns the value to keep, or the `Problem` that keeps it out; sentences name the field
(`called`) and the bound, never what was answered.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from gateway.errors import Problem
from gateway.text import characters, has_surrogate
from gateway.zones import has_whole_minutes, is_skipped, moments

if TYPE_CHECKING:
    from gateway.question import Field

TEXT_CAP = 16_384
"""Characters of a text answer without `max_length` (contracts, decision 5)."""

NUMBER_DIGITS = 1_000
"""Ours: every digit is kept, and Python writes no integer of more than 4,300."""

_NUMBER_BOUND = 10**NUMBER_DIGITS
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATE_TIME = re.compile(
    rf"({_DATE.pattern})[Tt ]([0-9]{{2}}:[0-9]{{2}}(?::[0-9]{{2}}(?:\.[0-9]{{1,6}})?)?)"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})?"
)


def read_text(field: Field, value: object, called: str) -> str | Problem:
    """The text as written, unless it cannot be kept or is over the field's cap."""
    if not isinstance(value, str):
        return Problem(field.name, f"{called} must be text.", "wrong_type")
    if "\0" in value or has_surrogate(value):
        return Problem(field.name, f"{called} holds a character that is not text.", "not_text")
    cap = TEXT_CAP if field.max_length is None else field.max_length
    if (length := characters(value)) > cap:
        message = (
            f"{called} takes at most {cap:,} characters; this has {length:,}. Nothing was cut."
        )
        return Problem(field.name, message, "too_long", cap)
    return value


def read_number(field: Field, value: object, called: str) -> int | float | Problem:
    """The number within its bounds, both included; an int for `integer`, every digit kept."""
    wanted = "a whole number" if field.integer else "a number"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return Problem(field.name, f"{called} must be {wanted}.", "wrong_type")
    if isinstance(value, float) and not math.isfinite(value):
        return Problem(field.name, f"{called} must be a finite number.", "not_finite")
    if not -_NUMBER_BOUND < value < _NUMBER_BOUND:
        message = f"{called} takes at most {NUMBER_DIGITS:,} digits."
        return Problem(field.name, message, "too_long", NUMBER_DIGITS)
    if field.integer and value != int(value):
        return Problem(field.name, f"{called} must be a whole number.", "not_whole")
    bound = broken_bound(field, value)
    if bound is not None:
        return Problem(field.name, f"{called} {span(field)}.", "out_of_range", bound)
    return int(value) if field.integer else value


def broken_bound(field: Field, value: float) -> int | float | None:
    """The bound that the number passes, both being included; None where it passes none.

    Numbers are compared as they are written: 10**23 is not above 1e23, whose float lies below it.
    """
    written = _written(value)
    if field.min is not None and written < _written(field.min):
        return field.min
    if field.max is not None and written > _written(field.max):
        return field.max
    return None


def span(field: Field) -> str:
    """A number field's bounds in words: `goes from 1 to 9`, `is at least 1`, `is at most 9`."""
    if field.min is not None and field.max is not None:
        return f"goes from {field.min} to {field.max}"
    return f"is at least {field.min}" if field.min is not None else f"is at most {field.max}"


def read_date(field: Field, value: object, called: str, zone: str | None) -> str | Problem:
    """`YYYY-MM-DD`; with `date_time` RFC 3339, its offset written out.

    A time without an offset is one in `zone` (an IANA name), if that is known.

    Raises:
        ZoneInfoNotFoundError: no such zone; zones are checked where they are configured.
    """
    if not isinstance(value, str):
        return Problem(field.name, f"{called} must be a date, as text.", "wrong_type")
    try:
        return _date_time(field, value, called, zone) if field.date_time else _date(value)
    except (ValueError, OverflowError):  # Overflow: a zone's offset at the edge of the calendar
        form = "2026-10-20T09:00:00+02:00" if field.date_time else "2026-10-20"
        return Problem(field.name, f"{called} must be a date that reads like {form}.", "not_a_date")


def read_toggle(field: Field, value: object, called: str) -> bool | Problem:
    """True or false, and nothing that merely counts as one."""
    if isinstance(value, bool):
        return value
    return Problem(field.name, f"{called} must be true or false.", "wrong_type")


def _written(number: float) -> Decimal:
    return Decimal(number) if isinstance(number, int) else Decimal(repr(number))


def _date(value: str) -> str:
    # Python reads more forms than ours (`20261020`, `2026-W43-2`), so the form is checked first.
    if not _DATE.fullmatch(value):
        raise ValueError(value)
    return date.fromisoformat(value).isoformat()


def _date_time(field: Field, value: str, called: str, zone: str | None) -> str | Problem:
    found = _DATE_TIME.fullmatch(value)
    if found is None:
        raise ValueError(value)
    day, time, offset = found.groups()
    local = datetime.fromisoformat(f"{day}T{time}")
    if offset:
        sign = "+00:00" if offset in "Zz" else offset
        return datetime.fromisoformat(f"{local.isoformat()}{sign}").isoformat()
    return _needs_offset(field, called) if zone is None else _in_zone(field, local, called, zone)


def _in_zone(field: Field, local: datetime, called: str, zone: str) -> str | Problem:
    place = ZoneInfo(zone)
    meant = moments(local, place)
    if not all(map(has_whole_minutes, meant)):
        # Before standard time clocks kept seconds, which RFC 3339 cannot write.
        return _needs_offset(field, called)
    if len(meant) == 1:
        return meant[0].isoformat()
    both = " or ".join(moment.isoformat()[-len("+00:00") :] for moment in meant)
    what = "does not exist" if is_skipped(local, place) else "comes twice"
    message = (
        f"{called} is at a time that {what} in {zone}, where clocks change that day; "
        f"write it with its offset, {both}."
    )
    return Problem(field.name, message, "ambiguous_time", both)


def _needs_offset(field: Field, called: str) -> Problem:
    message = f"{called} needs an offset from UTC, like 2026-10-20T09:00:00+02:00."
    return Problem(field.name, message, "needs_offset")
