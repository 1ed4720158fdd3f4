"""One after another: what is said in one conversation takes effect in the order it came."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from gateway.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

IN_LINE_S = 8.0
"""Ours: Teams waits 10 to 15 s for an answer (platform facts, 0.2); a line that stands still for so
long takes nobody in, so that it does not grow for ever."""


class Lines:
    """By name; nothing is kept of one in which nobody waits."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """It is our turn while this is open. Raises: Unavailable, it does not come in time."""
        lock = self._locks.setdefault(name, asyncio.Lock())
        try:
            async with asyncio.timeout(IN_LINE_S):
                await lock.acquire()
        except TimeoutError:
            raise Unavailable("What came before it takes too long.") from None
        try:
            yield
        finally:
            lock.release()
