"""One reader of one of the log's groups: what it is handed, and what it is done with.

An entry that was handed out and never acknowledged is taken over by another reader after a while,
so everything here may come twice. What this reader itself failed with comes again at once.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.errors import Unavailable

if TYPE_CHECKING:
    from gateway.store import Group, Log, Taken

CLAIM_EVERY_S = 30.0

STALE = timedelta(seconds=60)
"""Ours: an entry somebody took and did nothing with for a minute is taken over."""

ACKNOWLEDGE_S = 0.25
"""Measured: acknowledging each look alone cost a tenth of the lifecycles."""

MOST_HELD = 256
"""Ours: as many as are acknowledged sooner."""


class GroupReader:
    """Reads for one worker, which is known to the other readers as `consumer`."""

    def __init__(self, log: Log, group: Group, consumer: str, limit: int) -> None:
        self._log = log
        self._group = group
        self._consumer = consumer
        self._limit = limit
        self._claim_at = 0.0
        self._in_hand = False
        self._done: list[Taken] = []
        self._done_at = 0.0

    async def take(self, block: timedelta) -> list[Taken]:
        """What is new, and now and then what readers that died have left; first of all what was
        taken before, where its look never came to be done. Raises: Unavailable.
        """
        if self._in_hand:
            await self._acknowledge()
            await self._log.start_again(self._group, self._consumer)
        self._in_hand = True
        taken = await self._log.take(self._group, self._consumer, self._limit, block)
        now = asyncio.get_running_loop().time()
        if now >= self._claim_at:
            taken += await self._log.claim_stale(self._group, self._consumer, STALE)
            self._claim_at = now + CLAIM_EVERY_S
        return taken

    async def done(self, taken: list[Taken]) -> None:
        """Has them acknowledged soon, many at once: the server syncs each write before it answers
        others. To be called after each look, with nothing too. Raises: Unavailable.
        """
        self._done += taken
        now = asyncio.get_running_loop().time()
        if self._done and (len(self._done) >= MOST_HELD or now >= self._done_at):
            self._done_at = now + ACKNOWLEDGE_S
            await self._acknowledge()
        self._in_hand = False

    async def aclose(self) -> None:
        """Acknowledges what is left, where that can be; the rest is handed out again."""
        if self._done:
            with suppress(Unavailable):
                await self._acknowledge()

    async def _acknowledge(self) -> None:
        done, self._done = self._done, []
        await self._log.done(self._group, done)
