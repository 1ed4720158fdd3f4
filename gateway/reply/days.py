"""The days a text names: in digits, in words, by its month, behind its weekday. Pure.

All of them are given; choosing between two is nobody's business but the person's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from gateway.reply.meaning import Refusal
from gateway.reply.times import read_clock

if TYPE_CHECKING:
    from gateway.reply.date_words import DateWords

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
_LEAD = re.compile(r"([^\s,]+)[\s,]+(.+)")
_HYPHEN = re.compile(r"(?<=\d)-(?=[^\W\d])|(?<=[^\W\d])-(?=\d)")
"""`20-Oct-2026` is parted by these."""


@dataclass(frozen=True, slots=True)
class Days:
    """The days a text may mean, the likeliest first.

    `iso` says that the year comes first. `why` is set where there is no such day.
    """

    days: tuple[date, ...]
    iso: bool = False
    why: Refusal | None = None


def read_days(text: str, names: DateWords, today: date) -> Days | None:
    """The days the whole text names, perhaps behind their weekday; None where it names none."""
    bare = _without_lead(text, names)
    found = _in_words(bare.rstrip("."), names, today) or _dated(bare, names, today)
    lead = _LEAD.fullmatch(_HYPHEN.sub(" ", bare))
    weekday = names.weekdays.get(lead[1].rstrip(".")) if lead else None
    if found is not None or lead is None or weekday is None:
        return found
    if read_clock(lead[2], names) is not None:  # `Friday 10.11` where `10.11` is a time
        return None
    dated = _dated(_without_lead(lead[2], names), names, today)
    return dated and _on_weekday(dated, weekday)


def _dated(text: str, names: DateWords, today: date) -> Days | None:
    return _in_digits(text, names, today) or _with_month(text, names, today)


def _on_weekday(found: Days, weekday: int) -> Days:
    """Those of the days that fall on the weekday."""
    fitting = tuple(day for day in found.days if day.weekday() == weekday)
    if found.days and not fitting:
        return replace(found, why=Refusal.WEEKDAY_DIFFERS)
    return replace(found, days=fitting)


def _without_lead(text: str, names: DateWords) -> str:
    words = text.split()
    while len(words) > 1 and words[0] in names.beside and " ".join(words) not in names.days:
        words = words[1:]
    return " ".join(words)


def _in_digits(text: str, names: DateWords, today: date) -> Days | None:
    iso = _ISO.fullmatch(text)
    if iso is not None:
        return replace(_once(_given(int(iso[1]), int(iso[3]), int(iso[4]))), iso=True)
    full = _NUMERIC.fullmatch(text)
    if full is not None:
        return _once(_with_year((full[1], full[3], full[4]), names.orders))
    short = _SHORT.fullmatch(text)
    if short is None:
        return None
    first, second = int(short[1]), int(short[3])
    pairs = {"dmy": (first, second), "mdy": (second, first)}
    likely = [_coming(*pairs[order], today) for order in sorted(_year_last(names.orders))]
    found = likely if any(likely) else [_coming(*pair, today) for pair in pairs.values()]
    return _once([day for days in found for day in days])


def _once(days: list[date]) -> Days:
    once = tuple(dict.fromkeys(days))
    return Days(once, why=None if once else Refusal.NO_SUCH_DATE)


def _with_year(parts: tuple[str, str, str], orders: frozenset[str]) -> list[date]:
    """The days three numbers may be by the person's orders; by any order where none of theirs fits.

    A year of four digits is a year wherever it stands; one of two may stand last everywhere.
    """

    def by(order: str) -> date | None:
        part = dict(zip(order, map(int, parts), strict=True))
        year = part["y"] if len(parts[2]) > 2 else CENTURY + part["y"]
        return _day(year, part["m"], part["d"])

    short = len(parts[2]) == 2
    likely = _year_last(orders) | orders if short else _year_last(orders)
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
    """`20 Oct`, `Oct 20 2026`, `October 20th, 2026`, `20. Oktober`, `20 de octubre`."""
    tokens = [one for one in _TOKEN.findall(_HYPHEN.sub(" ", text)) if one not in names.beside]
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
    return _once(_coming(*pair, today) if year is None else _given(year, pair[1], pair[0]))


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
