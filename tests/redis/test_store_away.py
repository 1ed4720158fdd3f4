"""A Redis that goes, comes back, or cannot serve: callers are told, and nobody waits for ever."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from redis.asyncio import Redis

import gateway.redis_store.blocking
import gateway.redis_store.server
from gateway.errors import GatewayError, Unavailable
from gateway.redis_store import open_store
from gateway.store import EventType, Group, Opening, Settling
from tests.contract.making import TENANT, a_run, answered, asked, new_ask, settle, taken_by
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from gateway.redis_store import RedisStore
    from tests.redis.servers import Rack, Server

BLOCK = timedelta(seconds=20)
KEPT = ("--appendonly", "yes", "--appendfsync", "always")


@pytest.fixture
async def server(rack: Rack) -> Server:
    """A server of this test's own that keeps what it was told."""
    return await rack.server(*KEPT, "--hz", "500")


@pytest.fixture
async def own(server: Server) -> AsyncIterator[RedisStore]:
    """A store in that server."""
    store = await open_store(server.url)
    yield store
    await store.aclose()


# Killed and started again


async def test_what_was_told_is_there_after_a_kill(server: Server, own: RedisStore) -> None:
    """Opened, answered, drafted: as it was; and the first call afterwards works at once."""
    run, record = await asked(own)
    other_run, other = await asked(own)
    await own.save_draft(record.ask.id, "kevin", "{}", "t1")
    won = await settle(own, other_run, other)
    server.kill()
    with pytest.raises(Unavailable):
        await own.read(record.ask.id)
    await server.start()
    assert await own.read(record.ask.id) == record
    assert await own.pending(TENANT, after=None, limit=10) == [record]
    assert await own.draft(record.ask.id, "kevin") == "{}"
    again = await settle(own, other_run, other)
    assert (again.settling, again.again, again.at) == (Settling.WON, True, won.at)
    read = await own.read(other.ask.id)
    assert read is not None
    assert read.outcome == answered()
    assert (await own.open(new_ask(run))).opening is Opening.OPENED


async def test_a_server_that_was_away_between_two_calls_is_not_noticed(
    server: Server, own: RedisStore
) -> None:
    """The connection it closed is not used again."""
    _, record = await asked(own)
    server.kill()
    await server.start()
    assert await own.read(record.ask.id) == record


async def test_callers_in_the_middle_of_a_kill_are_told(server: Server, own: RedisStore) -> None:
    """Each of many calls under way ends, with an answer or `Unavailable`; none hangs."""
    run = a_run()
    await own.create_run(run)

    async def keep_asking() -> None:
        while True:
            await own.open(new_ask(run))

    asking = [asyncio.create_task(keep_asking()) for _ in range(20)]

    async def under_way() -> bool:
        return await own.count_pending(TENANT) > 100

    await until(under_way, "asks are being opened")
    server.kill()
    async with asyncio.timeout(10):
        ended = await asyncio.gather(*asking, return_exceptions=True)
    assert {type(one) for one in ended} == {Unavailable}
    await server.start()
    known = await own.read_run(run.id)
    assert known is not None
    assert len(known.pending) == await own.count_pending(TENANT) > 100


async def test_a_tail_goes_on_after_a_kill(server: Server, own: RedisStore) -> None:
    """It has all look again, and then hears what is new."""
    tail = own.tail()
    await anext(tail)
    hearing = asyncio.ensure_future(anext(tail))
    await blocked(server, 1)
    server.kill()
    await server.start()
    assert await hearing is None
    run, _ = await asked(own)
    events = await anext(tail)
    assert events is not None
    assert {event.run_id for event in events} == {run.id}
    await tail.aclose()


