"""Single-key facts, safe to write twice; drafts and finished tries beside their ask."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from gateway.errors import DraftMoved
from tests.contract.making import asked, settle

if TYPE_CHECKING:
    from gateway.store import Store
    from tests.contract.backends import Advance

DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)


async def test_the_first_to_bind_a_name_decides(store: Store) -> None:
    """Of many at once all hear the same value."""
    values = [f"a-{n}" for n in range(20)]
    bound = await asyncio.gather(*(store.bind("event:slack:1", value, DAY) for value in values))
    assert len(set(bound)) == 1
    assert bound[0] in values
    assert await store.look("event:slack:1") == bound[0]


async def test_who_hears_that_a_name_is_theirs_has_it(store: Store) -> None:
    """Also where the one who had it gives it up just then."""
    await store.bind("post:1", "a-1", DAY)
    bound, _ = await asyncio.gather(store.bind("post:1", "a-2", DAY), store.drop("post:1"))
    assert bound == "a-1" or await store.look("post:1") == "a-2"
    await store.join("slack:C1", "K7", "a-1")
    holder, _ = await asyncio.gather(
        store.join("slack:C1", "K7", "a-2"), store.leave("slack:C1", "K7")
    )
    assert holder == "a-1" or await store.joined("slack:C1") == {"K7": "a-2"}


async def test_a_binding_ends_with_its_time(store: Store, advance: Advance) -> None:
    """After that the name is free, and nothing of it is left."""
    await store.bind("event:1", "first", DAY)
    advance(DAY - MINUTE)
    assert await store.bind("event:1", "second", DAY) == "first"
    advance(MINUTE)
    assert await store.look("event:1") is None
    assert await store.bind("event:1", "second", DAY) == "second"


async def test_a_fact_can_be_written_again_and_dropped_once(store: Store) -> None:
    """The last writer's value stands until it is dropped; dropping tells whether it was there."""
    assert await store.look("post:1") is None
    await store.put("post:1", "a-1")
    await store.put("post:1", "a-2 \U0001f680")
    assert await store.look("post:1") == "a-2 \U0001f680"
    assert await store.drop("post:1")
    assert not await store.drop("post:1")
    assert await store.look("post:1") is None


async def test_a_fact_put_over_a_binding_stays(store: Store, advance: Advance) -> None:
    """A plain fact has no end."""
    await store.bind("post:1", "a-1", MINUTE)
    await store.put("post:1", "a-2")
    advance(DAY)
    assert await store.look("post:1") == "a-2"


async def test_a_set_has_each_member_once_in_order(store: Store) -> None:
    """Adding twice is adding once; removing what is not there is no failure."""
    for member in ("b", "a", "b", "é"):
        await store.add("tokens:acme", member)
    assert await store.members("tokens:acme") == ["a", "b", "é"]
    await store.remove("tokens:acme", "b")
    await store.remove("tokens:acme", "b")
    assert await store.members("tokens:acme") == ["a", "é"]
    assert await store.members("tokens:none") == []


async def test_a_code_of_a_conversation_names_one_ask(store: Store) -> None:
    """Who comes second with a code hears who holds it; the code is free once that one leaves."""
    holders = await asyncio.gather(*(store.join("slack:C1", "k3", f"a-{n}") for n in range(10)))
    assert len(set(holders)) == 1
    assert await store.join("slack:C1", "m7", "a-other") == "a-other"
    assert await store.join("slack:C2", "k3", "a-other") == "a-other"
    assert await store.joined("slack:C1") == {"k3": holders[0], "m7": "a-other"}
    await store.leave("slack:C1", "k3")
    await store.leave("slack:C1", "k3")
    assert await store.joined("slack:C1") == {"m7": "a-other"}
    assert await store.join("slack:C1", "k3", "a-new") == "a-new"
    assert await store.joined("slack:none") == {}


