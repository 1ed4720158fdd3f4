"""Which asks were opened or have ended, for whoever shows them to people.

It hands out ids and no states: the receiver looks at each ask as it stands, so that an event that
comes twice, late or in another order does no harm.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.group_reader import GroupReader
from gateway.log import event as log_event
from gateway.store import ENDINGS, Cursor, EventType, Group

if TYPE_CHECKING:
    from gateway.store import Store, Taken

BATCH = 64
"""Ours: asks in one look; each may need a call to a chat platform."""

PAGE = 100
"""Ours: pending asks in one page of a look at all of them."""

BLOCK = timedelta(seconds=5)

_log = logging.getLogger("gateway.feed")

REMINDERS = frozenset({EventType.WAITING})

HEARD = {
    Group.DELIVER: frozenset({EventType.ASK_OPENED}),
    Group.REDRAW: ENDINGS | REMINDERS,
}
"""What each group's reader listens to; the log tells more."""

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

    async def run(self, handle: Handle, remind: Handle) -> None:
        """Hands each ask that was opened or has ended to `handle`, and each that waits on while a
        rung of its ladder was climbed to `remind`, until cancelled.

        An entry is acknowledged once they are done with it; what they failed on comes again. Many
        are in hand at once, so that one that takes long holds up none behind it.
        """
        async with asyncio.TaskGroup() as tasks:
            for group in HEARD:
                tasks.create_task(self._work(group, handle, remind), name=f"feed {group.value}")

    async def _work(self, group: Group, handle: Handle, remind: Handle) -> None:
        reader, backoff = GroupReader(self._store, group, self._reader, BATCH), Backoff()
        hands = _Hands(lambda entry: self._hand(group, entry, handle, remind))
        try:
            while True:
                try:
                    hands.take(await reader.take(BLOCK))
                    await reader.done(hands.finished())
                    backoff.reset()
                except Exception as error:  # noqa: BLE001  # a worker that died would be silence
                    event = "feed.failed"
                    log_event(_log, event, level=logging.ERROR, error=error, group=group.value)
                    await asyncio.sleep(backoff.rest_s())
        finally:
            with suppress(Exception):  # what is not acknowledged comes again
                await reader.done(hands.finished())
            await hands.aclose()
            await reader.aclose()

    async def _hand(self, group: Group, entry: Taken, handle: Handle, remind: Handle) -> bool:
        """Whether the entry is to be acknowledged now."""
        event = entry.event
        if event is None and not entry.gone:
            await self._store.bury_entry(group, entry, "does not read")
            return False
        if event is not None and event.ask_id and event.type in HEARD[group]:
            try:
                await (remind if event.type in REMINDERS else handle)(event.ask_id)
            except Unavailable:
                raise
            except Exception as error:  # noqa: BLE001  # those behind it go on; it is claimed later
                log_event(
                    _log, "feed.refused", level=logging.ERROR, error=error, ask_id=event.ask_id
                )
                return False
        return True


class _Hands:
    """The entries in hand, each worked on by itself; one that comes again meanwhile only once."""

    def __init__(self, work: Callable[[Taken], Coroutine[Any, Any, bool]]) -> None:
        self._work = work
        self._in_hand: dict[tuple[int, str], asyncio.Task[bool]] = {}
        self._over: list[tuple[Taken, asyncio.Task[bool]]] = []

    def take(self, entries: Sequence[Taken]) -> None:
        for entry in entries:
            if entry.key not in self._in_hand:
                task = self._in_hand[entry.key] = asyncio.create_task(self._work(entry))
                task.add_done_callback(partial(self._finish, entry))

    def _finish(self, entry: Taken, task: asyncio.Task[bool]) -> None:
        self._over.append((entry, task))

    def finished(self) -> list[Taken]:
        """Those to be acknowledged now. Raises: what the work on one of them raised."""
        over, self._over = self._over, []
        for entry, _ in over:
            del self._in_hand[entry.key]
        return [entry for entry, task in over if task.result()]

    async def aclose(self) -> None:
        tasks = self._in_hand.values()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
