"""Codes, posts and kept messages of conversations, over every back end."""

from __future__ import annotations

from itertools import count, islice
from typing import TYPE_CHECKING

import pytest

from gateway.conversations import Conversations, Posted, codes
from tests.endings import an_ask
from tests.strategies_reply import choice

if TYPE_CHECKING:
    from gateway.ask import Ask
    from gateway.store import Store

PLACE = "slack:C1"


@pytest.fixture
def conversations(store: Store) -> Conversations:
    """What the channels remember, over an empty store."""
    return Conversations(store)


def of_id(ask_id: str, *labels: str) -> Ask:
    ask = an_ask(choice(*labels)) if labels else an_ask()
    return ask.model_copy(update={"id": ask_id})


def rival(ask_id: str) -> str:
    """Another ask's id whose first code is the same."""
    wanted = next(codes(ask_id))
    ids = (f"a-{number:012x}" for number in count(1))
    return next(one for one in ids if one != ask_id and next(codes(one)) == wanted)


async def test_two_asks_of_one_conversation_never_share_a_code(
    conversations: Conversations, store: Store
) -> None:
    """The second takes its next code, and keeps it when the first is free again."""
    first, second = of_id("a-75eaf712473f"), of_id(rival("a-75eaf712473f"))
    code = await conversations.join(PLACE, first)
    other = await conversations.join(PLACE, second)
    assert other != code
    await store.leave(PLACE, code)
    assert await conversations.join(PLACE, second) == other
    assert await conversations.join("slack:C2", second) == code


async def test_a_code_is_never_how_a_label_begins(conversations: Conversations) -> None:
    """`K7` names the ask, so it must not pick its option."""
    first, second = islice(codes("a-75eaf712473f"), 2)
    ask = of_id("a-75eaf712473f", first.lower(), f"{second} and more", "other things")
    assert await conversations.join(PLACE, ask) not in (first, second)


async def test_one_ask_in_two_threads_of_a_conversation_is_called_by_two_codes(
    conversations: Conversations,
) -> None:
    """A code names the ask in its thread."""
    ask = of_id("a-75eaf712473f")
    assert await conversations.join(PLACE, ask, "T1") != await conversations.join(PLACE, ask, "T2")


async def test_a_post_names_its_ask_and_when_it_first_appeared(
    conversations: Conversations,
) -> None:
    """A second post of the same ask does not make it appear later."""
    await conversations.posted(PLACE, "m1", Posted("a-75eaf712473f", 1_000))
    await conversations.posted(PLACE, "m2", Posted("a-75eaf712473f", 2_000))
    assert await conversations.post(PLACE, "m2") == Posted("a-75eaf712473f", 2_000)
    assert await conversations.post(PLACE, "m3") is None
    assert await conversations.shown_ms(PLACE, "a-75eaf712473f") == 1_000
    assert await conversations.shown_ms("slack:C2", "a-75eaf712473f") is None


async def test_a_kept_message_is_the_first_of_its_name(conversations: Conversations) -> None:
    """What its author wrote is not replaced by what comes later."""
    await conversations.keep("0123456789", {"text": "one ❤️"})
    await conversations.keep("0123456789", {"text": "two"})
    assert await conversations.kept("0123456789") == {"text": "one ❤️"}
    assert await conversations.kept("nobody") is None


async def test_a_first_time_comes_once(conversations: Conversations, store: Store) -> None:
    """Also on another replica."""
    assert await conversations.first_time("slack:C1:m1")
    assert not await Conversations(store).first_time("slack:C1:m1")
