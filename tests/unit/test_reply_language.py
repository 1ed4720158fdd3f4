"""The words per language, and which language a person's tag means."""

from __future__ import annotations

from dataclasses import fields
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.question import Kind
from gateway.reply import Draft, Partial
from gateway.reply.catalogue import CATALOGUES
from gateway.reply.catalogue.entry import Catalogue
from gateway.reply.date_words import date_words_for
from gateway.reply.language import (
    Words,
    every_language,
    forms,
    locale_for,
    locales_meant,
    spoken,
    words_for,
)
from gateway.reply.numbers import signs_for
from tests.strategies import any_text
from tests.strategies_reply import UNHURRIED, field, said

ACTING = (
    *("skip", "decline", "approve", "cancel", "help", "pending", "back", "clear", "done"),
    *("own", "all", "none"),
)


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_word_that_acts_means_one_thing(language: str) -> None:
    """In a person's language and English together."""
    words = words_for(language)
    for one, other in combinations(ACTING, 2):
        assert not getattr(words, one) & getattr(words, other), (one, other)


@pytest.mark.parametrize("language", CATALOGUES)
def test_no_word_means_both_yes_and_no(language: str) -> None:
    """In a person's language and English together."""
    words = words_for(language)
    assert not words.yes & words.no


@pytest.mark.parametrize("language", CATALOGUES)
def test_a_word_that_acts_is_no_mere_assent(language: str) -> None:
    """Else it would never be confirmed, or never act."""
    words = words_for(language)
    for name in ACTING:
        assert not {spoken(word) for word in getattr(words, name)} & words.bare, name


@pytest.mark.parametrize(
    ("language", "word"),
    [
        *(("es", "borrar"), ("es", "listo"), ("es", "volver"), ("es", "saltar")),
        *(("es", "pendiente"), ("id", "hapus"), ("id", "menunggu"), ("id", "tertunda")),
        *(("de", "offen"), ("de", "ausstehend"), ("de", "leeren")),
    ],
)
def test_an_everyday_word_is_an_answer(language: str, word: str) -> None:
    """Asked what becomes of the old ones, "delete" drops no draft, and "ready" sends none."""
    draft = Draft().fill("when", "2026-10-20")
    asked = field(Kind.DATE, "when"), field(Kind.TEXT, "fate"), field(Kind.TEXT, "note")
    found = said(word, *asked, locale=language, draft=draft)
    assert isinstance(found, Partial)
    assert found.draft.values == {"when": "2026-10-20", "fate": word}


@pytest.mark.parametrize("catalogue", CATALOGUES.values(), ids=CATALOGUES)
def test_every_language_has_every_word(catalogue: Catalogue) -> None:
    """What CLDR may have instead, or a language has not, is left empty on purpose."""
    spared = {"days", "ahead_days", "ahead_weeks", "after_times", "offsets"}
    empty = {one.name for one in fields(catalogue) if not getattr(catalogue, one.name)}
    assert empty <= spared
    assert len(catalogue.numbers) == 20


@pytest.mark.parametrize(
    ("tag", "word", "number"),
    [("en", "twenty", 20), ("id", "dua belas", 12), ("de", "fuenf", 5), ("es", "dieciseis", 16)],
)
def test_numbers_are_spelled_with_and_without_accents(tag: str, word: str, number: int) -> None:
    """As people's keyboards have them."""
    assert words_for(tag).numbers[word] == number


def test_a_languages_yes_counts_for_its_people_only() -> None:
    """`ya` is yes in Indonesian and already in Spanish."""
    assert "ya" in words_for("id").yes
    assert "ya" not in words_for("es").yes
    assert "yes" in words_for("id").yes


def test_every_language_at_once_knows_each_ones_number_words() -> None:
    """Labels are looked at with all of them, since a list is drawn for everybody."""
    words = every_language()
    for text in ("nummer 2", "opción 2", "nomor 2", "option zwei"):
        assert words.key_alone.fullmatch(text)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        *(("de-DE", "de_DE"), ("de_AT", "de_AT"), ("DE", "de"), ("zh-Hant-TW", "zh_Hant_TW")),
        *(("de-DE-u-nu-latn", "de_DE"), ("de-XX", "de"), ("en-x-private", "en")),
        *((None, "None"), ("", "None"), ("tlh-Q", "None"), ("../de", "None"), ("d" * 99, "None")),
    ],
)
def test_a_tag_is_the_locale_it_names_as_far_as_that_is_known(
    tag: str | None, expected: str
) -> None:
    """Without a territory nobody knows, and without extensions."""
    assert str(locale_for(tag)) == expected


def test_a_language_means_each_territory_where_it_is_official() -> None:
    """Swiss German counts for German; English in Germany does not for English."""
    german = {one.territory for one in locales_meant("de")}
    assert {"DE", "AT", "CH"} <= german
    assert "DE" not in {one.territory for one in locales_meant("en")}
    assert [str(one) for one in locales_meant("es-MX")] == ["es_MX"]
    assert locales_meant(None) == ()


@UNHURRIED
@given(st.none() | any_text(12))
def test_any_tag_has_words_dates_and_numbers(tag: str | None) -> None:
    """Whatever a profile or a platform says."""
    assert isinstance(words_for(tag), Words)
    assert date_words_for(tag).months["january"] == 1
    assert signs_for(tag)


@pytest.mark.parametrize(
    ("tag", "orders"),
    [
        ("en-US", {"mdy"}),
        ("en-GB", {"dmy"}),
        ("de", {"dmy"}),
        ("es", {"dmy", "mdy"}),
        ("ja-JP", {"ymd"}),
        (None, {"dmy", "mdy", "ymd"}),
    ],
)
def test_the_order_of_a_date_is_the_territorys(tag: str | None, orders: set[str]) -> None:
    """From CLDR's short dates."""
    assert date_words_for(tag).orders == orders


@pytest.mark.parametrize(
    ("tag", "half"), [("en-US", True), ("en-GB", False), ("de", False), ("es", None), (None, None)]
)
def test_the_clock_is_the_territorys(tag: str | None, half: bool | None) -> None:
    """By twelve, by twenty-four, or not known."""
    assert date_words_for(tag).half_days is half


def test_a_persons_own_language_wins_where_two_share_a_word() -> None:
    """`mar` is March in English and Tuesday in Spanish; `mi` is Wednesday in German alone."""
    assert date_words_for("es").weekdays["mar"] == 1
    assert "mi" in date_words_for("de").weekdays
    assert "mi" not in date_words_for("en").weekdays


def test_words_have_a_form_for_keyboards_without_their_accents() -> None:
    """`ü` is typed `u` or `ue`."""
    assert forms("Übermorgen") == {"übermorgen", "ubermorgen", "uebermorgen"}
    assert forms("Sí") == {"sí", "si"}
