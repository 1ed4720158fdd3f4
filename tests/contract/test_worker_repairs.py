"""What happens to posts besides: one is found, given up, or deleted; workers share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

import channels.looks
from channels.contract import Destination, Unreachable, Unsure
from channels.desk import Desk, desk_for
from channels.inbound.mine import Mine
from channels.worker import Worker
from gateway.feed import Feed
from gateway.posts import Post, Posts, PostState
from tests.chats import AGENT, CHANNEL, DIRECT, U1, U9, Ask, Chats, texts
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

WAIT = timedelta(hours=4)
C2 = Destination("slack", "C2")
GONE = Unreachable("not_in_channel")


@pytest.fixture(autouse=True)
def no_long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's rests, the same in kind, a tenth as long."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05, 0.1, 0.2))


def desk(chats: Chats, worker: Worker) -> Desk:
    mine = Mine(chats.broker, chats.conversations, chats.everyone)
    return desk_for(worker, chats.interactions, mine, chats.everyone)


async def look(worker: Worker, ask: Ask) -> None:
    """One look, and all that it leads to."""
    worker.hurry(ask.id)
    await at_rest(worker)


# Found at a press


async def begun(chats: Chats, ask: Ask, screen: Screen, where: Destination = CHANNEL) -> str:
    """A post that a worker made and died before recording it; the message."""
    screen.loses = 1
    worker = worker_of(chats, screen, places(where), owner="dead")
    worker._looks.stopping = True  # it looks at nothing again
    await worker.look(ask.id)
    (post,) = (await Posts(chats.store, "test").of(ask.id)).values()
    assert post.state is PostState.POSTING
    await Posts(chats.store, "dead").give_back(ask.id, post.place)  # its lease runs out
    return next(iter(screen.messages))


async def test_a_post_that_nobody_recorded_is_found_at_its_first_press(chats: Chats) -> None:
    """It answers the press with the state, and is drawn anew; no second post is made."""
    screen = Screen()
    ask = await chats.open(where=DIRECT, posted=False)
    ask.post = await begun(chats, ask, screen, DIRECT)
    worker = worker_of(chats, screen, places(DIRECT), owner="w2")
    response = await desk(chats, worker).handle(await ask.pressed("o2"))
    assert texts(response) == ["Got it: Production."]
    await at_rest(worker)
    assert list(screen.messages) == [ask.post]
    assert screen.shows_end()
    assert await Posts(chats.store, "test").owed() == []


async def test_a_press_by_a_stranger_finds_it_too(chats: Chats) -> None:
    """The press is refused; the post is drawn as it should be, and known from then on."""
    screen = Screen()
    ask = await chats.open(where=CHANNEL, posted=False)
    ask.post = await begun(chats, ask, screen)
    worker = worker_of(chats, screen, places(CHANNEL), owner="w2")
    door = desk(chats, worker)
    await door.handle(await ask.pressed("o2", U9))
    await at_rest(worker)
    assert [len(one.drawn) for one in screen.messages.values()] == [2]
    assert await ask.status() == "pending"
    (found,) = (await Posts(chats.store, "test").of(ask.id)).values()
    assert (found.state, found.message, found.version) == (PostState.SHOWN, ask.post, 1)
    await door.handle(await ask.pressed("o2", U9))
    await at_rest(worker)
    assert [len(one.drawn) for one in screen.messages.values()] == [2]


async def test_a_second_post_of_one_place_is_closed_with_the_first(chats: Chats) -> None:
    """Posted again after a crash: the first one, pressed, becomes known and shows the end too."""
    screen = Screen()
    ask = await chats.open(where=CHANNEL, posted=False)
    first = await begun(chats, ask, screen)
    worker = worker_of(chats, screen, places(CHANNEL), owner="w2")
    await look(worker, ask)
    assert len(screen.messages) == 2
    ask.post = first
    await desk(chats, worker).handle(await ask.pressed("o1", U1))
    await at_rest(worker)
    assert screen.shows_end()
    codes = {one.now.text.rpartition("\n")[2] for one in screen.messages.values()}
    assert len(codes) == 1
    assert await Posts(chats.store, "test").owed() == []


async def test_a_post_found_after_the_end_shows_the_end(chats: Chats) -> None:
    """Nobody looked while it waited: the press hears what stands, and the post is closed."""
    screen = Screen()
    ask = await chats.open(where=DIRECT, posted=False)
    ask.post = await begun(chats, ask, screen, DIRECT)
    await chats.broker.cancel(AGENT, ask.id, None)
    worker = worker_of(chats, screen, places(DIRECT), owner="w2")
    await look(worker, ask)
    assert not screen.shows_end()
    response = await desk(chats, worker).handle(await ask.pressed("o1"))
    assert texts(response) == ["No longer needed: the question was withdrawn. Yours was not used."]
    await at_rest(worker)
    assert screen.shows_end()
    assert await Posts(chats.store, "test").owed() == []


async def test_a_reply_to_a_post_that_was_found_finds_its_ask(chats: Chats) -> None:
    """From its first press on it names its ask as any post of ours does."""
    screen = Screen()
    ask = await chats.open(where=DIRECT, posted=False)
    other = await chats.open(where=DIRECT)
    ask.post = await begun(chats, ask, screen, DIRECT)
    worker = worker_of(chats, screen, places(DIRECT), owner="w2")
    await desk(chats, worker).handle(await ask.pressed("o1", U9))
    await at_rest(worker)
    assert texts(await chats.reply("2", reply_to=ask.post)) == ["Got it: Production."]
    assert await ask.status() == "answered"
    assert await other.status() == "pending"


async def test_a_found_post_that_is_deleted_again_is_let_go(chats: Chats) -> None:
    """One too many in its place: it is not made anew, and is not tried for ever."""
    screen = Screen()
    ask = await chats.open(where=CHANNEL, posted=False)
    first = await begun(chats, ask, screen)
    worker = worker_of(chats, screen, places(CHANNEL), owner="w2")
    await look(worker, ask)
    screen.messages[first].deleted = True
    ask.post = first
    await desk(chats, worker).handle(await ask.pressed("o1", U9))
    await at_rest(worker)
    assert len(screen.messages) == 2
    assert len(screen.called("update")) == 1


async def test_a_press_that_names_another_asks_post_takes_nothing(chats: Chats) -> None:
    """Some clients say which message a press was on: what shows one ask never shows another."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    ask, other = [await chats.open(where=CHANNEL, posted=False) for _ in range(2)]
    await look(worker, ask)
    await look(worker, other)
    shown = screen.post_of(other.id)
    assert shown is not None
    worker.adopt(ask.id, CHANNEL, shown)
    await at_rest(worker)
    assert screen.post_of(other.id) == shown
    assert [len(one.drawn) for one in screen.messages.values()] == [1, 1]


