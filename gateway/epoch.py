"""Times as whole milliseconds since 1970, as stores and platforms count them. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

FIRST, LAST = EPOCH, datetime(9999, 1, 1, tzinfo=UTC)
"""Ours: what is taken from outside. Python's calendar ends with 9999, and a zone, or a wait after
it, must not lead out of it.
"""


def check_moment(at: datetime) -> None:
    """Raises: ValueError for an aware time that is not from `FIRST` to `LAST`."""
    if not FIRST <= at <= LAST:
        raise ValueError(f"A moment lies between {FIRST:%Y-%m-%d} and {LAST:%Y-%m-%d}, in UTC.")


def to_ms(at: datetime) -> int:
    """The whole milliseconds of an aware time."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def from_ms(ms: int | str) -> datetime:
    """The time in UTC, exactly."""
    return EPOCH + timedelta(milliseconds=int(ms))
