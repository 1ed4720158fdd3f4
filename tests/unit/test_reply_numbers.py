"""Numbers as people write them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway import scalars
from gateway.errors import Problem
from gateway.question import Kind
from gateway.reply import Answered, Confirm, Refusal, Refused
from tests.strategies_reply import UNHURRIED, field, refusal, said, value_of

NUMBER = field(Kind.NUMBER, "copies", label="Number of copies")


def reads(text: str, locale: str | None = None, **more: Any) -> Any:
    """The number a reply is, or why it is none."""
    found = said(text, NUMBER.model_copy(update=more), locale=locale)
    return found.code if isinstance(found, Refused) else value_of(found)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("2", 2), ("-2", -2), ("−2", -2), ("+5", 5), ("0", 0), ("007", 7), ("2.", 2), ("2!", 2)),
        *(("1.5", 1.5), ("1,5", 1.5), ("0.1", 0.1), (".5", 0.5), ("-,5", -0.5), ("2.0", 2)),
        *(("0.125", 0.125), ("-0,250", -0.25)),
        *(("1.234,56", 1234.56), ("1,234.56", 1234.56), ("1,234,567", 1234567), ("1 234", 1234)),
        *(("2 please", 2), ("(2)", 2), ("２", 2), ("٢", 2), ("2️⃣", 2), ("1'234.5", 1234.5)),
        *(("2 copies", 2), ("copies 2", 2), ("copies -2", -2), ("copies: 2", 2), ("copies = 2", 2)),
        *(("2 Number of Copies", 2), ("number of copies: 1.5", 1.5), ("2 copies please", 2)),
    ],
)
def test_a_number_with_one_reading_is_taken(text: str, number: float) -> None:
    """Whatever its author's habits; the field's own name may stand beside it."""
    assert reads(text) == number


@pytest.mark.parametrize(
    "text",
    [
        *("nan", "NaN", "inf", "-inf", "infinity", "0x10", "1e5", "1e400", "2+2", "2*3", "1/2"),
        *("two", "2 apples", "2 or 3", "about 2", "2 copies of 3", "1-3", "1_000", "$5", "50%"),
        *("2?", "~5", "!2", "no 2", "1 2", "1,,2", "1.2.3", "12,34,5", "-", "--2", "five copies"),
        *("2nd", "#", "1:30", "९ copies and ५", "2 copies 3 copies", "copies", "0 125"),
    ],
)
def test_what_is_no_plain_number_is_refused(text: str) -> None:
    """Never an expression, a word, a power, or the first number in a sentence."""
    assert reads(text) in {Refusal.NOT_A_NUMBER, Refusal.NEEDED}


@pytest.mark.parametrize("text", ["2²", "²", "1\u200b2", "①②", "½", "2\u0336"])
def test_digits_that_are_not_plain_are_refused(text: str) -> None:
    """`2²` is not 22."""
    assert reads(text) is Refusal.ODD_DIGITS


@pytest.mark.parametrize(
    ("locale", "text", "number"),
    [
        *(("en-US", "1,234", 1234), ("en-US", "1.234", 1.234), ("en-US", "1.5", 1.5)),
        *(("de-DE", "1,234", 1.234), ("de-DE", "1.234", 1234), ("de-DE", "1,5", 1.5)),
        *(("es-ES", "1.234", 1234), ("es-MX", "1.234", 1.234), ("es-MX", "1,234", 1234)),
        *(
            ("id", "1.234", 1234),
            ("id", "1,5", 1.5),
            ("de-CH", "1'234", 1234),
            ("de-CH", "1.5", 1.5),
        ),
        *(("en-IN", "1,23,456", 123456), ("fr-FR", "1 234,5", 1234.5), ("ar-EG", "١٬٢٣٤", 1234)),
        *(("de", "1,5", 1.5), ("de", "1.234.567", 1234567), ("es", "1.5", 1.5)),
    ],
)
def test_the_persons_locale_decides_what_signs_mean(locale: str, text: str, number: float) -> None:
    """The same text is a thousand in one country and one and a bit in the next."""
    assert reads(text, locale) == number


@pytest.mark.parametrize(
    ("locale", "text"),
    [(None, "1,234"), (None, "1.234"), ("es", "1.234"), ("es", "1,234"), ("de", "1.234")],
)
def test_two_readings_are_refused_with_both(locale: str | None, text: str) -> None:
    """A language counts only as far as its countries agree."""
    found = said(text, NUMBER, locale=locale)
    assert isinstance(found, Refused)
    assert found.code is Refusal.AMBIGUOUS_NUMBER
    assert set(found.data["readings"]) == {"1234", "1.234"}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "locale", [None, "es", "de", "en", "en-US", "de-DE", "es-MX", "id", "ar-EG"]
)
@pytest.mark.parametrize("text", ["1,234", "1.234", "1.5", "1,5", "-1,234", "0.125", "12.345,6"])
@pytest.mark.parametrize("more", [{}, {"integer": True}, {"min": 0}, {"max": 9}])
def test_every_way_to_write_that_a_refusal_names_works(
    locale: str | None, text: str, more: dict[str, Any]
) -> None:
    """Nobody is sent in a circle, nor to signs that no keyboard has."""
    asked = NUMBER.model_copy(update=more)
    found = said(text, asked, locale=locale)
    ways = found.data.get("ways", ()) if isinstance(found, Refused) else ()
    assert isinstance(ways, tuple)
    for way in ways:
        assert way.isascii()
        assert isinstance(said(way, asked, locale=locale), Answered)


def test_a_language_with_signs_of_its_own_alone_is_told_to_use_them() -> None:
    """CLDR knows no Latin numbers of Western Balochi."""
    found = said("1,5", NUMBER, locale="bgn")
    assert isinstance(found, Refused)
    assert found.data["ways"] == ("1\u066b5",)
    assert reads("1\u066b5", "bgn") == 1.5


@pytest.mark.parametrize(
    ("locale", "text", "more", "code"),
    [
        ("en-US", "1,5", {"integer": True}, Refusal.NOT_WHOLE),
        ("de-DE", "0.125", {"integer": True}, Refusal.NOT_WHOLE),
        (None, "-1,234", {"min": 0}, Refusal.OUT_OF_RANGE),
        (None, "1,234", {"integer": True, "max": 9}, Refusal.OUT_OF_RANGE),
    ],
)
def test_where_no_reading_fits_the_field_its_own_refusal_is_told(
    locale: str | None, text: str, more: dict[str, Any], code: Refusal
) -> None:
    """Another way to write it would only be refused next; it is named as it was typed."""
    found = said(text, NUMBER.model_copy(update=more), locale=locale)
    assert isinstance(found, Refused)
    assert (found.code, found.data["typed"]) == (code, text)


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        *(("de-DE", "1.5"), ("en-US", "1,5"), ("de-DE", "1,23,456"), ("en-US", "1.234.567")),
        *(("de-DE", "0.125"), ("id-ID", "-0.250"), ("es-ES", "0.125"), ("de-DE", "0.125,5")),
        *(("en-US", "0,125"), ("hi-IN", "0,125"), ("hi-IN", "0,12,345"), ("fr-FR", "0 125")),
    ],
)
def test_signs_that_break_the_locales_rules_are_refused(locale: str, text: str) -> None:
    """Lenient parsers read the first as 15, and a nought before a group as nothing."""
    assert reads(text, locale) is Refusal.NOT_A_NUMBER


@pytest.mark.parametrize("locale", [None, "fr-FR", "es", "pl-PL"])
@pytest.mark.parametrize("text", ["2\n500", "-1\n500", "1 234\n567", "copies: 2\n500"])
def test_two_lines_are_never_one_number(locale: str | None, text: str) -> None:
    """A blank groups digits in some countries; a line break does nowhere."""
    assert reads(text, locale) is Refusal.NOT_A_NUMBER
    assert reads("copies:\n2 500", locale) == 2500


def test_the_one_reading_that_fits_the_field_is_taken() -> None:
    """`1,234` copies are not one and a bit; a share below 9 is not a thousand."""
    assert reads("1,234", integer=True) == 1234
    assert reads("1,234", max=9) == 1.234


@pytest.mark.parametrize(
    ("text", "more", "code"),
    [
        ("12", {"min": 1, "max": 9}, Refusal.OUT_OF_RANGE),
        ("0", {"min": 1}, Refusal.OUT_OF_RANGE),
        ("-2 copies", {"min": 1}, Refusal.OUT_OF_RANGE),
        ("9,6", {"max": 9.5}, Refusal.OUT_OF_RANGE),
        ("1.5", {"integer": True}, Refusal.NOT_WHOLE),
    ],
)
def test_a_number_out_of_its_bounds_is_refused(
    text: str, more: dict[str, Any], code: Refusal
) -> None:
    """Bounds are inclusive, and whole means whole."""
    assert reads(text, **more) is code


def test_the_refusal_of_a_bound_names_both_and_the_number() -> None:
    """The words can say: copies goes from 1 to 9; you wrote 12."""
    found = said("12", NUMBER.model_copy(update={"min": 1, "max": 9}))
    assert isinstance(found, Refused)
    assert found.data == {"typed": "12", "min": 1, "max": 9}


@pytest.mark.parametrize("text", ["1", "9", "9.0"])
def test_bounds_are_inclusive(text: str) -> None:
    """The least and the greatest are taken."""
    assert isinstance(reads(text, min=1, max=9), int)


@UNHURRIED
@given(
    st.integers() | st.floats(-1e30, 1e30),
    st.integers() | st.floats(-1e30, 1e30),
    st.sampled_from(["min", "max"]),
)
@example(99.99, 99.99, "max")
@example(0.1, 0.1, "min")
@example(10**23, 1e23, "max")
@example(2**53 + 1, 2**53, "max")
def test_a_reply_and_a_program_hear_the_same_of_a_bound(
    number: float, bound: float, which: str
) -> None:
    """A bound is taken as it was written, of a fraction and of any size; so is what lies within."""
    asked = NUMBER.model_copy(update={which: bound})
    typed = f"{Decimal(str(number)):f}"
    written = Decimal(str(number)), Decimal(str(bound))
    within = written[0] <= written[1] if which == "max" else written[0] >= written[1]
    assert isinstance(said(typed, asked, locale="en-US"), Answered) is within
    assert isinstance(scalars.read_number(asked, number, "copies"), Problem) is not within


def test_whole_numbers_keep_every_digit() -> None:
    """Beyond 2^53 a float would lose some."""
    assert reads("12345678901234567890123") == 12345678901234567890123
    assert reads("9" * 1000) == int("9" * 1000)


@pytest.mark.parametrize("text", ["9" * 1001, "9" * 400 + ".5", "1" * 5000])
def test_numbers_nothing_can_hold_are_refused(text: str) -> None:
    """More digits than are kept, or past the largest float."""
    assert reads(text) is Refusal.NOT_A_NUMBER


def test_a_number_beside_words_is_confirmed_in_a_shared_place() -> None:
    """`2 copies` may be talk; `2` is an answer."""
    assert said("2 copies", NUMBER, shared=True) == Confirm(Answered({"copies": 2}))
    assert said("2", NUMBER, shared=True) == Answered({"copies": 2})


@UNHURRIED
@given(st.integers(-(10**40), 10**40), st.sampled_from([None, "en-US", "de-DE", "es", "id"]))
def test_any_whole_number_in_plain_digits_is_itself(number: int, locale: str | None) -> None:
    """Whatever the person's locale."""
    assert reads(str(number), locale) == number


@UNHURRIED
@given(st.decimals(-1000, 1000, places=2), st.sampled_from(["en-US", "de-DE"]))
def test_any_fraction_in_the_locales_signs_is_itself(number: Any, locale: str) -> None:
    """A comma in Germany, a point in America."""
    text = f"{number:.2f}".replace(".", "," if locale == "de-DE" else ".")
    assert reads(text, locale) == float(number)


def test_a_number_is_not_a_name() -> None:
    """`copies` alone says nothing."""
    assert refusal(said("copies", NUMBER)) is Refusal.NOT_A_NUMBER
