"""The way to Redis: commands of one turn of the event loop leave in one write.

One connection that gathers gave up to 1.6 times a pool at 64 at once (store-measured). Every foreign
error is translated here, and nowhere else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.backoff import NoBackoff
from redis.exceptions import (
    ConnectionError as RedisConnectionError,
    NoScriptError,
    RedisClusterException,
    RedisError,
    ResponseError,
    TimeoutError as RedisTimeoutError,
)

from gateway.errors import GatewayError, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

SOCKET_TIMEOUT_S = 5.0
"""redis-py's own default; a command that takes longer has met a server that is not well."""

BATCH = 256
"""Ours: commands in one write; more only makes the first of them wait for the last."""

WAIT_MS = 1_000
"""Ours: how long open and settle wait for a replica before they are `unavailable`."""

AWAY = ("LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "MISCONF", "OOM", "NOREPLICAS",
        "UNKILLABLE", "BUSY")
"""Replies of a server that is there and cannot serve now: the caller tries again later."""

SENTINEL_SCHEME = "redis+sentinel://"
CLUSTER_SCHEMES = ("redis+cluster://", "rediss+cluster://")

Command = tuple[Any, ...]
SCRIPTS = Path(__file__).parent.parent / "scripts"


def connect(url: str, *, blocking: bool = False) -> Redis | RedisCluster:
    """A client for `redis://`, `rediss://`, `unix://`, `redis+cluster://host:port` or
    `redis+sentinel://[:password@]host:port[,host:port]/service[/db]`.

    No retry of redis-py's: a lost reply tried again blindly takes a group's entries twice.
    RESP2, because RESP3 gives other shapes for the same stream.
    """
    options: dict[str, Any] = {
        "decode_responses": True,
        "encoding_errors": "replace",  # an unreadable entry is ours to bury, not the driver's to die of
        "protocol": 2,
        "socket_timeout": None if blocking else SOCKET_TIMEOUT_S,
        "socket_connect_timeout": SOCKET_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
    }
    if url.startswith(SENTINEL_SCHEME):
        return _sentinel(url, options)
    for scheme in CLUSTER_SCHEMES:
        if url.startswith(scheme):
            plain = url.replace("+cluster", "", 1)
            # The cluster client retries moves and elections itself; without that a failover
            # would surface as an error of the slot map.
            options.pop("retry")
            return cast("RedisCluster", RedisCluster.from_url(plain, **options))
    return cast("Redis", Redis.from_url(url, **options))


def _sentinel(url: str, options: dict[str, Any]) -> Redis:
    rest = url.removeprefix(SENTINEL_SCHEME)
    credentials, _, rest = rest.rpartition("@")
    hosts, _, path = rest.partition("/")
    service, _, db = path.partition("/")
    password = credentials.partition(":")[2] or None
    nodes = [(host, int(port or 26379)) for host, _, port in (h.partition(":") for h in hosts.split(","))]
    sentinel = Sentinel(nodes, sentinel_kwargs={"socket_timeout": SOCKET_TIMEOUT_S})
    return cast(
        "Redis",
        sentinel.master_for(service or "mymaster", db=int(db or 0), password=password, **options),
    )


@contextmanager
def translated() -> Iterator[None]:
    """Raises: Unavailable, for everything that means the store cannot serve now."""
    try:
        yield
    except (RedisConnectionError, RedisTimeoutError, RedisClusterException, OSError) as error:
        raise Unavailable("The store cannot be reached just now.") from error
    except ResponseError as error:
        raise _refused(error) from error


def _refused(error: ResponseError) -> Exception:
    if str(error).startswith(AWAY):
        return Unavailable("The store cannot serve just now.")
    return error


