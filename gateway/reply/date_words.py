"""The names and orders of dates in a person's language: CLDR's, and the catalogue's. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from babel import Locale
from babel.localedata import LocaleDataDict, load

from gateway.reply.catalogue import CATALOGUES, Catalogue
from gateway.reply.language import forms, locale_for, locales_meant

if TYPE_CHECKING:
    from collections.abc import Iterable, MutableMapping

    _Loaded = MutableMapping[str | int | None, Any]

KEPT = 256
"""Locales kept; ours, as many as `language` keeps."""

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ANY_ORDER = frozenset({"dmy", "mdy", "ymd"})
_DAY, _WEEK = 1, 7
_ENGLISH = (Locale("en"), Locale("en", "GB"))  # British English has "Sept"


@dataclass(frozen=True, slots=True)
class DateWords:
    """`days` counts from today (tomorrow is 1). `coming` and `next` give the weekday, Monday 0, of
    "this Friday" and "next Friday". `ahead` finds "in 3 days" with the days each unit has.
    `offsets` are the zones that can be named behind a time, by how far they are ahead of UTC.
    `orders` are the orders of day, month and year the person may mean; `half_days` says whether
    hours are told by 12 there, None where it is not known.
    """

    months: dict[str, int]
    weekdays: dict[str, int]
    days: dict[str, int]
    coming: dict[str, int]
    next: dict[str, int]
    ahead: tuple[tuple[re.Pattern[str], int], ...]
    beside: frozenset[str]
    before_time: frozenset[str]
    after_time: frozenset[str]
    offsets: dict[str | None, timedelta]
    orders: frozenset[str]
    half_days: bool | None
    dotted_time: bool


@lru_cache(maxsize=KEPT)
def date_words_for(tag: str | None) -> DateWords:
    """The date words of people with that BCP 47 tag, and the English ones. Total."""
    own = locale_for(tag)
    # English first: where two languages share a word, the person's own meaning stands
    locales = dict.fromkeys([*_ENGLISH, own] if own is not None else _ENGLISH)
    found = _Names()
    for locale in locales:
        found.add(locale)
    meant = locales_meant(tag)
    clocks = {"h" in one.time_formats["short"].pattern for one in meant}
    some = [CATALOGUES[one] for one in {each.language for each in locales} if one in CATALOGUES]
    return DateWords(
        months=found.months,
        weekdays=found.weekdays,
        days=found.days,
        coming=found.coming,
        next=found.next,
        ahead=tuple(found.ahead),
        beside=_words(some, "beside_dates"),
        before_time=_words(some, "before_times"),
        after_time=_words(some, "after_times"),
        offsets={
            form: timedelta(hours=hours)
            for one in some
            for word, hours in one.offsets
            for form in forms(word)
        },
        orders=frozenset(map(_order, meant)) or _ANY_ORDER,
        half_days=clocks.pop() if len(clocks) == 1 else None,
        dotted_time=any("." in one.time_formats["short"].pattern for one in meant),
    )


@dataclass(slots=True)
class _Names:
    """The names of one language after the other; a later one's meaning replaces an earlier's."""

    months: dict[str, int] = field(default_factory=dict)
    weekdays: dict[str, int] = field(default_factory=dict)
    days: dict[str, int] = field(default_factory=dict)
    coming: dict[str, int] = field(default_factory=dict)
    next: dict[str, int] = field(default_factory=dict)
    ahead: list[tuple[re.Pattern[str], int]] = field(default_factory=list)

    def add(self, locale: Locale) -> None:
        # CLDR's relative dates are in the data Babel loads, without a property of their own
        cldr: Any = LocaleDataDict(cast("_Loaded", load(str(locale))))["date_fields"]
        weekdays = _named(locale.days.values())
        self.months |= _named(locale.months.values())
        self.weekdays |= weekdays
        self.days |= _spelled({text: at for at, text in cldr["day"].get("relative", {}).items()})
        self.ahead += _ahead(cldr["day"].get("future", {}).values(), _DAY)
        self.ahead += _ahead(cldr["week"].get("future", {}).values(), _WEEK)
        for weekday, name in enumerate(_WEEKDAYS):
            relative = cldr.get(name, {}).get("relative", {})
            self.coming |= _spelled({relative[0]: weekday} if 0 in relative else {})
            self.next |= _spelled({relative[1]: weekday} if 1 in relative else {})
        one = CATALOGUES.get(locale.language)
        if one is not None:
            self.days |= _spelled(dict(one.days))
            self.ahead += [*_ahead(one.ahead_days, _DAY), *_ahead(one.ahead_weeks, _WEEK)]
            self.coming |= _filled(one.this_weekday, weekdays)
            self.next |= _filled(one.next_weekday, weekdays)
        # "minggu depan" is next week before it is next Sunday (Minggu)
        for week in _spelled(dict.fromkeys(cldr["week"].get("relative", {}).values(), 0)):
            self.coming.pop(week, None)
            self.next.pop(week, None)


def _named(contexts: Iterable[Any]) -> dict[str, int]:
    """CLDR's names of months or days, in full and abbreviated → their numbers."""
    found: dict[str, int] = {}
    for widths in contexts:
        for width in ("wide", "abbreviated"):
            found |= _spelled({name.rstrip("."): at for at, name in widths.get(width, {}).items()})
    return found


def _spelled(words: dict[str, int]) -> dict[str, int]:
    return {form: number for word, number in words.items() for form in forms(word)}


def _filled(patterns: tuple[str, ...], weekdays: dict[str, int]) -> dict[str, int]:
    return {
        pattern.format(name): number
        for text in patterns
        for pattern in forms(text)
        for name, number in weekdays.items()
    }


def _ahead(patterns: Iterable[str], days: int) -> list[tuple[re.Pattern[str], int]]:
    return [
        (re.compile(re.escape(form).replace(r"\{0\}", r"(\d{1,5})")), days)
        for pattern in patterns
        for form in sorted(forms(pattern))
        if "{0}" in form  # Arabic has words for one and two
    ]


def _words(some: list[Catalogue], name: str) -> frozenset[str]:
    return frozenset(form for one in some for word in getattr(one, name) for form in forms(word))


def _order(locale: Locale) -> str:
    """`dmy`, `mdy` or `ymd`: how the locale's short date goes."""
    pattern = locale.date_formats["short"].pattern.lower()
    return "".join(sorted("dmy", key=pattern.find))
