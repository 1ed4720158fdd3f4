"""Timers: what is due, fired once by any number of clocks; webhooks that wait; the dead."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.ask import RunStatus
from gateway.ladder import Rung
from gateway.store import CLOCK_LEASE, WEBHOOK_LOOK_AGAIN, DeadLetter, EventType, Group, RunChange
from tests.contract.making import (
    EXPIRED,
    HOOK,
    a_run,
    asked,
    drained,
    new_ask,
    opened,
    owing,
    settle,
)
from tests.waiting import until

if TYPE_CHECKING:
    from datetime import datetime

    from gateway.store import Store
    from tests.contract.backends import Advance

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
QUARTER = Rung(share=0.25)
FIVE_MINUTES = Rung(after_s=300)


def near(at: datetime | None, expected: datetime) -> bool:
    """Whether a time is what is expected, but for what the steps in between took."""
    return at is not None and abs(at - expected) < timedelta(seconds=30)


async def test_nothing_is_due_before_its_time(store: Store) -> None:
    """A look says what is due and when to look next, by the store's own clock."""
    _, record = await asked(store, timeout_s=60)
    await asked(store, timeout_s=3600)
    due = await store.due("clock", 10)
    assert due.members == ()
    assert due.claimed > 0
    assert near(due.now, await store.now())
    assert due.next_at == record.deadline


async def test_asks_are_due_at_their_deadlines(store: Store, advance: Advance) -> None:
    """Each in its time, and again at the next look, until it has ended."""
    run, first = await asked(store, timeout_s=60)
    second = await opened(store, run, timeout_s=120)
    advance(MINUTE)
    for _ in range(2):
        due = await store.due("clock", 10)
        assert due.members == (first.ask.id,)
        assert due.next_at == second.deadline
    await settle(store, run, first, outcome=EXPIRED)
    advance(MINUTE)
    assert (await store.due("clock", 10)).members == (second.ask.id,)


async def test_what_is_due_in_one_place_comes_in_order(store: Store, advance: Advance) -> None:
    """The longest due come first, and no more of them than asked for."""
    run = a_run()
    await store.create_run(run)
    records = [await opened(store, run, timeout_s=seconds) for seconds in (90, 30, 60)]
    advance(HOUR)
    in_time = sorted(records, key=lambda record: record.deadline or record.opened_at)
    expected = tuple(record.ask.id for record in in_time)
    assert (await store.due("clock", 10)).members == expected
    assert (await store.due("clock", 2)).members == expected[:2]


@pytest.mark.parametrize(
    ("rung", "timeout_s", "after"),
    [
        (QUARTER, 3600, timedelta(minutes=15)),
        (FIVE_MINUTES, 3600, timedelta(minutes=5)),
        (FIVE_MINUTES, 60, MINUTE),
        (QUARTER, None, timedelta(hours=6)),
        (FIVE_MINUTES, None, timedelta(minutes=5)),
    ],
)
async def test_a_clock_first_looks_at_an_ask_at_its_first_rung(
    store: Store, rung: Rung, timeout_s: int | None, after: timedelta
) -> None:
    """Or at its deadline, where that is sooner; without a deadline a day is what is shared out."""
    _, record = await asked(store, timeout_s=timeout_s, ladder=(Rung(share=0.9), rung))
    assert near((await store.due("clock", 10)).next_at, record.opened_at + after)


async def test_an_ask_without_deadline_and_rungs_is_never_due(
    store: Store, advance: Advance
) -> None:
    """It waits for as long as it takes."""
    _, record = await asked(store)
    advance(timedelta(days=29))
    due = await store.due("clock", 10)
    assert record.ask.id not in due.members


async def test_a_run_is_due_at_its_own_deadline(store: Store, advance: Advance) -> None:
    """Also while an ask of it waits."""
    run = a_run(deadline=await store.now() + HOUR)
    await store.create_run(run)
    _, record = await asked(store, run)
    assert (await store.due("clock", 10)).members == ()
    advance(HOUR)
    assert set((await store.due("clock", 10)).members) == {run.id, record.ask.id}


async def test_of_ten_clocks_one_fires_a_rung(store: Store, advance: Advance) -> None:
    """The event is on the history once, and the ask is due next when the winner said."""
    run, record = await asked(store, timeout_s=3600, ladder=(QUARTER,))
    advance(timedelta(minutes=15))
    assert (await store.due("clock", 10)).members == (record.ask.id,)
    fire = store.climb(record, 0, 1, EventType.WAITING, "answerers", record.deadline)
    others = [
        store.climb(record, 0, 1, EventType.WAITING, "answerers", record.deadline) for _ in range(9)
    ]
    fired = await asyncio.gather(fire, *others)
    assert sum(fired) == 1
    assert await store.rung(record.ask.id) == 1
    told = [event for event in await store.history(run.id) if event.type is EventType.WAITING]
    assert [(event.ask_id, event.note) for event in told] == [(record.ask.id, "answerers")]
    due = await store.due("clock", 10)
    assert (due.members, due.next_at) == ((), record.deadline)


