"""Outcomes to runs that do not poll, and a sub-run's asks to its caller.

An entry of the log is acknowledged once `due` holds what remains of it, so that a slow receiver
never stops the entry behind.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING

import aiohttp

from gateway.errors import Unavailable
from gateway.store import ENDINGS, Event, EventType, Group
from gateway.webhook import TIMEOUT_S, Gone, Poster, PrivateAddress, Refused

if TYPE_CHECKING:
    from gateway.ask import AskRecord, Run
    from gateway.store import Store, Taken

RETRY_AFTER = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""Standard Webhooks' own schedule; with the first try it covers a little over three days."""

UNDER_WAY = timedelta(seconds=2 * TIMEOUT_S)
"""When a try that was begun is looked at again, should this process die in it."""

AT_ONCE = 256
"""Ours: posts under way in one process; what comes on top waits in `due`."""

BATCH = 256
"""Ours: entries of the log in one look."""

BLOCK = timedelta(seconds=5)
CLAIM_EVERY_S = 30.0
STALE = timedelta(seconds=60)
"""Ours: an entry somebody took and did nothing with for a minute is taken over."""

AWAY_PAUSE_S = 1.0

_log = logging.getLogger("gateway.resume")


class Resume:
    """One reader of the `resume` group."""

    def __init__(self, store: Store, poster: Poster, consumer: str) -> None:
        self._store = store
        self._poster = poster
        self._consumer = consumer
        self._posting: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Works until cancelled; posts under way are finished or left to `due`."""
        loop = asyncio.get_running_loop()
        claim_at = loop.time() + CLAIM_EVERY_S
        try:
            while True:
                try:
                    taken = await self._store.take(Group.RESUME, self._consumer, BATCH, BLOCK)
                    if loop.time() >= claim_at:
                        taken += await self._store.claim_stale(Group.RESUME, self._consumer, STALE)
                        claim_at = loop.time() + CLAIM_EVERY_S
                    await self._handle(taken)
                except Unavailable:
                    _log.warning("resume.away")
                    await asyncio.sleep(AWAY_PAUSE_S)
                # A long backlog must not starve those who ask now.
                await asyncio.sleep(0)
        finally:
            for task in self._posting:
                task.cancel()
            await asyncio.gather(*self._posting, return_exceptions=True)

    async def _handle(self, taken: list[Taken]) -> None:
        for entry in taken:
            if entry.event is not None:
                await self.hear(entry.event)
            elif not entry.gone:
                await self._store.bury_entry(Group.RESUME, entry, "does not read")
        if taken:
            await self._store.done(Group.RESUME, taken)

    async def hear(self, event: Event) -> None:
        """One event of the log. What it asks for is done, or safe in `due`, on return."""
        if not event.note or event.ask_id is None:
            return
        if event.type is EventType.ASK_OPENED:
            await self._store.frame(event.note, event.run_id, event.ask_id)
        elif event.type in ENDINGS or event.type is EventType.WEBHOOK_DUE:
            await self._begin(event.ask_id)

    async def _begin(self, ask_id: str) -> None:
        if not await self._store.owes(ask_id):
            return  # told before: a failover gave back an entry that was acknowledged
        tries = await self._store.tries(ask_id)
        await self._store.postpone(ask_id, tries, await self._store.now() + UNDER_WAY)
        if len(self._posting) < AT_ONCE:
            task = asyncio.create_task(self._post(ask_id, tries))
            self._posting.add(task)
            task.add_done_callback(self._posting.discard)

    async def _post(self, ask_id: str, tries: int) -> None:
        record = await self._store.read(ask_id)
        known = await self._store.read_run(record.ask.run_id) if record else None
        if record is None or known is None or known.run.webhook is None:
            await self._store.paid(ask_id)
            return
        now = await self._store.now()
        try:
            await self._poster.post(known.run.webhook, record, now)
        except Gone:
            await self._give_up(known.run, record, "the receiver answered 410, gone")
        except PrivateAddress:
            await self._give_up(known.run, record, "the address is private; see allow_private_webhooks")
        except (Refused, aiohttp.ClientError, TimeoutError) as error:
            await self._again(known.run, record, tries + 1, _reason(error))
        else:
            await self._store.paid(ask_id)
            _log.info("run.resumed", extra={"ask_id": ask_id, "run_id": known.run.id, "attempt": tries + 1})

    async def _again(self, run: Run, record: AskRecord, tries: int, reason: str) -> None:
        if tries > len(RETRY_AFTER):
            await self._give_up(run, record, reason)
            return
        at = await self._store.now() + RETRY_AFTER[tries - 1]
        await self._store.postpone(record.ask.id, tries, at)
        _log.warning("webhook.failed", extra={"ask_id": record.ask.id, "attempt": tries})

    async def _give_up(self, run: Run, record: AskRecord, reason: str) -> None:
        await self._store.bury(Group.RESUME, record.ask.id, reason)
        await self._store.note(run, EventType.WEBHOOK_DEAD, record.ask.id, "")
        _log.error("webhook.dead", extra={"ask_id": record.ask.id, "run_id": run.id})


def _reason(error: Exception) -> str:
    """The kind of failure; a message may hold the address with what it carries."""
    return f"status {error.status}" if isinstance(error, Refused) else type(error).__name__
