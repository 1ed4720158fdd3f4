"""A local time and the moment it is in a zone. Pure.

One that daylight saving skips or doubles is no moment: both are named, none is taken.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from datetime import tzinfo


@lru_cache(maxsize=256)
def zone_for(name: str | None) -> ZoneInfo | None:
    """The IANA zone of that name; None where there is none. Total."""
    if not name:
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown, no such path, a folder of zones
        return None


def moments(local: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    """The moments a local time may be: one, or two where daylight saving skips or doubles it."""
    first, second = (local.replace(tzinfo=zone, fold=fold) for fold in (0, 1))
    offsets = dict.fromkeys(one.utcoffset() or timedelta(0) for one in (first, second))
    return tuple(local.replace(tzinfo=timezone(offset)) for offset in offsets)


def has_whole_minutes(moment: datetime) -> bool:
    """Whether its offset can be written in RFC 3339."""
    offset = moment.utcoffset()
    return offset is not None and not offset % timedelta(minutes=1)


def is_skipped(local: datetime, zone: tzinfo) -> bool:
    """Whether clocks there never show that time."""
    shown = local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    return shown.replace(tzinfo=None, fold=0) != local