async def test_a_reader_goes_on_after_a_kill(server: Server, own: RedisStore) -> None:
    """It is told; then what it had not acknowledged comes first, then what is new."""
    await asked(own)
    held = await taken_by(own, Group.RESUME)
    reading = asyncio.create_task(own.take(Group.RESUME, "w1", 64, BLOCK))
    await blocked(server, 1)
    server.kill()
    with pytest.raises(Unavailable):
        await reading
    await server.start()
    run, _ = await asked(own)
    again = await own.take(Group.RESUME, "w1", 64, BLOCK)
    assert sorted(one.key for one in again) == sorted(one.key for one in held)
    new = await taken_by(own, Group.RESUME)
    assert {one.event.run_id for one in new if one.event} == {run.id}


async def blocked(server: Server, readers: int) -> None:
    """Returns once so many readers block in the server."""

    async def there() -> bool:
        async with Redis.from_url(server.url) as client:
            info: dict[str, int] = await client.info("clients")
            return info["blocked_clients"] == readers

    await until(there, f"{readers} readers block")


# Stopped without a word


async def test_a_server_that_stops_answering_is_away(
    server: Server, own: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call ends in time, and works again once the server goes on."""
    _, record = await asked(own)
    monkeypatch.setattr(gateway.redis_store.server, "SOCKET_TIMEOUT_S", 0.2)
    server.stop()
    for _ in range(2):  # over the connection it had, and over one it cannot finish making
        with pytest.raises(Unavailable):
            await own.read(record.ask.id)
    server.go_on()
    monkeypatch.undo()
    assert await own.read(record.ask.id) == record


async def test_a_reader_of_a_server_that_stops_answering_is_told(
    server: Server, own: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A blocking read ends not long after its own time."""
    await taken_by(own, Group.RESUME)
    monkeypatch.setattr(gateway.redis_store.blocking, "SOCKET_TIMEOUT_S", 0.2)
    server.stop()
    with pytest.raises(Unavailable):
        await own.take(Group.RESUME, "w1", 64, timedelta(milliseconds=100))
    server.go_on()
    await asked(own)
    assert len(await taken_by(own, Group.RESUME)) == 2


# Never there


async def test_no_server_is_unavailable(rack: Rack) -> None:
    """At the start too, whatever kind of address it is."""
    server = await rack.server()
    server.kill()
    for url in (
        server.url,
        "redis://127.0.0.1:1",
        "redis+cluster://127.0.0.1:1",
        "redis+sentinel://127.0.0.1:1/mymaster",
    ):
        with pytest.raises(Unavailable):
            await open_store(url)


async def test_a_store_keeps_its_number_of_partitions(store: RedisStore, shared: Server) -> None:
    """Opened with another number it refuses; with the same it goes on."""
    run, record = await asked(store)
    with pytest.raises(GatewayError, match="16 partitions, not 4"):
        await open_store(shared.url, partitions=4)
    again = await open_store(shared.url)
    assert await again.read(record.ask.id) == record
    assert await again.read_run(run.id) is not None
    await again.aclose()


async def test_a_store_that_is_closed_opens_no_connection_more(server: Server) -> None:
    """Whatever still runs then is refused, as one that was opened would be nobody's to close."""
    store = await open_store(server.url)
    await store.ping()
    await store.aclose()
    with pytest.raises(Unavailable, match="closed"):
        await store.ping()
    async with Redis.from_url(server.url) as client:
        assert len(await client.client_list()) == 1


async def test_a_store_that_closes_ends_its_readers(store: RedisStore, shared: Server) -> None:
    """A read that blocks is over at once, and no connection is left."""
    closing = await open_store(shared.url)
    await taken_by(closing, Group.RESUME)
    reading = asyncio.create_task(closing.take(Group.RESUME, "w1", 64, BLOCK))
    await blocked(shared, 1)
    async with asyncio.timeout(5):
        await closing.aclose()
        with pytest.raises(Unavailable):
            await reading
    await store.ping()


# There, and not able to serve


@pytest.mark.parametrize(
    ("setting", "bad", "good"),
    [
        ("maxmemory", "1", "0"),
        ("min-replicas-to-write", "1", "0"),
    ],
)
async def test_a_server_that_takes_no_writes_is_unavailable(
    store: RedisStore, raw: Redis, setting: str, bad: str, good: str
) -> None:
    """Full, or without the replicas it insists on: nothing half done, and better later."""
    run, record = await asked(store)
    await raw.config_set(setting, bad)
    try:
        with pytest.raises(Unavailable):
            await settle(store, run, record)
        with pytest.raises(Unavailable):
            await store.put("post:1", "a-1")
        assert await store.read(record.ask.id) == record
    finally:
        await raw.config_set(setting, good)
    assert (await settle(store, run, record)).settling is Settling.WON
    kinds = [event.type for event in await store.history(run.id)]
    assert kinds == [EventType.RUN_CREATED, EventType.ASK_OPENED, EventType.ASK_ANSWERED]


async def test_a_replica_is_unavailable(rack: Rack) -> None:
    """An address that turned into a replica's takes nothing."""
    server = await rack.server()
    store = await open_store(server.url)
    run, record = await asked(store)
    await server.do("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(Unavailable):
        await settle(store, run, record)
    with pytest.raises(Unavailable):
        await store.put("post:1", "a-1")
    await server.do("REPLICAOF", "NO", "ONE")
    assert (await settle(store, run, record)).settling is Settling.WON
    await store.aclose()


async def test_rf_06_a_group_that_may_not_be_made_is_unavailable_until_it_may(rack: Rack) -> None:
    """RF-06: every try ends, and the first one that is allowed goes on."""
    server = await rack.server()
    await server.do("ACL", "SETUSER", "oz", "on", ">pw", "~*", "+@all", "-xgroup")
    store = await open_store(f"unix://oz:pw@{server.socket}")
    for _ in range(3):
        with pytest.raises(Unavailable):
            await store.take(Group.RESUME, "w1", 64, BLOCK)
    await server.do("ACL", "SETUSER", "oz", "+xgroup")
    await asked(store)
    assert len(await taken_by(store, Group.RESUME)) == 2
    await store.aclose()


async def test_forgotten_scripts_are_sent_again(store: RedisStore, raw: Redis) -> None:
    """After SCRIPT FLUSH, as after a restart, each step works as before; also many at once."""
    run, record = await asked(store)
    await raw.script_flush()
    await asyncio.gather(*(store.open(new_ask(run)) for _ in range(50)))
    assert await store.count_pending(TENANT) == 51
    await raw.script_flush()
    assert (await settle(store, run, record)).settling is Settling.WON


async def test_text_that_cannot_be_sent_fails_its_own_caller(store: RedisStore) -> None:
    """Half a surrogate is one caller's fault; what leaves in the same write is not hurt."""
    run, record = await asked(store)
    done = await asyncio.gather(
        store.put("post:1", "a-1"),
        store.put("post:2", "\ud800"),
        store.read(record.ask.id),
        store.note(run, EventType.ASK_NOT_ASKED, None, "auto"),
        return_exceptions=True,
    )
    assert isinstance(done[1], UnicodeEncodeError)
    assert (done[0], done[2], done[3]) == (None, record, True)
    assert await store.look("post:1") == "a-1"


async def test_a_server_says_what_is_to_be_warned_of(store: RedisStore, shared: Server) -> None:
    """What `INFO` and the settings tell, also where the settings may not be read."""
    told = await store.server()
    assert (told["aof_enabled"], told["maxmemory_policy"]) == ("0", "noeviction")
    assert told["appendfsync"] == "everysec"
    await shared.do("ACL", "SETUSER", "oz", "on", ">pw", "~*", "+@all", "-config")
    managed = await open_store(f"unix://oz:pw@{shared.socket}")
    told = await managed.server()
    assert told["aof_enabled"] == "0"
    assert "appendfsync" not in told
    await managed.aclose()
