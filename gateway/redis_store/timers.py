"""What is due, what is owed, and what has failed for good, in Redis."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gateway.epoch import from_ms, to_ms
from gateway.redis_store import codec
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
    from datetime import datetime, timedelta

    from gateway.ask import AskRecord
    from gateway.redis_store.keys import Keys, Partitions
    from gateway.redis_store.link import Link


class RedisTimers:
    """Implements `gateway.store.Timers`."""

    def __init__(self, link: Link, partitions: Partitions, retention: timedelta) -> None:
        self._link = link
        self._partitions = partitions
        self._retention_ms = codec.whole_ms(retention)

    async def due(self, owner: str, limit: int) -> Due:
        replies = await asyncio.gather(
            *(
                self._link.script(
                    "due",
                    [keys.due, keys.clock],
                    self._link.skew_ms,
                    owner,
                    codec.whole_ms(CLOCK_LEASE),
                    limit,
                )
                for keys in self._partitions.all
            )
        )
        held = [reply for reply in replies if reply]
        members = tuple(member for reply in held for member in reply[2:])
        soonest = min((int(float(reply[1])) for reply in held if reply[1] != ""), default=None)
        now = max((int(reply[0]) for reply in held), default=0)
        return Due(members, codec.maybe_ms(soonest), from_ms(now), len(held))

    async def rung(self, ask_id: str) -> int:
        keys = self._partitions.of_ask(ask_id)
        return int(await self._link.call("HGET", keys.ask(ask_id), "rung") or 0) if keys else 0

    async def holds(self, ask_id: str) -> bool:
        keys = self._partitions.of_ask(ask_id)
        return keys is not None and bool(await self._link.call("EXISTS", keys.ask(ask_id)))

    async def climb(
        self,
        record: AskRecord,
        rung: int,
        next_rung: int,
        event: EventType | None,
        note: str,
        next_at: datetime | None,
    ) -> bool:
        ask = record.ask
        keys = self._partitions.of_run(ask.run_id)
        fired = await self._link.script(
            "climb",
            [keys.run(ask.run_id), keys.ask(ask.id), keys.due, keys.log],
            self._link.skew_ms,
            ask.id,
            ask.run_id,
            ask.tenant,
            rung,
            next_rung,
            event.value if event else "",
            note or "-",
            to_ms(next_at) if next_at else "",
        )
        return bool(fired)

    async def forget(self, member: str, run_id: str | None) -> None:
        keys = self._partitions.of_run(run_id) if run_id else self._partitions.of_ask(member[-14:])
        if keys is not None:
            await self._link.call("ZREM", keys.due, member)

    async def retire(self, run_id: str) -> bool:
        keys = self._partitions.of_run(run_id)
        _, *lines = await self._link.script("history", [keys.run(run_id)], 0)
        told = [line.split(" ", 3) for line in lines]
        asks = sorted({ask_id for _, kind, ask_id, _ in told if kind == EventType.ASK_OPENED})
        names = [keys.run(run_id), keys.due, keys.owed]
        for ask_id in asks:
            names += [
                keys.ask(ask_id),
                keys.settled(ask_id),
                keys.posts(ask_id),
                keys.drafts(ask_id),
                keys.done(ask_id),
            ]
        gone = await self._link.script(
            "retire",
            names,
            self._link.skew_ms,
            run_id,
            self._retention_ms,
            codec.whole_ms(RETIRE_LOOK_AGAIN),
            len(lines),
            *asks,
        )
        return bool(gone)

    async def tries(self, ask_id: str) -> int:
        keys = self._partitions.of_ask(ask_id)
        return int(await self._link.call("HGET", keys.ask(ask_id), "tries") or 0) if keys else 0

    async def owes(self, ask_id: str) -> bool:
        keys = self._partitions.of_ask(ask_id)
        return keys is not None and bool(
            await self._link.call("SISMEMBER", keys.owed, f"r:{ask_id}")
        )

    async def postpone(self, ask_id: str, tries: int, at: datetime) -> None:
        keys = self._partitions.of_ask(ask_id)
        if keys is not None:
            await self._link.script(
                "postpone", [keys.ask(ask_id), keys.due, keys.owed], ask_id, tries, to_ms(at)
            )

    async def wake_webhook(self, ask_id: str, run_id: str, tenant: str) -> None:
        keys = self._partitions.of_run(run_id)
        await self._link.script(
            "wake_webhook",
            [keys.due, keys.log, keys.owed],
            self._link.skew_ms,
            ask_id,
            run_id,
            tenant,
            codec.whole_ms(WEBHOOK_LOOK_AGAIN),
        )

    async def paid(self, ask_id: str) -> None:
        keys = self._partitions.of_ask(ask_id)
        if keys is not None:
            await self._link.script("paid", [keys.due, keys.owed], ask_id)

    async def bury(self, group: Group, subject: str, reason: str) -> None:
        keys, _ = self._of(subject)
        await self._link.script(
            "bury",
            [keys.due, keys.owed, keys.dead(group)],
            self._link.skew_ms,
            subject,
            reason,
            group.value,
        )

    async def dead(self, group: Group) -> list[DeadLetter]:
        pages = await asyncio.gather(
            *(
                self._link.call("XRANGE", keys.dead(group), "-", "+")
                for keys in self._partitions.all
            )
        )
        letters = [
            DeadLetter(entry, group, fields["n"], from_ms(fields["t"]), fields["a"].strip("-"))
            for page in pages
            for entry, fields in ((entry, codec.as_dict(flat)) for entry, flat in page)
        ]
        return sorted(letters, key=lambda letter: letter.at)

    async def redrive(self, letter: DeadLetter) -> bool:
        if not letter.ask_id:
            return False
        keys, key = self._of(letter.ask_id)
        moved = await self._link.script(
            "redrive",
            [key, keys.due, keys.owed, keys.dead(letter.group)],
            self._link.skew_ms,
            letter.ask_id,
            letter.id,
            letter.group.value,
        )
        return bool(moved)

    def _of(self, subject: str) -> tuple[Keys, str]:
        """The partition and the key of an ask or a run."""
        keys = self._partitions.of_ask(subject)
        if keys is not None:
            return keys, keys.ask(subject)
        keys = self._partitions.of_run(subject)
        return keys, keys.run(subject)
