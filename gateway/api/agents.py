"""`agents/{run_id}`: a run that waits, as its caller reads it, and the answer that resumes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.api.endpoints import Call, reply
from gateway.api.parts import zone_of
from gateway.api.tries import answer_by, ask_of_try
from gateway.api.views import agent_run_view
from gateway.contracts import read_input
from gateway.errors import Conflict, NotFound, WrongKind
from gateway.store import ENDINGS

if TYPE_CHECKING:
    from aiohttp import web

    from gateway.answer import Values
    from gateway.api.bodies import Nothing, ResumeBody
    from gateway.ask import AskRecord, RunRecord


async def read_agent_run(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """A run, and what it waits for: the oldest, where it waits for several."""
    return reply(200, await _view(call))


async def resume(call: Call[Nothing, ResumeBody]) -> web.StreamResponse:
    """Answers what the run waits for. An answer that does not fit changes nothing."""
    run = await call.parts.broker.run(call.caller, call.run_id)
    ask_id = call.body.ask_id or await ask_of_try(call) or await _the_only(call, run)
    waiting = await call.parts.broker.ask(call.caller, ask_id)
    if waiting.ask.run_id != run.run.id:
        raise NotFound(f"There is no ask {ask_id} of this run.")
    zone = zone_of(call.parts, call.caller)

    def read(record: AskRecord) -> Values:
        return read_input(record.ask, call.body.input, zone)

    return reply(200, await _view(call, await answer_by(call, ask_id, read)))


async def _view(call: Call[Any, Any], answered: AskRecord | None = None) -> Any:
    record = await call.parts.broker.run(call.caller, call.run_id)
    oldest = None
    if record.pending:
        oldest = await call.parts.broker.ask(call.caller, record.pending[0])
    return agent_run_view(
        record, oldest if oldest and oldest.pending else None, call.caller, answered
    )


async def _the_only(call: Call[Any, Any], run: RunRecord) -> str:
    """What the run waits for; of one that waits no more, what ended last, so that whoever comes
    too late hears who was first. Raises: Conflict, WrongKind.
    """
    if len(run.pending) > 1:
        raise Conflict("This run waits for several answers: say which with ask_id.")
    if run.pending:
        return run.pending[0]
    for event in reversed(await call.parts.broker.history(call.caller, run.run.id)):
        if event.type in ENDINGS and event.ask_id is not None:
            return event.ask_id
    raise WrongKind("This run waits for no answer.")
