"""The broker where two things meet: a deadline and a word, an id and its second owner, a loss."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from gateway.ask import OnQuestion, OnTimeout, Run, RunStatus, Status
from gateway.broker import Broker, Try
from gateway.clock import Clock
from gateway.errors import GatewayError, NotAvailable, NotFound
from gateway.metrics import Metrics
from gateway.person import Caller, Role
from gateway.store import RETENTION_DAYS, EventType
from gateway.waiting import Waiters
from tests.contract.making import HOOK, TENANT, WHERE, a_run

if TYPE_CHECKING:
    from gateway.ask import AskRecord
    from gateway.store import Store
    from tests.contract.backends import Advance, Backend

OWNER = Caller(TENANT, Role.OWNER, "operator:ana", content=True)
STRANGER = Caller("globex", Role.OWNER, "operator:eve", content=True)
ARGUMENTS = {"question": "Where should build 41 go?"}
WAIT_S = 60
WAIT = timedelta(seconds=WAIT_S)
MONTH = timedelta(days=RETENTION_DAYS)


@pytest.fixture
def metrics() -> Metrics:
    """What the gateway counts."""
    return Metrics()


@pytest.fixture
def broker(store: Store, metrics: Metrics) -> Broker:
    """A gateway's broker."""
    return Broker(store, Waiters(store), metrics)


@pytest.fixture
def clock(store: Store, broker: Broker) -> Clock:
    """And its clock."""
    return Clock(store, broker, "clock-1")


async def ask(broker: Broker, run: Run, call_id: str = "c1") -> AskRecord:
    """An ask of a run that is made for it."""
    await broker.create_run(OWNER, run)
    standing = await broker.open_question(OWNER, run.id, WHERE, call_id=call_id)
    assert standing.record is not None
    return standing.record


async def look(clock: Clock) -> None:
    while await clock.look() == 0.0:
        pass


def counted(metrics: Metrics) -> dict[str, float]:
    """How many asks ended, by how and where."""
    found: dict[str, float] = {}
    for line in metrics.render()[0].decode().splitlines():
        name, _, value = line.rpartition(" ")
        if name.startswith("oz_asks_settled_total{"):
            labels = dict(part.split("=") for part in name[22:-1].split(","))
            found["/".join(label.strip('"') for label in labels.values())] = float(value)
    return found


async def test_an_ask_withdrawn_at_its_deadline_holds_up_no_clock(
    store: Store, broker: Broker, advance: Advance
) -> None:
    """A clock that read it while it waited finds that it has ended, and its run goes on."""
    record = await ask(broker, a_run(timeout_s=WAIT_S, on_timeout=OnTimeout.FAIL))
    advance(WAIT)
    await broker.cancel(OWNER, record.ask.id, None)
    async with asyncio.timeout(5):
        assert not await broker.expire(record)
    known = await store.read_run(record.ask.run_id)
    assert known is not None
    assert known.status is RunStatus.RUNNING


async def test_each_end_is_counted_once(
    broker: Broker, clock: Clock, metrics: Metrics, advance: Advance
) -> None:
    """However many come too late for it; and by whom: a person, the clock, the run that ends."""
    late = await ask(broker, a_run(timeout_s=WAIT_S))
    advance(WAIT)
    tries = (broker.decline(OWNER, late.ask.id, None, Try(f"late-{n}", "slack")) for n in range(10))
    refused = await asyncio.gather(*tries, return_exceptions=True)
    assert all(isinstance(one, GatewayError) for one in refused)
    withdrawn = await ask(broker, a_run())
    await broker.cancel(OWNER, withdrawn.ask.id, None)
    assert not await broker.expire(withdrawn)
    ended = await ask(broker, a_run())
    for _ in range(2):
        await broker.end_run(OWNER, ended.ask.run_id, RunStatus.FINISHED, None)
    failed = await ask(broker, a_run(timeout_s=WAIT_S, on_timeout=OnTimeout.FAIL))
    await broker.open_question(OWNER, failed.ask.run_id, WHERE, call_id="c2", timeout_s=999)
    advance(WAIT)
    await look(clock)
    assert counted(metrics) == {"expired/clock": 2, "cancelled/api": 2, "cancelled/clock": 1}


