"""A number as people write it, by their locale's signs or by none. Exact and strict. Pure.

`1,234` is a thousand in one country and a bit over one in the next: where that is not known, both
readings are named and neither is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING

from babel.numbers import get_decimal_symbol, get_group_symbol

from gateway.reply.clean import folded_line
from gateway.reply.language import DASHES, locales_meant
from gateway.reply.meaning import Refusal, Refused
from gateway.reply.own import own_names
from gateway.reply.reading import Failed, Manner, Read, Reading, failed, shown
from gateway.scalars import NUMBER_DIGITS, broken_bound

if TYPE_CHECKING:
    from babel import Locale

    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.place import Place

KEPT = 256
"""Locales kept; ours, as many as `language` keeps."""

_NUMERAL = re.compile(rf"[{DASHES}+]?[\d.,' \u066b\u066c]+")
_DIGIT = re.compile(r"\d")
_DASH = re.compile(f"[{DASHES}]")
_BEFORE_DIGITS = re.compile(rf"(?:^|(?<=\s))[{DASHES}+]?[.,\u066b]?$")
"""A sign, or the mark of a fraction, that belongs to the digits behind it."""


@dataclass(frozen=True, slots=True)
class Signs:
    """How a locale parts a number: before its fraction, and between groups of digits.

    `first` and `other` are the sizes of the group before the fraction and of those before that (3
    and 2 in India).
    """

    decimal: str
    group: str
    first: int = 3
    other: int = 3

    def read(self, numeral: str) -> Decimal | None:
        """The number by these signs, or None where it breaks them. Strict: groups are whole."""
        group, decimal = re.escape(self.group), re.escape(self.decimal)
        lead = rf"[1-9]\d{{,{self.other - 1}}}"  # `0.125` is no hundred and twenty-five
        grouped = rf"{lead}(?:{group}\d{{{self.other}}})*{group}\d{{{self.first}}}"
        found = re.fullmatch(rf"([+-]?)({grouped}|\d+)?(?:{decimal}(\d+))?", numeral)
        if found is None or not (found[2] or found[3]):
            return None
        whole = (found[2] or "0").replace(self.group, "")
        return Decimal(f"{found[1]}{whole}.{found[3] or '0'}")


EVERY_SIGNS = (
    *(Signs(".", ","), Signs(",", "."), Signs(".", " "), Signs(",", " "), Signs(".", "'")),
    Signs("\u066b", "\u066c"),
)
"""What a number may mean where nothing is known of its author."""


def read_number(reply: Said, field: Field, place: Place) -> Reading:
    """What a number field makes of a reply."""
    rest, numeral = _parted(reply.plain)
    broken = numeral not in reply.folded  # a blank in it was a line break, which parts no groups
    if numeral and not broken and (not rest or rest in own_names(field.name, field.label)):
        if reply.odd:
            return failed(Refusal.ODD_DIGITS)
        manner = Manner.WORDS if rest else Manner.EXACT
        return _number(_DASH.sub("-", numeral), manner, field, signs_for(place.locale))
    words = any(map(str.isalpha, reply.plain))
    if reply.odd and not words:
        return failed(Refusal.ODD_DIGITS)
    return failed(Refusal.NOT_A_NUMBER, shaped=not words and any(map(str.isdecimal, reply.plain)))


def _parted(plain: str) -> tuple[str, str]:
    """The words around the only number in the text, and that number; "" where there is not one."""
    digits = [found.start() for found in _DIGIT.finditer(plain)]
    if not digits or len(plain) > NUMBER_DIGITS:
        return plain, ""
    sign = _BEFORE_DIGITS.search(plain[: digits[0]])
    start = sign.start() if sign else digits[0]
    numeral = plain[start : digits[-1] + 1]
    if not _NUMERAL.fullmatch(numeral):
        return plain, ""
    return f"{plain[:start]} {plain[digits[-1] + 1 :]}".strip(" :="), numeral


def _number(numeral: str, manner: Manner, field: Field, signs: tuple[Signs, ...]) -> Reading:
    """The one number that the numeral is for that field, by these signs."""
    readings = _readings(numeral, signs)
    meant = readings or _readings(numeral, EVERY_SIGNS)
    judged = [_fitted(one, numeral, field) for one in meant]
    fitting = [one for one in judged if isinstance(one, Decimal)]
    misfits = [one for one in judged if isinstance(one, Failed)]
    if misfits and not fitting:
        return misfits[0]
    ways = tuple(_way(one, signs) for one in fitting)
    if not readings:
        return failed(Refusal.NOT_A_NUMBER, ways=ways)
    if len(fitting) > 1:
        return failed(Refusal.AMBIGUOUS_NUMBER, readings=tuple(map(_plain, fitting)), ways=ways)
    return Read(_value(fitting[0]), manner)


def _readings(numeral: str, every: tuple[Signs, ...]) -> list[Decimal]:
    """What the numeral can mean, each meaning once, in the order of the signs."""
    found = [reading for signs in every if (reading := signs.read(numeral)) is not None]
    return list(dict.fromkeys(found))


def _value(number: Decimal) -> int | float:
    return int(number) if number == number.to_integral_value() else float(number)


def _fitted(number: Decimal, typed: str, field: Field) -> Decimal | Failed:
    """The number if the field can hold it, else why not."""
    value = _value(number)
    if isinstance(value, float) and not isfinite(value):
        return failed(Refusal.NOT_A_NUMBER)
    if field.integer and isinstance(value, float):
        return failed(Refusal.NOT_WHOLE, typed=shown(typed))
    if broken_bound(field, value) is not None:
        bounds = {"min": field.min, "max": field.max}
        known = {name: bound for name, bound in bounds.items() if bound is not None}
        return Failed(Refused(Refusal.OUT_OF_RANGE, {"typed": shown(typed), **known}))
    return number


def _plain(number: Decimal) -> str:
    """The number in digits, with a point and without useless noughts."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _way(number: Decimal, signs: tuple[Signs, ...]) -> str:
    """The number as this person can write it with one reading, on any keyboard if there is a way.

    Without groups, and perhaps with one nought more: three decimals could be a group.
    """
    plain = _plain(number)
    tries = (
        plain.replace(".", one.decimal) + nought
        for typable in (True, False)
        for nought in ("", "0" if "." in plain else "")
        for one in signs
        if one.decimal.isascii() is typable
    )
    return next((text for text in tries if _readings(text, signs) == [number]), plain)


@lru_cache(maxsize=KEPT)
def signs_for(locale: str | None) -> tuple[Signs, ...]:
    """The signs a person of that locale may mean; several where its territories differ."""
    meant = locales_meant(locale)
    every = [signs for one in meant for signs in _signs(one)]
    return tuple(dict.fromkeys(every)) if every else EVERY_SIGNS


def _signs(locale: Locale) -> tuple[Signs, ...]:
    """By the locale's own digits, and by the Latin ones that any keyboard has."""
    first, other = locale.decimal_formats[None].grouping
    sizes = (first, other) if first == 3 else (3, 3)  # CLDR's POSIX has no groups at all
    systems = ("latn", locale.default_numbering_system)
    known = [system for system in systems if system in locale.number_symbols]
    return tuple(
        Signs(
            _typed(get_decimal_symbol(locale, numbering_system=system)),
            _typed(get_group_symbol(locale, numbering_system=system)),
            *sizes,
        )
        for system in dict.fromkeys(known)
    )


def _typed(sign: str) -> str:
    """The sign as a folded reply holds it: plain blanks and quotes."""
    return folded_line(sign) or " "
