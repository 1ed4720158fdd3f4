"""`oz.ask_user`, to the letter of its original."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.answer import Picked, as_text, from_plain, to_json
from gateway.ask import Ask, AskRecord, Contract, OnQuestion, OnTimeout, Outcome, Status
from gateway.contracts import Defaults, result, rules_of_tool
from gateway.contracts.oz_ask_user import RULES, input_context, read
from gateway.errors import InvalidQuestion
from gateway.question import Field, Kind, Option, Question
from tests.strategies import any_text, oz_calls, record_of

EXAMPLE = {
    "question": "When should I send the report, and how many copies?",
    "fields": [
        {"name": "on", "kind": "date", "label": "Send on", "required": True},
        {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
    ],
}


def asked(arguments: dict[str, Any], timeout_s: int = 14_400) -> Ask:
    """The ask a call opens in a run whose agent waits 4 hours."""
    found = read(arguments, Defaults(timeout_s))
    return Ask(
        id="a-75eaf712473f",
        run_id="job-0a9dc2d1-75ea-4f71-8000-000000000000",
        tenant="acme",
        agent="asker",
        contract=Contract.OZ_ASK_USER,
        call_id="call-1",
        question=found.question,
        timeout_s=found.timeout_s,
    )


def answered(ask: Ask, answer: object) -> AskRecord:
    """The ask, answered so."""
    values = to_json(from_plain(ask.question, answer))
    return record_of(ask, Outcome(status=Status.ANSWERED, values=values, by="user:kevin"))


def faults_of(arguments: object) -> list[tuple[str, str]]:
    """Path and code of every fault of a call."""
    with pytest.raises(InvalidQuestion) as refused:
        read(arguments, Defaults())
    return [(problem.path, problem.code) for problem in refused.value.problems]


def test_a_question_alone_is_answered_in_words() -> None:
    """One required text."""
    found = read({"question": "Which branch?"}, Defaults())
    field = Field(name="answer", kind=Kind.TEXT, required=True)
    assert found.question == Question(prompt="Which branch?", fields=(field,))


def test_choices_are_one_required_pick_without_a_write_in() -> None:
    """Options are numbered from `o1` in their order."""
    found = read({"question": "Which colour?", "choices": ["red", "blue"]}, Defaults())
    options = (Option(id="o1", label="red"), Option(id="o2", label="blue"))
    field = Field(name="answer", kind=Kind.CHOICE, required=True, options=options)
    assert found.question == Question(prompt="Which colour?", fields=(field,))


@given(oz_calls())
def test_a_valid_call_reads_back_as_it_was_made(call: dict[str, Any]) -> None:
    """Nothing of what the agent asked is lost or changed."""
    question = read(call, Defaults()).question
    context = input_context(question)
    for field in call.get("fields", []):
        for key in [key for key, value in field.items() if value is False]:
            del field[key]
    assert context == call


def test_the_wait_is_the_runs_or_a_day() -> None:
    """`ask_user.timeout` of the agent's file; 24 h when unset."""
    unset = read({"question": "?!x"}, Defaults())
    assert (unset.timeout_s, unset.on_timeout) == (86_400, OnTimeout.CONTINUE)
    own = read({"question": "?!x"}, Defaults(14_400, OnTimeout.FAIL))
    assert (own.timeout_s, own.on_timeout) == (14_400, OnTimeout.FAIL)


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        (None, [("", "wrong_type")]),
        ([], [("", "wrong_type")]),
        ({}, [("question", "missing")]),
        ({"question": ""}, [("question", "empty")]),
        ({"question": " \u200b\n"}, [("question", "empty")]),
        ({"question": 7}, [("question", "wrong_type")]),
        ({"question": "x" * 8_001}, [("question", "too_long")]),
        ({"question": "\ud800"}, [("question", "not_text")]),
        ({"question": "a\0b"}, [("question", "not_text")]),
        ({"question": "x", "choices": ["a", "b\0"]}, [("choices[1]", "not_text")]),
        ({"question": " " * 8_000 + "x"}, [("question", "too_long")]),
        ({"question": "x", "colour": 1}, [("colour", "unknown")]),
        ({"question": "x", "choices": "red"}, [("choices", "wrong_type")]),
        ({"question": "x", "choices": None}, [("choices", "wrong_type")]),
        ({"question": "x", "choices": []}, [("choices", "too_few")]),
        ({"question": "x", "choices": ["a", 1]}, [("choices[1]", "wrong_type")]),
        ({"question": "x", "choices": ["a", " "]}, [("choices[1]", "empty")]),
        ({"question": "x", "choices": ["a", "a"]}, [("choices[1]", "duplicate")]),
        ({"question": "x", "choices": ["a", " Ａ"]}, [("choices[1]", "duplicate")]),
        ({"question": "x", "choices": ["x" * 2_001]}, [("choices[0]", "too_long")]),
        ({"question": "x", "choices": [str(n) for n in range(101)]}, [("choices", "too_many")]),
        (
            {"question": "x", "choices": ["a"], "fields": EXAMPLE["fields"]},
            [("fields", "not_both")],
        ),
        (
            {"question": "", "choices": ["a", "A"], "fields": [{"name": "A"}], "x": 1},
            [
                ("x", "unknown"),
                ("question", "empty"),
                ("choices[1]", "duplicate"),
                ("fields[0].kind", "missing"),
                ("fields[0].name", "bad_name"),
                ("fields", "not_both"),
            ],
        ),
    ],
)
def test_a_call_that_does_not_fit_is_refused_with_every_fault(
    arguments: object, faults: list[tuple[str, str]]
) -> None:
    """AC-04, AC-07: the model mends a call once."""
    assert faults_of(arguments) == faults


