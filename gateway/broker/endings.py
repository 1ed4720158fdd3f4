"""How asks end: by an answer, by being withdrawn, by time. Once each, whoever comes second."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.ask import Ask, AskRecord, OnTimeout, Outcome, Run, RunStatus, Status
from gateway.broker.runs import API, CLOCK, RUN_ENDED, Runs
from gateway.errors import AlreadySettled, NotFound
from gateway.ladder import DEFAULT_LADDER, climb
from gateway.log import event
from gateway.people import check_may_ask
from gateway.store import Cursor, Ending, EventType, RunChange, Settling, When

if TYPE_CHECKING:
    from gateway.person import Caller

QUESTION_TIMED_OUT = "QuestionTimedOut"
RUN_DEADLINE_PASSED = "RunDeadlinePassed"
WITHDRAWN = "withdrawn"
UNDELIVERED = "undelivered"

LOOKED_THROUGH = 2_000
"""Ours: asks read for one page; the inbox is the tenant's, not the agent's."""

ASKS_REMEMBERED = 4_096
"""Ours: asks this process has opened or ended lately, some 10 MB; others are read again."""

_log = logging.getLogger("gateway.broker")


@dataclass(frozen=True, slots=True)
class Page:
    """Pending asks, and where to look on; None where there are no more."""

    records: list[AskRecord]
    more: Cursor | None = None


@dataclass(frozen=True, slots=True)
class Try:
    """One try to settle an ask. The same `token` again hears that it won."""

    token: str
    surface: str
    message: str | None = None


class Endings(Runs):
    """The broker's part for asks that exist: reading them, and ending them."""

    async def ask(self, caller: Caller, ask_id_: str) -> AskRecord:
        """One ask of the caller's tenant; an agent's token sees its own only. Raises: NotFound."""
        return _theirs(caller, ask_id_, await self._store.read(ask_id_))

    async def pending(
        self, caller: Caller, *, after: Cursor | None = None, limit: int = 50
    ) -> Page:
        """Pending asks of the caller's tenant, oldest first; an agent's token sees its own only.

        An agent's page may be short, or empty, and yet have more behind it: one call looks through
        `LOOKED_THROUGH` asks of all agents.
        """
        found: list[AskRecord] = []
        looked = 0
        at_once = limit if caller.agent is None else LOOKED_THROUGH // 4
        while len(found) < limit and looked < LOOKED_THROUGH:
            page = await self._store.pending(caller.tenant, after=after, limit=at_once)
            if not page:  # a short one is not the last: some of it settled while it was read
                return Page(found)
            looked += len(page)
            found += [record for record in page if _own(caller, record.ask)]
            after = _place(page[-1])
        return Page(found[:limit], _place(found[limit - 1]) if len(found) >= limit else after)

    async def cancel(self, caller: Caller, ask_id_: str, reason: str | None) -> AskRecord:
        """Withdraws an ask; its run goes on. Raises: NotFound, NotAllowed, AlreadySettled."""
        record = await self.ask(caller, ask_id_)
        check_may_ask(caller)
        run = await self._run_of(record.ask)
        outcome = Outcome(
            status=Status.CANCELLED, reason=reason or WITHDRAWN, by=caller.name, surface=API
        )
        return await self._settle(record, run, outcome, Try(f"cancel:{ask_id_}", API), When.ANY)

    async def expire(self, record: AskRecord) -> bool:
        """Ends an ask whose deadline has passed, as its run wants it; False if it was not so."""
        ask = record.ask
        while (known := await self._store.read_run(ask.run_id)) is not None:
            if ask.id not in known.pending:
                return False  # it has ended meanwhile, by somebody's answer or word
            run = known.run
            if run.deadline is not None and record.deadline == run.deadline:
                await self._end(run, RunStatus.FAILED, RUN_DEADLINE_PASSED, by=None)
                return True
            outcomes = {ask.id: Outcome(status=Status.EXPIRED)}
            change = None
            if ask.on_timeout is OnTimeout.FAIL and known.status is RunStatus.RUNNING:
                change = RunChange(RunStatus.FAILED, QUESTION_TIMED_OUT)
                cancelled = Outcome(status=Status.CANCELLED, reason=RUN_ENDED)
                outcomes |= {other: cancelled for other in known.pending if other != ask.id}
            ending = Ending(run, outcomes, f"expire:{ask.id}", When.AFTER_DEADLINE, change)
            settled = await self._store.settle(ending)
            if settled.settling is Settling.WON:
                event(_log, "ask.expired", ask_id=ask.id, run_id=run.id)
                self._count(ending, settled, CLOCK)
            if settled.settling is not Settling.RETRY:
                return settled.settling is Settling.WON
        return False

    async def undelivered(self, record: AskRecord) -> bool:
        """No place took the ask: its run is told once, and its ladder moves on at once."""
        ask = record.ask
        known = await self._store.read_run(ask.run_id)
        if known is None or await self._store.tried(ask.id, UNDELIVERED):
            return False
        rung = await self._store.rung(ask.id)
        told = await self._store.note(known.run, EventType.ASK_UNDELIVERED, ask.id, "")
        ladder = DEFAULT_LADDER if known.run.ladder is None else known.run.ladder
        steps = climb(ladder, record.opened_at, record.deadline)
        if rung < len(steps):
            step = steps[rung].rung
            after = steps[rung + 1].at if rung + 1 < len(steps) else record.deadline
            kind = EventType(step.event.value)
            await self._store.climb(record, rung, rung + 1, kind, step.note, after)
        # Last, so that whoever comes after one that died on the way does what is left of it.
        await self._store.mark(ask.id, UNDELIVERED)
        if told:
            event(_log, "ask.undelivered", level=logging.ERROR, ask_id=ask.id, run_id=ask.run_id)
        return told

    async def pass_deadline(self, run: Run) -> None:
        """The run's own deadline has passed: it fails, and its asks end cancelled."""
        await self._end(run, RunStatus.FAILED, RUN_DEADLINE_PASSED, by=None)

    async def _seen_or_read(self, caller: Caller, ask_id_: str) -> AskRecord:
        """One ask of the caller's, perhaps as it stood a while ago: what it asks never changes.

        For those who settle it next, which looks at its state anyway. Raises: NotFound.
        """
        seen = self._seen.get(ask_id_)
        return await self.ask(caller, ask_id_) if seen is None else _theirs(caller, ask_id_, seen)

    async def _settle(
        self, record: AskRecord, run: Run, outcome: Outcome, attempt: Try, when: When
    ) -> AskRecord:
        ask = record.ask
        self._settling.add(ask.id)
        try:
            return await self._settle_once(record, run, outcome, attempt, when)
        finally:
            self._settling.discard(ask.id)
            self._waiters.ring(ask.id)

    async def _settle_once(
        self, record: AskRecord, run: Run, outcome: Outcome, attempt: Try, when: When
    ) -> AskRecord:
        ask = record.ask
        ending = Ending(run, {ask.id: outcome}, attempt.token, when, opened_at=record.opened_at)
        settled = await self._store.settle(ending)
        match settled.settling:
            case Settling.WON if record.pending and not settled.again:
                event(_log, "ask.settled", ask_id=ask.id, run_id=run.id)
                self._count(ending, settled, attempt.surface)
                ended = AskRecord(
                    ask,
                    outcome.status,
                    record.opened_at,
                    record.deadline,
                    version=2,
                    outcome=outcome,
                    settled_at=settled.at,
                )
                self._remember(ended)
                return ended
            case Settling.LATE:
                await self.expire(record)
            case Settling.MISSING:
                # Gone since it was read, and perhaps another of the same id is there now.
                self._seen.pop(ask.id, None)
                self._runs.pop(run.id, None)
                raise NotFound(f"There is no ask {ask.id}.")
        current = await self._store.read(ask.id)
        if current is None:
            raise NotFound(f"There is no ask {ask.id}.")
        if settled.settling is Settling.WON:
            return current
        raise AlreadySettled(current)

    def _remember(self, record: AskRecord) -> None:
        """What is asked never changes, nor does an end: neither need be read again here."""
        self._seen[record.ask.id] = record
        if len(self._seen) > ASKS_REMEMBERED:
            self._seen.popitem(last=False)


def _theirs(caller: Caller, ask_id: str, record: AskRecord | None) -> AskRecord:
    if record is None or record.ask.tenant != caller.tenant or not _own(caller, record.ask):
        raise NotFound(f"There is no ask {ask_id}.")
    return record


def _place(record: AskRecord) -> Cursor:
    return Cursor(record.opened_at, record.ask.id)


def _own(caller: Caller, ask: Ask) -> bool:
    return caller.agent is None or caller.agent == ask.agent
