"""With the store away: 503 in the one shape, nothing half done, and it goes on when it is back."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import redis

from gateway.embedded_redis import EngineError, find_server
from tests.api.serving import RUN, Gateway, make_tokens
from tests.api.serving import gateway as a_gateway
from tests.waiting import until


class Engine:
    """A Redis that keeps what it was told, and can be killed and started again."""

    def __init__(self, binary: Path, folder: Path) -> None:
        self._command = [
            *(str(binary), "--port", "0", "--unixsocket", str(folder / "redis.sock")),
            *("--dir", str(folder), "--save", "", "--appendonly", "yes"),
        ]
        self.url = f"unix://{folder / 'redis.sock'}"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdout=asyncio.subprocess.DEVNULL
        )
        await until(self._answers, "the engine answers")

    async def kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    def _answers(self) -> bool:
        with redis.Redis.from_url(self.url) as client:
            try:
                return bool(client.ping())
            except redis.ConnectionError:
                return False


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    """Not started yet."""
    try:
        binary = find_server()
    except EngineError as error:
        pytest.skip(error.message)
    folder = Path(tempfile.mkdtemp(prefix="oz-tests-", dir="/tmp"))
    made = Engine(binary, folder)
    yield made
    await made.kill()
    shutil.rmtree(folder)


@pytest.fixture
async def gw(engine: Engine, tmp_path: Path) -> AsyncIterator[Gateway]:
    """A gateway over that engine."""
    await engine.start()
    async with a_gateway(engine.url, tmp_path) as made:
        await make_tokens(made)
        # Every token is known here: what is refused then is the call, not the caller.
        for who in made.secrets:
            await made.parts.tokens.caller_of(made.secrets[who])
        yield made


def calls(ask: str) -> list[tuple[str, str, str, Any]]:
    """Who calls what, and with which body."""
    tool = {"tool": "ask_a_human", "arguments": {"question": "Q?"}, "call_id": "new"}
    return [
        ("agent", "POST", "/v1/runs", {}),
        ("agent", "GET", f"/v1/runs/{RUN}", None),
        ("agent", "POST", f"/v1/runs/{RUN}/end", {"status": "failed"}),
        ("agent", "POST", f"/v1/runs/{RUN}/asks", tool),
        ("agent", "GET", f"/v1/runs/{RUN}/history", None),
        ("agent", "GET", f"/v1/runs/{RUN}/events", None),
        ("agent", "GET", f"/v1/asks/{ask}/result?wait=1", None),
        ("operator", "GET", "/v1/asks", None),
        ("operator", "POST", f"/v1/asks/{ask}/answer", {"answer": "Staging"}),
        ("operator", "POST", f"/v1/agents/{RUN}/resume", {"input": {}}),
        ("owner", "GET", "/v1/tokens", None),
        ("owner", "POST", "/v1/tokens", {"name": "new", "role": "reader"}),
        ("operator", "POST", "/oz.v1.Approvals/ListApprovals", {}),
        ("operator", "POST", "/oz.v1.Approvals/DecideApproval", {"id": ask, "approve": False}),
        ("owner", "GET", "/readyz", None),
    ]


async def test_every_call_is_refused_as_unavailable(gw: Gateway, engine: Engine) -> None:
    """And nothing of them was done, when the store is back and they are looked for."""
    ask = await gw.deploy()
    before = (await gw.as_("owner").get(f"/v1/runs/{RUN}/history")).body
    await engine.kill()
    for who, method, path, body in calls(ask):
        client = gw.as_(who)
        refused = await (client.get(path) if method == "GET" else client.post(path, body))
        assert (path, refused.status, refused.code) == (path, 503, "unavailable")
        assert refused.headers["Retry-After"] == "1"
    assert (await gw.nobody().get("/healthz")).status == 200
    counted = (await gw.nobody().get("/metrics")).body
    assert f"oz_store_unavailable_total {len(calls(ask))}.0" in counted
    await engine.start()
    after = await gw.as_("owner").get(f"/v1/runs/{RUN}/history")
    assert after.body == before
    assert await gw.status(ask) == "pending"
    assert len((await gw.as_("owner").get("/v1/asks")).body["asks"]) == 1
    await until(lambda: _ready(gw), "the gateway is ready again")


async def test_a_try_that_met_no_store_is_made_again(gw: Gateway, engine: Engine) -> None:
    """With the same key, once the store is back; one outcome stands."""
    ask = await gw.deploy()
    path, body = f"/v1/asks/{ask}/answer", {"answer": "Staging"}
    await engine.kill()
    refused = await gw.as_("U1").post(path, body, idempotency_key="k")
    await engine.start()
    taken = await gw.as_("U1").post(path, body, idempotency_key="k")
    again = await gw.as_("U1").post(path, body, idempotency_key="k")
    assert [refused.status, taken.status, again.status] == [503, 200, 200]
    assert await gw.endings() == 1


async def test_a_wait_outlives_the_store(gw: Gateway, engine: Engine) -> None:
    """Whoever waits while it is away is told the answer that came after it was back."""
    ask = await gw.deploy()
    waiting = asyncio.create_task(gw.as_("agent").get(f"/v1/asks/{ask}/result?wait=60"))
    await until(lambda: ask in gw.parts.waiters._watches, "somebody waits for the ask")
    await engine.kill()
    await engine.start()
    await until(lambda: _ready(gw), "the gateway is ready again")
    answered = await gw.as_("U1").post(f"/v1/asks/{ask}/answer", {"answer": "Cancel"})
    assert answered.status == 200
    told = await waiting
    # The store may have been looked at while it was away; the caller then asks again.
    if told.status == 503:
        told = await gw.as_("agent").get(f"/v1/asks/{ask}/result?wait=60")
    assert told.body["result"] == {"answer": "Cancel", "option_id": "o3"}


async def test_a_feed_goes_on_after_the_store_was_away(gw: Gateway, engine: Engine) -> None:
    """Cut or not, a reader that sends the last id it saw misses and repeats nothing."""
    await gw.run()
    headers = {"Authorization": f"Bearer {gw.secrets['agent']}"}
    path = f"{gw.base}/v1/runs/{RUN}/events"

    async def read_on(seen: list[str]) -> None:
        last = {"Last-Event-ID": seen[-1]} if seen else {}
        async with gw.session.get(path, headers=headers | last) as response:
            with suppress(aiohttp.ClientPayloadError):  # cut: the reader comes again
                async for line in response.content:
                    seen += [line[4:].decode().strip()] if line.startswith(b"id: ") else []

    async def read_all(seen: list[str]) -> None:
        while (await gw.as_("agent").get(f"/v1/runs/{RUN}")).body.get("ended_at") is None:
            await read_on(seen)

    seen: list[str] = []
    reading = asyncio.create_task(read_all(seen))
    await until(lambda: seen, "the first event was read")
    await engine.kill()
    await engine.start()
    await until(lambda: _ready(gw), "the gateway is ready again")
    ask = await gw.deploy()
    await gw.as_("U1").post(f"/v1/asks/{ask}/answer", {"answer": "Staging"})
    await gw.as_("agent").post(f"/v1/runs/{RUN}/end", {"status": "finished"})
    await reading
    await read_on(seen)
    history = (await gw.as_("agent").get(f"/v1/runs/{RUN}/history")).body["events"]
    assert seen == [event["id"] for event in history]


async def test_a_token_that_cannot_be_looked_up_is_not_unknown(gw: Gateway, engine: Engine) -> None:
    """503 and not 401: a caller must not throw its token away for our trouble."""
    gw.parts.tokens._known.clear()
    await engine.kill()
    refused = await gw.as_("owner").get("/v1/asks")
    assert (refused.status, refused.code) == (503, "unavailable")


async def _ready(gw: Gateway) -> bool:
    return (await gw.nobody().get("/readyz")).status == 200
