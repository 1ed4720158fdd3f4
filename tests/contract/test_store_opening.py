"""Opening: one call is one ask, a run asks one at a time where it must, nothing is altered."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.ask import OnQuestion, OnTimeout, RunStatus, Status, Webhook
from gateway.errors import Conflict
from gateway.ids import digest
from gateway.ladder import Audience, Rung, RungEvent
from gateway.question import Field, Kind, Option, Question
from gateway.store import MAX_PENDING_PER_RUN, Cursor, NewAsk, Opening, RunChange
from tests.contract.making import TENANT, a_run, asked, new_ask, opened, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.store import Store

MINUTE = timedelta(minutes=1)


async def test_a_run_comes_back_as_it_was_created(store: Store) -> None:
    """Every value of a run is kept, whatever there is of it."""
    now = await store.now()
    deadline = (now + timedelta(hours=1)).replace(microsecond=123_000)
    run = a_run(
        parent="job-caller",
        conversation="slack:C1/1700000000.1",
        on_question=OnQuestion.AUTO,
        deadline=deadline,
        timeout_s=90,
        on_timeout=OnTimeout.FAIL,
        ladder=(
            Rung(share=0.25, to=Audience.PERSON, person="kévin", event=RungEvent.ESCALATED),
            Rung(after_s=900),
        ),
        webhook=Webhook(url="https://example.com/outcomes", secret="whsec_c2VjcmV0"),
        token_id="tok-1",
    )
    made = await store.create_run(run)
    assert made.run == run
    assert made.status is RunStatus.RUNNING
    assert abs(made.created_at - now) < MINUTE
    assert await store.read_run(run.id) == made


async def test_a_runs_deadline_is_kept_to_the_millisecond(store: Store) -> None:
    """Finer times are cut, and the same values again are still the same run."""
    fine = (await store.now() + timedelta(hours=1)).replace(microsecond=123_456)
    run = a_run(deadline=fine)
    made = await store.create_run(run)
    assert made.run.deadline == fine.replace(microsecond=123_000)
    assert await store.create_run(run) == made
    assert await store.read_run(run.id) == made


async def test_an_empty_ladder_is_not_the_default_one(store: Store) -> None:
    """A run without rungs is kept apart from a run that says nothing of rungs."""
    silent, plain = a_run(ladder=()), a_run()
    await store.create_run(silent)
    await store.create_run(plain)
    kept_silent, kept_plain = await store.read_run(silent.id), await store.read_run(plain.id)
    assert kept_silent is not None
    assert kept_silent.run.ladder == ()
    assert kept_plain is not None
    assert kept_plain.run.ladder is None


async def test_creating_a_run_twice_from_the_same_values_is_one_run(store: Store) -> None:
    """A retried creation hears of the run that is there."""
    run = a_run()
    first = await store.create_run(run)
    assert await store.create_run(run) == first
    assert len(await store.history(run.id)) == 1


async def test_a_run_of_the_same_id_with_other_values_is_a_conflict(store: Store) -> None:
    """An id stands for one set of values."""
    run = a_run()
    await store.create_run(run)
    with pytest.raises(Conflict):
        await store.create_run(run.model_copy(update={"agent": "another"}))
    kept = await store.read_run(run.id)
    assert kept is not None
    assert kept.run == run


async def test_what_is_not_there_reads_as_nothing(store: Store) -> None:
    """Unknown ids, and what is no id at all, are simply not there."""
    assert await store.read_run("job-none") is None
    assert await store.read("a-00000000000a") is None
    assert await store.read("not an id") is None
    assert await store.history("job-none") == []
    assert await store.count_pending("nobody") == 0


async def test_an_ask_waits_once_it_is_opened(store: Store) -> None:
    """Opening answers the record that reading gives; the run and the tenant's list name it."""
    run, record = await asked(store)
    assert record.status is Status.PENDING
    assert record.deadline is None
    assert await store.read(record.ask.id) == record
    assert await store.pending(TENANT, after=None, limit=10) == [record]
    assert await store.count_pending(TENANT) == 1
    kept = await store.read_run(run.id)
    assert kept is not None
    assert kept.pending == (record.ask.id,)
    assert kept.shown_status is RunStatus.AWAITING_INPUT


async def test_opening_the_same_call_twice_is_one_ask(store: Store) -> None:
    """A retried call finds its ask, also once that has ended."""
    run, record = await asked(store, a_run(), call_id="c1")
    again = new_ask(run, "c1")
    assert (await store.open(again)).opening is Opening.EXISTS
    assert await store.count_pending(TENANT) == 1
    await settle(store, run, record)
    assert (await store.open(again)).opening is Opening.EXISTS
    assert await store.count_pending(TENANT) == 0


async def test_of_twenty_openings_of_one_call_at_once_one_opens(store: Store) -> None:
    """However many try, one ask stands, and the others hear that it exists."""
    run = a_run()
    await store.create_run(run)
    done = await asyncio.gather(*(store.open(new_ask(run, "c1")) for _ in range(20)))
    openings = [one.opening for one in done]
    assert openings.count(Opening.OPENED) == 1
    assert openings.count(Opening.EXISTS) == 19
    assert await store.count_pending(TENANT) == 1


async def test_the_same_call_with_other_arguments_is_a_conflict(store: Store) -> None:
    """A call id stands for one set of arguments."""
    run, _ = await asked(store, a_run(), call_id="c1")
    assert (await store.open(new_ask(run, "c1", arguments="else"))).opening is Opening.CONFLICT


async def test_an_id_that_another_call_has_is_a_collision(store: Store) -> None:
    """Two calls whose ids are the same by chance are told apart by the call itself."""
    _, record = await asked(store, a_run(), call_id="c1")
    same_id = NewAsk(record.ask, digest("c2"), digest("where"), one_at_a_time=False, ladder=())
    assert (await store.open(same_id)).opening is Opening.COLLISION


