"""What an agent wrote, as it is shown."""

from __future__ import annotations

import unicodedata

import pytest
from babel import Locale, localedata
from hypothesis import given

from gateway.visible import is_blank, one_line, visible
from tests.strategies import any_text

BIDI_CONTROLS = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@given(any_text())
def test_no_control_and_no_bidi_control_is_shown_raw(text: str) -> None:
    """SE-07: nothing an agent writes can move or hide what people read."""
    shown = visible(text)
    assert not BIDI_CONTROLS & set(shown)
    controls = {char for char in shown if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}
    assert controls <= {"\n"}


@given(any_text())
def test_showing_again_changes_nothing(text: str) -> None:
    """A text that passed through two surfaces reads as after one."""
    assert visible(visible(text)) == visible(text)
    assert one_line(one_line(text)) == one_line(text)


@given(any_text())
def test_a_label_is_one_line(text: str) -> None:
    """SE-08: a line break adds no option and no `approved by` of its own."""
    assert len(one_line(text).splitlines()) <= 1


@pytest.mark.parametrize("mark", sorted(BIDI_CONTROLS))
def test_a_direction_is_never_changed_unseen(mark: str) -> None:
    """SE-07: overrides, isolates and marks alike, beside letters of either direction."""
    assert visible(f"a{mark}א{mark}ب") == f"a⟨U+{ord(mark):04X}⟩א⟨U+{ord(mark):04X}⟩ب"


def test_a_hidden_instruction_is_seen() -> None:
    """SE-07: overrides, isolates and zero widths are escapes, and padding is marked."""
    asked = "Run: copy /srv \u202e\u2066txt.selif\u2069 now?\u200b" + " " * 200 + "and delete all"
    assert visible(asked) == (
        "Run: copy /srv ⟨U+202E⟩⟨U+2066⟩txt.selif⟨U+2069⟩ now?⟨U+200B⟩ ⟨200 spaces⟩ and delete all"
    )


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\u200db", "a⟨U+200D⟩b"),  # a joiner between letters that do not join
        ("1\ufe0f", "1⟨U+FE0F⟩"),  # a selector that selects nothing
        ("a\ufe0f\ufe0f", "a⟨U+FE0F⟩⟨U+FE0F⟩"),
        ("👨\u200d\u200d👩", "👨⟨U+200D⟩⟨U+200D⟩👩"),
        ("\U000e0068\U000e0069", "⟨U+E0068⟩⟨U+E0069⟩"),  # tags without a flag: hidden ASCII
        ("no\u00adbody", "no⟨U+00AD⟩body"),
        ("\u3164", "⟨U+3164⟩"),  # the Hangul filler draws nothing
        ("\ud800", "⟨U+D800⟩"),
        ("\x1b[31m", "⟨U+001B⟩[31m"),
        ("a\0b", "a⟨U+0000⟩b"),
        ("\u3000" * 17 + "x", " ⟨17 spaces⟩ x"),
        ("\u2800" * 40, " ⟨40 spaces⟩ "),
        ("\t" * 5, " ⟨20 spaces⟩ "),
        ("top" + "\n" * 9 + "bottom", "top\n⟨8 blank lines⟩\nbottom"),
        ("top" + "\r\n \t" * 9 + "\nbottom", "top\n⟨9 blank lines⟩\nbottom"),
    ],
)
def test_what_draws_nothing_is_an_escape(written: str, shown: str) -> None:
    """Hidden characters stand where they were, by code point; long blanks by their length."""
    assert visible(written) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Which colour should the report use?",
        "def f():\n    if x:\n        return 1\n\n\nEnd",
        "👨\u200d👩\u200d👧 👩🏽\u200d🚀 ❤️\u200d🔥 🏳️\u200d🌈 1️⃣ #️⃣ ☎︎ 🇩🇪",
        "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष क्\u200cष",
        "ක්\u200dෂ",
        "র\u200d্য",
        "ខ្ញុំ\u200bចង់\u200bទៅ",
        "葛\U000e0100城市",
        "ᠮᠣᠩᠭᠣᠯ\u180bᠤᠨ",
        "\u115fᅡ",
    ],
)
def test_joiners_and_marks_that_are_needed_stay(text: str) -> None:
    """Emoji, conjuncts, Persian and ideographs are drawn as their writers mean them."""
    assert visible(text) == text


def test_ordinary_text_of_every_language_is_unchanged() -> None:
    """Months, days and names of languages as CLDR writes them in more than 300 languages."""
    for name in (name for name in localedata.locale_identifiers() if "_" not in name):
        locale = Locale.parse(name)
        months, days = locale.months["format"]["wide"], locale.days["format"]["wide"]
        for word in (*months.values(), *days.values(), *locale.languages.values()):
            # Slips in CLDR itself: joiners that begin a word or stand twice, directional marks.
            clean = "".join(char for char in word if char not in BIDI_CONTROLS)
            clean = clean.lstrip("\u200b\u200c").replace("\u200c\u200c", "\u200c")
            assert visible(clean) == clean, name


@pytest.mark.parametrize("text", ["", " \n\t", "\u200b\u2060", "\u2800", "\u3000\ufe0f", "\x01"])
def test_a_text_of_blanks_and_hidden_characters_is_blank(text: str) -> None:
    """Nothing to read is nothing said, however long it is."""
    assert is_blank(text)
    assert not is_blank(f"{text}x")
