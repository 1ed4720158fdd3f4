"""One reader's blocking reads: all streams at once on one server, stream by stream on a cluster."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from gateway.redis_store.client import SOCKET_TIMEOUT_S, translated
from gateway.redis_store.cluster import Nodes
from gateway.redis_store.lane import Lane, pack

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gateway.redis_store.lane import Command, Source

Reply = list[tuple[str, list[tuple[str, Any]]]]
"""By stream: entries, each an id and flat fields, or None for one that was deleted."""

SWALLOWED_S = 0.2
"""Ours: a read that is just connecting may swallow being cancelled (store-measured, Traps); this
long after it is cancelled again."""


LATE_S = 0.25
"""Ours: how much later than its time a read may say that there was nothing."""


class Reader:
    """Reads for one caller at a time, over connections of its own."""

    def __init__(self, way: Source | Nodes) -> None:
        self._way = way
        self._lanes: dict[str, tuple[Source, Lane]] = {}
        self._reads: dict[str, asyncio.Task[Reply]] = {}

    async def read(self, head: Command, streams: Mapping[str, str], block_ms: int) -> Reply:
        """What the first streams to have something give; [] when none has within `block_ms`.

        Raises: Unavailable; ResponseError. What was handed out meanwhile is in the pending list. A
        slot that has moved is found by the calls that look there next.
        """
        with translated():
            if not isinstance(self._way, Nodes):
                names = (*streams, *streams.values())
                command = (*head, "BLOCK", block_ms, "STREAMS", *names)
                return await self._send("", self._way, command, block_ms)
            return await self._of_streams(self._way, head, streams, block_ms)

    async def aclose(self) -> None:
        while running := [task for task in self._reads.values() if not task.done()]:
            for task in running:
                task.cancel()
            await asyncio.wait(running, timeout=SWALLOWED_S)
        await asyncio.gather(*self._reads.values(), return_exceptions=True)
        self._reads.clear()
        for _, lane in self._lanes.values():
            await lane.aclose()

    async def _of_streams(
        self, nodes: Nodes, head: Command, streams: Mapping[str, str], block_ms: int
    ) -> Reply:
        loop = asyncio.get_running_loop()
        await nodes.find()
        end = loop.time() + block_ms / 1000
        while (left_s := end - loop.time()) > 0 or self._reads:
            for stream, start in streams.items():
                if left_s > 0 and stream not in self._reads:
                    left_ms = max(1, round(left_s * 1000))
                    command = (*head, "BLOCK", left_ms, "STREAMS", stream, start)
                    read = self._send(stream, nodes.source(stream.encode()), command, left_ms)
                    self._reads[stream] = asyncio.create_task(read)
            # Those that go on are for the next call: what they are handed would be lost with them.
            finished, _ = await asyncio.wait(
                self._reads.values(),
                timeout=max(left_s, LATE_S),
                return_when=asyncio.FIRST_COMPLETED,
            )
            reply = self._gathered()
            if reply or (left_s <= 0 and not finished):
                return reply
        return []

    async def _send(self, name: str, source: Source, command: Command, block_ms: int) -> Reply:
        used, lane = self._lanes.get(name, (None, None))
        if lane is None or used is not source:
            if lane is not None:
                await lane.aclose()
            lane = Lane(source)
            self._lanes[name] = (source, lane)
        # A server that is gone without a word would block for ever.
        (reply,) = await lane.send([pack(command)], block_ms / 1000 + SOCKET_TIMEOUT_S)
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
