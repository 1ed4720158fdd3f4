"""One person's words: the catalogue of their language and English, joined with CLDR's. Pure.

A language without a catalogue still has its "and", its months and its "tomorrow" from CLDR.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache

from babel import Locale, UnknownLocaleError
from babel.languages import get_official_languages
from babel.localedata import locale_identifiers

from gateway.fold import fold
from gateway.reply.catalogue import (
    CATALOGUES,
    ENGLISH,
    EVERYWHERE_BARE,
    EVERYWHERE_NO,
    EVERYWHERE_POLITE,
    EVERYWHERE_YES,
    Catalogue,
)

KEPT = 256
"""Locales kept compiled; ours: more than any tenant's people have, a few KB each."""

LONGEST_TAG_CHARS = 35
"""RFC 5646, 4.4.1: the length a tag buffer needs; a longer one is nobody's."""

DASHES = r"\-\u2010-\u2015\u2212"
"""Everything people and phones type for a minus or a dash, for the inside of a character class."""

LISTING = ",;\u3001\u060c\n"
"""Signs between two picks that may stand beside nothing; the others join one to another."""

_UMLAUTS = str.maketrans({"\u00e4": "ae", "\u00f6": "oe", "\u00fc": "ue"})
_BETWEEN = rf"[{LISTING}&+/]"
_SPOKEN = re.compile(r"\+?\w[\w'-]*|[^\w\s!-/:-@\[-`{-~\u2026]")
_KEY = r"#?\s*\(?(?:(?P<digits>\d+)|(?P<letters>[a-z]{1,2}))\)?"
_MARKS = r"\s*[.):\]]*"
_MARK = r"\s*[:\uff1a]\s*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Everything a reply of one person may be made of, folded.

    `key_alone` matches an option's number or letter with nothing but its wrapping (`2.`, `#2`,
    `option two`), `key_and_more` one with something behind it (`2) Staging`). `separator` finds
    what parts a list, `either` those that leave a choice. `marked` finds `other:` or `text:` at the
    start of a part of the typed text. `bare` phrases are parted as `spoken` parts them.
    """

    yes: frozenset[str]
    no: frozenset[str]
    polite: tuple[str, ...]
    bare: frozenset[tuple[str, ...]]
    longest_bare: int
    numbers: dict[str, int]
    all: frozenset[str]
    none: frozenset[str]
    other: frozenset[str]
    own: frozenset[str]
    skip: frozenset[str]
    decline: frozenset[str]
    approve: frozenset[str]
    cancel: frozenset[str]
    help: frozenset[str]
    pending: frozenset[str]
    back: frozenset[str]
    clear: frozenset[str]
    done: frozenset[str]
    key_alone: re.Pattern[str]
    key_and_more: re.Pattern[str]
    separator: re.Pattern[str]
    either: re.Pattern[str]
    marked: re.Pattern[str]


@lru_cache(maxsize=KEPT)
def words_for(tag: str | None) -> Words:
    """The words of people with that BCP 47 tag; English where it says nothing. Total."""
    locale = locale_for(tag)
    language = locale.language if locale else "en"
    catalogues = (CATALOGUES.get(language, ENGLISH), ENGLISH)[: 2 if language != "en" else 1]
    return _compiled(catalogues, _joins(locale, "standard"), _joins(locale, "or"))


@cache
def every_language() -> Words:
    """The words of all languages of the catalogue at once."""
    locales = [Locale(language) for language in CATALOGUES]
    return _compiled(
        tuple(CATALOGUES.values()),
        frozenset().union(*(_joins(locale, "standard") for locale in locales)),
        frozenset().union(*(_joins(locale, "or") for locale in locales)),
    )


@lru_cache(maxsize=KEPT)
def locale_for(tag: str | None) -> Locale | None:
    """Babel's locale for a BCP 47 tag, without a territory Babel does not know; None if none fits.

    Extensions (`-u-nu-latn`) are left out. Total.
    """
    if not tag or len(tag) > LONGEST_TAG_CHARS:
        return None
    parts = re.split(r"[-_]", re.split(r"[-_][A-Za-z0-9][-_]", tag)[0])
    for some in (parts, [part for part in parts if len(part) != 2 or part is parts[0]], parts[:1]):
        try:
            return Locale.parse("_".join(some))
        except (UnknownLocaleError, ValueError, TypeError):
            continue
    return None


@lru_cache(maxsize=KEPT)
def locales_meant(tag: str | None) -> tuple[Locale, ...]:
    """The locales whose habits a tag allows: itself, or that of each territory of its language.

    Without a territory only those count where the language is official. Empty for no tag.
    """
    locale = locale_for(tag)
    if locale is None:
        return ()
    if locale.territory:
        return (locale,)
    parsed = (
        Locale.parse(name) for name in _identifiers() if name.startswith(f"{locale.language}_")
    )
    regional = tuple(
        one
        for one in parsed
        if one.territory
        and not one.variant
        and one.script in (None, locale.script)
        and locale.language in get_official_languages(one.territory, de_facto=True)
    )
    return regional or (locale,)


def forms(word: str) -> frozenset[str]:
    """The word folded, and as it is typed on keyboards without its accents."""
    folded = fold(word)
    return frozenset({folded, unaccented(folded), folded.translate(_UMLAUTS)})


def unaccented(folded: str) -> str:
    """The text without combining marks (`miercoles` for `miércoles`)."""
    if folded.isascii():
        return folded
    return "".join(c for c in unicodedata.normalize("NFD", folded) if not unicodedata.combining(c))


def spoken(folded: str) -> tuple[str, ...]:
    """The words and pictures in it, without punctuation."""
    return tuple(_SPOKEN.findall(folded))


@cache
def _identifiers() -> tuple[str, ...]:
    return tuple(sorted(locale_identifiers()))


def _joins(locale: Locale | None, style: str) -> frozenset[str]:
    """CLDR's word between the two items of a list in that style."""
    patterns = [Locale("en").list_patterns[style]["2"]]
    if locale is not None and style in locale.list_patterns:
        patterns.append(locale.list_patterns[style]["2"])
    words = {pattern.replace("{0}", "").replace("{1}", "").strip() for pattern in patterns}
    return frozenset().union(*(forms(word) for word in words if word.isalpha()))