async def test_going_on_waiting_tells_nobody(store: Store) -> None:
    """A rung without an event only moves the next look, or takes it away."""
    run, record = await asked(store, timeout_s=3600, ladder=(QUARTER,))
    at = record.opened_at + timedelta(minutes=40)
    assert await store.climb(record, 0, 0, None, "", at)
    assert (await store.due("clock", 10)).next_at == at
    assert await store.climb(record, 0, 0, None, "", None)
    assert (await store.due("clock", 10)).next_at != at
    assert [event.type for event in await store.history(run.id)] == ["run.created", "ask.opened"]


async def test_an_ended_ask_climbs_no_further(store: Store) -> None:
    """Nobody is reminded of what is done, and it is not due again."""
    run, record = await asked(store, timeout_s=3600)
    await settle(store, run, record)
    at = record.opened_at + MINUTE
    assert not await store.climb(record, 0, 1, EventType.ESCALATED, "owner", at)
    assert EventType.ESCALATED not in [event.type for event in await store.history(run.id)]
    assert (await store.due("clock", 10)).next_at != at


async def test_what_is_forgotten_is_not_due_again(store: Store, advance: Advance) -> None:
    """Whatever kind of thing it is, so that one that does not read cannot keep a clock busy."""
    run, record = await asked(store, a_run(deadline=await store.now() + HOUR), timeout_s=60)
    hooked, owed = await owing(store)
    await store.postpone(owed.ask.id, 1, await store.now() + MINUTE)
    advance(HOUR)
    due = await store.due("clock", 10)
    assert set(due.members) == {run.id, record.ask.id, f"w:{owed.ask.id}"}
    await store.forget(record.ask.id, None)
    await store.forget(f"w:{owed.ask.id}", None)
    await store.forget(run.id, run.id)
    due = await store.due("clock", 10)
    assert due.members == ()
    assert near(due.next_at, hooked_retirement(await store.now()))
    await store.forget(hooked.id, hooked.id)
    assert (await store.due("clock", 10)).next_at is None


def hooked_retirement(now: datetime) -> datetime:
    """When a run made an hour ago is up for retirement."""
    return now - HOUR + timedelta(days=30)


async def test_one_clock_holds_what_it_claimed(store: Store, advance: Advance) -> None:
    """Another gets nothing meanwhile, and all of it once the first has been silent for a while."""
    _, record = await asked(store, timeout_s=60)
    advance(MINUTE)
    assert (await store.due("first", 10)).members == (record.ask.id,)
    second = await store.due("second", 10)
    assert (second.members, second.claimed) == ((), 0)
    advance(CLOCK_LEASE)
    assert (await store.due("second", 10)).members == (record.ask.id,)
    assert (await store.due("first", 10)).claimed == 0


# Webhooks


async def test_a_webhook_that_failed_waits_for_its_next_try(store: Store, advance: Advance) -> None:
    """It is due then, with its tries counted; being woken it is on the log, and due later again."""
    run, record = await owing(store)
    at = await store.now() + HOUR
    await store.postpone(record.ask.id, 3, at)
    assert await store.tries(record.ask.id) == 3
    assert (await store.due("clock", 10)).next_at == at
    advance(HOUR)
    assert (await store.due("clock", 10)).members == (f"w:{record.ask.id}",)
    await store.wake_webhook(record.ask.id, run.id, run.tenant)
    due = await store.due("clock", 10)
    assert due.members == ()
    assert near(due.next_at, due.now + WEBHOOK_LOOK_AGAIN)
    woken = [e for e in await drained(store, Group.RESUME) if e.type is EventType.WEBHOOK_DUE]
    assert [(e.run_id, e.ask_id, e.tenant) for e in woken] == [(run.id, record.ask.id, run.tenant)]
    assert EventType.WEBHOOK_DUE not in [event.type for event in await store.history(run.id)]


async def test_an_outcome_that_was_taken_is_owed_no_more(store: Store, advance: Advance) -> None:
    """No timer of it is left, and a late failure of another worker does not bring it back."""
    run, record = await owing(store)
    await store.postpone(record.ask.id, 1, await store.now() + MINUTE)
    await store.paid(record.ask.id)
    assert not await store.owes(record.ask.id)
    await store.postpone(record.ask.id, 2, await store.now() + MINUTE)
    advance(HOUR)
    assert (await store.due("clock", 10)).members == ()
    await drained(store, Group.RESUME)
    await store.wake_webhook(record.ask.id, run.id, run.tenant)
    assert await drained(store, Group.RESUME) == []


async def test_waking_a_webhook_twice_tells_once_for_each_time_it_was_due(
    store: Store, advance: Advance
) -> None:
    """A webhook that is not due is not woken: the clock that was first has done it."""
    run, record = await owing(store)
    await drained(store, Group.RESUME)
    await store.wake_webhook(record.ask.id, run.id, run.tenant)
    assert await drained(store, Group.RESUME) == []
    await store.postpone(record.ask.id, 1, await store.now() + MINUTE)
    advance(MINUTE)
    await store.wake_webhook(record.ask.id, run.id, run.tenant)
    assert len(await drained(store, Group.RESUME)) == 1


