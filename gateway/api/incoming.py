"""A body on its way in, on either port: as it was sent, whole, in time, and no larger than allowed.

Nothing is unpacked: a megabyte of gzip is a gigabyte, unpacked on the loop that serves everybody.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from gateway.api.errors import HttpRefusal
from gateway.api.limits import BODY_WITHIN_S
from gateway.errors import BadRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ENCODING = "Content-Encoding"


@web.middleware
async def unpacked(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Refuses what names an encoding, before anything of it is read."""
    if ENCODING in request.headers:
        raise HttpRefusal("invalid_argument", f"Send the body as it is, without {ENCODING}.", 415)
    return await handler(request)


async def read_body(request: web.Request) -> bytes:
    """The whole body; read again, it is there at once.

    Raises: BadRequest, HttpRefusal.
    """
    try:
        async with asyncio.timeout(BODY_WITHIN_S):
            return await request.read()
    except TimeoutError:
        words = f"The body did not arrive within {BODY_WITHIN_S:g} seconds."
        raise HttpRefusal("deadline_exceeded", words) from None
    except web.HTTPRequestEntityTooLarge:
        words = f"The body is larger than {request.client_max_size:,} bytes."
        raise HttpRefusal("resource_exhausted", words) from None
    except web.RequestPayloadError:
        raise BadRequest("The body does not arrive as its headers say.") from None
