"""The message catalogue: a sentence for everything, numbers and dates in full, nothing leaked."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.catalogue import Reader
from channels.shown import short
from channels.words import outcomes, refusals, told, values
from gateway.answer import Picked, check, to_json
from gateway.ask import Ask, Status
from gateway.conversations import Waiting
from gateway.question import Kind
from gateway.reply import Draft, Partial, Place, Refusal, Refused, parse
from tests.endings import COPIES, NOW, READER, an_ask, settled
from tests.strategies import answers_to, approval, asks, record_of
from tests.strategies_reply import WHERE, choice, field, several

UNSEEING = Reader(sees=False)


def said(text: str, *fields: Any, ask: Ask | None = None) -> str:
    """What is said to that reply, which is refused."""
    asked = ask or an_ask(*fields)
    reply = parse(text, asked, Place(now=NOW, zone="Europe/Berlin"))
    assert isinstance(reply, Refused), reply
    return refusals.refusal(READER, asked, reply)


# Refusals

STRICT = choice(*WHERE, write_in=False)


@pytest.mark.parametrize(
    ("reply", "asked", "words"),
    [
        (
            "7",
            choice(*WHERE),
            'There is no option 7. Reply 1, 2 or 3, or "other: 7" to answer with 7.',
        ),
        ("7", STRICT, "There is no option 7. Reply 1, 2 or 3."),
        ("1 or 3", choice(*WHERE), "Only one can be picked. Reply 1 or 3."),
        (
            "2 Staging",
            choice(*WHERE),
            "2 is Production, and you wrote Staging. Reply 2 for Production or 1 for Staging.",
        ),
        ("approved", STRICT, "This one takes 1, 2 or 3 only."),
        (
            "Productoin",
            STRICT,
            "This one takes 1, 2 or 3 only. Did you mean 2, Production?",
        ),
        (
            "1, 9",
            several(*WHERE),
            "Not among the options: 9. Nothing was picked; reply with some of 1, 2 or 3.",
        ),
        (
            "03/04/2026",
            field(Kind.DATE),
            "That can be 3 April 2026 or 4 March 2026. Reply 2026-04-03 or 2026-03-04.",
        ),
        (
            "tomorrow at 9",
            field(Kind.DATE, date_time=True),
            "This one takes a date and a time, like 2026-10-20 14:00.",
        ),
        (
            "20 Oct 2026",
            field(Kind.DATE, date_time=True),
            "It needs a time too, like 2026-10-20 14:00.",
        ),
        (
            "30 Feb 14:00",
            field(Kind.DATE, date_time=True),
            "There is no such day. Reply with a date and a time, like 2026-10-20 14:00.",
        ),
        (
            "Friday 20 Oct 2026 14:00",
            field(Kind.DATE, date_time=True),
            "20 October 2026 is a Tuesday. Reply 2026-10-20 and the time if that day is meant.",
        ),
        (
            "2026-10-20 09:00-11:00",
            field(Kind.DATE, date_time=True),
            (
                "That can be 20 October 2026, 09:00 or 20 October 2026, 09:00 GMT-11:00. "
                "Reply 2026-10-20 09:00 or 2026-10-20T09:00:00-11:00."
            ),
        ),
        ("1,234", field(Kind.NUMBER), "That can be 1234 or 1.234. Reply 1234 or 1.2340."),
        ("99.99", field(Kind.NUMBER, max=9.5), "It is at most 9.5; you wrote 99.99."),
        ("12", COPIES, "It goes from 1 to 9; you wrote 12."),
        ("0", field(Kind.NUMBER, min=1), "It is at least 1; you wrote 0."),
        ("12", field(Kind.NUMBER, max=9), "It is at most 9; you wrote 12."),
        ("maybe", field(Kind.TOGGLE), 'Reply "yes" or "no".'),
        ("", choice(*WHERE), "Only words can answer this."),
        (
            "skip",
            choice(*WHERE),
            'This one cannot be skipped. "decline: why" says that you will not answer.',
        ),
    ],
)
def test_a_refusal_says_what_is_wrong_and_what_to_write(reply: str, asked: Any, words: str) -> None:
    """Words anybody can act on, with the options by their keys."""
    assert said(reply, asked) == words


def test_too_long_a_reply_hears_both_numbers_and_that_nothing_was_cut() -> None:
    """The cap and the length, grouped as people read them."""
    ask = an_ask(field(Kind.TEXT, max_length=4000))
    assert said("e" * 5210, ask=ask) == (
        "At most 4,000 characters; yours has 5,210. Nothing was cut or sent."
    )


def test_many_options_are_named_as_a_span() -> None:
    """Thirty keys one by one would bury the sentence."""
    many = choice(*(f"region {chr(64 + n)}" for n in range(1, 27)), write_in=False)
    assert said("99", many) == "There is no option 99. Reply 1 to 26."


def test_a_value_among_several_is_named_by_its_field() -> None:
    """Whoever fills in several fields learns which one it was."""
    ask = an_ask(COPIES, field(Kind.DATE, "on", label="Send on"))
    reply = parse("12\n2026-13-40", ask, Place(now=NOW))
    assert isinstance(reply, Partial)
    assert told.partly(READER, ask, reply) == (
        "copies: It goes from 1 to 9; you wrote 12.\n"
        "Send on: There is no such day. Reply with a date like 2026-10-20.\n"
        "Still needed: copies, a whole number, 1 to 9; Send on, a date."
    )


DATA: dict[str, Any] = {
    "keys": ("§1", "§2"),
    "write_in": True,
    "typed": "§typed",
    "picks": ("§1", "§2"),
    "key": "§1",
    "label": "§red",
    "other_key": "§2",
    "other": "§blue",
    "nearest": "§red",
    "nearest_key": "§1",
    "wrong": ("§9",),
    "ways": ("2026-10-20", "2026-10-21"),
    "readings": ("1", "1000"),
    "limit": 10,
    "length": 11,
    "min": 1,
    "max": 9,
    "date": "2026-10-20",
    "moment": "2026-10-20 14:00",
    "word": "§decline",
    "fields": ("pick",),
}
"""Every datum a refusal may bear; what is the ask's content is marked."""


