"""Ask → taken by a worker → answered → waiter resumed: how many a second, and what they cost."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from redis.asyncio import Redis

from bench.world import AGENT, ANSWER, ARGUMENTS, TOOL, answer, new_run, worker, world

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bench.world import World

PATIENCE = timedelta(seconds=60)

OURS = ("evalsha", "eval", "xreadgroup", "xread", "xack", "xautoclaim", "hgetall", "sismember")
"""What clients send in a lifecycle; what scripts call besides is part of their EVALSHA."""


async def one(made: World, run_id: str, call_id: str) -> None:
    """A whole lifecycle from the agent's side."""
    ended = await made.broker.open(
        AGENT, run_id, tool=TOOL, arguments=ARGUMENTS, call_id=call_id, within=PATIENCE
    )
    if ended.result != f"The answer: {ANSWER}":
        raise RuntimeError(f"{call_id} was not answered")


async def broker_rate(url: str, at_once: int, total: int) -> tuple[float, float]:
    """Lifecycles per second, and the commands each took as the server counts them."""
    async with world(url) as made, worker(made.store, lambda ask_id: answer(made.broker, ask_id)):

        async def agent(number: int, rounds: int) -> None:
            run_id = await new_run(made.broker)
            for turn in range(rounds):
                await one(made, run_id, f"{number}-{turn}")

        return await measured(url, at_once, total, agent)


async def measured(
    url: str, at_once: int, total: int, agent: Callable[[int, int], Awaitable[None]]
) -> tuple[float, float]:
    """Runs `agent(number, rounds)` that many at once, after a short warm-up."""
    await agent(-1, 5)
    rounds = max(1, total // at_once)
    before = await commands(url)
    started = time.perf_counter()
    await asyncio.gather(*(agent(number, rounds) for number in range(at_once)))
    elapsed = time.perf_counter() - started
    done = rounds * at_once
    return done / elapsed, (await commands(url) - before) / done


async def commands(url: str) -> int:
    """How many of our commands the server has counted so far."""
    client = Redis.from_url(url)
    stats = await client.info("commandstats")
    await client.aclose()
    return sum(
        int(stats[name]["calls"]) for name in (f"cmdstat_{n}" for n in OURS) if name in stats
    )
