"""Dates with a time, as people write them. Today is Thursday, 15 January 2026, in Berlin."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.question import Kind
from gateway.reply import Answered, Refusal, Refused, Reply
from tests.strategies_reply import UNHURRIED, field, said, value_of

MOMENT = field(Kind.DATE, "at", date_time=True)


def moment(text: str, locale: str | None = None, **where: Any) -> Any:
    """The moment a reply is, or why it is none."""
    return _read(said(text, MOMENT, locale=locale, **where))


def _read(found: Reply) -> Any:
    return found.code if isinstance(found, Refused) else value_of(found)


def ways(found: Reply) -> Any:
    """What a refusal says could be written instead."""
    assert isinstance(found, Refused), found
    return found.data["ways"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *[
            (text, "2026-10-20T14:30:00+02:00")
            for text in (
                *(
                    "2026-10-20T14:30",
                    "2026-10-20 14:30",
                    "2026-10-20 at 14:30",
                    "14:30 2026-10-20",
                ),
                *("20 Oct 2026, 14:30", "20 Oct 2:30 pm", "2:30pm, Oct 20", "20.10.2026 14:30:00"),
                *("2026-10-20t14:30", "Tuesday 20 Oct 14:30", "2026-10-20 14h30"),
            )
        ],
        ("2026-10-20T14:30Z", "2026-10-20T14:30:00+00:00"),
        ("2026-10-20 14:30 UTC", "2026-10-20T14:30:00+00:00"),
        ("2026-10-20T14:30:15.25-05:30", "2026-10-20T14:30:15.250000-05:30"),
        ("2026-10-20 14:30 +0200", "2026-10-20T14:30:00+02:00"),
        ("tomorrow at 12 am", "2026-01-16T00:00:00+01:00"),
        ("tomorrow 12pm", "2026-01-16T12:00:00+01:00"),
        ("tomorrow 09:00", "2026-01-16T09:00:00+01:00"),
        ("2026-10-20 9:00", "2026-10-20T09:00:00+02:00"),
        ("Friday 3 p.m.", "2026-01-16T15:00:00+01:00"),
        ("tomorrow at 14.30", "2026-01-16T14:30:00+01:00"),
    ],
)
def test_a_time_is_read_in_the_persons_zone_with_its_offset_written_out(
    text: str, expected: str
) -> None:
    """An offset that was typed stays."""
    assert moment(text) == expected


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        ("de-DE", "morgen um 14 Uhr", "2026-01-16T14:00:00+01:00"),
        ("de-DE", "morgen um 14.30 Uhr", "2026-01-16T14:30:00+01:00"),
        ("de-DE", "morgen 9:00", "2026-01-16T09:00:00+01:00"),
        ("id", "besok pukul 14.30", "2026-01-16T14:30:00+01:00"),
        ("id", "besok 14.30", "2026-01-16T14:30:00+01:00"),
        ("id", "Jumat 10.11", "2026-01-16T10:11:00+01:00"),
        ("id", "besok 14.30 WIB", "2026-01-16T14:30:00+07:00"),
        ("id", "besok pukul 14 WITA", "2026-01-16T14:00:00+08:00"),
        ("id", "Jumat, 14:30 wit", "2026-01-16T14:30:00+09:00"),
        ("de-DE", "am 20.10. um 14 Uhr", "2026-10-20T14:00:00+02:00"),
        ("es-ES", "mañana a las 15:00", "2026-01-16T15:00:00+01:00"),
    ],
)
def test_times_are_read_in_the_persons_language(locale: str, text: str, expected: str) -> None:
    """With the words and the separators of that language."""
    assert moment(text, locale) == expected


@pytest.mark.parametrize("locale", [None, "en-US", "es-MX", "en"])
def test_an_hour_of_the_night_or_the_day_is_refused_with_both(locale: str | None) -> None:
    """Where clocks go to twelve, `9:00` may be either."""
    found = said("tomorrow 9:00", MOMENT, locale=locale)
    assert isinstance(found, Refused)
    assert found.code is Refusal.AMBIGUOUS_TIME
    assert ways(found) == ("2026-01-16 09:00", "2026-01-16 21:00")


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        (
            "en-GB",
            "Friday 10:30-11:30",
            ("2026-01-16 10:30", "2026-01-16T10:30:00-11:30"),
        ),
        ("en-US", "Friday 2pm-4", ("2026-01-16 14:00", "2026-01-16T14:00:00-04:00")),
        (None, "2026-10-20 09:00 -11:00", ("2026-10-20 09:00", "2026-10-20T09:00:00-11:00")),
        (None, "2026-10-20T09:00-11", ("2026-10-20 09:00", "2026-10-20T09:00:00-11:00")),
        (
            "en-US",
            "tomorrow 9:00 UTC",
            ("2026-01-16T09:00:00+00:00", "2026-01-16T21:00:00+00:00"),
        ),
    ],
)
def test_a_time_and_a_minus_may_be_a_span(
    locale: str | None, text: str, expected: tuple[str, ...]
) -> None:
    """It is an offset for sure only as RFC 3339 has it, or behind UTC; each way to write works."""
    found = said(text, MOMENT, locale=locale)
    assert isinstance(found, Refused)
    assert found.code is Refusal.AMBIGUOUS_TIME
    assert ways(found) == expected
    for way in expected:
        assert moment(way, locale) != Refusal.AMBIGUOUS_TIME
        assert isinstance(said(way, MOMENT, locale=locale), Answered)
    assert moment("2026-10-20 09:00 UTC-11", locale) == "2026-10-20T09:00:00-11:00"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-10-20 09:00 +14:00", "2026-10-20T09:00:00+14:00"),
        ("2026-10-20T09:00-12:00", "2026-10-20T09:00:00-12:00"),
        ("2026-10-20 09:00 UTC-12", "2026-10-20T09:00:00-12:00"),
        *[(f"2026-10-20 09:00 {far}", Refusal.NOT_A_DATE) for far in ("+14:01", "UTC-13", "+2:60")],
        *[(f"2026-10-20 {span}", Refusal.NOT_A_DATE) for span in ("14:00-16:00", "14:00-15")],
        ("2026-10-20T09:00:00-12:01", Refusal.NOT_A_DATE),
    ],
)
def test_an_offset_is_one_that_clocks_on_earth_have(text: str, expected: Any) -> None:
    """From twelve hours behind UTC to fourteen ahead."""
    assert moment(text) == expected


def test_a_zone_by_name_and_an_offset_are_one_too_many() -> None:
    """Even where they agree, nothing is picked out of two."""
    assert moment("besok 14:00 WIB +07:00", "id") is Refusal.NOT_A_DATE


@pytest.mark.parametrize(
    ("text", "code", "offsets"),
    [
        ("2026-03-29 02:30", Refusal.TIME_SKIPPED, ("+01:00", "+02:00")),
        ("2026-10-25 02:30", Refusal.TIME_DOUBLED, ("+02:00", "+01:00")),
    ],
)
def test_a_time_that_the_clock_change_skips_or_doubles_is_refused_with_two_offsets(
    text: str, code: Refusal, offsets: tuple[str, ...]
) -> None:
    """Neither is taken, and each can be written."""
    found = said(text, MOMENT)
    assert isinstance(found, Refused)
    assert found.code is code
    assert [way[-6:] for way in ways(found)] == list(offsets)
    for way in ways(found):
        assert moment(way) == way


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2026-10-20", Refusal.NEEDS_TIME),
        ("tomorrow", Refusal.NEEDS_TIME),
        ("14:30", Refusal.NEEDS_DATE),
        ("3pm", Refusal.NEEDS_DATE),
        ("next Friday 14:30", Refusal.AMBIGUOUS_DATE),
        ("2026-02-30 14:30", Refusal.NO_SUCH_DATE),
        *[(f"tomorrow {time}", Refusal.NOT_A_DATE) for time in ("25:00", "14:60", "13pm", "0am")],
        *[(f"tomorrow {time}", Refusal.NOT_A_DATE) for time in ("14.30", "14:30 sharp")],
        *[
            (f"tomorrow {time}", Refusal.NOT_A_DATE)
            for time in ("14", "at 3", "soon", "14:30 +25:00")
        ],
        ("1850-01-01 10:00", Refusal.NEEDS_OFFSET),
    ],
)
def test_what_is_no_moment_is_refused(text: str, code: Refusal) -> None:
    """Each with what it lacks."""
    assert moment(text) is code


@pytest.mark.parametrize("zone", ["Europe/Berlin", None])
@pytest.mark.parametrize(
    "text",
    ["tomorrow at 9", "noon", "14:00 CET", "20 Oct 1430", "14:00", "20 Oct", "30 Feb", "soon"],
)
def test_a_moment_that_was_not_read_hears_of_one_that_is(text: str, zone: str | None) -> None:
    """A day alone would be refused next; `1430` was no year, and gets the hour it lacks."""
    found = said(text, MOMENT, zone=zone)
    assert isinstance(found, Refused)
    example = found.data["moment"]
    assert isinstance(example, str)
    assert moment(example, zone=zone) == "2026-10-20T14:00:00+02:00"
    assert "moment" not in getattr(said("noon", field(Kind.DATE), zone=zone), "data", {})


@pytest.mark.parametrize("zone", [None, "", "No/Where", "../etc", "Europe"])
def test_a_time_without_zone_or_offset_is_refused(zone: str | None) -> None:
    """Nobody's zone is guessed."""
    assert moment("2026-10-20 14:30", zone=zone) is Refusal.NEEDS_OFFSET
    assert moment("2026-10-20 14:30+02:00", zone=zone) == "2026-10-20T14:30:00+02:00"


@UNHURRIED
@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)))  # noqa: DTZ001 - wall time
def test_any_wall_time_is_a_moment_or_one_of_two(wall: datetime) -> None:
    """In a zone with clock changes each is one moment, or refused with the two."""
    text = wall.replace(microsecond=0).isoformat()
    found = moment(text)
    if found in {Refusal.TIME_SKIPPED, Refusal.TIME_DOUBLED}:
        assert wall.month in {3, 9, 10}
    else:
        assert found[:19] == text
