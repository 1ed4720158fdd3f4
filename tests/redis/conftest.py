"""Servers for what only Redis shows: one shared by a session, or any number of a test's own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from redis.asyncio import Redis

from gateway.redis_store import open_store
from tests.redis.servers import Rack, engines, racks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from gateway.redis_store import RedisStore
    from tests.redis.servers import Server

ENGINES = engines()


@pytest.fixture(scope="session", params=ENGINES.values(), ids=list(ENGINES))
def engine(request: pytest.FixtureRequest) -> Path:
    """Each server that this machine has."""
    binary: Path = request.param
    return binary


@pytest.fixture
def rack(engine: Path) -> Iterator[Rack]:
    """Any number of servers, ended with the test."""
    yield from racks(engine)


@pytest.fixture(scope="session")
def shared(engine: Path) -> Iterator[Server]:
    """One server for all tests that leave it running."""
    for rack in racks(engine):
        yield asyncio.run(rack.server("--hz", "500"))


@pytest.fixture
async def raw(shared: Server) -> AsyncIterator[Redis]:
    """A client of the shared server, past the store; every key gone."""
    async with Redis.from_url(shared.url, decode_responses=True, protocol=2) as client:
        await client.flushall()
        yield client


@pytest.fixture
async def store(shared: Server, raw: Redis) -> AsyncIterator[RedisStore]:
    """An empty store in the shared server."""
    store = await open_store(shared.url)
    yield store
    await store.aclose()
