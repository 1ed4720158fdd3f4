"""Clients for every kind of URL, and the one place where Redis's errors become ours."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from redis.asyncio import Redis
from redis.asyncio.cluster import RedisCluster
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool
from redis.backoff import NoBackoff
from redis.exceptions import (
    AskError,
    ClusterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisClusterException,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from gateway.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

SOCKET_TIMEOUT_S = 5.0
"""redis-py's own default; a command that takes longer has met a server that is not well."""

AWAY = ("READONLY", "OOM", "MISCONF", "NOREPLICAS", "UNKILLABLE", "BUSY")
"""Codes of a server that is there and cannot serve now: the caller tries again later."""

AWAY_ERRORS = (AskError, ClusterDownError, OutOfMemoryError, ReadOnlyError, TryAgainError)
"""The same where redis-py knows the code, and takes it off the text. A slot on the move is soon on
one node again (`AskError`). LOADING is an error of the connection to it, and away all the same."""

SENTINEL_SCHEME = "redis+sentinel://"
SENTINEL_PORT = 26379
CLUSTER_SCHEMES = ("redis+cluster://", "rediss+cluster://")


def connect(url: str) -> Redis | RedisCluster:
    """A client for `redis://`, `rediss://`, `unix://`, `redis+cluster://host:port` or
    `redis+sentinel://[[user]:password@]host[:port][,host…]/service[/db]`, whose user and password
    are the servers'; the Sentinels' own follow as `?sentinel_username=…&sentinel_password=…`.

    No retry of redis-py's: a lost reply tried again blindly takes a group's entries twice.
    RESP2, because RESP3 gives other shapes for the same stream. No time limit of redis-py's on a
    plain client: lanes have their own, and a timer for each reply costs more than the reply.
    """
    options: dict[str, Any] = {
        "decode_responses": True,
        "encoding_errors": "replace",  # an unreadable entry is ours to bury, not the driver's
        "protocol": 2,
        "socket_timeout": None,
        "socket_connect_timeout": SOCKET_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),
    }
    if url.startswith(SENTINEL_SCHEME):
        return _sentinel(url, options)
    for scheme in CLUSTER_SCHEMES:
        if url.startswith(scheme):
            plain = url.replace("+cluster", "", 1)
            # Its own questions for the slots have no other time limit.
            options["socket_timeout"] = SOCKET_TIMEOUT_S
            return RedisCluster.from_url(plain, **options)
    return Redis.from_url(url, **options)


def _sentinel(url: str, options: dict[str, Any]) -> Redis:
    parts = urlsplit(url)
    hosts = (urlsplit(f"//{host}") for host in parts.netloc.rpartition("@")[2].split(","))
    nodes = [(host.hostname or "localhost", host.port or SENTINEL_PORT) for host in hosts]
    service, _, db = parts.path.strip("/").partition("/")
    username, _, password = parts.netloc.rpartition("@")[0].partition(":")
    asked = dict(parse_qsl(parts.query))
    of_sentinels = {
        "username": asked.get("sentinel_username"),
        "password": asked.get("sentinel_password"),
        "socket_timeout": SOCKET_TIMEOUT_S,
        "socket_connect_timeout": SOCKET_TIMEOUT_S,
        "retry": Retry(NoBackoff(), 0),  # the next Sentinel is asked instead
    }
    sentinel = Sentinel(nodes, sentinel_kwargs=of_sentinels)  # type: ignore[no-untyped-call]
    return cast(
        "Redis",
        sentinel.master_for(
            service or "mymaster",
            db=int(db or 0),
            username=unquote(username) or None,
            password=unquote(password) or None,
            **options,
        ),
    )


async def close(client: Redis | RedisCluster) -> None:
    """Closes a client, and its connections to the Sentinels, which it leaves open itself."""
    await client.aclose()
    if isinstance(client, Redis) and isinstance(client.connection_pool, SentinelConnectionPool):
        for sentinel in client.connection_pool.sentinel_manager.sentinels:
            await sentinel.aclose()


@contextmanager
def translated() -> Iterator[None]:
    """Raises: Unavailable, for everything that means the store cannot serve now."""
    try:
        yield
    except (RedisConnectionError, RedisTimeoutError, RedisClusterException, OSError) as error:
        raise Unavailable("The store cannot be reached just now.") from error
    except ResponseError as error:
        if is_away(error):
            raise Unavailable("The store cannot serve just now.") from error
        raise


def is_away(error: ResponseError) -> bool:
    """Whether a reply says that the server cannot serve now."""
    text = str(error)
    if text.startswith("Error running script"):
        # Redis 6.2 wraps what a script's command met: `Error running script (…): -OOM command …`.
        text = text.rpartition(": -")[2]
    return isinstance(error, AWAY_ERRORS) or code(text) in AWAY


def code(text: str) -> str:
    """An error's first word. `BUSY` is a script that does not end; `BUSYGROUP` is harmless."""
    return text.split(" ", 1)[0]