async def test_what_failed_for_good_is_among_the_dead(store: Store, advance: Advance) -> None:
    """With its reason, out of the timers and the debts, and in no other group's list."""
    _, record = await owing(store)
    await store.postpone(record.ask.id, 9, await store.now() + MINUTE)
    await store.bury(Group.RESUME, record.ask.id, "status 500, for 3 days")
    (letter,) = await store.dead(Group.RESUME)
    assert (letter.ask_id, letter.reason) == (record.ask.id, "status 500, for 3 days")
    assert near(letter.at, await store.now())
    assert not await store.owes(record.ask.id)
    advance(HOUR)
    assert (await store.due("clock", 10)).members == ()
    assert await store.dead(Group.NOTIFY) == []


async def test_a_dead_webhook_can_be_driven_again_once(store: Store) -> None:
    """It is owed and due at once, its tries forgotten; a second hand at it changes nothing."""
    _, record = await owing(store)
    await store.postpone(record.ask.id, 9, await store.now() + HOUR)
    await store.bury(Group.RESUME, record.ask.id, "gone")
    (letter,) = await store.dead(Group.RESUME)
    assert await store.redrive(letter)
    assert await store.dead(Group.RESUME) == []
    assert await store.owes(record.ask.id)
    assert await store.tries(record.ask.id) == 0
    assert (await store.due("clock", 10)).members == (f"w:{record.ask.id}",)
    assert not await store.redrive(letter)


async def test_a_timer_that_failed_keeps_the_debts_of_its_ask(
    store: Store, advance: Advance
) -> None:
    """A clock that gives an ask up takes no outcome from its run; driven again, both are due."""
    run, record = await asked(store, a_run(webhook=HOOK), timeout_s=60)
    advance(MINUTE)
    await store.bury(Group.CLOCK, record.ask.id, "see the log")
    assert (await store.due("clock", 10)).members == ()
    await settle(store, run, record)
    assert await store.owes(record.ask.id)
    (letter,) = await store.dead(Group.CLOCK)
    assert await store.redrive(letter)
    due = (await store.due("clock", 10)).members
    assert set(due) == {record.ask.id, f"w:{record.ask.id}"}


async def test_a_letter_of_an_ask_that_is_gone_goes_too(store: Store, advance: Advance) -> None:
    """Driving it again makes nothing anew; the letter is done with."""
    run, record = await owing(store)
    await settle(store, run, token="end", change=RunChange(RunStatus.FINISHED))
    await store.bury(Group.RESUME, record.ask.id, "gone")
    advance(timedelta(days=31))
    assert await store.retire(run.id)
    (letter,) = await store.dead(Group.RESUME)
    assert not await store.redrive(letter)
    assert await store.dead(Group.RESUME) == []
    assert not await store.owes(record.ask.id)
    assert (await store.due("clock", 10)).members == ()


async def test_a_runs_timer_that_failed_can_be_set_again(store: Store, advance: Advance) -> None:
    """Named by the run's id; due at once then, and once."""
    run = a_run(deadline=await store.now() + MINUTE)
    await store.create_run(run)
    advance(MINUTE)
    await store.bury(Group.CLOCK, run.id, "does not read")
    assert (await store.due("clock", 10)).members == ()
    (letter,) = await store.dead(Group.CLOCK)
    assert (letter.ask_id, letter.reason) == (run.id, "does not read")
    assert await store.redrive(letter)
    assert await store.dead(Group.CLOCK) == []
    assert (await store.due("clock", 10)).members == (run.id,)
    assert not await store.redrive(letter)


async def test_a_letter_of_a_run_that_is_gone_goes_too(store: Store, advance: Advance) -> None:
    """Nothing is left to be looked at."""
    run = a_run()
    await store.create_run(run)
    await store.bury(Group.CLOCK, run.id, "does not read")
    advance(timedelta(days=31))
    assert await store.retire(run.id)
    (letter,) = await store.dead(Group.CLOCK)
    assert not await store.redrive(letter)
    assert (await store.due("clock", 10)).members == ()


async def test_a_store_tells_what_it_holds_from_what_is_gone(
    store: Store, advance: Advance
) -> None:
    """An ask is held from its opening until its run is retired."""
    run, record = await asked(store)
    assert await store.holds(record.ask.id)
    assert not await store.holds(new_ask(run).ask.id)
    assert not await store.holds("a-none")
    await settle(store, run, record)
    assert await store.holds(record.ask.id)
    advance(timedelta(days=31))
    assert await store.retire(run.id)
    assert not await store.holds(record.ask.id)


async def test_the_dead_come_in_the_order_they_died(store: Store) -> None:
    """Over all runs, the oldest first."""
    records = [(await owing(store))[1] for _ in range(5)]
    for record in records:
        await store.bury(Group.RESUME, record.ask.id, "gone")
        await until_later(store)
    letters: list[DeadLetter] = await store.dead(Group.RESUME)
    assert [letter.ask_id for letter in letters] == [record.ask.id for record in records]


async def until_later(store: Store) -> None:
    """Returns in another millisecond of the store's."""
    now = await store.now()

    async def later() -> bool:
        return await store.now() > now

    await until(later, "a millisecond has passed")
