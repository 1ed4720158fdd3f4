"""The chats while Redis is away, refuses, or comes back: nobody is left without a word."""

from __future__ import annotations

import asyncio
import logging
import os
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from gateway.backoff import FIRST_S, MOST_S
from gateway.errors import Unavailable
from gateway.feed import Feed
from gateway.redis_store import open_store
from tests.chats import CHANNEL, Chats
from tests.contract.test_terminal import Sitting
from tests.contract.test_worker_repairs import begun
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

if TYPE_CHECKING:
    from tests.redis.servers import Rack


async def test_with_the_store_away_the_typist_is_told_to_try_again(rack: Rack) -> None:
    """Nothing was sent, and that is what is said; the terminal reads on."""
    server = await rack.server()
    store = await open_store(server.url)
    read, write = os.pipe()
    one = Sitting(store, read)
    ask = await one.chats.open(posted=False)
    await one.worker.look(ask.id)
    server.kill()
    os.write(write, b"2\n1\n")
    os.close(write)
    await one.run()
    assert (
        one.page.of("said")
        == ["Not saved just now. Please try again in a moment; nothing was sent."] * 2
    )
    os.close(read)
    await store.aclose()


async def test_what_is_pressed_and_typed_while_the_store_is_away_is_not_acknowledged(
    rack: Rack,
) -> None:
    """The adapter hears that nothing was recorded, so that the platform delivers it again."""
    server = await rack.server()
    chats = Chats(await open_store(server.url))
    ask = await chats.open()
    press, message = await ask.pressed("o1"), await chats.typed("2")
    server.kill()
    for interaction in (press, message):
        with pytest.raises(Unavailable):
            await chats.hand(interaction)
    await chats.store.aclose()


async def test_rf_06_a_feed_whose_group_may_not_be_made_rests_longer_each_time(
    rack: Rack, caplog: pytest.LogCaptureFixture
) -> None:
    """RF-06: at most two lines a second for each group, growing rests, and back within five."""
    server = await rack.server()
    await server.do("ACL", "SETUSER", "oz", "on", ">pw", "~*", "+@all", "-xgroup")
    chats = Chats(await open_store(f"unix://oz:pw@{server.socket}"))
    heard: list[str] = []

    async def handle(ask_id: str) -> None:
        heard.append(ask_id)

    with caplog.at_level(logging.ERROR, "gateway.feed"):
        feed = asyncio.create_task(Feed(chats.store, "w1").run(handle, handle))
        ask = await chats.open()

        def lines(group: str) -> list[float]:
            return [
                record.created
                for record in caplog.records
                if record.__dict__["fields"]["group"] == group
            ]

        await until(lambda: len(lines("deliver")) == 3, "it fails three times")
        times = lines("deliver")
    rests = [after - before for before, after in pairwise(times)]
    assert rests[0] >= FIRST_S * 0.9
    assert rests[1] > rests[0] * 1.5
    assert len(lines("redraw")) <= 4
    await server.do("ACL", "SETUSER", "oz", "+xgroup")
    await until(lambda: heard == [ask.id], "it works again", within_s=MOST_S + 1)
    feed.cancel()
    await asyncio.gather(feed, return_exceptions=True)
    await chats.store.aclose()


async def test_a_press_that_met_no_store_hides_no_post(rack: Rack) -> None:
    """A post that nobody recorded is looked up again at the next press, and drawn."""
    server = await rack.server("--appendonly", "yes", "--appendfsync", "always")
    chats, screen = Chats(await open_store(server.url)), Screen()
    ask = await chats.open(where=CHANNEL, posted=False)
    message = await begun(chats, ask, screen)
    worker = worker_of(chats, screen, places(CHANNEL), owner="w2")
    server.kill()
    worker.adopt(ask.id, CHANNEL, message)
    await until(lambda: not worker._others, "it fails")
    await server.start()
    worker.adopt(ask.id, CHANNEL, message)
    await at_rest(worker)
    assert [len(one.drawn) for one in screen.messages.values()] == [2]
    await chats.store.aclose()
