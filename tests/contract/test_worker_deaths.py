"""A worker that dies between any two of its steps, and the next one that finds what it left.

Each test lets one die before and after every single call to the store and to the platform, one call
later each time, until one lives to the end.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, cast

import pytest

import channels.looks
from channels.contract import Destination, Moved, Unreachable
from channels.worker import Worker
from gateway.posts import Posts, PostState
from gateway.routes import Route
from gateway.store import EventType, Store
from tests.chats import AGENT, CHANNEL, DIRECT, Ask, Chats
from tests.contract.dying import Fuse, Mortal
from tests.screens import Screen, at_rest, places, worker_of

C2 = Destination("slack", "C2")
C9 = Destination("slack", "C9")
ROUTES = [Route(conversation=f"slack:{n}", tenant="acme", content=True) for n in ("C1", "C2", "C9")]
GONE = Unreachable("not_in_channel")

LEAST_STEPS = 12
"""Fewer deaths than that have not gone through a whole look."""


@dataclass
class World:
    """What platforms answer, and where asks go. `seen` are the places where one must stand."""

    seen: tuple[Destination, ...]
    first: tuple[Destination, ...] = (CHANNEL,)
    fallback: tuple[Destination, ...] = ()
    screen: dict[str, Any] = field(default_factory=dict)


WORLDS = {
    "one place": World((CHANNEL,)),
    "two places": World((CHANNEL, DIRECT), (CHANNEL, DIRECT)),
    "a platform that posts once per key": World((CHANNEL,), screen={"keyed": True}),
    "a lost answer": World((CHANNEL,), screen={"loses": 1, "keyed": True}),
    "only plain text": World((CHANNEL,), screen={"unfit": "controls"}),
    "moved": World((C9,), screen={"refuses": {"C1": Moved("migrated", "C9")}}),
    "the next route": World((C2,), fallback=(C2,), screen={"refuses": {"C1": GONE}}),
    "nobody can see it": World((), fallback=(C2,), screen={"refuses": {"": GONE}}),
}


@pytest.fixture(autouse=True)
def no_long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's rests, shorter; the order of things is the same."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.001, 0.01, 0.1))


class Deaths:
    """One death more each time, in one world."""

    def __init__(self, store: Store, world: World) -> None:
        self.store = store
        self.world = world
        self.chats = Chats(store, ROUTES)
        self.posts = Posts(store, "test")
        self._routed = places(*world.first, fallback=world.fallback)

    async def each(self) -> AsyncIterator[tuple[Ask, Screen, Fuse]]:
        """A new ask and screen for each death; the last one is the first that nobody dies of."""
        for at in count(1):
            fuse, screen = Fuse(at), Screen(**self.world.screen)
            yield await self.chats.open(where=CHANNEL, posted=False), screen, fuse
            if not fuse.burnt:
                assert at > LEAST_STEPS
                return

    def mortal(self, screen: Screen, fuse: Fuse) -> Worker:
        chats = Chats(cast("Store", Mortal(self.store, fuse)), ROUTES)
        return worker_of(chats, Mortal(screen, fuse), self._routed, owner="dead")

    def heir(self, screen: Screen) -> Worker:
        return worker_of(self.chats, screen, self._routed, owner="heir")

    async def live(self, worker: Worker, ask: Ask, fuse: Fuse) -> None:
        """Looks at the ask, and whatever follows, until it is at rest or dead."""
        worker.hurry(ask.id)
        while not fuse.burnt and (worker._looks.running or worker._looks.timers):
            await asyncio.gather(*worker._looks.running.values(), return_exceptions=True)
            await asyncio.sleep(0)
        for timer in worker._looks.timers.values():
            timer.cancel()
        await asyncio.gather(*worker._looks.running.values(), return_exceptions=True)
        await self.leases_run_out(ask)

    async def leases_run_out(self, ask: Ask) -> None:
        """The dead one's."""
        for place in ("slack:C1", "slack:C2", "slack:C9", "slack:D1"):
            await self.store.release(ask.id, place, "dead")

    async def inherit(self, worker: Worker, ask: Ask) -> None:
        worker.hurry(ask.id)
        await at_rest(worker)

    async def check_it_waits_in_sight(self, ask: Ask, screen: Screen) -> None:
        """Where it must stand there is one post that counts, found by replies, and one too many at
        most; or the run knows that nobody can see it.
        """
        shown = {
            post.message: post
            for post in (await self.posts.of(ask.id)).values()
            if post.state is PostState.SHOWN
        }
        assert {one.conversation for one in shown.values()} == {
            where.conversation for where in self.world.seen
        }
        assert len(shown) == len(self.world.seen)
        for message, post in shown.items():
            assert message is not None
            assert screen.messages[message].now.view.ask_id == ask.id
            assert post.version == 1
            named = await self.chats.conversations.post(f"slack:{post.conversation}", message)
            assert named is not None
            assert named.ask_id == ask.id
        standing = Counter(one.where.conversation for one in screen.shown())
        assert all(many <= 2 for many in standing.values())
        kinds = [event.type for event in await ask.history()]
        assert kinds.count(EventType.ASK_UNDELIVERED) == (0 if self.world.seen else 1)
        if not self.world.seen:
            assert kinds.count(EventType.WAITING) >= 1

    async def check_all_ends(self, ask: Ask, screen: Screen, heir: Worker) -> None:
        """Pressed, a post that nobody knew is known; then every one shows the end."""
        for message, one in screen.messages.items():
            heir.adopt(ask.id, one.where, message)
        await at_rest(heir)
        await self.chats.broker.cancel(AGENT, ask.id, None)
        await self.inherit(heir, ask)
        assert all(one.now.view.outcome for one in screen.shown())
        assert ask.id not in await self.posts.owed()


