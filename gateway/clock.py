"""What is due: deadlines, rungs, runs to retire, webhooks to try again.

Any number of clocks may run; each step is one script that fires once.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.ladder import DEFAULT_LADDER, climb
from gateway.log import event
from gateway.metrics import Metrics
from gateway.store import EventType, Group

if TYPE_CHECKING:
    from datetime import datetime

    from gateway.ask import AskRecord
    from gateway.broker import Broker
    from gateway.store import Store

LOOK_EVERY_S = 0.5
"""Ours: between looks when nothing is due sooner. New timers are seconds ahead (30 s is the least
wait of a contract), so that a look finds them before their time and sleeps to the moment."""

AT_ONCE = 64
"""Ours: what is handled together; the store gathers their commands into one write."""

LIMIT_PER_PARTITION = 100
"""Ours: members one look takes of a partition; a full look is followed by the next at once."""

STUCK = timedelta(seconds=30)
"""Ours: what is handled look after look for so long, and is still due, is buried."""

TRIM_EVERY_S = 10.0
"""Ours: how often the log drops what every group is past."""

_log = logging.getLogger("gateway.clock")


class NotToBe(Exception):
    """A timer that can do nothing more; its text says why, and names nobody."""


class Clock:
    """One clock of one process, known to the others as `owner`."""

    def __init__(
        self, store: Store, broker: Broker, owner: str, metrics: Metrics | None = None
    ) -> None:
        self._store = store
        self._broker = broker
        self._owner = owner
        self._metrics = metrics or Metrics()
        self._due_since: dict[str, datetime] = {}

    async def run(self) -> None:
        """Looks until cancelled."""
        loop = asyncio.get_running_loop()
        backoff = Backoff()
        trim_at = loop.time() + TRIM_EVERY_S
        while True:
            try:
                pause = await self.look()
                if loop.time() >= trim_at:
                    await self._store.trim()
                    trim_at = loop.time() + TRIM_EVERY_S
                backoff.reset()
            except Exception as error:  # noqa: BLE001  # a clock that died would be silence
                event(_log, "clock.failed", level=logging.ERROR, error=error)
                pause = backoff.rest_s()
            await asyncio.sleep(pause)

    async def look(self) -> float:
        """Handles everything due now; the seconds until it is worth looking again."""
        due = await self._store.due(self._owner, LIMIT_PER_PARTITION)
        for start in range(0, len(due.members), AT_ONCE):
            await asyncio.gather(
                *(self._handle(member, due.now) for member in due.members[start : start + AT_ONCE])
            )
        before, self._due_since = self._due_since, {}
        for member in due.members:
            self._due_since[member] = before.get(member, due.now)
        if self._due_since.keys() - before.keys():
            return 0.0  # not where all were here at the last look too: they have to wait
        if due.next_at is None:
            return LOOK_EVERY_S
        return max(0.0, min(LOOK_EVERY_S, (due.next_at - due.now).total_seconds()))

    async def _handle(self, member: str, now: datetime) -> None:
        try:
            if now - self._due_since.get(member, now) >= STUCK:
                await self._bury(member, "is due again and again")
            elif member.startswith("w:"):
                await self._webhook(member)
            elif member.startswith("a-"):
                await self._ask(member, now)
            else:
                await self._run(member, now)
        except Unavailable:
            raise
        except NotToBe as why:
            await self._bury(member, str(why))
        except Exception as error:  # noqa: BLE001
            # A bug must not stop the timers behind it, nor be tried twice a second for ever.
            await self._bury(member, "see the log: timer.failed", error)

    async def _bury(self, member: str, reason: str, error: Exception | None = None) -> None:
        event(_log, "timer.failed", level=logging.ERROR, error=error, member=member)
        self._metrics.dead.labels(Group.CLOCK).inc()
        await self._store.bury(Group.CLOCK, member.removeprefix("w:"), reason)
        await self._store.forget(member, None if member.startswith(("a-", "w:")) else member)

    async def _webhook(self, member: str) -> None:
        record = await self._read(member[2:])
        if record is None:
            await self._store.forget(member, None)
            return
        await self._store.wake_webhook(record.ask.id, record.ask.run_id, record.ask.tenant)

    async def _read(self, ask_id: str) -> AskRecord | None:
        """The ask; None where it is gone. Raises: NotToBe where it is there and does not read."""
        record = await self._store.read(ask_id)
        if record is None and await self._store.holds(ask_id):
            raise NotToBe("does not read")
        return record

    async def _ask(self, ask_id: str, now: datetime) -> None:
        record = await self._read(ask_id)
        if record is None or not record.pending:
            await self._store.forget(ask_id, None)
        elif record.deadline is not None and record.deadline <= now:
            if await self._broker.expire(record):
                self._metrics.late_s.observe((now - record.deadline).total_seconds())
        else:
            await self._climb(record, now)

    async def _climb(self, record: AskRecord, now: datetime) -> None:
        """Fires the latest rung whose time has come; those missed in an outage are let go."""
        known = await self._store.read_run(record.ask.run_id)
        if known is None:
            raise NotToBe("its run is gone")
        ladder = DEFAULT_LADDER if known.run.ladder is None else known.run.ladder
        steps = climb(ladder, record.opened_at, record.deadline)
        rung = await self._store.rung(record.ask.id)
        passed = sum(step.at <= now for step in steps)
        next_at = steps[passed].at if passed < len(steps) else record.deadline
        if passed <= rung:
            await self._store.climb(record, rung, rung, None, "", next_at)
            return
        fired = steps[passed - 1].rung
        kind = EventType(fired.event.value)
        if await self._store.climb(record, rung, passed, kind, fired.note, next_at):
            event(_log, kind.value, ask_id=record.ask.id, run_id=record.ask.run_id)
            self._metrics.late_s.observe((now - steps[passed - 1].at).total_seconds())

    async def _run(self, run_id: str, now: datetime) -> None:
        known = await self._store.read_run(run_id)
        if known is None:
            await self._store.forget(run_id, run_id)
        elif (
            known.ended_at is None and known.run.deadline is not None and known.run.deadline <= now
        ):
            await self._broker.pass_deadline(known.run)
        elif await self._store.retire(run_id):
            event(_log, "run.retired", run_id=run_id)
