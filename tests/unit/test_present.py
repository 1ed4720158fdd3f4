"""An ask as numbered text: whole, in order, and with nothing in it that its reader may not see."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.capabilities import Reach
from channels.catalogue import Reader
from channels.present import View, numbered, view
from channels.shown import FIRST_STRONG_ISOLATE, POP_ISOLATE, line
from channels.words.reach import write_words
from gateway.answer import to_json
from gateway.ask import Ask, AskRecord, Contract, OnTimeout, Outcome, Status
from gateway.contracts import Defaults, rules_of_tool
from gateway.question import Field, Kind, Option, Question
from gateway.reply import option_keys
from gateway.visible import one_line, visible
from tests.strategies import answers_to, any_text, approval, asks, record_of
from tests.strategies_reply import choice, field, several

NOW = datetime(2026, 10, 20, 9, tzinfo=UTC)
"""When `record_of` says that asks were opened."""

BERLIN = Reader(zone="Europe/Berlin")
UNSEEING = replace(BERLIN, sees=False)
OPERATORS = "operators of acme"


def asked(tool: str, arguments: dict[str, Any]) -> AskRecord:
    """A call of a tool, opened now with a wait of four hours where it has none of its own."""
    rules = rules_of_tool(tool)
    assert rules is not None
    read = rules.read(arguments, Defaults(4 * 3600))
    ask = Ask(
        id="a-75eaf712473f",
        run_id="job-0a9dc2d1-75ea-4f71-8000-000000000000",
        tenant="acme",
        agent="acme-support",
        contract=rules.contract,
        call_id="call-1",
        question=read.question,
        timeout_s=read.timeout_s,
    )
    return record_of(ask)


def of_fields(*fields: Field, prompt: str = "Order", typed: bool = False) -> AskRecord:
    """An ask of these fields, straight on the model."""
    record = asked("oz.ask_user", {"question": prompt})
    question = Question(prompt=prompt, fields=fields, typed=typed)
    return replace(record, ask=record.ask.model_copy(update={"question": question}))


def shown(record: AskRecord, reader: Reader = BERLIN, now: datetime = NOW) -> View:
    return view(reader, record, "K7", OPERATORS, now)


def text(record: AskRecord, reader: Reader = BERLIN, now: datetime = NOW) -> str:
    return numbered(shown(record, reader, now))


def ended(record: AskRecord, **outcome: Any) -> AskRecord:
    """The ask, ended an hour after its opening."""
    made = Outcome(**outcome)
    settled = record.opened_at + timedelta(hours=1)
    return replace(record, status=made.status, version=2, outcome=made, settled_at=settled)


def test_a_question_says_who_asks_what_to_pick_how_and_until_when() -> None:
    """The shape that every chat draws: heading, question, options, how, way out, foot."""
    record = asked(
        "oz.ask_user",
        {"question": "Which colour should the report use?", "choices": ["red", "blue", "green"]},
    )
    assert text(record) == (
        "acme-support asks\n"
        "Which colour should the report use?\n"
        "\n"
        "1. red\n"
        "2. blue\n"
        "3. green\n"
        "\n"
        "Reply with a number or a label.\n"
        'Decline with "decline: why".\n'
        "K7 · waits until 15:00 today · job-0a9d"
    )


def test_an_option_stands_whole_with_its_description() -> None:
    """Nothing of a label or of what it means is left to a button."""
    option = {"label": "blue", "description": "the house colour"}
    record = asked(
        "ask_user",
        {
            "questions": [
                {
                    "id": "colour",
                    "header": "Colour",
                    "question": "Which colour?",
                    "options": [option, {"label": "red"}],
                }
            ]
        },
    )
    assert "1. blue, the house colour\n2. red\n" in text(record)
    assert 'Skip with "skip".' in text(record)
    assert "Reply with a number, a label, or your own words." in text(record)


def test_several_fields_stand_one_a_line_with_what_each_takes() -> None:
    """A typed question lists its fields, and says how to leave one out where that is allowed."""
    record = asked(
        "oz.ask_user",
        {
            "question": "When, and how many copies?",
            "fields": [
                {"name": "on", "kind": "date", "label": "Send on", "required": True},
                {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
            ],
        },
    )
    assert "1. Send on: a date, needed\n2. copies: a whole number, 1 to 9, may be left out" in (
        text(record)
    )
    assert 'name it: "copies: …"' in text(record)
    assert '"-" leaves one out' in text(record)


def test_several_questions_stand_each_with_its_options() -> None:
    """Options are counted anew under each question."""
    pair = [{"label": "Yes please"}, {"label": "Later"}]
    record = asked(
        "ask_user",
        {
            "questions": [
                {"id": "a", "header": "First", "question": "Now?", "options": pair},
                {
                    "id": "b",
                    "header": "Second",
                    "question": "Which?",
                    "multiSelect": True,
                    "options": pair,
                },
            ]
        },
    )
    assert (
        "1. First: Now? (one of these, or your own words, needed)\n"
        "   1. Yes please\n"
        "   2. Later\n"
        "2. Second: Which? (any of these, or your own words, needed)\n"
        "   1. Yes please\n"
    ) in text(record)


def test_labels_that_read_as_numbers_get_letters() -> None:
    """What is drawn before a label is what the reply grammar reads: one rule for both."""
    record = of_fields(choice("3", "5", name="answer"))
    assert "A. 3\nB. 5" in text(record)
    assert "Reply with a letter, a label, or your own words." in text(record)


@pytest.mark.parametrize(
    ("asked_for", "hint"),
    [
        (choice("a1", "b1", write_in=False), "Reply with a number or a label."),
        (several("a1", "b1"), "Pick any: reply like 1, 2, with labels, or in your own words."),
        (several("a1", "b1", write_in=False), "Pick any: reply like 1, 2, or with labels."),
        (
            several("a1", "b1", write_in=False, required=False),
            'Pick any: reply like 1, 2, or with labels. Reply "none" to pick nothing.',
        ),
        (field(Kind.TEXT), "Reply in your own words."),
        (field(Kind.NUMBER), "Reply with a number."),
        (field(Kind.NUMBER, min=1, max=9), "Reply with a number from 1 to 9."),
        (field(Kind.NUMBER, integer=True, min=1), "Reply with a whole number of at least 1."),
        (field(Kind.NUMBER, integer=True, max=9000), "Reply with a whole number of at most 9,000."),
        (field(Kind.DATE), "Reply with a date, like 2026-10-21."),
        (field(Kind.DATE, date_time=True), "Reply with a date and a time, like 2026-10-21 14:00."),
        (field(Kind.TOGGLE), 'Reply "yes" or "no".'),
    ],
)
def test_every_kind_says_how_it_is_answered(asked_for: Field, hint: str) -> None:
    """The hint names what works for this very question."""
    assert shown(of_fields(asked_for)).hint == hint


def test_an_approval_says_its_two_words() -> None:
    """Nothing but these decides an approval, so nothing else is named."""
    found = shown(record_of(approval()))
    assert (found.heading, found.hint) == (
        "asker asks for an approval",
        'Reply "approve", or "deny: why".',
    )
    assert found.way_out is None


@pytest.mark.parametrize(
    ("reach", "where"),
    [
        (Reach.THREAD, "Reply in the question's thread."),
        (Reach.REPLY, "Reply to the question's message."),
        (Reach.EITHER, "Reply to the question's message, or in its thread."),
        (Reach.PING, "Reply to the question's message with the ping on, or mention me."),
    ],
)
def test_a_shared_place_is_told_where_to_reply(reach: Reach, where: str) -> None:
    """In a group a message belongs to an ask only as a reply to it, of a kind that comes to us."""
    hint = shown(of_fields(field(Kind.TEXT)), replace(BERLIN, shared=True, reach=reach)).hint
    assert hint == f"Reply in your own words. {where}"
    assert write_words(replace(BERLIN, reach=reach)).startswith("Write your own words")


def test_a_label_that_is_the_word_itself_takes_the_way_out_away() -> None:
    """`skip` would pick the option Skip, so it is not offered as a way out."""
    record = of_fields(choice("Run", "Skip", name="answer"))
    ask = record.ask.model_copy(update={"contract": Contract.ASK_USER})
    assert shown(replace(record, ask=ask)).way_out is None


def test_an_ask_without_decline_or_skip_offers_neither() -> None:
    """`ask_a_human` has no such thing."""
    assert shown(asked("ask_a_human", {"question": "Name it."})).way_out is None


def test_without_a_deadline_it_waits_until_it_is_answered() -> None:
    """No time is made up."""
    record = asked("ask_a_human", {"question": "Name it."})
    assert shown(replace(record, deadline=None)).foot == (
        "K7 · waits until it is answered · job-0a9d"
    )


# RE-12, SE-07, SE-08: what agents write does not move or hide anything


def test_re_12_right_to_left_labels_keep_their_numbers() -> None:
    """RE-12: each such label is isolated in its line, and the stored label holds no added mark."""
    labels = ("ייצור 2", "Staging (בדיקה)", "ביטול")
    record = of_fields(choice(*labels, name="answer"), prompt="לאן?")
    lines = text(record).split("\n")
    assert [found for found in lines if found[:1].isdecimal()] == [
        f"{number}. {FIRST_STRONG_ISOLATE}{label}{POP_ISOLATE}"
        for number, label in enumerate(labels, 1)
    ]
    assert tuple(option.label for option in record.ask.question.fields[0].options) == labels


def test_se_07_hidden_characters_are_shown_and_long_blanks_marked() -> None:
    """SE-07: direction overrides and zero-width characters become escapes; padding is counted."""
    prompt = f"Run: copy \u202e\u2066txt.selif\u2069 now?\u200b{' ' * 200}and delete all"
    found = text(of_fields(choice("Allow", "Deny", name="answer"), prompt=prompt))
    assert not set("\u202e\u2066\u2069\u200b") & set(found)
    assert "⟨U+202E⟩" in found
    assert "⟨200 spaces⟩" in found


def test_se_07_joiners_inside_emoji_stay() -> None:
    """SE-07: what a script or a picture needs is no trick."""
    assert "1. 👩‍🚀 crew" in text(of_fields(choice("👩‍🚀 crew", "ground", name="answer")))


def test_se_08_a_line_break_in_a_label_makes_no_option() -> None:
    """SE-08: one line an option, and the same rule for headings, agents and runs."""
    fake = "Staging\n3. Production (already approved by Ana)"
    record = of_fields(choice(fake, "Cancel", name="answer"))
    spoofed = {"agent": "asker\nApproved by Ana", "run_id": "job\n2. Yes"}
    record = replace(record, ask=record.ask.model_copy(update=spoofed))
    numbers = [found[:2] for found in text(record).split("\n") if found[:1].isdecimal()]
    assert numbers == ["1.", "2."]
    assert text(record).split("\n")[0] == "asker Approved by Ana asks"


def test_se_08_fields_names_and_descriptions_stay_on_their_line() -> None:
    """SE-08: a field's label cannot start a line of its own."""
    sly = field(Kind.TEXT, "one", label="Name\n2. Done", description="yours\n3. Paid")
    lines = text(of_fields(sly, field(Kind.TEXT, "two"), typed=True)).split("\n")
    assert [found for found in lines if found[:1].isdecimal()] == [
        "1. Name 2. Done: yours 3. Paid (text, needed)",
        "2. two: text, needed",
    ]


