"""Single-key facts, conversations, drafts and finished tries, in Redis."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.errors import DraftMoved
from gateway.redis_store import codec

if TYPE_CHECKING:
    from datetime import timedelta

    from gateway.redis_store.keys import Partitions
    from gateway.redis_store.link import Link

PREFIX = "oz:index:"

MOVED = -1
"""What `save_draft` answers where another draft is kept by now."""


class RedisIndex:
    """Implements `gateway.store.Index` and `gateway.store.Drafts`."""

    def __init__(self, link: Link, partitions: Partitions) -> None:
        self._link = link
        self._partitions = partitions

    async def bind(self, name: str, value: str, ttl: timedelta) -> str:
        key = PREFIX + name
        ttl_ms = int(ttl.total_seconds() * 1000)
        bound: str | None = None
        while bound is None:  # what is in the way may be gone when it is looked at
            if await self._link.call("SET", key, value, "NX", "PX", ttl_ms):
                return value
            bound = await self._link.call("GET", key)
        return bound

    async def look(self, name: str) -> str | None:
        found: str | None = await self._link.call("GET", PREFIX + name)
        return found

    async def put(self, name: str, value: str) -> None:
        await self._link.call("SET", PREFIX + name, value)

    async def drop(self, name: str) -> bool:
        return bool(await self._link.call("DEL", PREFIX + name))

    async def join(self, place: str, code: str, ask_id: str) -> str:
        key = f"{PREFIX}place:{place}"
        holder: str | None = None
        while holder is None:  # as in `bind`
            if await self._link.call("HSETNX", key, code, ask_id):
                return ask_id
            holder = await self._link.call("HGET", key, code)
        return holder

    async def joined(self, place: str) -> dict[str, str]:
        return codec.as_dict(await self._link.call("HGETALL", f"{PREFIX}place:{place}"))

    async def leave(self, place: str, code: str) -> None:
        await self._link.call("HDEL", f"{PREFIX}place:{place}", code)

    async def add(self, name: str, member: str) -> None:
        await self._link.call("SADD", PREFIX + name, member)

    async def remove(self, name: str, member: str) -> None:
        await self._link.call("SREM", PREFIX + name, member)

    async def members(self, name: str) -> list[str]:
        return sorted(await self._link.call("SMEMBERS", PREFIX + name))

    async def draft(self, ask_id: str, person: str) -> str | None:
        keys = self._partitions.of_ask(ask_id)
        if keys is None:
            return None
        found: str | None = await self._link.call("HGET", keys.drafts(ask_id), person)
        return found

    async def save_draft(
        self, ask_id: str, person: str, draft: str, token: str, over: str | None = None
    ) -> bool:
        keys = self._partitions.of_ask(ask_id)
        if keys is None:
            return False
        kept = await self._link.script(
            "save_draft",
            [keys.ask(ask_id), keys.drafts(ask_id), keys.done(ask_id)],
            person,
            draft,
            token,
            *(() if over is None else (over,)),
        )
        if kept == MOVED:
            raise DraftMoved("The draft has changed.")
        return bool(kept)

    async def tried(self, ask_id: str, token: str) -> bool:
        keys = self._partitions.of_ask(ask_id)
        return keys is not None and bool(
            await self._link.call("SISMEMBER", keys.done(ask_id), token)
        )

    async def mark(self, ask_id: str, token: str) -> bool:
        keys = self._partitions.of_ask(ask_id)
        return keys is not None and bool(
            await self._link.script("mark", [keys.ask(ask_id), keys.done(ask_id)], token)
        )
