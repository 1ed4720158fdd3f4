"""Waits as people write them and as agents read them."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.durations import LONGEST, parse, parse_after, show
from tests.strategies import any_text


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("4h", 14_400),
        ("1d", 86_400),
        (" 1d 12H ", 129_600),
        ("1h30m", 5_400),
        ("1.5h", 5_400),
        ("0.5 m", 30),
    ],
)
def test_a_wait_is_a_number_with_its_unit(written: str, seconds: int) -> None:
    """What agent files and rules hold."""
    assert parse(written) == timedelta(seconds=seconds)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "4",
        "h",
        "4 hours",
        "4:00:00",
        "-4h",
        "0s",
        "0.5s",
        "1m1h",
        "٤h",
        "99999d",
        "4h\0",
        "1e3s",
    ],
)
def test_what_is_no_wait_is_refused_in_words(written: str) -> None:
    """A number without a unit could mean two things, and an endless wait is a slip."""
    with pytest.raises(ValueError, match=r"^A wait is .*\.$"):
        parse(written)


@given(any_text())
def test_any_text_is_a_wait_or_refused(text: str) -> None:
    """Nothing else happens, whatever a file holds."""
    with suppress(ValueError):
        assert timedelta(0) < parse(text) <= LONGEST


@given(st.integers(0, 3_000), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59))
def test_days_hours_minutes_and_seconds_add_up(days: int, hours: int, minutes: int, s: int) -> None:
    """Each unit counts once, in this order."""
    wait = timedelta(days=days, hours=hours, minutes=minutes, seconds=s)
    if wait:
        assert parse(f"{days}d {hours}h{minutes}m {s}s") == wait


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (30, "0:00:30"),
        (14_400, "4:00:00"),
        (86_400, "1 day, 0:00:00"),
        (180_000, "2 days, 2:00:00"),
    ],
)
def test_agents_read_a_wait_as_the_original_shows_it(seconds: int, shown: str) -> None:
    """`Nobody answered within 4:00:00.`"""
    assert show(seconds) == show(timedelta(seconds=seconds)) == shown


def test_a_rung_comes_after_a_share_or_a_time() -> None:
    """`0.25` and `15m` both say when."""
    assert parse_after(0.25) == parse_after("0.25") == parse_after(".25") == 0.25
    assert parse_after("15m") == timedelta(minutes=15)


@pytest.mark.parametrize("value", [0, 1, 1.5, -0.25, float("nan"), "1.5", "0.0", "15"])
def test_a_share_lies_between_nothing_and_the_whole(value: float | str) -> None:
    """A rung at the start or the end is none."""
    with pytest.raises(ValueError, match=r"share|unit|written"):
        parse_after(value)
