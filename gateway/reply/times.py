"""A time of day as people write it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.reply.date_words import DateWords

HALF_DAY_HOURS = 12

FURTHEST_BEHIND, FURTHEST_AHEAD = timedelta(hours=-12), timedelta(hours=14)
"""The offsets that clocks on earth have (tz database, `etcetera`: Etc/GMT+12 to Etc/GMT-14)."""

_OFFSET = r"(?P<offset>z|utc|gmt|(?:utc|gmt)?[+\-\u2212]\d{1,2}(?::?\d{2})?)"
_HALF = r"(?P<half>[ap])\.?\s?m\.?"
_CLOCK = re.compile(
    rf"(?P<hour>\d{{1,2}})"
    rf"(?:(?P<mark>[:.h])(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:[.,](?P<fraction>\d{{1,6}}))?)?)?"
    rf"(?:\s*{_HALF})?(?:\s*(?P<after>(?!z$|utc|gmt)[^\W\d][\w']*))?(?:\s*{_OFFSET})?"
)
_BARE_MINUS = re.compile(r"[\-\u2212]")
_STRICT = re.compile(r"\d[\-\u2212]\d{2}:\d{2}$")
"""An offset as RFC 3339 has it."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day.

    `offset` is its distance from UTC where it was typed; `ranged` says that this may as well be the
    end of a span (`10:30-11:30`), `either` that the hour may be one of the night or of the day.
    """

    hour: int
    minute: int
    second: int = 0
    microsecond: int = 0
    offset: timedelta | None = None
    ranged: bool = False
    either: bool = False

    def times(self) -> tuple[time, ...]:
        """The times it may mean, by 24 hours."""
        early = self.hour % HALF_DAY_HOURS
        hours = (early, early + HALF_DAY_HOURS) if self.either else (self.hour,)
        return tuple(time(hour, self.minute, self.second, self.microsecond) for hour in hours)


def read_clock(
    text: str, names: DateWords, *, by_24: bool = False, joined: bool = False
) -> Clock | None:
    """The time the text is, or None.

    `by_24` says that it stands behind an ISO date, `joined` that it does so behind RFC 3339's `T`.
    """
    lead = next((word for word in names.before_time if text.startswith(f"{word} ")), None)
    found = _CLOCK.fullmatch(text[len(lead) + 1 :].strip() if lead else text)
    if found is None:
        return None
    after = found["after"]
    if not (after is None or after in names.after_time or after in names.offsets):
        return None
    told = lead is not None or after is not None
    # `14.30` alone may be a date, and `14` alone anything
    if found["mark"] == "." and not (told or names.dotted_time):
        return None
    if found["mark"] is None and not (found["half"] or after):
        return None
    clock = _clock(found, names, by_24=by_24 or after is not None)
    return clock and _with_offset(clock, found, names, joined=joined)


def _clock(found: re.Match[str], names: DateWords, *, by_24: bool) -> Clock | None:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    second, micro = int(found["second"] or 0), int((found["fraction"] or "").ljust(6, "0"))
    if found["half"]:
        if not 1 <= hour <= HALF_DAY_HOURS:
            return None
        hour = hour % HALF_DAY_HOURS + (HALF_DAY_HOURS if found["half"] == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    either = (
        not (found["half"] or by_24 or found["hour"].startswith("0"))
        and names.half_days is not False
        and 1 <= hour <= HALF_DAY_HOURS
    )
    return Clock(hour, minute, second, micro, either=either)


def _with_offset(
    clock: Clock, found: re.Match[str], names: DateWords, *, joined: bool
) -> Clock | None:
    """The clock with the offset typed behind it; None where two were, or one that no clock has."""
    typed, named = found["offset"], names.offsets.get(found["after"])
    if typed is None:
        return replace(clock, offset=named)
    offset = _offset(typed)
    if offset is None or named is not None:
        return None
    ranged = _BARE_MINUS.match(typed) is not None and not (joined and _STRICT.search(found[0]))
    return replace(clock, offset=offset, ranged=ranged)


def _offset(typed: str) -> timedelta | None:
    """The offset from UTC; None where no clock on earth has it."""
    digits = re.sub(r"\D", "", typed)
    if not digits:
        return timedelta(0)
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    offset = timedelta(hours=hours, minutes=minutes) * (1 if "+" in typed else -1)
    return offset if minutes <= 59 and FURTHEST_BEHIND <= offset <= FURTHEST_AHEAD else None
