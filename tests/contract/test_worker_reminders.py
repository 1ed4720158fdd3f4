"""Reminders: once a rung under each post that stands, or later where a platform is busy."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

import channels.looks
from channels.contract import Destination, Later, Moved, Unreachable
from channels.worker import Worker
from gateway.feed import Feed
from gateway.store import EventType
from tests.chats import CHANNEL, DIRECT, Ask, Chats
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

WAIT = timedelta(hours=4)
C2 = Destination("slack", "C2")
GONE = Unreachable("not_in_channel")


@pytest.fixture(autouse=True)
def no_long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's rests, the same in kind, a tenth as long."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05, 0.1, 0.2))


async def look(worker: Worker, ask: Ask) -> None:
    """One look, and all that it leads to."""
    worker.hurry(ask.id)
    await at_rest(worker)


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


@pytest.mark.parametrize("after_s", [0.05, None])
async def test_a_reminder_that_a_platform_takes_later_is_said_then(
    chats: Chats, after_s: float | None
) -> None:
    """Nothing was said: it is tried again, and said once under each post."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL, DIRECT))
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    await climb(chats, ask, 1)
    screen.refuses["C1"] = Later("ratelimited", after_s)
    reminds = asyncio.create_task(worker.remind(ask.id))
    await until(lambda: len(screen.called("note", "C1")) >= 2, "it is tried again")
    screen.refuses.clear()
    await asyncio.wait_for(reminds, 5)
    await worker.remind(ask.id)
    assert [len(one.notes) for one in screen.shown()] == [1, 1]


async def test_a_reminder_that_would_come_too_late_is_left_out(
    chats: Chats, caplog: pytest.LogCaptureFixture
) -> None:
    """A platform that asks for hours: it is logged, and the next rung reminds again."""
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    screen.refuses["C1"] = Later("ratelimited", 7_200.0)
    await climb(chats, ask, 1)
    with caplog.at_level(logging.INFO, "channels.worker"):
        await worker.remind(ask.id)
    assert [line.message for line in caplog.records] == ["reminder.failed"]
    screen.refuses.clear()
    await climb(chats, ask, 2)
    await worker.remind(ask.id)
    assert [len(one.notes) for one in screen.shown()] == [1]