def test_bounds_themselves_are_taken() -> None:
    """8,000 characters, 100 choices, 2,000 characters each, blanks around them aside."""
    choices = [f"{number} {'x' * 1_995}" for number in range(1_000, 1_099)]
    padded = " " + "y" * 2_000 + " "
    question = read({"question": "x" * 8_000, "choices": [*choices, padded]}, Defaults()).question
    assert [option.label for option in question.fields[0].options] == [*choices, padded]


def test_a_look_alike_is_refused_naming_both_and_the_foreign_letter() -> None:
    """SE-10: so that the model can see what it cannot see."""
    with pytest.raises(InvalidQuestion) as refused:
        read({"question": "Which host?", "choices": ["Delete", "D\u0435lete"]}, Defaults())
    (problem,) = refused.value.problems
    assert (problem.path, problem.code) == ("choices[1]", "look_alike")
    assert problem.message == (
        "Looks like choices[0] but is written with U+0435 (CYRILLIC SMALL LETTER IE)."
    )


def test_the_old_name_is_the_same_tool() -> None:
    """`oz.ask_human` still works."""
    names = ("oz__ask_user", "oz.ask_user", "oz.ask_human", "oz__ask_human")
    assert {rules_of_tool(name) for name in names} == {RULES}
    assert (RULES.tool()["name"], RULES.one_at_a_time, RULES.main_runs_only) == (
        "oz__ask_user",
        False,
        False,
    )


@pytest.mark.parametrize(
    ("arguments", "answer", "read_as"),
    [
        ({"question": "x", "choices": ["red", "blue"]}, "blue", "The answer: blue"),
        ({"question": "x"}, "Malmö,\nnow", "The answer: Malmö,\nnow"),
        (
            EXAMPLE,
            {"copies": 2, "on": "2026-10-20"},
            'The answer: {"on": "2026-10-20", "copies": 2}',
        ),
        (EXAMPLE, {"on": "2026-10-20"}, 'The answer: {"on": "2026-10-20"}'),
        (
            {"question": "x", "fields": [{"name": "answer", "kind": "text", "required": True}]},
            {"answer": "東"},
            'The answer: {"answer": "東"}',
        ),
        (
            {
                "question": "x",
                "fields": [{"name": "t", "kind": "multi-choice", "options": ["b", "a"]}],
            },
            {"t": ["a", "b"]},
            'The answer: {"t": ["b", "a"]}',
        ),
    ],
)
def test_the_agent_reads_the_answer(
    arguments: dict[str, Any], answer: object, read_as: str
) -> None:
    """Words as they are; fields as JSON in their order."""
    assert result(answered(asked(arguments), answer)) == read_as


