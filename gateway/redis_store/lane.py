"""One connection, kept: a batch leaves in one write, the replies come raw and in order.

Nothing is sent twice: a lost reply is the caller's to try again.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

import hiredis
from redis.exceptions import ResponseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import Redis
    from redis.asyncio.cluster import ClusterNode
    from redis.asyncio.connection import AbstractConnection, Connection

Command = tuple[Any, ...]


def pack(command: Command) -> bytes:
    """A command as it goes over the wire. Raises: UnicodeEncodeError for text that has no UTF-8."""
    packed: bytes = hiredis.pack_command(command)
    return packed


class Source(Protocol):
    """Where connections come from."""

    async def connection(self) -> AbstractConnection:
        """One that nobody else uses. Raises: redis-py's errors of the connection."""
        ...

    async def give_back(self, connection: AbstractConnection) -> None: ...


@dataclass(frozen=True, slots=True)
class OfClient:
    """Connections of a plain client; through Sentinel, to whichever server leads at the time."""

    client: Redis

    async def connection(self) -> AbstractConnection:
        pool: Any = self.client.connection_pool  # its method has no types
        found: AbstractConnection = await pool.get_connection()
        return found

    async def give_back(self, connection: AbstractConnection) -> None:
        await self.client.connection_pool.release(connection)


@dataclass(frozen=True, slots=True)
class OfNode:
    """Connections to one node of a cluster."""

    node: ClusterNode

    async def connection(self) -> AbstractConnection:
        connection: Any = self.node.acquire_connection()  # its methods have no types
        try:
            await connection.disconnect(nowait=True)  # one that was used before may be stale
            await connection.connect()
        except BaseException:
            # Cancelled, it may have connected all the same; of a node that has left the cluster
            # since, nobody else would close it.
            await connection.disconnect(nowait=True)
            self.node.release(connection)
            raise
        found: AbstractConnection = connection
        return found

    async def give_back(self, connection: AbstractConnection) -> None:
        self.node.release(cast("Connection", connection))


class Lane:
    """Sends batches over one connection, one at a time."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._connection: AbstractConnection | None = None
        self._peer = ""

    @property
    def peer(self) -> str:
        """Which server the last batch went to."""
        return self._peer

    async def send(self, packed: Sequence[bytes], within_s: float) -> list[Any]:
        """The replies to packed commands, errors of single ones among them.

        Raises: redis-py's errors of the connection, OSError. The next batch has a new connection.
        """
        try:
            async with asyncio.timeout(within_s):
                connection = await self._ready()
                await connection.send_packed_command(b"".join(packed), check_health=False)
                return [await _reply(connection) for _ in packed]
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.disconnect(nowait=True)
            await self._source.give_back(connection)

    async def _ready(self) -> AbstractConnection:
        kept = self._connection
        if kept is not None and kept.is_connected and not await kept.can_read():
            return kept
        # A server that ended has closed what was kept; it may be back by now.
        await self.aclose()
        self._connection = await self._source.connection()
        where: Any = self._connection  # its method has no types
        self._peer = str(where.repr_pieces())
        return self._connection


async def _reply(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response(timeout=math.inf)
    except ResponseError as error:
        return error
