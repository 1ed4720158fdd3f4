"""The same lifecycles as callers of the HTTP API see them: a gateway process, and we outside."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import tempfile
import time
import uuid
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from bench.bare import paced
from bench.lifecycles import measured
from bench.world import ANSWER, ARGUMENTS, TOOL, worker
from gateway.cli.connection import TOKEN_FILE
from gateway.config import DEFAULT_TENANT
from gateway.people import People
from gateway.person import Role
from gateway.redis_store import open_store
from gateway.tokens import Grant, Tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

START_S = 60.0
"""Ours: a gateway that is not ready by then is broken, whatever it holds."""


class Outside:
    """A client of one gateway process."""

    def __init__(self, http: aiohttp.ClientSession, pid: int) -> None:
        self._http = http
        self.pid = pid

    async def send(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        async with self._http.request(method, path, json=body) as response:
            told: dict[str, Any] = await response.json()
            if response.status not in (200, 201):
                raise RuntimeError(f"{method} {path}: {response.status} {told}")
            return told

    async def new_run(self) -> str:
        run_id = f"job-{uuid.uuid4()}"
        await self.send("POST", "/v1/runs", {"id": run_id, "agent": "bench"})
        return run_id

    async def ask(self, run_id: str, call_id: str, wait_s: int) -> dict[str, Any]:
        body = {"tool": TOOL, "arguments": ARGUMENTS, "call_id": call_id}
        return await self.send("POST", f"/v1/runs/{run_id}/asks?wait={wait_s}", body)

    async def answer(self, ask_id: str) -> None:
        await self.send("POST", f"/v1/asks/{ask_id}/answer", {"answer": ANSWER})


@asynccontextmanager
async def gateway(folder: Path, redis_url: str | None) -> AsyncIterator[Outside]:
    """`oz0 up` with its data in that folder, ready, on that Redis or its own engine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    environ = {**os.environ, "OZ_DATA": str(folder), "OZ_BIND": address}
    environ.pop("OZ_REDIS_URL", None)
    if redis_url is not None:
        environ["OZ_REDIS_URL"] = redis_url
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gateway.cli", "up",
        env=environ, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        await ready(f"http://{address}", process)
        secret = await token(redis_url) if redis_url else _first_token(folder)
        async with aiohttp.ClientSession(
            f"http://{address}",
            headers={"authorization": f"Bearer {secret}"},
            connector=aiohttp.TCPConnector(limit=0),
        ) as http:
            yield Outside(http, process.pid)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


def _first_token(folder: Path) -> str:
    return (folder / TOKEN_FILE).read_text("utf-8").strip()


async def token(redis_url: str) -> str:
    """A new token's secret: the first one is made once for a store, whoever serves it later."""
    store = await open_store(redis_url)
    grant = Grant(name=f"bench-{uuid.uuid4().hex[:8]}", role=Role.OWNER, content=True)
    _, secret = await Tokens(store, People()).make(DEFAULT_TENANT.id, grant)
    await store.aclose()
    return secret


async def ready(url: str, process: asyncio.subprocess.Process) -> None:
    """Returns once /readyz says so."""
    give_up = time.monotonic() + START_S
    async with aiohttp.ClientSession() as http:
        while time.monotonic() < give_up and process.returncode is None:
            try:
                async with http.get(f"{url}/readyz") as response:
                    if response.status == 200:
                        return
            except aiohttp.ClientError:
                pass  # not listening yet
            await asyncio.sleep(0.01)
    raise RuntimeError("the gateway did not get ready")


async def http_rate(redis_url: str, at_once: int, total: int) -> float:
    """Lifecycles per second: the ask's own call waits for its answer, a worker answers by HTTP."""
    store = await open_store(redis_url)
    with tempfile.TemporaryDirectory(prefix="oz-bench-") as folder:
        async with gateway(Path(folder), redis_url) as outside, worker(store, outside.answer):

            async def agent(number: int, rounds: int) -> None:
                run_id = await outside.new_run()
                for turn in range(rounds):
                    told = await outside.ask(run_id, f"{number}-{turn}", wait_s=60)
                    if told.get("result") != f"The answer: {ANSWER}":
                        raise RuntimeError("not answered")

            rate, _ = await measured(redis_url, at_once, total, agent)
    await store.aclose()
    return rate


async def http_resume_times(redis_url: str, rate: int, seconds: float) -> Sequence[float]:
    """Seconds from sending the answer to the waiting call's return, at that many a second."""
    count = int(rate * seconds)
    answered: dict[str, float] = {}
    waits: list[float] = []
    with tempfile.TemporaryDirectory(prefix="oz-bench-") as folder:
        async with gateway(Path(folder), redis_url) as outside:
            run_ids = [await outside.new_run() for _ in range(100)]
            ask_ids: list[str] = []
            for number in range(count):
                told = await outside.ask(run_ids[number % len(run_ids)], f"latency-{number}", 0)
                ask_ids.append(told["ask"]["id"])

            async def wait(ask_id: str) -> None:
                await outside.send("GET", f"/v1/asks/{ask_id}/result?wait=60")
                waits.append(time.perf_counter() - answered[ask_id])

            waiting = [asyncio.create_task(wait(ask_id)) for ask_id in ask_ids]
            await asyncio.sleep(1.0)  # every call is at the gateway before the first answer

            async def give(number: int) -> None:
                answered[ask_ids[number]] = time.perf_counter()
                await outside.answer(ask_ids[number])

            await paced(rate, count, give)
            await asyncio.gather(*waiting)
    return waits
