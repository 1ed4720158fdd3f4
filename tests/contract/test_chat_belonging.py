"""Which ask a message in a chat belongs to, over every back end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from channels.contract import (
    Destination,
    Drop,
    Send,
)
from channels.inbound.kept import event_of, kept_name
from tests.chats import (
    CHANNEL,
    DIRECT,
    PRODUCTION,
    THREAD,
    U2,
    U9,
    Chats,
    public,
    texts,
)
from tests.strategies_reply import WHERE, choice

if TYPE_CHECKING:
    from collections.abc import Callable


# Which ask


async def test_a_message_sent_before_the_ask_appeared_is_never_its_answer(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """By the platform's clock, however late it is delivered."""
    early = await chats.typed("1")
    advance(timedelta(seconds=2))
    ask = await chats.open()
    assert texts(await chats.hand(early)) == []
    assert await ask.status() == "pending"


async def test_a_reply_to_a_post_that_nobody_recorded_finds_its_ask(chats: Chats) -> None:
    """The ask joined its conversation before it was posted."""
    ask = await chats.open(posted=False)
    assert texts(await chats.reply("2")) == ["Got it: Production."]
    assert await ask.values() == PRODUCTION


async def test_with_several_waiting_the_words_are_kept_until_one_is_named(chats: Chats) -> None:
    """No guess is made: the author picks from a list, by one press, and nobody else can."""
    first, second = await chats.open(), await chats.open()
    listed = await chats.reply("2")
    (tell,) = listed.tells
    assert tell.text.startswith('2 questions wait here. Which one is "2" for?')
    controls = {button.word: button.control for button in tell.buttons}
    assert set(controls) == {first.code, second.code}
    send = controls[second.code]
    assert texts(await second.press(send, by=U2)) == [
        "Only the one who wrote that message can send it."
    ]
    assert texts(await second.press(send)) == ["Got it: Production."]
    assert texts(await second.press(send)) == []
    assert (await first.status(), await second.values()) == ("pending", PRODUCTION)


@pytest.mark.parametrize(
    "elsewhere", [CHANNEL, replace(DIRECT, channel="teams")], ids=["conversation", "channel"]
)
@pytest.mark.parametrize("control", [Send, Drop])
async def test_a_kept_message_is_its_authors_in_its_own_place_alone(
    chats: Chats, elsewhere: Destination, control: type[Send | Drop]
) -> None:
    """The same id on another platform is another person; a name of kept words opens nothing."""
    ask = await chats.open()
    await chats.open()
    message = await chats.typed("2")
    await chats.hand(message)
    press = await ask.pressed(control(kept_name(message)))
    assert texts(await chats.hand(replace(press, where=elsewhere))) == [
        "Only the one who wrote that message can send it."
    ]
    assert await ask.status() == "pending"
    assert texts(await chats.hand(press)) in (["Got it: Production."], ["Nothing was sent."])


async def test_what_is_too_long_to_answer_anything_is_not_kept(chats: Chats) -> None:
    """With several waiting, a giant paste is refused at once, with its length."""
    await chats.open(choice(*WHERE))
    await chats.open(choice(*WHERE))
    (said,) = texts(await chats.reply("e" * 70_000))
    assert "yours has 70,000. Nothing was cut or sent." in said


async def test_talk_where_nothing_is_asked_leaves_nothing_behind(chats: Chats) -> None:
    """A busy channel fills no store; what is asked there later is still not answered by it."""
    before = await chats.typed("1", where=THREAD)
    await chats.hand(before)
    assert await chats.conversations.bound(event_of(before)) is None


async def test_a_code_names_one_of_several(chats: Chats) -> None:
    """`K7 blue` answers K7, whatever else waits."""
    first, second = await chats.open(), await chats.open()
    assert texts(await chats.reply(f"{second.code.lower()}: production")) == ["Got it: Production."]
    assert texts(await chats.reply(f"{first.id} 1")) == ["Got it: Staging."]


async def test_a_word_that_is_no_code_here_is_text(chats: Chats) -> None:
    """Only what is pending in this chat is called by a code."""
    ask = await chats.open()
    await chats.reply("Z9 rollback please")
    assert await ask.values() == {"pick": {"options": [], "write_in": "Z9 rollback please"}}


async def test_an_ask_keeps_its_code_in_a_conversation(chats: Chats) -> None:
    """Joining again, on any replica, gives the same code; another ask gets another."""
    ask, other = await chats.open(), await chats.open()
    record = await ask.record()
    again = await chats.replica().conversations.join(DIRECT.name, record.ask)
    assert again == ask.code
    assert ask.code != other.code


