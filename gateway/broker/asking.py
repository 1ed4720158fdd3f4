"""Asking: one call of one tool becomes one ask, however often it is made."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from gateway.ask import Ask, AskKind, AskRecord, OnQuestion, Run, RunRecord, RunStatus
from gateway.broker.endings import Endings
from gateway.broker.runs import LOOK_AGAIN_S
from gateway.contracts import Defaults, rules_of, rules_of_tool
from gateway.errors import (
    AskInFlight,
    Conflict,
    GatewayError,
    NotAvailable,
    NotFound,
    TooLarge,
)
from gateway.ids import ask_id, digest, digest_text
from gateway.ladder import DEFAULT_LADDER
from gateway.log import event
from gateway.people import check_audience, check_may_ask
from gateway.store import MAX_PENDING_PER_RUN, EventType, NewAsk, Opened, Opening

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.person import Caller
    from gateway.question import Question
    from gateway.waiting import Watch

AT_ONCE = timedelta()

SALTS = 8
"""Ours: two calls whose ids collide are told apart by a salt; eight in a row do not happen."""

_log = logging.getLogger("gateway.broker")


@dataclass(frozen=True, slots=True)
class Standing:
    """How an agent's call stands: its ask, and what the agent reads once there is something.

    `record` is None where no person was asked (the run's mode), with the `result` at once. `new`
    tells the call that opened the ask from the same call again.
    """

    record: AskRecord | None
    result: Any = None
    new: bool = False

    @property
    def ended(self) -> bool:
        return self.record is None or not self.record.pending


class Asking(Endings):
    """The broker's part for agents."""

    async def open(
        self,
        caller: Caller,
        run_id: str,
        *,
        tool: str,
        arguments: object,
        call_id: str,
        audience: Sequence[str] = (),
        destinations: Sequence[str] = (),
        within: timedelta = AT_ONCE,
    ) -> Standing:
        """One call of one of the three tools; the same call again is the same ask.

        Returns as soon as the ask has ended, or after that time, however it stands then.

        Raises: InvalidQuestion, AskInFlight, NotAvailable, Conflict, NotFound, NotAllowed,
            TooLarge.
        """
        known = await self._known_run(caller, run_id)
        run = known.run
        check_may_ask(caller)
        rules = rules_of_tool(tool)
        if rules is None:
            raise NotFound(f"There is no tool {tool}; `oz0 tools` lists them.")
        if rules.main_runs_only and run.parent is not None:
            raise NotAvailable(f"{rules.contract.value} is for main runs only; this is a sub-run.")
        asked = rules.read(arguments, Defaults(run.timeout_s, run.on_timeout))
        id_ = ask_id(run.id, call_id)
        if run.on_question is not OnQuestion.PAUSE:
            if (await self.run(caller, run_id)).status is not RunStatus.RUNNING:
                raise _ended(run)
            await self._store.note(run, EventType.ASK_NOT_ASKED, id_, run.on_question.value)
            return Standing(None, rules.not_asked(run.on_question))
        ask = Ask(
            id=id_,
            run_id=run.id,
            tenant=run.tenant,
            agent=run.agent,
            contract=rules.contract,
            call_id=call_id,
            parent=run.parent,
            question=asked.question,
            timeout_s=asked.timeout_s,
            on_timeout=asked.on_timeout,
            audience=tuple(audience),
            conversation=run.conversation,
            tags=run.tags,
            destinations=tuple(destinations),
        )
        return await self._open_and_wait(
            known, ask, arguments, within, one_at_a_time=rules.one_at_a_time
        )

    async def open_question(  # noqa: PLR0913 - all that an ask is made of
        self,
        caller: Caller,
        run_id: str,
        question: Question,
        *,
        call_id: str,
        kind: AskKind = AskKind.QUESTION,
        timeout_s: int | None = None,
        audience: Sequence[str] = (),
        destinations: Sequence[str] = (),
        within: timedelta = AT_ONCE,
    ) -> Standing:
        """An ask straight on the model, for approvals and callers without a model's tool call.

        It waits `timeout_s`, else as long as its run says. Returns as `open` does.

        Raises: Conflict, NotFound, NotAllowed, TooLarge.
        """
        known = await self._known_run(caller, run_id)
        run = known.run
        check_may_ask(caller)
        ask = Ask(
            id=ask_id(run.id, call_id),
            run_id=run.id,
            tenant=run.tenant,
            agent=run.agent,
            kind=kind,
            call_id=call_id,
            parent=run.parent,
            question=question,
            timeout_s=run.timeout_s if timeout_s is None else timeout_s,
            on_timeout=run.on_timeout,
            audience=tuple(audience),
            conversation=run.conversation,
            tags=run.tags,
            destinations=tuple(destinations),
        )
        arguments = question.model_dump(mode="json")
        return await self._open_and_wait(known, ask, arguments, within, one_at_a_time=False)

    async def wait(self, caller: Caller, ask_id_: str, within: timedelta) -> Standing:
        """How the ask stands, as soon as it has ended, or after that time. Raises: NotFound."""
        with self._waiters.watch(ask_id_) as watch:
            record = await self.ask(caller, ask_id_)
            return await self._until_ended(record, watch, within)

    async def _open_and_wait(
        self,
        known: RunRecord,
        ask: Ask,
        arguments: object,
        within: timedelta,
        *,
        one_at_a_time: bool,
    ) -> Standing:
        # Watched from before it opens, so that waiting need not look at it first.
        with self._waiters.watch(ask.id) as watch:
            standing = await self._open(known, ask, arguments, one_at_a_time=one_at_a_time)
            if standing.record is None or not within:
                return standing
            ended = await self._until_ended(standing.record, watch, within)
            return replace(ended, new=standing.new)

    async def _until_ended(self, record: AskRecord, watch: Watch, within: timedelta) -> Standing:
        loop = asyncio.get_running_loop()
        give_up = loop.time() + within.total_seconds()
        while record.pending and not self._waiters.closing and (left := give_up - loop.time()) > 0:
            await watch.changed(min(left, LOOK_AGAIN_S))
            record = await self._look_again(record)
        return self._standing(record)

    async def _look_again(self, record: AskRecord) -> AskRecord:
        """How it stands by now."""
        ask_id_ = record.ask.id
        seen = self._seen.get(ask_id_)
        if seen is not None and not seen.pending:
            return seen
        if ask_id_ in self._settling:
            return record  # what ends it, here, knows the end in a moment, and rings then
        return await self._store.read(ask_id_) or record

    async def _open(
        self, known: RunRecord, ask: Ask, arguments: object, *, one_at_a_time: bool
    ) -> Standing:
        run = known.run
        check_audience(ask.audience)
        new = NewAsk(
            ask,
            digest_text(f"{run.id}\0{ask.call_id}"),
            digest([ask.contract, ask.kind, arguments, ask.audience, ask.destinations]),
            one_at_a_time,
            DEFAULT_LADDER if run.ladder is None else run.ladder,
            known.created_at,
        )
        opened = await self._store.open(new)
        for salt in range(1, SALTS):
            if opened.opening is not Opening.COLLISION:
                break
            salted = ask.model_copy(update={"id": ask_id(run.id, ask.call_id, salt)})
            new = replace(new, ask=salted)
            opened = await self._store.open(new)
        if opened.opening is Opening.OPENED:
            event(_log, "ask.opened", ask_id=new.ask.id, run_id=run.id)
            self._metrics.opened.labels(ask.contract or ask.kind).inc()
            if opened.record is not None:
                self._remember(opened.record)
            return Standing(opened.record, new=True)
        if opened.opening is Opening.EXISTS:
            record = await self._store.read(new.ask.id)
            if record is not None:
                return self._standing(record)
        if opened.opening is Opening.NO_RUN:
            self._runs.pop(run.id, None)
        raise _refusal(opened, run, new.ask)

    def _standing(self, record: AskRecord) -> Standing:
        if record.pending:
            return Standing(record)
        return Standing(record, rules_of(record.ask.contract).result(record))


def _ended(run: Run) -> NotAvailable:
    return NotAvailable(f"{run.id} has ended; it can ask no more.")


def _refusal(opened: Opened, run: Run, ask: Ask) -> GatewayError:
    """Why the store did not open it, for the agent."""
    call = ask.call_id
    refusals: dict[Opening, GatewayError] = {
        Opening.CONFLICT: Conflict(
            f"Call {call} was made before in this run, with other arguments."
        ),
        Opening.COLLISION: Conflict(f"No id is free for call {call}."),
        Opening.IN_FLIGHT: AskInFlight(opened.ask_id or ""),
        Opening.FULL: TooLarge(f"A run waits on at most {MAX_PENDING_PER_RUN} asks at once."),
        Opening.RUN_ENDED: _ended(run),
        Opening.NO_RUN: NotFound(f"There is no run {run.id}."),
    }
    return refusals.get(opened.opening, NotFound(f"There is no ask {ask.id}."))
