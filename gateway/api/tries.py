"""Tries to end an ask: a try has an id, is bound to its ask when first seen, and hears its own end.

The same try again hears again that it won; with another meaning it is refused.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from gateway.answer import from_plain, to_json
from gateway.api import strict_json
from gateway.api.endpoints import Call, reply
from gateway.api.limits import TRY_KEPT
from gateway.api.parts import zone_of
from gateway.api.shapes import OneAsk
from gateway.api.views import ask_view
from gateway.ask import Status
from gateway.broker import Try
from gateway.errors import BadRequest, Conflict

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

    from gateway.answer import Values
    from gateway.api.bodies import AnswerBody, CommentBody, Nothing, ReasonBody
    from gateway.ask import AskRecord

AnyCall = Call[Any, Any]


async def attempt(call: AnyCall, ask_id: str) -> Try:
    """This call as a try to end that ask. Raises: BadRequest, Conflict, NotFound, Unavailable."""
    key = call.key
    if key is None:
        return Try(f"api:{secrets.token_hex(16)}", call.surface)
    # The ask first: a mistyped id must not use up the key.
    await call.parts.broker.ask(call.caller, ask_id)
    if await call.parts.store.bind(_bound(call, key), ask_id, TRY_KEPT) != ask_id:
        raise Conflict("This Idempotency-Key was used for another ask; a new try needs a new one.")
    return Try(f"api:{_owner(call)}:{key}", call.surface)


async def ask_of_try(call: AnyCall) -> str | None:
    """The ask that this call's key was bound to before, if it was. Raises: BadRequest."""
    key = call.key
    return None if key is None else await call.parts.store.look(_bound(call, key))


async def answer_by(call: AnyCall, ask_id: str, read: Callable[[AskRecord], Values]) -> AskRecord:
    """Answers with what `read` makes of the ask. Raises: as `Broker.answer_with`, and Conflict."""
    tried = await attempt(call, ask_id)
    meant: list[dict[str, Any]] = []

    def reading(record: AskRecord) -> Values:
        values = read(record)
        meant.append(to_json(values))
        return values

    record = await call.parts.broker.answer_with(call.caller, ask_id, reading, tried)
    return _same(record, Status.ANSWERED, values=meant[0])


def plain_answer(call: AnyCall, record: AskRecord, answer: object) -> Values:
    """The answer as programs and the command line send it. Raises: InvalidAnswer."""
    question = record.ask.question
    if isinstance(answer, str) and question.answer_field is None:
        # Clients that only know text send the object as JSON; words are refused further on.
        with suppress(BadRequest, UnicodeEncodeError):
            answer = strict_json.read(answer.encode())
    return from_plain(question, answer, zone_of(call.parts, call.caller))


async def answer_ask(call: Call[Nothing, AnswerBody]) -> web.StreamResponse:
    """Answers a question."""
    record = await answer_by(
        call, call.ask_id, lambda record: plain_answer(call, record, call.body.answer)
    )
    return _told(call, record)


async def approve_ask(call: Call[Nothing, CommentBody]) -> web.StreamResponse:
    """Approves an approval."""
    return _told(call, await approve_by(call, call.ask_id, call.body.comment))


async def approve_by(call: AnyCall, ask_id: str, comment: str | None) -> AskRecord:
    """Approves. Raises: as `Broker.approve`, and Conflict."""
    tried = await attempt(call, ask_id)
    record = await call.parts.broker.approve(call.caller, ask_id, comment, tried)
    return _same(record, Status.ANSWERED, reason=comment)


async def deny_ask(call: Call[Nothing, CommentBody]) -> web.StreamResponse:
    """Denies an approval, or declines a question."""
    return _told(call, await decline_by(call, call.ask_id, call.body.comment))


async def decline_ask(call: Call[Nothing, ReasonBody]) -> web.StreamResponse:
    """Declines a question, or denies an approval."""
    return _told(call, await decline_by(call, call.ask_id, call.body.reason))


async def decline_by(call: AnyCall, ask_id: str, reason: str | None) -> AskRecord:
    """Declines. Raises: as `Broker.decline`, and Conflict."""
    tried = await attempt(call, ask_id)
    record = await call.parts.broker.decline(call.caller, ask_id, reason, tried)
    return _same(record, Status.DECLINED, reason=reason)


async def skip_ask(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """Skips a question, where its contract has that."""
    tried = await attempt(call, call.ask_id)
    record = await call.parts.broker.skip(call.caller, call.ask_id, tried)
    if record.outcome is None or not record.outcome.skipped:
        raise _other_meaning()
    return _told(call, record)


async def cancel_ask(call: Call[Nothing, ReasonBody]) -> web.StreamResponse:
    """Withdraws an ask; its run goes on."""
    record = await call.parts.broker.cancel(call.caller, call.ask_id, call.body.reason)
    return _told(call, record)


def _same(
    record: AskRecord,
    status: Status,
    *,
    values: dict[str, Any] | None = None,
    reason: str | None = None,
) -> AskRecord:
    """The record, if its outcome is what this try said. Raises: Conflict."""
    outcome = record.outcome
    if outcome is None or outcome.status is not status or (outcome.reason or "") != (reason or ""):
        raise _other_meaning()
    if values is not None and outcome.values != values:
        raise _other_meaning()
    return record


def _other_meaning() -> Conflict:
    return Conflict("This Idempotency-Key has ended this ask before, and said something else.")


def _told(call: AnyCall, record: AskRecord) -> web.Response:
    return reply(200, OneAsk(ask=ask_view(record, call.caller)))


def _bound(call: AnyCall, key: str) -> str:
    return f"try:{call.caller.tenant}:{_owner(call)}:{key}"


def _owner(call: AnyCall) -> str:
    """Whose keys these are: nobody hears that another's try won."""
    return call.caller.token_id or call.caller.name
