"""One server: a batch of commands leaves in one write, and a replica confirms what it wrote.

Nothing is sent twice: a lost reply is the caller's to try again.
"""

from __future__ import annotations

import asyncio
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import hiredis
from redis.asyncio.cluster import PipelineCommand
from redis.exceptions import ResponseError

from gateway.redis_store.client import SOCKET_TIMEOUT_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from redis.asyncio import Redis
    from redis.asyncio.cluster import ClusterNode
    from redis.asyncio.connection import AbstractConnection

WAIT_MS = 1_000
"""Ours: how long open and settle wait for a replica before they are `unavailable`."""

COUNT_EVERY_S = 2.0
"""Ours: replicas come and go; one that joined counts about as soon as a failover could need it."""

Command = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """The replies of a batch, errors of single commands among them; whether a replica has it."""

    replies: list[Any]
    confirmed: bool


class Server(ABC):
    """Where batches go. `reached` tells whether the last one got there."""

    def __init__(self) -> None:
        self.replicas = 0
        self.reached = True
        self._count_at = -math.inf

    @abstractmethod
    async def _execute(self, commands: list[Command]) -> list[Any]:
        """Replies in order. Raises: redis-py's errors of the connection, OSError."""

    async def exchange(self, commands: Sequence[Command], *, confirm: bool) -> Exchange:
        """Runs a batch; with `confirm`, waits for one replica, where there are any.

        Raises: redis-py's errors of the connection, OSError; the batch may then have happened.
        """
        counting = asyncio.get_running_loop().time() >= self._count_at
        waiting = confirm and self.replicas > 0
        extra: list[Command] = [("ROLE",)] if counting else []
        extra += [("WAIT", 1, WAIT_MS)] if waiting else []
        try:
            replies = await self._execute([*commands, *extra])
            confirmed = _confirmed(replies.pop()) if waiting else True
            if counting:
                self._learn(replies.pop())
                if confirm and not waiting and self.replicas > 0:
                    # One has joined: any command makes WAIT ask for all that was written before.
                    told = await self._execute([("PING",), ("WAIT", 1, WAIT_MS)])
                    confirmed = _confirmed(told[-1])
        except BaseException:
            self.reached = False
            self._count_at = -math.inf  # what answers next may be another server
            raise
        self.reached = True
        if not confirmed:
            self._count_at = -math.inf  # the replica may have gone for good
        return Exchange(replies, confirmed)

    def _learn(self, role: Any) -> None:
        """From `ROLE`, which lists replicas once they follow; one still loading confirms nothing."""
        if isinstance(role, Exception):
            return  # a managed server may forbid it; then nothing is waited for
        self.replicas = len(role[2]) if role[0] == "master" else 0
        self._count_at = asyncio.get_running_loop().time() + COUNT_EVERY_S


def _confirmed(reply: Any) -> bool:
    return not isinstance(reply, Exception) and int(reply) >= 1


class Lane:
    """One connection, kept, that gives replies in order and as the server sends them."""

    def __init__(self, client: Redis) -> None:
        self._pool = client.connection_pool
        self._connection: AbstractConnection | None = None

    async def send(self, commands: Sequence[Command], within_s: float) -> list[Any]:
        """The replies, errors of single commands among them.

        Raises: redis-py's errors of the connection, OSError. The lane is fresh afterwards.
        """
        connection = await self._ready()
        try:
            # One time limit for all: a timer for each reply costs more than the reply.
            async with asyncio.timeout(within_s):
                packed = b"".join(hiredis.pack_command(command) for command in commands)
                await connection.send_packed_command(packed, check_health=False)
                return [await _reply(connection) for _ in commands]
        except BaseException:
            await self.aclose()
            raise

    async def aclose(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            await connection.disconnect(nowait=True)
            await self._pool.release(connection)

    async def _ready(self) -> AbstractConnection:
        # A server that ended has closed what is kept here; it may be back by now.
        if self._connection is not None and await self._connection.can_read():
            await self.aclose()
        if self._connection is None:
            self._connection = await self._pool.get_connection()
        return self._connection


async def _reply(connection: AbstractConnection) -> Any:
    try:
        return await connection.read_response(timeout=math.inf)
    except ResponseError as error:
        return error


class Single(Server):
    """The server of a plain client; through Sentinel, whichever leads at the time."""

    def __init__(self, client: Redis) -> None:
        super().__init__()
        self._client = client
        self._idle: list[Lane] = []

    async def aclose(self) -> None:
        for lane in self._idle:
            await lane.aclose()

    async def _execute(self, commands: list[Command]) -> list[Any]:
        lane = self._idle.pop() if self._idle else Lane(self._client)
        try:
            return await lane.send(commands, SOCKET_TIMEOUT_S)
        finally:
            self._idle.append(lane)


class Node(Server):
    """One node of a cluster."""

    def __init__(self, node: ClusterNode) -> None:
        super().__init__()
        self.node = node

    async def _execute(self, commands: list[Command]) -> list[Any]:
        sent = [PipelineCommand(n, *command) for n, command in enumerate(commands)]
        await self.node.execute_pipeline(sent)
        for command in sent:
            # A connection that broke on the way is reported at every command behind.
            if isinstance(command.result, Exception) and not isinstance(
                command.result, ResponseError
            ):
                raise command.result
        return [command.result for command in sent]
