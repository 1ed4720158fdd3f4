"""Several picks in one reply."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.answer import Picked
from gateway.question import Field, Option
from gateway.reply import Answered, Command, CommandName, Confirm, Refusal, Refused
from tests.strategies_reply import CHECKS, refusal, said, several, value_of

ASKED = several(*CHECKS)
STRICT = several(*CHECKS, write_in=False)
LOOSE = several(*CHECKS, required=False)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "1, 3",
            "1 3",
            "1 and 3",
            "1+3",
            "1&3",
            "1、3",
            "1;3",
            "1\n3",
            "3, 1",
            "1,3.",
            "1, 3 please",
        ),
        *("Lint, Docs", "lint and docs", "Lint\nDocs", "docs; lint", "1, docs", "'Lint', \"Docs\""),
        *("1) Lint, 3) Docs", "1. Lint\n3. Docs", "option 1 and option 3", "#1 #3", "1, 1, 3"),
        *("1 please, and 3", "１，３", "① ③", "1️⃣ 3️⃣", "Lint,,Docs", "1, 3, thanks!", "1،3", "1. 3."),
    ],
)
def test_a_list_of_picks_is_taken_in_the_options_order(text: str) -> None:
    """Each way to part a list, numbers and labels mixed; a repeated pick counts once."""
    assert value_of(said(text, ASKED)) == ["o1", "o3"]


def test_the_same_pick_twice_leaves_no_choice() -> None:
    """`1 or 1` is 1."""
    assert value_of(said("1 or 1", ASKED)) == ["o1"]


@pytest.mark.parametrize("text", ["2-4", "2 - 4", "2–4", "2-3, 4", "4, 2-3", "2 3 4"])
def test_a_span_is_every_option_in_it(text: str) -> None:
    """`2-4` is three picks."""
    assert value_of(said(text, ASKED)) == ["o2", "o3", "o4"]


@pytest.mark.parametrize(
    ("locale", "text"),
    [("de", "1 und 3"), ("es", "1 y 3"), ("id", "1 dan 3"), ("fr-FR", "1 et 3"), ("de", "1 and 3")],
)
def test_and_is_said_in_the_persons_language(locale: str, text: str) -> None:
    """The word is CLDR's, in any language; English works everywhere."""
    assert value_of(said(text, ASKED, locale=locale)) == ["o1", "o3"]


@pytest.mark.parametrize(
    ("locale", "text"),
    [(None, "all"), (None, "All of them."), ("de", "alle"), ("es", "todas"), ("id", "semua")],
)
def test_all_is_every_option(locale: str | None, text: str) -> None:
    """One word for the whole list."""
    assert value_of(said(text, ASKED, locale=locale)) == ["o1", "o2", "o3", "o4"]


@pytest.mark.parametrize(
    ("locale", "text"),
    [(None, "none"), ("de", "keine"), ("es", "ninguno"), ("id", "tidak ada"), (None, "-")],
)
def test_none_leaves_the_field_out_where_it_may_be(locale: str | None, text: str) -> None:
    """A field that is not required may be left without a pick."""
    assert said(text, LOOSE, locale=locale) == Answered({})


def test_none_is_refused_where_a_pick_is_needed() -> None:
    """It is neither a pick nor the person's words."""
    assert refusal(said("none", ASKED)) is Refusal.NONE_NOT_ALLOWED


@pytest.mark.parametrize("text", ["all", "none"])
def test_a_label_of_that_name_wins(text: str) -> None:
    """Labels come before words with a meaning of ours."""
    assert value_of(said(text, several("All", "None"))) == ["o1" if text == "all" else "o2"]


FLAGS = several("Red, white and blue", "Green", "Salt & pepper", "C++", "Red")


@pytest.mark.parametrize(
    ("text", "picks"),
    [
        ("Red, white and blue", ["o1"]),
        ("Green, Red, white and blue", ["o1", "o2"]),
        ("red, white and blue; green", ["o1", "o2"]),
        ('Green and "Red, white and blue".', ["o1", "o2"]),
        ("Salt & pepper, C++", ["o3", "o4"]),
        ("salt & pepper & green", ["o2", "o3"]),
        ("Red, Green", ["o2", "o5"]),
        ("Red, Red, white and blue", ["o1", "o5"]),
        ("C++ + Green", ["o2", "o4"]),
    ],
)
def test_labels_that_hold_a_separator_are_matched_longest_first(
    text: str, picks: list[str]
) -> None:
    """A label is never cut up at its own comma."""
    assert value_of(said(text, FLAGS)) == picks


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[(text, Refusal.PARTLY_WRONG) for text in ("1, 9", "Lint, because it is red", "1, 3?")],
        *[(text, Refusal.PARTLY_WRONG) for text in ("1, -3", "- Lint\n- Docs", "1 and the rest")],
        *[(text, Refusal.NO_SUCH_OPTION) for text in ("7", "0", "4-2", "1 3 9", "3-9", "1.5")],
        *[(text, Refusal.UNCLEAR_LIST) for text in ("1 or 3", "1/3", "Lint Docs", "Lint or Docs")],
        *[(text, Refusal.ODD_DIGITS) for text in ("①②", "1²", "1, 3²", "1\u200b3")],
        ("1?", Refusal.UNSURE),
        ("-1", Refusal.NEGATED),
        ("~Lint", Refusal.NEGATED),
        ("2) docs", Refusal.LABEL_DIFFERS),
        ("1. Lint\n2. Tests\n3. Docs\n4. Release", Refusal.PASTED_LIST),
    ],
)
@pytest.mark.parametrize("asked", [ASKED, STRICT], ids=["own words", "labels only"])
def test_one_part_that_fits_nothing_refuses_the_whole_reply(
    text: str, code: Refusal, asked: Field
) -> None:
    """No list is taken in part, and none becomes own words."""
    assert refusal(said(text, asked)) is code