async def test_a_post_found_while_another_is_made_is_not_forgotten_for_it(chats: Chats) -> None:
    """The first one's answer was lost; it is pressed while the second is on its way."""

    class Slow(Screen):
        async def post(self, *args: Any) -> tuple[str, int]:
            made = await super().post(*args)
            await answered.wait()
            return made

    answered, screen = asyncio.Event(), Slow()
    ask = await chats.open(where=CHANNEL, posted=False)
    answered.set()
    first = await begun(chats, ask, screen)
    answered.clear()
    worker = worker_of(chats, screen, places(CHANNEL), owner="w2")
    worker.hurry(ask.id)
    await until(lambda: len(screen.messages) == 2, "the second is on its way")
    ask.post = first
    await desk(chats, worker).handle(await ask.pressed("o1", U1))
    assert await ask.status() == "answered"
    answered.set()
    await at_rest(worker)
    assert screen.shows_end()
    assert await Posts(chats.store, "test").owed() == []


async def test_posts_with_the_same_id_in_two_conversations_are_told_apart(chats: Chats) -> None:
    """Ids are a conversation's own: one is found, and one deleted, without the other."""

    class Numbered(Screen):
        async def post(self, where: Destination, drawing: Any, key: str) -> tuple[str, int]:
            made = await super().post(where, drawing, key)
            self.messages[f"{where.conversation}/1"] = self.messages.pop(made[0])
            if where.conversation == lost:
                raise Unsure("lost")
            return "1", 0

        async def update(self, where: Destination, message: str, drawing: Any) -> None:
            await super().update(where, f"{where.conversation}/{message}", drawing)

    lost, screen = "C2", Numbered()
    worker = worker_of(chats, screen, places(CHANNEL, C2))
    ask = await chats.open(where=CHANNEL, posted=False)
    worker.hurry(ask.id)
    await until(lambda: "C1/1" in screen.messages and "C2/1" in screen.messages, "both stand")
    worker.adopt(ask.id, C2, "1")
    await at_rest(worker)
    kept = await Posts(chats.store, "test").of(ask.id)
    assert {place: post.message for place, post in kept.items()} == {
        "slack:C1": "1",
        "slack:C2": "1",
    }
    lost = ""
    worker.deleted(CHANNEL, "1")
    await at_rest(worker)
    assert [call.conversation for call in screen.called("post")][-1] == "C1"
    assert (await Posts(chats.store, "test").of(ask.id))["slack:C2"].lost == 0
    await chats.broker.cancel(AGENT, ask.id, None)
    await look(worker, ask)
    assert screen.shows_end()


# Given up, and pressed


