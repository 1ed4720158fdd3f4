"""The port that chat platforms call, apart from the API: what arrives there proves itself.

Each route checks its platform's own signature; nothing of the API can be reached here.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

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
    app = web.Application(client_max_size=BODY_BYTES)
    app.add_routes(routes)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=finish_s)
    await runner.setup()
    try:
        await web.TCPSite(runner, bind.host, bind.port).start()
        host, port = runner.addresses[0][:2]
        yield f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    finally:
        await runner.cleanup()