@pytest.mark.parametrize("code", list(Refusal))
@pytest.mark.parametrize("with_data", [True, False])
def test_every_refusal_has_words_and_none_of_them_leaks(code: Refusal, with_data: bool) -> None:
    """A sentence for each code, and for those who may not see, one without any content."""
    bare = {
        key: DATA[key]
        for key in ("keys", "typed", "picks", "key", "other_key", "other", "wrong", "ways")
    } | {"readings": ("1",), "limit": 1, "length": 2, "max": 9, "date": "2026-10-20"}
    if code in {Refusal.NEEDS_TIME, Refusal.NEEDS_DATE}:
        bare["moment"] = DATA["moment"]
    data = DATA if with_data else bare | {"word": "§decline", "fields": ("pick",)}
    ask = an_ask()
    words = refusals.refusal(READER, ask, Refused(code, data))
    assert words[0].isupper() or words.startswith(("§", '"', "20"))
    assert words.endswith((".", "?", '…".', "."))
    assert "§" not in refusals.refusal(UNSEEING, ask, Refused(code, data))
    assert "{" not in words


# Receipts


@pytest.mark.parametrize(
    ("asked", "value", "words"),
    [
        (field(Kind.NUMBER), 1234567.25, "Got it: 1,234,567.25."),
        (field(Kind.NUMBER), 2**70, "Got it: 1,180,591,620,717,411,303,424."),
        (field(Kind.NUMBER), 0.1234567, "Got it: 0.1234567."),
        (field(Kind.DATE), "2026-10-20", "Got it: 20 October 2026."),
        (
            field(Kind.DATE, date_time=True),
            "2026-10-20T09:00:00+02:00",
            "Got it: 20 October 2026, 09:00 GMT+02:00.",
        ),
        (field(Kind.TOGGLE), True, "Got it: yes."),
        (field(Kind.TEXT), "as typed, even so!", "Got it: as typed, even so!"),
        (choice(*WHERE), Picked(("o2",)), "Got it: Production."),
        (choice(*WHERE), Picked(write_in="my own"), "Got it: my own."),
        (
            several(*WHERE),
            Picked(("o1", "o3"), "and mine"),
            "Got it: Staging, Cancel and and mine.",
        ),
        (several(*WHERE, required=False), Picked(), "Got it: nothing."),
    ],
)
def test_a_receipt_repeats_what_was_understood_in_full(asked: Any, value: Any, words: str) -> None:
    """Every digit of a number, a date with its month and year, a time with its offset."""
    ask = an_ask(asked)
    stored = to_json(check(ask.question, {asked.name: value}))
    assert told.receipt(READER, settled(ask, status=Status.ANSWERED, values=stored)) == words


