"""What stands in Redis: nothing without a home, small things small, a partition in one slot."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from redis.crc import key_slot

from gateway.ask import RunStatus
from gateway.ids import partition_byte
from gateway.store import PARTITIONS, EventType, Group, RunChange
from tests.contract.making import (
    HOOK,
    a_run,
    answered,
    asked,
    drained,
    opened,
    owing,
    settle,
    taken_by,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest
    from redis.asyncio import Redis

    from gateway.redis_store import RedisStore

MONTH = timedelta(days=31)

LASTING = re.compile(r"oz:meta|oz:\{\d\d\}:(log|asks|dead:resume)")
"""What stays for good: one key, and streams that are made once a partition. Their entries go."""


async def live(store: RedisStore, raw: Redis) -> list[str]:
    """Two runs that do everything a run can do, to their end; their ids."""
    run, record = await asked(store, a_run(webhook=HOOK), timeout_s=600)
    await store.save_draft(record.ask.id, "kevin", "{}", "t1")
    await store.mark(record.ask.id, "t2")
    await store.note(run, EventType.ASK_REFUSED, record.ask.id, "user:eve")
    await store.climb(record, 0, 1, EventType.WAITING, "owner", record.deadline)
    child, asking = await asked(store, a_run(parent=run.id))
    await store.frame(run.id, child.id, asking.ask.id)
    await settle(store, run, record)
    await store.postpone(record.ask.id, 1, await store.now())
    await store.wake_webhook(record.ask.id, run.id, run.tenant)
    await store.bury(Group.RESUME, record.ask.id, "status 500")
    for letter in await store.dead(Group.RESUME):
        await store.redrive(letter)
    await store.paid(record.ask.id)
    dropped = await opened(store, run, timeout_s=60)
    await store.save_draft(dropped.ask.id, "kevin", "{}", "t3")
    change = RunChange(RunStatus.FAILED, "why")
    await settle(store, run, dropped, token="end", change=change)
    await store.paid(dropped.ask.id)
    await settle(store, child, asking, token="end", change=RunChange(RunStatus.FINISHED))
    for group in (Group.RESUME, Group.NOTIFY, Group.DELIVER):
        await drained(store, group)
    await store.due("clock", 10)
    assert await raw.keys(f"*{record.ask.id}*")
    return [run.id, child.id]


async def test_a_run_that_went_leaves_no_key(store: RedisStore, raw: Redis) -> None:
    """What is left after it was there before it, or ends by itself."""
    for run_id in [run_id for _ in range(5) for run_id in await live(store, raw)]:
        store._link.skew_ms += MONTH // timedelta(milliseconds=1)
        assert await store.retire(run_id)
    lasting = [str(key) for key in await raw.keys() if await raw.ttl(key) == -1]
    assert [key for key in lasting if not LASTING.fullmatch(key)] == []
    for key in lasting:
        if key.endswith((":asks", "dead:resume")):
            assert await raw.xlen(key) == 0


async def test_a_late_worker_leaves_no_key_of_a_run_that_went(
    store: RedisStore, raw: Redis
) -> None:
    """Whatever it still does to an ask that is gone."""
    run, record = await owing(store)
    await settle(store, run, token="end", change=RunChange(RunStatus.FINISHED))
    await store.bury(Group.RESUME, record.ask.id, "status 500")
    (letter,) = await store.dead(Group.RESUME)
    store._link.skew_ms += MONTH // timedelta(milliseconds=1)
    assert await store.retire(run.id)
    before = set(await raw.keys())
    ask_id = record.ask.id
    await store.mark(ask_id, "t1")
    await store.save_draft(ask_id, "kevin", "{}", "t2")
    await store.postpone(ask_id, 1, await store.now())
    await store.paid(ask_id)
    await store.climb(record, 0, 1, EventType.WAITING, "owner", await store.now())
    await store.note(run, EventType.ASK_REFUSED, ask_id, "user:eve")
    await store.frame(run.id, "job-child", ask_id)
    await store.redrive(letter)
    await settle(store, run, record, token="late")
    await store.retire(run.id)
    assert set(await raw.keys()) - before == set()


async def test_a_run_that_is_heard_of_while_it_goes_stays(
    store: RedisStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read of it is old by then: an ask nobody listed would be left behind."""
    run, record = await asked(store)
    await settle(store, run, record, token="end", change=RunChange(RunStatus.FINISHED))
    store._link.skew_ms += MONTH // timedelta(milliseconds=1)
    script = store._link.script

    async def script_and_note(name: str, keys: Sequence[str], *args: Any, **how: Any) -> Any:
        reply = await script(name, keys, *args, **how)
        if name == "history":
            store._link.skew_ms -= MONTH // timedelta(milliseconds=1)
            await store.note(run, EventType.WEBHOOK_DEAD, record.ask.id, "")
            store._link.skew_ms += MONTH // timedelta(milliseconds=1)
        return reply

    monkeypatch.setattr(store._link, "script", script_and_note)
    assert not await store.retire(run.id)
    monkeypatch.undo()
    assert await store.retire(run.id)


