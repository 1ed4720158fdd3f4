"""The way to Redis: commands of one turn of the event loop leave in one write, per server.

One connection that gathers gave up to 1.6 times a pool at 64 at once (store-measured).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis
from redis.exceptions import MovedError, NoScriptError, ResponseError

from gateway.errors import Unavailable
from gateway.redis_store.blocking import Reader
from gateway.redis_store.client import SOCKET_TIMEOUT_S, close, is_away, translated
from gateway.redis_store.cluster import Nodes
from gateway.redis_store.lane import OfClient, pack
from gateway.redis_store.server import Server

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

    from redis.asyncio.cluster import RedisCluster

    from gateway.redis_store.lane import Command

BATCH = 32
"""Measured: larger ones leave the server idle while we read, and us idle while it writes."""

LANES = 2
"""Measured: batches under way at once; two of 32 did 1.4 times the lifecycles of one of 256."""

SLOW_S = 0.02
"""Ours: six times what a full batch takes next door. A reply that takes longer is far away, and
whoever queues behind it would wait that long too."""

MOST_LANES = 32
"""Ours: to a server 300 ms away one batch each 10 ms, for fifty presses a second and the posts they
redraw."""

SCRIPTS = Path(__file__).parent.parent / "scripts"


@dataclass(slots=True)  # not frozen: one is made for every command
class Sent:
    """A command on its way, and who waits for its reply."""

    command: Command
    packed: bytes
    reply: asyncio.Future[Any]
    confirm: bool

    def resolve(self, reply: Any) -> None:
        """Hands the reply on, unless nobody waits any more."""
        if self.reply.done():
            return
        if not isinstance(reply, Exception):
            self.reply.set_result(reply)
        elif isinstance(reply, ResponseError) and is_away(reply):
            self.reply.set_exception(Unavailable("The store cannot serve just now."))
        else:
            self.reply.set_exception(reply)


class Link:
    """Runs commands and scripts. Built by `open_store`; `aclose` ends it.

    `skew_ms` moves the store's clock, in tests only. Without `confirm` no step waits for a replica.
    """

    def __init__(
        self, client: Redis | RedisCluster, *, skew_ms: int = 0, confirm: bool = True
    ) -> None:
        self.skew_ms = skew_ms
        self._confirm = confirm
        self._client = client
        self._way = Server(OfClient(client)) if isinstance(client, Redis) else Nodes(client)
        self._scripts = _load_scripts()
        self._queue: list[Sent] = []
        self._writers: set[asyncio.Task[None]] = set()
        self._sent_at: dict[int, float] = {}
        self._widening: asyncio.TimerHandle | None = None
        self._closed = False

    def reader(self) -> Reader:
        """A new reader, for blocking reads over connections of its own."""
        return Reader(self._way.source if isinstance(self._way, Server) else self._way)

    async def start(self) -> None:
        """Sees that Redis is there. Raises: Unavailable."""
        await self.call("PING")

    async def call(self, *command: Any) -> Any:
        """One command's reply. Raises: Unavailable."""
        return await self._enqueue(command, confirm=False)

    async def script(
        self, name: str, keys: Sequence[str], *args: Any, confirmed: bool = False
    ) -> Any:
        """One script's reply; `confirmed` waits for a replica, where there is one.

        Raises: Unavailable; a step may then have happened or not, and is safe to try again.
        """
        text, sha = self._scripts[name]
        confirmed = confirmed and self._confirm
        rest = (len(keys), *keys, *args)
        try:
            return await self._enqueue(("EVALSHA", sha, *rest), confirm=confirmed)
        except NoScriptError:
            # New to this server, or forgotten in a restart or a failover.
            return await self._enqueue(("EVAL", text, *rest), confirm=confirmed)

    async def server(self) -> dict[str, str]:
        """What the one server says of itself; {} on a cluster. Raises: Unavailable."""
        if not isinstance(self._client, Redis):
            return {}
        with translated():
            async with asyncio.timeout(SOCKET_TIMEOUT_S):
                told: dict[Any, Any] = {}
                told.update(await self._client.info())
                with suppress(ResponseError):  # managed servers forbid CONFIG
                    told.update(await self._client.config_get("appendfsync"))
        return {str(name): str(value) for name, value in told.items()}

    async def aclose(self) -> None:
        """Ends it once what is under way has come back; what is asked of it later is refused."""
        self._closed = True
        if self._widening is not None:
            self._widening.cancel()
        await asyncio.gather(*self._writers)
        await close(self._client)

    def _enqueue(self, command: Command, *, confirm: bool) -> Awaitable[Any]:
        if self._closed:
            # A connection made now would be nobody's to close.
            raise Unavailable("The store is closed.")
        reply: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Packed here, so that text which cannot be fails its own caller and not the whole batch.
        self._queue.append(Sent(command, pack(command), reply, confirm))
        if len(self._writers) < LANES:
            self._writers.add(asyncio.create_task(self._write()))
        elif self._widening is None:
            self._widening = asyncio.get_running_loop().call_later(SLOW_S, self._widen)
        return reply

    def _widen(self) -> None:
        """One lane more, where all that are open wait for a server that is far away."""
        self._widening = None
        if not self._queue:
            return
        loop = asyncio.get_running_loop()
        slow = all(at <= loop.time() - SLOW_S for at in self._sent_at.values())
        if slow and len(self._writers) < MOST_LANES:
            self._writers.add(asyncio.create_task(self._write()))
        self._widening = loop.call_later(SLOW_S, self._widen)

    async def _write(self) -> None:
        """Sends what is queued until nothing is; what comes meanwhile goes with the next write."""
        try:
            while self._queue:
                batch, self._queue = self._queue[:BATCH], self._queue[BATCH:]
                waited_for = [sent for sent in batch if not sent.reply.cancelled()]
                self._sent_at[id(asyncio.current_task())] = asyncio.get_running_loop().time()
                if isinstance(self._way, Server):
                    await _exchange(self._way, waited_for)
                else:
                    await _spread(self._way, waited_for)
        finally:
            # Here and not in a callback: what is queued right after must find its writer gone.
            self._writers -= {asyncio.current_task()}
            self._sent_at.pop(id(asyncio.current_task()), None)


