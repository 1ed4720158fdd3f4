"""Dates as people write them. Today is Thursday, 15 January 2026, in Berlin."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.question import Kind
from gateway.reply import Answered, Confirm, Refusal, Refused, Reply
from tests.strategies_reply import NOW, UNHURRIED, field, said, value_of

DAY = field(Kind.DATE, "on", label="Send on")


def day(text: str, locale: str | None = None, **where: Any) -> Any:
    """The day a reply is, or why it is none."""
    return _read(said(text, DAY, locale=locale, **where))


def _read(found: Reply) -> Any:
    return found.code if isinstance(found, Refused) else value_of(found)


def ways(found: Reply) -> Any:
    """What a refusal says could be written instead."""
    assert isinstance(found, Refused), found
    return found.data["ways"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *(("2026-05-04", "2026-05-04"), ("2026-5-4", "2026-05-04"), ("2026/05/04", "2026-05-04")),
        *(
            ("2026.05.04", "2026-05-04"),
            ("２０２６-05-04", "2026-05-04"),
            ("(2026-05-04)", "2026-05-04"),
        ),
        *(("20 Oct", "2026-10-20"), ("Oct 20 2026", "2026-10-20"), ("20.10.2026", "2026-10-20")),
        *(("October 20th, 2026", "2026-10-20"), ("the 20th of October", "2026-10-20")),
        *(("20-Oct-2027", "2027-10-20"), ("Sept 5", "2026-09-05"), ("5 may 2026", "2026-05-05")),
        *(("13/02/2026", "2026-02-13"), ("20/10", "2026-10-20"), ("12/25/2026", "2026-12-25")),
        *(("today", "2026-01-15"), ("Tomorrow!", "2026-01-16"), ("yesterday", "2026-01-14")),
        *(("the day after tomorrow", "2026-01-17"), ("tomorrow please", "2026-01-16")),
        *(("Friday", "2026-01-16"), ("fri.", "2026-01-16"), ("on Wednesday", "2026-01-21")),
        *(("this Friday", "2026-01-16"), ("coming Monday", "2026-01-19")),
        *(("in 3 days", "2026-01-18"), ("in 1 day", "2026-01-16"), ("in 2 weeks", "2026-01-29")),
        *(("Tue 20 Oct 2026", "2026-10-20"), ("Tuesday, 20 October 2026", "2026-10-20")),
        *(("Tuesday 20 Oct", "2026-10-20"), ("29 Feb", "2028-02-29"), ("14 Jan", "2027-01-14")),
        *(("on: 20 Oct", "2026-10-20"), ("Send on = 2026-10-20", "2026-10-20")),
    ],
)
def test_a_date_with_one_reading_is_taken(text: str, expected: str) -> None:
    """Without a year or by weekday it is the next one to come."""
    assert day(text) == expected


@pytest.mark.parametrize(
    ("locale", "text", "expected"),
    [
        *(("de-DE", "20. Oktober", "2026-10-20"), ("de-DE", "3.4.", "2026-04-03")),
        *(("de-DE", "morgen", "2026-01-16"), ("de-DE", "übermorgen", "2026-01-17")),
        *(("de", "uebermorgen", "2026-01-17"), ("de", "am Freitag", "2026-01-16")),
        *(("de", "kommenden Freitag", "2026-01-16"), ("de", "in 3 Tagen", "2026-01-18")),
        *(("de", "der 20. März 2027", "2027-03-20"), ("de", "Fr", "2026-01-16")),
        *(("es", "20 de octubre de 2026", "2026-10-20"), ("es", "mañana", "2026-01-16")),
        *(("es", "manana", "2026-01-16"), ("es", "pasado mañana", "2026-01-17")),
        *(("es", "el viernes", "2026-01-16"), ("es", "miercoles", "2026-01-21")),
        *(("es", "dentro de 3 días", "2026-01-18"), ("es", "en 2 semanas", "2026-01-29")),
        *(("es", "4 mar", "2026-03-04"), ("es", "viernes, 16 de enero", "2026-01-16")),
        *(("id", "besok", "2026-01-16"), ("id", "lusa", "2026-01-17")),
        *(("id", "hari ini", "2026-01-15"), ("id", "hari Jumat", "2026-01-16")),
        *(("id", "tanggal 20 Agustus 2026", "2026-08-20"), ("id", "3 hari lagi", "2026-01-18")),
        *(("de-DE", "am 20.10.2026", "2026-10-20"), ("de", "den 20.10.", "2026-10-20")),
        *(("en-GB", "on the 20/10/2026", "2026-10-20"), ("es-ES", "el 20/10", "2026-10-20")),
        *(("id", "pada tanggal 20/10/2026", "2026-10-20"), ("en-GB", "Tue 20/10", "2026-10-20")),
        *(("de", "am Dienstag, den 20.10.2026", "2026-10-20"), ("de", "Di 20.10.", "2026-10-20")),
        *(("fr-FR", "demain", "2026-01-16"), ("fr-FR", "20 février 2026", "2026-02-20")),
        *(("de", "tomorrow", "2026-01-16"), ("es", "in 3 days", "2026-01-18")),
    ],
)
def test_dates_are_read_in_the_persons_language_and_in_english(
    locale: str, text: str, expected: str
) -> None:
    """Names come from CLDR, so languages without a catalogue have theirs too."""
    assert day(text, locale) == expected


@pytest.mark.parametrize(
    ("text", "readings"),
    [
        ("03/04/2026", ("2026-04-03", "2026-03-04")),
        ("04-05-2026", ("2026-05-04", "2026-04-05")),
        ("03.04.2026", ("2026-04-03", "2026-03-04")),
        ("3/4", ("2026-04-03", "2026-03-04")),
        ("20/10/26", ("2026-10-20", "2020-10-26")),
        ("03-04-05", ("2005-04-03", "2005-03-04", "2003-04-05")),
        ("Thursday", ("2026-01-15", "2026-01-22")),
        ("this thursday", ("2026-01-15", "2026-01-22")),
        ("15 Jan", ("2026-01-15", "2027-01-15")),
        ("15/1", ("2026-01-15", "2027-01-15")),
        ("next Friday", ("2026-01-16", "2026-01-23")),
        ("next Thursday", ("2026-01-22", "2026-01-29")),
    ],
)
def test_a_date_with_two_readings_is_refused_with_both(
    text: str, readings: tuple[str, ...]
) -> None:
    """What could be today, next Friday, and a day that could be a month."""
    found = said(text, DAY)
    assert isinstance(found, Refused)
    assert found.code is Refusal.AMBIGUOUS_DATE
    assert ways(found) == readings


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        *(("en-US", "2026-03-04"), ("en-GB", "2026-04-03"), ("de-DE", "2026-04-03")),
        *(("de", "2026-04-03"), ("id", "2026-04-03"), ("es-ES", "2026-04-03")),
        *(("en", Refusal.AMBIGUOUS_DATE), ("es", Refusal.AMBIGUOUS_DATE)),
        *(("ja-JP", Refusal.AMBIGUOUS_DATE), (None, Refusal.AMBIGUOUS_DATE)),
    ],
)
def test_the_territory_decides_whether_the_month_comes_first(
    locale: str | None, expected: Any
) -> None:
    """A language alone decides only where its territories agree (Panama has the month first)."""
    assert day("03/04/2026", locale) == expected


@pytest.mark.parametrize("locale", ["sv-SE", "en-CA", "ja-JP"])
@pytest.mark.parametrize("text", ["03/04/26", "26-10-20", "03/04/2026"])
def test_where_the_year_comes_first_it_may_still_be_told_last(locale: str, text: str) -> None:
    """A year of two digits says no more about its place than one of four."""
    assert day(text, locale) is Refusal.AMBIGUOUS_DATE


@pytest.mark.parametrize("locale", ["en-US", "en-GB", "ja-JP", None])
def test_a_month_past_december_is_a_day(locale: str | None) -> None:
    """`13/02/2026` has one reading everywhere."""
    assert day("13/02/2026", locale) == "2026-02-13"


@pytest.mark.parametrize(
    ("locale", "text"),
    [("de", "nächsten Freitag"), ("es", "el próximo viernes"), ("id", "Jumat depan")],
)
def test_next_friday_has_two_readings_in_every_language(locale: str, text: str) -> None:
    """The coming one, or the one after it."""
    assert ways(said(text, DAY, locale=locale)) == ("2026-01-16", "2026-01-23")


@pytest.mark.parametrize("text", ["minggu depan", "minggu ini"])
def test_an_indonesian_week_is_no_sunday(text: str) -> None:
    """`minggu` is both; what may be a week is not read as a day."""
    assert day(text, "id") is Refusal.NOT_A_DATE


def test_a_spanish_weekday_before_a_number_is_no_month() -> None:
    """`mar 4` is Tuesday the 4th, of a month nobody named."""
    assert day("mar 4", "es") is Refusal.NOT_A_DATE


@pytest.mark.parametrize(
    "text",
    [
        *("no", "now", "9", "2026", "20", "maybe Friday", "Friday or Monday", "soon", "yes", "on"),
        *("20 October or so", "the 20th", "Oct 2026", "last Friday", "in a while", "in three days"),
        *("20 10 2026", "1.2.3.4", "2026-10", "10-20", "a week", "Friday 13", "x" * 300),
        *("word " * 11, "2026-10-20 or 2026-10-21", "20261020", "20/10/202", "tomorrow?"),
    ],
)
def test_what_is_no_date_is_refused(text: str) -> None:
    """A form is read whole or not at all."""
    assert day(text) is Refusal.NOT_A_DATE


@pytest.mark.parametrize(
    "text",
    ["2026-02-30", "30 Feb", "31/31/2026", "2026-13-01", "00/00/2026", "in 99999 days", "31 June"],
)
def test_days_that_do_not_exist_are_refused(text: str) -> None:
    """They are shaped like dates, and the words can say so."""
    where: dict[str, Any] = {"now": datetime(9990, 1, 1, tzinfo=UTC)} if "99999" in text else {}
    assert day(text, **where) is Refusal.NO_SUCH_DATE


def test_a_weekday_that_does_not_fit_its_date_is_refused() -> None:
    """One of the two is wrong, and only the person knows which."""
    assert day("Wednesday 20 Oct 2026") is Refusal.WEEKDAY_DIFFERS
    assert day("am Mittwoch, den 20.10.2026", "de") is Refusal.WEEKDAY_DIFFERS


def test_a_weekday_tells_which_of_two_days_is_meant() -> None:
    """3 April 2026 is a Friday, 4 March a Wednesday."""
    assert day("Friday 03/04/2026") == "2026-04-03"
    assert day("Wed 03/04/2026") == "2026-03-04"


def test_digits_that_are_not_plain_make_no_date() -> None:
    """As with numbers."""
    assert day("2026-10-2²") is Refusal.ODD_DIGITS


def test_today_is_the_persons_own() -> None:
    """Late in the evening in Berlin it is still yesterday in New York."""
    late = datetime(2026, 1, 15, 23, 30, tzinfo=UTC)
    assert day("today", now=late, zone="Europe/Berlin") == "2026-01-16"
    assert day("today", now=late, zone="America/New_York") == "2026-01-15"
    assert day("today", now=late, zone=None) == "2026-01-15"


@pytest.mark.parametrize("text", ["2026-10-20 14:30", "tomorrow 3pm", "2026-10-20T14:30Z"])
def test_a_time_is_refused_where_only_a_day_is_wanted(text: str) -> None:
    """It is not dropped in silence."""
    assert day(text) is Refusal.TIME_NOT_WANTED


def test_a_date_in_words_is_confirmed_in_a_shared_place() -> None:
    """`tomorrow` may be talk; a date in digits is an answer."""
    assert said("tomorrow", DAY, shared=True) == Confirm(Answered({"on": "2026-01-16"}))
    assert said("2026-10-20", DAY, shared=True) == Answered({"on": "2026-10-20"})
    assert said("20.10.2026", DAY, shared=True) == Answered({"on": "2026-10-20"})
    assert isinstance(said("20 Oct", DAY, shared=True), Confirm)
    assert isinstance(said("am 20.10.2026", DAY, shared=True, locale="de"), Confirm)


@UNHURRIED
@given(st.dates(), st.sampled_from([None, "en-US", "de-DE", "es", "id", "ja-JP"]))
def test_any_iso_date_is_itself(when: date, locale: str | None) -> None:
    """Whatever the person's locale."""
    assert day(when.isoformat(), locale) == when.isoformat()


@UNHURRIED
@given(st.dates(date(2026, 1, 16), date(2026, 12, 31)))
def test_any_day_and_month_to_come_is_the_next_one(when: date) -> None:
    """In names and in a known territory's digits."""
    assert day(f"{when.day} {when:%B}") == when.isoformat()
    assert day(f"{when.month}/{when.day}", "en-US") == when.isoformat()
    assert day(f"{when.day}.{when.month}.", "de-DE") == when.isoformat()


@UNHURRIED
@given(st.integers(0, 2000))
def test_days_ahead_are_counted_from_today(days: int) -> None:
    """In the person's zone."""
    assert day(f"in {days} days") == (NOW.date() + timedelta(days=days)).isoformat()
