"""The given reply cases as replies to their asks, each by its case id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from gateway.question import Field, Kind
from gateway.reply import Answered, NotAnAnswer, Partial, Refusal, Refused, parse
from tests.strategies_reply import (
    CHECKS,
    WHERE,
    ask_of,
    choice,
    field,
    place,
    refusal,
    said,
    several,
    value_of,
)

if TYPE_CHECKING:
    from gateway.ask import Ask

DEFAULT = choice(*WHERE)
FLAGS = several("Red, white and blue", "Green", "1, 2 and 3")
DEPLOY = choice("Don't deploy", "Deploy")

ANSWERED: list[tuple[str, Field, str, Any]] = [
    *[
        ("RP-01", DEFAULT, text, text)
        for text in ("What is the first thing that happens on Production?",)
    ],
    ("RP-02", DEFAULT, "doe maar een rollback", "doe maar een rollback"),
    ("RP-05", choice("Soup", "Pasta", "Curry"), "last one", "last one"),
    *[("RP-06", DEFAULT, text, ["o1"]) for text in ("1", "1.", "1)", "(1)", "#1", "1:", " 1 \n")],
    *[
        ("RP-07", DEFAULT, text, ["o2"])
        for text in (
            *("option 2", "Option #2", "2 please", "2, thanks!", "number 2", "no. 2"),
            *("2 - Production", "2. Production"),
        )
    ],
    ("RP-07", DEFAULT, "2 of the tests are red", "2 of the tests are red"),
    *[("RP-09", DEFAULT, text, ["o2"]) for text in ("２", "２．", "（２）", "٢", "२", "2️⃣")],
    ("RP-13", choice("OK", "Stop"), "not okay yet", "not okay yet"),
    ("RP-13", choice("OK", "Stop"), "no worries", "no worries"),
    ("RP-13", choice("OK", "Stop"), "ok.", ["o1"]),
    ("RP-13", choice("OK", "Stop"), "Stop!", ["o2"]),
    ("RP-14", choice("Approve", "Reject", write_in=False), "APPROVE!", ["o1"]),
    ("RP-14", choice("Approve", "Reject", write_in=False), "  approve. ", ["o1"]),
    *[
        ("RP-15", several(*CHECKS), text, ["o1", "o3"])
        for text in (
            *("1,3", "1 3", "1 and 3", "1 & 3", "1, 3.", "Lint, Docs", "1;3", "1、3", "3,1"),
        )
    ],
    ("RP-15", several(*CHECKS), "2, 2,2", ["o2"]),
    ("RP-15", several(*CHECKS), "2-4", ["o2", "o3", "o4"]),
    ("RP-18", DEFAULT, "other: 7", "7"),
    ("RP-19", FLAGS, "Red, white and blue", ["o1"]),
    ("RP-19", FLAGS, "Green, Red, white and blue", ["o1", "o2"]),
    ("RP-19", FLAGS, "1,2", ["o1", "o2"]),
    *[
        ("RP-31", DEPLOY, text, ["o1"])
        for text in (
            *("Don’t deploy", "“Don't deploy”", "\ufeffdon't deploy", "\u200fDon't deploy\u200f"),
            *("Don't\u00a0deploy", "*Don't deploy*", "\u200b1\u200b"),
        )
    ],
    ("RP-33", choice("Staging (Recommended)", "Production"), "staging", ["o1"]),
    ("RP-33", choice("Staging (Recommended)", "Production"), "Staging (Recommended)", ["o1"]),
    ("RP-33", choice("Staging (Recommended)", "Production"), "recommended", "recommended"),
    ("RP-36", field(Kind.DATE), "2026-05-04", "2026-05-04"),
    ("RP-36", field(Kind.DATE), "13/02/2026", "2026-02-13"),
    ("RE-12", choice("ייצור 2", "Staging (בדיקה)", "ביטול"), "2", ["o2"]),
    ("RE-10", several("Lint", "Tests", "Docs"), "1,3", ["o1", "o3"]),
]

REFUSED: list[tuple[str, Field, str, Refusal]] = [
    ("RP-07", DEFAULT, "2 - Staging", Refusal.LABEL_DIFFERS),
    ("RP-14", choice("Approve", "Reject", write_in=False), "approved", Refusal.NOT_AN_OPTION),
    ("RP-16", several(*CHECKS, write_in=False), "1,9", Refusal.PARTLY_WRONG),
    ("RP-16", several(*CHECKS, write_in=False), "0", Refusal.NO_SUCH_OPTION),
    ("RP-16", several(*CHECKS, write_in=False), "-1", Refusal.NEGATED),
    ("RP-16", several(*CHECKS, write_in=False), "4-2", Refusal.NO_SUCH_OPTION),
    ("RP-18", DEFAULT, "7", Refusal.NO_SUCH_OPTION),
    ("RP-18", DEFAULT, "0", Refusal.NO_SUCH_OPTION),
    ("RP-18", DEFAULT, "-1", Refusal.NEGATED),
    ("RP-36", field(Kind.DATE), "04-05-2026", Refusal.AMBIGUOUS_DATE),
    ("RP-36", field(Kind.DATE), "2026-02-30", Refusal.NO_SUCH_DATE),
]


@pytest.mark.parametrize(("case", "asked", "text", "answer"), ANSWERED)
def test_given_replies_are_taken_as_their_case_says(
    case: str, asked: Field, text: str, answer: Any
) -> None:
    """What settles an ask is the pick or the words the case names."""
    assert value_of(said(text, asked)) == answer, case


@pytest.mark.parametrize(("case", "asked", "text", "code"), REFUSED)
def test_given_replies_are_refused_as_their_case_says(
    case: str, asked: Field, text: str, code: Refusal
) -> None:
    """What fails as a pick gets one correction and settles nothing."""
    assert refusal(said(text, asked)) is code, case


def test_rp_16_a_partly_wrong_list_names_what_is_wrong() -> None:
    """The correction says 9, not the whole list."""
    found = said("1,9", several(*CHECKS, write_in=False))
    assert isinstance(found, Refused)
    assert found.data["wrong"] == ("9",)


def test_rp_21_a_partial_answer_is_kept_and_says_what_is_missing() -> None:
    """The first reply fills one field, the second brings both in keyed lines."""
    asked = ask_of(
        choice("Oslo", "Bergen", name="city", write_in=False), field(Kind.TEXT, "budget")
    )
    first = parse("Oslo", asked, place())
    assert isinstance(first, Partial)
    assert first.missing == ("budget",)
    assert first.problems == ()
    second = parse("1. Oslo\n2. 1500", asked, place(draft=first.draft))
    assert isinstance(second, Answered)
    assert second.values["budget"] == "1500"


@pytest.mark.parametrize(
    "text",
    [
        "<at>AskBot</at> 2",
        "<at>AskBot</at>&nbsp;2\r\n",
        "\r\n<at>AskBot</at> Production\r\n",
        "<at></at> 2",
    ],
)
def test_rp_23_our_mention_is_no_part_of_the_reply(text: str) -> None:
    """A mention before the pick, its blanks and an empty tag are dropped."""
    found = said(text, DEFAULT, mention=("<at>AskBot</at>",), markup=True, shared=True)
    assert value_of(found) == ["o2"]


def test_rp_24_other_peoples_mentions_are_their_names() -> None:
    """`@Pat` is the answer, and reads Pat."""
    found = said(
        "<at>AskBot</at> <at>Pat</at>",
        field(Kind.TEXT),
        mention=("<at>AskBot</at>",),
        names=(("<at>Pat</at>", "Pat"),),
        markup=True,
    )
    assert value_of(found) == "Pat"


def test_rp_40_talk_in_a_channel_without_own_words_is_left_alone() -> None:
    """Where only picks count, a sentence among people is no answer and gets no word."""
    asked: Ask = ask_of(choice(*WHERE, write_in=False))
    found = parse("Please create the table probes", asked, place(shared=True))
    assert found == NotAnAnswer()


def test_rp_43_a_mention_and_a_number_pick() -> None:
    """Discord's mention before the number is dropped."""
    assert value_of(said("<@BOT> 2", DEFAULT, mention=("<@BOT>",), shared=True)) == ["o2"]


def test_rp_43_a_message_without_text_is_no_pick() -> None:
    """Withheld text is told apart by the channel; here it is empty, and settles nothing."""
    assert refusal(said("", DEFAULT)) is Refusal.EMPTY
