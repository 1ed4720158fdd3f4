"""What is due, what is owed, and what has failed for good, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.store import (
    CLOCK_LEASE,
    RETIRE_LOOK_AGAIN,
    WEBHOOK_LOOK_AGAIN,
    DeadLetter,
    Due,
    EventType,
    Group,
)

if TYPE_CHECKING:
    from datetime import datetime

    from gateway.ask import AskRecord
    from gateway.memory_store.kept import Kept


class MemoryTimers:
    """Implements `gateway.store.Timers`. Everything is one partition."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._holder: tuple[str, datetime] | None = None

    async def due(self, owner: str, limit: int) -> Due:
        now = self._kept.now()
        if self._holder is not None and self._holder[0] != owner and now < self._holder[1]:
            return Due((), None, now, claimed=0)
        self._holder = (owner, now + CLOCK_LEASE)
        times = sorted((at, member) for member, at in self._kept.due.items())
        passed = [member for at, member in times if at <= now]
        coming = [at for at, _ in times if at > now]
        return Due(tuple(passed[:limit]), min(coming, default=None), now, claimed=1)

    async def rung(self, ask_id: str) -> int:
        ask = self._kept.asks.get(ask_id)
        return ask.rung if ask else 0

    async def holds(self, ask_id: str) -> bool:
        return ask_id in self._kept.asks

    async def climb(
        self,
        record: AskRecord,
        rung: int,
        next_rung: int,
        event: EventType | None,
        note: str,
        next_at: datetime | None,
    ) -> bool:
        kept, now = self._kept, self._kept.now()
        ask = kept.asks.get(record.ask.id)
        if ask is None or not ask.pending or ask.rung != rung:
            return False
        ask.rung = next_rung
        self._look_at(ask.ask.id, next_at)
        if event is not None:
            kept.tell(kept.runs[ask.ask.run_id], event, ask.ask.id, now, note)
        return True

    def _look_at(self, member: str, at: datetime | None) -> None:
        if at is None:
            self._kept.due.pop(member, None)
        else:
            self._kept.due[member] = at

    async def forget(self, member: str, run_id: str | None) -> None:  # noqa: ARG002 - for partitions
        self._kept.due.pop(member, None)

    async def retire(self, run_id: str) -> bool:
        kept, now = self._kept, self._kept.now()
        run = kept.runs.get(run_id)
        if run is None:
            kept.due.pop(run_id, None)
            return True
        if run.pending:
            kept.due[run_id] = now + kept.retention
            return False
        asks = [ask_id for ask_id, ask in kept.asks.items() if ask.ask.run_id == run_id]
        until = run.history[-1].at + kept.retention
        if now < until or any(
            ask_id in kept.owed or kept.asks[ask_id].owes_posts for ask_id in asks
        ):
            kept.due[run_id] = max(until, now + RETIRE_LOOK_AGAIN)
            return False
        for ask_id in asks:
            del kept.asks[ask_id]
        del kept.runs[run_id]
        kept.due.pop(run_id, None)
        return True

    # Webhooks

    async def tries(self, ask_id: str) -> int:
        ask = self._kept.asks.get(ask_id)
        return ask.tries if ask else 0

    async def owes(self, ask_id: str) -> bool:
        return ask_id in self._kept.owed

    async def postpone(self, ask_id: str, tries: int, at: datetime) -> None:
        if ask_id in self._kept.owed:
            self._kept.asks[ask_id].tries = tries
            self._kept.due[f"w:{ask_id}"] = at

    async def wake_webhook(self, ask_id: str, run_id: str, tenant: str) -> None:
        kept, now, member = self._kept, self._kept.now(), f"w:{ask_id}"
        if ask_id not in kept.owed:
            kept.due.pop(member, None)
        elif member in kept.due:
            kept.due[member] = now + WEBHOOK_LOOK_AGAIN
            kept.remind(EventType.WEBHOOK_DUE, run_id, ask_id, tenant, "webhook")

    async def paid(self, ask_id: str) -> None:
        self._kept.due.pop(f"w:{ask_id}", None)
        self._kept.owed.discard(ask_id)

    # The dead

    async def bury(self, group: Group, subject: str, reason: str) -> None:
        kept, now = self._kept, self._kept.now()
        if group is Group.RESUME:
            kept.due.pop(f"w:{subject}", None)
            kept.owed.discard(subject)
        if group is Group.CLOCK:
            kept.due.pop(subject, None)
        letters = kept.dead.setdefault(group, [])
        letters.append(DeadLetter(kept.log.next_id(now), group, reason, now, subject))

    async def dead(self, group: Group) -> list[DeadLetter]:
        return list(self._kept.dead.get(group, ()))

    async def redrive(self, letter: DeadLetter) -> bool:
        kept, now = self._kept, self._kept.now()
        letters = kept.dead.get(letter.group, [])
        if letter not in letters or not letter.ask_id:
            return False
        letters.remove(letter)
        ask = kept.asks.get(letter.ask_id)
        if ask is None and letter.ask_id not in kept.runs:
            return False
        if ask is not None and letter.group is Group.RESUME:
            ask.tries = 0
            kept.owed.add(letter.ask_id)
        else:
            kept.due[letter.ask_id] = now
        if letter.ask_id in kept.owed:
            kept.due[f"w:{letter.ask_id}"] = now
        return True
