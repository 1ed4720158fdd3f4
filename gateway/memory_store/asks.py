"""Runs and asks in memory: each method is one step, done whole before anything else happens."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.ask import RunStatus
from gateway.epoch import to_ms
from gateway.errors import Conflict
from gateway.ladder import climb
from gateway.memory_store.kept import KeptAsk, KeptRun, whole_ms
from gateway.store import (
    MAX_PENDING_PER_RUN,
    MAX_REFUSALS_RECORDED,
    ONCE_AN_ASK,
    Cursor,
    Ending,
    Event,
    EventType,
    NewAsk,
    Opened,
    Opening,
    Settled,
    Settling,
    When,
)

if TYPE_CHECKING:
    from datetime import datetime

    from gateway.ask import AskRecord, Outcome, Run, RunRecord
    from gateway.ladder import Rung
    from gateway.memory_store.kept import Kept


class MemoryAsks:
    """Implements `gateway.store.Asks`."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept

    async def now(self) -> datetime:
        return self._kept.now()

    async def create_run(self, run: Run) -> RunRecord:
        kept = self._kept
        if run.deadline is not None:
            run = run.model_copy(update={"deadline": whole_ms(run.deadline)})
        known = kept.runs.get(run.id)
        if known is not None:
            if known.run != run:
                raise Conflict(f"{run.id} exists with other values.")
            return known.record()
        now = kept.now()
        made = kept.runs[run.id] = KeptRun(run, created_at=now)
        kept.tell(made, EventType.RUN_CREATED, None, now, "")
        kept.due[run.id] = run.deadline or now + kept.retention
        return made.record()

    async def read_run(self, run_id: str) -> RunRecord | None:
        run = self._kept.runs.get(run_id)
        return run.record() if run else None

    # Opening

    async def open(self, new: NewAsk) -> Opened:
        kept, ask, now = self._kept, new.ask, self._kept.now()
        run = kept.runs.get(ask.run_id)
        if run is None or new.run_created_at not in (None, run.created_at):
            return Opened(Opening.NO_RUN)
        in_the_way = _seen(kept.asks.get(ask.id), new) or _may_not(run, new, now)
        if in_the_way is not None:
            return in_the_way
        deadline = _deadline(run.run, ask.timeout_s, now)
        entry = kept.pending.add(
            Event(kept.pending.next_id(now), EventType.ASK_OPENED, "", ask.id, to_ms(now))
        )
        opened = kept.asks[ask.id] = KeptAsk(
            ask, now, deadline, new.call_digest, new.arguments_digest, entry
        )
        if run.run.deadline is None:
            # A run that waits is not retired; it is looked at again once nothing is pending.
            kept.due.pop(run.run.id, None)
        run.pending.append(ask.id)
        first = _first_look(new.ladder, now, deadline)
        if first is not None:
            kept.due[ask.id] = first
        kept.tell(run, EventType.ASK_OPENED, ask.id, now, ask.parent or "")
        return Opened(Opening.OPENED, opened.record())

    async def read(self, ask_id: str) -> AskRecord | None:
        ask = self._kept.asks.get(ask_id)
        return ask.record() if ask else None

    # Settling

    async def settle(self, ending: Ending) -> Settled:
        kept, now = self._kept, self._kept.now()
        asks = [kept.asks.get(ask_id) for ask_id in ending.outcomes]
        for place, ask in enumerate(asks):
            # Of several, the first is the one whose time is up; the others end with it.
            stands = _stands(ask, ending, now, first=place == 0)
            if stands is not None:
                return stands
        run = kept.runs.get(ending.run.id)
        if run is None:
            return Settled(Settling.MISSING)
        if ending.run_change is not None:
            goes_on = _goes_on(run, ending)
            if goes_on is not None:
                return goes_on

        for ask, outcome in zip(asks, ending.outcomes.values(), strict=True):
            if ask is not None:
                self._end_ask(run, ask, outcome, ending.token, now)
        if ending.run_change:
            run.status, run.error = ending.run_change.status, ending.run_change.error or None
            run.ended_at, run.token = now, ending.token
            run.pending.clear()
            kept.tell(run, EventType.RUN_ENDED, None, now, run.status.value)
            kept.due[run.run.id] = now + kept.retention
        return Settled(Settling.WON, now)

    def _end_ask(
        self, run: KeptRun, ask: KeptAsk, outcome: Outcome, token: str, now: datetime
    ) -> None:
        kept, ask_id = self._kept, ask.ask.id
        ask.status, ask.outcome, ask.settled_at, ask.token = outcome.status, outcome, now, token
        ask.drafts.clear()
        run.pending.remove(ask_id)
        if not run.pending and run.run.deadline is None:
            kept.due[run.run.id] = now + kept.retention
        kept.pending.events.pop(ask.entry, None)
        kept.due.pop(ask_id, None)
        if run.run.webhook:
            kept.owed.add(ask_id)
        kind = EventType(f"ask.{outcome.status.value}")
        kept.tell(run, kind, ask_id, now, "webhook" if run.run.webhook else "")

    # Looking

    async def pending(self, tenant: str, *, after: Cursor | None, limit: int) -> list[AskRecord]:
        waiting = [a for a in self._kept.asks.values() if a.pending and a.ask.tenant == tenant]
        waiting.sort(key=lambda ask: (ask.opened_at, ask.ask.id))
        if after is not None:
            waiting = [a for a in waiting if (a.opened_at, a.ask.id) > (after.at, after.ask_id)]
        return [ask.record() for ask in waiting[:limit]]

    async def count_pending(self, tenant: str) -> int:
        return sum(a.pending and a.ask.tenant == tenant for a in self._kept.asks.values())

    async def history(self, run_id: str, start: int = 0) -> list[Event]:
        run = self._kept.runs.get(run_id)
        return run.history[start:] if run else []

    async def note(self, run: Run, kind: EventType, ask_id: str | None, note: str) -> bool:
        known = self._kept.runs.get(run.id)
        if known is None:
            return False
        if kind is EventType.ASK_REFUSED:
            known.refusals += 1
            if known.refusals > MAX_REFUSALS_RECORDED:
                return False
        if kind in ONCE_AN_ASK:
            if (kind, ask_id) in known.noted:
                return False
            known.noted.add((kind, ask_id))
        self._kept.tell(known, kind, ask_id, self._kept.now(), note)
        return True

    async def frame(self, parent: str, child: str, ask_id: str) -> bool:
        known = self._kept.runs.get(parent)
        if known is None or ask_id in known.framed:
            return False
        known.framed.add(ask_id)
        self._kept.tell(known, EventType.CHILD_NEEDS_HUMAN, ask_id, self._kept.now(), child)
        return True


