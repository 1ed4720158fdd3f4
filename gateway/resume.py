"""Outcomes to runs that do not poll, and a sub-run's asks to its caller.

An entry of the log is acknowledged once `due` holds what remains of it, so that a slow receiver
never stops the entry behind; nor may one host have all the posts under way.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

import aiohttp

from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.group_reader import GroupReader
from gateway.log import event
from gateway.metrics import Metrics
from gateway.store import ENDINGS, Event, EventType, Group
from gateway.webhook import TIMEOUT_S, Gone, Poster, PrivateAddress, Refused, host_of

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from gateway.ask import AskRecord, Run, Webhook
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

PER_HOST = 32
"""Ours: posts under way to one host; eight that hang leave nothing to the rest for `TIMEOUT_S`."""

IN_LINE = 1_024
"""Ours: posts that wait for their host, some 10 MB of them; what comes on top waits in `due`."""

IN_LINE_S = TIMEOUT_S / 2
"""Ours: how long they wait; less than `UNDER_WAY` with the post itself, so none is made twice."""

BATCH = 256
"""Ours: entries of the log in one look."""

FEW = BATCH // 2
"""Ours: a look that finds fewer is up to date."""

BLOCK = timedelta(seconds=5)
REST_S = 0.01
"""Measured: a look at every single event cost those who wait for an answer here a tenth."""

_log = logging.getLogger("gateway.resume")


class Resume:
    """One reader of the `resume` group."""

    def __init__(
        self, store: Store, poster: Poster, consumer: str, metrics: Metrics | None = None
    ) -> None:
        self._store = store
        self._poster = poster
        self._reader = GroupReader(store, Group.RESUME, consumer, BATCH)
        self._metrics = metrics or Metrics()
        self.posting: set[asyncio.Task[None]] = set()
        self._in_line = 0
        self._hosts: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def run(self) -> None:
        """Works until cancelled; posts under way are left to `due`."""
        backoff = Backoff()
        try:
            while True:
                try:
                    taken = await self.work(BLOCK)
                    backoff.reset()
                    # Never none at all: a long backlog must not starve those who ask now.
                    await asyncio.sleep(REST_S if taken < FEW else 0)
                except Exception as error:  # noqa: BLE001  # a worker that died would be silence
                    event(_log, "resume.failed", level=logging.ERROR, error=error)
                    await asyncio.sleep(backoff.rest_s())
        finally:
            for task in self.posting:
                task.cancel()
            await asyncio.gather(*self.posting, return_exceptions=True)
            await self._reader.aclose()

    async def work(self, block: timedelta) -> int:
        """One look at the log, and at what readers that died have left: how much there was."""
        taken = await self._reader.take(block)
        for entry in taken:
            await self._take_up(entry)
        # One that is handed out again, as we died before, finds its work done, or in `due`.
        await self._reader.done(taken)
        return len(taken)

    async def _take_up(self, entry: Taken) -> None:
        """What fails for good is buried, so that those behind it go on."""
        try:
            if entry.event is not None:
                await self.hear(entry.event)
            elif not entry.gone:
                await self._store.bury_entry(Group.RESUME, entry, "does not read")
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001
            event(_log, "entry.refused", level=logging.ERROR, error=error, entry_id=entry.key[1])
            self._metrics.dead.labels(Group.RESUME).inc()
            await self._store.bury_entry(Group.RESUME, entry, "see the log: entry.refused")

    async def hear(self, heard: Event) -> None:
        """One event of the log. What it asks for is done, or safe in `due`, on return."""
        if not heard.note or heard.ask_id is None:
            return
        if heard.type is EventType.ASK_OPENED:
            await self._store.frame(heard.note, heard.run_id, heard.ask_id)
        elif heard.type in ENDINGS or heard.type is EventType.WEBHOOK_DUE:
            await self._or_bury(heard.ask_id, self._begin(heard.ask_id))

    async def _or_bury(self, ask_id: str, work: Awaitable[None]) -> None:
        """Does it; an outcome that can never be told is buried. Raises: Unavailable."""
        try:
            await work
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001
            event(_log, "webhook.broken", level=logging.ERROR, error=error, ask_id=ask_id)
            await self._bury(ask_id, "see the log: webhook.broken")

    async def _begin(self, ask_id: str) -> None:
        if not await self._store.owes(ask_id):
            return  # told before: a failover gave back an entry that was acknowledged
        tries = await self._store.tries(ask_id)
        await self._store.postpone(ask_id, tries, await self._store.now() + UNDER_WAY)
        if len(self.posting) - self._in_line < AT_ONCE:
            task = asyncio.create_task(self._post(ask_id, tries))
            self.posting.add(task)
            task.add_done_callback(self.posting.discard)

    async def _post(self, ask_id: str, tries: int) -> None:
        try:
            await self._or_bury(ask_id, self._tell(ask_id, tries))
        except Exception as error:  # noqa: BLE001  # `due` still holds it, and comes back to it
            event(_log, "webhook.put_off", level=logging.ERROR, error=error, ask_id=ask_id)

    async def _tell(self, ask_id: str, tries: int) -> None:
        record = await self._store.read(ask_id)
        if record is None and await self._store.holds(ask_id):
            await self._bury(ask_id, "does not read")
            return
        known = await self._store.read_run(record.ask.run_id) if record else None
        if record is None or known is None or known.run.webhook is None:
            await self._store.paid(ask_id)
            return
        host = host_of(known.run.webhook)
        turns = self._hosts.setdefault(host, asyncio.Semaphore(PER_HOST))
        if await self._has_turn(turns):
            try:
                await self._try(known.run, known.run.webhook, record, tries + 1)
            finally:
                turns.release()

    async def _has_turn(self, turns: asyncio.Semaphore) -> bool:
        """Whether its host takes one more, at once or in a while."""
        if turns.locked() and self._in_line >= IN_LINE:
            return False
        self._in_line += 1
        try:
            async with asyncio.timeout(IN_LINE_S):
                return await turns.acquire()
        except TimeoutError:
            return False
        finally:
            self._in_line -= 1

    async def _try(self, run: Run, webhook: Webhook, record: AskRecord, attempt: int) -> None:
        now = await self._store.now()
        try:
            await self._poster.post(webhook, record, now)
        except Gone:
            await self._give_up(run, record, "the receiver answered 410, gone")
        except PrivateAddress:
            await self._give_up(run, record, "the address is private: allow_private_webhooks")
        except (Refused, aiohttp.ClientError, TimeoutError) as error:
            await self._again(run, record, attempt, _reason(error))
        except Exception as error:  # noqa: BLE001  # counted too, or it would be tried for ever
            event(_log, "webhook.broken", level=logging.ERROR, error=error, ask_id=record.ask.id)
            await self._again(run, record, attempt, _reason(error))
        else:
            await self._store.paid(record.ask.id)
            self._metrics.webhooks.labels("taken").inc()
            if record.settled_at is not None:
                self._metrics.resume_s.observe((now - record.settled_at).total_seconds())
            event(_log, "run.resumed", ask_id=record.ask.id, run_id=run.id, attempt=attempt)

    async def _again(self, run: Run, record: AskRecord, tries: int, reason: str) -> None:
        if tries > len(RETRY_AFTER):
            await self._give_up(run, record, reason)
            return
        self._metrics.webhooks.labels("failed").inc()
        at = await self._store.now() + RETRY_AFTER[tries - 1]
        await self._store.postpone(record.ask.id, tries, at)
        event(_log, "webhook.failed", level=logging.WARNING, ask_id=record.ask.id, attempt=tries)

    async def _give_up(self, run: Run, record: AskRecord, reason: str) -> None:
        await self._bury(record.ask.id, reason)
        await self._store.note(run, EventType.WEBHOOK_DEAD, record.ask.id, "")
        event(_log, "webhook.dead", level=logging.ERROR, ask_id=record.ask.id, run_id=run.id)

    async def _bury(self, ask_id: str, reason: str) -> None:
        self._metrics.dead.labels(Group.RESUME).inc()
        await self._store.bury(Group.RESUME, ask_id, reason)


def _reason(error: Exception) -> str:
    """The kind of failure; a message may hold the address with what it carries."""
    return f"status {error.status}" if isinstance(error, Refused) else type(error).__name__
