"""Two gateways over one store: what one remembers of an ask never outweighs what the other did."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway import group_reader
from gateway.answer import from_plain
from gateway.ask import Status
from gateway.broker import Broker, Try, endings
from gateway.errors import AlreadySettled, InvalidAnswer, NotFound
from gateway.group_reader import STALE, GroupReader
from gateway.person import Caller, Role
from gateway.question import Question
from gateway.store import Group
from gateway.waiting import Waiters
from tests.contract.making import TENANT, a_run, asked, taken_by
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from gateway.answer import Values
    from gateway.ask import AskRecord
    from gateway.store import Store
    from tests.contract.backends import Backend

    Attempt = Callable[[Broker, str], Awaitable[AskRecord]]

AGENT = Caller(TENANT, Role.AGENT, "agent:asker", agent="asker")
OTHER = Caller(TENANT, Role.AGENT, "agent:other", agent="other")
KEVIN = Caller(TENANT, Role.OPERATOR, "user:kevin", content=True)
ANA = Caller(TENANT, Role.OPERATOR, "user:ana", content=True)
STRANGER = Caller("other", Role.OWNER, "user:eve", content=True)

WAIT_S = 3_600
NO_WAIT = timedelta(milliseconds=1)
LONG = timedelta(seconds=2 * PATIENCE_S)


@pytest.fixture
async def here(store: Store) -> AsyncIterator[Broker]:
    """The gateway that asks are opened in; it hears of what others do."""
    waiters = Waiters(store)
    hearing = asyncio.create_task(waiters.run())
    await waiters.hearing.wait()
    yield Broker(store, waiters)
    hearing.cancel()
    await asyncio.wait([hearing])


@pytest.fixture
def there(store: Store) -> Broker:
    """Another one over the same store."""
    return Broker(store, Waiters(store))


async def ask(broker: Broker, within: timedelta = timedelta()) -> AskRecord:
    """An ask of a run of its own, as it stands then."""
    run = (await broker.create_run(AGENT, a_run(timeout_s=WAIT_S))).run
    arguments = {"question": "Where should build 41 go?", "choices": ["Staging", "Production"]}
    standing = await broker.open(
        AGENT, run.id, tool="oz.ask_user", arguments=arguments, call_id="c1", within=within
    )
    assert standing.record is not None
    return standing.record


async def answer(
    broker: Broker, ask_id: str, text: str = "Staging", caller: Caller = KEVIN
) -> AskRecord:
    """Answers with a label."""

    def read(record: AskRecord) -> Values:
        return from_plain(record.ask.question, text)

    return await broker.answer_with(caller, ask_id, read, Try(f"{caller.name}:{text}", "api"))


async def decline(broker: Broker, ask_id: str) -> AskRecord:
    return await broker.decline(KEVIN, ask_id, None, Try("decline", "api"))


async def misread(broker: Broker, ask_id: str) -> AskRecord:
    return await answer(broker, ask_id, "Nowhere")


@pytest.mark.parametrize("attempt", [answer, decline, misread])
async def test_what_another_gateway_ended_cannot_be_ended_here(
    here: Broker, there: Broker, attempt: Attempt
) -> None:
    """Who comes second hears who was first, and of no fault in what he wrote."""
    record = await ask(here)
    await answer(there, record.ask.id, "Production", ANA)
    with pytest.raises(AlreadySettled) as refused:
        await attempt(here, record.ask.id)
    outcome = refused.value.record.outcome
    assert outcome is not None
    assert outcome.by == ANA.name


@pytest.mark.parametrize("attempt", [answer, decline, misread])
async def test_what_time_ended_cannot_be_ended_here(
    backend: Backend, here: Broker, attempt: Attempt
) -> None:
    """An ask that this gateway saw waiting has ended meanwhile, though nobody has told it."""
    record = await ask(here)
    backend.advance(timedelta(seconds=WAIT_S))
    assert await Broker(backend.store, Waiters(backend.store)).expire(record)
    with pytest.raises(AlreadySettled) as refused:
        await attempt(here, record.ask.id)
    assert refused.value.record.status is Status.EXPIRED


async def test_a_wrong_answer_to_what_waits_is_told_what_is_wrong(here: Broker) -> None:
    """And the ask waits on."""
    record = await ask(here)
    with pytest.raises(InvalidAnswer):
        await misread(here, record.ask.id)
    assert (await here.ask(KEVIN, record.ask.id)).pending


async def test_what_is_remembered_is_not_shown_to_other_tenants(here: Broker) -> None:
    """An id that is another tenant's is no id."""
    record = await ask(here)
    with pytest.raises(NotFound):
        await answer(here, record.ask.id, caller=STRANGER)


