"""One reader's blocking reads: all streams at once on one server, stream by stream on a cluster."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis

from gateway.redis_store.client import SOCKET_TIMEOUT_S, translated
from gateway.redis_store.cluster import Nodes
from gateway.redis_store.server import Command, Lane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from redis.asyncio.cluster import RedisCluster

Reply = list[tuple[str, list[tuple[str, Any]]]]
"""By stream, entries with their fields: flat, as a dict, or None for one that was deleted."""


class Reader:
    """Reads for one caller at a time, over connections of its own."""

    def __init__(self, client: Redis | RedisCluster) -> None:
        self._way = Lane(client) if isinstance(client, Redis) else Nodes(client)
        self._reads: dict[str, asyncio.Task[Any]] = {}

    async def read(self, head: Command, streams: Mapping[str, str], block_ms: int) -> Reply:
        """What the first streams to have something give; [] when none has within `block_ms`.

        Raises: Unavailable; ResponseError. What was handed out meanwhile is in the pending list.
        """
        command = (*head, "BLOCK", block_ms, "STREAMS")
        # A server that is gone without a word would block for ever.
        within_s = block_ms / 1000 + SOCKET_TIMEOUT_S
        with translated():
            if isinstance(self._way, Lane):
                (reply,) = await self._way.send([(*command, *streams, *streams.values())], within_s)
                if isinstance(reply, Exception):
                    raise reply
                return reply or []
            for stream, start in streams.items():
                if stream not in self._reads:
                    read = self._way.read(command, stream, start)
                    self._reads[stream] = asyncio.create_task(_within(read, within_s))
            await asyncio.wait(self._reads.values(), return_when=asyncio.FIRST_COMPLETED)
            return self._gathered()

    def _gathered(self) -> Reply:
        finished = [stream for stream, task in self._reads.items() if task.done()]
        tasks = [self._reads.pop(stream) for stream in finished]
        failures = [error for task in tasks if (error := task.exception())]
        if failures:
            raise failures[0]
        return [entry for task in tasks for entry in task.result() or []]

    async def aclose(self) -> None:
        # A read that is just connecting may swallow being cancelled: until it is done.
        while running := [task for task in self._reads.values() if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=SWALLOWED_S)
        for task in self._reads.values():
            if not task.cancelled():
                task.exception()  # nobody reads it any more
        self._reads.clear()
        if isinstance(self._way, Lane):
            await self._way.aclose()


async def _within(read: Any, within_s: float) -> Any:
    async with asyncio.timeout(within_s):
        return await read


SWALLOWED_S = 0.2
"""Ours: how long a cancelled read gets before it is cancelled again (store-measured, Traps)."""
