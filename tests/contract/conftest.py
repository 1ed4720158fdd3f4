"""The fixtures of the store's suite, and which back ends each test runs over."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import redis

from tests.chats import Chats
from tests.contract.backends import InMemory, InRedis
from tests.contract.receiving import receiving
from tests.redis.servers import engines, racks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from datetime import timedelta

    from gateway.store import Store
    from tests.contract.backends import Backend
    from tests.contract.receiving import Receiver

OTHERS = list(engines().items())[1:]
"""Beside the server that the session's own Redis is: at most one, the wheel's."""


@pytest.fixture(scope="session")
def other_redis() -> Iterator[str]:
    """The URL of a server of this machine's other kind."""
    for rack in racks(OTHERS[0][1]):
        yield asyncio.run(rack.server()).url


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The store's own suite over memory, Redis and the other kind of server; over less what stands
    on it, and never meets the difference: the worker, which dies two hundred times, over Redis.
    """
    if "backend_url" in metafunc.fixturenames:
        module = metafunc.module.__name__.rpartition(".")[2]
        backends = ["memory", "redis", *(name for name, _ in OTHERS)]
        if not module.startswith("test_store_"):
            backends = ["redis"] if module.startswith("test_worker") else ["memory", "redis"]
        metafunc.parametrize("backend_url", backends, indirect=True)


@pytest.fixture
def backend_url(request: pytest.FixtureRequest) -> str | None:
    """Where a back end is, every key gone; None for memory."""
    if request.param == "memory":
        return None
    name = "redis_url" if request.param == "redis" else "other_redis"
    url = str(request.getfixturevalue(name))
    with redis.Redis.from_url(url) as client:
        client.flushall()
        client.config_set("hz", 500)  # how often a server looks whether a blocked read is over
    return url


@pytest.fixture
async def backend(backend_url: str | None) -> AsyncIterator[Backend]:
    """An empty store and its time."""
    made = InMemory() if backend_url is None else await InRedis.at(backend_url)
    yield made
    await made.store.aclose()


@pytest.fixture
def store(backend: Backend) -> Store:
    """An empty store."""
    return backend.store


@pytest.fixture
def advance(backend: Backend) -> Callable[[timedelta], None]:
    """Moves the store's time."""
    return backend.advance


@pytest.fixture
def chats(store: Store) -> Chats:
    """A gateway's chats over an empty store."""
    return Chats(store)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Where webhooks are posted to."""
    async with receiving() as made:
        yield made
