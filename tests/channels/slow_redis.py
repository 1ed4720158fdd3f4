"""A Redis that is far away: every reply comes later by the same time, and in its order.

Commands are passed on at once, so that any number of them may be under way.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

CHUNK = 1 << 16
"""Ours: bytes passed on at once."""


@dataclass(slots=True)
class SlowRedis:
    """`url` leads there. `delay_s` may be changed while it runs."""

    url: str
    delay_s: float = 0.0


@asynccontextmanager
async def slow_redis(socket_url: str) -> AsyncIterator[SlowRedis]:
    """A way to the server behind that `unix://` URL."""
    path = urlsplit(socket_url).path
    made = SlowRedis("")

    serving: set[asyncio.Task[None]] = set()

    def begin(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(serve(reader, writer))
        serving.add(task)
        task.add_done_callback(serving.discard)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        their_reader, their_writer = await asyncio.open_unix_connection(path)
        replies: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        ways = [
            asyncio.ensure_future(_pass_on(reader, their_writer)),
            asyncio.ensure_future(_hold(their_reader, replies, made)),
            asyncio.ensure_future(_release(replies, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            their_writer.close()
            writer.close()

    # Not `Server.wait_closed`: from Python 3.12 it waits for connections that pools keep open.
    server = await asyncio.start_server(begin, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    made.url = f"redis://{host}:{port}"
    try:
        yield made
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while chunk := await reader.read(CHUNK):
        writer.write(chunk)
        await writer.drain()


async def _hold(
    reader: asyncio.StreamReader, replies: asyncio.Queue[tuple[float, bytes]], slow: SlowRedis
) -> None:
    loop = asyncio.get_running_loop()
    while chunk := await reader.read(CHUNK):
        replies.put_nowait((loop.time() + slow.delay_s, chunk))


async def _release(
    replies: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
) -> None:
    loop = asyncio.get_running_loop()
    while True:
        due, chunk = await replies.get()
        if (wait_s := due - loop.time()) > 0:
            await asyncio.sleep(wait_s)
        writer.write(chunk)
        await writer.drain()
