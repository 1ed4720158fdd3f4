"""A cluster of three: every partition where its slot is, wherever that moves to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from redis.crc import key_slot

import gateway.redis_store.blocking
from gateway.ask import RunStatus
from gateway.errors import Unavailable
from gateway.redis_store import open_store
from gateway.store import PARTITIONS, EventType, Group, Opening, RunChange, Settling
from tests.contract.making import (
    TENANT,
    a_run,
    asked,
    drained,
    new_ask,
    opened,
    owing,
    settle,
    taken_by,
)
from tests.redis.groups_of_servers import SLOTS, Cluster, silent
from tests.redis.servers import racks
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from gateway.ask import Run
    from gateway.redis_store import RedisStore
    from tests.redis.servers import Rack, Server

BLOCK = timedelta(seconds=20)


@pytest.fixture(scope="module")
def cluster(engine: Path) -> Iterator[Cluster]:
    """Three masters, for all tests that leave them as they were."""
    for rack in racks(engine):
        made = Cluster(rack)
        asyncio.run(made.form())
        yield made


@pytest.fixture(autouse=True)
def hurrying(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replicas are counted with every write, and an empty read is not waited for."""
    monkeypatch.setattr(gateway.redis_store.server, "COUNT_EVERY_S", 0.0)
    monkeypatch.setattr(gateway.redis_store.blocking, "LATE_S", 0.05)


@pytest.fixture
async def store(cluster: Cluster) -> AsyncIterator[RedisStore]:
    """An empty store on them."""
    for master in cluster.masters:
        await master.do("FLUSHALL")
    store = await open_store(cluster.url)
    yield store
    await store.aclose()


