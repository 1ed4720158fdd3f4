"""Retention: a run goes a month after its last event, with all that is its own, unless owed."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.ask import RunStatus
from gateway.store import (
    RETENTION_DAYS,
    RETIRE_LOOK_AGAIN,
    EventType,
    Group,
    Opening,
    RunChange,
)
from tests.contract.making import TENANT, a_run, asked, drained, new_ask, opened, owing, settle

if TYPE_CHECKING:
    from gateway.store import Store
    from tests.contract.backends import Advance

MONTH = timedelta(days=RETENTION_DAYS)
DAY = timedelta(days=1)


async def due_now(store: Store) -> tuple[str, ...]:
    return (await store.due("clock", 100)).members


async def test_a_run_goes_a_month_after_it_ended(store: Store, advance: Advance) -> None:
    """With its asks, its history and its place among the timers; its id is free again."""
    run, record = await asked(store)
    other, kept = await asked(store)
    await store.mark(record.ask.id, "t1")
    await settle(store, run, record)
    await settle(store, run, token="end", change=RunChange(RunStatus.FINISHED))
    advance(MONTH - DAY)
    assert not await store.retire(run.id)
    assert await store.read_run(run.id) is not None
    advance(DAY)
    assert run.id in await due_now(store)
    assert await store.retire(run.id)
    assert await store.read_run(run.id) is None
    assert await store.read(record.ask.id) is None
    assert await store.history(run.id) == []
    assert run.id not in await due_now(store)
    assert await store.pending(TENANT, after=None, limit=10) == [kept]
    assert await store.read_run(other.id) is not None
    assert (await store.open(new_ask(run))).opening is Opening.NO_RUN
    assert await store.retire(run.id)


async def test_an_end_of_no_ask_keeps_no_run(store: Store, advance: Advance) -> None:
    """A random walk found that Redis let it stay a month longer, and memory did not."""
    run, record = await asked(store)
    await settle(store, run, record)
    advance(MONTH)
    await settle(store, run)
    assert run.id in await due_now(store)


async def test_a_run_that_still_lives_stays(store: Store, advance: Advance) -> None:
    """Its month starts again with each event, also where nobody ended it."""
    run, record = await asked(store)
    advance(MONTH - DAY)
    await settle(store, run, record)
    advance(MONTH - DAY)
    assert run.id not in await due_now(store)
    await store.note(run, EventType.ASK_NOT_ASKED, None, "auto")
    advance(DAY)
    assert run.id in await due_now(store)
    assert not await store.retire(run.id)
    due = await store.due("clock", 100)
    assert run.id not in due.members
    advance(MONTH - DAY)
    assert run.id in await due_now(store)
    assert await store.retire(run.id)


async def test_a_run_that_waits_stays(store: Store, advance: Advance) -> None:
    """However long its ask has waited; it is looked at a month after it waits no more."""
    run, record = await asked(store)
    advance(MONTH + DAY)
    assert run.id not in await due_now(store)
    assert not await store.retire(run.id)
    assert await store.read(record.ask.id) == record
    assert run.id not in await due_now(store)
    await settle(store, run, record)
    advance(MONTH)
    assert run.id in await due_now(store)


async def test_a_run_that_is_owed_an_outcome_stays(store: Store, advance: Advance) -> None:
    """It is looked at again soon, and goes once the webhook has taken it."""
    run, record = await owing(store)
    await settle(store, run, token="end", change=RunChange(RunStatus.FINISHED))
    advance(MONTH)
    assert not await store.retire(run.id)
    assert await store.read(record.ask.id) is not None
    assert run.id not in await due_now(store)
    await store.paid(record.ask.id)
    advance(RETIRE_LOOK_AGAIN)
    assert run.id in await due_now(store)
    assert await store.retire(run.id)


async def test_a_run_that_never_asked_goes_too(store: Store, advance: Advance) -> None:
    """A month after it was created, or after its own deadline ended it."""
    idle = a_run()
    await store.create_run(idle)
    bound = a_run(deadline=await store.now() + DAY)
    await store.create_run(bound)
    advance(DAY)
    assert await due_now(store) == (bound.id,)
    await settle(store, bound, token="end", change=RunChange(RunStatus.FAILED, "deadline"))
    assert await due_now(store) == ()
    advance(MONTH - DAY)
    assert await due_now(store) == (idle.id,)
    assert await store.retire(idle.id)
    advance(DAY)
    assert await due_now(store) == (bound.id,)
    assert await store.retire(bound.id)


@pytest.mark.parametrize("kind", [EventType.ASK_REFUSED, EventType.WEBHOOK_DEAD])
async def test_nothing_comes_back_to_a_run_that_is_gone(
    store: Store, advance: Advance, kind: EventType
) -> None:
    """Late workers leave nothing behind that nobody would ever clear away."""
    run, record = await asked(store)
    await settle(store, run, record, token="end", change=RunChange(RunStatus.FINISHED))
    advance(MONTH)
    assert await store.retire(run.id)
    await drained(store, Group.RESUME)
    ask_id = record.ask.id
    await store.note(run, kind, ask_id, "late")
    assert not await store.frame(run.id, "job-child", ask_id)
    assert not await store.mark(ask_id, "t1")
    assert not await store.save_draft(ask_id, "kevin", "{}", "t2")
    await store.postpone(ask_id, 1, await store.now())
    await store.wake_webhook(ask_id, run.id, run.tenant)
    await store.paid(ask_id)
    assert not await store.climb(record, 0, 1, EventType.WAITING, "owner", await store.now())
    assert await store.read_run(run.id) is None
    assert await store.read(ask_id) is None
    assert await store.history(run.id) == []
    assert not await store.owes(ask_id)
    assert (await store.due("clock", 100)).members == ()
    assert await drained(store, Group.RESUME) == []


async def test_a_run_with_many_asks_goes_whole(store: Store, advance: Advance) -> None:
    """Each of its asks, ended one way or another."""
    run = a_run()
    await store.create_run(run)
    records = [await opened(store, run) for _ in range(20)]
    await settle(store, run, *records[:5], token="some")
    await settle(store, run, *records[5:], token="end", change=RunChange(RunStatus.CANCELLED))
    advance(MONTH)
    assert await store.retire(run.id)
    for record in records:
        assert await store.read(record.ask.id) is None
