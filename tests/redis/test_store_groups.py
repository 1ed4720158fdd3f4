"""Groups and entries that are lost: made again, nothing skipped, nothing told twice."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import gateway.redis_store.mending
import gateway.redis_store.streams
from gateway.ask import RunStatus
from gateway.redis_store import open_store
from gateway.store import Event, EventType, Group, RunChange, Settling, Taken
from tests.contract.making import (
    CANCELLED,
    HOOK,
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
    from redis.asyncio import Redis

    from gateway.redis_store import RedisStore
    from gateway.redis_store.keys import Keys
    from gateway.redis_store.link import Link
    from tests.redis.servers import Server

NOW = timedelta(0)
BLOCK = timedelta(seconds=20)
ENDED = EventType.ASK_ANSWERED


def logs(store: RedisStore) -> list[str]:
    return [keys.log for keys in store._partitions.all]


async def lose(raw: Redis, store: RedisStore, how: str) -> None:
    """Takes the `resume` group away, alone or with its streams."""
    for log in logs(store):
        if how == "destroy":
            await raw.xgroup_destroy(log, Group.RESUME)
        else:
            await raw.delete(log)


def outcomes(events: list[Event]) -> list[str]:
    """The asks whose outcome these events tell a run of."""
    return sorted(e.ask_id or "" for e in events if e.type in (ENDED, EventType.WEBHOOK_DUE))


@pytest.mark.parametrize("how", ["destroy", "delete"])
async def test_rf_05_a_lost_group_is_made_again_and_skips_nothing(
    store: RedisStore, raw: Redis, how: str
) -> None:
    """RF-05: what is owed, from before and from while it was away, is told once each."""
    run, record = await asked(store, a_run(webhook=HOOK))
    await drained(store, Group.RESUME)
    untold = [(await owing(store))[1] for _ in range(3)]
    await lose(raw, store, how)
    await settle(store, run, record)
    told = outcomes(await drained(store, Group.RESUME))
    assert told == sorted(one.ask.id for one in (*untold, record))
    assert await drained(store, Group.RESUME) == []


@pytest.mark.parametrize("how", ["destroy", "delete"])
async def test_what_was_taken_is_not_owed_again_by_a_new_group(
    store: RedisStore, raw: Redis, how: str
) -> None:
    """A webhook that has its outcome is not called again; one that waits for its try still does."""
    _, paid = await owing(store)
    _, waiting = await owing(store)
    await drained(store, Group.RESUME)
    await store.paid(paid.ask.id)
    shown = store._partitions.of_ask(paid.ask.id)
    assert shown is not None
    await raw.sadd(shown.owed, f"p:{paid.ask.id}")  # a post of it is still to be closed
    await store.postpone(waiting.ask.id, 1, await store.now() + timedelta(hours=1))
    await lose(raw, store, how)
    told = await drained(store, Group.RESUME)
    assert EventType.WEBHOOK_DUE not in {event.type for event in told}
    # With its log intact a group starts from the log again; who reads it asks whether it is owed.
    from_the_log = sorted([paid.ask.id, waiting.ask.id]) if how == "destroy" else []
    assert outcomes(told) == from_the_log


@pytest.mark.parametrize("how", ["destroy", "delete", "flush"])
async def test_a_reader_that_blocks_on_a_lost_group_goes_on(
    store: RedisStore, raw: Redis, how: str
) -> None:
    """It comes back from its read, makes the group, and hears what happens next."""
    await drained(store, Group.RESUME)
    reading = asyncio.create_task(store.take(Group.RESUME, "w1", 64, BLOCK))

    async def blocked() -> bool:
        info: dict[str, int] = await raw.info("clients")
        return info["blocked_clients"] == 1

    await until(blocked, "the reader blocks")
    if how == "flush":
        await raw.flushall()
    else:
        await lose(raw, store, how)
    run, record = await owing(store)
    taken = await reading
    taken += await taken_by(store, Group.RESUME)
    assert outcomes([one.event for one in taken if one.event]) == [record.ask.id]
    assert {one.event.run_id for one in taken if one.event} == {run.id}


@pytest.mark.parametrize("group", [Group.RESUME, Group.NOTIFY])
async def test_a_group_lost_in_one_place_is_made_again_there_alone(
    store: RedisStore, raw: Redis, group: Group
) -> None:
    """The other places go on where they were: 'group exists' is success."""
    await drained(store, group)
    records = [(await owing(store))[1] for _ in range(20)]
    before = await taken_by(store, group)
    assert len(outcomes([one.event for one in before if one.event])) == 20
    await store.done(group, before)
    lost = store._partitions.of_ask(records[0].ask.id)
    assert lost is not None
    await raw.xgroup_destroy(lost.log, group)
    again = outcomes(await drained(store, group))
    there = [r.ask.id for r in records if store._partitions.of_ask(r.ask.id) == lost]
    assert again == sorted(there)


async def test_an_entry_that_is_trimmed_while_a_group_is_made_is_told_anew(
    store: RedisStore, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen on the log is looked for again in the step that makes the group."""
    _, record = await owing(store)
    look = gateway.redis_store.mending._entries

    async def look_and_trim(link: Link, keys: Keys, asks: set[str]) -> dict[Any, str]:
        found = await look(link, keys, asks)
        await raw.xtrim(keys.log, maxlen=0)
        return found

    monkeypatch.setattr(gateway.redis_store.mending, "_entries", look_and_trim)
    assert outcomes(await drained(store, Group.RESUME)) == [record.ask.id]