def test_a_label_alike_another_is_refused_in_a_list() -> None:
    """Nobody can say which of the two is meant."""
    found = said("deploy., x", several("Deploy!", "deploy", "x"))
    assert isinstance(found, Refused)
    assert found.data["wrong"] == ("deploy.",)


def test_a_longer_word_is_not_the_label_it_begins_with() -> None:
    """A label ends where a part of the list ends."""
    text = "Salt & peppermint"
    assert value_of(said(text, FLAGS)) == text


def test_the_refusal_of_a_list_names_what_is_wrong_in_it() -> None:
    """What is right need not be written again by guess."""
    found = said("1, 9, Docs, foo", ASKED)
    assert isinstance(found, Refused)
    assert found.data["wrong"] == ("9", "foo")


@pytest.mark.parametrize(
    "text",
    ["just the linter", "2 of the tests are red", "a, b", "whatever works", "1 to 3", "all but 2"],
)
def test_a_reply_without_any_pick_is_own_words(text: str) -> None:
    """Nothing in it is shaped like a pick."""
    assert value_of(said(text, ASKED)) == text


@pytest.mark.parametrize("text", ["just the linter", "a, b"])
def test_a_reply_without_any_pick_is_refused_where_only_labels_count(text: str) -> None:
    """There are no own words to fall back on."""
    assert refusal(said(text, STRICT)) is Refusal.NOT_AN_OPTION


@pytest.mark.parametrize(
    ("text", "picks", "words"),
    [
        ("1, 3, other: also Spelling, too", ("o1", "o3"), "also Spelling, too"),
        ("1,3\nother: also\n\nspelling", ("o1", "o3"), "also\n\nspelling"),
        ("Lint and other: spelling", ("o1",), "spelling"),
        ("other: spelling", (), "spelling"),
        ("text: all", (), "all"),
    ],
)
def test_picks_and_own_words_come_together(text: str, picks: tuple[str, ...], words: str) -> None:
    """Behind `other:` everything is the person's own."""
    assert said(text, ASKED) == Answered({"pick": Picked(picks, words)})


def test_other_inside_a_sentence_is_no_mark() -> None:
    """The words before it are no picks, so all of it is the person's own."""
    text = "well, other: maybe spelling"
    assert value_of(said(text, ASKED)) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [("9, other: x", Refusal.NO_SUCH_OPTION), ("1, 3, other:", Refusal.EMPTY)],
)
def test_a_wrong_pick_before_own_words_refuses_both(text: str, code: Refusal) -> None:
    """Nothing is taken in part."""
    assert refusal(said(text, ASKED)) is code


def test_own_words_behind_picks_are_refused_where_only_labels_count() -> None:
    """The picks alone are not what was said."""
    assert refusal(said("1, other: x", STRICT)) is Refusal.NO_WRITE_IN


def test_a_bare_other_asks_for_words() -> None:
    """As with one choice."""
    assert said("other", ASKED) == Command(CommandName.OTHER, field="pick")


def test_picks_after_other_was_pressed_name_both_ways() -> None:
    """They may be the words, or picks after all."""
    found = said("1 and 3", ASKED, pressed_other=True)
    assert isinstance(found, Refused)
    assert found.data["ways"] == ("1, 3", "other: 1 and 3")


@pytest.mark.parametrize(
    ("text", "picks"), [("a, c", ["o1", "o3"]), ("A-C", ["o1", "o2", "o3"]), ("5, 7", ["o2", "o3"])]
)
def test_lettered_lists_are_lists_of_letters_and_labels(text: str, picks: list[str]) -> None:
    """`5` is a label there."""
    assert value_of(said(text, several("3", "5", "7"))) == picks


def test_numbers_pick_nothing_in_a_lettered_list() -> None:
    """`1` is neither key nor label there."""
    found = said("A, 1", several("3", "5", "7"))
    assert isinstance(found, Refused)
    assert found.data["wrong"] == ("1",)


def test_mere_assent_is_confirmed_first() -> None:
    """As with one choice."""
    found = said("ok", ASKED)
    assert isinstance(found, Confirm)


