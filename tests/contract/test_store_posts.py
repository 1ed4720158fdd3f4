"""Posts of asks: kept beside them, owed once the ask has ended, drawn by one worker at a time."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from gateway.ask import RunStatus
from gateway.ids import ask_id
from gateway.posts import Post, Posts, PostState
from gateway.store import RETENTION_DAYS, RETIRE_LOOK_AGAIN, RunChange
from tests.contract.making import a_run, asked, opened, settle

if TYPE_CHECKING:
    from gateway.store import Store
    from tests.contract.backends import Advance

MONTH = timedelta(days=RETENTION_DAYS)
LONG = timedelta(minutes=10)
"""No lease of that long runs out in a test that does not move its time."""

PLACE = "slack:C1"


async def test_an_ask_keeps_its_posts_by_place(store: Store) -> None:
    """The last that was said of each place, as it was said, also text of other alphabets."""
    _, record = await asked(store)
    _, other = await asked(store)
    ask = record.ask.id
    assert await store.posts(ask) == {}
    assert await store.keep_post(ask, PLACE, "first", closed=False)
    assert await store.keep_post(ask, "teams:19:x@thread#1", 'o{"é": "…"}', closed=True)
    assert await store.keep_post(ask, PLACE, "second", closed=True)
    assert await store.posts(ask) == {PLACE: "second", "teams:19:x@thread#1": 'o{"é": "…"}'}
    assert await store.posts(other.ask.id) == {}


async def test_nothing_is_kept_of_an_ask_that_is_not_there(store: Store) -> None:
    """A post of a retired ask, or of none, leaves nothing behind."""
    nobody = ask_id("job-gone", "call-1")
    assert not await store.keep_post(nobody, PLACE, "post", closed=False)
    assert await store.posts(nobody) == {}
    assert await store.posts_owed() == []


async def test_an_open_post_is_owed_once_its_ask_has_ended(store: Store) -> None:
    """While the ask waits nothing is owed; from its end on, until each post shows that."""
    run, record = await asked(store)
    ask = record.ask.id
    await store.keep_post(ask, PLACE, "p", closed=False)
    await store.keep_post(ask, "slack:C2", "p", closed=False)
    assert await store.posts_owed() == []
    await settle(store, run, record)
    assert await store.posts_owed() == [ask]
    await store.keep_post(ask, PLACE, "p", closed=True)
    assert await store.posts_owed() == [ask]
    await store.keep_post(ask, "slack:C2", "p", closed=True)
    assert await store.posts_owed() == []


async def test_posts_that_came_to_nothing_while_the_ask_waited_are_not_owed(store: Store) -> None:
    """Where nothing stands, nothing is to be drawn anew."""
    run, record = await asked(store)
    await store.keep_post(record.ask.id, PLACE, "p", closed=False)
    await store.keep_post(record.ask.id, PLACE, "p", closed=True)
    await settle(store, run, record)
    assert await store.posts_owed() == []


async def test_an_ask_without_posts_owes_none(store: Store) -> None:
    """Of two asks that end together, only the one with a post is owed."""
    run = a_run()
    await store.create_run(run)
    one, other = await opened(store, run), await opened(store, run)
    await store.keep_post(other.ask.id, PLACE, "p", closed=False)
    await settle(store, run, one, other, change=RunChange(RunStatus.FINISHED))
    assert await store.posts_owed() == [other.ask.id]


async def test_a_post_found_after_the_end_is_owed(store: Store) -> None:
    """A message that nobody had recorded is recorded late, and still is drawn."""
    run, record = await asked(store)
    await settle(store, run, record)
    assert await store.posts_owed() == []
    await store.keep_post(record.ask.id, PLACE, "found", closed=False)
    assert await store.posts_owed() == [record.ask.id]


async def test_owed_posts_of_many_runs_are_listed_together(store: Store) -> None:
    """Whatever partitions their runs lie in, in one order for both back ends."""
    asks = []
    for _ in range(20):
        run, record = await asked(store)
        await store.keep_post(record.ask.id, PLACE, "p", closed=False)
        await settle(store, run, record)
        asks.append(record.ask.id)
    assert await store.posts_owed() == sorted(asks)


async def test_a_run_waits_for_its_owed_posts_before_it_goes(
    store: Store, advance: Advance
) -> None:
    """A post that does not show the end keeps its ask; then all of it goes, posts too."""
    run, record = await asked(store)
    ask = record.ask.id
    await store.keep_post(ask, PLACE, "p", closed=False)
    await settle(store, run, record, change=RunChange(RunStatus.FINISHED))
    advance(MONTH)
    assert not await store.retire(run.id)
    assert await store.posts(ask) == {PLACE: "p"}
    await store.keep_post(ask, PLACE, "p", closed=True)
    advance(RETIRE_LOOK_AGAIN)
    assert await store.retire(run.id)
    assert await store.posts(ask) == {}
    assert not await store.keep_post(ask, PLACE, "late", closed=False)
    assert await store.posts_owed() == []


# Leases


async def test_a_lease_is_held_by_one_worker_at_a_time(store: Store) -> None:
    """Of many who want it at once one has it; another place, or another ask, is free."""
    _, record = await asked(store)
    _, other = await asked(store)
    owners = [f"w{n}" for n in range(8)]
    taken = await asyncio.gather(
        *(store.lease(record.ask.id, PLACE, owner, LONG) for owner in owners)
    )
    assert sorted(taken) == [False] * 7 + [True]
    assert await store.lease(record.ask.id, "slack:C2", "w9", LONG)
    assert await store.lease(other.ask.id, PLACE, "w9", LONG)


async def test_only_its_owner_gives_a_lease_back(store: Store) -> None:
    """A worker that comes late takes nothing from the one that draws now."""
    _, record = await asked(store)
    ask = record.ask.id
    assert await store.lease(ask, PLACE, "w1", LONG)
    await store.release(ask, PLACE, "w2")
    assert not await store.lease(ask, PLACE, "w2", LONG)
    await store.release(ask, PLACE, "w1")
    assert await store.lease(ask, PLACE, "w2", LONG)
    await store.release(ask, PLACE, "w1")
    assert not await store.lease(ask, PLACE, "w1", LONG)


async def test_a_lease_runs_out_so_that_a_dead_worker_stops_nobody(
    store: Store, advance: Advance
) -> None:
    """Then another has it, and whoever lost it cannot give it back."""
    _, record = await asked(store)
    ask = record.ask.id
    assert await store.lease(ask, PLACE, "dead", LONG)
    assert not await store.lease(ask, PLACE, "w2", LONG)
    advance(LONG)
    assert await store.lease(ask, PLACE, "w2", LONG)
    await store.release(ask, PLACE, "dead")
    assert not await store.lease(ask, PLACE, "dead", LONG)


async def test_its_owner_may_prolong_a_lease(store: Store, advance: Advance) -> None:
    """Taken again, it lasts from then on."""
    _, record = await asked(store)
    ask = record.ask.id
    assert await store.lease(ask, PLACE, "w1", LONG)
    advance(LONG / 2)
    assert await store.lease(ask, PLACE, "w1", LONG)
    advance(LONG * 0.75)
    assert not await store.lease(ask, PLACE, "w2", LONG)
    advance(LONG / 4)
    assert await store.lease(ask, PLACE, "w2", LONG)


# As values


async def test_a_post_comes_back_as_it_was_kept(store: Store) -> None:
    """All of it, under its place; and a thread is a place of its own."""
    _, record = await asked(store)
    posts = Posts(store, "w1")
    whole = Post(
        "slack",
        "C1",
        thread="17.1",
        account="T1/U1",
        state=PostState.SHOWN,
        code="K7",
        message="17.2",
        at_ms=1_770_000_000_000,
        version=2,
        reason="msg_too_long",
        plain=True,
        reminded=2,
        extra=True,
    )
    bare = Post("slack", "C1")
    assert await posts.keep(record.ask.id, whole) == whole
    await posts.keep(record.ask.id, bare)
    assert await posts.of(record.ask.id) == {"slack:C1#17.1!17.2": whole, "slack:C1": bare}


async def test_what_stands_or_may_stand_is_owed_and_what_does_not_is_not(store: Store) -> None:
    """Each state, once the ask has ended: what is begun or shown is still to be closed."""
    owed = {}
    for state in PostState:
        run, record = await asked(store)
        await Posts(store, "w1").keep(record.ask.id, Post("slack", "C1", state=state))
        await settle(store, run, record)
        owed[state] = record.ask.id in await Posts(store, "w1").owed()
    assert {state for state, is_owed in owed.items() if is_owed} == {
        PostState.POSTING,
        PostState.SHOWN,
    }


async def test_the_right_to_draw_is_each_workers_own(store: Store) -> None:
    """Two workers of two processes exclude each other until one gives it back."""
    _, record = await asked(store)
    one, other = Posts(store, "w1"), Posts(store, "w2")
    assert await one.take(record.ask.id, PLACE)
    assert not await other.take(record.ask.id, PLACE)
    await other.give_back(record.ask.id, PLACE)
    assert not await other.take(record.ask.id, PLACE)
    await one.give_back(record.ask.id, PLACE)
    assert await other.take(record.ask.id, PLACE)