@pytest.mark.parametrize("ended", [True, False])
async def test_a_post_that_was_given_up_is_drawn_once_it_is_pressed(
    chats: Chats, *, ended: bool
) -> None:
    """The bot was removed when the post was to be drawn, and is back: whoever presses ends that."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    door = desk(chats, worker)
    ask = await chats.open(where=CHANNEL, posted=False)
    await look(worker, ask)
    (ask.post,) = screen.messages
    await door.handle(await ask.pressed("o1", U9))
    await at_rest(worker)
    if not ended:
        await Posts(chats.store, "test").keep(ask.id, await _shows_nothing_yet(chats, ask))
    else:
        await chats.broker.cancel(AGENT, ask.id, None)
    screen.refuses["C1"] = GONE
    await look(worker, ask)
    drawn = len(screen.messages[ask.post].drawn)
    await door.handle(await ask.pressed("o1", U9))
    await at_rest(worker)
    assert len(screen.messages[ask.post].drawn) == drawn
    screen.refuses.clear()
    await door.handle(await ask.pressed("o1", U9))
    await at_rest(worker)
    assert len(screen.messages[ask.post].drawn) == drawn + 1
    (post,) = (await Posts(chats.store, "test").of(ask.id)).values()
    assert (post.state, post.reason) == (PostState.CLOSED if ended else PostState.SHOWN, "")
    assert await Posts(chats.store, "test").owed() == []


async def _shows_nothing_yet(chats: Chats, ask: Ask) -> Post:
    (post,) = (await Posts(chats.store, "test").of(ask.id)).values()
    return replace(post, version=0)


async def test_an_end_told_in_words_is_told_once_however_often_the_post_is_pressed(
    chats: Chats,
) -> None:
    """It cannot be drawn, and is tried again; its note stands already."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(where=CHANNEL, posted=False)
    await look(worker, ask)
    (ask.post,) = screen.messages
    await chats.broker.cancel(AGENT, ask.id, None)
    screen.unfit = "all"
    await look(worker, ask)
    for _ in range(2):
        await desk(chats, worker).handle(await ask.pressed("o1"))
        await at_rest(worker)
    assert len(screen.messages[ask.post].notes) == 1
    assert len(screen.called("update")) == 3


# Deleted


async def test_a_deleted_post_of_an_ask_that_waits_is_posted_anew(chats: Chats) -> None:
    """The platform tells of it: a new post, under another key, and it is the one that counts."""
    screen = Screen(keyed=True)
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(where=CHANNEL, posted=False)
    await look(worker, ask)
    (gone,) = screen.messages
    screen.messages[gone].deleted = True
    worker.deleted(CHANNEL, gone)
    await at_rest(worker)
    assert screen.asks() == [ask.id]
    worker.deleted(CHANNEL, gone)
    worker.deleted(CHANNEL, "a message of somebody else")
    await at_rest(worker)
    assert len(screen.messages) == 2


async def test_a_deleted_post_of_an_ask_that_has_ended_stays_deleted(chats: Chats) -> None:
    """Nobody needs it; and nothing is owed for it."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(where=CHANNEL, posted=False)
    await look(worker, ask)
    await chats.broker.cancel(AGENT, ask.id, None)
    (gone,) = screen.messages
    screen.messages[gone].deleted = True
    worker.deleted(CHANNEL, gone)
    await at_rest(worker)
    assert len(screen.messages) == 1
    assert await Posts(chats.store, "test").owed() == []


@pytest.fixture
async def running() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Workers that run beside the test, and end with it."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


# Several workers


async def test_two_workers_make_one_post_of_each_ask(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """Both hear of everything, look at once, and draw the ends at once."""
    screen = Screen()
    workers = [
        worker_of(chats.replica(), screen, places(CHANNEL, DIRECT), owner=f"w{n}") for n in (1, 2)
    ]
    asks = [await chats.open(posted=False) for _ in range(10)]
    for ask in asks:
        for worker in workers:
            worker.hurry(ask.id)
    await at_rest(*workers)
    assert sorted(screen.asks()) == sorted([ask.id for ask in asks] * 2)
    for ask in asks:
        await ask.press("o1")
        for worker in workers:
            worker.hurry(ask.id)
    await at_rest(*workers)
    assert screen.shows_end()
    assert len(screen.messages) == 20
    assert await Posts(chats.store, "test").owed() == []


async def test_what_one_worker_draws_another_leaves_alone(chats: Chats) -> None:
    """While a place is drawn by one, the other looks again later; given back, it draws."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(posted=False)
    other = Posts(chats.store, "other")
    assert await other.take(ask.id, "slack:C1")
    await worker.look(ask.id)
    assert screen.calls == []
    assert worker._looks.timers
    await other.give_back(ask.id, "slack:C1")
    await look(worker, ask)
    assert screen.asks() == [ask.id]


async def test_what_is_in_hand_is_finished_when_a_worker_stops(chats: Chats) -> None:
    """A call to the platform under way has its answer recorded, and nothing new is begun."""
    answered = asyncio.Event()

    class Slow(Screen):
        async def post(self, *args: Any) -> tuple[str, int]:
            made = await super().post(*args)
            await answered.wait()
            return made

    screen = Slow()
    worker = worker_of(chats, screen, places(CHANNEL))
    runs = asyncio.create_task(worker.run(Feed(chats.store, "w1")))
    ask = await chats.open(posted=False)
    await until(lambda: screen.messages, "the call is under way")
    runs.cancel()
    await until(lambda: worker._looks.stopping, "it stops")
    worker.hurry((await chats.open(posted=False)).id)
    answered.set()
    await asyncio.gather(runs, return_exceptions=True)
    (post,) = (await Posts(chats.store, "test").of(ask.id)).values()
    assert post.state is PostState.SHOWN
    assert screen.asks() == [ask.id]
