"""A gateway for each test: over Redis, and over memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.api.serving import Gateway, gateway, make_tokens


@pytest.fixture(params=["redis", "memory"])
async def gw(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Gateway]:
    """Its API, and callers of every kind."""
    url = request.getfixturevalue("redis_url") if request.param == "redis" else None
    async with gateway(url, tmp_path) as made:
        await make_tokens(made)
        yield made


@pytest.fixture
async def over_redis(redis_url: str, tmp_path: Path) -> AsyncIterator[Gateway]:
    """The same over Redis alone, where that is what is tested."""
    async with gateway(redis_url, tmp_path) as made:
        await make_tokens(made)
        yield made
