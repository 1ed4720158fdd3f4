"""The log and its readers in Redis: groups whose entries are done once, and the tail that wakes.

On one server one read serves all partitions; on a cluster a reader blocks per partition.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from redis.exceptions import ResponseError

from gateway.epoch import from_ms, to_ms
from gateway.errors import Unavailable
from gateway.log import event
from gateway.redis_store import codec
from gateway.redis_store.client import code
from gateway.redis_store.mending import mend
from gateway.store import TAIL_SLACK, Event, EventType, Group, Taken

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence
    from datetime import timedelta

    from gateway.redis_store.blocking import Reader, Reply
    from gateway.redis_store.keys import Keys, Partitions
    from gateway.redis_store.link import Link

TAIL_BLOCK_MS = 5_000
"""Ours: how long one read of the tail waits; short enough to notice a dead connection."""

TAIL_COUNT = 200
"""Ours: entries a stream gives in one read of the tail."""

RECONNECT_S = 0.2
"""Ours: the pause before a lost tail tries again; a restarted engine is back in about that time."""

CLAIM = 500
"""Ours: entries of a stream taken over at once."""

GONE_AFTER_MS = 3_600_000
"""Ours: a group's reader that did nothing for an hour, and holds nothing, is forgotten."""

UNBLOCKED = "UNBLOCKED"
"""Said to whoever blocks in a primary that becomes a replica, or, by Redis 7.0, on a stream that is
deleted."""

GROUP_LOST = ("NOGROUP", UNBLOCKED)

_log = logging.getLogger("gateway.store")


