"""The port that chat platforms call, apart from the API: what arrives there proves itself.

Each route checks its platform's own signature; nothing of the API can be reached here.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from gateway.api.connection import Runner
from gateway.api.errors import one_shape
from gateway.api.incoming import read_body, unpacked

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from gateway.config import Bind

BODY_BYTES = 1_048_576
"""Ours: Teams sends the most, and stays below 256 KB."""


@asynccontextmanager
async def serving_hooks(
    routes: Sequence[web.AbstractRouteDef], bind: Bind, *, finish_s: float
) -> AsyncIterator[str]:
    """Serves them, at the address it yields; on leaving, calls under way get `finish_s`.

    Raises: OSError, the port is taken.
    """
    app = web.Application(client_max_size=BODY_BYTES, middlewares=[one_shape, unpacked, _arrived])
    app.add_routes(routes)
    runner = Runner(app, finish_s, hang_up_ends=False)  # a platform that gave up has still told us
    await runner.setup()
    try:
        await web.TCPSite(runner, bind.host, bind.port).start()
        host, port = runner.addresses[0][:2]
        yield f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    finally:
        await runner.cleanup()


@web.middleware
async def _arrived(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    await read_body(request)
    return await handler(request)
