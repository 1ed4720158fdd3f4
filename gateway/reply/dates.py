"""A date, with a time where one is wanted, by a strict grammar over CLDR's names and orders. Pure.

A form is read whole or not at all, and what may be two dates is refused with both: general date
guessers take `no` for now and `9` for a month.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

from gateway.reply.date_words import DateWords, date_words_for
from gateway.reply.meaning import Refusal, Refused
from gateway.reply.reading import Failed, Manner, Read, Reading, failed
from gateway.reply.times import Clock, read_clock
from gateway.zones import has_whole_minutes, is_skipped, moments, zone_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.place import Place

LONGEST_DATE_CHARS = 80
"""Ours: "the day after tomorrow at half past" and its kin are shorter; the rest is prose."""

MOST_TOKENS = 12
"""Ours: words of a date and a time together."""

CENTURY = 2000
"""Two digits of a year are of this century: dates asked for are near."""

LEAP_CYCLE_YEARS = 8
"""29 February comes at least once in so many years, also around 2100."""

_WEEK = timedelta(weeks=1)
_ISO = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})")
_NUMERIC = re.compile(r"(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{2})")
_SHORT = re.compile(r"(\d{1,2})\s?([/.])\s?(\d{1,2})\.?")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|\.|o|\u00ba)?")
_TOKEN = re.compile(r"[^\s,]+")
_HYPHEN = re.compile(r"(?<=\d)-(?=[^\W\d])|(?<=[^\W\d])-(?=\d)")
"""`20-Oct-2026` is parted by these."""


@dataclass(frozen=True, slots=True)
class Days:
    """The days a text may mean, the likeliest first.

    `told` says that they are wholly in digits, `iso` that the year comes first. `why` is set where
    there is no such day.
    """

    days: tuple[date, ...]
    told: bool = False
    iso: bool = False
    why: Refusal | None = None


def read_date(reply: Said, field: Field, place: Place) -> Reading:
    """What a date field makes of a reply."""
    text = reply.plain
    if len(text) > LONGEST_DATE_CHARS or len(text.split()) > MOST_TOKENS:
        return failed(Refusal.NOT_A_DATE, shaped=False)
    names = date_words_for(place.locale)
    zone = zone_for(place.zone)
    today = place.now.astimezone(zone).date() if zone else place.now.date()
    try:
        return _date(reply, text, field, names, place, today)
    except OverflowError:  # past the year 9999
        return failed(Refusal.NO_SUCH_DATE)


def _date(
    reply: Said, text: str, field: Field, names: DateWords, place: Place, today: date
) -> Reading:
    for head, tail in _cuts(text):
        found = _days(head, names, today)
        if found is None:
            continue
        clock = read_clock(tail, names, by_24=found.iso) if tail else None
        if tail and clock is None:
            continue
        if reply.odd:
            return failed(Refusal.ODD_DIGITS)
        words = any(map(str.isalpha, tail.rstrip("z")))
        manner = Manner.EXACT if found.told and not words else Manner.WORDS
        return _settled(found, clock, manner, field, place)
    digits = any(map(str.isdecimal, text)) and not any(map(str.isalpha, text))
    clocked = read_clock(text, names, by_24=False)
    if clocked is not None and field.date_time:
        return failed(Refusal.NEEDS_DATE)
    return failed(Refusal.NOT_A_DATE, shaped=digits)


def _cuts(text: str) -> Iterator[tuple[str, str]]:
    """The text as a date, then as a date with a time behind it, then before it."""
    yield text, ""
    iso = re.fullmatch(r"(\d{4}-\d{2}-\d{2})t(.+)", text)
    if iso is not None:
        yield iso[1], iso[2]
    gaps = [found.span() for found in re.finditer(r",?\s+", text)]
    yield from ((text[:start], text[end:]) for start, end in gaps)
    yield from ((text[end:], text[:start]) for start, end in gaps)


def _settled(
    found: Days, clock: Clock | None, manner: Manner, field: Field, place: Place
) -> Reading:
    """The date found as the field wants it, or what is missing, doubled or too much."""
    if found.why is not None:
        named = {"date": found.days[0].isoformat()} if found.days else {}
        return Failed(Refused(found.why, named))
    if clock is not None and not field.date_time:
        return failed(Refusal.TIME_NOT_WANTED, date=found.days[0].isoformat())
    if clock is None:
        if field.date_time:
            return failed(Refusal.NEEDS_TIME, date=found.days[0].isoformat())
        if len(found.days) > 1:
            ways = tuple(day.isoformat() for day in found.days)
            return failed(Refusal.AMBIGUOUS_DATE, ways=ways)
        return Read(found.days[0].isoformat(), manner)
    return _moment(found, clock, manner, place)


def _moment(found: Days, clock: Clock, manner: Manner, place: Place) -> Reading:
    """The moment of a date and a time, with its offset written out."""
    wall = [datetime.combine(day, one) for day in found.days for one in clock.times()]
    if len(wall) > 1:
        code = Refusal.AMBIGUOUS_DATE if len(found.days) > 1 else Refusal.AMBIGUOUS_TIME
        return failed(code, ways=tuple(one.isoformat(" ", "minutes") for one in wall))
    (local,) = wall
    if clock.offset is not None:
        return Read(local.replace(tzinfo=timezone(clock.offset)).isoformat(), manner)
    zone = zone_for(place.zone)
    if zone is None:
        return failed(Refusal.NEEDS_OFFSET, date=local.isoformat())
    meant = moments(local, zone)
    if not all(map(has_whole_minutes, meant)):  # local mean time, long ago
        return failed(Refusal.NEEDS_OFFSET, date=local.isoformat())
    if len(meant) > 1:
        code = Refusal.TIME_SKIPPED if is_skipped(local, zone) else Refusal.TIME_DOUBLED
        return failed(code, ways=tuple(one.isoformat() for one in meant))
    return Read(meant[0].isoformat(), manner)


def _days(text: str, names: DateWords, today: date) -> Days | None:
    """The days the whole text names; None where it names none."""
    return (
        _in_digits(text, names, today)
        or _in_words(_without_lead(text, names), names, today)
        or _with_month(text, names, today)
    )


def _without_lead(text: str, names: DateWords) -> str:
    words = text.split()
    while len(words) > 1 and words[0] in names.beside and " ".join(words) not in names.days:
        words = words[1:]
    return " ".join(words).rstrip(".")


def _in_digits(text: str, names: DateWords, today: date) -> Days | None:
    iso = _ISO.fullmatch(text)
    if iso is not None:
        day = _day(int(iso[1]), int(iso[3]), int(iso[4]))
        return Days((day,), told=True, iso=True) if day else Days((), why=Refusal.NO_SUCH_DATE)
    full = _NUMERIC.fullmatch(text)
    if full is not None:
        return _told(_with_year((full[1], full[3], full[4]), names.orders))
    short = _SHORT.fullmatch(text)
    if short is None:
        return None
    first, second = int(short[1]), int(short[3])
    pairs = {"dmy": (first, second), "mdy": (second, first)}
    likely = [_coming(*pairs[order], today) for order in sorted(_year_last(names.orders))]
    found = likely if any(likely) else [_coming(*pair, today) for pair in pairs.values()]
    return _told([day for days in found for day in days])


def _told(days: list[date]) -> Days:
    once = tuple(dict.fromkeys(days))
    return Days(once, told=True) if once else Days((), why=Refusal.NO_SUCH_DATE)


def _with_year(parts: tuple[str, str, str], orders: frozenset[str]) -> list[date]:
    """The days three numbers may be by the person's orders; by any order where none of theirs fits.

    A year of four digits is a year wherever it stands.
    """

    def by(order: str) -> date | None:
        part = dict(zip(order, map(int, parts), strict=True))
        year = part["y"] if len(parts[2]) > 2 else CENTURY + part["y"]
        return _day(year, part["m"], part["d"])

    short = len(parts[2]) == 2
    likely = orders if short else _year_last(orders)
    found = [day for order in sorted(likely) if (day := by(order))]
    every = ("dmy", "mdy", "ymd") if short else ("dmy", "mdy")
    return found or [day for order in every if (day := by(order))]


def _year_last(orders: frozenset[str]) -> frozenset[str]:
    """The orders in which day and month may stand where the year is not first."""
    return frozenset(("dmy", "mdy")) if "ymd" in orders else orders


def _in_words(text: str, names: DateWords, today: date) -> Days | None:
    if text in names.days:
        return Days((today + timedelta(days=names.days[text]),))
    for weekdays in (names.coming, names.weekdays):
        if text in weekdays:
            day = _weekday(weekdays[text], today)
            return Days((day, day + _WEEK) if day == today else (day,))
    if text in names.next:
        day = _weekday(names.next[text], today + timedelta(days=1))
        return Days((day, day + _WEEK))
    for pattern, size in names.ahead if any(map(str.isdecimal, text)) else ():
        found = pattern.fullmatch(text)
        if found is not None:
            return Days((today + timedelta(days=size * int(found[1])),))
    return None


def _weekday(weekday: int, start: date) -> date:
    return start + timedelta(days=(weekday - start.weekday()) % 7)


def _with_month(text: str, names: DateWords, today: date) -> Days | None:
    """`20 Oct`, `Oct 20 2026`, `Tuesday, 20 October 2026`, `20. Oktober`, `20 de octubre`."""
    tokens = [one for one in _TOKEN.findall(_HYPHEN.sub(" ", text)) if one not in names.beside]
    weekday = names.weekdays.get(tokens[0].rstrip(".")) if len(tokens) > 2 else None
    if weekday is not None:
        tokens = tokens[1:]
    if len(tokens) not in (2, 3):
        return None
    year = None
    if len(tokens) == 3:
        year = int(tokens[2]) if re.fullmatch(r"\d{4}", tokens[2]) else None
        if year is None:
            return None
    pair = _day_and_month(tokens[0], tokens[1], names)
    if pair is None:
        return None
    days = _coming(*pair, today) if year is None else _given(year, pair[1], pair[0])
    if not days:
        return Days((), why=Refusal.NO_SUCH_DATE)
    if weekday is not None and all(day.weekday() != weekday for day in days):
        return Days(tuple(days), why=Refusal.WEEKDAY_DIFFERS)
    return Days(tuple(day for day in days if weekday in (None, day.weekday())))


def _day_and_month(first: str, second: str, names: DateWords) -> tuple[int, int] | None:
    for day, month in ((first, second), (second, first)):
        number, name = _ORDINAL.fullmatch(day), month.rstrip(".")
        # `mar 4` is Tuesday the 4th in Spanish
        if number and name in names.months and (month is second or name not in names.weekdays):
            return int(number[1]), names.months[name]
    return None


def _given(year: int, month: int, day: int) -> list[date]:
    found = _day(year, month, day)
    return [found] if found else []


def _coming(day: int, month: int, today: date) -> list[date]:
    """The next such day; where that could be today, also the one after."""
    years = range(today.year, today.year + 2 * LEAP_CYCLE_YEARS + 1)
    found = [one for year in years if (one := _day(year, month, day)) and one >= today]
    return found[: 2 if found[:1] == [today] else 1]


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