@pytest.mark.parametrize("name", WORLDS)
async def test_whoever_dies_showing_an_ask_the_next_one_shows_it(store: Store, name: str) -> None:
    """At most one post too many, and at the end each shows it."""
    deaths = Deaths(store, WORLDS[name])
    async for ask, screen, fuse in deaths.each():
        await deaths.live(deaths.mortal(screen, fuse), ask, fuse)
        heir = deaths.heir(screen)
        await deaths.inherit(heir, ask)
        await deaths.check_it_waits_in_sight(ask, screen)
        await deaths.check_all_ends(ask, screen, heir)


@pytest.mark.parametrize(
    "name", [name for name, world in WORLDS.items() if world.seen and name != "moved"]
)
async def test_whoever_dies_closing_a_post_the_next_one_closes_it(store: Store, name: str) -> None:
    """No post is made for what has ended, and each that stands shows the end."""
    deaths = Deaths(store, WORLDS[name])
    async for ask, screen, fuse in deaths.each():
        heir = deaths.heir(screen)
        await deaths.inherit(heir, ask)
        made = len(screen.messages)
        await deaths.chats.broker.cancel(AGENT, ask.id, None)
        await deaths.live(deaths.mortal(screen, fuse), ask, fuse)
        await deaths.inherit(heir, ask)
        assert screen.shows_end()
        assert len(screen.messages) == made
        assert ask.id not in await deaths.posts.owed()


async def test_whoever_dies_following_a_conversation_the_next_one_follows(store: Store) -> None:
    """It moves once the post stands: the end is drawn in the new place."""
    deaths = Deaths(store, World((CHANNEL,)))
    async for ask, screen, fuse in deaths.each():
        heir = deaths.heir(screen)
        await deaths.inherit(heir, ask)
        await deaths.chats.broker.cancel(AGENT, ask.id, None)
        screen.refuses["C1"] = Moved("migrated", "C9")
        await deaths.live(deaths.mortal(screen, fuse), ask, fuse)
        await deaths.inherit(heir, ask)
        assert screen.shows_end()
        assert len(screen.messages) == 1
        assert ask.id not in await deaths.posts.owed()


async def test_whoever_dies_telling_an_end_in_words_the_next_one_tells_it(store: Store) -> None:
    """A post that cannot be drawn anew: its note comes, and one too many at most."""
    deaths = Deaths(store, World((CHANNEL,)))
    async for ask, screen, fuse in deaths.each():
        heir = deaths.heir(screen)
        await deaths.inherit(heir, ask)
        await deaths.chats.broker.cancel(AGENT, ask.id, None)
        screen.unfit = "all"
        await deaths.live(deaths.mortal(screen, fuse), ask, fuse)
        await deaths.inherit(heir, ask)
        (post,) = screen.messages.values()
        assert 1 <= len(post.notes) <= 2
        assert ask.id not in await deaths.posts.owed()


async def test_whoever_dies_reminding_nobody_is_reminded_twice(store: Store) -> None:
    """The event comes again, to the next one: of one rung there is one reminder at most."""
    deaths = Deaths(store, World((CHANNEL, DIRECT), (CHANNEL, DIRECT)))
    async for ask, screen, fuse in deaths.each():
        heir = deaths.heir(screen)
        await deaths.inherit(heir, ask)
        record = await ask.record()
        assert await store.climb(record, 0, 1, EventType.WAITING, "answerers", None)
        mortal = deaths.mortal(screen, fuse)
        await asyncio.gather(mortal.remind(ask.id), return_exceptions=True)
        await deaths.leases_run_out(ask)
        await heir.remind(ask.id)
        reminded = [len(one.notes) for one in screen.messages.values()]
        assert all(notes <= 1 for notes in reminded)
        assert sum(reminded) >= 1