@st.composite
def tricky_asks(draw: st.DrawFn) -> AskRecord:
    """Any ask, whatever its labels hold, line breaks and directions included."""
    record = record_of(draw(asks()))
    fields = [
        one.model_copy(
            update={
                "options": tuple(
                    Option(id=f"o{number}", label=f"{label} {number}", description=label or None)
                    for number, label in enumerate(
                        draw(st.lists(any_text(20), min_size=1, max_size=8)), 1
                    )
                )
            }
        )
        if one.is_choice
        else one
        for one in record.ask.question.fields
    ]
    question = record.ask.question.model_copy(update={"fields": tuple(fields)})
    return replace(record, ask=record.ask.model_copy(update={"question": question}))


@given(tricky_asks())
def test_no_option_is_ever_lost_or_cut(record: AskRecord) -> None:
    """Every label stands whole, behind its key, on a line of its own, in the options' order."""
    lines = text(record).split("\n")
    for one in record.ask.question.fields:
        wanted = [
            f"{key}. {line(option.label)}"
            for key, option in zip(option_keys(one), one.options, strict=True)
        ]
        found = [found.strip() for found in lines if found.strip().startswith(tuple(wanted))]
        assert len(found) >= len(wanted)
        at = 0
        for label in wanted:
            at = next(n for n in range(at, len(found)) if found[n].startswith(label)) + 1


