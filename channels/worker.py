"""Brings each ask and its posts together, in every place it goes to.

Level-triggered: hearing of an ask only means looking at it, under a lease for each place, until its
posts show what is. What failed is looked at again; what was never heard of, by the sweep.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from channels.contract import Destination, Later, PostError, Shut, Unsure
from channels.placing import Outlet, Placing, where_of
from gateway.conversations import Posted
from gateway.epoch import to_ms
from gateway.errors import Unavailable
from gateway.log import event
from gateway.posts import Post, PostState, anew

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
"""Ours: asks one process draws at once; a platform's own limits are its transport's."""

SWEEP_S = 600.0
"""Ours: so often everything that is pending is looked at, heard of or not."""

OWED_S = 30.0
"""Ours: so often what has ended and does not show it yet is looked at."""

AGAIN_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Ours: how long after a failure an ask is looked at again; the last one repeats."""

FINISH_S = 10.0
"""Ours: what is in hand may finish when we stop; a platform's call takes less."""

ADOPTED_KEPT = 4_096
"""Ours: presses lately seen whose post is known; saves a look at each press."""

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
        self._placing = Placing(conversations, posts, everyone, outlets, link, metrics, self._again)
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._looks: dict[str, asyncio.Task[None]] = {}
        self._dirty: set[str] = set()
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tries: dict[str, int] = {}
        self._direct: dict[tuple[str, str], str] = {}
        self._adopted: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        self._others: set[asyncio.Task[None]] = set()
        self._stopping = False
        self._feed: Feed | None = None

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
            await self._finish()

    async def _finish(self) -> None:
        self._stopping = True
        for timer in self._timers.values():
            timer.cancel()
        in_hand = {*self._looks.values(), *self._others}
        if in_hand:
            _, late = await asyncio.wait(in_hand, timeout=FINISH_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

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
        while len(self._looks) > AT_ONCE:  # noqa: ASYNC110 - a sweep of minutes, in no hurry
            await asyncio.sleep(PAUSE_S)

    # Looking

    async def heard(self, ask_id: str) -> None:
        """An ask was opened or has ended. It is safe to forget that: a sweep would find it."""
        self.hurry(ask_id)

    def hurry(self, ask_id: str) -> None:
        """Has the ask looked at soon; returns at once."""
        if (timer := self._timers.pop(ask_id, None)) is not None:
            timer.cancel()
        if ask_id in self._looks:
            self._dirty.add(ask_id)
            return
        if self._stopping:
            return
        self._looks[ask_id] = asyncio.create_task(self._look_until_clean(ask_id))

    async def _look_until_clean(self, ask_id: str) -> None:
        try:
            while True:
                self._dirty.discard(ask_id)
                async with self._slots:
                    await self.look(ask_id)
                if ask_id not in self._dirty:
                    break
            if ask_id not in self._timers:
                self._tries.pop(ask_id, None)
        except Exception as error:  # noqa: BLE001  # one ask's fault must not end the others
            level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
            event(_log, "look.failed", level=level, error=error, ask_id=ask_id)
            self._again(ask_id, None)
        finally:
            del self._looks[ask_id]

    async def look(self, ask_id: str) -> None:
        """Makes the ask's posts show it as it stands. Raises: Unavailable."""
        record = await self._conversations.read(ask_id)
        if record is None:
            return
        posts = await self._posts.of(ask_id)
        places = await self._wanted(record, posts)
        await self._draw_all(record, posts, places)
        if record.pending:
            await self._see_delivered(record)

    async def _draw_all(
        self, record: AskRecord, posts: Mapping[str, Post], places: Mapping[str, Destination]
    ) -> None:
        known = {
            place: where_of(post)
            for place, post in posts.items()
            if not (post.over or post.unopened)
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
            where = await self._destination(record, target, posts)
            if where is not None:
                place = Post(where.channel, where.conversation, where.thread).place
                if place not in posts or not posts[place].over:
                    wanted[place] = where
        return wanted

    async def _destination(
        self, record: AskRecord, target: Target, posts: Mapping[str, Post]
    ) -> Destination | None:
        if not target.direct:
            return Destination(target.channel, target.conversation, target.thread)
        account = target.conversation
        named = (target.channel, account)
        if named not in self._direct:
            failed = Post.to_nobody(target.channel, account)
            if failed.place in posts and posts[failed.place].over:
                return None
            try:
                transport = self._outlets[target.channel].transport
                self._direct[named] = await transport.direct(account)
            except (Later, Unsure) as error:
                self._again(record.ask.id, getattr(error, "after_s", None))
                return None
            except PostError as error:
                state = PostState.SHUT if isinstance(error, Shut) else PostState.FAILED
                failed = replace(failed, state=state, reason=error.code)
                await self._posts.keep(record.ask.id, failed)
                return None
            if failed.place in posts:
                await self._posts.keep(record.ask.id, replace(failed, state=PostState.CLOSED))
        return Destination(target.channel, self._direct[named], account=account)

    async def _see_delivered(self, record: AskRecord) -> None:
        """When no place took it, the next routes; when there are none, the ask says so."""
        posts = await self._unseen(record.ask.id)
        if not posts:
            return
        more = await self._wanted(record, posts, fallback=True)
        await self._draw_all(record, {}, more)
        if not await self._unseen(record.ask.id):
            return
        if await self._broker.undelivered(record) and self._metrics:
            self._metrics.undelivered.inc()

    async def _unseen(self, ask_id: str) -> Mapping[str, Post]:
        """Its posts, where it waits and not one of them stands or may yet; else none."""
        if self._stopping or ask_id in self._timers:
            return {}  # a place of it is to be tried again first
        posts = await self._posts.of(ask_id)
        if not all(post.closed for post in posts.values()):
            return {}
        # Read after its posts: one that has ended meanwhile has closed them for that.
        record = await self._conversations.read(ask_id)
        return posts if record is not None and record.pending else {}

    def _again(self, ask_id: str, after_s: float | None) -> None:
        """Has the ask looked at again, later each time."""
        if self._stopping:
            return
        tries = self._tries.get(ask_id, 0)
        self._tries[ask_id] = tries + 1
        wait_s = AGAIN_S[min(tries, len(AGAIN_S) - 1)] if after_s is None else after_s
        if (timer := self._timers.pop(ask_id, None)) is not None:
            timer.cancel()
        loop = asyncio.get_running_loop()
        self._timers[ask_id] = loop.call_later(wait_s, self.hurry, ask_id)

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
            if (post.channel, post.conversation, post.message) == (
                where.channel,
                where.conversation,
                message,
            ):
                return await self._placing.drawing(record, post)
        return None

    async def remind(self, ask_id: str) -> None:
        """A rung was climbed: says under each post that it still waits. Raises: Unavailable."""
        record = await self._conversations.read(ask_id)
        if record is not None and record.pending:
            await self._placing.remind(record, await self._posts.rung(ask_id))

    def adopt(self, ask_id: str, where: Destination, message: str) -> None:
        """A message shows that ask; one that nobody recorded is drawn as it should be."""
        if (ask_id, where.name, message) not in self._adopted and where.channel in self._outlets:
            self._spawn(self._adopt(ask_id, where, message))

    def deleted(self, where: Destination, message: str) -> None:
        """A message of ours was deleted there: while its ask waits it is posted anew."""
        self._spawn(self._deleted(where, message))

    async def _adopt(self, ask_id: str, where: Destination, message: str) -> None:
        posts = await self._posts.of(ask_id)
        record = await self._conversations.read(ask_id)
        known = await self._conversations.post(where.name, message)
        if known is not None and known.ask_id != ask_id:
            # Teams' clients say which message a press was on, and may name another ask's.
            return
        if record is not None and not any(post.message == message for post in posts.values()):
            there = [post for post in posts.values() if _is_there(post, where)]
            begun = next((post for post in there if post.state is PostState.POSTING), None)
            found = begun or Post(
                where.channel, where.conversation, where.thread, where.account, extra=True
            )
            code = next((post.code for post in there if post.code), "")
            found = replace(found, state=PostState.SHOWN, message=message, code=code)
            # Nobody knows when it appeared: not before its ask was opened.
            shown = Posted(ask_id, to_ms(record.opened_at))
            await self._conversations.posted(where.name, message, shown)
            await self._posts.keep(ask_id, found)
            self.hurry(ask_id)
        self._adopted[ask_id, where.name, message] = None
        if len(self._adopted) > ADOPTED_KEPT:
            self._adopted.popitem(last=False)

    async def _deleted(self, where: Destination, message: str) -> None:
        shown = await self._conversations.post(where.name, message)
        if shown is None:
            return
        for post in (await self._posts.of(shown.ask_id)).values():
            if post.message == message and post.state is PostState.SHOWN:
                await self._posts.keep(shown.ask_id, anew(post))
                self.hurry(shown.ask_id)

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


def _is_there(post: Post, where: Destination) -> bool:
    return (post.channel, post.conversation) == (where.channel, where.conversation)