async def test_a_run_ends_without_an_ask_that_is_lost(backend: Backend, broker: Broker) -> None:
    """Which ends none of the others either way; and nothing else is done to what is not there."""
    run = a_run()
    lost, kept = await ask(broker, run), await ask(broker, run, "c2")
    await backend.lose_ask(lost.ask.id)
    with pytest.raises(NotFound):
        await broker.cancel(OWNER, lost.ask.id, None)
    with pytest.raises(NotFound):
        await broker.decline(OWNER, lost.ask.id, None, Try("t", "api"))
    ended = await broker.end_run(OWNER, run.id, RunStatus.FINISHED, None)
    assert (ended.status, ended.pending) == (RunStatus.FINISHED, ())
    assert (await broker.ask(OWNER, kept.ask.id)).status is Status.CANCELLED


async def test_a_retired_runs_id_may_be_anothers(
    store: Store, broker: Broker, clock: Clock, advance: Advance
) -> None:
    """Of another tenant too: who knew the old one asks nothing in the new one."""
    mine = a_run()
    record = await ask(broker, mine)
    await broker.cancel(OWNER, record.ask.id, None)
    advance(MONTH)
    await look(clock)
    theirs = mine.model_copy(update={"tenant": STRANGER.tenant})
    elsewhere = Broker(store, Waiters(store))
    await elsewhere.create_run(STRANGER, theirs)
    for _ in range(2):
        with pytest.raises(NotFound):
            await broker.open_question(OWNER, mine.id, WHERE, call_id="c2")
    assert (await elsewhere.open_question(STRANGER, mine.id, WHERE, call_id="c1")).new


async def test_a_run_made_anew_has_its_own_values(
    store: Store, broker: Broker, clock: Clock, advance: Advance
) -> None:
    """Not those of the one that had its id; nor is what was asked there answered here."""
    old = await ask(broker, a_run("job-again"))
    await broker.end_run(OWNER, "job-again", RunStatus.FINISHED, None)
    advance(MONTH)
    await look(clock)
    elsewhere = Broker(store, Waiters(store))
    new = await ask(elsewhere, a_run("job-again", timeout_s=WAIT_S, webhook=HOOK))
    assert new.ask.id == old.ask.id
    with pytest.raises(NotFound):  # it is said of what was seen last, and looked at again then
        await broker.decline(OWNER, new.ask.id, None, Try("t", "api"))
    declined = await broker.decline(OWNER, new.ask.id, None, Try("t", "api"))
    assert declined.ask.timeout_s == WAIT_S
    assert await store.owes(new.ask.id)
    again = await broker.open_question(OWNER, "job-again", WHERE, call_id="c2")
    assert again.record is not None
    assert again.record.ask.timeout_s == WAIT_S


@pytest.mark.parametrize("mode", [OnQuestion.AUTO, OnQuestion.NONE])
async def test_what_nobody_is_asked_stands_in_the_history_once(
    store: Store, broker: Broker, mode: OnQuestion
) -> None:
    """A call made again adds nothing; a run that has ended asks no more, whatever its mode."""
    run = a_run(on_question=mode)
    await broker.create_run(OWNER, run)

    async def call(call_id: str) -> Any:
        return await broker.open(
            OWNER, run.id, tool="oz.ask_user", arguments=ARGUMENTS, call_id=call_id
        )

    first, again = await call("c1"), await call("c1")
    assert first == again
    await call("c2")
    await broker.end_run(OWNER, run.id, RunStatus.FINISHED, None)
    with pytest.raises(NotAvailable):
        await call("c3")
    kinds = [event.type for event in await store.history(run.id)]
    assert kinds == [
        EventType.RUN_CREATED,
        EventType.ASK_NOT_ASKED,
        EventType.ASK_NOT_ASKED,
        EventType.RUN_ENDED,
    ]