async def test_many_readers_make_a_lost_group_together(
    store: RedisStore, raw: Redis, shared: Server
) -> None:
    """None of them fails, and each debt is told once."""
    records = [(await owing(store))[1] for _ in range(10)]
    await drained(store, Group.NOTIFY)
    stores = [await open_store(shared.url) for _ in range(4)]
    for log in logs(store):
        await raw.xtrim(log, maxlen=0)

    async def by_all(group: Group) -> list[Event]:
        each = (taken_by(one, group, f"w{n}") for n, one in enumerate(stores))
        taken = await asyncio.gather(*each)
        return [one.event for part in taken for one in part if one.event]

    assert outcomes(await by_all(Group.RESUME)) == sorted(record.ask.id for record in records)
    assert outcomes(await by_all(Group.REDRAW)) == sorted(record.ask.id for record in records)
    for one in stores:
        await one.aclose()


# Entries


@pytest.mark.parametrize("who", ["another", "itself"])
async def test_rf_10_an_entry_trimmed_while_held_is_lost_once(
    store: RedisStore, raw: Redis, shared: Server, caplog: pytest.LogCaptureFixture, who: str
) -> None:
    """RF-10: no failure, no endless reading of nothing, one line; the debt is told from `owed`."""
    run, record = await asked(store, a_run(webhook=HOOK))
    await drained(store, Group.RESUME)
    await settle(store, run, record)
    (held,) = await taken_by(store, Group.RESUME, "w1")
    assert held.event is not None
    for log in logs(store):
        await raw.xtrim(log, maxlen=0)
    restarted = await open_store(shared.url)
    told: list[Taken] = []
    with caplog.at_level(logging.ERROR, "gateway.store"):
        for _ in range(3):
            if who == "another":
                told += await restarted.claim_stale(Group.RESUME, "w2", NOW)
            taken = await taken_by(restarted, Group.RESUME, "w2" if who == "another" else "w1")
            await restarted.done(Group.RESUME, taken)
            told += taken
    lost = [line for line in caplog.records if line.message == "entries.lost"]
    assert len(lost) == 1
    events = [one.event for one in told if one.event]
    assert [(e.type, e.ask_id) for e in events] == [(EventType.WEBHOOK_DUE, record.ask.id)]
    assert sum(one.gone for one in told) <= 1
    _, other = await owing(store)
    assert outcomes(await drained(restarted, Group.RESUME)) == [other.ask.id]
    await restarted.aclose()


