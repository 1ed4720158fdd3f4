"""Asks: opened by a tool's call or as an approval, listed, read, and waited for."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from gateway.api.bodies import ApprovalBody, Nothing, OpenBody, PageQuery, ToolCall, WaitQuery
from gateway.api.endpoints import Call, reply
from gateway.api.pages import page
from gateway.api.shapes import AskPage, OneAsk
from gateway.api.views import ask_view, standing_view, where_view
from gateway.ask import AskKind
from gateway.contracts import check_question
from gateway.errors import BadRequest, InvalidQuestion, Problem
from gateway.question import Question
from gateway.routes import may_name

if TYPE_CHECKING:
    from aiohttp import web

    from gateway.broker import Standing


async def open_ask(call: Call[WaitQuery, OpenBody]) -> web.StreamResponse:
    """Asks people. The same call again is the same ask, with its outcome."""
    body = call.body.root
    call_id = body.call_id or call.key
    if call_id is None:
        raise BadRequest(
            "Without a call_id an Idempotency-Key is needed.",
            [Problem("call_id", "Is needed, or the header Idempotency-Key.", "missing")],
        )
    _check_audience(call, body.audience)
    await _check_destinations(call, body.destinations)
    within = timedelta(seconds=call.query.wait)
    if isinstance(body, ToolCall):
        standing = await call.parts.broker.open(
            call.caller,
            call.run_id,
            tool=body.tool,
            arguments=body.arguments,
            call_id=call_id,
            audience=body.audience,
            destinations=body.destinations,
            within=within,
        )
    else:
        standing = await _open_approval(call, body, call_id, within)
    return reply(201 if standing.new else 200, standing_view(standing, await call.caller_now()))


async def list_asks(call: Call[PageQuery, Nothing]) -> web.StreamResponse:
    """Pending asks of the tenant, or of one run, oldest first."""
    query = call.query
    records, more = await page(call, query.run_id, query.limit, query.cursor)
    asks = tuple(ask_view(record, call.caller) for record in records)
    return reply(200, AskPage(asks=asks, **more))


async def read_ask(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """Reads an ask."""
    record = await call.parts.broker.ask(call.caller, call.ask_id)
    posts = await call.parts.posts.of(record.ask.id)
    return reply(200, OneAsk(ask=ask_view(record, call.caller), where=where_view(posts)))


async def read_result(call: Call[WaitQuery, Nothing]) -> web.StreamResponse:
    """How an ask stands: at once, or as soon as it has ended within `wait` seconds."""
    within = timedelta(seconds=call.query.wait)
    standing = await call.parts.broker.wait(call.caller, call.ask_id, within)
    return reply(200, standing_view(standing, await call.caller_now()))


async def _open_approval(
    call: Call[WaitQuery, OpenBody], body: ApprovalBody, call_id: str, within: timedelta
) -> Standing:
    question = Question(prompt=body.prompt)
    try:
        check_question(question)
    except InvalidQuestion as error:
        # Here the question goes by another name.
        named = [Problem("prompt", p.message, p.code, p.limit) for p in error.problems]
        raise InvalidQuestion(f"prompt: {named[0].message}", named) from None
    return await call.parts.broker.open_question(
        call.caller,
        call.run_id,
        question,
        call_id=call_id,
        kind=AskKind.APPROVAL,
        timeout_s=body.timeout,
        audience=body.audience,
        destinations=body.destinations,
        within=within,
    )


async def _check_destinations(call: Call[Any, Any], destinations: tuple[str, ...]) -> None:
    """Raises: BadRequest for a place that no route of the config lets this run use."""
    if not destinations:
        return
    run = await call.parts.broker.run(call.caller, call.run_id)
    allowed = may_name(call.parts.routes, run.run)
    problems = [
        Problem(f"destinations[{n}]", "No route lets this run post there.", "unknown")
        for n, name in enumerate(destinations)
        if name not in allowed
    ]
    if problems:
        raise BadRequest("An ask goes only where a route of the config leads.", problems)


def _check_audience(call: Call[Any, Any], audience: tuple[str, ...]) -> None:
    """Raises: BadRequest for a person who is not there: nobody could ever answer."""
    people, tenant = call.parts.people, call.caller.tenant
    problems = [
        Problem(f"audience[{n}]", "There is no such person.", "unknown")
        for n, entry in enumerate(audience)
        if ":" not in entry and people.person(tenant, entry) is None
    ]
    if problems:
        raise BadRequest("Nobody of that name could answer.", problems)
