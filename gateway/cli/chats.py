"""Puts the chat channels together: those that are configured, and nothing of any other.

A channel is found by its entry point, so that one more can come from another package.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from channels.contract import Shut
from gateway.backoff import BY_HAND_S, Backoff
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from aiohttp.web import AbstractRouteDef

    from channels.contract import Channel, Transport
    from channels.worker import Worker
    from gateway.broker import Broker
    from gateway.config import Config
    from gateway.metrics import Metrics
    from gateway.people import People
    from gateway.redis_store import RedisStore

GROUP = "oz_gateway.channels"

_log = logging.getLogger("gateway.channels")


@lru_cache(maxsize=1)
def installed_channels() -> Mapping[str, Channel]:
    """Every channel that is installed, by name; none of their SDKs is imported."""
    found: dict[str, Channel] = {}
    for point in entry_points(group=GROUP):
        try:
            found[point.name] = point.load()
        except ImportError as error:
            # One that is broken is missed only where it was configured, and that says so.
            event(_log, "channel.broken", level=logging.WARNING, error=error, surface=point.name)
    return found


@dataclass(frozen=True, slots=True)
class Chats:
    """The open channels of this process, and the worker that draws their posts.

    `rest` lets so many seconds pass.
    """

    worker: Worker
    transports: Mapping[str, Transport] = field(default_factory=dict)
    rest: Callable[[float], Awaitable[object]] = asyncio.sleep

    def routes(self) -> Sequence[AbstractRouteDef]:
        """What they want served for platforms that call us."""
        return [route for one in self.transports.values() for route in one.routes()]

    async def listen(self, name: str) -> None:
        """Takes in what people do on one channel, until cancelled; what breaks begins anew."""
        backoff = Backoff()
        while True:
            by_hand = False
            try:
                await self.transports[name].run()
                backoff.reset()
            except Exception as error:  # noqa: BLE001  # one channel must not end the others
                by_hand = isinstance(error, Shut)
                event(_log, "channel.failed", level=logging.ERROR, error=error, surface=name)
            await self.rest(BY_HAND_S if by_hand else backoff.rest_s())


@asynccontextmanager
async def open_chats(
    config: Config,
    channels: Mapping[str, Channel],
    store: RedisStore,
    broker: Broker,
    people: People,
    owner: str,
    metrics: Metrics | None = None,
) -> AsyncIterator[Chats]:
    """The configured channels, open until the end; `owner` names this process."""
    from channels.desk import desk_for
    from channels.inbound.actors import Everyone
    from channels.inbound.interactions import Interactions
    from channels.inbound.mine import Mine
    from channels.worker import Outlet, Worker
    from gateway.conversations import Conversations
    from gateway.posts import Posts
    from gateway.routes import targets

    chosen = {name: channels[name] for name in config.channels}
    everyone = Everyone(
        people,
        {tenant.id: tenant for tenant in config.tenants},
        config.routes,
        {name: one.capabilities for name, one in chosen.items()},
    )
    conversations = Conversations(store)
    outlets: dict[str, Outlet] = {}
    worker = Worker(
        broker,
        conversations,
        Posts(store, owner),
        everyone,
        outlets,
        partial(targets, config.routes, people),
        metrics=metrics,
    )
    per_page = {name: one.capabilities.form for name, one in chosen.items()}
    interactions = Interactions(broker, conversations, everyone, per_page)
    desk = desk_for(worker, interactions, Mine(broker, conversations, everyone), everyone)
    transports = {name: one.open(config.channels[name], desk) for name, one in chosen.items()}
    for name, transport in transports.items():
        outlets[name] = Outlet(transport, chosen[name].capabilities)
    try:
        yield Chats(worker, transports)
    finally:
        await asyncio.gather(*(one.aclose() for one in transports.values()))
