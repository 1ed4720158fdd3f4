"""Settling: one outcome however many press, recognised again by its try, all of it or nothing."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.ask import Outcome, RunStatus, Status
from gateway.store import Ending, EventType, Group, RunChange, Settling, When
from tests.contract.making import (
    CANCELLED,
    EXPIRED,
    HOOK,
    TENANT,
    a_run,
    answered,
    asked,
    opened,
    settle,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.store import Store

MINUTE = timedelta(minutes=1)


async def test_the_outcome_is_kept_with_its_ask(store: Store) -> None:
    """Reading an ended ask gives the ask, both times, and the outcome unaltered."""
    run, record = await asked(store, timeout_s=60)
    outcome = Outcome(
        status=Status.DECLINED,
        values={"a": [], "n": 1.0, "i": 2**53 + 1, "t": 'quote " 🚀 \u2028', "ask": {"k": True}},
        reason='because, "ask": {}',
        by="user:kévin",
        name="Kévin",
        surface="slack",
        message="1700000000.1",
        skipped=True,
    )
    settled = await settle(store, run, record, outcome=outcome)
    assert settled.settling is Settling.WON
    assert not settled.again
    read = await store.read(record.ask.id)
    assert read is not None
    assert (read.status, read.outcome, read.settled_at) == (Status.DECLINED, outcome, settled.at)
    assert (read.ask, read.opened_at, read.deadline) == (
        record.ask,
        record.opened_at,
        record.deadline,
    )
    assert read.version > record.version
    assert read.outcome_id == record.outcome_id


async def test_an_ended_ask_waits_nowhere(store: Store) -> None:
    """The tenant's list, its run and the clock have no more of it; its drafts are gone."""
    run, record = await asked(store, timeout_s=60)
    await store.save_draft(record.ask.id, "kevin", "{}", "draft-1")
    await settle(store, run, record)
    assert await store.pending(TENANT, after=None, limit=10) == []
    assert await store.count_pending(TENANT) == 0
    kept = await store.read_run(run.id)
    assert kept is not None
    assert (kept.pending, kept.shown_status) == ((), RunStatus.RUNNING)
    due = await store.due("clock", 10)
    assert record.ask.id not in due.members
    assert await store.draft(record.ask.id, "kevin") is None


async def test_of_fifty_answers_at_once_exactly_one_settles(store: Store) -> None:
    """One wins, forty-nine hear that an outcome stands, and the record shows the winner's."""
    run, record = await asked(store)
    tries = [
        settle(store, run, record, token=f"try-{n}", outcome=answered(by=f"user:{n}"))
        for n in range(50)
    ]
    done = await asyncio.gather(*tries)
    winners = [n for n, settled in enumerate(done) if settled.settling is Settling.WON]
    assert len(winners) == 1
    assert sum(settled.settling is Settling.SETTLED for settled in done) == 49
    read = await store.read(record.ask.id)
    assert read is not None
    assert read.outcome == answered(by=f"user:{winners[0]}")
    endings = [e for e in await store.history(run.id) if e.type == "ask.answered"]
    assert len(endings) == 1


async def test_a_retried_answer_hears_that_it_won(store: Store) -> None:
    """The same try again is recognised, at the time it first settled, with no second effect."""
    run, record = await asked(store)
    first = await settle(store, run, record, token="mine")
    again = await settle(store, run, record, token="mine", outcome=answered({"answer": "o2"}))
    assert (again.settling, again.again, again.at) == (Settling.WON, True, first.at)
    read = await store.read(record.ask.id)
    assert read is not None
    assert read.outcome == answered()
    assert len(await store.history(run.id)) == 3


async def test_another_try_hears_that_an_outcome_stands(store: Store) -> None:
    """Who comes second changes nothing."""
    run, record = await asked(store)
    await settle(store, run, record, token="theirs")
    assert (await settle(store, run, record, token="mine")).settling is Settling.SETTLED


