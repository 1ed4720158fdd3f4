"""The Redis back end: one Redis ≥ 6.2 or Valkey, Sentinel or Cluster, by URL."""

from __future__ import annotations

from datetime import timedelta

from gateway.errors import GatewayError
from gateway.redis_store.asks import RedisAsks
from gateway.redis_store.client import connect
from gateway.redis_store.index import RedisIndex
from gateway.redis_store.keys import META, Partitions
from gateway.redis_store.link import Link
from gateway.redis_store.posts import RedisPosts
from gateway.redis_store.streams import RedisLog
from gateway.redis_store.timers import RedisTimers
from gateway.store import PARTITIONS, RETENTION_DAYS


class RedisStore(RedisAsks, RedisTimers, RedisLog, RedisPosts, RedisIndex):
    """All of `gateway.store.Store` over one link."""

    def __init__(self, link: Link, partitions: Partitions, retention: timedelta) -> None:
        RedisAsks.__init__(self, link, partitions, retention)
        RedisLog.__init__(self, link, partitions)

    async def ping(self) -> None:
        await self._link.call("PING")

    async def aclose(self) -> None:
        await RedisLog.aclose(self)
        await self._link.aclose()

    async def server(self) -> dict[str, str]:
        """What `INFO` and the settings say of the one server, for warnings; {} on a cluster."""
        return await self._link.server()


async def open_store(
    url: str,
    *,
    partitions: int = PARTITIONS,
    retention: timedelta = timedelta(days=RETENTION_DAYS),
    skew_ms: int = 0,
    wait_for_replicas: bool = True,
) -> RedisStore:
    """Connects, and holds to the number of partitions fixed at first start.

    With `wait_for_replicas`, what a caller was told is stored is on a replica too, where one is.

    Raises: Unavailable; GatewayError where the store was made with another number of partitions.
    """
    link = Link(connect(url), skew_ms=skew_ms, confirm=wait_for_replicas)
    try:
        await link.start()
        await link.call("HSETNX", META, "partitions", partitions)
        fixed = int(await link.call("HGET", META, "partitions"))
    except BaseException:
        await link.aclose()
        raise
    if fixed != partitions:
        await link.aclose()
        raise GatewayError(f"This store was made with {fixed} partitions, not {partitions}.")
    return RedisStore(link, Partitions.of(fixed), retention)


__all__ = ["RedisStore", "open_store"]
