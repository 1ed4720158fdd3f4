"""The posts of asks, and the leases under which they are drawn, in Redis."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gateway.redis_store import codec

if TYPE_CHECKING:
    from datetime import timedelta

    from gateway.redis_store.keys import Partitions
    from gateway.redis_store.link import Link

OPEN, CLOSED = "o", "c"
"""Stand before a kept post, so that `keep_post.lua` need not read it."""


class RedisPosts:
    """Implements `gateway.store.Posts`."""

    def __init__(self, link: Link, partitions: Partitions) -> None:
        self._link = link
        self._partitions = partitions

    async def posts(self, ask_id: str) -> dict[str, str]:
        keys = self._partitions.of_ask(ask_id)
        if keys is None:
            return {}
        kept = codec.as_dict(await self._link.call("HGETALL", keys.posts(ask_id)))
        return {place: post[1:] for place, post in kept.items()}

    async def keep_post(self, ask_id: str, place: str, post: str, *, closed: bool) -> bool:
        keys = self._partitions.of_ask(ask_id)
        return keys is not None and bool(
            await self._link.script(
                "keep_post",
                [keys.ask(ask_id), keys.posts(ask_id), keys.owed],
                ask_id,
                place,
                (CLOSED if closed else OPEN) + post,
            )
        )

    async def posts_owed(self) -> list[str]:
        owed = await asyncio.gather(
            *(self._link.call("SMEMBERS", keys.owed) for keys in self._partitions.all)
        )
        return sorted(member[2:] for some in owed for member in some if member[:2] == "p:")

    async def lease(self, ask_id: str, place: str, owner: str, within: timedelta) -> bool:
        keys = self._partitions.of_ask(ask_id)
        return keys is not None and bool(
            await self._link.script(
                "lease", [keys.lease(ask_id, place)], owner, codec.whole_ms(within)
            )
        )

    async def release(self, ask_id: str, place: str, owner: str) -> None:
        keys = self._partitions.of_ask(ask_id)
        if keys is not None:
            await self._link.script("release", [keys.lease(ask_id, place)], owner)
