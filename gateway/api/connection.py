"""aiohttp's server with our limits, and with our error shape for what is not even HTTP."""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.web_protocol import RequestHandler

from gateway.api.errors import answer
from gateway.api.limits import HEADER_BYTES, IDLE_S, MAX_HEADERS
from gateway.log import event

INTERNAL = 500

_log = logging.getLogger("gateway.api")


class Runner(web.AppRunner):
    """Runs an application within our limits.

    Args:
        hang_up_ends: whether a caller that hangs up ends what is done for it.
    """

    def __init__(self, app: web.Application, finish_s: float, *, hang_up_ends: bool) -> None:
        super().__init__(
            app,
            handler_cancellation=hang_up_ends,
            shutdown_timeout=finish_s,
            auto_decompress=False,  # see `incoming`
            # Also how long a head may take to arrive: aiohttp's timer runs from the first byte.
            keepalive_timeout=IDLE_S,
            max_line_size=HEADER_BYTES,
            max_field_size=HEADER_BYTES,
            max_headers=MAX_HEADERS,
            # Its lines hold addresses with ids and nothing of ours; `gateway.log` has its own.
            access_log=None,
        )

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        return _Server(
            server.request_handler,
            request_factory=server.request_factory,
            handler_cancellation=server.handler_cancellation,
            **server._kwargs,  # noqa: SLF001 - no public way leads from a runner to its connections
        )


class _Server(web.Server):
    def __call__(self) -> RequestHandler:
        return _Connection(self, loop=self._loop, **self._kwargs)


class _Connection(RequestHandler):
    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,  # noqa: ARG002 - aiohttp's own words repeat what was sent
    ) -> web.StreamResponse:
        """What aiohttp could not read as HTTP, in our shape; nothing of it is repeated."""
        if request.writer.output_size > 0:
            raise ConnectionError("an answer was begun; another cannot follow")
        if status < INTERNAL:
            words = (
                "The request is not HTTP as this gateway reads it, or its head is too large: "
                f"it has at most {MAX_HEADERS} lines, of at most {HEADER_BYTES:,} bytes each."
            )
            response = answer(status, {"code": "invalid_argument", "message": words})
        else:
            event(_log, "api.failed", level=logging.ERROR, error=exc, http_status=status)
            words = "Something is wrong in the gateway; its log has more."
            response = answer(status, {"code": "internal", "message": words})
        response.force_close()
        return response