class RedisLog:
    """Implements `gateway.store.Log`."""

    def __init__(self, link: Link, partitions: Partitions) -> None:
        self._link = link
        self._partitions = partitions
        self._by_stream = {name: keys for keys in partitions.all for name in (keys.asks, keys.log)}
        self._readers: dict[tuple[Group, str], Reader] = {}
        self._own: dict[tuple[Group, str], dict[str, str] | None] = {}

    async def aclose(self) -> None:
        for reader in self._readers.values():
            await reader.aclose()

    # The tail

    async def tail(self) -> AsyncGenerator[Sequence[Event] | None, None]:
        """Batches of new events; None when some may have been missed, so that all look again."""
        reader = self._link.reader()
        last: dict[str, str] = {}
        try:
            while True:
                try:
                    if not last:
                        last = await self._ends()
                        yield None
                    reply = await reader.read(("XREAD", "COUNT", TAIL_COUNT), last, TAIL_BLOCK_MS)
                except (Unavailable, ResponseError) as error:
                    if isinstance(error, ResponseError) and code(str(error)) != UNBLOCKED:
                        raise
                    last = {}
                    # Its connections may be to a server that leads no more.
                    await reader.aclose()
                    await asyncio.sleep(RECONNECT_S)
                    continue
                events: list[Event] = []
                for stream, entries in reply:
                    last[stream] = entries[-1][0]
                    events += [e for e in (codec.load_event(i, f) for i, f in entries) if e]
                if events:
                    yield events
        finally:
            await reader.aclose()

    async def _ends(self) -> dict[str, str]:
        async def end(keys: Keys) -> tuple[str, str]:
            entries = await self._link.call("XREVRANGE", keys.log, "+", "-", "COUNT", 1)
            return keys.log, entries[0][0] if entries else "0-0"

        return dict(await asyncio.gather(*(end(keys) for keys in self._partitions.all)))

    # Groups

    async def take(self, group: Group, consumer: str, limit: int, block: timedelta) -> list[Taken]:
        who = (group, consumer)
        count = max(1, limit // self._partitions.count)
        head = ("XREADGROUP", "GROUP", group.value, consumer, "COUNT", count)
        try:
            # What was handed to us before the connection broke is in our own pending list only.
            while (own := self._own.setdefault(who, {})) is not None:
                if mine := await self._page(head, own):
                    await self._lost(group, sum(entry.gone for entry in mine))
                    return mine
                self._own[who] = None
            reader = self._readers.get(who) or self._readers.setdefault(who, self._link.reader())
            streams = dict.fromkeys(
                (self._stream(group, keys) for keys in self._partitions.all), ">"
            )
            block_ms = max(1, int(block.total_seconds() * 1000))
            return self._taken(group, await reader.read(head, streams, block_ms))
        except Unavailable:
            await self.start_again(group, consumer)
            raise
        except ResponseError as error:
            await self.start_again(group, consumer)
            if code(str(error)) not in GROUP_LOST:
                raise
            await self._make(group)
            return []

    async def start_again(self, group: Group, consumer: str) -> None:
        # Reads under way are ended first: what they are handed is pending then, and would come
        # twice.
        who = (group, consumer)
        if (reader := self._readers.pop(who, None)) is not None:
            await reader.aclose()
        self._own[who] = {}

    async def _page(self, head: tuple[Any, ...], own: dict[str, str]) -> list[Taken]:
        """The next entries of a reader's own pending lists, from just after those in `own`."""
        group = Group(head[2])
        names = [self._stream(group, keys) for keys in self._partitions.all]
        replies = await asyncio.gather(
            *(self._link.call(*head, "STREAMS", name, own.get(name, "0")) for name in names)
        )
        page = [stream for reply in replies for stream in reply or []]
        own |= {name: entries[-1][0] for name, entries in page if entries}
        return self._taken(group, page)

    async def done(self, group: Group, taken: Sequence[Taken]) -> None:
        by_partition: dict[int, list[str]] = {}
        for entry in taken:
            by_partition.setdefault(entry.key[0], []).append(entry.key[1])
        await asyncio.gather(
            *(
                self._link.call(
                    "XACK", self._stream(group, self._partitions.all[n]), group.value, *ids
                )
                for n, ids in by_partition.items()
            )
        )

    async def claim_stale(self, group: Group, consumer: str, idle: timedelta) -> list[Taken]:
        idle_ms = int(idle.total_seconds() * 1000)

        async def claim(keys: Keys) -> list[Taken]:
            name = self._stream(group, keys)
            try:
                # An entry that was trimmed away is dropped by the server on the way, from 7.0 on.
                reply = await self._link.call(
                    "XAUTOCLAIM", name, group.value, consumer, idle_ms, "0-0", "COUNT", CLAIM
                )
            except ResponseError as error:
                if code(str(error)) == "NOGROUP":
                    return []
                raise
            entries = [entry for entry in reply[1] if entry]
            if len(entries) < len(reply[1]):
                # Redis 6.2 hands out deleted entries without their ids; our own list has them.
                await self.start_again(group, consumer)
            await self._lost(group, len(reply[2]) if len(reply) > 2 else 0)
            return self._taken(group, [(name, entries)])

        claimed = await asyncio.gather(*(claim(keys) for keys in self._partitions.all))
        return [entry for entries in claimed for entry in entries]

    async def bury_entry(self, group: Group, taken: Taken, reason: str) -> None:
        partition, entry_id = taken.key
        keys = self._partitions.all[partition]
        now = to_ms(from_ms(entry_id.partition("-")[0]))
        await self._link.call(
            "XADD", keys.dead(group.value), "*", "a", "-", "n", f"{entry_id}: {reason}", "t", now
        )
        await self.done(group, [taken])

    async def trim(self) -> None:
        await asyncio.gather(*(self._trim(keys) for keys in self._partitions.all))

    async def _trim(self, keys: Keys) -> None:
        seconds, _ = await self._link.call("TIME")
        oldest = (int(seconds) - int(TAIL_SLACK.total_seconds())) * 1000
        for group in await self._groups(keys.log):
            first = group["last-delivered-id"]
            if group["pending"]:
                held = await self._link.call("XPENDING", keys.log, group["name"], "-", "+", 1)
                first = held[0][0] if held else first
            oldest = min(oldest, int(first.partition("-")[0]))
            await self._forget_readers(keys.log, group["name"])
        await self._link.call("XTRIM", keys.log, "MINID", "~", oldest)
        for group in await self._groups(keys.asks):
            await self._forget_readers(keys.asks, group["name"])

    async def _groups(self, stream: str) -> list[dict[str, Any]]:
        try:
            groups = await self._link.call("XINFO", "GROUPS", stream)
        except ResponseError as error:
            if "no such key" not in str(error):
                raise
            return []
        return [codec.as_dict(group) for group in groups]

    async def _forget_readers(self, stream: str, group: str) -> None:
        readers = await self._link.call("XINFO", "CONSUMERS", stream, group)
        for reader in map(codec.as_dict, readers):
            if reader["pending"] == 0 and reader["idle"] > GONE_AFTER_MS:
                await self._link.call("XGROUP", "DELCONSUMER", stream, group, reader["name"])

    async def _make(self, group: Group) -> None:
        """Makes a missing group, and puts what its lost entries were about back on the log."""

        async def make(keys: Keys) -> int:
            if group is Group.RESUME:
                return await mend(self._link, keys, group)
            try:
                await self._link.call(
                    "XGROUP", "CREATE", self._stream(group, keys), group.value, "0", "MKSTREAM"
                )
            except ResponseError as error:
                if code(str(error)) != "BUSYGROUP":
                    raise
            return 0  # made, here or by another reader

        try:
            counts = await asyncio.gather(*(make(keys) for keys in self._partitions.all))
        except ResponseError as error:
            raise Unavailable("The store does not let a group be made just now.") from error
        event(_log, "group.made", group=group.value, count=sum(counts))

    async def _lost(self, group: Group, count: int) -> None:
        """Entries somebody held are gone. Of `deliver` they were asks that have ended since."""
        if group is Group.DELIVER or not count:
            return
        event(_log, "entries.lost", level=logging.ERROR, group=group.value, count=count)
        if group is Group.RESUME:
            await asyncio.gather(*(mend(self._link, keys, None) for keys in self._partitions.all))

    def _stream(self, group: Group, keys: Keys) -> str:
        return keys.asks if group is Group.DELIVER else keys.log

    def _taken(self, group: Group, reply: Reply) -> list[Taken]:
        taken: list[Taken] = []
        for stream, entries in reply:
            partition = self._by_stream[stream].partition
            for entry_id, fields in entries:
                told = _event(group, entry_id, fields) if fields else None
                taken.append(Taken((partition, entry_id), told, gone=not fields))
        return taken


def _event(group: Group, entry_id: str, flat: Any) -> Event | None:
    if group is not Group.DELIVER:
        return codec.load_event(entry_id, flat)
    fields = codec.as_dict(flat)
    if "a" not in fields:
        return None
    at_ms = int(entry_id.partition("-")[0])
    return Event(entry_id, EventType.ASK_OPENED, "", fields["a"], at_ms)
