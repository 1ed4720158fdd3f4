"""Who may see what: the one place where values become shapes, with content or without. Pure.

Everything the API tells of asks and runs goes through here; what is not set does not appear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from gateway.answer import from_json, plain
from gateway.api import shapes
from gateway.ask import AskKind, OnQuestion, RunStatus, Status
from gateway.broker import QUESTION_TIMED_OUT, RUN_DEADLINE_PASSED
from gateway.contracts import pending_input_context, pending_input_schema
from gateway.contracts import result as result_of
from gateway.people import may_see
from gateway.person import Role
from gateway.question import Kind
from gateway.store import ENDINGS, EventType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gateway.ask import AskRecord, Run, RunRecord
    from gateway.broker import Standing
    from gateway.ladder import Rung
    from gateway.person import Caller
    from gateway.posts import Post
    from gateway.question import Field, Question
    from gateway.store import Event

OUR_REASONS = frozenset({QUESTION_TIMED_OUT, RUN_DEADLINE_PASSED})
"""Why a run ended, in our own words; others' words are content."""

_OF_KIND: dict[Kind, tuple[str, ...]] = {
    Kind.TEXT: ("max_length", "multiline"),
    Kind.NUMBER: ("min", "max", "integer"),
    Kind.CHOICE: ("write_in",),
    Kind.MULTI_CHOICE: ("write_in",),
    Kind.DATE: ("date_time",),
    Kind.TOGGLE: (),
}


def sees_run(caller: Caller, run: Run) -> bool:
    """Whether they see what an agent wrote about its run."""
    return caller.content or (caller.role is Role.AGENT and caller.agent == run.agent)


def ask_view(record: AskRecord, caller: Caller) -> shapes.AskShape:
    ask, question = record.ask, record.ask.question
    sees = may_see(caller, ask)
    content: dict[str, Any] = {}
    if sees:
        content = {
            "shape": _shape(ask.kind, question),
            "prompt": question.prompt,
            "fields": tuple(_form_field(field) for field in question.fields),
            "call_id": ask.call_id,
        }
    return shapes.AskShape(
        id=ask.id,
        run_id=ask.run_id,
        agent=ask.agent,
        tenant=ask.tenant,
        kind=ask.kind,
        contract=ask.contract,
        parent=ask.parent,
        status=record.status,
        opened_at=record.opened_at,
        deadline=record.deadline,
        timeout_s=ask.timeout_s,
        on_timeout=ask.on_timeout,
        can_decline=ask.can_decline,
        can_skip=ask.can_skip,
        audience=ask.audience,
        may_see_content=sees,
        outcome=outcome_view(record, caller),
        **content,
    )


def where_view(posts: Mapping[str, Post]) -> tuple[shapes.PostShape, ...]:
    """The posts of an ask, without anything of what they say."""
    return tuple(
        shapes.PostShape(place=place, state=post.state, reason=post.reason or None)
        for place, post in sorted(posts.items())
    )


def outcome_view(record: AskRecord, caller: Caller) -> shapes.OutcomeShape | None:
    """How it ended; None while it waits."""
    outcome = record.outcome
    if outcome is None:
        return None
    content: dict[str, Any] = {}
    if may_see(caller, record.ask):
        if outcome.reason is not None:
            content["reason"] = outcome.reason
        if outcome.status is Status.ANSWERED and record.ask.kind is AskKind.QUESTION:
            content["answer"] = _answer(record.ask.question, outcome.values or {})
    return shapes.OutcomeShape(
        id=record.outcome_id,
        status=outcome.status,
        at=record.settled_at,
        by=outcome.by,
        name=outcome.name,
        surface=outcome.surface,
        skipped=outcome.skipped,
        **content,
    )


def standing_view(standing: Standing, caller: Caller) -> shapes.StandingShape:
    record = standing.record
    if record is None:
        return shapes.StandingShape(ask=None, status="not_asked", result=standing.result)
    content: dict[str, Any] = {}
    if standing.result is not None and may_see(caller, record.ask):
        content["result"] = standing.result
    return shapes.StandingShape(ask=ask_view(record, caller), status=record.status, **content)


def run_view(record: RunRecord, caller: Caller) -> shapes.RunShape:
    run, content = record.run, dict[str, Any]()
    if record.error is not None and (record.error in OUR_REASONS or sees_run(caller, run)):
        content["error"] = record.error
    return shapes.RunShape(
        id=run.id,
        tenant=run.tenant,
        agent=run.agent,
        parent=run.parent,
        conversation=run.conversation,
        tags=run.tags,
        status=record.shown_status,
        on_question=run.on_question,
        on_timeout=run.on_timeout,
        timeout_s=run.timeout_s,
        deadline=run.deadline,
        ladder=None if run.ladder is None else tuple(map(_rung, run.ladder)),
        # The rest of the address may hold a secret of the receiver's.
        webhook_host=urlsplit(run.webhook.url).hostname if run.webhook else None,
        created_at=record.created_at,
        ended_at=record.ended_at,
        pending=record.pending,
        **content,
    )


