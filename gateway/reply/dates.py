"""A date, with a time where one is wanted, by a strict grammar over CLDR's names and orders. Pure.

A form is read whole or not at all, and what may be two dates is refused with both: general date
guessers take `no` for now and `9` for a month.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from gateway.reply.date_words import date_words_for
from gateway.reply.days import read_days
from gateway.reply.meaning import Refusal, Refused
from gateway.reply.reading import Failed, Manner, Read, Reading, failed
from gateway.reply.times import Clock, read_clock
from gateway.zones import has_whole_minutes, is_skipped, moments, zone_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date, timedelta

    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.date_words import DateWords
    from gateway.reply.days import Days
    from gateway.reply.place import Place

LONGEST_DATE_CHARS = 80
"""Ours: "the day after tomorrow at half past" and its kin are shorter; the rest is prose."""

MOST_TOKENS = 12
"""Ours: words of a date and a time together."""

NEAR_YEARS = 20
"""Ours: where a time is wanted, the `1430` of `20 Oct 1430` is one that lacks its colon."""

EXAMPLE_DAY = "2026-10-20"
"""Ours: one that has a single reading in any order."""


def read_date(reply: Said, field: Field, place: Place) -> Reading:
    """What a date field makes of a reply."""
    text = reply.plain
    if len(text) > LONGEST_DATE_CHARS or len(text.split()) > MOST_TOKENS:
        return failed(Refusal.NOT_A_DATE, shaped=False)
    names = date_words_for(place.locale)
    zone = zone_for(place.zone)
    today = place.now.astimezone(zone).date() if zone else place.now.date()
    try:
        reading = _date(reply, text, field, names, place, today)
    except OverflowError:  # past the year 9999
        reading = failed(Refusal.NO_SUCH_DATE)
    if isinstance(reading, Failed) and field.date_time:
        return _with_moment(reading, zoned=zone is not None)
    return reading


def _with_moment(reading: Failed, *, zoned: bool) -> Failed:
    """The refusal with a whole moment such as the field takes, of the day that was named."""
    day = str(reading.refused.data.get("date", EXAMPLE_DAY))[: len(EXAMPLE_DAY)]
    data = {**reading.refused.data, "moment": f"{day} 14:00{'' if zoned else '+02:00'}"}
    return replace(reading, refused=replace(reading.refused, data=data))


def _date(
    reply: Said, text: str, field: Field, names: DateWords, place: Place, today: date
) -> Reading:
    for head, tail in _cuts(text):
        found = read_days(head, names, today)
        if found is None:
            continue
        joined = text == f"{head}t{tail}"
        clock = read_clock(tail, names, by_24=found.iso, joined=joined) if tail else None
        if tail and clock is None:
            continue
        if reply.odd:
            return failed(Refusal.ODD_DIGITS)
        words = any(map(str.isalpha, head + tail.rstrip("z")))
        manner = Manner.WORDS if words else Manner.EXACT
        return _settled(found, clock, manner, field, place)
    digits = any(map(str.isdecimal, text)) and not any(map(str.isalpha, text))
    if field.date_time and read_clock(text, names) is not None:
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
    if clock is None:
        return _day_alone(found, manner, field, place)
    if not field.date_time:
        return failed(Refusal.TIME_NOT_WANTED, date=found.days[0].isoformat())
    return _moment(found, clock, manner, place)


def _day_alone(found: Days, manner: Manner, field: Field, place: Place) -> Reading:
    first, *more = found.days
    if field.date_time and abs(first.year - place.now.year) > NEAR_YEARS:
        return failed(Refusal.NOT_A_DATE)
    if field.date_time:
        return failed(Refusal.NEEDS_TIME, date=first.isoformat())
    if more:
        return failed(Refusal.AMBIGUOUS_DATE, ways=tuple(day.isoformat() for day in found.days))
    return Read(first.isoformat(), manner)


def _moment(found: Days, clock: Clock, manner: Manner, place: Place) -> Reading:
    """The moment of a date and a time, with its offset written out."""
    wall = [datetime.combine(day, one) for day in found.days for one in clock.times()]
    if len(wall) > 1 or clock.ranged:
        code = Refusal.AMBIGUOUS_DATE if len(found.days) > 1 else Refusal.AMBIGUOUS_TIME
        offsets = (None, clock.offset) if clock.ranged else (clock.offset,)
        return failed(code, ways=tuple(_way(one, offset) for offset in offsets for one in wall))
    (local,) = wall
    if clock.offset is not None:
        return Read(_way(local, clock.offset), manner)
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


def _way(local: datetime, offset: timedelta | None) -> str:
    """That time as it can be written with one reading."""
    if offset is None:
        return local.isoformat(" ", "minutes")
    return local.replace(tzinfo=timezone(offset)).isoformat()
