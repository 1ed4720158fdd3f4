"""Events that come again, and messages that are edited: one event, one effect, one word."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from channels.inbound.kept import event_of
from gateway.answer import Picked
from gateway.broker import Try
from gateway.conversations import Bound
from gateway.people import as_caller
from gateway.question import Kind
from tests.chats import (
    CHANNEL,
    KEVIN,
    PRODUCTION,
    THREAD,
    Chats,
    edited,
    texts,
)
from tests.strategies_reply import field

if TYPE_CHECKING:
    from collections.abc import Callable


# Delivered again


async def test_dd_01_a_message_delivered_four_times_answers_and_is_confirmed_once(
    chats: Chats,
) -> None:
    """DD-01: every delivery is safe to acknowledge, the first alone is told."""
    ask = await chats.open(where=THREAD)
    message = await chats.typed("2", where=THREAD)
    said = [texts(await chats.hand(message)) for _ in range(4)]
    assert said == [["Got it: Production."], [], [], []]
    assert await ask.values() == PRODUCTION


async def test_dd_03_a_retry_hours_later_on_another_replica_says_nothing(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """DD-03: no memory of one process is needed to know a message again."""
    await chats.open(where=THREAD)
    message = await chats.typed("1", where=THREAD)
    await chats.hand(message)
    advance(timedelta(hours=5))
    assert texts(await chats.replica().hand(message)) == []


async def test_dd_04_one_message_in_two_envelopes_is_one_try(chats: Chats) -> None:
    """DD-04: the message names the try, whatever envelope it came in; refusals likewise."""
    ask = await chats.open(where=THREAD)
    message = await chats.typed("9", where=THREAD)
    said = [texts(await replica.hand(message)) for replica in (chats, chats.replica())]
    assert [len(one) for one in said] == [1, 0]
    assert await ask.status() == "pending"


async def test_dd_05_a_message_announced_again_unchanged_changes_nothing(chats: Chats) -> None:
    """DD-05: without a new edit it is the same event, and the platform's own news are none."""
    ask = await chats.open(field(Kind.TEXT, "pick"), where=THREAD)
    message = await chats.typed("Aurora", where=THREAD)
    await chats.hand(message)
    assert texts(await chats.hand(replace(message, text="Aurora"))) == []
    assert await ask.values() == {"pick": "Aurora"}


async def test_the_receipt_is_said_at_the_next_delivery_when_the_first_died_before(
    chats: Chats,
) -> None:
    """The answer was stored and nothing said: the retry is told what was taken, once."""
    ask = await chats.open()
    message = await chats.typed("2")
    record = await ask.record()
    await chats.conversations.bind(event_of(message), Bound((ask.id,)))
    await chats.broker.answer(
        as_caller(KEVIN),
        record.ask.id,
        {"pick": Picked(("o2",))},
        Try(event_of(message), "slack", f"D1/{message.message}"),
    )
    said = [texts(await chats.hand(message)) for _ in range(2)]
    assert said == [["Got it: Production."], []]


async def test_the_same_message_on_two_replicas_at_once_is_told_once(chats: Chats) -> None:
    """Both may settle with the same try; one of them says so."""
    await chats.open()
    message = await chats.typed("2")
    both = await asyncio.gather(chats.hand(message), chats.replica().hand(message))
    assert sorted(len(one.tells) for one in both) == [0, 1]


async def test_a_second_press_of_the_same_answer_is_no_news(chats: Chats) -> None:
    """RF-03: after a restart too, the first press is confirmed and the second says nothing."""
    ask = await chats.open()
    assert texts(await ask.press("o1")) == ["Got it: Staging."]
    assert texts(await chats.replica().hand(await ask.pressed("o1"))) == []


async def test_a_press_delivered_again_is_told_once(chats: Chats) -> None:
    """A platform's retry of a press is the same try."""
    ask = await chats.open()
    press = await ask.pressed("o1", event="E1")
    assert [len((await chats.hand(press)).tells) for _ in range(3)] == [1, 0, 0]


# Edits


async def test_an_edit_of_a_refused_reply_is_read_as_a_new_one(chats: Chats) -> None:
    """It stays with its ask, and answers it."""
    ask = await chats.open()
    message = await chats.typed("7")
    assert texts(await chats.hand(message)) == [
        'There is no option 7. Reply 1, 2 or 3, or "other: 7" to answer with 7.'
    ]
    assert texts(await chats.hand(edited(message, "2"))) == ["Got it: Production."]
    assert await ask.values() == PRODUCTION


async def test_an_edit_of_the_answer_changes_nothing_and_is_told_once(chats: Chats) -> None:
    """Whoever changes what was taken learns that it was, however often they change it."""
    ask = await chats.open()
    message = await chats.typed("2")
    await chats.hand(message)
    said = [texts(await chats.hand(edited(message, "1", edit))) for edit in ("1", "2")]
    assert [len(one) for one in said] == [1, 0]
    assert "already taken" in said[0][0]
    assert await ask.values() == PRODUCTION


async def test_an_edit_stays_with_the_ask_its_message_was_bound_to(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Words of one question never become another's by an edit."""
    first = await chats.open()
    message = await chats.typed("9")
    await chats.hand(message)
    advance(timedelta(seconds=1))
    second = await chats.open()
    response = await chats.hand(edited(message, f"{second.code} 2"))
    assert texts(response) == [
        f"An edited message stays with its question. Write a new one for {second.code}."
    ]
    assert (await first.status(), await second.status()) == ("pending", "pending")


async def test_an_edit_need_not_say_again_what_it_belongs_to(chats: Chats) -> None:
    """Some platforms leave the reply mark out when they announce an edit."""
    ask = await chats.open(where=CHANNEL)
    message = await chats.typed("7", where=CHANNEL, reply_to=ask.post)
    assert len((await chats.hand(message)).tells) == 1
    changed = replace(edited(message, "2"), reply_to=None)
    assert texts(await chats.hand(changed)) == ["Got it: Production."]


async def test_an_edit_that_comes_first_says_what_its_message_belongs_to(chats: Chats) -> None:
    """For the edits after it, and for the message itself, which may have been held up."""
    ask = await chats.open(where=CHANNEL)
    message = await chats.typed("8", where=CHANNEL, reply_to=ask.post)
    changed = edited(message, "7", "1")
    assert len((await chats.hand(changed)).tells) == 1
    unmarked = replace(message, reply_to=None)
    assert len((await chats.hand(unmarked)).tells) == 1
    assert texts(await chats.hand(edited(unmarked, "2", "2"))) == ["Got it: Production."]


async def test_talk_that_is_edited_stays_talk(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """A message that belonged to no ask does not answer one that came later."""
    message = await chats.typed("1", where=THREAD)
    await chats.hand(message)
    advance(timedelta(seconds=1))
    ask = await chats.open(where=THREAD)
    assert texts(await chats.hand(edited(message, "2"))) == []
    assert await ask.status() == "pending"


async def test_of_messages_on_several_replicas_at_once_no_part_is_lost(chats: Chats) -> None:
    """Each is read again with what the others have kept meanwhile."""
    names = [f"part {number}" for number in range(6)]
    ask = await chats.open(*(field(Kind.TEXT, name) for name in names))
    said = [await chats.typed(f"{name}: word") for name in names]
    told = await asyncio.gather(*(chats.replica().hand(one) for one in said))
    assert await ask.values() == dict.fromkeys(names, "word")
    assert sum("Got it." in text for one in told for text in texts(one)) == 1