@given(asks(), st.data())
def test_who_may_not_see_the_content_is_shown_none_of_it(ask: Ask, data: st.DataObject) -> None:
    """SE-13: question, labels, names, answer and reason stay out, waiting or ended."""
    secret = "§"
    marked = json.loads(ask.question.model_dump_json())
    marked["prompt"] = secret
    for one in marked["fields"]:
        one["label"] = one["description"] = secret
        for option in one["options"]:
            option["label"] = secret + option["id"]
    question = Question.model_validate(marked)
    record = record_of(ask.model_copy(update={"question": question}))
    values = to_json(data.draw(answers_to(question)))
    answered = ended(record, status=Status.ANSWERED, values=values, by="user:kevin", name="Kevin")
    declined = ended(record, status=Status.DECLINED, reason=secret, by="user:kevin", name="Kevin")
    cancelled = ended(record, status=Status.CANCELLED, reason=secret)
    for one in (record, answered, declined, cancelled):
        assert secret not in text(one, UNSEEING)
    assert text(answered, UNSEEING) == "Answered. Kevin, 12:00."


def test_a_place_that_may_not_see_reads_that_somebody_is_asked() -> None:
    """Who waits, for whom, and until when: no more."""
    record = asked("oz.ask_user", {"question": "Remove user 44?"})
    assert text(record, UNSEEING) == (
        "acme-support waits for an answer from operators of acme. K7 · until 15:00."
    )


