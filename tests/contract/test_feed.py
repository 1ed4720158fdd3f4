"""What the feed hands out: done with, or handed out again."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway import group_reader
from gateway.feed import Feed
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.chats import Chats


@pytest.fixture
async def running() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Feeds that run beside the test, and end with it."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def nothing(_: str) -> None:
    """No rung is climbed here."""


@pytest.mark.parametrize("breaks", [True, False], ids=["breaks", "is cut short"])
async def test_an_ask_whose_handling_comes_to_nothing_is_handed_to_another_reader(
    chats: Chats,
    running: list[asyncio.Task[None]],
    monkeypatch: pytest.MonkeyPatch,
    *,
    breaks: bool,
) -> None:
    """And what was handled beside it is not."""
    seen: list[str] = []

    async def handle(ask_id: str) -> None:
        seen.append(ask_id)
        if ask_id == bad.id:
            if breaks:
                raise ValueError(ask_id)
            await asyncio.Event().wait()

    bad = await chats.open(posted=False)
    dying = asyncio.create_task(Feed(chats.store, "w1").run(handle, nothing))
    running.append(dying)
    await until(lambda: seen == [bad.id], "it is handed out")
    good = await chats.open(posted=False)
    await until(lambda: seen == [bad.id, good.id], "so is the one behind it")
    dying.cancel()
    await asyncio.wait([dying])
    again: list[str] = []

    async def note(ask_id: str) -> None:
        again.append(ask_id)

    monkeypatch.setattr(group_reader, "STALE", timedelta())
    running.append(asyncio.create_task(Feed(chats.store, "w2").run(note, nothing)))
    new = await chats.open(posted=False)  # so that the other reader's look ends
    await until(lambda: len(again) == 2, "the other reader has both")
    assert sorted(again) == sorted([bad.id, new.id])