def agent_run_view(
    record: RunRecord, oldest: AskRecord | None, caller: Caller, ask: AskRecord | None = None
) -> shapes.AgentRunShape:
    """`oldest` is what it waits for; `ask` one that was just answered."""
    kind: Literal["ask_human", "approval"] | None = None
    content: dict[str, Any] = {}
    if oldest is not None:
        is_question = oldest.ask.kind is AskKind.QUESTION
        kind = "ask_human" if is_question else "approval"
        if may_see(caller, oldest.ask):
            content["pending_input_context"] = pending_input_context(oldest.ask)
            if is_question:
                content["pending_input_schema"] = pending_input_schema(oldest.ask)
    if ask is not None:
        content["ask"] = ask_view(ask, caller)
    return shapes.AgentRunShape(
        run_id=record.run.id,
        agent=record.run.agent,
        status=record.shown_status,
        pending=record.pending,
        pending_input_type=kind,
        **content,
    )


def approval_view(record: AskRecord, caller: Caller) -> shapes.Approval:
    ask = record.ask
    return shapes.Approval(
        id=ask.id,
        run_id=ask.run_id,
        agent=ask.agent,
        opened_at=record.opened_at,
        audience=ask.audience,
        **_asking(record, caller),
    )


def chat_view(run: RunRecord, pending: Sequence[AskRecord], caller: Caller) -> shapes.ChatShape:
    requests = tuple(
        shapes.ChatRequest(
            ask_id=record.ask.id,
            run_id=record.ask.run_id,
            agent=record.ask.agent,
            opened_at=record.opened_at,
            **_asking(record, caller),
        )
        for record in pending
    )
    return shapes.ChatShape(
        run_id=run.run.id,
        agent=run.run.agent,
        conversation=run.run.conversation,
        status=run.shown_status,
        requests=requests,
    )


def event_view(event: Event, record: AskRecord | None, caller: Caller) -> shapes.EventShape:
    """`record` is the event's ask, None where there is none or it is not the caller's to know."""
    told: dict[str, Any] = {} if event.ask_id is None else {"ask_id": event.ask_id}
    match event.type:
        case EventType.RUN_ENDED:
            told["status"] = RunStatus(event.note)
        case EventType.ASK_NOT_ASKED:
            told["mode"] = OnQuestion(event.note)
        case EventType.ASK_REFUSED:
            told["by"] = event.note
        case EventType.WAITING | EventType.ESCALATED:
            told["to"] = event.note
        case EventType.CHILD_NEEDS_HUMAN:
            told |= {"child_run_id": event.note, "timestamp": event.at}
    if record is not None:
        told |= _of_ask(event, record, caller)
    return shapes.EventShape(id=event.id, type=event.type, run_id=event.run_id, at=event.at, **told)


def _of_ask(event: Event, record: AskRecord, caller: Caller) -> dict[str, Any]:
    if event.type in (EventType.ASK_OPENED, EventType.CHILD_NEEDS_HUMAN):
        question = shapes.FeedQuestion(
            ask_id=record.ask.id, tool=record.ask.contract, **_asking(record, caller)
        )
        return {"question": question}
    if event.type in ENDINGS and not record.pending:
        told: dict[str, Any] = {"outcome": outcome_view(record, caller)}
        if may_see(caller, record.ask):
            told["result"] = result_of(record)
        return told
    return {}


def _asking(record: AskRecord, caller: Caller) -> dict[str, Any]:
    """The part that inbox, feed and chat share."""
    ask, question = record.ask, record.ask.question
    told: dict[str, Any] = {
        "kind": ask.kind,
        "deadline": record.deadline,
        "can_decline": ask.can_decline,
        "can_skip": ask.can_skip,
    }
    if not may_see(caller, ask):
        return told
    told["details"] = question.prompt
    field = question.answer_field
    if field is not None and field.kind is Kind.CHOICE:
        told |= {"choices": tuple(o.label for o in field.options), "write_in": field.write_in}
    elif question.fields and (field is None or field.kind is not Kind.TEXT):
        told["fields"] = tuple(_form_field(field) for field in question.fields)
    return told


def _shape(kind: AskKind, question: Question) -> Kind | Literal["fields", "approval"]:
    if kind is AskKind.APPROVAL:
        return "approval"
    return question.answer_field.kind if question.answer_field else "fields"


def _form_field(field: Field) -> shapes.FormField:
    told: dict[str, Any] = {key: getattr(field, key) for key in _OF_KIND[field.kind]}
    told = {key: value for key, value in told.items() if value is not None}
    told |= _told(field.description)
    if field.label is not None:
        told["label"] = field.label
    if field.is_choice:
        told["options"] = tuple(
            shapes.OptionShape(id=option.id, label=option.label, **_told(option.description))
            for option in field.options
        )
    return shapes.FormField(name=field.name, kind=field.kind, required=field.required, **told)


def _told(description: str | None) -> dict[str, str]:
    return {} if description is None else {"description": description}


def _rung(rung: Rung) -> shapes.RungShape:
    return shapes.RungShape(
        share=rung.share,
        after_s=rung.after_s,
        to=rung.to,
        person=rung.person,
        event=rung.event,
    )


def _answer(question: Question, stored: dict[str, Any]) -> Any:
    """As agents read it: the one value, or an object of values."""
    values = plain(question, from_json(question, stored))
    return values.get(question.answer_field.name) if question.answer_field else values
