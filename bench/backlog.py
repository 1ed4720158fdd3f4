"""A log nobody read for long: how soon it is drained, and what those who ask meanwhile notice."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis

from bench.lifecycles import one
from bench.world import answer, new_run, worker, world
from gateway.redis_store.keys import Partitions
from gateway.store import Group

if TYPE_CHECKING:
    from bench.world import World

BATCH = 2_000
AT_ONCE = 16
NEARLY = 1_000


async def drain(url: str, entries: int) -> tuple[float, float, float]:
    """Seconds to drain, lifecycles per second meanwhile, and the longest lifecycle in seconds."""
    async with world(url) as made:
        await new_run(made.broker)  # the group exists from here on
    client = Redis.from_url(url)
    await write(client, entries)
    async with world(url) as made, worker(made.store, lambda ask_id: answer(made.broker, ask_id)):
        started = time.perf_counter()
        draining = asyncio.create_task(drained(client))
        times: list[float] = []
        await asyncio.gather(*(agent(made, n, draining, times) for n in range(AT_ONCE)))
        elapsed = await draining - started
    await client.aclose()
    return elapsed, len(times) / elapsed, max(times)


async def agent(made: World, number: int, until: asyncio.Task[Any], times: list[float]) -> None:
    """Asks and is answered, again and again, until the backlog is gone."""
    run_id = await new_run(made.broker)
    turn = 0
    while not until.done():
        started = time.perf_counter()
        await one(made, run_id, f"{number}-{turn}")
        times.append(time.perf_counter() - started)
        turn += 1


async def write(client: Redis, entries: int) -> None:
    """Puts events on the logs that ask for nothing, as most do."""
    await client.config_set("appendfsync", "no")
    logs = [keys.log for keys in Partitions.of(16).all]
    event: dict[Any, Any] = {
        "e": "ask.opened", "r": "job-89d7a8bb-a500-47f6-9110-a82bb0dc3a18",
        "a": "a-e86fd5992aeb", "w": "acme", "t": "1796040150832", "n": "-",
    }  # fmt: skip
    for start in range(0, entries, BATCH):
        pipe = client.pipeline(transaction=False)
        for number in range(start, min(start + BATCH, entries)):
            pipe.xadd(logs[number % len(logs)], event)
        await pipe.execute()
    await client.config_set("appendfsync", "always")


async def drained(client: Redis) -> float:
    """The time when the resume group has read every log to its end."""
    logs = [keys.log for keys in Partitions.of(16).all]
    while True:
        behind = 0
        for log in logs:
            groups: Any = await client.xinfo_groups(log)
            behind += sum(
                int(group["lag"] or 0) + int(group["pending"])
                for group in groups
                if group["name"] == Group.RESUME.encode()
            )
        # Lifecycles add entries all the time, and many are acknowledged together.
        if behind < NEARLY:
            return time.perf_counter()
        await asyncio.sleep(0.25)