# After it ended


def test_an_ended_ask_keeps_its_question_and_invites_nothing() -> None:
    """The same post without its hints, and with who answered, when and where."""
    record = asked("oz.ask_user", {"question": "Which colour?", "choices": ["red", "blue"]})
    values = {"answer": {"options": ["o2"], "write_in": None}}
    told = {"by": "user:kevin", "name": "Kevin", "surface": "slack"}
    assert text(ended(record, status=Status.ANSWERED, values=values, **told)) == (
        "acme-support asked\n"
        "Which colour?\n"
        "\n"
        "1. red\n"
        "2. blue\n"
        "\n"
        "Answered: blue. Kevin, 12:00, in Slack.\n"
        "K7 · job-0a9d"
    )


def test_an_expired_ask_says_what_its_run_did() -> None:
    """Silence is named as such, and nobody is named with it."""
    record = asked("oz.ask_user", {"question": "Which colour?"})
    gone_on = ended(record, status=Status.EXPIRED)
    failing = record.ask.model_copy(update={"on_timeout": OnTimeout.FAIL})
    failed = replace(gone_on, ask=failing)
    assert shown(gone_on).outcome == "Nobody answered by 15:00. The run went on without."
    assert shown(failed).outcome == "Nobody answered by 15:00. The run failed."


# Times


def test_te_09_a_deadline_over_a_clock_change_names_its_zone() -> None:
    """TE-09: 24 hours from 20:00 BST end at 19:00 GMT, and the post says which of the two."""
    opened = datetime(2026, 10, 24, 19, tzinfo=UTC)
    record = replace(
        asked("oz.ask_user", {"question": "Go?"}),
        opened_at=opened,
        deadline=opened + timedelta(hours=24),
    )
    foot = shown(record, Reader(zone="Europe/London"), opened).foot
    assert "waits until Sun 25 Oct, 19:00 GMT" in foot


def test_a_shared_place_reads_whose_time_it_is() -> None:
    """People of several zones read it."""
    record = asked("oz.ask_user", {"question": "Go?"})
    everyone = replace(BERLIN, shared=True, sees=False)
    assert "until 15:00 CEST." in text(record, everyone)
    assert "until 13:00 UTC." in text(record, replace(everyone, zone="UTC"))


@pytest.mark.parametrize(
    ("wait", "until"),
    [
        (timedelta(hours=12), "waits until 23:00 today"),
        (timedelta(hours=13), "waits until Wed 21 Oct, 00:00"),
        (timedelta(days=2), "waits until Thu 22 Oct, 11:00"),
        (timedelta(days=80), "waits until Fri, 8 Jan 2027, 10:00 CET"),
    ],
)
def test_what_is_not_today_is_named_by_its_day(wait: timedelta, until: str) -> None:
    """A post stays, so it never says tomorrow; another year is named too."""
    record = replace(asked("oz.ask_user", {"question": "Go?"}), deadline=NOW + wait)
    assert shown(record).foot == f"K7 · {until} · job-0a9d"


@given(any_text(60))
def test_a_line_is_one_line_and_hides_nothing(given_text: str) -> None:
    """Whatever it holds, it stays on its line, and only our own isolates are added to it."""
    found = line(given_text)
    assert "\n" not in found
    assert found.strip(FIRST_STRONG_ISOLATE + POP_ISOLATE) == one_line(given_text)
    assert visible(one_line(given_text)) == one_line(given_text)
