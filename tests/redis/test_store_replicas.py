"""Replicas and Sentinel: what was confirmed outlives its server, what was not is `unavailable`."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

import gateway.redis_store.server
from gateway.errors import Unavailable
from gateway.redis_store import open_store
from gateway.redis_store.server import WAIT_MS
from gateway.store import EventType, Group, Opening, Settling
from tests.contract.making import (
    HOOK,
    TENANT,
    a_run,
    answered,
    asked,
    drained,
    new_ask,
    opened,
    owing,
    settle,
    taken_by,
)
from tests.redis.groups_of_servers import cut, follows, primary, replica_of, sentinel_over, silent
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gateway.ask import Run
    from gateway.redis_store import RedisStore
    from tests.redis.servers import Rack, Server

SOON_S = 0.05
BLOCK = timedelta(seconds=20)


@pytest.fixture(autouse=True)
def counting_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replicas are counted more often than people would need it."""
    monkeypatch.setattr(gateway.redis_store.server, "COUNT_EVERY_S", SOON_S)


@pytest.fixture
async def leader(rack: Rack) -> Server:
    """A primary without replicas yet."""
    return await primary(rack)


@pytest.fixture
async def own(leader: Server) -> AsyncIterator[RedisStore]:
    """A store on it."""
    store = await open_store(leader.url)
    yield store
    await store.aclose()


async def test_what_no_replica_confirms_is_unavailable(
    rack: Rack, leader: Server, own: RedisStore
) -> None:
    """Until one does: the same try then hears of what it did."""
    replica = await replica_of(rack, leader)
    run, record = await asked(own)
    new = new_ask(run)
    with silent(replica):
        for _ in range(2):  # a second try must not take the first one's word for it
            with pytest.raises(Unavailable):
                await settle(own, run, record)
            with pytest.raises(Unavailable):
                await own.open(new)
            with pytest.raises(Unavailable):
                await own.create_run(a_run("job-unconfirmed"))
    again = await settle(own, run, record)
    assert (again.settling, again.again) == (Settling.WON, True)
    assert (await own.open(new)).opening is Opening.EXISTS
    await own.create_run(a_run("job-unconfirmed"))


async def test_what_a_replica_need_not_confirm_waits_for_none(
    rack: Rack, leader: Server, own: RedisStore
) -> None:
    """Reading, drafts and facts go on while a replica is slow."""
    replica = await replica_of(rack, leader)
    _, record = await asked(own)
    with silent(replica):
        assert await own.read(record.ask.id) == record
        assert await own.mark(record.ask.id, "t1")
        await own.put("post:1", record.ask.id)


async def test_a_replica_that_joins_counts(rack: Rack, leader: Server, own: RedisStore) -> None:
    """Though the store was opened before there was one."""
    run, _ = await asked(own)
    replica = await replica_of(rack, leader)
    await asyncio.sleep(SOON_S)
    await opened(own, run)
    with silent(replica), pytest.raises(Unavailable):
        await opened(own, run)


async def test_a_replica_that_joined_just_now_counts_at_once(
    rack: Rack, leader: Server, own: RedisStore
) -> None:
    """The very write with which it is first seen waits for it."""
    run, _ = await asked(own)
    replica = await replica_of(rack, leader)
    with silent(replica):
        await asyncio.sleep(SOON_S)
        with pytest.raises(Unavailable):
            await opened(own, run)


@pytest.mark.parametrize("counted_again_s", [SOON_S, 1000])
async def test_a_replica_that_left_is_not_waited_for(
    rack: Rack,
    leader: Server,
    own: RedisStore,
    monkeypatch: pytest.MonkeyPatch,
    counted_again_s: float,
) -> None:
    """Tries fail for a while, as this server may be left behind; then it goes on alone."""
    replica = await replica_of(rack, leader)
    run, _ = await asked(own)
    await asyncio.sleep(SOON_S)
    monkeypatch.setattr(gateway.redis_store.server, "COUNT_EVERY_S", counted_again_s)
    await opened(own, run)
    replica.kill()
    await until(lambda: follows(leader, 0), "the replica is gone")
    monkeypatch.setattr(gateway.redis_store.server, "ALONE_AFTER_S", SOON_S)
    await until(lambda: opens(own, run), "it goes on alone")
    started = asyncio.get_running_loop().time()
    for _ in range(10):
        await opened(own, run)
    # Half of what ten would take that each wait for it.
    assert asyncio.get_running_loop().time() - started < 10 * WAIT_MS / 1000 / 2


# Sentinel


@pytest.fixture
async def led(rack: Rack, leader: Server) -> AsyncIterator[tuple[Server, RedisStore]]:
    """A replica, and a store that asks a Sentinel who leads."""
    replica = await replica_of(rack, leader)
    sentinel = await sentinel_over(rack, leader)
    store = await open_store(f"redis+sentinel://127.0.0.1:{sentinel.port}/mymaster")
    yield replica, store
    await store.aclose()


async def test_a_sentinels_url_names_users_of_its_own_and_of_the_servers(
    rack: Rack, leader: Server
) -> None:
    """Each is logged in where it belongs; what a URL must escape is read as it was meant."""
    await replica_of(rack, leader)
    sentinel = await sentinel_over(rack, leader)
    await leader.do("ACL", "SETUSER", "gate", "on", ">p@ss:/1", "~*", "&*", "+@all")
    await sentinel.do("ACL", "SETUSER", "looker", "on", ">w@rd", "&*", "+@all")
    store = await open_store(
        f"redis+sentinel://gate:p%40ss%3A%2F1@[::1]:1,127.0.0.1:{sentinel.port}/mymaster/0"
        "?sentinel_username=looker&sentinel_password=w%40rd"
    )
    assert "user=gate" in await leader.do("CLIENT", "LIST")
    assert "user=looker" in await sentinel.do("CLIENT", "LIST")
    await store.aclose()


