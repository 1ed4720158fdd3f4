"""The port that chat platforms call: bounded as the API is, and refusing in the same shape."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from io import BytesIO

import aiohttp
import pytest
from aiohttp import web

import gateway.api.connection
import gateway.api.incoming
from gateway.api.hooks import BODY_BYTES, serving_hooks
from gateway.config import Bind


async def _echo(request: web.Request) -> web.Response:
    return web.Response(body=await request.read())


@pytest.fixture
async def hooks() -> AsyncIterator[str]:
    """The port with one route, which says what it heard."""
    routes = [web.post("/hook", _echo)]
    async with serving_hooks(routes, Bind("127.0.0.1", 0), finish_s=0.1) as base:
        yield base


async def raw(base: str, text: bytes, until: Callable[[bytes], bool] | None = None) -> bytes:
    """What comes back for these bytes: all of it, or as much as is wanted."""
    host, _, port = base.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(text)
    heard = b""
    try:
        async with asyncio.timeout(20):
            while part := await reader.read(1 << 16):
                heard += part
                if until is not None and until(heard):
                    break
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
    return heard


async def test_what_a_platform_sends_reaches_its_route(hooks: str) -> None:
    """Whole, as it was sent: a signature is over these very bytes."""
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{hooks}/hook", data=b'{"a": 1}') as told,
    ):
        assert (told.status, await told.read()) == (200, b'{"a": 1}')


async def test_what_is_refused_before_a_route_has_the_one_shape(hooks: str) -> None:
    """No such address, a packed body, a large one: each says so, and how large is too large."""
    async with aiohttp.ClientSession() as session:
        for path, body, headers, status, says in (
            ("/", b"", {}, 404, "nothing at this address"),
            ("/hook", gzip.compress(b"{}"), {"Content-Encoding": "gzip"}, 415, "Content-Encoding"),
            ("/hook", b" " * (BODY_BYTES + 1), {}, 413, f"{BODY_BYTES:,}"),
        ):
            async with session.post(hooks + path, data=BytesIO(body), headers=headers) as told:
                assert told.status == status
                assert says in (await told.json())["message"]


async def test_a_slow_head_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line on which half a head came is closed after the idle time."""
    monkeypatch.setattr(gateway.api.connection, "IDLE_S", 0.05)
    async with serving_hooks([web.post("/hook", _echo)], Bind(port=0), finish_s=0.1) as base:
        assert await raw(base, b"POST /hook HTTP/1.1\r\nHo") == b""


async def test_a_slow_body_is_not_waited_for(hooks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """408 in the one shape, before the route hears of it."""
    monkeypatch.setattr(gateway.api.incoming, "BODY_WITHIN_S", 0.05)
    head = b"POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"
    top, _, body = (await raw(hooks, head, lambda heard: heard.endswith(b"}"))).partition(
        b"\r\n\r\n"
    )
    assert b" 408 " in top.splitlines()[0]
    assert json.loads(body)["code"] == "deadline_exceeded"