@pytest.mark.parametrize(
    ("reason", "read_as"),
    [
        ("ask Ana", "user:kevin declined to answer: ask Ana."),
        ("ask Ana.", "user:kevin declined to answer: ask Ana."),
        (" ask Ana... ", "user:kevin declined to answer: ask Ana."),
        ("問い合わせ。", "user:kevin declined to answer: 問い合わせ."),
        (None, "user:kevin declined to answer."),
        ("", "user:kevin declined to answer."),
        (" . ", "user:kevin declined to answer."),
    ],
)
def test_the_agent_reads_who_declined_and_why(reason: str | None, read_as: str) -> None:
    """One full stop after a reason, never two."""
    outcome = Outcome(status=Status.DECLINED, reason=reason, by="user:kevin")
    assert result(record_of(asked({"question": "x"}), outcome)) == read_as


@given(any_text())
def test_a_reason_ends_in_one_full_stop(reason: str) -> None:
    """Whatever was written."""
    outcome = Outcome(status=Status.DECLINED, reason=reason.replace("\ud800", ""), by="user:kevin")
    read_as = str(result(record_of(asked({"question": "x"}), outcome)))
    assert read_as.endswith(".")
    assert not read_as.endswith("..")


@pytest.mark.parametrize(
    ("seconds", "read_as"),
    [
        (14_400, "Nobody answered within 4:00:00."),
        (86_400, "Nobody answered within 1 day, 0:00:00."),
        (90, "Nobody answered within 0:01:30."),
    ],
)
def test_the_agent_reads_how_long_nobody_answered(seconds: int, read_as: str) -> None:
    """Durations as the original shows them."""
    record = record_of(asked({"question": "x"}, seconds), Outcome(status=Status.EXPIRED))
    assert result(record) == read_as


def test_the_agent_reads_that_the_question_was_withdrawn() -> None:
    """The ask is gone, the run goes on."""
    outcome = Outcome(status=Status.CANCELLED, reason="duplicate")
    assert result(record_of(asked({"question": "x"}), outcome)) == "The question was withdrawn."


def test_a_waiting_question_has_no_result() -> None:
    """Silence is never an answer."""
    with pytest.raises(ValueError, match="still waits"):
        result(record_of(asked({"question": "x"})))


def test_a_run_that_asks_nobody_reads_why() -> None:
    """AC-13: under `auto` it is told to state its assumption."""
    assert RULES.not_asked(OnQuestion.AUTO) == (
        "No person was asked: this run goes on by its own judgment (on_question is auto). "
        "Decide by your best judgment, and state the assumption you made."
    )
    assert RULES.not_asked(OnQuestion.NONE) == (
        "No person was asked: nobody is there to answer for this run (on_question is none)."
    )


@given(oz_calls(), st.data())
def test_an_input_is_the_values_by_name(call: dict[str, Any], data: st.DataObject) -> None:
    """`resume` takes what the agent will read, under the fields' names."""
    ask = asked(call)
    if ask.question.answer_field is None:
        return
    options = ask.question.answer_field.options
    given_answer = data.draw(st.sampled_from([o.label for o in options] or ["words of mine"]))
    values = RULES.read_input(ask.question, {"answer": given_answer}, None)
    assert as_text(ask.question, values) == given_answer
    assert isinstance(values["answer"], Picked) is bool(options)
