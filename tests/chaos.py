"""Asks while gateway and engine are killed: none lost, none settled twice, each run told.

`python -m tests.chaos --asks 10000`. Every caller retries until it is told; whatever it was told
must still be so at the end.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import sys
import tempfile
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from tests.ports import kept_port

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

AT_ONCE = 64
RETRY_S = 0.05
KILL_EVERY_S = (2.0, 6.0)
"""Between two kills, on average twice what a gateway takes to be back: work is done in between."""

COMES_UP = 0.5
"""Ours: after so many kills the next waits until it is back."""

GIVE_UP_S = 120.0
"""A gateway that is away longer than this fails the run."""

LABELS = ("red", "blue", "green", "grey")


@dataclass
class Told:
    """What the callers of one ask were told."""

    ask_id: str = ""
    run_id: str = ""
    winners: dict[str, str] = field(default_factory=dict)  # try id → label, for each that won
    result: str = ""


@dataclass
class Report:
    asks: int
    lost: int = 0
    doubled: int = 0
    untold: int = 0
    kills: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    @property
    def clean(self) -> bool:
        return not (self.lost or self.doubled or self.untold)

    def __str__(self) -> str:
        return (
            f"{self.asks} asks in {self.seconds:.0f} s, {self.kills['gateway']} gateways and"
            f" {self.kills['engine']} engines killed: {self.lost} lost,"
            f" {self.doubled} settled twice, {self.untold} runs not told"
        )


class Gateway:
    """`oz0 up` on one folder and port, started again whenever it is gone."""

    def __init__(self, folder: Path, port: int) -> None:
        folder.mkdir(mode=0o700)
        self._folder = folder
        self.url = f"http://127.0.0.1:{port}"
        self._environ = {**os.environ, "OZ_DATA": str(folder), "OZ_BIND": f"127.0.0.1:{port}"}
        self._environ.pop("OZ_REDIS_URL", None)
        self.process: asyncio.subprocess.Process | None = None

    async def keep(self) -> None:
        """Starts it, and again each time it has died, until cancelled; then ends it for good."""
        try:
            with (self._folder.parent / "gateway.log").open("ab") as log:
                while True:
                    self.process = await asyncio.create_subprocess_exec(
                        sys.executable, "-m", "gateway.cli", "up", env=self._environ,
                        stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                    )  # fmt: skip
                    await self.process.wait()
        finally:
            if self.process is not None and self.process.returncode is None:
                self.process.terminate()
                await self.process.wait()

    def kill(self, what: str) -> bool:
        """Kills the gateway or its engine outright; False when that one is not running."""
        if self.process is None or self.process.returncode is not None:
            return False
        pid = self.process.pid if what == "gateway" else _server_of(self.process.pid)
        if pid is None:
            return False
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    @property
    def token(self) -> str:
        """The first token, from the data folder."""
        found = next(self._folder.glob("*token*"), None)
        return found.read_text("utf-8").strip() if found else ""


class Chaos:
    """One run of the whole thing."""

    def __init__(
        self, asks: int, seed: int, kill_every_s: tuple[float, float] = KILL_EVERY_S
    ) -> None:
        self._asks = asks
        self._kill_every_s = kill_every_s
        self._random = random.Random(seed)  # reproducible on purpose
        self.report = Report(asks)

    async def run(self) -> Report:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="oz-chaos-") as root:
            gateway = Gateway(Path(root) / "data", kept_port())
            keeping = asyncio.create_task(gateway.keep())
            try:
                await _until(lambda: _ready(gateway))
                await self._play(gateway)
            finally:
                keeping.cancel()
                await asyncio.gather(keeping, return_exceptions=True)
        self.report.seconds = time.monotonic() - started
        return self.report

    async def _play(self, gateway: Gateway) -> None:
        headers = {"authorization": f"Bearer {gateway.token}"}
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(gateway.url, headers=headers, connector=connector) as http:
            numbers = iter(range(self._asks))

            async def agent() -> list[Told]:
                return [await self._one(http, number) for number in numbers]

            killing = asyncio.create_task(self._kill(gateway))
            done = await asyncio.gather(*(agent() for _ in range(AT_ONCE)))
            told = [one for some in done for one in some]
            killing.cancel()
            await asyncio.gather(killing, return_exceptions=True)
            for start in range(0, len(told), AT_ONCE):
                await asyncio.gather(*(self._check(http, t) for t in told[start : start + AT_ONCE]))

    async def _kill(self, gateway: Gateway) -> None:
        for what in cycle(("gateway", "engine")):
            await asyncio.sleep(self._random.uniform(*self._kill_every_s))
            if gateway.kill(what):
                self.report.kills[what] += 1
            # Some die while they start; if all did, on a busy machine nothing would ever be asked.
            if self._random.random() < COMES_UP:
                await _until(lambda: _ready(gateway))

    async def _one(self, http: aiohttp.ClientSession, number: int) -> Told:
        told = Told(run_id=f"job-{uuid.uuid4()}")
        await _insist(http, "POST", "/v1/runs", {"id": told.run_id, "agent": "chaos"})
        asked = await _insist(
            http,
            "POST",
            f"/v1/runs/{told.run_id}/asks",
            {
                "tool": "oz.ask_user",
                "arguments": {"question": f"Which colour, {number}?", "choices": list(LABELS)},
                "call_id": "call-1",
            },
        )
        told.ask_id = asked["ask"]["id"]
        waiting = asyncio.create_task(self._wait(http, told))
        await asyncio.gather(*(self._answer(http, told, label) for label in LABELS[:2]))
        await waiting
        return told

    async def _wait(self, http: aiohttp.ClientSession, told: Told) -> None:
        body: dict[str, Any] = {"status": "pending"}
        while body["status"] == "pending":
            body = await _insist(http, "GET", f"/v1/asks/{told.ask_id}/result?wait=30")
        told.result = body.get("result", "")

    async def _answer(self, http: aiohttp.ClientSession, told: Told, label: str) -> None:
        key = uuid.uuid4().hex
        body = await _insist(
            http,
            "POST",
            f"/v1/asks/{told.ask_id}/answer",
            {"answer": label},
            key=key,
            may_be=(409,),
        )
        if "code" not in body:
            told.winners[key] = label

    async def _check(self, http: aiohttp.ClientSession, told: Told) -> None:
        """What the callers were told stands in the record, once."""
        body = await _insist(http, "GET", f"/v1/asks/{told.ask_id}/result", may_be=(404,))
        history = await _insist(http, "GET", f"/v1/runs/{told.run_id}/history", may_be=(404,))
        kinds = Counter(event["type"] for event in history.get("events", ()))
        if body.get("status") != "answered" or not kinds["ask.opened"]:
            self.report.lost += 1
        elif len(told.winners) != 1 or kinds["ask.answered"] != 1 or kinds["ask.opened"] != 1:
            self.report.doubled += 1
        elif not (
            body["result"] == told.result == f"The answer: {next(iter(told.winners.values()))}"
        ):
            self.report.untold += 1


async def _insist(
    http: aiohttp.ClientSession,
    method: str,
    path: str,
    body: dict[str, Any] | None = None,
    *,
    key: str | None = None,
    may_be: tuple[int, ...] = (),
) -> dict[str, Any]:
    """Asks until the answer is not `unavailable`. Raises: RuntimeError for any other refusal."""
    headers = {"idempotency-key": key} if key else {}
    give_up = time.monotonic() + GIVE_UP_S
    while time.monotonic() < give_up:
        try:
            async with http.request(method, path, json=body, headers=headers) as response:
                if response.status in (200, 201, *may_be):
                    answer: dict[str, Any] = await response.json()
                    return answer
                if response.status != 503:
                    raise RuntimeError(
                        f"{method} {path}: {response.status} {await response.text()}"
                    )
        except (aiohttp.ClientError, TimeoutError):
            pass  # killed under us: that is the point
        await asyncio.sleep(RETRY_S)
    raise RuntimeError(f"{method} {path}: away for {GIVE_UP_S} s")


async def _ready(gateway: Gateway) -> bool:
    try:
        async with aiohttp.ClientSession() as http, http.get(f"{gateway.url}/readyz") as response:
            return response.status == 200 and bool(gateway.token)
    except aiohttp.ClientError:
        return False


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    give_up = time.monotonic() + GIVE_UP_S
    while not await holds():
        if time.monotonic() > give_up:
            raise RuntimeError("the gateway did not start")
        await asyncio.sleep(RETRY_S)


def _server_of(gateway: int) -> int | None:
    """The engine's pid: the gateway's child that is a Redis or Valkey server."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, rest = stat.read_text("utf-8").rpartition(")")
        except OSError:
            continue  # gone meanwhile
        pid, _, name = head.partition(" (")
        if int(rest.split()[1]) == gateway and ("redis" in name or "valkey" in name):
            return int(pid)
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--asks", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = parser.parse_args()
    print(f"# seed {given.seed}", flush=True)
    report = asyncio.run(Chaos(given.asks, given.seed).run())
    print(report)
    return 0 if report.clean else 1


if __name__ == "__main__":
    sys.exit(main())
