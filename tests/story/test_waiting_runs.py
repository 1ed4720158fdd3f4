"""Runs that wait while people answer: nothing of the one stands in the way of the other."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.broker import Broker
from gateway.waiting import Waiters
from tests.chats import AGENT, texts

if TYPE_CHECKING:
    from tests.story.conftest import World


async def test_cc_08_a_reply_is_taken_while_its_run_waits_for_it(world: World) -> None:
    """CC-08: the run holds its lane until it has the answer, and the answer takes another."""
    store = world.backend.store
    waiters = Waiters(store)
    hearing = asyncio.create_task(waiters.run())
    await waiters.hearing.wait()
    ask = await world.chats.open()
    waits = asyncio.create_task(Broker(store, waiters).wait(AGENT, ask.id, timedelta(seconds=30)))
    await asyncio.sleep(0)
    assert texts(await world.chats.reply("1")) == ["Got it: Staging."]
    async with asyncio.timeout(1):
        standing = await waits
    assert standing.result == {
        "status": "answered",
        "answers": {"pick": "Staging"},
        "by": "user:kevin",
    }
    hearing.cancel()
    await asyncio.gather(hearing, return_exceptions=True)


async def test_rf_01_a_post_from_before_a_restart_answers_its_press(world: World) -> None:
    """RF-01: a button is understood from its own id and the broker, whoever drew it."""
    ask = await world.chats.open(waits=timedelta(minutes=15))
    press = await ask.pressed("o1")
    assert texts(await world.chats.replica().hand(press)) == ["Got it: Staging."]
    assert await ask.status() == "answered"