class Link:
    """Runs commands and scripts. Built by `open_store`; `aclose` ends it."""

    def __init__(self, client: Redis | RedisCluster, *, skew_ms: int = 0) -> None:
        self.client = client
        self.skew_ms = skew_ms
        self.replicas = 0
        self._scripts = _load_scripts()
        self._shas: dict[str, str] = {}
        self._queue: list[tuple[Command, asyncio.Future[Any], bool]] = []
        self._writer: asyncio.Task[None] | None = None

    @property
    def clustered(self) -> bool:
        return isinstance(self.client, RedisCluster)

    async def start(self) -> None:
        """Loads the scripts and learns whether there are replicas to wait for. Raises: Unavailable."""
        with translated():
            await self._load()
            if isinstance(self.client, Redis):
                info = await self.client.info("replication")
                self.replicas = min(1, int(info.get("connected_slaves", 0)))

    async def call(self, *command: Any) -> Any:
        """One command's reply. Raises: Unavailable."""
        return await self._enqueue(command, confirmed=False)

    async def script(self, name: str, keys: Sequence[str], *args: Any, confirmed: bool = False) -> Any:
        """One script's reply; `confirmed` waits for a replica, where there is one.

        Raises: Unavailable; a step may then have happened or not, and is safe to try again.
        """
        if name not in self._shas:
            with translated():
                await self._load()
        command = ("EVALSHA", self._shas[name], len(keys), *keys, *args)
        try:
            return await self._enqueue(command, confirmed=confirmed)
        except NoScriptError:
            # A restarted or failed-over server has forgotten the scripts.
            with translated():
                await self._load()
            return await self._enqueue(command, confirmed=confirmed)

    async def server(self) -> dict[str, str]:
        """What the one server says of itself; {} on a cluster. Raises: Unavailable."""
        if not isinstance(self.client, Redis):
            return {}
        with translated():
            told = {str(k): str(v) for k, v in (await self.client.info()).items()}
            try:
                told |= await self.client.config_get("maxmemory-policy")
                told |= await self.client.config_get("appendonly")
            except ResponseError:
                pass  # managed servers forbid CONFIG; INFO says enough for most of it
        return told

    async def aclose(self) -> None:
        if self._writer is not None:
            await self._writer
        await self.client.aclose()

    async def _load(self) -> None:
        for name, text in self._scripts.items():
            sha = await cast("Awaitable[Any]", self.client.script_load(text))
            self._shas[name] = sha if isinstance(sha, str) else next(iter(sha.values()))

    def _enqueue(self, command: Command, *, confirmed: bool) -> Awaitable[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # Encoded here, so that text which cannot be fails its own caller and not the whole batch.
        # The name stays text: redis-py knows by it how to read the reply.
        rest = [arg.encode() if isinstance(arg, str) else arg for arg in command[1:]]
        self._queue.append(((command[0], *rest), future, confirmed))
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        return future

    async def _write(self) -> None:
        """Sends what is queued until nothing is; what comes meanwhile goes with the next write."""
        send = self._send_each if self.clustered else self._send
        try:
            while self._queue:
                batch, self._queue = self._queue[:BATCH], self._queue[BATCH:]
                await send([entry for entry in batch if not entry[1].cancelled()])
        finally:
            self._writer = None

    async def _send(self, batch: list[tuple[Command, asyncio.Future[Any], bool]]) -> None:
        wait = self.replicas > 0 and any(confirmed for _, _, confirmed in batch)
        try:
            with translated():
                replies = await self._pipeline([command for command, _, _ in batch], wait=wait)
        except (GatewayError, RedisError) as error:
            _fail(batch, error)
            return
        unconfirmed = wait and replies.pop() < self.replicas
        for (_, future, confirmed), reply in zip(batch, replies, strict=True):
            if unconfirmed and confirmed and not isinstance(reply, Exception):
                _resolve(future, Unavailable("No replica confirmed it; nothing was told."))
            else:
                _resolve(future, reply)

    async def _pipeline(self, commands: list[Command], *, wait: bool) -> list[Any]:
        if wait:
            commands = [*commands, ("WAIT", self.replicas, WAIT_MS)]
        try:
            return await self._execute(commands)
        except RedisConnectionError:
            # The server went away or came back: a pooled connection is stale once. Every step is
            # recognised when it comes twice (exists, again), so one blind retry is safe.
            return await self._execute(commands)

    async def _execute(self, commands: list[Command]) -> list[Any]:
        pipe = cast("Redis", self.client).pipeline(transaction=False)
        for command in commands:
            pipe.execute_command(*command)
        return cast("list[Any]", await pipe.execute(raise_on_error=False))

    async def _send_each(self, batch: list[tuple[Command, asyncio.Future[Any], bool]]) -> None:
        """On a cluster the commands of a batch go their own ways, at once."""

        async def one(command: Command, future: asyncio.Future[Any]) -> None:
            try:
                with translated():
                    _resolve(future, await self.client.execute_command(*command))
            except (GatewayError, RedisError) as error:
                _resolve(future, error)

        await asyncio.gather(*(one(command, future) for command, future, _ in batch))


def _resolve(future: asyncio.Future[Any], reply: Any) -> None:
    if future.done():
        return
    if not isinstance(reply, Exception):
        future.set_result(reply)
    elif isinstance(reply, ResponseError) and not isinstance(reply, NoScriptError):
        future.set_exception(_refused(reply))
    else:
        future.set_exception(reply)


def _fail(batch: list[tuple[Command, asyncio.Future[Any], bool]], error: Exception) -> None:
    for _, future, _ in batch:
        if not future.done():
            future.set_exception(error)


def _load_scripts() -> dict[str, str]:
    common = (SCRIPTS / "common.lua").read_text("utf-8")
    return {
        path.stem: common + path.read_text("utf-8")
        for path in sorted(SCRIPTS.glob("*.lua"))
        if path.stem != "common"
    }