async def test_an_unknown_ask_is_missing(store: Store) -> None:
    """Nothing is made by settling it."""
    run, record = await asked(store)
    ghost = await store.settle(Ending(run, {"a-00000000000a": EXPIRED}, "try-1"))
    assert ghost.settling is Settling.MISSING
    kept = await store.read(record.ask.id)
    assert kept is not None
    assert kept.pending
    assert await store.read("a-00000000000a") is None


async def test_an_answer_after_the_deadline_is_late(
    store: Store, advance: Callable[[timedelta], None]
) -> None:
    """The deadline holds by the store's own clock, before any clock worker has looked."""
    run, record = await asked(store, timeout_s=60)
    advance(MINUTE)
    late = await settle(store, run, record, when=When.BEFORE_DEADLINE)
    assert late.settling is Settling.LATE
    kept = await store.read(record.ask.id)
    assert kept is not None
    assert kept.pending


async def test_an_answer_before_the_deadline_is_taken(
    store: Store, advance: Callable[[timedelta], None]
) -> None:
    """Up to the last moment, and without a deadline whenever it comes."""
    run, record = await asked(store, timeout_s=60)
    _, free = await asked(store, run)
    advance(MINUTE - timedelta(seconds=20))
    won = await settle(store, run, record, when=When.BEFORE_DEADLINE)
    assert won.settling is Settling.WON
    advance(timedelta(days=1))
    assert (await settle(store, run, free, when=When.BEFORE_DEADLINE)).settling is Settling.WON


async def test_nothing_expires_before_its_deadline(
    store: Store, advance: Callable[[timedelta], None]
) -> None:
    """An early clock is told so; without a deadline it always is."""
    run, record = await asked(store, timeout_s=60)
    free = await opened(store, run)
    early = await settle(store, run, record, when=When.AFTER_DEADLINE, outcome=EXPIRED)
    never = await settle(store, run, free, when=When.AFTER_DEADLINE, outcome=EXPIRED)
    assert (early.settling, never.settling) == (Settling.EARLY, Settling.EARLY)
    advance(MINUTE)
    won = await settle(store, run, record, when=When.AFTER_DEADLINE, outcome=EXPIRED)
    assert won.settling is Settling.WON


async def test_a_run_ends_with_all_its_asks(store: Store) -> None:
    """One step: every ask has its outcome, the run its status, its reason and its time."""
    run, first = await asked(store)
    second = await opened(store, run)
    change = RunChange(RunStatus.FAILED, "deadline passed")
    done = await settle(store, run, first, second, outcome=CANCELLED, change=change)
    assert done.settling is Settling.WON
    kept = await store.read_run(run.id)
    assert kept is not None
    assert (kept.status, kept.error, kept.pending) == (RunStatus.FAILED, "deadline passed", ())
    assert kept.ended_at == done.at
    for record in (first, second):
        read = await store.read(record.ask.id)
        assert read is not None
        assert read.outcome == CANCELLED
    assert [event.type for event in await store.history(run.id)][-3:] == [
        "ask.cancelled",
        "ask.cancelled",
        "run.ended",
    ]


async def test_a_run_does_not_end_beside_an_ask_nobody_named(store: Store) -> None:
    """An ask opened meanwhile stops the end of its run whole: look again."""
    run, first = await asked(store)
    second = await opened(store, run)
    change = RunChange(RunStatus.FINISHED)
    done = await settle(store, run, first, outcome=CANCELLED, change=change)
    assert done.settling is Settling.RETRY
    for record in (first, second):
        read = await store.read(record.ask.id)
        assert read is not None
        assert read.pending
    kept = await store.read_run(run.id)
    assert kept is not None
    assert kept.status is RunStatus.RUNNING


async def test_a_run_does_not_end_over_an_answer_that_was_sooner(store: Store) -> None:
    """The ask answered meanwhile keeps its answer, and the run's end is to be tried anew."""
    run, record = await asked(store)
    await settle(store, run, record, token="answer")
    done = await settle(
        store, run, record, token="end", outcome=CANCELLED, change=RunChange(RunStatus.CANCELLED)
    )
    assert done.settling is Settling.RETRY
    read = await store.read(record.ask.id)
    assert read is not None
    assert read.outcome == answered()


