"""The HTTP API as one application, and the server that runs it with its limits.

Only names this gateway goes by are served: a page elsewhere whose name was made to point here
(DNS rebinding) gets nothing.
"""

from __future__ import annotations

import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from gateway.api import strict_json
from gateway.api.connection import Runner
from gateway.api.errors import HttpRefusal, one_shape
from gateway.api.incoming import unpacked
from gateway.api.openapi import document
from gateway.api.parts import PARTS, Parts
from gateway.api.routes import ENDPOINTS, OPEN

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Awaitable, Callable

_HOST = re.compile(r"(?:\[(?P<ip>[0-9a-f:.]+)]|(?P<name>[a-z0-9._-]+))(?::[0-9]*)?")

BACKLOG = 512
"""Ours: connections that wait to be taken, when many callers come back at once."""

HEADERS = {
    "Cache-Control": "no-store",  # answers hold content
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Server": "oz-gateway",
    "X-Content-Type-Options": "nosniff",
}


def build_app(parts: Parts) -> web.Application:
    """The whole API over these parts. Run it with `serving`."""
    app = web.Application(
        client_max_size=parts.settings.body_bytes, middlewares=[one_shape, _known_host, unpacked]
    )
    app[PARTS] = parts
    app.on_response_prepare.append(_add_headers)
    for endpoint in ENDPOINTS:
        app.router.add_route(
            endpoint.method, endpoint.path, endpoint.serve, expect_handler=_expected
        )
    for place in OPEN:
        app.router.add_route("GET", place.path, place.handle)
    app.router.add_route("GET", "/openapi.json", _document())
    return app


@asynccontextmanager
async def serving(
    app: web.Application, listener: socket.socket, *, finish_s: float
) -> AsyncIterator[None]:
    """Serves on a bound socket.

    On leaving, those who wait are told how things stand, and calls under way get `finish_s`.
    """
    runner = Runner(app, finish_s, hang_up_ends=True)
    await runner.setup()
    try:
        await web.SockSite(runner, listener, backlog=BACKLOG).start()
        yield
    finally:
        app[PARTS].waiters.close()
        await runner.cleanup()


@web.middleware
async def _known_host(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    named = request.headers.getall("Host", [])
    if len(named) != 1 or _name(named[0]) not in request.app[PARTS].settings.hosts:
        raise HttpRefusal(
            "misdirected",
            "This gateway does not go by that name; allowed_hosts in the config adds one.",
        )
    return await handler(request)


def _name(host: str) -> str | None:
    """The name without its port, in lower case; None for what names no host."""
    found = _HOST.fullmatch(host.lower())
    return found and (found["ip"] or found["name"])


async def _expected(request: web.Request) -> None:
    if request.headers.get("Expect", "").lower() != "100-continue":
        refused = {"code": "invalid_argument", "message": "Only Expect: 100-continue is known."}
        raise web.HTTPExpectationFailed(
            text=strict_json.write(refused).decode(), content_type="application/json"
        )
    await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")


async def _add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)


def _document() -> Callable[[web.Request], Awaitable[web.Response]]:
    made: list[bytes] = []

    async def openapi(_request: web.Request) -> web.Response:
        if not made:  # on first need: every schema is built for it
            made.append(strict_json.write(document()))
        return web.Response(body=made[0], content_type="application/json")

    return openapi