async def test_rf_10_an_ask_whose_entry_is_gone_reads_as_nothing_and_stops_nobody(
    store: RedisStore, raw: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    """RF-10: one line; the ask beside it is answered, its own run can still end and go."""
    run, record = await asked(store, timeout_s=60)
    other_run, other = await asked(store)
    assert len(await taken_by(store, Group.DELIVER, "w1")) == 2
    keys = store._partitions.of_ask(record.ask.id)
    assert keys is not None
    entry = await raw.hget(keys.ask(record.ask.id), "entry")
    await raw.xdel(keys.asks, entry or "")
    with caplog.at_level(logging.ERROR, "gateway.store"):
        assert await store.read(record.ask.id) is None
    assert [line.message for line in caplog.records] == ["ask.unreadable"]
    claimed = await store.claim_stale(Group.DELIVER, "w2", NOW)
    assert [one.event.ask_id for one in claimed if one.event] == [other.ask.id]
    assert (await settle(store, other_run, other)).settling is Settling.WON
    # A clock that cannot read it takes it out of its way.
    store._link.skew_ms += 60_000
    assert (await store.due("clock", 10)).members == (record.ask.id,)
    await store.forget(record.ask.id, None)
    assert (await store.due("clock", 10)).members == ()
    change = RunChange(RunStatus.FAILED, "unreadable")
    done = await settle(store, run, record, token="end", outcome=CANCELLED, change=change)
    assert done.settling is Settling.WON
    assert await store.read(record.ask.id) is None
    store._link.skew_ms += 31 * 86_400_000
    assert await store.retire(run.id)
    assert await raw.keys(f"*{record.ask.id}*") == []


async def test_an_ask_that_ended_while_held_is_no_loss(
    store: RedisStore, shared: Server, caplog: pytest.LogCaptureFixture
) -> None:
    """Its entry went with it, as it should; nobody is alarmed, and nothing of it is left."""
    run, record = await asked(store)
    await taken_by(store, Group.DELIVER, "w1")
    await settle(store, run, record)
    restarted = await open_store(shared.url)
    with caplog.at_level(logging.INFO, "gateway.store"):
        (gone,) = await taken_by(restarted, Group.DELIVER, "w1")
        await restarted.claim_stale(Group.DELIVER, "w2", NOW)
    assert (gone.event, gone.gone) == (None, True)
    await restarted.done(Group.DELIVER, [gone])
    assert await taken_by(restarted, Group.DELIVER, "w1") == []
    assert [line.message for line in caplog.records] == []
    await restarted.aclose()


async def test_a_restarted_reader_first_gets_all_it_had_not_acknowledged(
    store: RedisStore, shared: Server
) -> None:
    """However many there are, before anything new, and not by waiting for it to go stale."""
    run, _ = await asked(store)
    for _ in range(40):
        await opened(store, run)
    held = await taken_by(store, Group.DELIVER, "w1")
    restarted = await open_store(shared.url)
    new = await opened(store, run)
    again: list[Taken] = []
    while len(again) < len(held):
        page = await restarted.take(Group.DELIVER, "w1", 64, BLOCK)
        assert page
        again += page
    assert sorted(one.key for one in again) == sorted(one.key for one in held)
    rest = await restarted.take(Group.DELIVER, "w1", 64, BLOCK)
    assert [one.event.ask_id for one in rest if one.event] == [new.ask.id]
    await restarted.aclose()


@pytest.mark.parametrize(
    "fields",
    [
        {"nonsense": "1"},
        {"e": "ask.eaten", "r": "job-1", "a": "-", "w": "acme", "t": "1", "n": "-"},
        {"e": "ask.opened", "r": "job-1", "a": "-", "w": "acme", "t": "late", "n": "-"},
        {b"\xff\xfe": b"\xff"},
    ],
)
async def test_an_entry_that_does_not_read_is_buried_and_those_behind_go_on(
    store: RedisStore, raw: Redis, fields: dict[Any, Any]
) -> None:
    """It is kept among the dead with its id, and not read again; the tail goes past it."""
    await drained(store, Group.RESUME)
    tail = store.tail()
    await anext(tail)
    run = a_run()
    keys = store._partitions.of_run(run.id)
    entry = await raw.xadd(keys.log, fields)
    await store.create_run(run)
    bad, good = await taken_by(store, Group.RESUME)
    assert (bad.event, bad.gone) == (None, False)
    assert good.event is not None
    assert good.event.run_id == run.id
    await store.bury_entry(Group.RESUME, bad, "does not read")
    await store.done(Group.RESUME, [good])
    (letter,) = await store.dead(Group.RESUME)
    assert (letter.reason, letter.ask_id) == (f"{entry!s}: does not read", "")
    assert not await store.redrive(letter)
    assert await store.claim_stale(Group.RESUME, "w2", NOW) == []
    assert [event.run_id for event in await anext(tail) or ()] == [run.id]
    await tail.aclose()


async def test_readers_that_are_gone_are_forgotten(
    store: RedisStore, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But never one that still holds an entry."""
    run, _ = await asked(store)
    await drained(store, Group.RESUME)
    await store.note(run, EventType.ASK_NOT_ASKED, None, "auto")
    await taken_by(store, Group.RESUME, "holder")
    await taken_by(store, Group.RESUME, "idler")
    log = store._partitions.of_run(run.id).log
    await store.trim()
    names = {reader["name"] for reader in await raw.xinfo_consumers(log, Group.RESUME)}
    assert {"holder", "idler"} <= names
    monkeypatch.setattr(gateway.redis_store.streams, "GONE_AFTER_MS", -1)
    await store.trim()
    names = {reader["name"] for reader in await raw.xinfo_consumers(log, Group.RESUME)}
    assert names == {"holder"}
    await drained(store, Group.DELIVER)
    asks = store._partitions.of_run(run.id).asks
    assert await raw.xinfo_consumers(asks, Group.DELIVER)
    await store.trim()
    assert await raw.xinfo_consumers(asks, Group.DELIVER) == []
