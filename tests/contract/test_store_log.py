"""The log: a tail that wakes, groups whose entries are done once, a run's history in order."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import gateway.memory_store.log
import gateway.redis_store.streams
from gateway.ask import RunStatus
from gateway.store import MAX_REFUSALS_RECORDED, Event, EventType, Group, RunChange
from tests.contract.making import (
    a_run,
    asked,
    drained,
    opened,
    owing,
    settle,
    taken_by,
)
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    import pytest

    from gateway.store import Store
    from tests.contract.backends import Backend

NOW = timedelta(0)
SOON = timedelta(seconds=20)

BLOCK_OF_ENTRIES = 100
"""Redis trims by whole blocks, of this many entries by default."""


async def heard(tail: AsyncGenerator[Sequence[Event] | None, None], kind: EventType) -> Event:
    """The next event of a kind that a tail gives."""
    async with asyncio.timeout(SOON.total_seconds()):
        async for events in tail:
            for event in events or ():
                if event.type is kind:
                    return event
    raise AssertionError("the tail has ended")


# The tail


async def test_a_tail_starts_by_having_all_look_again(store: Store) -> None:
    """What was before it is not told; so whoever waits looks at the state first."""
    await asked(store)
    tail = store.tail()
    assert await anext(tail) is None
    run, record = await asked(store)
    told = await heard(tail, EventType.ASK_OPENED)
    assert (told.run_id, told.ask_id, told.tenant) == (run.id, record.ask.id, run.tenant)
    await tail.aclose()


async def test_a_tail_that_waits_is_woken(store: Store) -> None:
    """Whatever place the run has, and every tail there is."""
    tails = [store.tail(), store.tail()]
    for tail in tails:
        await anext(tail)
    waiting = [asyncio.create_task(heard(tail, EventType.ASK_ANSWERED)) for tail in tails]
    await asked(store)
    run, record = await asked(store)
    await settle(store, run, record)
    for told in await asyncio.gather(*waiting):
        assert told.ask_id == record.ask.id
    for tail in tails:
        await tail.aclose()


async def test_a_tail_leaves_nothing_out(store: Store) -> None:
    """Every event since it began, each run's in order."""
    tail = store.tail()
    await anext(tail)
    runs = [a_run() for _ in range(10)]
    await asyncio.gather(*(store.create_run(run) for run in runs))
    records = await asyncio.gather(*(opened(store, run) for run in runs))
    await asyncio.gather(
        *(settle(store, run, record) for run, record in zip(runs, records, strict=True))
    )
    told: list[Event] = []
    async with asyncio.timeout(SOON.total_seconds()):
        while len(told) < 30:
            batch = await anext(tail)
            told += batch or ()
    for run in runs:
        assert [event for event in told if event.run_id == run.id] == await store.history(run.id)
    await tail.aclose()


# Groups


async def test_a_group_hears_what_was_before_its_first_reader(store: Store) -> None:
    """Made when its role first runs, it starts with all that is there."""
    run, record = await asked(store)
    kinds = [(event.type, event.run_id) for event in await drained(store, Group.NOTIFY)]
    assert kinds == [(EventType.RUN_CREATED, run.id), (EventType.ASK_OPENED, run.id)]
    delivered = await drained(store, Group.DELIVER)
    assert [event.ask_id for event in delivered] == [record.ask.id]


async def test_a_reader_that_waits_gets_what_comes(store: Store) -> None:
    """A blocked take returns with the first entry, long before its time is up."""
    await drained(store, Group.RESUME)
    taking = asyncio.create_task(store.take(Group.RESUME, "w1", 64, SOON))
    run, _ = await asked(store)
    async with asyncio.timeout(SOON.total_seconds() / 2):
        taken = await taking
    assert {one.event.run_id for one in taken if one.event} == {run.id}


async def test_a_reader_that_waits_in_vain_gets_nothing(store: Store) -> None:
    """An empty take is no failure."""
    await drained(store, Group.RESUME)
    assert await store.take(Group.RESUME, "w1", 64, timedelta(milliseconds=20)) == []


async def test_two_readers_of_a_group_share_its_entries(store: Store) -> None:
    """Each entry goes to one of them, and none is left out."""
    await drained(store, Group.RESUME)
    records = [(await asked(store))[1] for _ in range(20)]
    both = await asyncio.gather(
        taken_by(store, Group.RESUME, "w1", limit=16), taken_by(store, Group.RESUME, "w2", limit=16)
    )
    keys = [one.key for taken in both for one in taken]
    assert len(keys) == len(set(keys)) == 40
    asks = {one.event.ask_id for taken in both for one in taken if one.event}
    assert asks == {None, *(record.ask.id for record in records)}


async def test_groups_do_not_take_from_each_other(store: Store) -> None:
    """What one has acknowledged is still there for the next."""
    await asked(store)
    for group in (Group.RESUME, Group.NOTIFY, Group.REDRAW):
        assert len(await drained(store, group)) == 2