async def _spread(nodes: Nodes, batch: list[Sent]) -> None:
    """Sends to a cluster; what its nodes refuse because slots have moved, once more."""
    moved = await _to_nodes(nodes, batch)
    if moved:
        nodes.forget()
        for sent in await _to_nodes(nodes, moved):
            sent.resolve(Unavailable("The store is moving, and cannot serve just now."))


async def _to_nodes(nodes: Nodes, batch: list[Sent]) -> list[Sent]:
    """Sends each to its node, all at once; those whose slot is not there any more."""
    groups: dict[Server, list[Sent]] = {}
    try:
        with translated():
            await nodes.find()
            for sent in batch:
                groups.setdefault(nodes.serving(sent.command), []).append(sent)
    except Exception as error:  # noqa: BLE001 - every waiter hears of it
        _fail(batch, error)
        return []
    moved = await asyncio.gather(*(_exchange(node, sents) for node, sents in groups.items()))
    if not all(node.reached for node in groups):
        nodes.forget()
    return [sent for some in moved for sent in some]


async def _exchange(server: Server, batch: list[Sent]) -> list[Sent]:
    """Resolves a batch, but for those of a slot that has moved away, which it returns."""
    confirm = any(sent.confirm for sent in batch)
    try:
        with translated():
            done = await server.exchange([sent.packed for sent in batch], confirm=confirm)
    except Exception as error:  # noqa: BLE001 - every waiter hears of it
        _fail(batch, error)
        return []
    moved = []
    for sent, reply in zip(batch, done.replies, strict=True):
        if isinstance(reply, MovedError):
            moved.append(sent)
        elif sent.confirm and not done.confirmed and not isinstance(reply, Exception):
            sent.resolve(Unavailable("No replica confirmed it; nothing was told."))
        else:
            sent.resolve(reply)
    return moved


def _fail(batch: list[Sent], error: Exception) -> None:
    for sent in batch:
        sent.resolve(error)


def _load_scripts() -> dict[str, tuple[str, str]]:
    """Each script's text, and the digest Redis knows it by."""
    common = (SCRIPTS / "common.lua").read_text("utf-8")
    texts = {
        path.stem: common + path.read_text("utf-8")
        for path in sorted(SCRIPTS.glob("*.lua"))
        if path.stem != "common"
    }
    return {
        name: (text, sha1(text.encode(), usedforsecurity=False).hexdigest())
        for name, text in texts.items()
    }