@pytest.mark.parametrize("where", ["here", "there"])
async def test_a_call_that_waits_gets_the_end_wherever_it_was_made(
    here: Broker, there: Broker, where: str
) -> None:
    """Whether its own gateway ended it or another."""
    waiting = asyncio.create_task(ask(here, LONG))

    async def waits() -> bool:
        return bool((await here.pending(KEVIN)).records)

    await until(waits, "it waits")
    (pending,) = (await here.pending(KEVIN)).records
    await answer(here if where == "here" else there, pending.ask.id)
    record = await asyncio.wait_for(waiting, PATIENCE_S)
    assert record.status is Status.ANSWERED
    assert record.outcome is not None
    assert record.outcome.by == KEVIN.name


async def test_an_agents_list_ends_soon_however_many_wait_for_others(
    here: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It looks through so many a call, says where to look on, and finds its own in the end."""
    monkeypatch.setattr(endings, "LOOKED_THROUGH", 8)
    run = (await here.create_run(OTHER, a_run(agent="other"))).run
    question = Question(prompt="Go?")
    for number in range(20):
        await here.open_question(OTHER, run.id, question, call_id=f"c{number}")
    own = await ask(here)
    pages = [await here.pending(AGENT)]
    while (more := pages[-1].more) is not None:
        pages.append(await here.pending(AGENT, after=more))
    assert [len(page.records) for page in pages] == [0, 0, 1]
    assert pages[-1].records == [own]
    assert len((await here.pending(KEVIN)).records) == 21


async def test_what_a_reader_is_done_with_comes_to_nobody_again(
    backend: Backend, store: Store
) -> None:
    """All it has not acknowledged yet, it acknowledges as it closes."""
    reader = GroupReader(store, Group.RESUME, "w1", 100)
    await reader.take(NO_WAIT)  # it may only have made the group
    handed = []
    for _ in range(3):
        await asked(store)
        taken = await reader.take(NO_WAIT)
        handed += taken
        await reader.done(taken)
    await reader.aclose()
    backend.advance(2 * STALE)
    assert len(handed) == 2 * 3  # a run of its own each
    assert await taken_by(store, Group.RESUME, "w1") == []
    assert await store.claim_stale(Group.RESUME, "w2", timedelta()) == []


async def test_what_a_reader_dies_with_is_handed_out_again(store: Store) -> None:
    """It took them, and was not done with them."""
    reader = GroupReader(store, Group.RESUME, "w1", 100)
    await reader.take(NO_WAIT)
    await asked(store)
    taken = await reader.take(NO_WAIT)
    await reader.aclose()
    again = await store.claim_stale(Group.RESUME, "w2", timedelta())
    assert [one.event for one in again] == [one.event for one in taken] != []


async def test_what_a_reader_died_with_is_taken_over_by_another_once_it_is_stale(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not sooner, as the first may be at it still."""
    dead, hasty, heir = [GroupReader(store, Group.RESUME, f"w{n}", 100) for n in range(3)]
    await dead.take(NO_WAIT)  # it may only have made the group
    await asked(store)
    left = await dead.take(NO_WAIT)
    assert await hasty.take(NO_WAIT) == []
    monkeypatch.setattr(group_reader, "STALE", timedelta())
    assert await heir.take(NO_WAIT) == left != []


async def test_what_a_reader_failed_with_comes_first_and_at_once(store: Store) -> None:
    """Not after the minute that others wait for what somebody holds; and no more, once done."""
    reader = GroupReader(store, Group.RESUME, "w1", 100)
    await reader.done(await reader.take(NO_WAIT))  # it may only have made the group
    await asked(store)
    taken = await reader.take(NO_WAIT)  # and its look never came to an end
    await asked(store)
    again = await reader.take(NO_WAIT)
    assert again == taken != []
    await reader.done(again)
    behind = await reader.take(NO_WAIT)
    assert len(behind) == len(taken)
    assert not {one.key for one in behind} & {one.key for one in taken}
    await reader.done(behind)
    assert await reader.take(NO_WAIT) == []
    await reader.aclose()


async def test_what_was_done_before_a_failure_does_not_come_again(store: Store) -> None:
    """It is acknowledged late, but before anything is taken once more."""
    reader = GroupReader(store, Group.RESUME, "w1", 100)
    await reader.done(await reader.take(NO_WAIT))
    await asked(store)
    await reader.done(await reader.take(NO_WAIT))
    await asked(store)
    await reader.done(await reader.take(NO_WAIT))  # soon after, so that it is not acknowledged yet
    await reader.take(NO_WAIT)
    assert await reader.take(NO_WAIT) == []
    await reader.aclose()