def _all(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset().union(*map(forms, words)) if words else frozenset()


def _longest_first(words: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word)))


def _one_of(words: frozenset[str]) -> str:
    return "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in _longest_first(words))


def _compiled(
    catalogues: tuple[Catalogue, ...], joins: frozenset[str], either: frozenset[str]
) -> Words:
    def joined(name: str, *more: str) -> frozenset[str]:
        return frozenset().union(*(_all(getattr(one, name)) for one in catalogues), _all(more))

    yes, no = joined("yes", *EVERYWHERE_YES), joined("no", *EVERYWHERE_NO)
    polite = joined("polite", *EVERYWHERE_POLITE)
    bare = {spoken(one) for one in joined("bare", *EVERYWHERE_BARE) | polite | yes | no} - {()}
    other, text = joined("other"), joined("text")
    numbers = {
        form: number
        for one in reversed(catalogues)
        for number, words in enumerate(one.numbers, 1)
        for word in words
        for form in forms(word)
    }
    lead = rf"(?:(?:{_one_of(joined('option'))})\s*){{1,2}}"
    spelled = _one_of(frozenset(numbers))
    return Words(
        yes=yes,
        no=no,
        polite=_longest_first(polite),
        bare=frozenset(bare),
        longest_bare=max(map(len, bare)),
        numbers=numbers,
        **{name: joined(name) for name in _PLAIN},
        other=other,
        own=other | text,
        key_alone=re.compile(rf"(?:{lead})?{_KEY}{_MARKS}|{lead}(?P<spelled>{spelled}){_MARKS}"),
        key_and_more=re.compile(rf"(?:{lead})?{_KEY}(?:\s*[.):,{DASHES}]+\s*|\s+)(?P<rest>\S.*)"),
        separator=re.compile(rf"{_BETWEEN}|(?<!\w)(?:{_one_of(joins | either)})(?!\w)"),
        either=re.compile(rf"/|(?<!\w)(?:{_one_of(either)})(?!\w)"),
        marked=re.compile(
            # blanks but no line breaks: a page of empty lines must not be walked once for each
            rf"(?:^|[\n,;]|(?<!\w)(?:{_one_of(joins)})\s)[^\S\n]*"
            rf"(?:{_one_of(other | text)}){_MARK}",
            re.IGNORECASE,
        ),
    )


_PLAIN = (
    "all",
    "none",
    "skip",
    "decline",
    "approve",
    "cancel",
    "help",
    "pending",
    "back",
    "clear",
    "done",
)
