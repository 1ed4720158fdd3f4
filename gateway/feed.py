"""Which asks were opened or have ended, for whoever shows them to people.

It hands out ids and no states: the receiver looks at each ask as it stands, so that an event that
comes twice, late or in another order does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.errors import Unavailable
from gateway.log import event as log_event
from gateway.store import ENDINGS, Cursor, EventType, Group

if TYPE_CHECKING:
    from gateway.store import Store, Taken

BATCH = 64
"""Ours: asks in one look; each may need a call to a chat platform."""

PAGE = 100
"""Ours: pending asks in one page of a look at all of them."""

BLOCK = timedelta(seconds=5)
CLAIM_EVERY_S = 30.0
STALE = timedelta(seconds=60)
"""Ours, as for `resume`: what a reader took and left for a minute is taken over."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 4.0
"""Ours: the pause while the store is away doubles from one to the other, so that neither a core nor
the log is burnt, and work goes on within five seconds of its return."""

_log = logging.getLogger("gateway.feed")

Handle = Callable[[str], Awaitable[None]]


class Feed:
    """One reader of the groups `deliver` and `redraw`, known to the others as `reader`."""

    def __init__(self, store: Store, reader: str) -> None:
        self._store = store
        self._reader = reader

    async def pending(self, tenant: str) -> AsyncIterator[str]:
        """Every pending ask of a tenant, oldest first."""
        after: Cursor | None = None
        while page := await self._store.pending(tenant, after=after, limit=PAGE):
            for record in page:
                yield record.ask.id
            after = Cursor(page[-1].opened_at, page[-1].ask.id)

    async def run(self, handle: Handle) -> None:
        """Hands each ask that was opened or has ended to `handle`, until cancelled.

        An entry is acknowledged once `handle` is done with it. `handle` may raise Unavailable.
        """
        async with asyncio.TaskGroup() as tasks:
            for group in (Group.DELIVER, Group.REDRAW):
                tasks.create_task(self._work(group, handle), name=f"feed {group.value}")

    async def _work(self, group: Group, handle: Handle) -> None:
        loop = asyncio.get_running_loop()
        claim_at, pause = loop.time() + CLAIM_EVERY_S, FIRST_PAUSE_S
        while True:
            try:
                taken = await self._store.take(group, self._reader, BATCH, BLOCK)
                if loop.time() >= claim_at:
                    taken += await self._store.claim_stale(group, self._reader, STALE)
                    claim_at = loop.time() + CLAIM_EVERY_S
                for entry in taken:
                    await self._hand(group, entry, handle)
                pause = FIRST_PAUSE_S
            except Unavailable:
                log_event(_log, "feed.away", level=logging.WARNING, group=group.value)
                await asyncio.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE_S)

    async def _hand(self, group: Group, entry: Taken, handle: Handle) -> None:
        event = entry.event
        if event is None and not entry.gone:
            await self._store.bury_entry(group, entry, "does not read")
            return
        if event is not None and event.ask_id and event.type in (EventType.ASK_OPENED, *ENDINGS):
            await handle(event.ask_id)
        await self._store.done(group, [entry])