async def test_an_unacknowledged_entry_comes_back_to_another(store: Store) -> None:
    """What a reader that died has left is taken over, as it was."""
    await asked(store)
    left = await taken_by(store, Group.RESUME, "dead")
    claimed = await store.claim_stale(Group.RESUME, "w2", NOW)
    assert sorted(one.key for one in claimed) == sorted(one.key for one in left)
    assert {one.event for one in claimed} == {one.event for one in left}


async def test_an_acknowledged_entry_does_not_come_back(store: Store) -> None:
    """Done is done, for that entry alone."""
    await asked(store)
    done, left = await taken_by(store, Group.RESUME, "w1")
    await store.done(Group.RESUME, [done])
    assert [one.key for one in await store.claim_stale(Group.RESUME, "w2", NOW)] == [left.key]
    await store.done(Group.RESUME, [left])
    assert await store.claim_stale(Group.RESUME, "w2", NOW) == []
    assert await taken_by(store, Group.RESUME, "w1") == []


async def test_what_a_reader_works_on_is_not_taken_from_it(store: Store) -> None:
    """Only what has lain idle for as long as said is stale."""
    await asked(store)
    await taken_by(store, Group.RESUME, "busy")
    assert await store.claim_stale(Group.RESUME, "w2", timedelta(minutes=1)) == []


async def test_claiming_from_a_group_that_is_not_there_gives_nothing(store: Store) -> None:
    """Nobody has left anything yet."""
    await asked(store)
    assert await store.claim_stale(Group.REDRAW, "w1", NOW) == []


async def test_an_ask_that_ended_while_held_is_not_delivered_again(store: Store) -> None:
    """A pending ask's entry goes with it, whoever has taken it meanwhile."""
    run, record = await asked(store)
    _, other = await asked(store)
    assert len(await taken_by(store, Group.DELIVER, "dead")) == 2
    await settle(store, run, record)
    claimed = [one for one in await store.claim_stale(Group.DELIVER, "w2", NOW) if not one.gone]
    assert [one.event.ask_id for one in claimed if one.event] == [other.ask.id]


