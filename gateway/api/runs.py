"""Runs: created once, read, ended; their history, and what a chat with one waits for."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid4, uuid5

from gateway.api.endpoints import Call, reply
from gateway.api.limits import AT_ONCE
from gateway.api.shapes import EventShape, History
from gateway.api.views import chat_view, event_view, run_view
from gateway.ask import Run, RunStatus, Webhook
from gateway.errors import BadRequest, NotFound, Problem
from gateway.ladder import Audience, Rung
from gateway.person import Role
from gateway.webhook import check_webhook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aiohttp import web

    from gateway.api.bodies import EndBody, Nothing, RunBody, RungBody
    from gateway.api.parts import Parts
    from gateway.ask import AskRecord
    from gateway.person import Caller
    from gateway.store import Event


async def create_run(call: Call[Nothing, RunBody]) -> web.StreamResponse:
    """Creates a run. The same id with the same values is the same run."""
    run = _run(call)
    there = await call.parts.store.read_run(run.id) if _named(call) else None
    if there is not None:
        # A token made anew since then must not keep a crashed caller from its own run.
        run = run.model_copy(update={"token_id": there.run.token_id})
    record = await call.parts.broker.create_run(call.caller, run)
    return reply(200 if there else 201, run_view(record, call.caller))


async def read_run(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """Reads a run."""
    record = await call.parts.broker.run(call.caller, call.run_id)
    return reply(200, run_view(record, call.caller))


async def end_run(call: Call[Nothing, EndBody]) -> web.StreamResponse:
    """Ends a run, and cancels what it waits for. Ending it again changes nothing."""
    record = await call.parts.broker.end_run(
        call.caller, call.run_id, RunStatus(call.body.status), call.body.reason
    )
    return reply(200, run_view(record, call.caller))


async def read_history(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """Everything that happened to a run so far, in order."""
    events = await call.parts.broker.history(call.caller, call.run_id)
    return reply(200, History(events=await tell(call.parts, call.caller, events)))


async def read_chat(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """What a chat with this run waits for, oldest first, as a client draws it."""
    record = await call.parts.broker.run(call.caller, call.run_id)
    pending = await pending_of(call.parts, call.caller, record.pending)
    return reply(200, chat_view(record, pending, call.caller))


async def tell(parts: Parts, caller: Caller, events: Sequence[Event]) -> tuple[EventShape, ...]:
    """The events as that caller may see them."""
    ids = list(dict.fromkeys(event.ask_id for event in events if event.ask_id))
    records = {record.ask.id: record for record in await read_asks(parts, caller, ids)}
    return tuple(event_view(event, records.get(event.ask_id or ""), caller) for event in events)


async def pending_of(parts: Parts, caller: Caller, ids: Sequence[str]) -> list[AskRecord]:
    """Those of these asks that wait, in their order."""
    return [record for record in await read_asks(parts, caller, ids) if record.pending]


async def read_asks(parts: Parts, caller: Caller, ids: Sequence[str]) -> list[AskRecord]:
    """The asks, in that order; those gone, or not the caller's to know, are left out."""

    async def read(ask_id: str) -> AskRecord | None:
        try:
            return await parts.broker.ask(caller, ask_id)
        except NotFound:
            return None

    found: list[AskRecord | None] = []
    for start in range(0, len(ids), AT_ONCE):
        found += await asyncio.gather(*(read(ask_id) for ask_id in ids[start : start + AT_ONCE]))
    return [record for record in found if record is not None]


def _named(call: Call[Any, RunBody]) -> bool:
    return call.body.id is not None or call.key is not None


def _run(call: Call[Nothing, RunBody]) -> Run:
    """Raises: BadRequest, with every fault."""
    body, caller = call.body, call.caller
    agent = body.agent or caller.agent
    problems = []
    if agent is None:
        problems.append(Problem("agent", "Is needed: which agent runs?", "missing"))
    elif caller.role is Role.AGENT and agent != caller.agent:
        problems.append(Problem("agent", "This token is another agent's.", "invalid"))
    ladder = None
    if body.ladder is not None:
        ladder = tuple(_rung(n, rung, problems, call) for n, rung in enumerate(body.ladder))
    webhook = None
    if body.webhook is not None:
        webhook = Webhook(url=body.webhook.url, secret=body.webhook.secret)
        try:
            check_webhook(webhook)
        except BadRequest as error:
            problems += error.problems
    if problems or agent is None:
        raise BadRequest("No such run can be created.", problems)
    return Run(
        id=_id(call),
        tenant=caller.tenant,
        agent=agent,
        parent=body.parent,
        conversation=body.conversation,
        tags=body.tags,
        on_question=body.on_question,
        deadline=body.deadline,
        timeout_s=body.timeout,
        on_timeout=body.on_timeout,
        ladder=ladder,
        webhook=webhook,
        token_id=caller.token_id,
    )


def _id(call: Call[Nothing, RunBody]) -> str:
    if call.body.id is not None:
        return call.body.id
    if call.key is None:
        return f"job-{uuid4()}"
    caller = call.caller
    # The same key of the same token is the same run, so that a lost answer can be asked for again.
    name = f"oz-run:{caller.tenant}:{caller.token_id or caller.name}:{call.key}"
    return f"job-{uuid5(NAMESPACE_URL, name)}"


def _rung(n: int, body: RungBody, problems: list[Problem], call: Call[Any, Any]) -> Rung:
    path = f"ladder[{n}].person"
    if (body.to is Audience.PERSON) != (body.person is not None):
        problems.append(Problem(path, "Goes with `to: person`, and only there.", "invalid"))
    elif body.person and not call.parts.people.person(call.caller.tenant, body.person):
        problems.append(Problem(path, "There is no such person.", "unknown"))
    named = {"to": body.to, "person": body.person, "event": body.event}
    if isinstance(body.after, timedelta):
        return Rung(after_s=body.after // timedelta(seconds=1), **named)
    return Rung(share=body.after, **named)
