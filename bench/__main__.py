"""`make bench`: one figure a line, `name value unit`, all in one run on this machine."""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop

from bench import backlog, bare, chats, lifecycles, over_http, pending
from bench.figures import Figures, percentile, say
from bench.latency import resume_times
from bench.world import world
from gateway.cli.process import rest_collector
from gateway.embedded_redis import EmbeddedRedis

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

RUNS = 3
"""Medians of this many: single runs on a small machine move by a quarter."""

AT_ONCE = {1: 300, 16: 1_600, 64: 3_200}
"""Lifecycles at each concurrency: a few seconds of each."""

RATE = 200
SECONDS = 5.0
MANY = 1_000_000
SOME = 100_000
FEW = 1_000
BACKLOG = 900_000
TIMERS = 1_000
IDLE_S = 15.0


async def main() -> None:
    rest_collector()  # as `oz0 up` does; the bare operations have the good of it too
    figures = Figures()
    await rates(figures)
    await latencies(figures)
    await copies(figures)
    await crowd(figures)
    await unread(figures)
    await starts(figures)


@asynccontextmanager
async def engine() -> AsyncIterator[str]:
    """The embedded engine as users get it, in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="oz-bench-") as folder:
        async with EmbeddedRedis(Path(folder)) as started:
            yield started.url


async def rates(figures: Figures) -> None:
    async with engine() as url:
        for at_once, total in AT_ONCE.items():
            say(f"rates, {at_once} at once")
            bares, brokers, https, commands = [], [], [], []
            for _ in range(RUNS):
                bares.append(await bare.bare_ops(url, at_once, total * 4))
                rate, sent = await lifecycles.broker_rate(url, at_once, total)
                brokers.append(rate)
                commands.append(sent)
                https.append(await over_http.http_rate(url, at_once, total // 2))
            figures.median(f"bare_ops_s_{at_once}", bares, "1/s")
            figures.median(f"broker_lifecycles_s_{at_once}", brokers, "1/s")
            figures.median(f"http_lifecycles_s_{at_once}", https, "1/s")
            figures.median(f"commands_per_lifecycle_{at_once}", commands, "commands")
            ratios = [one / other for one, other in zip(brokers, bares, strict=True)]
            figures.median(f"lifecycles_over_bare_{at_once}", ratios, "ratio")


async def latencies(figures: Figures) -> None:
    say("latencies")
    async with engine() as url:
        wakes, resumes, https = [], [], []
        p50s, http_p50s = [], []
        for _ in range(RUNS):
            wakes.append(percentile(await bare.wake_times(url, RATE, SECONDS), 0.99) * 1000)
            times = await resume_times(url, RATE, SECONDS)
            p50s.append(percentile(times, 0.5) * 1000)
            resumes.append(percentile(times, 0.99) * 1000)
            times = await over_http.http_resume_times(url, RATE, SECONDS)
            http_p50s.append(percentile(times, 0.5) * 1000)
            https.append(percentile(times, 0.99) * 1000)
    figures.median("wake_p99_ms", wakes, "ms")
    figures.median("resume_p50_ms", p50s, "ms")
    figures.median("resume_p99_ms", resumes, "ms")
    ratios = [one / other for one, other in zip(resumes, wakes, strict=True)]
    figures.median("resume_p99_over_wake", ratios, "ratio")
    figures.median("http_resume_p50_ms", http_p50s, "ms")
    figures.median("http_resume_p99_ms", https, "ms")
    ratios = [one / other for one, other in zip(https, wakes, strict=True)]
    figures.median("http_resume_p99_over_wake", ratios, "ratio")


async def copies(figures: Figures) -> None:
    """A press on one of four chats, until all four show it; and what their calls take alone."""
    say("four chats")
    async with engine() as url:
        took, calls = await chats.redraws(url)
    figures.add("redraw_p50_ms", percentile(took, 0.5) * 1000, "ms")
    figures.add("redraw_p99_ms", percentile(took, 0.99) * 1000, "ms")
    figures.add("platform_call_p50_ms", percentile(calls, 0.5) * 1000, "ms")


async def crowd(figures: Figures) -> None:
    """A thousand pending, then a million: what each costs, and what it costs the others."""
    async with engine() as url:
        figures.add("timer_late_max_ms", await pending.timers_late(url, TIMERS), "ms")
        await pending.fill(url, FEW)
        few = figures.median("lifecycles_s_with_1k", await several(url), "1/s")
        say("a million pending")
        started = time.perf_counter()
        await pending.fill(url, MANY, per_run=10)
        say(f"filled in {time.perf_counter() - started:.0f} s")
        many = figures.median("lifecycles_s_with_1m", await several(url), "1/s")
    figures.add("cost_1m_over_1k", few / many, "ratio")


async def unread(figures: Figures) -> None:
    """A backlog of the log, drained while others ask."""
    say("a backlog")
    async with engine() as url:
        elapsed, rate, longest = await backlog.drain(url, BACKLOG)
    figures.add("backlog_drain_s", elapsed, "s")
    figures.add("backlog_lifecycles_s", rate, "1/s")
    figures.add("backlog_lifecycle_max_ms", longest * 1000, "ms")


async def several(url: str) -> list[float]:
    """Lifecycles per second at 64 at once, in several runs."""
    return [(await lifecycles.broker_rate(url, 64, 1_600))[0] for _ in range(RUNS)]


async def starts(figures: Figures) -> None:
    """How soon a gateway is ready, how much a pending ask takes, and what waiting costs."""
    say("starts")
    with tempfile.TemporaryDirectory(prefix="oz-bench-") as name:
        folder = Path(name)
        figures.add("ready_s_empty", await ready_s(folder), "s")
        async with EmbeddedRedis(folder) as started:
            before = await pending.memory(started.url)
            await pending.fill(started.url, SOME)
            async with world(started.url):
                await pending.settle_log(started.url)
            per_ask = (await pending.memory(started.url) - before) / SOME
            await pending.rewrite(started.url)
        figures.add("bytes_per_pending", per_ask, "bytes")
        figures.add("bytes_over_json", per_ask / pending.json_bytes(), "ratio")
        loading = time.perf_counter()
        async with EmbeddedRedis(folder):
            load_s = time.perf_counter() - loading
        figures.add("engine_load_s_100k", load_s, "s")
        figures.add("ready_s_100k", await ready_s(folder), "s")
        async with over_http.gateway(folder, None) as outside:
            await asyncio.sleep(2.0)  # past the start itself
            used = pending.cpu_seconds(outside.pid)
            await asyncio.sleep(IDLE_S)
            used = pending.cpu_seconds(outside.pid) - used
        figures.add("idle_cpu_percent", used / IDLE_S * 100, "%")


async def ready_s(folder: Path) -> float:
    """Seconds from starting `oz0 up` to its /readyz."""
    started = time.perf_counter()
    async with over_http.gateway(folder, None):
        return time.perf_counter() - started


if __name__ == "__main__":
    uvloop.run(main())
