"""`ask_a_human`, to the letter of its original."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from gateway.answer import Picked, to_json
from gateway.ask import Ask, Contract, OnQuestion, OnTimeout, Outcome, Status
from gateway.contracts import Defaults, pending_input_schema, read_input, result
from gateway.contracts.ask_a_human import RULES, input_context, read
from gateway.errors import InvalidAnswer, InvalidQuestion
from gateway.question import Field, Kind, Option, Question
from tests.strategies import ask_a_human_calls, record_of

SEGMENTS = {"question": "Which segment first?", "options": ["Enterprise", "Mid-market"]}


def asked(arguments: dict[str, Any]) -> Ask:
    """The ask a call opens."""
    found = read(arguments, Defaults())
    return Ask(
        id="a-75eaf712473f",
        run_id="job-0a9dc2d1-75ea-4f71-8000-000000000000",
        tenant="acme",
        agent="asker",
        contract=Contract.ASK_A_HUMAN,
        call_id="call-1",
        question=found.question,
        timeout_s=found.timeout_s,
    )


def faults_of(arguments: object) -> list[tuple[str, str]]:
    """Path and code of every fault of a call."""
    with pytest.raises(InvalidQuestion) as refused:
        read(arguments, Defaults())
    return [(problem.path, problem.code) for problem in refused.value.problems]


@given(ask_a_human_calls())
def test_a_valid_call_reads_back_as_it_was_made(call: dict[str, Any]) -> None:
    """With `other` behind the caller's options, exactly once."""
    shown = input_context(read(call, Defaults()).question)
    assert shown["question"] == call["question"]
    if "options" not in call:
        assert shown["kind"] == "free_form"
        return
    numbered = [{"id": f"o{n}", "label": label} for n, label in enumerate(call["options"], 1)]
    assert shown["kind"] == "multiple_choice"
    assert shown["options"] == [*numbered, {"id": "other", "label": "Other"}]


def test_it_waits_for_the_run_alone() -> None:
    """v1 has no wait of its own, whatever the run's other asks have."""
    found = read(SEGMENTS, Defaults(60, OnTimeout.FAIL))
    assert (found.timeout_s, found.on_timeout) == (None, OnTimeout.CONTINUE)
    assert (RULES.one_at_a_time, RULES.main_runs_only) == (True, False)


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["a", "Other", "b"], ["a", "b"]),
        (["a", "OTHER…"], ["a"]),
        (["Other", "other", "a"], ["a"]),
        (["a", "b", "c", "d", "e", "Other..."], ["a", "b", "c", "d", "e"]),
    ],
)
def test_an_authored_other_is_folded_into_the_one_we_add(
    options: list[str], kept: list[str]
) -> None:
    """The 2 to 6 are counted before; ids number what is left."""
    (field,) = read({"question": "x", "options": options}, Defaults()).question.fields
    assert field.options == tuple(
        Option(id=f"o{number}", label=label) for number, label in enumerate(kept, 1)
    )
    assert field.write_in


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({"options": ["a", "b"]}, [("question", "missing")]),
        ({"question": "x", "options": ["a"]}, [("options", "too_few")]),
        ({"question": "x", "options": list("abcdefg")}, [("options", "too_many")]),
        ({"question": "x", "options": [*"abcdef", "Other"]}, [("options", "too_many")]),
        ({"question": "x", "options": ["Other", "other..."]}, [("options", "only_other")]),
        ({"question": "x", "options": ["a", "A"]}, [("options[1]", "duplicate")]),
        ({"question": "x", "options": ["a", "\u041ether"]}, [("options[1]", "look_alike")]),
        (
            {"question": "How?", "options": [{"label": "systemd", "key": "s"}, "manual"]},
            [("options[0]", "wrong_type")],
        ),
        ({"question": "x", "choices": ["a", "b"]}, [("choices", "unknown")]),
    ],
)
def test_a_call_that_does_not_fit_is_refused_with_every_fault(
    arguments: object, faults: list[tuple[str, str]]
) -> None:
    """AC-01: an object is never shown as its source."""
    assert faults_of(arguments) == faults


def test_only_other_is_refused_with_the_way_out() -> None:
    """The model is told to ask free-form."""
    with pytest.raises(InvalidQuestion, match="leave options out to ask free-form"):
        read({"question": "x", "options": ["Other", "OTHER"]}, Defaults())


@pytest.mark.parametrize(
    ("arguments", "picked", "told"),
    [
        (SEGMENTS, Picked(("o2",)), {"answer": "Mid-market", "option_id": "o2"}),
        (SEGMENTS, Picked((), "SMB first"), {"answer": "SMB first", "option_id": "other"}),
        ({"question": "Why?"}, "Because.", {"answer": "Because."}),
    ],
)
def test_the_agent_reads_the_answer_and_the_option_of_a_choice(
    arguments: dict[str, Any], picked: Any, told: dict[str, str]
) -> None:
    """`option_id` for multiple choice only."""
    outcome = Outcome(status=Status.ANSWERED, values=to_json({"answer": picked}))
    assert result(record_of(asked(arguments), outcome)) == told


