"""A time of day as people write it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.reply.date_words import DateWords

HALF_DAY_HOURS = 12

_OFFSET = r"(?P<offset>z|utc|gmt|(?:utc|gmt)?[+\-\u2212]\d{1,2}(?::?\d{2})?)"
_HALF = r"(?P<half>[ap])\.?\s?m\.?"
_CLOCK = re.compile(
    rf"(?P<hour>\d{{1,2}})"
    rf"(?:(?P<mark>[:.h])(?P<minute>\d{{2}})(?::(?P<second>\d{{2}})(?:[.,](?P<fraction>\d{{1,6}}))?)?)?"
    rf"(?:\s*{_HALF})?(?:\s*(?P<after>(?!z$|utc|gmt)[^\W\d][\w']*))?(?:\s*{_OFFSET})?"
)


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day.

    `offset` is its distance from UTC where it was typed; `either` says that the hour may be one of
    the night or one of the day.
    """

    hour: int
    minute: int
    second: int = 0
    microsecond: int = 0
    offset: timedelta | None = None
    either: bool = False

    def times(self) -> tuple[time, ...]:
        """The times it may mean, by 24 hours."""
        early = self.hour % HALF_DAY_HOURS
        hours = (early, early + HALF_DAY_HOURS) if self.either else (self.hour,)
        return tuple(time(hour, self.minute, self.second, self.microsecond) for hour in hours)


def read_clock(text: str, names: DateWords, *, by_24: bool) -> Clock | None:
    """The time the text is, or None. `by_24` says that it stands behind an ISO date."""
    lead = next((word for word in names.before_time if text.startswith(f"{word} ")), None)
    found = _CLOCK.fullmatch(text[len(lead) + 1 :].strip() if lead else text)
    if found is None:
        return None
    after = found["after"]
    if after is not None and after not in names.after_time:
        return None
    told = lead is not None or after is not None
    # `14.30` alone may be a date, and `14` alone anything
    if found["mark"] == "." and not (told or names.dotted_time):
        return None
    if found["mark"] is None and not (found["half"] or after):
        return None
    return _clock(found, after, names, by_24=by_24)


def _clock(
    found: re.Match[str], after: str | None, names: DateWords, *, by_24: bool
) -> Clock | None:
    hour, minute = int(found["hour"]), int(found["minute"] or 0)
    second, micro = int(found["second"] or 0), int((found["fraction"] or "").ljust(6, "0"))
    offset = _offset(found["offset"])
    if found["half"]:
        if not 1 <= hour <= HALF_DAY_HOURS:
            return None
        hour = hour % HALF_DAY_HOURS + (HALF_DAY_HOURS if found["half"] == "p" else 0)
    if hour > 23 or minute > 59 or second > 59 or (found["offset"] and offset is None):
        return None
    either = (
        not (found["half"] or after or by_24 or found["hour"].startswith("0"))
        and names.half_days is not False
        and 1 <= hour <= HALF_DAY_HOURS
    )
    return Clock(hour, minute, second, micro, offset, either)


def _offset(text: str | None) -> timedelta | None:
    """The offset from UTC; None for none, and for one that no zone can have."""
    if text is None:
        return None
    digits = re.sub(r"\D", "", text)
    if not digits:
        return timedelta(0)
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits), 0)
    if hours > 23 or minutes > 59:
        return None
    size = timedelta(hours=hours, minutes=minutes)
    return size if "+" in text else -size
