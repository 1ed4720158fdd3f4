"""One process of the gateway: its signals, its port, its engine, and what runs on them.

The rest of the program is imported while the engine starts and loads: both take about a second.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING

from gateway.cli.failure import Failure
from gateway.cli.ports import cannot_serve
from gateway.cli.roles import Role
from gateway.embedded_redis import EmbeddedRedis, EngineError
from gateway.metrics import Metrics

if TYPE_CHECKING:
    from gateway.cli.compose import Announce
    from gateway.config import Bind, Config, Settings


COLLECT = (50_000, 20, 50)
"""Measured: 8 % more lifecycles than at Python's own (700, 10, 10), and pauses that much rarer."""


async def run(
    config: Config, roles: frozenset[Role], announce: Announce, *, new_tokens: bool
) -> None:
    """Runs until SIGTERM or SIGINT; `announce` is called once, when everything works. With
    `new_tokens` the first tokens, which are lost, are made anew.

    Raises: Failure, it cannot start; a group of errors, when a part broke.
    """
    stopping = False

    def stop() -> None:
        nonlocal stopping
        if not stopping and task is not None:
            # Unwinds from wherever we are: while starting, too.
            stopping = True
            task.cancel()

    task = asyncio.current_task()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    try:
        await _run(config, roles, announce, new_tokens=new_tokens)
    except asyncio.CancelledError:
        if not stopping:
            raise


async def _run(
    config: Config, roles: frozenset[Role], announce: Announce, *, new_tokens: bool
) -> None:
    async with AsyncExitStack() as stack:
        # The port comes first: it tells at once what the engine's lock tells after ten seconds.
        listener = None
        if Role.API in roles:
            listener = stack.enter_context(_bound(config.gateway.bind))
        importing = asyncio.create_task(asyncio.to_thread(import_module, "gateway.cli.compose"))
        metrics = Metrics()
        url = await stack.enter_async_context(_engine(config.gateway, metrics))
        await importing
        rest_collector()
        from gateway.cli.compose import work

        await work(config, roles, url, metrics, listener, announce, new_tokens=new_tokens)


def rest_collector() -> None:
    """Takes what is loaded out of the collector's sight, and lets it look at the rest less often.

    Almost nothing here is in a cycle; each full look stops every request for tens of milliseconds.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)


@contextmanager
def _bound(bind: Bind) -> Iterator[socket.socket]:
    """A socket that has the address and does not listen yet. Raises: Failure."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            bind.host, bind.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise Failure(f"There is no address {bind.host}: {error.strerror}.") from error
    with socket.socket(family, kind, protocol) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(address)
        except OSError as error:
            raise cannot_serve(bind, error, "--bind ") from error
        yield listener


@asynccontextmanager
async def _engine(settings: Settings, metrics: Metrics) -> AsyncIterator[str]:
    """The URL of the Redis to use; our own where none is set. Raises: Failure."""
    if settings.redis is not None:
        yield settings.redis.get_secret_value()
        return
    engine = EmbeddedRedis(
        settings.data, fsync=settings.fsync, on_restart=metrics.engine_restarts.inc
    )
    async with AsyncExitStack() as stack:
        try:
            await stack.enter_async_context(engine)
        except EngineError as error:
            raise Failure(error.message) from error
        yield engine.url
