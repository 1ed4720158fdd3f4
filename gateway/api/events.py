"""A run's events as they come: server-sent events, resumable from the last id seen.

Nothing is said twice and nothing is left out: a reader that was away sends `Last-Event-ID`.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextlib import aclosing
from typing import TYPE_CHECKING

from aiohttp import web

from gateway.api import strict_json
from gateway.api.limits import WRITE_WITHIN_S
from gateway.api.runs import tell
from gateway.ask import RunStatus
from gateway.errors import BadRequest, GatewayError
from gateway.log import event as log_event

if TYPE_CHECKING:
    from gateway.api.bodies import Nothing
    from gateway.api.endpoints import Call
    from gateway.api.parts import Parts
    from gateway.ask import RunRecord
    from gateway.person import Caller
    from gateway.store import Event

LAST_EVENT_ID = "Last-Event-ID"
HELLO = b"retry: 1000\n\n"
"""Ours: a reader that lost the line comes back after a second."""

ALIVE = b": alive\n\n"
_ID = re.compile(r"[0-9]{1,20}(-[0-9]{1,20})?")
_NOTHING_MORE = 204
"""What tells a browser's EventSource to stop coming back (WHATWG HTML, 9.2.3)."""

_log = logging.getLogger("gateway.api")


async def follow_run(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """A run's events in order, then as they come, until it has ended."""
    after = _after(call.request)
    record = await call.parts.broker.run(call.caller, call.run_id)
    if after is not None and await _told_all(call, record, after):
        return web.Response(status=_NOTHING_MORE)
    response = web.StreamResponse(
        headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"}
    )
    await response.prepare(call.request)
    # From here on the head is sent, so that no error can be answered: the stream ends, and the
    # reader comes again from where it was.
    try:
        await _write(response, HELLO)
        await _tell_all(call, response, after)
    except ConnectionError:
        response.force_close()
    except TimeoutError:
        log_event(_log, "stream.dropped", run_id=call.run_id)
        # Not closed in good order: the end would wait for the reader like all before it.
        if call.request.transport is not None:
            call.request.transport.abort()
    except GatewayError as error:
        log_event(_log, "stream.broken", code=error.code, run_id=call.run_id)
        response.force_close()
    except Exception as error:  # noqa: BLE001 - as above
        log_event(_log, "stream.failed", level=logging.ERROR, error=error, run_id=call.run_id)
        response.force_close()
    return response


def frame(event_id: str, kind: str, data: bytes) -> bytes:
    """One event on the line; `data` is one line of JSON."""
    return b"id: %s\nevent: %s\ndata: %s\n\n" % (event_id.encode(), kind.encode(), data)


async def _tell_all(
    call: Call[Nothing, Nothing], response: web.StreamResponse, after: str | None
) -> None:
    events = call.parts.broker.follow(call.caller, call.run_id, after)
    async with aclosing(events) as following:
        async for event in following:
            caller = await call.caller_now()
            told = ALIVE if event is None else await _framed(call.parts, caller, event)
            await _write(response, told)


async def _framed(parts: Parts, caller: Caller, event: Event) -> bytes:
    (shape,) = await tell(parts, caller, [event])
    data = strict_json.write(shape.model_dump(mode="json", exclude_unset=True))
    return frame(event.id, event.type.value, data)


async def _write(response: web.StreamResponse, chunk: bytes) -> None:
    """Raises: TimeoutError, the reader takes nothing; ConnectionError, it is gone."""
    async with asyncio.timeout(WRITE_WITHIN_S):
        await response.write(chunk)


async def _told_all(call: Call[Nothing, Nothing], record: RunRecord, after: str) -> bool:
    """Whether that reader has seen the end."""
    if record.status is RunStatus.RUNNING:
        return False
    events = await call.parts.broker.history(call.caller, call.run_id)
    return bool(events) and events[-1].id == after


def _after(request: web.Request) -> str | None:
    given = request.headers.get(LAST_EVENT_ID)
    if given and not _ID.fullmatch(given):
        raise BadRequest(f"{LAST_EVENT_ID} is not an id of this stream.")
    return given or None
