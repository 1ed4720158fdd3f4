"""Brings each ask and its posts together, in every place it goes to.

Level-triggered: hearing of an ask only means looking at it, in each place's turn, until its posts
show what is. What failed is looked at again; what was never heard of, by the sweep.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from channels.contract import Destination
from channels.finding import Finding
from channels.homes import Homes
from channels.looks import Looks
from channels.parts import Outlet, Parts
from channels.patience import Patience
from channels.placing import Placing, is_shown, where_of
from channels.reminders import Reminders
from channels.turns import Turns
from gateway.errors import Unavailable
from gateway.log import event
from gateway.posts import Post, PostState
from gateway.routes import addressed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
    from typing import Any, Protocol

    from channels.drawing import Drawing
    from channels.inbound.actors import Everyone
    from gateway.ask import Ask, AskRecord
    from gateway.broker import Broker
    from gateway.conversations import Conversations
    from gateway.feed import Feed
    from gateway.metrics import Metrics
    from gateway.posts import Posts
    from gateway.routes import Target

    class Routed(Protocol):
        """`gateway.routes.targets`, with the routes and people of the config."""

        def __call__(self, ask: Ask, *, fallback: bool) -> Sequence[Target]: ...


__all__ = ["Outlet", "Worker"]

AT_ONCE = 32
"""Ours: asks one process reads at once, and sweeps at once."""

UNSEEN_S = 60.0
"""Ours: an ask that no place took for so long, though it may yet, goes where none took it."""

SWEEP_S = 600.0
"""Ours: so often everything that is pending is looked at, heard of or not."""

OWED_S = 30.0
"""Ours: so often what has ended and does not show it yet is looked at."""

PAUSE_S = 0.01
"""Ours: between two looks of a sweep, so that it never crowds out what people wait for."""

_log = logging.getLogger("channels.worker")


class Worker:
    """The way out of every channel of this process.

    Args:
        outlets: the channels by name; looked up at each use, as they are opened after the worker.
        routed: where an ask goes.
        link: the address of an ask in OZ; None where there is no console.
    """

    def __init__(
        self,
        broker: Broker,
        conversations: Conversations,
        posts: Posts,
        everyone: Everyone,
        outlets: Mapping[str, Outlet],
        routed: Routed,
        *,
        link: Callable[[Ask], str | None] = lambda _: None,
        metrics: Metrics | None = None,
    ) -> None:
        self._broker = broker
        self._conversations = conversations
        self._posts = posts
        self._everyone = everyone
        self._outlets = outlets
        self._routed = routed
        self._metrics = metrics
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._looks = looks = Looks(self.look)
        self._turns = turns = Turns(posts)
        parts = Parts(conversations, posts, everyone, outlets, looks, Patience(looks), turns)
        self._homes = Homes(parts)
        self._placing = Placing(parts, link, metrics)
        self._finding = Finding(parts)
        self._reminders = Reminders(parts, self._placing)
        self._unseen_since: dict[str, float] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._feed: Feed | None = None
        self.hurry = looks.hurry

    # Life

    async def run(self, feed: Feed) -> None:
        """Works until cancelled; then what is in hand is finished first."""
        self._feed = feed
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(feed.run(self.heard, self.remind), name="feed")
                tasks.create_task(self._sweep(feed), name="sweep")
                tasks.create_task(self._sweep_owed(), name="owed")
        finally:
            await self._looks.finish(self._others)
            with suppress(Unavailable):  # what is not given back runs out
                await self._turns.aclose()

    async def _sweep(self, feed: Feed) -> None:
        """Everything that is pending: at start, and now and then."""
        while True:
            try:
                for tenant in self._everyone.tenants:
                    async for ask_id in feed.pending(tenant):
                        self.hurry(ask_id)
                        await self._breathe()
            except Unavailable as error:
                event(_log, "sweep.failed", level=logging.WARNING, error=error)
            await asyncio.sleep(SWEEP_S)

    async def _sweep_owed(self) -> None:
        while True:
            try:
                for ask_id in await self._posts.owed():
                    self.hurry(ask_id)
                    await self._breathe()
            except Unavailable as error:
                event(_log, "sweep.failed", level=logging.WARNING, error=error)
            await asyncio.sleep(OWED_S)

    async def _breathe(self) -> None:
        """So that a sweep never crowds out what people wait for."""
        await asyncio.sleep(PAUSE_S)
        while len(self._looks.running) > AT_ONCE:  # noqa: ASYNC110 - a sweep of minutes, in no hurry
            await asyncio.sleep(PAUSE_S)

    # Looking

    async def heard(self, ask_id: str) -> None:
        """An ask was opened or has ended: returns once it may be forgotten. It is in our hands
        alone until its posts stand; of one that has ended, `owed` holds what remains.
        """
        await self._looks.safe(ask_id)

    async def look(self, ask_id: str) -> None:
        """Makes the ask's posts show it as it stands. Raises: Unavailable."""
        async with self._slots:
            record = await self._conversations.read(ask_id)
            posts = await self._posts.of(ask_id)
        if record is None or not record.pending:
            self._looks.is_safe(ask_id)
            self._unseen_since.pop(ask_id, None)
        if record is None:
            return
        await self._draw_all(record, posts, await self._wanted(record, posts))
        if record.pending:
            await self._see_delivered(record)

    async def _draw_all(
        self, record: AskRecord, posts: Mapping[str, Post], places: Mapping[str, Destination]
    ) -> None:
        known = {
            place: where_of(post)
            for place, post in posts.items()
            if not (post.over or post.unopened) and post.channel in self._outlets
        }
        wanted = {**places, **known} if record.pending else known
        done = await asyncio.gather(
            *(
                self._placing.converge(record.ask.id, place, where)
                for place, where in wanted.items()
            ),
            return_exceptions=True,  # one place's fault ends no other's drawing half way
        )
        for error in done:
            if error is not None:
                raise error

    async def _wanted(
        self, record: AskRecord, posts: Mapping[str, Post], *, fallback: bool = False
    ) -> dict[str, Destination]:
        """Where it should stand, by place. What cannot be reached at all is recorded as failed."""
        if not record.pending:
            return {}
        wanted: dict[str, Destination] = {}
        for target in self._routed(record.ask, fallback=fallback):
            if target.channel not in self._outlets:
                continue
            where: Destination | None = Destination(
                target.channel, target.conversation, target.thread
            )
            if target.direct:
                where = await self._homes.of(
                    record.ask.id, target.channel, target.conversation, posts
                )
            if where is not None:
                place = Post(where.channel, where.conversation, where.thread).place
                if place not in posts or not posts[place].over:
                    wanted[place] = where
        return wanted

    async def _see_delivered(self, record: AskRecord) -> None:
        """When no place took it, the next routes; when there are none, the ask says so."""
        ask = record.ask
        if not await self._is_given_up(ask.id):
            return
        posts = await self._posts.of(ask.id)
        await self._draw_all(record, {}, await self._wanted(record, posts, fallback=True))
        if not await self._is_given_up(ask.id) or not addressed(self._everyone.routes, ask):
            return
        if await self._broker.undelivered(record) and self._metrics:
            self._metrics.undelivered.inc()

    async def _is_given_up(self, ask_id: str) -> bool:
        """Whether it waits and nobody sees it, nor will soon."""
        posts = (await self._posts.of(ask_id)).values()
        # Read after its posts: one that has ended meanwhile has closed them for that.
        record = await self._conversations.read(ask_id)
        seen = any(post.state is PostState.SHOWN for post in posts)
        if seen or record is None or not record.pending or self._looks.stopping:
            self._unseen_since.pop(ask_id, None)
            return False
        if ask_id not in self._looks.timers:
            return all(post.closed for post in posts)
        now = asyncio.get_running_loop().time()
        left_s = self._unseen_since.setdefault(ask_id, now) + UNSEEN_S - now
        if left_s > 0:
            self._looks.again(ask_id, left_s)  # a place of it is to be tried again first
        return left_s <= 0

    # What else happens to posts

    async def standing(self, channel: str) -> AsyncIterator[tuple[Destination, str]]:
        """The posts of that channel whose asks wait, so that what was written under them while
        nobody listened can be read. Raises: Unavailable.
        """
        if self._feed is None:
            return
        for tenant in self._everyone.tenants:
            async for ask_id in self._feed.pending(tenant):
                for post in (await self._posts.of(ask_id)).values():
                    if post.channel == channel and post.message is not None:
                        yield where_of(post), post.message

    async def drawn(self, ask_id: str, where: Destination, message: str) -> Drawing | None:
        """What that post should show now; None where it is none of ours. Raises: Unavailable."""
        record = await self._conversations.read(ask_id)
        if record is None:
            return None
        for post in (await self._posts.of(ask_id)).values():
            if is_shown(post, where, message):
                return await self._placing.drawing(record, post)
        return None

    async def remind(self, ask_id: str) -> None:
        """A rung was climbed: says under each post that it still waits. Raises: Unavailable."""
        await self._reminders.remind(ask_id)

    def adopt(self, ask_id: str, where: Destination, message: str) -> None:
        """A message shows that ask; one that nobody recorded is drawn as it should be."""
        if where.channel in self._outlets:
            self._spawn(self._adopt(ask_id, where, message))

    def deleted(self, where: Destination, message: str) -> None:
        """A message of ours was deleted there: while its ask waits it is posted anew."""
        self._spawn(self._deleted(where, message))

    async def _adopt(self, ask_id: str, where: Destination, message: str) -> None:
        if await self._finding.pressed(ask_id, where, message):
            self.hurry(ask_id)

    async def _deleted(self, where: Destination, message: str) -> None:
        ask_id = await self._finding.deleted(where, message)
        if ask_id is not None:
            self.hurry(ask_id)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(self._guarded(work))
        self._others.add(task)
        task.add_done_callback(self._others.discard)

    @staticmethod
    async def _guarded(work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Exception as error:  # noqa: BLE001  # a press was answered; this is only repair
            event(_log, "repair.failed", level=logging.WARNING, error=error)