async def test_only_the_asks_own_thread_is_heard(chats: Chats) -> None:
    """RP-40: the same words at the top of the channel, or in another thread, are people talking."""
    ask = await chats.open(where=THREAD)
    for where in (CHANNEL, Destination("slack", "C1", "T9")):
        assert (await chats.reply("2", where=where)).tells == ()
    assert await ask.status() == "pending"
    assert texts(await chats.reply("2", where=THREAD)) == ["Got it: Production."]


async def test_a_mention_at_the_top_asks_back_when_the_ask_stands_in_a_thread(chats: Chats) -> None:
    """Spoken to, we are not silent; outside its thread, we do not guess."""
    ask = await chats.open(where=THREAD)
    response = await chats.reply("2", where=CHANNEL, addressed=True)
    assert [button.ask_id for tell in response.tells for button in tell.buttons] == [ask.id]
    assert await ask.status() == "pending"


async def test_a_thread_under_the_post_belongs_to_its_ask(chats: Chats) -> None:
    """The post is the thread's root."""
    ask = await chats.open(where=CHANNEL)
    thread = Destination("slack", "C1", ask.post)
    assert texts(await chats.reply("2", where=thread)) == ["Got it: Production."]


async def test_a_reply_to_a_settled_post_is_told_the_outcome_once(chats: Chats) -> None:
    """The reply mark names it, pending or not; who may see hears what, in public nobody does."""
    ask = await chats.open(where=THREAD)
    await ask.press("o2", by=U2)
    message = await chats.typed("1", where=THREAD, reply_to=ask.post)
    response = await chats.hand(message)
    when = (await ask.record()).settled_at
    assert when is not None
    assert texts(response)[0].startswith("Ana answered at ")
    assert texts(response)[0].endswith(": Production.")
    assert "Production" not in public(response)[0]
    assert (await chats.hand(message)).tells == ()


# What waited when it was written


async def test_a_reply_written_in_time_and_read_later_is_told_that_it_was_too_late(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """The gateway was down meanwhile: the ask had its end, and its author hears so."""
    ask = await chats.open(waits=timedelta(seconds=60))
    message = await chats.typed("2")
    advance(timedelta(minutes=2))
    await chats.broker.expire(await ask.record())
    (said,) = texts(await chats.replica().hand(message))
    assert said.startswith("This ended at ")


async def test_a_reply_to_one_of_two_is_not_taken_for_the_other_when_one_ends(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Two waited when it was written: which was meant is asked, although one waits by now."""
    first, second = await chats.open(), await chats.open()
    message = await chats.typed("2")
    advance(timedelta(seconds=1))
    await first.press("o1", by=U2)
    (tell,) = (await chats.hand(message)).tells
    assert tell.text.startswith('1 question waits here. Is "2" for it?')
    assert [button.ask_id for button in tell.buttons] == [second.id]
    assert await second.status() == "pending"


async def test_talk_after_the_answer_is_left_alone(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Thanks, and whatever the winner writes next, bring no news of what they did."""
    ask = await chats.open()
    await chats.reply("2")
    advance(timedelta(seconds=1))
    for text in ("thanks", "and now to lunch", "1"):
        assert (await chats.reply(text)).tells == ()
    assert await ask.values() == PRODUCTION


async def test_somebody_else_who_answers_just_after_the_end_is_told(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """They cannot have seen it yet; a while later the thread is theirs again."""
    await chats.open(where=THREAD)
    await chats.reply("2", where=THREAD)
    advance(timedelta(seconds=1))
    assert texts(await chats.reply("1", U2, THREAD))[0].startswith("Kevin answered at ")
    advance(timedelta(minutes=1))
    assert (await chats.reply("1", U2, THREAD)).tells == ()


async def test_a_conversation_forgets_what_ended_long_ago(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """Its index holds what waits, however many asks came and went by press alone."""
    for _ in range(40):
        await (await chats.open()).press("o1")
        advance(timedelta(minutes=1))
    assert len(await chats.store.joined(DIRECT.name)) <= 33
    advance(timedelta(minutes=30))
    assert await chats.conversations.waiting(DIRECT.name) == []
    assert await chats.store.joined(DIRECT.name) == {}


async def test_whoever_names_an_ask_that_ended_is_told_even_what_they_did_themselves(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """A reply to the post asks about it, whoever writes it and whatever it says."""
    ask = await chats.open(where=THREAD)
    await chats.reply("2", where=THREAD)
    advance(timedelta(seconds=1))
    (said,) = texts(await chats.reply("thanks", where=THREAD, reply_to=ask.post))
    assert said.startswith("You answered at ")
    (other,) = texts(await chats.reply(f"{ask.code} 1", U9, THREAD, reply_to=ask.post))
    assert other.startswith("Kevin answered at ")
    assert "Production" not in other
