"""Socket Mode: one connection after the other, each by an address that is good once.

The library's own client goes on trying an address that was used up, and looks for a new one only
at its next ping; so this is ours. Whoever handles what comes confirms it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aiohttp import ClientError, ClientSession, ClientWebSocketResponse, WSMsgType

from channels.contract import Later, Unsure
from gateway.backoff import Backoff
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    Confirm = Callable[[Any], Awaitable[None]]
    Handle = Callable[[dict[str, Any], Confirm], Coroutine[Any, Any, None]]
    Spawn = Callable[[Coroutine[Any, Any, None]], None]

PING_S = 10.0
"""Ours: a connection whose other end is silent for half as long again is given up."""

LINGER_S = 10.0
"""Slack's: it says so long ahead that it ends a connection; what comes on it until then counts."""

STEADY_S = 5.0
"""Ours: a connection that ends sooner is followed by a rest, so that nothing spins."""

_log = logging.getLogger("channels.slack")


class Sockets:
    """Connections, for as long as `run` runs.

    Args:
        address: a new one from `apps.connections.open`. Raises: PostError.
        handle: takes an envelope, and confirms it with the answer it has, if any.
        spawn: runs the handling of one envelope, so that none waits for another.
    """

    def __init__(
        self,
        session: ClientSession,
        address: Callable[[], Awaitable[str]],
        handle: Handle,
        spawn: Spawn,
    ) -> None:
        self._session = session
        self._address = address
        self._handle = handle
        self._spawn = spawn
        self._replaced: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Until cancelled. Raises: PostError, no address is to be had."""
        try:
            await self._run()
        finally:
            for task in self._replaced:
                task.cancel()
            await asyncio.gather(*self._replaced, return_exceptions=True)

    async def _run(self) -> None:
        backoff, clock = Backoff(), asyncio.get_running_loop().time
        while True:
            wait_s: float | None = None
            began = clock()
            try:
                await self._connected()
            except (Later, Unsure) as error:
                event(_log, "socket.refused", level=logging.WARNING, code=error.code)
                wait_s = getattr(error, "after_s", None)
            except (ClientError, OSError, TimeoutError) as error:
                event(_log, "socket.failed", level=logging.WARNING, error=error)
            if clock() - began > STEADY_S:
                backoff.reset()
                continue
            await asyncio.sleep(backoff.rest_s() if wait_s is None else wait_s)

    async def _connected(self) -> None:
        """One connection, until it ends or Slack asks for a new one."""
        ws = await self._session.ws_connect(await self._address(), heartbeat=PING_S, max_msg_size=0)
        refreshed = False
        try:
            refreshed = await self._listen(ws)
        finally:
            if refreshed:
                task = asyncio.ensure_future(self._linger(ws))
                self._replaced.add(task)
                task.add_done_callback(self._replaced.discard)
            else:
                await ws.close()

    async def _linger(self, ws: ClientWebSocketResponse) -> None:
        """A connection that is being replaced: what was on its way is taken and confirmed."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_S):
                    while await self._listen(ws):
                        pass
        finally:
            await ws.close()

    async def _listen(self, ws: ClientWebSocketResponse) -> bool:
        """Until the connection ends, or Slack asks for a new one: then True."""
        async for message in ws:
            if message.type is not WSMsgType.TEXT:
                continue
            try:
                envelope = json.loads(message.data)
            except (ValueError, RecursionError):
                continue
            match envelope:
                case {"type": "disconnect"}:
                    event(_log, "socket.refreshed", code=str(envelope.get("reason")))
                    return True
                case {"envelope_id": str(name)}:
                    self._spawn(self._handle(envelope, _confirm(ws, name)))
        return False


def _confirm(ws: ClientWebSocketResponse, envelope_id: str) -> Confirm:
    async def confirm(payload: Any) -> None:
        answer = {"envelope_id": envelope_id}
        if payload is not None:
            answer["payload"] = payload
        # Slack brings it again where this does not arrive.
        with suppress(ConnectionError):
            await ws.send_str(json.dumps(answer))

    return confirm