async def test_one_at_a_time_names_the_ask_in_the_way(store: Store) -> None:
    """A run that may ask one question at a time hears which one it waits on, the oldest first."""
    run, first = await asked(store)
    await opened(store, run)
    refused = await store.open(new_ask(run, one_at_a_time=True))
    assert refused.opening is Opening.IN_FLIGHT
    assert refused.ask_id == first.ask.id


async def test_a_run_may_ask_again_once_its_ask_has_ended(store: Store) -> None:
    """An outcome frees the run for its next question."""
    run, first = await asked(store, one_at_a_time=True)
    await settle(store, run, first)
    assert (await store.open(new_ask(run, one_at_a_time=True))).opening is Opening.OPENED


async def test_without_its_run_nothing_opens(store: Store) -> None:
    """An ask belongs to a run that is there."""
    assert (await store.open(new_ask(a_run()))).opening is Opening.NO_RUN


async def test_an_ended_run_asks_no_more(store: Store) -> None:
    """A finished run opens nothing, and what it opened before still exists."""
    run, record = await asked(store, a_run(), call_id="c1")
    await settle(store, run, record, change=RunChange(RunStatus.FINISHED))
    assert (await store.open(new_ask(run))).opening is Opening.RUN_ENDED
    assert (await store.open(new_ask(run, "c1"))).opening is Opening.EXISTS


async def test_a_run_past_its_deadline_asks_no_more(
    store: Store, advance: Callable[[timedelta], None]
) -> None:
    """The deadline holds before any clock has looked at it."""
    run = a_run(deadline=await store.now() + MINUTE)
    await store.create_run(run)
    assert (await store.open(new_ask(run))).opening is Opening.OPENED
    advance(MINUTE)
    assert (await store.open(new_ask(run))).opening is Opening.RUN_ENDED


async def test_a_run_waits_on_a_thousand_asks_and_no_more(store: Store) -> None:
    """The bound is exact."""
    run = a_run()
    await store.create_run(run)
    new = [new_ask(run) for _ in range(MAX_PENDING_PER_RUN)]
    done = await asyncio.gather(*(store.open(one) for one in new))
    assert {one.opening for one in done} == {Opening.OPENED}
    assert (await store.open(new_ask(run))).opening is Opening.FULL
    assert await store.count_pending(TENANT) == MAX_PENDING_PER_RUN


async def test_the_sooner_of_its_own_wait_and_the_runs_deadline_is_an_asks_deadline(
    store: Store,
) -> None:
    """An ask never outlives its run, nor its own wait."""
    soon = a_run(deadline=(await store.now() + timedelta(hours=1)).replace(microsecond=0))
    _, within = await asked(store, soon, timeout_s=60)
    beyond = await opened(store, soon, timeout_s=7200)
    without = await opened(store, soon)
    _, free = await asked(store, timeout_s=60)
    assert within.deadline == within.opened_at + MINUTE
    assert beyond.deadline == without.deadline == soon.deadline
    assert free.deadline == free.opened_at + MINUTE


async def test_an_ask_comes_back_as_it_was_given(store: Store) -> None:
    """No list becomes an object, no number a float, no character another; ended or not."""
    run = a_run()
    await store.create_run(run)
    question = Question(
        prompt='quotes " and \\ and \u2028 and "ask": {} and ,"ask": 🚀\n</script>',
        fields=(
            Field(name="ask", kind=Kind.NUMBER, min=-9007199254740993, max=1e300, integer=True),
            Field(name="empty", kind=Kind.MULTI_CHOICE, options=()),
            Field(name="opts", kind=Kind.CHOICE, options=(Option(id="o1", label='{"ask":[]}'),)),
        ),
    )
    record = await opened(store, run, question=question, audience=("kévin", "a b"))
    read = await store.read(record.ask.id)
    assert read == record
    assert read is not None
    assert read.ask.question == question
    await settle(store, run, record)
    ended = await store.read(record.ask.id)
    assert ended is not None
    assert ended.ask == record.ask


async def test_an_asks_id_names_its_run_s_place(store: Store) -> None:
    """An ask is found by its id alone, whichever run it is of."""
    records = [(await asked(store))[1] for _ in range(40)]
    read = await asyncio.gather(*(store.read(record.ask.id) for record in records))
    assert read == records


async def test_the_list_is_of_one_tenant_oldest_first(store: Store) -> None:
    """Another tenant's asks are not in it; a page goes on where the last one ended."""
    ours = [(await asked(store))[1] for _ in range(7)]
    await asked(store, a_run(tenant="other"))
    ours.sort(key=lambda record: (record.opened_at, record.ask.id))
    pages = []
    after = None
    while page := await store.pending(TENANT, after=after, limit=3):
        pages.append(page)
        after = Cursor(page[-1].opened_at, page[-1].ask.id)
    assert [len(page) for page in pages] == [3, 3, 1]
    assert [record for page in pages for record in page] == ours
    assert len(await store.pending("other", after=None, limit=10)) == 1


async def test_asks_of_one_moment_are_each_listed_once(store: Store) -> None:
    """A page that ends amid asks of one millisecond leaves none of them out."""
    run = a_run()
    await store.create_run(run)
    await asyncio.gather(*(store.open(new_ask(run)) for _ in range(60)))
    seen: list[str] = []
    after = None
    while page := await store.pending(TENANT, after=after, limit=7):
        seen += [record.ask.id for record in page]
        after = Cursor(page[-1].opened_at, page[-1].ask.id)
    assert len(seen) == 60
    assert len(set(seen)) == 60
