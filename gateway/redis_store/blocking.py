"""One reader's blocking reads: all streams at once on one server, stream by stream on a cluster."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from redis.exceptions import AskError, RedisClusterException, ResponseError

from gateway.redis_store.client import SOCKET_TIMEOUT_S, translated
from gateway.redis_store.cluster import Nodes
from gateway.redis_store.lane import Lane

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gateway.redis_store.lane import Command, Source

Reply = list[tuple[str, list[tuple[str, Any]]]]
"""By stream: entries, each an id and flat fields, or None for one that was deleted."""

SWALLOWED_S = 0.2
"""Ours: a read that is just connecting may swallow being cancelled (store-measured, Traps); this
long after it is cancelled again."""


class Reader:
    """Reads for one caller at a time, over connections of its own."""

    def __init__(self, way: Source | Nodes) -> None:
        self._way = way
        self._lanes: dict[str, tuple[Source, Lane]] = {}
        self._reads: dict[str, asyncio.Task[Reply]] = {}

    async def read(self, head: Command, streams: Mapping[str, str], block_ms: int) -> Reply:
        """What the first streams to have something give; [] when none has within `block_ms`.

        Raises: Unavailable; ResponseError. What was handed out meanwhile is in the pending list.
        """
        command = (*head, "BLOCK", block_ms, "STREAMS")
        # A server that is gone without a word would block for ever.
        within_s = block_ms / 1000 + SOCKET_TIMEOUT_S
        with translated():
            if not isinstance(self._way, Nodes):
                everything = (*command, *streams, *streams.values())
                return await self._send("", self._way, everything, within_s)
            await self._way.find()
            for stream, start in streams.items():
                if stream not in self._reads:
                    read = self._of_stream(self._way, (*command, stream, start), within_s)
                    self._reads[stream] = asyncio.create_task(read)
            await asyncio.wait(self._reads.values(), return_when=asyncio.FIRST_COMPLETED)
            return self._gathered()

    async def aclose(self) -> None:
        while running := [task for task in self._reads.values() if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=SWALLOWED_S)
        await asyncio.gather(*self._reads.values(), return_exceptions=True)
        self._reads.clear()
        for _, lane in self._lanes.values():
            await lane.aclose()

    async def _of_stream(self, nodes: Nodes, command: Command, within_s: float) -> Reply:
        stream = command[-2]
        try:
            return await self._send(stream, nodes.source(stream.encode()), command, within_s)
        except AskError as error:
            nodes.forget()
            raise RedisClusterException("the slot has moved") from error
        except ResponseError:
            raise
        except Exception:
            nodes.forget()
            raise

    async def _send(self, name: str, source: Source, command: Command, within_s: float) -> Reply:
        used, lane = self._lanes.get(name, (None, None))
        if lane is None or used is not source:
            if lane is not None:
                await lane.aclose()
            lane = Lane(source)
            self._lanes[name] = (source, lane)
        (reply,) = await lane.send([command], within_s)
        if isinstance(reply, Exception):
            raise reply
        return reply or []

    def _gathered(self) -> Reply:
        finished = [stream for stream, task in self._reads.items() if task.done()]
        tasks = [self._reads.pop(stream) for stream in finished]
        failures = [error for task in tasks if (error := task.exception())]
        if failures:
            raise failures[0]
        return [entry for task in tasks for entry in task.result()]