async def test_facts_of_different_kinds_do_not_meet(store: Store) -> None:
    """A conversation is not a fact of the same name."""
    await store.put("slack:C1", "a-1")
    await store.join("slack:C1", "k3", "a-2")
    assert await store.look("slack:C1") == "a-1"
    assert await store.joined("slack:C1") == {"k3": "a-2"}


# Drafts


async def test_a_draft_is_one_persons_and_one_asks(store: Store) -> None:
    """The last one kept stands; an empty one drops it."""
    _, record = await asked(store)
    _, other = await asked(store)
    ask_id = record.ask.id
    assert await store.draft(ask_id, "kevin") is None
    assert await store.save_draft(ask_id, "kevin", '{"a": 1}', "t1")
    assert await store.save_draft(ask_id, "anna", "{}", "t2")
    assert await store.save_draft(ask_id, "kevin", '{"a": "🚀"}', "t3")
    assert await store.draft(ask_id, "kevin") == '{"a": "🚀"}'
    assert await store.draft(ask_id, "anna") == "{}"
    assert await store.draft(other.ask.id, "kevin") is None
    assert await store.save_draft(ask_id, "kevin", "", "t4")
    assert await store.draft(ask_id, "kevin") is None


async def test_a_draft_that_has_changed_since_is_not_written_over(store: Store) -> None:
    """Whoever read another one reads again; the try is not done by that."""
    _, record = await asked(store)
    ask_id = record.ask.id
    assert await store.save_draft(ask_id, "kevin", "one", "t1", "")
    for over in ("", "two"):
        with pytest.raises(DraftMoved):
            await store.save_draft(ask_id, "kevin", "lost", "t2", over)
    assert await store.draft(ask_id, "kevin") == "one"
    assert not await store.tried(ask_id, "t2")
    assert await store.save_draft(ask_id, "kevin", "two", "t2", "one")
    assert not await store.save_draft(ask_id, "kevin", "lost", "t2", "one")
    assert await store.draft(ask_id, "kevin") == "two"


async def test_a_try_that_was_done_changes_no_draft_again(store: Store) -> None:
    """Seen again, hours later and elsewhere, it has no second effect; nor has one only marked."""
    _, record = await asked(store)
    ask_id = record.ask.id
    assert await store.save_draft(ask_id, "kevin", "first", "t1")
    assert not await store.save_draft(ask_id, "kevin", "again", "t1")
    assert await store.mark(ask_id, "t2")
    assert not await store.mark(ask_id, "t2")
    assert not await store.mark(ask_id, "t1")
    assert not await store.save_draft(ask_id, "kevin", "again", "t2")
    assert await store.draft(ask_id, "kevin") == "first"
    assert [await store.tried(ask_id, token) for token in ("t1", "t2", "t3")] == [True, True, False]
    assert not await store.tried("a-00000000000a", "t1")
    assert not await store.tried("no id", "t1")


async def test_of_many_who_mark_a_try_one_does_it(store: Store) -> None:
    """The same message on every replica takes effect on one."""
    _, record = await asked(store)
    done = await asyncio.gather(*(store.mark(record.ask.id, "t1") for _ in range(10)))
    assert sum(done) == 1


async def test_an_ended_ask_takes_no_draft_but_knows_its_tries(store: Store) -> None:
    """A form sent too late keeps nothing; a message seen before its end is still seen."""
    run, record = await asked(store)
    await store.mark(record.ask.id, "t1")
    await settle(store, run, record)
    assert not await store.save_draft(record.ask.id, "kevin", "late", "t2")
    assert await store.draft(record.ask.id, "kevin") is None
    assert not await store.mark(record.ask.id, "t1")
    assert await store.mark(record.ask.id, "t2")


async def test_without_its_ask_nothing_is_kept(store: Store) -> None:
    """Drafts and tries live beside an ask, or not at all."""
    for ask_id in ("a-00000000000a", "no id"):
        assert not await store.save_draft(ask_id, "kevin", "{}", "t1")
        assert not await store.mark(ask_id, "t2")
        assert await store.draft(ask_id, "kevin") is None
