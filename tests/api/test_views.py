"""The content filter as a property: for any ask, whoever may not see it reads nothing of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gateway.answer import Picked, to_json
from gateway.api import views
from gateway.ask import AskKind, AskRecord, Outcome, Run, RunRecord, RunStatus, Status
from gateway.broker import Standing
from gateway.contracts import result
from gateway.epoch import to_ms
from gateway.person import Caller, Role
from gateway.store import Event, EventType
from tests.strategies import answers_to, approval, asks, record_of

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn
    from pydantic import BaseModel

    from gateway.answer import Value

MARK = "\u2020"
"""Stands in every text of the asks below, and in nothing else that is told."""

NOW = datetime(2026, 10, 20, 9, tzinfo=UTC)
BLIND = Caller(tenant="t", role=Role.OPERATOR, name="operator:blind")
SEEING = Caller(tenant="t", role=Role.OPERATOR, name="operator:seeing", content=True)


def marked(value: Any) -> Any:
    """The same with the mark in each text that an agent or a person wrote."""
    match value:
        case str():
            return MARK + value
        case dict():
            kept = ("id", "name", "kind")
            return {k: v if k in kept else marked(v) for k, v in value.items()}
        case list() | tuple():
            return [marked(part) for part in value]
    return value


def own(value: Value) -> Value:
    """An answer's value with the mark in a person's own words."""
    match value:
        case str():
            return MARK + value
        case Picked(options, str(words)):
            return Picked(options, MARK + words)
    return value


@st.composite
def records(draw: DrawFn) -> AskRecord:
    """An ask in any state, its prompt, labels, descriptions and words marked."""
    ask = draw(asks() | st.just(approval()))
    question = ask.question.model_validate(marked(ask.question.model_dump(mode="json")))
    ask = ask.model_copy(update={"question": question, "call_id": MARK + ask.call_id})
    status = draw(st.sampled_from(Status))
    if status is Status.PENDING:
        return record_of(ask)
    values: dict[str, Any] | None = None
    if status is Status.ANSWERED:
        values = {"approved": True}
        if ask.kind is AskKind.QUESTION:
            taken = {name: own(value) for name, value in draw(answers_to(question)).items()}
            values = to_json(taken)
    outcome = Outcome(status=status, values=values, reason=MARK, by="user:kevin", name="Kevin")
    return record_of(ask, outcome)


def everything(record: AskRecord, caller: Caller) -> list[BaseModel | None]:
    """Every shape that tells of an ask."""
    ask = record.ask
    waits = (ask.id,) if record.pending else ()
    run = Run(id=ask.run_id, tenant=ask.tenant, agent=ask.agent)
    known = RunRecord(run, RunStatus.RUNNING, NOW, waits, error=MARK)
    told = None if record.pending else result(record)
    kinds = [EventType.ASK_OPENED, EventType.CHILD_NEEDS_HUMAN, EventType(f"ask.{_end(record)}")]
    at_ms = to_ms(NOW)
    events = [Event("1-0", kind, ask.run_id, ask.id, at_ms, ask.tenant, "job") for kind in kinds]
    return [
        views.ask_view(record, caller),
        views.outcome_view(record, caller),
        views.standing_view(Standing(record, told), caller),
        views.run_view(known, caller),
        views.agent_run_view(known, record, caller, record),
        views.approval_view(record, caller),
        views.chat_view(known, [record], caller),
        *(views.event_view(event, record, caller) for event in events),
    ]


def _end(record: AskRecord) -> str:
    return "cancelled" if record.pending else record.status.value


def text_of(shape: BaseModel | None) -> str:
    """As it goes out."""
    told = None if shape is None else shape.model_dump(mode="json", exclude_unset=True)
    return json.dumps(told, ensure_ascii=False)


@settings(max_examples=60)
@given(records())
def test_without_content_no_word_is_told(record: AskRecord) -> None:
    """Not in any shape, for any question and any ending."""
    for shape in everything(record, BLIND):
        assert MARK not in text_of(shape)


@settings(max_examples=60)
@given(records())
def test_another_agents_token_is_told_no_word_either(record: AskRecord) -> None:
    """An agent sees what its own agent asked."""
    other = Caller(tenant="t", role=Role.AGENT, name="agent:x", agent=f"{record.ask.agent}x")
    own = Caller(tenant="t", role=Role.AGENT, name="agent:x", agent=record.ask.agent)
    assert not [shape for shape in everything(record, other) if MARK in text_of(shape)]
    assert MARK in text_of(views.ask_view(record, own))


@settings(max_examples=60)
@given(records())
def test_with_content_the_whole_question_is_told(record: AskRecord) -> None:
    """Every prompt, label and description of it."""
    text = text_of(views.ask_view(record, SEEING))
    question = record.ask.question
    words: list[str | None] = [question.prompt]
    for field in question.fields:
        words += [field.label, field.description]
        words += [option.label for option in field.options]
    for word in words:
        assert word is None or json.dumps(word, ensure_ascii=False) in text
