"""What happens to posts besides: one is found, or deleted; people are reminded; workers share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

import channels.worker
from channels.contract import Destination, Moved, Unreachable
from channels.desk import Desk, desk_for
from channels.inbound.mine import Mine
from channels.worker import Worker
from gateway.feed import Feed
from gateway.posts import Posts, PostState
from gateway.store import EventType
from tests.chats import AGENT, CHANNEL, DIRECT, U1, U9, Ask, Chats, texts
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

WAIT = timedelta(hours=4)
C2 = Destination("slack", "C2")
GONE = Unreachable("not_in_channel")


@pytest.fixture(autouse=True)
def no_long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's rests, the same in kind, a tenth as long."""
    monkeypatch.setattr(channels.worker, "AGAIN_S", (0.05, 0.1, 0.2))


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
    worker._stopping = True  # it looks at nothing again
    await worker.look(ask.id)
    (post,) = (await Posts(chats.store, "test").of(ask.id)).values()
    assert post.state is PostState.POSTING
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


# Reminders


@pytest.fixture
async def running() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Workers that run beside the test, and end with it."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def climb(chats: Chats, ask: Ask, rung: int) -> None:
    """The clock climbs to that rung."""
    record = await ask.record()
    assert await chats.store.climb(record, rung - 1, rung, EventType.WAITING, "answerers", None)


async def test_each_rung_reminds_once_under_each_post(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """In words for whoever reads there; told of the same rung again, nothing is said."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL, DIRECT))
    running.append(asyncio.create_task(worker.run(Feed(chats.store, "w1"))))
    ask = await chats.open(posted=False, waits=WAIT)
    await until(lambda: len(screen.messages) == 2, "it stands in both")
    await climb(chats, ask, 1)
    await until(lambda: len(screen.called("note")) == 2, "both are reminded")
    (private,) = screen.in_place("D1")
    (shared,) = screen.in_place("C1")
    assert private.notes[0].startswith("Still waiting: Where should build 41 go?")
    assert shared.notes[0].startswith("Still waiting: asker asks.")
    await worker.remind(ask.id)
    await climb(chats, ask, 2)
    await until(lambda: len(screen.called("note")) == 4, "the next rung")
    await worker.remind(ask.id)
    assert [len(one.notes) for one in screen.shown()] == [2, 2]


async def test_nobody_is_reminded_of_what_has_ended_or_does_not_stand(chats: Chats) -> None:
    """An ask that ended meanwhile, and a place that took no post."""
    screen = Screen(refuses={"C2": GONE})
    worker = worker_of(chats, screen, places(CHANNEL, C2))
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    await climb(chats, ask, 1)
    await ask.press("o1")
    await worker.remind(ask.id)
    assert screen.called("note") == []


async def test_a_reminder_that_fails_takes_no_other_along(
    chats: Chats, caplog: pytest.LogCaptureFixture
) -> None:
    """It is logged, and not tried again: one too few is better than one twice."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL, DIRECT))
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    await climb(chats, ask, 1)
    screen.refuses["C1"] = GONE
    with caplog.at_level(logging.INFO, "channels.worker"):
        await worker.remind(ask.id)
    del screen.refuses["C1"]
    await worker.remind(ask.id)
    assert [len(one.notes) for one in screen.in_place("D1")] == [1]
    assert [len(one.notes) for one in screen.in_place("C1")] == [0]
    assert [line.message for line in caplog.records] == ["reminder.failed"]


@pytest.mark.parametrize("talks", [False, True])
async def test_a_reminder_that_finds_its_post_deleted_has_it_made_anew(
    chats: Chats, *, talks: bool
) -> None:
    """Nobody told us that it was: the new post reminds, and nothing is said where it stood."""
    screen = Screen(talks=talks)
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    (gone,) = screen.messages.values()
    gone.deleted = True
    await climb(chats, ask, 1)
    await worker.remind(ask.id)
    await at_rest(worker)
    assert screen.asks() == [ask.id]
    await worker.remind(ask.id)
    assert [one.notes for one in screen.shown()] == [[]]


async def test_a_reminder_is_said_where_the_conversation_moved_to(chats: Chats) -> None:
    """It may be the first to hear of that: posted there, and reminded of once."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    await climb(chats, ask, 1)
    screen.refuses["C1"] = Moved("migrated", "C9")
    await worker.remind(ask.id)
    await worker.remind(ask.id)
    await at_rest(worker)
    (there,) = screen.in_place("C9")
    assert there.now.view.ask_id == ask.id
    assert len(there.notes) == 1


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
    assert worker._timers
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
    await until(lambda: worker._stopping, "it stops")
    worker.hurry((await chats.open(posted=False)).id)
    answered.set()
    await asyncio.gather(runs, return_exceptions=True)
    (post,) = (await Posts(chats.store, "test").of(ask.id)).values()
    assert post.state is PostState.SHOWN
    assert screen.asks() == [ask.id]
