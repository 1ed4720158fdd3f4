"""`gateway.store.Store` in one process's memory: what each step means, to be read before Redis's.

Nothing outlives the process. Every method that changes something does so without waiting in
between, so that no other step sees half of it.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.memory_store.asks import MemoryAsks
from gateway.memory_store.index import MemoryIndex
from gateway.memory_store.kept import Kept
from gateway.memory_store.log import MemoryLog
from gateway.memory_store.posts import MemoryPosts
from gateway.memory_store.timers import MemoryTimers
from gateway.store import RETENTION_DAYS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime


class MemoryStore(MemoryAsks, MemoryTimers, MemoryLog, MemoryPosts, MemoryIndex):
    """All of `gateway.store.Store`. `clock` answers the time, aware and in UTC."""

    def __init__(
        self,
        clock: Callable[[], datetime],
        *,
        retention: timedelta = timedelta(days=RETENTION_DAYS),
    ) -> None:
        kept = Kept(clock, retention)
        MemoryAsks.__init__(self, kept)
        MemoryTimers.__init__(self, kept)
        MemoryLog.__init__(self, kept)
        MemoryPosts.__init__(self, kept)
        MemoryIndex.__init__(self, kept)

    async def ping(self) -> None:
        """A process's own memory is always there."""

    async def aclose(self) -> None:
        """Nothing to close."""


__all__ = ["MemoryStore"]