def test_a_receipt_of_several_fields_names_each() -> None:
    """Each value stands under its field's name, left-out ones not at all."""
    ask = an_ask(
        field(Kind.DATE, "on", label="Send on"), COPIES, field(Kind.TEXT, "note", required=False)
    )
    record = settled(ask, status=Status.ANSWERED, values={"on": "2026-10-20", "copies": 2})
    assert told.receipt(READER, record) == "Got it. Send on: 20 October 2026; copies: 2."
    assert told.receipt(UNSEEING, record) == "Got it."


@given(asks(), st.data())
def test_any_answer_reads_back(ask: Ask, data: st.DataObject) -> None:
    """Total over questions and answers; no value is lost from the words."""
    given_values = data.draw(answers_to(ask.question))
    words = values.answer(READER, ask.question, given_values)
    for name, value in given_values.items():
        found = ask.question.field(name)
        assert found is not None
        assert values.value(READER, found, value) in words


def test_a_draft_says_what_is_kept_and_what_is_open() -> None:
    """Kept, still needed, still open, and how to leave out what need not be."""
    ask = an_ask(
        field(Kind.DATE, "on", label="Send on"), COPIES, field(Kind.TEXT, "note", required=False)
    )
    draft = Draft({"on": "2026-10-20"}, frozenset(), ("on",))
    assert told.partly(READER, ask, Partial(draft, (), ("copies", "note"))) == (
        "Kept. Send on: 20 October 2026.\n"
        "Still needed: copies, a whole number, 1 to 9.\n"
        "Still open: note, text.\n"
        'Reply "-" to leave one out, "done" to leave out all that is not needed.'
    )


# Too late, and not theirs

BLUE = {"pick": {"options": ["o2"], "write_in": None}}
KEVIN = replace(READER, name="user:kevin")


@pytest.mark.parametrize(
    ("outcome", "words", "own"),
    [
        (
            {"status": Status.ANSWERED, "values": BLUE},
            "Kevin answered at 12:02: blue.",
            "You answered at 12:02: blue.",
        ),
        (
            {"status": Status.DECLINED, "reason": "ask Ana"},
            "Kevin declined at 12:02: ask Ana.",
            "You declined at 12:02: ask Ana.",
        ),
        (
            {"status": Status.DECLINED, "skipped": True},
            "Kevin skipped this at 12:02.",
            "You skipped this at 12:02.",
        ),
        (
            {"status": Status.CANCELLED, "reason": "the run ended"},
            "No longer needed: the run ended. Yours was not used.",
            "No longer needed: the run ended. Yours was not used.",
        ),
    ],
)
def test_whoever_comes_too_late_hears_what_stands(
    outcome: dict[str, Any], words: str, own: str
) -> None:
    """Who was first, when, and with what; the winner is called you."""
    record = settled(an_ask(), **outcome)
    assert outcomes.too_late(READER, record, NOW, NOW) == words
    assert outcomes.too_late(KEVIN, record, NOW, NOW) == own


