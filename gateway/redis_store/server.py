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


ALONE_AFTER_S = 10.0
"""Ours: a Sentinel looks once a second whether the replica it chose leads by now, and takes eight
until it makes the old primary follow; that one takes writes meanwhile."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """The replies of a batch, errors of single commands among them; whether a replica has it."""

    replies: list[Any]
    confirmed: bool


class Server:
    """Where batches go, several at a time. `reached` tells whether the last one got there.

    A primary whose last replica is gone may have been replaced by it, and what it takes then will
    be lost. So what no replica confirms is not confirmed by there being none any more: whoever
    knows who leads is asked again, and the same server is trusted alone only after a while.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.reached = True
        self._idle: list[Lane] = []
        self._replicas = 0
        self._counted = ""
        self._left: tuple[str, float] | None = None
        self._count_at = -math.inf

    async def exchange(self, packed: Sequence[bytes], *, confirm: bool) -> Exchange:
        """Runs a batch; with `confirm`, waits for one replica, where there are any.

        Raises: redis-py's errors of the connection, OSError; the batch may then have happened.
        """
        idle = self._idle
        lane = idle.pop() if idle else Lane(self.source)
        try:
            done = await self._over(lane, packed, confirm=confirm)
        except BaseException:
            self.reached = False
            self._count_at = -math.inf  # what answers next may be another server
            raise
        finally:
            idle.append(lane)
        self.reached = done.confirmed
        if idle is not self._idle:
            await lane.aclose()  # it was under way when the others were closed
        elif not done.confirmed:
            # The next connections go to whoever leads then.
            self._idle, self._count_at = [], -math.inf
            await asyncio.gather(*(one.aclose() for one in idle))
        return done

    async def _over(self, lane: Lane, packed: Sequence[bytes], *, confirm: bool) -> Exchange:
        counting = asyncio.get_running_loop().time() >= self._count_at
        waiting = confirm and self._replicas > 0
        extra = [ROLE] if counting else []
        extra += [WAIT] if waiting else []
        replies = await lane.send([*packed, *extra], SOCKET_TIMEOUT_S)
        waited = waiting and _confirmed(replies.pop())
        if counting:
            self._learn(replies.pop(), lane.peer)
        elif waiting and not waited:
            (role,) = await lane.send([ROLE], SOCKET_TIMEOUT_S)
            self._learn(role, lane.peer)
        if confirm and not waiting and self._replicas > 0:
            # One has joined. WAIT is about all that was written before it on this connection.
            (told,) = await lane.send([WAIT], SOCKET_TIMEOUT_S)
            waited = _confirmed(told)
        return Exchange(replies, not confirm or waited or self._is_alone(lane.peer))

    def _is_alone(self, peer: str) -> bool:
        """Whether that server has no replicas, and may be trusted to lead all the same."""
        if self._replicas > 0 or self._left is None or self._left[0] != peer:
            return self._replicas == 0
        return asyncio.get_running_loop().time() >= self._left[1] + ALONE_AFTER_S

    def _learn(self, role: Any, peer: str) -> None:
        """From `ROLE`, where a replica that still loads, and confirms nothing, stands at 0."""
        if isinstance(role, Exception):
            return  # a managed server may forbid it; then nothing is waited for
        replicas = role[2] if role[0] == "master" else []
        had = self._replicas if peer == self._counted else 0
        self._counted = peer
        self._replicas = sum(int(offset) > 0 for _, _, offset in replicas)
        now = asyncio.get_running_loop().time()
        self._count_at = now + COUNT_EVERY_S
        if had and not self._replicas:
            self._left = (peer, now)


def _confirmed(reply: Any) -> bool:
    return not isinstance(reply, Exception) and int(reply) >= 1