async def answers(store: RedisStore) -> bool:
    with suppress(Unavailable):
        await store.put("probe", "1")
        return True
    return False


async def test_what_was_told_outlives_its_server(
    leader: Server, led: tuple[Server, RedisStore]
) -> None:
    """After a failover the same store object goes on, with everything that was confirmed."""
    replica, store = led
    run, waiting = await asked(store, timeout_s=600)
    other_run, other = await asked(store)
    await settle(store, other_run, other)
    tail = store.tail()
    await anext(tail)
    hearing = asyncio.ensure_future(anext(tail))
    await until(lambda: blocks(leader), "the tail blocks")
    leader.kill()
    await until(lambda: answers(store), "the store has found the new primary")
    assert (await replica.do("ROLE"))[0] == "master"
    assert await store.read(waiting.ask.id) == waiting
    assert await store.pending(TENANT, after=None, limit=10) == [waiting]
    read = await store.read(other.ask.id)
    assert read is not None
    assert read.outcome == answered()
    assert (await settle(store, other_run, other)).again
    assert await hearing is None
    assert (await settle(store, run, waiting)).settling is Settling.WON
    events = await anext(tail)
    assert [event.ask_id for event in events or ()] == [waiting.ask.id]
    await tail.aclose()


@pytest.mark.parametrize("paid_was_copied", [True, False])
async def test_rf_08_an_acknowledgement_lost_in_a_failover_resumes_nobody_twice(
    leader: Server, led: tuple[Server, RedisStore], paid_was_copied: bool
) -> None:
    """RF-08: the entry comes back; the debt, or else the outcome's id, says that it was told."""
    replica, store = led
    await taken_by(store, Group.RESUME)
    run, record = await owing(store, a_run(webhook=HOOK))
    taken = await taken_by(store, Group.RESUME)
    ended = next(one for one in taken if one.event and one.event.type is EventType.ASK_ANSWERED)
    told = await store.read(record.ask.id)
    if paid_was_copied:
        await store.paid(record.ask.id)
    await until(lambda: caught_up(leader, replica), "the replica has what is so far")
    await cut(leader, replica)
    if not paid_was_copied:
        await store.paid(record.ask.id)
    await store.done(Group.RESUME, taken)
    leader.kill()
    await until(lambda: answers(store), "the store has found the new primary")
    again = [*await taken_by(store, Group.RESUME)]
    again += await store.claim_stale(Group.RESUME, "w2", timedelta(0))
    assert ended.event in [one.event for one in again]
    assert await store.owes(record.ask.id) is not paid_was_copied
    read = await store.read(record.ask.id)
    assert read == told
    assert read is not None
    assert read.outcome_id == record.outcome_id
    events = [event.type for event in await store.history(run.id)]
    assert events.count(EventType.ASK_ANSWERED) == 1


async def test_a_primary_that_was_replaced_tells_nobody_that_they_won(
    leader: Server, led: tuple[Server, RedisStore]
) -> None:
    """It stood still, its replica leads, and it takes writes for a moment that will be lost."""
    replica, store = led
    run, record = await asked(store, timeout_s=600)
    leader.stop()
    await until(lambda: leads(replica), "Sentinel has made the replica the primary")
    leader.go_on()

    async def told() -> bool:
        with suppress(Unavailable):
            return (await settle(store, run, record)).settling is Settling.WON
        return False

    await until(told, "somebody takes the answer")
    now_leading = await open_store(replica.url)
    kept = await now_leading.read(record.ask.id)
    assert kept is not None
    assert kept.outcome == answered()
    await now_leading.aclose()


async def test_whoever_blocks_in_a_primary_that_becomes_a_replica_reads_on(
    rack: Rack, leader: Server, own: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failover that was planned cuts no connection: readers are woken with an error."""
    monkeypatch.setattr(gateway.redis_store.server, "ALONE_AFTER_S", SOON_S)
    replica = await replica_of(rack, leader)
    run, _ = await asked(own)
    await drained(own, Group.RESUME)
    tail = own.tail()
    await anext(tail)
    hearing = asyncio.ensure_future(anext(tail))
    await until(lambda: blocks(leader), "the tail blocks")
    await leader.do("REPLICAOF", "127.0.0.1", str(replica.port))
    await leader.do("REPLICAOF", "NO", "ONE")
    assert await hearing is None
    hearing = asyncio.ensure_future(anext(tail))
    await until(lambda: blocks(leader), "the tail blocks again")
    await until(lambda: opens(own, run), "it goes on alone")
    assert {event.run_id for event in await hearing or ()} == {run.id}
    await tail.aclose()


async def opens(store: RedisStore, run: Run) -> bool:
    """Whether an ask can be opened by now."""
    with suppress(Unavailable):
        return (await store.open(new_ask(run))).opening is Opening.OPENED
    return False


async def leads(server: Server) -> bool:
    with suppress(RedisConnectionError):  # a Sentinel that promotes it cuts its clients off
        return bool((await server.do("ROLE"))[0] == "master")
    return False


async def blocks(server: Server) -> bool:
    """Whether a reader blocks in it."""
    return bool((await server.do("INFO", "clients"))["blocked_clients"] == 1)


async def caught_up(leader: Server, replica: Server) -> bool:
    return bool((await leader.do("ROLE"))[1] == (await replica.do("ROLE"))[4])
