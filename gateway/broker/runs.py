"""Runs: created, read, followed, ended. What the rest of the broker stands on."""

from __future__ import annotations

import logging
from collections import OrderedDict
from typing import TYPE_CHECKING

from gateway.ask import Ask, AskRecord, Outcome, Run, RunRecord, RunStatus, Status
from gateway.errors import BadRequest, NotAllowed, NotFound
from gateway.log import event
from gateway.metrics import Metrics
from gateway.people import check_may_ask, owns
from gateway.store import Ending, Event, EventType, RunChange, Settled, Settling, When

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from gateway.person import Caller
    from gateway.store import Store
    from gateway.waiting import Waiters

RUN_ENDED = "the run ended"

API = "api"
CLOCK = "clock"
"""The surface of what nobody did."""

RUNS_REMEMBERED = 10_000
"""Ours: what a run was created with never changes, so opening need not read it again."""

LOOK_AGAIN_S = 30.0
"""Ours: a waiter looks at the state this often even if no event reached it."""

_log = logging.getLogger("gateway.broker")


class Runs:
    """The broker's part for runs."""

    def __init__(self, store: Store, waiters: Waiters, metrics: Metrics | None = None) -> None:
        self._store = store
        self._waiters = waiters
        self._metrics = metrics or Metrics()
        self._runs: OrderedDict[str, RunRecord] = OrderedDict()
        self._seen: OrderedDict[str, AskRecord] = OrderedDict()
        self._settling: set[str] = set()

    async def create_run(self, caller: Caller, run: Run) -> RunRecord:
        """The new run, or the same one again.

        Raises: Conflict, NotAllowed, NotFound, Unavailable.
        """
        check_may_ask(caller)
        if not owns(caller, run):
            raise NotAllowed("This token may not create runs of that agent.")
        if run.parent is not None:
            await self.run(caller, run.parent)
        record = await self._store.create_run(run)
        self._remember_run(record)
        event(_log, "run.created", run_id=run.id)
        return record

    async def run(self, caller: Caller, run_id: str) -> RunRecord:
        """A run of the caller's. Raises: NotFound."""
        record = await self._store.read_run(run_id)
        if record is None or not owns(caller, record.run):
            raise NotFound(f"There is no run {run_id}.")
        return record

    async def end_run(
        self, caller: Caller, run_id: str, status: RunStatus, reason: str | None
    ) -> RunRecord:
        """Ends it and cancels its pending asks, together. Ending it again changes nothing.

        Raises: NotFound, NotAllowed, BadRequest.
        """
        if status in (RunStatus.RUNNING, RunStatus.AWAITING_INPUT):
            raise BadRequest("A run ends as finished, failed or cancelled.")
        record = await self.run(caller, run_id)
        check_may_ask(caller)
        await self._end(record.run, status, reason, by=caller.name)
        return await self.run(caller, run_id)

    async def history(self, caller: Caller, run_id: str) -> list[Event]:
        """The run's events so far, in order. Raises: NotFound."""
        await self.run(caller, run_id)
        return await self._store.history(run_id)

    async def follow(
        self, caller: Caller, run_id: str, after: str | None
    ) -> AsyncGenerator[Event | None, None]:
        """The run's events in order from just after that id, then as they come, until it has ended.

        None is a sign of life, now and then. Raises: NotFound.
        """
        await self.run(caller, run_id)
        seen, floor = 0, _order(after) if after else (0, 0)
        with self._waiters.watch(run_id) as watch:
            while not self._waiters.closing:
                events = await self._store.history(run_id, seen)
                seen += len(events)
                for event in events:
                    if _order(event.id) > floor:
                        yield event
                    if event.type is EventType.RUN_ENDED:
                        return
                if not await watch.changed(LOOK_AGAIN_S):
                    yield None

    async def _known_run(self, caller: Caller, run_id: str) -> RunRecord:
        """A run as it was created; how it stands, and whether it is still there, may be old.

        For those who ask in it, which the store lets them do in that very run only.
        Raises: NotFound.
        """
        known = self._runs.get(run_id)
        if known is None:
            known = await self.run(caller, run_id)
            self._remember_run(known)
        if not owns(caller, known.run):
            raise NotFound(f"There is no run {run_id}.")
        return known

    def _remember_run(self, known: RunRecord) -> None:
        self._runs[known.run.id] = known
        if len(self._runs) > RUNS_REMEMBERED:
            self._runs.popitem(last=False)

    async def _run_of(self, ask: Ask) -> Run:
        known = self._runs.get(ask.run_id) or await self._store.read_run(ask.run_id)
        if known is None:
            raise NotFound(f"There is no run {ask.run_id}.")
        return known.run

    async def _end(
        self, run: Run, status: RunStatus, reason: str | None, *, by: str | None
    ) -> None:
        """Ends a run with whatever it waits for by then; an ended one stays as it is."""
        while True:
            known = await self._store.read_run(run.id)
            if known is None or known.status is not RunStatus.RUNNING:
                return
            outcome = Outcome(status=Status.CANCELLED, reason=RUN_ENDED, by=by)
            ending = Ending(
                run,
                dict.fromkeys(known.pending, outcome),
                f"end:{run.id}",
                When.ANY,
                RunChange(status, reason),
            )
            settled = await self._store.settle(ending)
            if settled.settling is Settling.WON:
                event(_log, "run.ended", run_id=run.id, code=status.value)
                self._count(ending, settled, CLOCK if by is None else API)
            if settled.settling is not Settling.RETRY:
                return

    def _count(self, ending: Ending, settled: Settled, surface: str) -> None:
        """Each ask once, however often its end is heard of."""
        if settled.settling is Settling.WON and not settled.again:
            for outcome in ending.outcomes.values():
                self._metrics.settled.labels(outcome.status, surface).inc()


def _order(event_id: str) -> tuple[int, int]:
    """Stream ids order as two numbers. Raises: BadRequest for what is none."""
    ms, _, sequence = event_id.partition("-")
    if not ms.isdecimal() or not (sequence or "0").isdecimal():
        raise BadRequest("Last-Event-ID is not an id of this stream.")
    return int(ms), int(sequence or 0)