def test_a_list_longer_than_any_choice_is_words_and_too_long_for_them() -> None:
    """A page of numbers is not looked at for ever."""
    asked: Any = several(*CHECKS, max_length=4000)
    assert refusal(said("1," * 8000, asked)) is Refusal.TOO_LONG


@pytest.mark.parametrize(
    "text", ["+1", "1+", "1 or", "Lint or", "or 1", "1 and", "& 1", "1 + + 3", "1\n3 and"]
)
@pytest.mark.parametrize("where", [{}, {"shared": True}], ids=["direct", "shared"])
def test_a_pick_joined_to_nothing_is_unclear(text: str, where: Any) -> None:
    """`+1` is assent, and of `1 or` the other half may have been lost."""
    assert refusal(said(text, ASKED, **where)) is Refusal.UNCLEAR_LIST


@pytest.mark.parametrize("text", ["1, and 3", "1,\nand 3", "1;, 3", "1,,3", "1 +\n3"])
def test_one_join_beside_commas_and_line_breaks_joins(text: str) -> None:
    """These may stand beside nothing."""
    assert value_of(said(text, ASKED)) == ["o1", "o3"]


LONG = several("green, dark", "light", "R and D")


@pytest.mark.parametrize(
    ("text", "picks"),
    [
        ("1. green, dark", ["o1"]),
        ("3) R and D", ["o3"]),
        ("1. green, dark\n3. R and D", ["o1", "o3"]),
        ("1. green, dark, 3. R and D", ["o1", "o3"]),
        ('1. "green, dark"', ["o1"]),
        ("2, green, dark", ["o1", "o2"]),
        ("2. light\n1. green, dark", ["o1", "o2"]),
    ],
)
def test_copied_lines_of_labels_that_hold_a_separator_are_picks(
    text: str, picks: list[str]
) -> None:
    """The key belongs to the whole label behind it."""
    assert value_of(said(text, LONG)) == picks


def test_a_copied_line_of_another_labels_key_is_refused() -> None:
    """As it is with one choice."""
    assert refusal(said("2. green, dark", LONG)) is Refusal.LABEL_DIFFERS


@pytest.mark.parametrize("join", [", ", ": ", " - "])
def test_a_copied_line_with_its_description_is_a_pick(join: str) -> None:
    """The description's own commas part nothing."""
    options = (
        Option(id="o1", label="Blue"),
        Option(id="o2", label="Red", description="warm, nice and new"),
        Option(id="o3", label="Green"),
    )
    asked = several("x").model_copy(update={"options": options})
    assert value_of(said(f"2. Red{join}warm, nice and new", asked)) == ["o2"]
    assert value_of(said(f"1. Blue\n2. Red{join}warm, nice and new", asked)) == ["o1", "o2"]


@pytest.mark.parametrize(
    "text", ["`1, 3`", "{1, 3}", "[1, 3]", '"1, 3"', '"Lint, Docs".', "**1, 3**", "```\n1\n3\n```"]
)
def test_one_pair_around_a_list_is_dropped(text: str) -> None:
    """As it is around one pick."""
    assert value_of(said(text, ASKED)) == ["o1", "o3"]


@pytest.mark.parametrize("text", ["**Lint**, **Docs**", "`1`, `3`", "(1), (3)"])
def test_pairs_around_each_part_are_not_one_pair(text: str) -> None:
    """Each part is unwrapped by itself."""
    assert value_of(said(text, ASKED)) == ["o1", "o3"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *[
            (text, Refusal.UNSURE)
            for text in ("all?", "none?", "Lint Docs?", "1-3?", "1 3 ?", "-all?")
        ],
        *[(text, Refusal.NEGATED) for text in ("-all", "!all", "~none", "!Lint Docs")],
    ],
)
@pytest.mark.parametrize("asked", [ASKED, LOOSE], ids=["needed", "not needed"])
def test_doubt_counts_for_all_none_and_several_picks(
    text: str, code: Refusal, asked: Field
) -> None:
    """None of these becomes own words."""
    assert refusal(said(text, asked)) is code


@pytest.mark.parametrize("text", ["1, other", "other and 1", "1\nother"])
def test_other_beside_picks_asks_for_its_words(text: str) -> None:
    """The refusal shows how both are written."""
    found = said(text, ASKED)
    assert isinstance(found, Refused)
    assert found.code is Refusal.OTHER_WITHOUT_WORDS
    assert found.data["ways"] == ("1, other: \u2026",)
    assert refusal(said(text, STRICT)) is Refusal.PARTLY_WRONG


def test_labels_that_are_numbers_in_a_row_are_unclear_by_their_keys() -> None:
    """There is an option 3, by its label."""
    found = said("3 5", several("3", "5", "7"))
    assert isinstance(found, Refused)
    assert (found.code, found.data["picks"]) == (Refusal.UNCLEAR_LIST, ("A", "B"))
