"""Where a reply is typed: what settles by itself, what is confirmed, and what is only talk."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from gateway.answer import Picked
from gateway.ask import Contract
from gateway.question import Kind
from gateway.reply import (
    Answered,
    Command,
    CommandName,
    Confirm,
    Declined,
    NotAnAnswer,
    Place,
    Refusal,
    Refused,
    Skipped,
    parse,
)
from tests.strategies_reply import WHERE, ask_of, choice, field, place, refusal, said, several

OPEN = choice(*WHERE)
STRICT = choice(*WHERE, write_in=False)
TEXT = field(Kind.TEXT, "words")
SHARED = {"shared": True}


@pytest.mark.parametrize(
    "text", ["2", "option 2", "Production", "production please", "2 - Production"]
)
@pytest.mark.parametrize("asked", [OPEN, STRICT], ids=["own words", "labels only"])
def test_a_pick_settles_anywhere(text: str, asked: Any) -> None:
    """A number, a key, or a whole label."""
    assert said(text, asked, **SHARED) == Answered({"pick": Picked(("o2",))})


def test_several_picks_settle_anywhere() -> None:
    """Each of them is a pick."""
    found = said("1, 3", several(*WHERE), **SHARED)
    assert found == Answered({"pick": Picked(("o1", "o3"))})


@pytest.mark.parametrize("text", ["let me check with Ana", "ok", "2 of the tests are red"])
def test_unaddressed_words_are_confirmed(text: str) -> None:
    """They may be talk between people; one press sends them."""
    assert said(text, OPEN, **SHARED) == Confirm(Answered({"pick": Picked(write_in=text)}))


@pytest.mark.parametrize("text", ["let me check with Ana", "ok", "other", "staging maybe", "🎈"])
def test_unaddressed_words_are_talk_where_own_words_are_not_allowed(text: str) -> None:
    """Nothing is said to them."""
    assert said(text, STRICT, **SHARED) == NotAnAnswer()


def test_addressed_words_settle() -> None:
    """A mention or a reply to the post says for whom they are."""
    found = said("let me check", OPEN, shared=True, addressed=True)
    assert found == Answered({"pick": Picked(write_in="let me check")})
    assert refusal(said("let me check", STRICT, shared=True, addressed=True)) is (
        Refusal.NOT_AN_OPTION
    )


def test_marked_words_settle_unaddressed() -> None:
    """`other:` says what they are."""
    found = said("other: tomorrow", OPEN, **SHARED)
    assert found == Answered({"pick": Picked(write_in="tomorrow")})


def test_bare_assent_is_confirmed_wherever_it_is_said() -> None:
    """Addressed or in a direct chat, people say thanks to machines too."""
    meant = Answered({"pick": Picked(write_in="thanks!")})
    assert said("thanks!", OPEN) == Confirm(meant)
    assert said("thanks!", OPEN, shared=True, addressed=True) == Confirm(meant)


@pytest.mark.parametrize("text", ["7", "0", "2?", "-1", "1 or 3", "2 - Staging", "①②", "1.5"])
@pytest.mark.parametrize("asked", [OPEN, STRICT], ids=["own words", "labels only"])
def test_a_failed_pick_is_told_anywhere(text: str, asked: Any) -> None:
    """Silence would puzzle its author."""
    assert isinstance(said(text, asked, **SHARED), Refused)


def test_a_thread_reply_to_a_lone_text_question_counts_as_addressed() -> None:
    """There is nothing else it could answer."""
    assert said("Aurora", TEXT, **SHARED) == Confirm(Answered({"words": "Aurora"}))
    assert said("Aurora", TEXT, shared=True, thread=True) == Answered({"words": "Aurora"})
    assert isinstance(said("Aurora", OPEN, shared=True, thread=True), Confirm)
    both = ask_of(TEXT, field(Kind.TEXT, "more"))
    assert isinstance(parse("Aurora", both, place(shared=True, thread=True)), Confirm)


@pytest.mark.parametrize("text", ["yes", "1", "✅", "no thanks"])
def test_a_toggle_is_confirmed_unless_addressed(text: str) -> None:
    """Its words are everybody's words."""
    go = field(Kind.TOGGLE, "go")
    assert isinstance(said(text, go, **SHARED), Confirm)
    assert isinstance(said(text, go, shared=True, addressed=True), Answered)


@pytest.mark.parametrize("kind", [Kind.NUMBER, Kind.DATE, Kind.TOGGLE])
def test_talk_is_no_failed_number_date_or_toggle(kind: Kind) -> None:
    """It is left alone."""
    assert said("let me check", field(kind), **SHARED) == NotAnAnswer()
    assert isinstance(said("let me check", field(kind)), Refused)


@pytest.mark.parametrize(
    ("kind", "text"), [(Kind.NUMBER, "1-3"), (Kind.DATE, "2026-02-30"), (Kind.DATE, "9")]
)
def test_a_failed_number_or_date_is_told_anywhere(kind: Kind, text: str) -> None:
    """It looks like an answer."""
    assert isinstance(said(text, field(kind), **SHARED), Refused)


def test_skip_and_decline_typed_among_people_are_confirmed() -> None:
    """They are words, not picks."""
    skippable = ask_of(OPEN, contract=Contract.ASK_USER)
    declinable = ask_of(OPEN, contract=Contract.OZ_ASK_USER)
    assert parse("skip", skippable, place(**SHARED)) == Confirm(Skipped())
    assert parse("decline: no", declinable, place(**SHARED)) == Confirm(Declined("no"))
    assert parse("skip", skippable, place(shared=True, addressed=True)) == Skipped()


@pytest.mark.parametrize("text", ["help", "pending", "cancel", "skip", "/help", "", "🎉"])
def test_commands_among_people_are_talk(text: str) -> None:
    """`help` may be said to anyone; and this ask cannot be skipped."""
    asked = ask_of(choice("red", "blue"), contract=Contract.OZ_ASK_USER)
    assert parse(text, asked, place(**SHARED)) == NotAnAnswer()


def test_the_label_of_other_asks_for_words_anywhere() -> None:
    """It is a whole label of what is drawn."""
    assert said("other", OPEN, **SHARED) == Command(CommandName.OTHER, field="pick")


def test_leaving_a_field_out_is_confirmed_among_people() -> None:
    """A dash is often just a dash."""
    asked = field(Kind.TEXT, required=False)
    assert said("-", asked, **SHARED) == Confirm(Answered({}))
    assert said("-", asked) == Answered({})
    assert said("-", TEXT, **SHARED) == NotAnAnswer()


def test_a_place_needs_a_time_with_a_zone() -> None:
    """`today` would depend on the machine."""
    with pytest.raises(ValueError, match="zone"):
        Place(now=datetime(2026, 1, 15, 9))  # noqa: DTZ001 - that is the mistake
