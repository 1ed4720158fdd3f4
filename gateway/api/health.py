"""Whether this process lives, whether it can serve, and what it counted. No token is asked for:
what is told holds no names.
"""

from __future__ import annotations

from aiohttp import web

from gateway.api.endpoints import reply
from gateway.api.parts import PARTS
from gateway.api.shapes import Health
from gateway.errors import Unavailable


async def healthz(_request: web.Request) -> web.Response:
    """Whether the process lives; nothing else is looked at."""
    return reply(200, Health(status="alive"))


async def readyz(request: web.Request) -> web.Response:
    """Whether the store answers and waiters hear of its events."""
    parts = request.app[PARTS]
    await parts.store.ping()
    if not parts.waiters.hearing.is_set():
        raise Unavailable("The log's tail is not read yet.")
    return reply(200, Health(status="ready"))


async def metrics(request: web.Request) -> web.Response:
    """Counters, for Prometheus."""
    body, content_type = request.app[PARTS].metrics.render()
    return web.Response(body=body, headers={"Content-Type": content_type})
