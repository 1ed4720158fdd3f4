"""redis-py alone on the same server: what a command costs, and how soon a blocked read wakes."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

BODY = "x" * 600
STATE: dict[Any, Any] = {
    "status": "pending",
    "entry": "1796040150832-0",
    "run": "job-89d7a8bb-a500-47f6-9110",
}


async def bare_ops(url: str, at_once: int, total: int) -> float:
    """Commands per second of a mix like a lifecycle's: same sizes, no pipeline."""
    client = Redis.from_url(url)

    async def one(number: int, rounds: int) -> None:
        for turn in range(rounds):
            key = f"bare:{number}:{turn % 10}"
            await client.xadd("bare:stream", {"a": key, "b": BODY}, maxlen=10_000)
            await client.hset(f"{key}:state", mapping=STATE)
            await client.set(key, BODY)
            await client.get(key)

    rounds = max(1, total // at_once // 4)
    await one(0, 5)
    started = time.perf_counter()
    await asyncio.gather(*(one(number, rounds) for number in range(at_once)))
    elapsed = time.perf_counter() - started
    await client.aclose()
    return rounds * at_once * 4 / elapsed


async def wake_times(url: str, rate: int, seconds: float) -> Sequence[float]:
    """Seconds from XADD to the blocked reader's return, at that many a second."""
    writer, reader = Redis.from_url(url), Redis.from_url(url, socket_timeout=None)
    await writer.delete("bare:wake")
    sent: dict[bytes, float] = {}
    waits: list[float] = []

    async def read(count: int) -> None:
        last = "0-0"
        while len(waits) < count:
            reply: Any = await reader.xread({"bare:wake": last}, block=5_000)
            for _, entries in reply or []:
                for entry_id, fields in entries:
                    waits.append(time.perf_counter() - sent[fields[b"n"]])
                    last = entry_id

    async def write(number: int) -> None:
        name = str(number).encode()
        sent[name] = time.perf_counter()
        await writer.xadd("bare:wake", {"n": name})

    count = int(rate * seconds)
    reading = asyncio.create_task(read(count))
    await paced(rate, count, write)
    await reading
    await writer.aclose()
    await reader.aclose()
    return waits


async def paced(rate: int, count: int, act: Callable[[int], Awaitable[None]]) -> None:
    """Starts `act(n)` at an even pace, whether or not those before have finished."""
    loop = asyncio.get_running_loop()
    started = loop.time()
    acts = []
    for number in range(count):
        await asyncio.sleep(max(0.0, started + number / rate - loop.time()))
        acts.append(asyncio.ensure_future(act(number)))
    await asyncio.gather(*acts)
