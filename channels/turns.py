"""Who may draw in one place of an ask: one at a time, in this process and among all of them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from gateway.errors import Unavailable
from gateway.posts import LEASE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gateway.posts import Posts

TAKEN_S = 2.0
"""Ours: another worker draws there, or has died doing so."""


PROLONGED_S = LEASE.total_seconds() / 3
"""Ours: so often a lease is prolonged; two may fail before it is lost."""


@dataclass(slots=True)
class Turn:
    """`ours`: whether the place is ours to draw in, as far as is known. `kept_s`: it stays so for
    that long after the turn, as what was begun there is known to this process alone.
    """

    ours: bool
    kept_s: float | None = None


class Turns:
    """Built by `Worker`."""

    def __init__(self, posts: Posts) -> None:
        self._posts = posts
        self._kept: set[tuple[str, str]] = set()
        self._here: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def take(self, ask_id: str, place: str) -> AsyncIterator[Turn]:
        """The lease is prolonged while the turn lasts. Raises: Unavailable."""
        # The lease tells processes apart; two looks of this one would both hold it.
        lock = self._here.setdefault((ask_id, place), asyncio.Lock())
        async with lock:
            turn = Turn(await self._posts.take(ask_id, place))
            if not turn.ours:
                yield turn
                return
            over = asyncio.Event()
            prolonging = asyncio.create_task(self._prolong(turn, over, ask_id, place))
            try:
                yield turn
            finally:
                over.set()
                await asyncio.shield(self._end(turn, prolonging, ask_id, place))

    @asynccontextmanager
    async def wait(self, ask_id: str, place: str) -> AsyncIterator[None]:
        """The same, once it is ours."""
        while True:
            async with self.take(ask_id, place) as turn:
                if turn.ours:
                    yield
                    return
            await asyncio.sleep(TAKEN_S)

    async def _prolong(self, turn: Turn, over: asyncio.Event, ask_id: str, place: str) -> None:
        while turn.ours:
            with suppress(TimeoutError):
                async with asyncio.timeout(PROLONGED_S):
                    await over.wait()
                return
            with suppress(Unavailable):  # the lease may still stand when the store is back
                turn.ours = await self._posts.take(ask_id, place)

    async def _end(
        self, turn: Turn, prolonging: asyncio.Task[None], ask_id: str, place: str
    ) -> None:
        await prolonging  # it may be prolonging just now, which would outlive the giving back
        if turn.kept_s is None:
            self._kept.discard((ask_id, place))
            await self._posts.give_back(ask_id, place)
        elif await self._posts.take(ask_id, place, timedelta(seconds=turn.kept_s)):
            self._kept.add((ask_id, place))

    async def aclose(self) -> None:
        """Gives back what was kept, so that others need not wait for it. Raises: Unavailable."""
        while self._kept:
            await self._posts.give_back(*self._kept.pop())
