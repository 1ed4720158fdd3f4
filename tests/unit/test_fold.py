"""Labels as they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.fold import alike, clash, clashes, fold, unmarked
from tests.strategies import any_text, labels


@given(any_text())
def test_folding_again_changes_nothing(text: str) -> None:
    """Whatever is compared may have been folded before."""
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("typed", "label"),
    [
        ("BLUE", "blue"),
        ("  blue\u00a0 sky ", "blue sky"),
        ("ｂｌｕｅ", "blue"),
        ("STRASSE", "straße"),
        ("㎒", "mhz"),
        ("it’s “on”", 'it\'s "on"'),
        ("Zone ٢", "zone 2"),
        ("क्षेत्र ७", "क्षेत्र 7"),
        ("👍🏽", "👍"),
        ("❤️", "❤"),
        ("1️⃣", "1"),
        ("bl\u200bue", "blue"),
        ("\u202eblue\u202c", "blue"),
        ("\ufeffblue", "blue"),
        ("می\u200cخواهم", "میخواهم"),
        ("two\nlines", "two lines"),
    ],
)
def test_case_width_digits_quotes_and_invisible_characters_do_not_count(
    typed: str, label: str
) -> None:
    """People type a label as their keyboard has it."""
    assert fold(typed) == fold(label)


def test_an_invisible_character_between_digits_keeps_them_apart() -> None:
    """1, something hidden, 2 is never read as 12, in any script."""
    assert fold("1\u200b2") != fold("12")
    assert fold("١\u200d٢") != fold("12")


def test_flags_of_two_countries_stay_two() -> None:
    """England and Scotland differ in invisible tags alone, which draw them."""
    england = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    scotland = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    assert not alike(england, scotland)


@pytest.mark.parametrize(
    "label", ["Staging (Recommended)", "staging  （RECOMMENDED）", "Staging(recommended)"]
)
def test_the_recommended_mark_can_be_left_out(label: str) -> None:
    """RP-33: the mark behind a label is the agent's opinion, not part of its name."""
    assert unmarked(label) == "staging"
    assert unmarked("(Recommended)") == "(recommended)"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Delete", "D\u0435lete"),  # SE-10: Cyrillic ie
        ("DELETE", "D\u0435lete"),
        ("BBC", "\u0412\u0412\u0421"),  # alike as capitals only
        ("cop", "\u0441\u043e\u0440"),
        ("\u529b", "\u30ab"),  # Han and Katakana
        ("Файл 1", "Файл l"),
    ],
)
def test_labels_that_look_alike_and_mix_scripts_are_alike(first: str, second: str) -> None:
    """SE-10: two buttons that look equal are never offered."""
    assert alike(first, second)
    assert alike(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I", "l"),
        ("0", "O"),
        ("modern", "modem"),
        ("Île I", "Île l"),
        ("Да", "Нет"),
        ("Рот 3", "Рот З"),
        ("赤", "青"),
        ("été", "ete"),
    ],
)
def test_letters_of_one_script_are_different_letters(first: str, second: str) -> None:
    """Only a foreign letter is a disguise; people tell their own apart."""
    assert not alike(first, second)


@given(labels(2, 8), st.data())
def test_a_clash_names_the_label_and_the_earlier_one_it_is_like(
    given_labels: list[str], data: st.DataObject
) -> None:
    """A refusal can name both."""
    assert clashes(given_labels) == []
    index = data.draw(st.integers(0, len(given_labels) - 1))
    again = data.draw(st.sampled_from([str.upper, str.title, lambda text: f" {text}\u00a0"]))
    assert clash([*given_labels, again(given_labels[index])]) == (index, len(given_labels))


def test_each_later_label_is_told_once_with_the_first_it_is_like() -> None:
    """Three of a kind are two faults."""
    assert clashes(["a", "b", "A", "ａ", "B "]) == [(0, 2), (0, 3), (1, 4)]
    assert clashes(["Delete", "D\u0435lete", "DELETE"]) == [(0, 1), (0, 2)]
