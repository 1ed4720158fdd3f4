"""Long texts in pieces: each fits, nothing is lost, and no visible character is cut."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from channels.fitting import LEAST, split
from channels.shown import stamp, unstamped
from tests.strategies import any_text


def utf16(text: str) -> int:
    """As Telegram and Discord's clients count."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def escaped(text: str) -> int:
    """As Slack counts, for whom three characters are longer on the wire."""
    return len(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


MEASURES = st.sampled_from((len, utf16, escaped))
LIMITS = st.integers(LEAST, 200)
ASTRONAUT = "\U0001f469\u200d\U0001f680"
FLAG = "\U0001f1e9\U0001f1ea"
PARTS = st.sampled_from(
    (
        "\n\n",
        "\n",
        " ",
        "word",
        "a longer word",
        "&<>",
        ASTRONAUT,
        FLAG,
        "e\u0301",
        "日本語",
        "x" * 90,
    )
)
MARKS = frozenset("\ufdd0\ufdd1\ufdd2")
STAMPED = stamp(datetime(2026, 12, 2, 11, 0, tzinfo=UTC), "Wed 2 Dec, 12:00")
TEXTS = any_text(400) | st.lists(PARTS, max_size=120).map("".join)


def bare(text: str) -> str:
    """Without its blanks, as `str.strip` knows them."""
    return "".join(text.split())


def whole(text: str) -> list[str]:
    """Its visible characters."""
    return regex.findall(r"\X", text)


@given(TEXTS, LIMITS, MEASURES)
def test_every_piece_fits_and_nothing_is_lost(
    text: str, most: int, measure: Callable[[str], int]
) -> None:
    """Measured the platform's way; joined, the pieces are the text but for blanks at breaks."""
    pieces = split(text, most, measure)
    assert all(measure(piece) <= most for piece in pieces)
    assert bare("".join(pieces)) == bare(text)
    assert all(piece.strip() for piece in pieces)


@given(TEXTS, LIMITS, MEASURES)
def test_no_visible_character_is_cut_unless_it_alone_is_too_long(
    text: str, most: int, measure: Callable[[str], int]
) -> None:
    """Emoji of many parts, flags and letters with marks stay whole."""
    characters = {one for one in whole(text) if one.strip()}
    fitting = {one for one in characters if measure(one) <= most}
    if fitting != characters:
        return
    found = [one for piece in split(text, most, measure) for one in whole(piece)]
    assert {one for one in found if one.strip()} <= characters


@given(TEXTS, LIMITS)
def test_what_fits_is_one_piece(text: str, most: int) -> None:
    """Nothing is broken without need, and inside it nothing is changed."""
    pieces = split(text, most)
    if len(text) <= most:
        assert pieces == ([text.strip("\n").rstrip()] if text.strip("\n").rstrip() else [])


def test_a_text_breaks_at_a_blank_line_before_a_line_before_a_word() -> None:
    """The widest break there is inside the limit."""
    first, second = "one two three " * 3, "four five six " * 3
    assert split(f"{first}\n\n{second}", 64) == [first.rstrip(), second.rstrip()]
    assert split(f"{first}\n{second}", 64) == [first.rstrip(), second.rstrip()]
    assert split(first + second, 64) == [
        "one two three one two three one two three four five six four",
        "five six four five six",
    ]
    assert split(f"{first}\n{first}\n\n{second}", 90) == [
        f"{first}\n{first}".rstrip(),
        second.rstrip(),
    ]


def test_a_word_without_end_is_broken_between_its_characters() -> None:
    """An address of hundreds of letters, or of emoji, is carried over many pieces."""
    assert split("x" * 150, 64) == ["x" * 64, "x" * 64, "x" * 22]
    pieces = split(ASTRONAUT * 40, 64, utf16)
    assert "".join(pieces) == ASTRONAUT * 40
    assert all(len(piece) % len(ASTRONAUT) == 0 for piece in pieces)


@given(
    st.lists(PARTS | st.just(STAMPED), max_size=80).map("".join),
    LIMITS,
    MEASURES,
)
def test_a_stamped_time_is_never_broken(
    text: str, most: int, measure: Callable[[str], int]
) -> None:
    """Neither at its blanks nor between its characters: half of one would be read raw."""
    pieces = split(text, most, measure)
    assert all(measure(piece) <= most for piece in pieces)
    assert sum(piece.count(STAMPED) for piece in pieces) == text.count(STAMPED)
    assert MARKS.isdisjoint("".join(map(unstamped, pieces)))


def test_what_only_begins_as_a_stamp_is_broken_as_any_text() -> None:
    """It never ends, so it is none."""
    assert split("\ufdd01 " + "word " * 20, 64) == [
        "\ufdd01 " + "word " * 11 + "word",
        ("word " * 8)[:-1],
    ]


def test_one_visible_character_of_hundreds_of_marks_still_goes_through() -> None:
    """It cannot be whole, so it is broken between its code points."""
    pieces = split("a" + "\u0301" * 200, 64)
    assert "".join(pieces) == "a" + "\u0301" * 200
    assert [len(piece) for piece in pieces] == [64, 64, 64, 9]


def test_text_is_indented_as_it_was() -> None:
    """Blanks before a line that begins a piece stay: it may be code."""
    line = "    indented " + "x" * 50
    assert split(f"{line}\n{line}", 64) == [line, line]


@pytest.mark.parametrize("text", ["", " ", "\n\n", " \n "])
def test_a_blank_text_has_no_pieces(text: str) -> None:
    """Nothing is posted that shows nothing."""
    assert split(text, 64) == []


def test_a_limit_below_any_platforms_is_taken_as_the_least() -> None:
    """So that a wrong number never hangs or cuts."""
    assert split("x" * 100, 1) == ["x" * 64, "x" * 36]


def test_a_long_word_is_not_measured_once_a_letter() -> None:
    """Measuring a card's text takes a while; thousands of times it would hold up everybody."""
    calls = 0

    def counted(text: str) -> int:
        nonlocal calls
        calls += 1
        return len(text)

    assert len(split("x" * 10_000, 2_000, counted)) == 5
    assert calls < 200
