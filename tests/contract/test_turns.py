"""Turns among workers: who is at it keeps the others out, and who goes gives its place back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from channels.turns import Turns
from gateway.posts import LEASE, Posts
from tests.chats import CHANNEL
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from tests.chats import Chats

PLACE = CHANNEL.name


async def test_a_turn_that_is_cancelled_while_it_ends_is_given_back_all_the_same(
    chats: Chats,
) -> None:
    """The next worker need not wait until the lease has run out."""
    ask = await chats.open(where=CHANNEL, posted=False)
    turns, other = Turns(Posts(chats.store, "w1")), Posts(chats.store, "w2")

    async def draw() -> None:
        async with turns.take(ask.id, PLACE) as turn:
            assert turn.ours
            assert not await other.take(ask.id, PLACE)
            task = asyncio.current_task()
            assert task is not None
            task.cancel()  # it comes with the next wait: for the lease to be given back

    with pytest.raises(asyncio.CancelledError):
        await asyncio.create_task(draw())

    async def free() -> bool:
        return await other.take(ask.id, PLACE)

    assert LEASE.total_seconds() > PATIENCE_S
    await until(free, "the place is free")