async def test_a_failed_wake_leaves_nothing_due(store: RedisStore, raw: Redis) -> None:
    """A timer of a debt that is paid goes at its next look."""
    run, record = await owing(store)
    await store.postpone(record.ask.id, 1, await store.now())
    keys = store._partitions.of_run(run.id)
    await raw.srem(keys.owed, f"r:{record.ask.id}")
    await store.wake_webhook(record.ask.id, run.id, run.tenant)
    assert await raw.zscore(keys.due, f"w:{record.ask.id}") is None


async def test_an_outcome_leaves_its_posts_to_be_closed(store: RedisStore, raw: Redis) -> None:
    """What was shown somewhere is owed to that place, and its run stays until it is told."""
    run, record = await asked(store)
    keys = store._partitions.of_run(run.id)
    await store.keep_post(record.ask.id, "slack:C1", "a post", closed=False)
    await settle(store, run, record, token="end", change=RunChange(RunStatus.FINISHED))
    assert await raw.smembers(keys.owed) == {f"p:{record.ask.id}"}
    store._link.skew_ms += MONTH // timedelta(milliseconds=1)
    assert not await store.retire(run.id)
    await store.keep_post(record.ask.id, "slack:C1", "a post", closed=True)
    assert await raw.smembers(keys.owed) == set()
    assert await store.retire(run.id)


async def test_an_asks_state_stays_compact(store: RedisStore, raw: Redis) -> None:
    """Every value of it is short, so that it costs a third of what it otherwise would."""
    run, record = await asked(store, timeout_s=600)
    outcome = answered({"answer": "x" * 5000}, by="user:" + "k" * 200)
    await settle(store, run, record, token="try-" + "9" * 200, outcome=outcome)
    key = store._partitions.of_run(run.id).ask(record.ask.id)
    assert await raw.object("ENCODING", key) in {"listpack", "ziplist"}
    assert max(len(value) for value in (await raw.hgetall(key)).values()) < 64


async def test_a_pending_ask_stands_in_one_stream_until_it_ends(
    store: RedisStore, raw: Redis
) -> None:
    """Its body is kept once: in the stream while it waits, with its outcome afterwards."""
    run, record = await asked(store)
    keys = store._partitions.of_run(run.id)
    assert await raw.xlen(keys.asks) == 1
    assert not await raw.exists(keys.settled(record.ask.id))
    await settle(store, run, record)
    assert await raw.xlen(keys.asks) == 0
    assert await raw.exists(keys.settled(record.ask.id))


async def test_a_partition_is_one_slot_and_an_asks_id_names_it(store: RedisStore) -> None:
    """All that one step changes is in one place of a cluster, found by the ask's id alone."""
    slots = set()
    for keys in store._partitions.all:
        names = [keys.asks, keys.log, keys.due, keys.owed, keys.clock, keys.inbox("acme")]
        names += [keys.ask("a-1"), keys.settled("a-1"), keys.posts("a-1"), keys.drafts("a-1")]
        names += [keys.done("a-1"), keys.lease("a-1", "slack:C1"), keys.run("job-1")]
        names += [keys.dead("resume")]
        of_partition = {key_slot(name.encode()) for name in names}
        assert len(of_partition) == 1
        slots |= of_partition
    assert len(slots) == PARTITIONS
    for _ in range(50):
        run, record = await asked(store)
        place = store._partitions.of_run(run.id)
        assert store._partitions.of_ask(record.ask.id) == place
        assert place.partition == partition_byte(run.id) % PARTITIONS


async def test_what_a_reader_took_is_the_servers_to_remember(store: RedisStore, raw: Redis) -> None:
    """An entry is pending for its consumer until it is acknowledged, and then nowhere."""
    run, _ = await asked(store)
    taken = await taken_by(store, Group.RESUME, "w1")
    log = store._partitions.of_run(run.id).log
    assert (await raw.xpending(log, Group.RESUME))["pending"] == 2
    await store.done(Group.RESUME, taken)
    assert (await raw.xpending(log, Group.RESUME))["pending"] == 0