async def test_trimming_drops_what_every_group_is_past_and_no_more(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what nobody took yet nor what somebody holds is dropped."""
    for module in (gateway.memory_store.log, gateway.redis_store.streams):
        monkeypatch.setattr(module, "TAIL_SLACK", timedelta(seconds=-5))
    run, _ = await asked(store)
    for n in range(BLOCK_OF_ENTRIES * 3):
        await store.note(run, EventType.WAITING, None, str(n))
    await drained(store, Group.NOTIFY)
    taken = await taken_by(store, Group.RESUME, "slow")
    held = taken[BLOCK_OF_ENTRIES * 2]
    await store.done(Group.RESUME, [one for one in taken if one.key != held.key])
    await store.note(run, EventType.ASK_NOT_ASKED, None, "new")
    await store.trim()
    assert [one.event for one in await store.claim_stale(Group.RESUME, "w2", NOW)] == [held.event]
    assert [event.note for event in await drained(store, Group.RESUME)] == ["new"]
    left = await drained(store, Group.REDRAW)
    assert held.event in left
    assert len(left) < BLOCK_OF_ENTRIES * 3


async def test_rf_11_trimming_leaves_pending_asks_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RF-11: an ask that waits for days is not pushed out by what came later."""
    for module in (gateway.memory_store.log, gateway.redis_store.streams):
        monkeypatch.setattr(module, "TAIL_SLACK", timedelta(seconds=-5))
    run = a_run()
    await store.create_run(run)
    records = [await opened(store, run) for _ in range(BLOCK_OF_ENTRIES * 2)]
    for group in (Group.RESUME, Group.DELIVER):
        await drained(store, group)
    await store.trim()
    assert [await store.read(record.ask.id) for record in records] == records
    assert (await settle(store, run, records[0])).at is not None


async def test_a_late_group_learns_of_debts_whose_events_are_gone(backend: Backend) -> None:
    """What is owed and on nobody's way is told anew to `resume`; what is still there only once."""
    store = backend.store
    caller = a_run()
    await store.create_run(caller)
    owed, old = await owing(store)
    _, paid = await owing(store)
    await store.paid(paid.ask.id)
    await owing(store, a_run())
    _, waiting = await owing(store)
    await store.postpone(waiting.ask.id, 1, await store.now() + timedelta(hours=1))
    child, asking = await asked(store, a_run(parent=caller.id))
    await backend.lose_log()
    fresh, new = await owing(store)
    told = await drained(store, Group.RESUME)
    again = [e for e in told if e.run_id != fresh.id]
    assert sorted((e.type, e.run_id, e.ask_id, e.tenant, e.note) for e in again) == [
        (EventType.ASK_OPENED, child.id, asking.ask.id, child.tenant, caller.id),
        (EventType.WEBHOOK_DUE, owed.id, old.ask.id, owed.tenant, "webhook"),
    ]
    assert [(e.type, e.ask_id) for e in told if e.run_id == fresh.id] == [
        (EventType.RUN_CREATED, None),
        (EventType.ASK_OPENED, new.ask.id),
        (EventType.ASK_ANSWERED, new.ask.id),
    ]
    assert await drained(store, Group.RESUME) == []


# A run's history


async def test_a_runs_history_tells_all_in_order(store: Store) -> None:
    """Ids rise, and any place in it can be gone on from."""
    run, record = await asked(store)
    await settle(store, run, record)
    await settle(store, run, token="end", change=RunChange(RunStatus.FINISHED))
    events = await store.history(run.id)
    assert [(event.type, event.ask_id) for event in events] == [
        (EventType.RUN_CREATED, None),
        (EventType.ASK_OPENED, record.ask.id),
        (EventType.ASK_ANSWERED, record.ask.id),
        (EventType.RUN_ENDED, None),
    ]
    assert events[-1].note == RunStatus.FINISHED
    order = [tuple(map(int, event.id.split("-"))) for event in events]
    assert order == sorted(set(order))
    assert {(event.run_id, event.tenant) for event in events} == {(run.id, run.tenant)}
    for start in range(5):
        assert await store.history(run.id, start) == events[start:]


async def test_a_note_is_on_history_and_log(store: Store) -> None:
    """With its words as they are; of a run that is not there nothing is noted."""
    run, record = await asked(store)
    await drained(store, Group.NOTIFY)
    words = "auto ask.opened a-1 \U0001f680"
    await store.note(run, EventType.ASK_NOT_ASKED, None, words)
    await store.note(run, EventType.WEBHOOK_DEAD, record.ask.id, "")
    noted = (await store.history(run.id))[2:]
    assert [(event.type, event.ask_id, event.note) for event in noted] == [
        (EventType.ASK_NOT_ASKED, None, words),
        (EventType.WEBHOOK_DEAD, record.ask.id, ""),
    ]
    assert await drained(store, Group.NOTIFY) == noted
    ghost = a_run()
    await store.note(ghost, EventType.ASK_NOT_ASKED, None, "auto")
    assert await store.history(ghost.id) == []
    assert await store.read_run(ghost.id) is None


async def test_records_of_refusals_are_capped(store: Store) -> None:
    """A hundred of a run; other notes are not counted with them."""
    run, record = await asked(store)
    for n in range(MAX_REFUSALS_RECORDED + 5):
        await store.note(run, EventType.ASK_REFUSED, record.ask.id, f"user:{n}")
    await store.note(run, EventType.WEBHOOK_DEAD, record.ask.id, "")
    kinds = [event.type for event in await store.history(run.id)]
    assert kinds.count(EventType.ASK_REFUSED) == MAX_REFUSALS_RECORDED
    assert kinds[-1] is EventType.WEBHOOK_DEAD


async def test_that_an_ask_was_undelivered_is_said_once(store: Store) -> None:
    """However many find out, and at once; of another ask of the run it is said too."""
    run, record = await asked(store)
    other = await opened(store, run)
    told = await asyncio.gather(
        *(store.note(run, EventType.ASK_UNDELIVERED, record.ask.id, "") for _ in range(5))
    )
    assert sorted(told) == [False] * 4 + [True]
    assert await store.note(run, EventType.ASK_UNDELIVERED, other.ask.id, "")
    kinds = [event.type for event in await store.history(run.id)]
    assert kinds.count(EventType.ASK_UNDELIVERED) == 2
    assert not await store.note(a_run(), EventType.ASK_UNDELIVERED, record.ask.id, "")


async def test_a_caller_hears_once_that_a_sub_run_asks(store: Store) -> None:
    """However often it is told of the ask; and of each ask."""
    caller = a_run()
    await store.create_run(caller)
    child, record = await asked(store, a_run(parent=caller.id))
    other = await opened(store, child)
    told = await asyncio.gather(
        *(store.frame(caller.id, child.id, record.ask.id) for _ in range(5))
    )
    assert sum(told) == 1
    assert await store.frame(caller.id, child.id, other.ask.id)
    frames = (await store.history(caller.id))[1:]
    assert [(event.type, event.ask_id, event.note) for event in frames] == [
        (EventType.CHILD_NEEDS_HUMAN, record.ask.id, child.id),
        (EventType.CHILD_NEEDS_HUMAN, other.ask.id, child.id),
    ]
    assert not await store.frame("job-none", child.id, record.ask.id)


async def test_a_sub_runs_ask_names_its_caller_on_the_log(store: Store) -> None:
    """The note by which `resume` knows whom to tell."""
    child, _ = await asked(store, a_run(parent="job-caller"))
    assert [event.note for event in await store.history(child.id)] == ["", "job-caller"]


async def test_time_goes_on(store: Store, advance: Callable[[timedelta], None]) -> None:
    """Events carry the store's own time, which tests can move."""
    run, record = await asked(store)
    advance(timedelta(hours=1))
    await settle(store, run, record)
    times = [event.at for event in await store.history(run.id)]
    assert timedelta(hours=1) <= times[-1] - times[0] < timedelta(hours=1, minutes=1)

    async def later() -> bool:
        return await store.now() > times[-1]

    await until(later, "the clock goes on by itself")