def test_a_reply_after_the_deadline_hears_both_times() -> None:
    """When it ended, and when theirs came."""
    deadline = NOW - timedelta(minutes=2)
    record = replace(settled(an_ask(), status=Status.EXPIRED, by=None), deadline=deadline)
    assert outcomes.too_late(READER, record, NOW + timedelta(minutes=10), NOW) == (
        "This ended at 12:00 without an answer. Yours came at 12:12 and was not used."
    )


@pytest.mark.parametrize("status", [Status.ANSWERED, Status.DECLINED, Status.CANCELLED])
def test_too_late_without_sight_of_content_holds_none(status: Status) -> None:
    """Who and when is for everyone; what is not."""
    outcome: dict[str, Any] = {"reason": "§why"}
    if status is Status.ANSWERED:
        outcome = {"values": {"pick": {"options": [], "write_in": "§secret"}}}
    record = settled(an_ask(), status=status, **outcome)
    for words in (
        outcomes.too_late(UNSEEING, record, NOW, NOW),
        outcomes.outcome(UNSEEING, record, NOW),
        outcomes.edited(UNSEEING, record, NOW),
    ):
        assert "§" not in words


def test_an_approval_is_told_as_one() -> None:
    """Approved or denied, with the comment for those who may see it."""
    yes = settled(approval(), status=Status.ANSWERED, values={"approved": True}, reason="once")
    no = settled(approval(), status=Status.DECLINED, reason="too much")
    assert outcomes.outcome(READER, yes, NOW) == "Approved: once. Kevin, 12:02, in Slack."
    assert outcomes.outcome(READER, no, NOW) == "Denied: too much. Kevin, 12:02, in Slack."
    assert told.receipt(READER, yes) == "Got it: approved."
    assert told.receipt(READER, no) == "Got it: denied."


def test_whoever_may_not_answer_hears_for_whom_it_waits() -> None:
    """A stranger learns how to become somebody; a colleague only whom it waits for."""
    assert told.not_theirs(READER, "operators of acme", None) == (
        "You can't answer this one: it waits for operators of acme."
    )
    assert told.not_theirs(READER, "operators of acme", "slack:T1/U9") == (
        "You can't answer this one: it waits for operators of acme. If that is you, ask an admin "
        "to connect your account slack:T1/U9."
    )


def test_several_waiting_are_listed_by_their_codes() -> None:
    """One line each, whole; the button's label may be shorter, at a whole visible character."""
    long = "Which of these regions, 👩‍🚀 or otherwise, should the report be about?"
    waiting = [
        (READER, Waiting("K7", record_of(an_ask(prompt="Which colour?")))),
        (READER, Waiting("M3", record_of(an_ask(prompt=long)))),
    ]
    assert told.which(READER, waiting, "2", NOW) == (
        f'2 questions wait here. Which one is "2" for?\nK7  Which colour?\nM3  {long}'
    )
    assert told.button(waiting[1][1], sees=True) == "M3 Which of these regions, 👩‍🚀 or …"
    assert told.button(waiting[1][1], sees=False) == "M3"
    unseen = [(UNSEEING, one) for _, one in waiting]
    assert "colour" not in told.which(UNSEEING, unseen, "2", NOW)


def test_a_list_of_what_waits_has_each_question_in_short() -> None:
    """One line each; the posts have them whole."""
    asked = an_ask(choice("red", "blue"))
    question = asked.question.model_copy(update={"prompt": "Which colour? " * 500})
    waiting = Waiting("K7", record_of(asked.model_copy(update={"question": question})))
    _, one = told.pending(READER, [(READER, waiting)], NOW).split("\n")
    assert one.startswith("K7  Which colour? Which colour?")
    assert "…" in one
    assert len(one) < 200


@given(st.text(max_size=60), st.integers(2, 20))
def test_a_shortened_label_is_marked_and_never_too_long(text: str, most: int) -> None:
    """Cut at whole visible characters; what fits is not touched."""
    import regex

    found = regex.findall(r"\X", short(text, most).strip("\u2068\u2069"))
    assert len(found) <= most
