"""Puts the concrete parts together and runs them.

One task group owns every task. Cancelled, calls under way finish first, then the workers end.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.api import Parts, build_app, serving
from gateway.api.hooks import serving_hooks
from gateway.broker import Broker
from gateway.cli.chats import installed_channels, open_chats
from gateway.cli.failure import Failure
from gateway.cli.first_token import FirstToken, make_first_tokens
from gateway.cli.ports import cannot_serve
from gateway.cli.roles import Role
from gateway.clock import Clock
from gateway.embedded_redis import check_server
from gateway.errors import GatewayError, Unavailable
from gateway.feed import Feed
from gateway.people import People
from gateway.posts import Posts
from gateway.redis_store import open_store
from gateway.resume import Resume
from gateway.tokens import Tokens
from gateway.waiting import Waiters
from gateway.webhook import Poster

if TYPE_CHECKING:
    from aiohttp.web import AbstractRouteDef

    from gateway.config import Bind, Config, Settings
    from gateway.metrics import Metrics
    from gateway.redis_store import RedisStore

FINISH_S = 1.0
"""Ours: how long calls under way may take to finish once we are told to stop; those that only wait
for an answer are cut off then, and their callers ask again."""

HEAR_WITHIN_S = 10.0
"""Ours: the log's tail is there within two round trips; after this the store is not well."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What is there once everything works. `address` is None where this process serves no API."""

    address: str | None
    embedded: bool
    warnings: tuple[str, ...]
    first_tokens: tuple[FirstToken, ...]


Announce = Callable[[Ready], None]


async def work(
    config: Config,
    roles: frozenset[Role],
    url: str,
    metrics: Metrics,
    listener: socket.socket | None,
    announce: Announce,
    *,
    new_tokens: bool,
) -> None:
    """Works until cancelled; `announce` is called once, when everything does.

    Raises: Failure, it cannot start; a group of errors, when a part broke.
    """
    async with AsyncExitStack() as stack:
        settings = config.gateway
        store = await stack.enter_async_context(_store(url, settings))
        poster = await stack.enter_async_context(Poster(settings.may_reach_private))
        name = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        parts = _parts(config, store, metrics, name)
        first = await make_first_tokens(
            store, parts.tokens, config.tenants, settings.data, anew=new_tokens
        )
        warnings = () if settings.redis is None else await _warnings(store)
        chats = None
        if Role.CHANNELS in roles and config.channels:
            opened = open_chats(
                config, installed_channels(), store, parts.broker, parts.people, name, metrics
            )
            chats = await stack.enter_async_context(opened)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(parts.waiters.run(), name="waiters")
            if Role.CLOCK in roles:
                tasks.create_task(Clock(store, parts.broker, name, metrics).run(), name="clock")
            if Role.RESUME in roles:
                tasks.create_task(Resume(store, poster, name, metrics).run(), name="resume")
            if chats is not None:
                tasks.create_task(chats.worker.run(Feed(store, name)), name="worker")
                for channel in chats.transports:
                    tasks.create_task(chats.listen(channel), name=channel)
            await _hearing(parts.waiters)
            # Served inside the group: calls under way finish while the workers still work.
            async with AsyncExitStack() as serves:
                if listener is not None:
                    served = serving(build_app(parts), listener, finish_s=FINISH_S)
                    await serves.enter_async_context(served)
                if chats is not None and chats.routes():
                    await _serve_hooks(serves, chats.routes(), settings.hooks)
                address = _address(listener) if listener is not None else None
                announce(Ready(address, settings.redis is None, warnings, first))
                await asyncio.Event().wait()


async def _serve_hooks(
    serves: AsyncExitStack, routes: Sequence[AbstractRouteDef], bind: Bind
) -> None:
    """Raises: Failure."""
    try:
        await serves.enter_async_context(serving_hooks(routes, bind, finish_s=FINISH_S))
    except OSError as error:
        raise cannot_serve(bind, error, "OZ_HOOKS=") from error


def _parts(config: Config, store: RedisStore, metrics: Metrics, name: str) -> Parts:
    people = People(config.people)
    waiters = Waiters(store)
    return Parts(
        broker=Broker(store, waiters, metrics),
        store=store,
        people=people,
        tenants={tenant.id: tenant for tenant in config.tenants},
        tokens=Tokens(store, people),
        waiters=waiters,
        metrics=metrics,
        settings=config.gateway,
        posts=Posts(store, name),
        routes=config.routes,
    )


@asynccontextmanager
async def _store(url: str, settings: Settings) -> AsyncIterator[RedisStore]:
    """The store, connected. Raises: Failure."""
    try:
        store = await open_store(
            url,
            partitions=settings.partitions,
            retention=settings.retention,
            wait_for_replicas=settings.wait_for_replicas,
        )
    except Unavailable as error:
        # The address may hold a password, so it is not repeated.
        raise Failure("The Redis of OZ_REDIS_URL cannot be reached or cannot serve.") from error
    except GatewayError as error:
        raise Failure(error.message) from error
    try:
        yield store
    finally:
        await store.aclose()


async def _warnings(store: RedisStore) -> tuple[str, ...]:
    """What is wrong with somebody else's Redis; nothing is known of a cluster's many servers."""
    info = await store.server()
    return tuple(check_server(info)) if info else ()


async def _hearing(waiters: Waiters) -> None:
    """Returns once the log's tail is heard. Raises: Failure."""
    try:
        async with asyncio.timeout(HEAR_WITHIN_S):
            await waiters.hearing.wait()
    except TimeoutError as error:
        raise Failure("The Redis does not tell what happens in it; see its log.") from error


def _address(listener: socket.socket) -> str:
    """Where this machine reaches it: an address that means "all of them" is none to connect to."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
