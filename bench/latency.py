"""From an answer to the run that waits for it, at a steady pace."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from bench.bare import paced
from bench.lifecycles import PATIENCE
from bench.world import AGENT, ARGUMENTS, TOOL, answer, new_run, world

if TYPE_CHECKING:
    from collections.abc import Sequence


async def resume_times(url: str, rate: int, seconds: float) -> Sequence[float]:
    """Seconds from the answer's call to the waiter's return, at that many answers a second."""
    count = int(rate * seconds)
    answered: dict[str, float] = {}
    waits: list[float] = []
    async with world(url) as made:
        run_ids = [await new_run(made.broker) for _ in range(100)]
        ask_ids: list[str] = []

        async def wait(ask_id: str) -> None:
            await made.broker.wait(AGENT, ask_id, PATIENCE)
            waits.append(time.perf_counter() - answered[ask_id])

        waiting = []
        for number in range(count):
            standing = await made.broker.open(
                AGENT,
                run_ids[number % len(run_ids)],
                tool=TOOL,
                arguments=ARGUMENTS,
                call_id=f"latency-{number}",
            )
            if standing.record is not None:
                ask_ids.append(standing.record.ask.id)
                waiting.append(asyncio.create_task(wait(standing.record.ask.id)))

        async def give(number: int) -> None:
            answered[ask_ids[number]] = time.perf_counter()
            await answer(made.broker, ask_ids[number])

        await paced(rate, count, give)
        await asyncio.gather(*waiting)
    return waits