def runs_of(store: RedisStore, cluster: Cluster, master: Server, count: int) -> list[Run]:
    """Runs that live on one master, as the slots were dealt at first."""
    share = -(-SLOTS // len(cluster.masters))  # rounded up
    found: list[Run] = []
    while len(found) < count:
        run = a_run()
        slot = key_slot(store._partitions.of_run(run.id).log.encode())
        if cluster.masters[slot // share] is master:
            found.append(run)
    return found


async def test_a_cluster_does_what_one_server_does(store: RedisStore, cluster: Cluster) -> None:
    """Asks of all partitions are opened, listed, taken, answered, heard of, due and gone."""
    tail = store.tail()
    await anext(tail)
    made = await asyncio.gather(*(asked(store, timeout_s=600) for _ in range(40)))
    used = [master for master in cluster.masters if int(await master.do("DBSIZE")) > 0]
    assert len(used) == 3
    listed = await store.pending(TENANT, after=None, limit=100)
    assert {record.ask.id for record in listed} == {record.ask.id for _, record in made}
    assert await store.count_pending(TENANT) == 40
    delivered = {event.ask_id for event in await drained(store, Group.DELIVER)}
    assert delivered == {record.ask.id for _, record in made}
    won = await asyncio.gather(*(settle(store, run, record) for run, record in made))
    assert {one.settling for one in won} == {Settling.WON}
    told = [event.ask_id for event in await drained(store, Group.RESUME) if event.ask_id]
    assert sorted(told) == sorted([record.ask.id for _, record in made] * 2)
    heard: set[str | None] = set()
    async with asyncio.timeout(20):
        while len(heard) < 40:
            batch = await anext(tail)
            heard |= {e.ask_id for e in batch or () if e.type is EventType.ASK_ANSWERED}
    await tail.aclose()
    run, record = made[0]
    await settle(store, run, token="end", change=RunChange(RunStatus.FINISHED))
    store._link.skew_ms += 31 * 86_400_000
    assert run.id in (await store.due("clock", 100)).members
    assert await store.retire(run.id)
    assert await store.read(record.ask.id) is None
    await store.trim()
    assert await store.server() == {}


async def test_a_reader_that_blocks_on_a_cluster_is_woken_by_any_master(
    store: RedisStore, cluster: Cluster
) -> None:
    """Whichever has something first; and nothing that others hand out meanwhile is lost."""
    await drained(store, Group.RESUME)
    for master in cluster.masters:
        (run,) = runs_of(store, cluster, master, 1)
        reading = asyncio.create_task(store.take(Group.RESUME, "w1", 1000, BLOCK))
        await asked(store, run)
        async with asyncio.timeout(BLOCK.total_seconds() / 2):
            taken = await reading
        taken += await taken_by(store, Group.RESUME)
        assert [e.event.type for e in taken if e.event and e.event.run_id == run.id] == [
            EventType.RUN_CREATED,
            EventType.ASK_OPENED,
        ]


async def test_a_lost_group_is_made_again_on_a_cluster(store: RedisStore, cluster: Cluster) -> None:
    """RF-05: where it was lost, with what is owed there."""
    records = [(await owing(store))[1] for _ in range(12)]
    for _ in range(4):  # the streams' reads fail in any order, some after others gave something
        await drained(store, Group.RESUME)
        for keys in store._partitions.all:
            await store._link.call("DEL", keys.log)
        told = await drained(store, Group.RESUME)
        assert sorted(e.ask_id or "" for e in told) == sorted(r.ask.id for r in records)
        assert {event.type for event in told} == {EventType.WEBHOOK_DUE}


async def test_a_cluster_store_that_closes_ends_its_readers(cluster: Cluster) -> None:
    """Every read that blocks, on whichever master, is over at once."""
    store = await open_store(cluster.url)
    await drained(store, Group.RESUME)
    tail = store.tail()
    await anext(tail)
    hearing = asyncio.ensure_future(anext(tail))
    reading = asyncio.create_task(store.take(Group.RESUME, "w1", 1000, BLOCK))

    async def all_read() -> bool:
        infos = [await master.do("INFO", "clients") for master in cluster.masters]
        return sum(int(info["blocked_clients"]) for info in infos) == 2 * PARTITIONS

    await until(all_read, "reader and tail block everywhere")
    for waiting in (hearing, reading):
        waiting.cancel()
    await asyncio.wait([hearing, reading])
    async with asyncio.timeout(5):
        await tail.aclose()
        await store.aclose()


async def test_a_partition_that_moved_is_found_again(store: RedisStore, cluster: Cluster) -> None:
    """Its slot goes to another master with all its keys; calls, groups and tail go on."""
    source, target, _ = cluster.masters
    run, other = runs_of(store, cluster, source, 2)
    await asked(store, other)
    _, record = await asked(store, run, timeout_s=600)
    await drained(store, Group.RESUME)
    tail = store.tail()
    await anext(tail)
    slot = key_slot(store._partitions.of_run(run.id).log.encode())
    await cluster.move(slot, source, target)
    assert await store.read(record.ask.id) == record
    second = await opened(store, run)
    assert (await settle(store, run, record)).settling is Settling.WON
    taken: list[str] = []

    async def all_taken() -> bool:
        with suppress(Unavailable):
            taken.extend(e.type for e in await drained(store, Group.RESUME) if e.run_id == run.id)
        return len(taken) >= 2

    await until(all_taken, "the group has what happened after the move")
    assert sorted(taken) == [EventType.ASK_ANSWERED, EventType.ASK_OPENED]

    async def heard() -> bool:
        batch = await anext(tail)
        return batch is None or second.ask.id in {event.ask_id for event in batch}

    await until(heard, "the tail says what is new, or has all look again")
    await tail.aclose()
    await cluster.move(slot, target, source)


async def test_a_slot_on_the_move_is_unavailable_until_it_has_arrived(
    store: RedisStore, cluster: Cluster
) -> None:
    """Half of it here and half there serves nobody; the try is the same afterwards."""
    source, target, _ = cluster.masters
    (run,) = runs_of(store, cluster, source, 1)
    _, record = await asked(store, run)
    keys = store._partitions.of_run(run.id)
    slot = key_slot(keys.log.encode())
    to, of = await target.do("CLUSTER", "MYID"), await source.do("CLUSTER", "MYID")
    await target.do("CLUSTER", "SETSLOT", slot, "IMPORTING", of)
    await source.do("CLUSTER", "SETSLOT", slot, "MIGRATING", to)
    await source.do("MIGRATE", "127.0.0.1", target.port, keys.run(run.id), 0, 5000)
    with pytest.raises(Unavailable):
        await settle(store, run, record)
    with pytest.raises(Unavailable):
        await store.read_run(run.id)
    await cluster.move(slot, source, target)
    won = await settle(store, run, record)
    assert (won.settling, won.again) == (Settling.WON, False)
    await cluster.move(slot, target, source)


async def test_each_masters_replica_confirms_its_own(store: RedisStore, cluster: Cluster) -> None:
    """A replica that does not answer holds up its master's partitions, and no others."""
    first, second, _ = cluster.masters
    replica = await cluster.replicate(first)
    run, record = await asked(store, *runs_of(store, cluster, first, 1))
    other, _ = await asked(store, *runs_of(store, cluster, second, 1))
    with silent(replica):
        for _ in range(2):
            with pytest.raises(Unavailable):
                await settle(store, run, record)
        await opened(store, other)

    async def confirmed() -> bool:
        with suppress(Unavailable):
            return (await settle(store, run, record)).again
        return False

    await until(confirmed, "the replica has confirmed it")


async def test_a_cluster_fails_over(rack: Rack) -> None:
    """What was confirmed is on the replica that takes over; the same store goes on."""
    cluster = Cluster(rack)
    await cluster.form()
    first, second, _ = cluster.masters
    await cluster.replicate(first)
    store = await open_store(cluster.url)
    run, record = await asked(store, *runs_of(store, cluster, first, 1))
    other, _ = await asked(store, *runs_of(store, cluster, second, 1))
    await drained(store, Group.RESUME)
    tail = store.tail()
    await anext(tail)
    hearing = asyncio.ensure_future(anext(tail))

    async def reads_there() -> bool:
        return bool((await first.do("INFO", "clients"))["blocked_clients"])

    await until(reads_there, "the tail reads what is to fail")
    first.kill()
    new = new_ask(run)

    async def goes_on() -> bool:
        with suppress(Unavailable):
            return (await store.open(new)).opening in {Opening.OPENED, Opening.EXISTS}
        return False

    await until(goes_on, "the replica leads")
    assert await store.read(record.ask.id) == record
    assert (await settle(store, run, record)).settling is Settling.WON
    told: list[tuple[EventType, str | None]] = []

    async def taken() -> bool:
        with suppress(Unavailable):
            told.extend((e.type, e.ask_id) for e in await drained(store, Group.RESUME))
        return len(told) >= 2

    await until(taken, "the group has what happened after the failover")
    assert (EventType.ASK_ANSWERED, record.ask.id) in told
    assert (EventType.ASK_OPENED, new.ask.id) in told
    assert await hearing is None
    await opened(store, other)
    await tail.aclose()
    await store.aclose()
