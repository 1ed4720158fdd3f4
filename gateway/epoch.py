"""Times as whole milliseconds since 1970, as stores and platforms count them. Pure."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_ms(at: datetime) -> int:
    """The whole milliseconds of an aware time."""
    return (at - EPOCH) // timedelta(milliseconds=1)


def from_ms(ms: int | str) -> datetime:
    """The time in UTC."""
    return datetime.fromtimestamp(int(ms) / 1000, UTC)
