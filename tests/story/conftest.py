"""A gateway over a real Redis whose time can be moved, its chats, and a clock that looks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.clock import Clock
from tests.chats import Chats
from tests.contract.backends import InRedis

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass
class World:
    """One gateway and its time."""

    backend: InRedis
    chats: Chats
    clock: Clock

    async def look(self) -> None:
        """The clock handles everything due."""
        while await self.clock.look() == 0.0:
            pass

    async def pass_time(self, by: timedelta) -> None:
        """Time passes, and the clock looks at each due moment on the way."""
        end = await self.backend.store.now() + by
        while True:
            await self.look()
            due = await self.backend.store.due("story", 1)
            if due.next_at is None or due.next_at > end:
                break
            await self._move(due.next_at)
        await self._move(end)
        await self.look()

    async def _move(self, to: datetime) -> None:
        left = to - await self.backend.store.now()
        if left > timedelta():
            self.backend.advance(left)


@pytest.fixture
async def world(redis_url: str) -> AsyncIterator[World]:
    """A gateway over an empty Redis."""
    backend = await InRedis.at(redis_url)
    chats = Chats(backend.store)
    yield World(backend, chats, Clock(backend.store, chats.broker, "story"))
    await backend.store.aclose()
