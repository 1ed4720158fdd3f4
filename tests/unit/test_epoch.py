"""Times as whole milliseconds since 1970, both ways."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.epoch import EPOCH, FIRST, LAST, check_moment, from_ms, to_ms

OFFSETS = st.timedeltas(timedelta(hours=-23), timedelta(hours=23)).map(timezone)
MOMENTS = st.datetimes(timezones=OFFSETS)


@given(MOMENTS)
def test_a_moment_is_refused_or_reads_back_everywhere(at: datetime) -> None:
    """To the millisecond, and in every zone; one that would not is refused with the bounds."""
    try:
        check_moment(at)
    except ValueError as refused:
        assert str(FIRST.year) in str(refused)
        assert f"{LAST:%Y-%m-%d}" in str(refused)
        return
    back = from_ms(to_ms(at))
    assert timedelta(0) <= at - back < timedelta(milliseconds=1)
    for hours in (-24, 24):
        zone = timezone(timedelta(hours=hours) - timedelta(minutes=hours // 24))
        assert back.astimezone(zone) == back


@given(st.integers(to_ms(FIRST), to_ms(LAST)))
def test_every_millisecond_is_exact(ms: int) -> None:
    """No share of a microsecond is lost, however far away."""
    assert to_ms(from_ms(ms)) == ms == to_ms(from_ms(str(ms)))
    assert from_ms(ms) == EPOCH + timedelta(milliseconds=ms)


@pytest.mark.parametrize(
    "text",
    [
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00:00+14:00",
        "1969-12-31T23:59:59Z",
        "9999-12-31T00:00:00Z",
    ],
)
def test_the_edges_of_the_calendar_are_refused(text: str) -> None:
    """Where a zone, or a day more, leaves what can be written."""
    with pytest.raises(ValueError, match="1970"):
        check_moment(datetime.fromisoformat(text))
    check_moment(datetime(2030, 1, 1, tzinfo=UTC))
