"""What no event tells of, as it was lost for good: the worker's sweeps come upon it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import channels.worker
from gateway.feed import Feed
from gateway.posts import Posts, PostState
from gateway.store import Group
from tests.chats import AGENT, CHANNEL, Ask, Chats
from tests.contract.making import drained
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from gateway.routes import Target

SOON_S = 0.05


@pytest.fixture
async def running() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Workers that run beside the test, and end with it."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def unheard(chats: Chats) -> Ask:
    """An ask of which a reader heard that is gone, and did nothing."""
    ask = await chats.open(where=CHANNEL, posted=False)
    await drained(chats.store, Group.DELIVER)
    return ask


async def test_an_ask_that_nobody_heard_of_is_posted_by_the_sweep(
    chats: Chats, running: list[asyncio.Task[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At start; and later on, where it had no place to go to then."""
    monkeypatch.setattr(channels.worker, "SWEEP_S", SOON_S)
    nowhere: set[str] = set()

    def routed(ask: Any, *, fallback: bool) -> Sequence[Target]:
        return [] if ask.id in nowhere else places(CHANNEL)(ask, fallback=fallback)

    late = await unheard(chats)
    nowhere.add(late.id)
    first = await unheard(chats)
    screen = Screen()
    worker = worker_of(chats, screen, routed)
    running.append(asyncio.create_task(worker.run(Feed(chats.store, "w1"))))
    await until(lambda: screen.asks() == [first.id], "what waits at start is posted")
    await at_rest(worker)
    nowhere.clear()
    await until(lambda: screen.asks() == [first.id, late.id], "the other one is posted")


async def test_an_end_that_nobody_heard_of_is_shown_by_the_sweep_of_what_is_owed(
    chats: Chats, running: list[asyncio.Task[None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At start; and later on, where a post is recorded by somebody who knows of no end."""
    monkeypatch.setattr(channels.worker, "OWED_S", SOON_S)
    screen, posts = Screen(), Posts(chats.store, "w0")
    maker = worker_of(chats, screen, places(CHANNEL), owner="w0")
    first, late = await unheard(chats), await unheard(chats)
    for ask in (first, late):
        await maker.look(ask.id)
        await chats.broker.cancel(AGENT, ask.id, None)
    await drained(chats.store, Group.REDRAW)
    (shown,) = (await posts.of(late.id)).values()
    await posts.keep(late.id, replace(shown, state=PostState.CLOSED))
    assert await posts.owed() == [first.id]
    worker = worker_of(chats, screen, places(CHANNEL))
    running.append(asyncio.create_task(worker.run(Feed(chats.store, "w1"))))

    def ended() -> list[str]:
        return [one.now.view.ask_id for one in screen.shown() if one.now.view.outcome]

    await until(lambda: ended() == [first.id], "what is owed at start shows the end")
    await posts.keep(late.id, shown)
    await until(lambda: ended() == [first.id, late.id], "the other one shows the end")
