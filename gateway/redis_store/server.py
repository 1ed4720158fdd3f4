"""One server: batches of commands, and a replica that confirms what they wrote.

Replicas come and go, so they are counted again every few seconds, in the same write.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gateway.redis_store.client import SOCKET_TIMEOUT_S
from gateway.redis_store.lane import Lane, pack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.redis_store.lane import Source

WAIT_MS = 1_000
"""Ours: how long open and settle wait for a replica before they are `unavailable`."""

WAIT = pack(("WAIT", 1, WAIT_MS))
ROLE = pack(("ROLE",))

COUNT_EVERY_S = 2.0
"""Ours: a replica that joined counts about as soon as a failover could need it."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The replies of a batch, errors of single commands among them; whether a replica has it."""

    replies: list[Any]
    confirmed: bool


class Server:
    """Where batches go, several at a time. `reached` tells whether the last one got there."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.reached = True
        self._idle: list[Lane] = []
        self._replicas = 0
        self._count_at = -math.inf

    async def exchange(self, packed: Sequence[bytes], *, confirm: bool) -> Exchange:
        """Runs a batch; with `confirm`, waits for one replica, where there are any.

        Raises: redis-py's errors of the connection, OSError; the batch may then have happened.
        """
        lane = self._idle.pop() if self._idle else Lane(self.source)
        try:
            done = await self._over(lane, packed, confirm=confirm)
        except BaseException:
            self.reached = False
            self._count_at = -math.inf  # what answers next may be another server
            raise
        finally:
            self._idle.append(lane)
        self.reached = True
        return done

    async def _over(self, lane: Lane, packed: Sequence[bytes], *, confirm: bool) -> Exchange:
        counting = asyncio.get_running_loop().time() >= self._count_at
        waiting = confirm and self._replicas > 0
        extra = [ROLE] if counting else []
        extra += [WAIT] if waiting else []
        replies = await lane.send([*packed, *extra], SOCKET_TIMEOUT_S)
        confirmed = _confirmed(replies.pop()) if waiting else True
        if counting:
            self._learn(replies.pop())
            if confirm and not waiting and self._replicas > 0:
                # One has joined. WAIT is about all that was written before it on this connection.
                told = await lane.send([WAIT], SOCKET_TIMEOUT_S)
                confirmed = _confirmed(told[0])
        elif not confirmed:
            self._learn(*await lane.send([ROLE], SOCKET_TIMEOUT_S))
        # One that has left is not waited for, as where there never was one.
        return Exchange(replies, confirmed or self._replicas == 0)

    def _learn(self, role: Any) -> None:
        """From `ROLE`, where a replica that still loads, and confirms nothing, stands at 0."""
        if isinstance(role, Exception):
            return  # a managed server may forbid it; then nothing is waited for
        replicas = role[2] if role[0] == "master" else []
        self._replicas = sum(int(offset) > 0 for _, _, offset in replicas)
        self._count_at = asyncio.get_running_loop().time() + COUNT_EVERY_S


def _confirmed(reply: Any) -> bool:
    return not isinstance(reply, Exception) and int(reply) >= 1