def test_the_agent_reads_that_its_ask_was_withdrawn() -> None:
    """The run goes on."""
    outcome = Outcome(status=Status.CANCELLED, reason="withdrawn")
    assert result(record_of(asked(SEGMENTS), outcome)) == {"error": "withdrawn"}


def test_a_run_that_asks_nobody_reads_so_at_once() -> None:
    """AC-13: skipped by its own judgment, or no human in the loop."""
    skipped = {"skipped": True, "reason": "on_question_auto"}
    assert RULES.not_asked(OnQuestion.AUTO) == skipped
    assert RULES.not_asked(OnQuestion.NONE) == {"error": "no_human_in_loop"}


def bare(*, write_in: bool = True) -> Ask:
    """The same choice straight on the model, without a contract."""
    options = tuple(Option(id=f"o{n}", label=label) for n, label in enumerate("abc", 1))
    field = Field(name="pick", kind=Kind.CHOICE, options=options, write_in=write_in, required=True)
    question = Question(prompt="Which?", fields=(field,))
    return asked(SEGMENTS).model_copy(update={"contract": None, "question": question})


@pytest.mark.parametrize("ask", [asked(SEGMENTS), bare()], ids=["contract", "bare"])
@pytest.mark.parametrize(
    ("body", "problems"),
    [
        ({"kind": "multiple_choice", "option_id": "o9"}, [("option_id", "not_an_option")]),
        ({"kind": "multiple_choice"}, [("option_id", "not_an_option")]),
        ({"kind": "multiple_choice", "option_id": ["o1"]}, [("option_id", "not_an_option")]),
        ({"kind": "multiple_choice", "option_id": "other"}, [("other_text", "missing")]),
        (
            {"kind": "multiple_choice", "option_id": "other", "other_text": " \u200b"},
            [("other_text", "missing")],
        ),
        (
            {"kind": "multiple_choice", "option_id": "other", "other_text": "x" * 20_000},
            [("other_text", "too_long")],
        ),
        (
            {"kind": "multiple_choice", "option_id": "o1", "other_text": "x"},
            [("other_text", "not_for_option")],
        ),
        (
            {"kind": "free_form", "text": "Enterprise"},
            [("text", "unknown_field"), ("kind", "wrong_kind"), ("option_id", "not_an_option")],
        ),
        ({}, [("kind", "wrong_kind"), ("option_id", "not_an_option")]),
        ("o1", [("", "wrong_type")]),
    ],
)
def test_an_input_outside_the_schema_is_refused(
    ask: Ask, body: object, problems: list[tuple[str, str]]
) -> None:
    """AC-05: the run stays paused for a corrected answer."""
    with pytest.raises(InvalidAnswer) as refused:
        read_input(ask, body)
    assert [(p.path, p.code) for p in refused.value.problems] == problems


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ({"kind": "multiple_choice", "option_id": "o1"}, Picked(("o1",))),
        (
            {"kind": "multiple_choice", "option_id": "other", "other_text": "SMB first, actually"},
            Picked((), "SMB first, actually"),
        ),
    ],
)
def test_an_input_as_the_original_shows_it_is_taken(body: object, values: Picked) -> None:
    """With a contract and on the bare model."""
    assert read_input(asked(SEGMENTS), body) == {"answer": values}
    assert read_input(bare(), body) == {"pick": values}


def test_other_is_no_option_where_own_words_are_not_allowed() -> None:
    """A bare choice without a write-in has no `other`."""
    other = {"kind": "multiple_choice", "option_id": "other", "other_text": "x"}
    with pytest.raises(InvalidAnswer):
        read_input(bare(write_in=False), other)


@pytest.mark.parametrize("text", ["", "  ", "x" * 4_001, None, 5])
def test_free_form_is_text_of_at_most_4000_characters(text: object) -> None:
    """Empty text is refused, as is one character too many."""
    ask = asked({"question": "Why?"})
    with pytest.raises(InvalidAnswer) as refused:
        read_input(ask, {"kind": "free_form", "text": text})
    assert [problem.path for problem in refused.value.problems] == ["text"]
    longest = "x" * 4_000
    assert read_input(ask, {"kind": "free_form", "text": longest}) == {"answer": longest}


def test_own_words_are_capped_at_4000_characters() -> None:
    """The write-in too, with the number told."""
    body = {"kind": "multiple_choice", "option_id": "other", "other_text": "x" * 4_001}
    with pytest.raises(InvalidAnswer) as refused:
        read_input(asked(SEGMENTS), body)
    assert [(p.code, p.limit) for p in refused.value.problems] == [("too_long", 4_000)]


def test_the_schema_says_what_is_taken() -> None:
    """As it is read off the paused run."""
    schema = pending_input_schema(asked(SEGMENTS))
    assert schema["oneOf"][0]["properties"]["option_id"]["oneOf"] == [
        {"const": "o1", "title": "Enterprise"},
        {"const": "o2", "title": "Mid-market"},
    ]
    assert schema["oneOf"][1]["required"] == ["kind", "option_id", "other_text"]
    free = pending_input_schema(asked({"question": "Why?"}))
    assert free["properties"]["text"]["maxLength"] == 4_000
