"""Asks without a tool, and approvals."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from gateway.answer import Picked, to_json
from gateway.ask import Outcome, Status
from gateway.contracts import check_question, result
from gateway.errors import InvalidQuestion
from gateway.question import Field, Kind, Option, Question
from tests.strategies import approval, questions, record_of


def choice(*options: Option, **attributes: Any) -> Field:
    """A choice of these options."""
    return Field(name="pick", kind=Kind.CHOICE, options=options, **attributes)


@given(questions())
def test_a_valid_question_passes(question: Question) -> None:
    """Held to what contracts hold theirs to, and no more."""
    check_question(question)


@pytest.mark.parametrize(
    ("question", "faults"),
    [
        (Question(prompt=" "), [("question", "empty")]),
        (Question(prompt="x" * 8_001), [("question", "too_long")]),
        (
            Question(prompt="x", fields=(choice(),)),
            [("fields[0].options", "too_few")],
        ),
        (
            Question(
                prompt="x",
                fields=(choice(Option(id="o1", label="a"), Option(id="o1", label="A")),),
            ),
            [("fields[0].options[1]", "duplicate"), ("fields[0].options", "bad_ids")],
        ),
        (
            Question(prompt="x", fields=(choice(Option(id="other", label="a")),)),
            [("fields[0].options", "bad_ids")],
        ),
        (
            Question(prompt="x", fields=(Field(name="a", kind=Kind.TEXT, write_in=True),)),
            [("fields[0].write_in", "not_for_kind")],
        ),
    ],
)
def test_a_faulty_question_is_refused_with_every_fault(
    question: Question, faults: list[tuple[str, str]]
) -> None:
    """Nothing reaches people that a contract would have refused."""
    with pytest.raises(InvalidQuestion) as refused:
        check_question(question)
    assert [(problem.path, problem.code) for problem in refused.value.problems] == faults


def test_several_questions_at_once_need_no_prompt() -> None:
    """Each field's description is its question."""
    fields = tuple(Field(name=name, kind=Kind.TEXT, description="?!x") for name in "ab")
    check_question(Question(prompt="", fields=fields))


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (
            Outcome(
                status=Status.ANSWERED,
                values={"approved": True},
                reason="go ahead",
                by="operator:admin",
            ),
            {
                "status": "answered",
                "approved": True,
                "by": "operator:admin",
                "reason": "go ahead",
            },
        ),
        (
            Outcome(status=Status.DECLINED, by="user:kevin"),
            {"status": "declined", "approved": False, "by": "user:kevin"},
        ),
        (Outcome(status=Status.EXPIRED), {"status": "expired"}),
        (
            Outcome(status=Status.CANCELLED, reason="the run ended"),
            {"status": "cancelled", "reason": "the run ended"},
        ),
    ],
)
def test_an_approval_tells_whether_who_and_why(outcome: Outcome, told: dict[str, Any]) -> None:
    """Silence is neither approved nor denied."""
    assert result(record_of(approval(), outcome)) == told


def test_a_direct_question_tells_its_values_by_name() -> None:
    """As readers see them."""
    question = Question(prompt="x", fields=(choice(Option(id="o1", label="red")),))
    ask = approval().model_copy(update={"question": question, "kind": "question"})
    values = to_json({"pick": Picked(("o1",))})
    outcome = Outcome(status=Status.ANSWERED, values=values, by="user:kevin")
    assert result(record_of(ask, outcome)) == {
        "status": "answered",
        "answers": {"pick": "red"},
        "by": "user:kevin",
    }
    with pytest.raises(ValueError, match="still waits"):
        result(record_of(ask))
