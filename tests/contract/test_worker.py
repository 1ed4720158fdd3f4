"""Posts that converge on their asks: once each, whatever dies, and drawn anew at the end."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from channels.contract import Destination, PressDecline
from gateway.answer import Picked
from gateway.broker import Try
from gateway.feed import Feed
from gateway.people import as_caller
from gateway.routes import Route
from gateway.store import Group
from tests.chats import ANA, DIRECT, THREAD, U1, Chats, texts
from tests.screens import Screen, places, worker_of
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from channels.worker import Worker
    from gateway.feed import Handle
    from gateway.store import Store
    from tests.chats import Ask

TELEGRAM = Destination("telegram", "D7", account="1001")


def worker(chats: Chats, screen: Screen, *where: Destination, owner: str = "w1") -> Worker:
    return worker_of(chats, screen, places(*(where or (DIRECT,))), owner=owner)


@pytest.fixture
async def running() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Workers that run beside the test, and end with it."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def start(
    running: list[asyncio.Task[None]], chats: Chats, one: Worker, name: str = "w1"
) -> asyncio.Task[None]:
    task = asyncio.create_task(one.run(Feed(chats.store, name)))
    running.append(task)
    return task


async def test_an_ask_is_posted_once_and_drawn_anew_when_it_ends(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """Heard of twice, looked at often: one post, without controls at the end."""
    screen = Screen()
    one = worker(chats, screen)
    start(running, chats, one)
    ask = await chats.open(posted=False)
    await until(lambda: screen.asks() == [ask.id], "the ask is posted")
    await one.look(ask.id)
    await ask.press("o2")
    await until(screen.shows_end, "the post shows the end")
    (post,) = screen.messages.values()
    assert [drawing.view.outcome is None for drawing in post.drawn] == [True, False]
    assert [drawing.presentation is None for drawing in post.drawn] == [False, True]
    assert post.now.view.hint is None
    assert "Answered: Production. Kevin, " in post.now.text


async def test_looking_twice_at_once_posts_once(chats: Chats) -> None:
    """Heard of by the feed and by a press in the same moment, an ask has one post."""
    screen = Screen()
    one = worker(chats, screen)
    ask = await chats.open(posted=False)
    await asyncio.gather(*(one.look(ask.id) for _ in range(5)))
    assert screen.asks() == [ask.id]


async def test_cc_09_answered_elsewhere_every_post_shows_it_and_nobody_can_answer(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """CC-09: solved on the console, both chats are closed, and a late press hears by whom."""
    screen = Screen()
    start(running, chats, worker(chats, screen, THREAD, TELEGRAM))
    ask = await chats.open(where=TELEGRAM, posted=False)
    await until(lambda: len(screen.messages) == 2, "both chats show it")
    answer = {"pick": Picked(("o1",))}
    await chats.broker.answer(as_caller(ANA), ask.id, answer, Try("t", "console"))
    await until(screen.shows_end, "both posts show the end")
    shown = {one.now.view.outcome for one in screen.messages.values()}
    assert any(outcome and outcome.startswith("Answered. Ana, ") for outcome in shown)
    assert any(outcome and outcome.startswith("Answered: Staging. Ana, ") for outcome in shown)
    press = await ask.pressed(PressDecline())
    response = await chats.hand(press)
    assert texts(response)[0].startswith("Ana answered at ")


async def test_dd_15_an_ask_whose_worker_died_before_posting_is_posted_after(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """DD-15: the next worker looks at all that waits, and posts it once."""
    ask = await chats.open(posted=False)
    dead = await chats.store.take(Group.DELIVER, "w0", 10, timedelta(milliseconds=10))
    assert len(dead) <= 1
    screen = Screen()
    start(running, chats, worker(chats.replica(), screen))
    await until(lambda: screen.asks() == [ask.id], "the ask is posted")
    second = await chats.open(posted=False)
    await until(lambda: screen.asks() == [ask.id, second.id], "the worker goes on")


async def test_what_one_ask_breaks_stops_no_other(
    chats: Chats, running: list[asyncio.Task[None]], caplog: pytest.LogCaptureFixture
) -> None:
    """A post that fails is logged by its id and made later, and those behind it go on."""
    screen = Screen()
    start(running, chats, worker(chats, screen))
    first = await chats.open(posted=False)
    await until(lambda: screen.asks() == [first.id], "the worker works")
    with caplog.at_level(logging.ERROR, "channels.worker"):
        screen.refuses[""] = ValueError("not this one")
        broken = await chats.open(posted=False)
        await until(lambda: caplog.records, "the post fails")
        del screen.refuses[""]
        last = await chats.open(posted=False)
        await until(lambda: last.id in screen.asks(), "the last is posted")
        await until(lambda: broken.id in screen.asks(), "the broken one is tried again")
    (line,) = caplog.records
    assert line.message == "look.failed"
    assert line.__dict__["fields"]["ask_id"] == broken.id
    assert sorted(screen.asks()) == sorted([first.id, broken.id, last.id])


async def test_a_place_without_sight_shows_no_question(
    store: Store, running: list[asyncio.Task[None]]
) -> None:
    """Content is drawn where a route grants it, or in the chat of somebody who may see it."""
    granted = Route(conversation="slack:C2", tenant="acme", content=True)
    chats = Chats(store, [granted])
    screen = Screen()
    granted_place = Destination("slack", "C2")
    start(running, chats, worker(chats, screen, THREAD, granted_place, DIRECT))
    await chats.open(posted=False)
    await until(lambda: len(screen.messages) == 3, "all three show it")
    shown = {one.where: one.now for one in screen.messages.values()}
    assert shown[granted_place].view.question == "Where should build 41 go?"
    assert shown[DIRECT].view.question == "Where should build 41 go?"
    assert "Where" not in shown[THREAD].text
    assert shown[THREAD].text.startswith("asker waits for an answer from operators of acme.")
    assert shown[THREAD].presentation is None


async def test_the_post_names_its_ask_to_a_reply(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """What the worker posts is what a reply mark is looked up by."""
    screen = Screen()
    start(running, chats, worker(chats, screen))
    ask = await chats.open(posted=False)
    await until(lambda: len(screen.messages) == 1, "it is posted")
    (message,) = screen.messages

    async def recorded() -> bool:
        return await chats.conversations.post(DIRECT.name, message) is not None

    await until(recorded, "the post is recorded")
    found = await chats.conversations.post(DIRECT.name, message)
    assert found is not None
    assert found.ask_id == ask.id


async def test_two_readers_of_the_feed_share_the_asks(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """Each ask is handed to one of them; together they miss none."""
    heard: dict[str, list[str]] = {"w1": [], "w2": []}

    def handler(name: str) -> Handle:
        async def handle(ask_id: str) -> None:
            heard[name].append(ask_id)

        return handle

    async def nothing(_: str) -> None:
        """No rung is climbed here."""

    for name in heard:
        feed = Feed(chats.store, name)
        running.append(asyncio.create_task(feed.run(handler(name), nothing)))
    asks: list[Ask] = [await chats.open(posted=False) for _ in range(20)]

    def all_heard() -> bool:
        return {ask.id for ask in asks} <= {*heard["w1"], *heard["w2"]}

    await until(all_heard, "every ask is handed to somebody")
    assert sorted(heard["w1"] + heard["w2"]) == sorted(ask.id for ask in asks)

    async def nothing_is_left() -> bool:
        left = await chats.store.claim_stale(Group.DELIVER, "w3", timedelta())
        return not left

    await until(nothing_is_left, "all of it is acknowledged")


async def test_every_pending_ask_is_listed_over_many_pages(chats: Chats) -> None:
    """A look at everything misses nothing, however many wait."""
    asks = [await chats.open(posted=False, run=f"job-{n % 7}") for n in range(130)]
    listed = [ask_id async for ask_id in Feed(chats.store, "w1").pending("acme")]
    assert sorted(listed) == sorted(ask.id for ask in asks)
    assert U1.account == "T1/U1"
