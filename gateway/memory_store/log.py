"""The log's tail and the groups that work through it, in memory."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gateway.memory_store.kept import Held, Reading
from gateway.store import ENDINGS, TAIL_SLACK, DeadLetter, Event, EventType, Group, Taken

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from datetime import timedelta

    from gateway.memory_store.kept import Kept, Stream

PARTITION = 0
"""Everything is one partition; an entry's key names it all the same."""


class MemoryLog:
    """Implements `gateway.store.Log`."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._again: set[tuple[Group, str]] = set()

    async def tail(self) -> AsyncGenerator[Sequence[Event] | None, None]:
        """Batches of new events; None first, so that all look at what was before."""
        log = self._kept.log
        at = log.next
        yield None
        while True:
            added = log.added
            events = [event for _, event in log.since(at)]
            at = log.next
            if events:
                yield events
            else:
                await added.wait()

    async def take(self, group: Group, consumer: str, limit: int, block: timedelta) -> list[Taken]:
        stream = self._stream(group)
        if group not in stream.readings:
            stream.readings[group] = Reading()
            if group is Group.RESUME:
                self._mend()
        if (group, consumer) in self._again:
            self._again.remove((group, consumer))
            if own := self._held_by(stream, stream.readings[group], consumer):
                return own
        added = stream.added
        taken = self._hand_out(stream, stream.readings[group], consumer, limit)
        if taken:
            return taken
        try:
            await asyncio.wait_for(added.wait(), block.total_seconds())
        except TimeoutError:
            return []
        return self._hand_out(stream, stream.readings[group], consumer, limit)

    def _hand_out(self, stream: Stream, reading: Reading, consumer: str, limit: int) -> list[Taken]:
        entries = stream.since(reading.at)[:limit]
        now = self._kept.now()
        for number, _ in entries:
            reading.held[number] = Held(consumer, now)
            reading.at = number + 1
        return [_taken(number, event) for number, event in entries]

    async def start_again(self, group: Group, consumer: str) -> None:
        self._again.add((group, consumer))

    def _held_by(self, stream: Stream, reading: Reading, consumer: str) -> list[Taken]:
        """What one consumer took and has not acknowledged; what has ended meanwhile is let go."""
        held = sorted(n for n, one in reading.held.items() if one.consumer == consumer)
        for number in held:
            if number not in stream.events:
                del reading.held[number]
        return [_taken(n, stream.events[n]) for n in held if n in stream.events]

    async def done(self, group: Group, taken: Sequence[Taken]) -> None:
        held = self._reading(group).held
        for entry in taken:
            held.pop(int(entry.key[1]), None)

    async def claim_stale(self, group: Group, consumer: str, idle: timedelta) -> list[Taken]:
        stream, now = self._stream(group), self._kept.now()
        held = self._reading(group).held
        claimed: list[Taken] = []
        for number, holding in sorted(held.items()):
            if now - holding.since < idle:
                continue
            event = stream.events.get(number)
            if event is None:
                del held[number]  # ended or trimmed meanwhile: nothing is left to do
            else:
                held[number] = Held(consumer, now)
                claimed.append(_taken(number, event))
        return claimed

    async def bury_entry(self, group: Group, taken: Taken, reason: str) -> None:
        now = self._kept.now()
        letters = self._kept.dead.setdefault(group, [])
        entry_id = self._kept.log.next_id(now)
        letters.append(DeadLetter(entry_id, group, f"{taken.key[1]}: {reason}", now, ""))
        await self.done(group, [taken])

    async def trim(self) -> None:
        log = self._kept.log
        past = min((n for r in log.readings.values() for n in (r.at, *r.held)), default=log.next)
        # A slow tail is not cut off.
        before = self._kept.now() - TAIL_SLACK
        for number in [n for n, event in log.events.items() if n < past and event.at < before]:
            del log.events[number]

    def _stream(self, group: Group) -> Stream:
        return self._kept.pending if group is Group.DELIVER else self._kept.log

    def _reading(self, group: Group) -> Reading:
        return self._stream(group).readings.get(group, Reading())

    def _mend(self) -> None:
        """Puts on the log what a group just made would miss, because it is dropped by now."""
        kept = self._kept
        told = {(event.type, event.ask_id) for event in kept.log.events.values()}
        for ask_id, ask in kept.asks.items():
            run = kept.runs[ask.ask.run_id].run
            on_the_way = f"w:{ask_id}" in kept.due or any(
                (kind, ask_id) in told for kind in (*ENDINGS, EventType.WEBHOOK_DUE)
            )
            if ask_id in kept.owed and not on_the_way:
                kept.remind(EventType.WEBHOOK_DUE, run.id, ask_id, run.tenant, "webhook")
            if ask.pending and ask.ask.parent and (EventType.ASK_OPENED, ask_id) not in told:
                kept.remind(EventType.ASK_OPENED, run.id, ask_id, run.tenant, ask.ask.parent)


def _taken(number: int, event: Event) -> Taken:
    return Taken((PARTITION, str(number)), event)
