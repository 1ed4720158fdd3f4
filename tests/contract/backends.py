"""The two back ends as one kind of thing: a store, and a way to move its time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

import redis

from gateway.memory_store import MemoryStore
from gateway.redis_store import RedisStore, open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.store import Store

    Advance = Callable[[timedelta], None]


class Backend(Protocol):
    """A store under test."""

    @property
    def store(self) -> Store: ...

    def advance(self, by: timedelta) -> None:
        """The store's clock is later by so much from now on; leases and bindings are older."""
        ...

    async def lose_log(self) -> None:
        """The log is as if trimmed whole: all that was on it is gone, its groups are not."""
        ...

    async def lose_run(self, run_id: str) -> None:
        """A run is gone, and nothing else."""
        ...

    async def lose_ask(self, ask_id: str) -> None:
        """What is kept of an ask is gone; its run still waits for it."""
        ...


class InMemory:
    """The specification, on a clock that can be moved."""

    def __init__(self) -> None:
        self._moved = timedelta()
        self._memory_store = MemoryStore(self._now)
        self.store: Store = self._memory_store

    def advance(self, by: timedelta) -> None:
        self._moved += by

    async def lose_log(self) -> None:
        self._memory_store._kept.log.events.clear()

    async def lose_run(self, run_id: str) -> None:
        del self._memory_store._kept.runs[run_id]

    async def lose_ask(self, ask_id: str) -> None:
        del self._memory_store._kept.asks[ask_id]

    def _now(self) -> datetime:
        return datetime.now(UTC) + self._moved


class InRedis:
    """A Redis store; time moves by the skew its scripts are given, and by what is left to a key."""

    def __init__(self, store: RedisStore, url: str) -> None:
        self._redis_store = store
        self._url = url
        self.store: Store = store

    @classmethod
    async def at(cls, url: str) -> InRedis:
        return cls(await open_store(url), url)

    def advance(self, by: timedelta) -> None:
        by_ms = by // timedelta(milliseconds=1)
        self._redis_store._link.skew_ms += by_ms
        # How long a key has left is counted by the server's own clock, which nobody can move.
        with redis.Redis.from_url(self._url) as client:
            for key in client.scan_iter():
                left_ms = client.pttl(key)
                if left_ms >= 0:
                    client.pexpire(key, left_ms - by_ms)

    async def lose_log(self) -> None:
        for keys in self._redis_store._partitions.all:
            await self._redis_store._link.call("XTRIM", keys.log, "MAXLEN", 0)

    async def lose_run(self, run_id: str) -> None:
        keys = self._redis_store._partitions.of_run(run_id)
        await self._redis_store._link.call("DEL", keys.run(run_id))

    async def lose_ask(self, ask_id: str) -> None:
        keys = self._redis_store._partitions.of_ask(ask_id)
        assert keys is not None
        await self._redis_store._link.call("DEL", keys.ask(ask_id))