def _seen(known: KeptAsk | None, new: NewAsk) -> Opened | None:
    """What an ask that is there already means for one of the same id; None where there is none."""
    if known is None:
        return None
    if known.call_digest != new.call_digest:
        return Opened(Opening.COLLISION)
    same = known.arguments_digest == new.arguments_digest
    return Opened(Opening.EXISTS if same else Opening.CONFLICT)


def _may_not(run: KeptRun, new: NewAsk, now: datetime) -> Opened | None:
    """Why a run may not ask now; None where it may."""
    if run.status is not RunStatus.RUNNING or _passed(run.run.deadline, now):
        return Opened(Opening.RUN_ENDED)
    if new.one_at_a_time and run.pending:
        return Opened(Opening.IN_FLIGHT, ask_id=run.pending[0])
    if len(run.pending) >= MAX_PENDING_PER_RUN:
        return Opened(Opening.FULL)
    return None


def _stands(ask: KeptAsk | None, ending: Ending, now: datetime, *, first: bool) -> Settled | None:
    """Why an ask does not end so; None where it does."""
    if ask is None and ending.run_change and not (first and ending.when is When.AFTER_DEADLINE):
        return None  # a run ends without an ask that is lost; nothing else can
    if ask is None or ending.opened_at not in (None, ask.opened_at):
        return Settled(Settling.MISSING)
    if not ask.pending:
        return _ended_before(ask, ending)
    passed = _passed(ask.deadline, now)
    if ending.when is When.BEFORE_DEADLINE and passed:
        return Settled(Settling.LATE)
    if ending.when is When.AFTER_DEADLINE and first and not passed:
        return Settled(Settling.EARLY)
    return None


def _ended_before(ask: KeptAsk, ending: Ending) -> Settled:
    if ask.token == ending.token:
        return Settled(Settling.WON, ask.settled_at, again=True)
    # Ending a run raced an answer: look again, what is pending has changed.
    return Settled(Settling.RETRY if ending.run_change else Settling.SETTLED)


def _goes_on(run: KeptRun, ending: Ending) -> Settled | None:
    """Why a run does not end so; None where it does."""
    if run.status is not RunStatus.RUNNING:
        if run.token == ending.token:
            return Settled(Settling.WON, run.ended_at, again=True)
        return Settled(Settling.SETTLED)
    if set(run.pending) != set(ending.outcomes):
        return Settled(Settling.RETRY)
    return None


def _passed(deadline: datetime | None, now: datetime) -> bool:
    return deadline is not None and now >= deadline


def _deadline(run: Run, timeout_s: int | None, now: datetime) -> datetime | None:
    """The sooner of the ask's own wait and the run's deadline."""
    own = now + timedelta(seconds=timeout_s) if timeout_s is not None else None
    return min((at for at in (own, run.deadline) if at is not None), default=None)


def _first_look(
    ladder: tuple[Rung, ...], now: datetime, deadline: datetime | None
) -> datetime | None:
    """When a clock first has to look: at the first rung, else the deadline."""
    steps = climb(ladder, now, deadline)
    return whole_ms(steps[0].at) if steps else deadline
