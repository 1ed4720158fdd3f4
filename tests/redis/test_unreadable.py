"""What does not read, as a newer gateway wrote it or it was spoilt: kept, with its reason, and what
is behind it goes on.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.ask import RunStatus, Status, Webhook
from gateway.broker import Broker
from gateway.clock import Clock
from gateway.resume import Resume
from gateway.store import EventType, Group
from gateway.waiting import Waiters
from gateway.webhook import Poster
from tests.contract.making import a_run, asked, owing, settle
from tests.waiting import until

if TYPE_CHECKING:
    from redis.asyncio import Redis

    from gateway.redis_store import RedisStore

NO_WAIT = timedelta(milliseconds=1)
PRIVATE = Webhook(url="http://127.0.0.1:9/", secret="whsec_c2VjcmV0")
"""Where nothing is ever sent: it is refused, as a dead letter tells."""


@pytest.fixture
def clock(store: RedisStore) -> Clock:
    """The one clock."""
    return Clock(store, Broker(store, Waiters(store)), "clock-1")


def pass_by(store: RedisStore, by: timedelta) -> None:
    """The store's time is later by so much."""
    store._link.skew_ms += by // timedelta(milliseconds=1)


async def resumed(store: RedisStore) -> None:
    """A resume worker has looked, and no post is under way."""
    async with Poster() as poster:
        worker = Resume(store, poster, "resume-1")
        for _ in range(2):  # the first may only have made the group
            await worker.work(NO_WAIT)
        await until(lambda: not worker.posting, "no post is under way")


async def test_the_timer_of_an_ask_that_does_not_read_is_kept(
    store: RedisStore, raw: Redis, clock: Clock
) -> None:
    """Among the dead; driven again by a gateway that reads the ask, it fires."""
    run, record = await asked(store, timeout_s=60)
    keys = store._partitions.of_run(run.id)
    written = await raw.hget(keys.ask(record.ask.id), "entry")
    newer = await raw.xadd(keys.asks, {"a": record.ask.id, "b": '{"newer":1}'})
    await raw.hset(keys.ask(record.ask.id), "entry", newer)
    pass_by(store, timedelta(minutes=1))
    await clock.look()
    (letter,) = await store.dead(Group.CLOCK)
    assert (letter.ask_id, letter.reason) == (record.ask.id, "does not read")
    assert (await store.due("clock-1", 10)).members == ()
    await raw.hset(keys.ask(record.ask.id), "entry", written)
    assert await store.redrive(letter)
    await clock.look()
    ended = await store.read(record.ask.id)
    assert ended is not None
    assert ended.status is Status.EXPIRED


async def test_the_timer_of_a_run_that_does_not_read_is_kept(
    store: RedisStore, raw: Redis, clock: Clock
) -> None:
    """As an ask's."""
    run = a_run(deadline=await store.now() + timedelta(minutes=1))
    await store.create_run(run)
    key = store._partitions.of_run(run.id).run(run.id)
    await raw.hset(key, "on_question", "newer")
    pass_by(store, timedelta(minutes=1))
    await clock.look()
    (letter,) = await store.dead(Group.CLOCK)
    assert letter.ask_id == run.id
    assert (await store.due("clock-1", 10)).members == ()
    await raw.hdel(key, "on_question")
    assert await store.redrive(letter)
    await clock.look()
    known = await store.read_run(run.id)
    assert known is not None
    assert known.status is RunStatus.FAILED


async def test_an_outcome_that_does_not_read_is_not_taken_for_told(
    store: RedisStore, raw: Redis
) -> None:
    """It is among the dead; driven again once it reads, it is tried."""
    _, record = await owing(store, a_run(webhook=PRIVATE))
    key = store._partitions.of_run(record.ask.run_id).settled(record.ask.id)
    written = await raw.get(key)
    assert written is not None
    await raw.set(key, '{"newer":1,"ask":{}}')
    await resumed(store)
    (letter,) = await store.dead(Group.RESUME)
    assert (letter.ask_id, letter.reason) == (record.ask.id, "does not read")
    await raw.set(key, written)
    assert await store.redrive(letter)
    assert await store.owes(record.ask.id)


@pytest.mark.parametrize("spoilt", ["ask", "run"])
async def test_one_outcome_that_cannot_be_told_stops_no_other(
    store: RedisStore, raw: Redis, spoilt: str
) -> None:
    """Neither those behind it are held up, nor is it tried for ever."""
    run, bad = await asked(store, a_run(webhook=PRIVATE))
    keys = store._partitions.of_run(run.id)
    await settle(store, run, bad)
    if spoilt == "ask":
        await raw.hset(keys.ask(bad.ask.id), "tries", "x")
    else:
        await raw.hset(keys.run(run.id), "on_question", "newer")
    _, good = await owing(store, a_run(webhook=PRIVATE))
    await resumed(store)
    letters = {letter.ask_id: letter.reason for letter in await store.dead(Group.RESUME)}
    assert letters.keys() == {bad.ask.id, good.ask.id}
    assert letters[bad.ask.id] == "see the log: webhook.broken"
    assert "private" in letters[good.ask.id]


async def test_a_caller_that_is_spoilt_keeps_no_other_from_hearing_of_its_sub_run(
    store: RedisStore, raw: Redis
) -> None:
    """Its entry is among the dead."""
    bad, good = a_run(), a_run()
    for parent in (bad, good):
        await store.create_run(parent)
    await raw.set(store._partitions.of_run(bad.id).run(bad.id), "no hash")
    for parent in (bad, good):
        await asked(store, a_run(parent=parent.id))
    await resumed(store)
    assert EventType.CHILD_NEEDS_HUMAN in [event.type for event in await store.history(good.id)]
    (letter,) = await store.dead(Group.RESUME)
    assert "entry.refused" in letter.reason
