"""A clock among things that are lost: it neither spins nor forgets without a word."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.broker import Broker
from gateway.clock import STUCK, Clock
from gateway.store import Group
from gateway.waiting import Waiters
from tests.contract.making import asked

if TYPE_CHECKING:
    from gateway.store import Store
    from tests.contract.backends import Backend

MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


@pytest.fixture
def clock(store: Store) -> Clock:
    """The one clock."""
    return Clock(store, Broker(store, Waiters(store)), "clock-1")


async def test_what_stays_due_rests_between_looks_and_is_buried_in_the_end(
    backend: Backend, clock: Clock
) -> None:
    """An ask past its deadline, whose run is lost: nobody can end it."""
    store = backend.store
    run, record = await asked(store, timeout_s=60)
    await backend.lose_run(run.id)
    backend.advance(MINUTE)
    assert await clock.look() == 0.0, "more may have come due meanwhile"
    assert await clock.look() > 0.0
    backend.advance(STUCK - SECOND)
    await clock.look()
    assert await store.dead(Group.CLOCK) == []
    backend.advance(2 * SECOND)
    await clock.look()
    (letter,) = await store.dead(Group.CLOCK)
    assert letter.ask_id == record.ask.id
    assert (await store.due("clock-1", 10)).members == ()


async def test_what_stays_due_holds_up_nothing_that_comes_due(
    backend: Backend, clock: Clock
) -> None:
    """The next is handled in its time, and the look after it comes at once."""
    store = backend.store
    run, _ = await asked(store, timeout_s=60)
    await backend.lose_run(run.id)
    _, other = await asked(store, timeout_s=62)
    backend.advance(MINUTE)
    for _ in range(2):
        await clock.look()
    backend.advance(2 * SECOND)
    assert await clock.look() == 0.0
    ended = await store.read(other.ask.id)
    assert ended is not None
    assert not ended.pending


async def test_a_rung_of_a_run_that_is_lost_is_buried(backend: Backend, clock: Clock) -> None:
    """Its ask waits, and somebody should know that nobody is told so."""
    store = backend.store
    run, record = await asked(store)
    await store.climb(record, 0, 0, None, "", record.opened_at + MINUTE)
    await backend.lose_run(run.id)
    backend.advance(MINUTE)
    await clock.look()
    (letter,) = await store.dead(Group.CLOCK)
    assert (letter.ask_id, letter.reason) == (record.ask.id, "its run is gone")