async def test_answers_and_the_end_of_a_run_at_once_leave_one_outcome_each(store: Store) -> None:
    """Whoever is first with an ask, its run ends once, and no ask is left waiting in it."""
    run, first = await asked(store)
    second = await opened(store, run)

    async def end() -> None:
        while True:
            known = await store.read_run(run.id)
            assert known is not None
            outcomes = dict.fromkeys(known.pending, CANCELLED)
            ending = Ending(run, outcomes, "end", When.ANY, RunChange(RunStatus.CANCELLED))
            if (await store.settle(ending)).settling is not Settling.RETRY:
                return

    answers = [settle(store, run, record, token="answer") for record in (first, second)]
    settled = (await asyncio.gather(*answers, end(), end()))[:2]
    kept = await store.read_run(run.id)
    assert kept is not None
    assert (kept.status, kept.pending) == (RunStatus.CANCELLED, ())
    for record, one in zip((first, second), settled, strict=True):
        assert one is not None
        read = await store.read(record.ask.id)
        assert read is not None
        assert (read.status is Status.ANSWERED) == (one.settling is Settling.WON)
    assert [e.type for e in await store.history(run.id)].count(EventType.RUN_ENDED) == 1


@pytest.mark.parametrize("waiting", [0, 1])
async def test_a_retried_end_of_a_run_hears_that_it_won(store: Store, waiting: int) -> None:
    """The same try is recognised, whether or not the run waited on anything."""
    run = a_run()
    await store.create_run(run)
    records = [await opened(store, run) for _ in range(waiting)]
    change = RunChange(RunStatus.FINISHED)
    first = await settle(store, run, *records, token="end", change=change)
    again = await settle(store, run, *records, token="end", change=change)
    assert (again.settling, again.again, again.at) == (Settling.WON, True, first.at)
    other = await settle(store, run, token="another", change=RunChange(RunStatus.FAILED))
    assert other.settling is Settling.SETTLED
    kept = await store.read_run(run.id)
    assert kept is not None
    assert kept.status is RunStatus.FINISHED


async def test_several_asks_end_together_or_not_at_all(store: Store) -> None:
    """One that has an outcome already leaves the others as they are."""
    run, first = await asked(store)
    second = await opened(store, run)
    await settle(store, run, second, token="sooner")
    both = await settle(store, run, first, second, token="both")
    assert both.settling is Settling.SETTLED
    read = await store.read(first.ask.id)
    assert read is not None
    assert read.pending


async def test_the_first_of_several_is_the_one_whose_time_is_up(
    store: Store, advance: Callable[[timedelta], None]
) -> None:
    """An ask that expires may end its run, and with it asks that had time left."""
    run, brief = await asked(store, timeout_s=60)
    longer = await opened(store, run, timeout_s=600)
    advance(MINUTE)
    change = RunChange(RunStatus.FAILED, "question timed out")
    wrong = await settle(store, run, longer, brief, when=When.AFTER_DEADLINE, change=change)
    assert wrong.settling is Settling.EARLY
    right = await settle(store, run, brief, longer, when=When.AFTER_DEADLINE, change=change)
    assert right.settling is Settling.WON


async def test_a_run_with_a_webhook_owes_its_outcomes(store: Store) -> None:
    """What a webhook has not taken is owed; a run that polls owes nothing."""
    owing, record = await asked(store, a_run(webhook=HOOK))
    polling, other = await asked(store)
    assert not await store.owes(record.ask.id)
    await settle(store, owing, record)
    await settle(store, polling, other)
    assert await store.owes(record.ask.id)
    assert not await store.owes(other.ask.id)
    notes = [event.note for event in await store.history(owing.id)]
    assert notes[-1] == "webhook"


async def test_settling_before_anybody_took_the_ask_leaves_nothing_to_deliver(
    store: Store,
) -> None:
    """An ask that ended in the meantime is not shown any more."""
    run, ended = await asked(store)
    _, waiting = await asked(store)
    await settle(store, run, ended)
    taken = []
    for _ in range(3):
        taken += await store.take(Group.DELIVER, "w1", 64, timedelta(milliseconds=1))
    assert [one.event.ask_id for one in taken if one.event] == [waiting.ask.id]
