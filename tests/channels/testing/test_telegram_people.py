"""On the fake Telegram people press, type, paste, edit, come and go, and the bot hears it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import BadRequest

from channels.testing.telegram import Telegram
from channels.testing.telegram.markup import units
from channels.testing.telegram.people import split
from tests.channels.testing.telegram_bot import (
    ANA,
    BASIC,
    BEN,
    CLEO,
    FORUM,
    GROUP,
    NEWS,
    connected,
    keyboard,
    updates,
)


@pytest.fixture
async def pair() -> AsyncIterator[tuple[Telegram, Bot]]:
    """A platform and a bot."""
    async with connected() as made:
        yield made


async def heard(bot: Bot) -> list[str]:
    """The words of the messages that wait for the bot."""
    return [one.message.text or "" for one in await updates(bot) if one.message]


# Presses


async def test_a_press_spins_until_it_is_answered(pair: tuple[Telegram, Bot]) -> None:
    """The bot gets its data and its message; the presser is told the answer's words."""
    chat, bot = pair
    await bot.send_message(GROUP, "Which?", reply_markup=keyboard([("Red", "p:1")]))
    await chat.press(ANA, chat.messages(GROUP)[0], "Red")
    assert [one.data for one in chat.spinning(ANA)] == ["p:1"]
    [update] = await updates(bot)
    query = update.callback_query
    assert query is not None
    assert query.message is not None
    assert (query.data, query.from_user.id, query.message.chat.id) == ("p:1", int(ANA), int(GROUP))
    await query.answer("Got it: red.", show_alert=True)
    assert chat.spinning() == []
    assert chat.told(ANA) == ["Got it: red."]
    assert chat.presses[0].alert


async def test_a_press_is_answered_once_in_time_and_in_200_units() -> None:
    """Longer, again, later or with a made-up id is refused."""
    async with connected(query_s=0.0) as (chat, bot):
        await bot.send_message(GROUP, "Which?", reply_markup=keyboard([("Red", "p:1")]))
        await chat.press(ANA, chat.messages(GROUP)[0], "Red")
        with pytest.raises(BadRequest, match="uery is too old"):
            await bot.answer_callback_query(chat.presses[0].id)
        assert chat.spinning()
    async with connected() as (chat, bot):
        await bot.send_message(GROUP, "Which?", reply_markup=keyboard([("Red", "p:1")]))
        await chat.press(ANA, chat.messages(GROUP)[0], "Red")
        with pytest.raises(BadRequest, match=r"(?i)message_too_long"):
            await bot.answer_callback_query(chat.presses[0].id, "x" * 201)
        await bot.answer_callback_query(chat.presses[0].id, "x" * 200)
        for wrong in (chat.presses[0].id, "4711"):
            with pytest.raises(BadRequest, match="uery is too old"):
                await bot.answer_callback_query(wrong)


async def test_a_press_on_an_old_view_still_arrives(pair: tuple[Telegram, Bot]) -> None:
    """The client of whoever was slow shows the buttons a moment longer."""
    chat, bot = pair
    sent = await bot.send_message(GROUP, "Which?", reply_markup=keyboard([("Red", "p:1")]))
    seen = chat.messages(GROUP)[0]
    await bot.edit_message_text("Answered.", GROUP, sent.message_id)
    await chat.press(ANA, seen, "Red")
    chat.out_of_reach(GROUP, seen.id)
    await chat.press(ANA, seen, "Red")
    first, second = [one.callback_query for one in await updates(bot)]
    assert first is not None
    assert second is not None
    assert first.message is not None
    assert first.message.is_accessible
    assert second.message is not None
    assert not second.message.is_accessible


async def test_what_cannot_be_pressed_is_not(pair: tuple[Telegram, Bot]) -> None:
    """Links, buttons that are off, other people's chats, posts that are gone."""
    chat, bot = pair
    link = InlineKeyboardButton("Open", url="https://oz.example/a")
    off = InlineKeyboardButton("Done", api_kwargs={"disabled": {}})
    await bot.send_message(GROUP, "Which?", reply_markup=InlineKeyboardMarkup([[link, off]]))
    [post] = chat.messages(GROUP)
    assert [(one.kind, one.enabled) for one in post.controls] == [("link", True), ("button", False)]
    await chat.press(ANA, post, "Open")
    await chat.press(ANA, post, "Done")
    assert chat.presses == []
    with pytest.raises(LookupError, match="no 'Blue' among"):
        await chat.press(ANA, post, "Blue")
    await bot.send_message(GROUP, "Which?", reply_markup=keyboard([("Red", "p:1")]))
    post = chat.messages(GROUP)[1]
    with pytest.raises(LookupError, match="not before 9"):
        await chat.press(CLEO, post, "Red")
    chat.delete(GROUP, post.id)
    with pytest.raises(LookupError, match="no message"):
        await chat.press(ANA, post, "Red")
    with pytest.raises(LookupError):
        await chat.choose(ANA, post, "Red", ["Red"])
    with pytest.raises(LookupError):
        await chat.submit(ANA, {})
    assert chat.form(ANA) is None


# Words


@pytest.mark.parametrize(
    ("text", "reaches"),
    [
        ("just talking", False),
        ("/pending", True),
        ("/pending@oz_test_bot", True),
        ("/pending@other_bot", False),
        ("hey @OZ_test_bot 3", True),
        ("mail me@oz_test_bot", False),
    ],
)
async def test_privacy_mode_lets_through_what_is_meant_for_the_bot(
    pair: tuple[Telegram, Bot], text: str, reaches: bool
) -> None:
    """Commands and mentions; talk between people stays theirs."""
    chat, bot = pair
    await chat.type(ANA, GROUP, text)
    assert (await heard(bot) == [text]) is reaches


async def test_a_reply_to_the_bot_reaches_it(pair: tuple[Telegram, Bot]) -> None:
    """With what it replies to; a reply to a person does not."""
    chat, bot = pair
    sent = await bot.send_message(GROUP, "Which?")
    theirs = await chat.type(BEN, GROUP, "hm")
    await chat.type(ANA, GROUP, "red", reply_to=str(sent.message_id))
    await chat.type(ANA, GROUP, "blue", reply_to=theirs)
    [update] = await updates(bot)
    assert update.message is not None
    assert update.message.text == "red"
    assert update.message.reply_to_message == sent
    # A supergroup names a thread for replies, forum or not.
    assert update.message.message_thread_id == sent.message_id
    assert not update.message.is_topic_message


async def test_privacy_takes_hold_when_the_bot_comes_in(pair: tuple[Telegram, Bot]) -> None:
    """Switching it off changes nothing in a group until the bot is added again, or made admin."""
    chat, bot = pair
    chat.world.privacy = False
    await chat.type(ANA, GROUP, "one")
    assert (await bot.get_me()).can_read_all_group_messages
    assert await heard(bot) == []
    chat.remove_bot(GROUP)
    chat.add_bot(GROUP)
    await chat.type(ANA, GROUP, "two")
    chat.admin(BASIC)
    await chat.type(ANA, BASIC, "three")
    assert [one for one in await heard(bot) if one] == ["two", "three"]


async def test_bots_and_outsiders_are_not_heard(pair: tuple[Telegram, Bot]) -> None:
    """Telegram never shows a bot what another bot says."""
    chat, bot = pair
    chat.person("99", "Relay", is_bot=True)
    chat.join(GROUP, "99")
    await chat.type("99", GROUP, "@oz_test_bot red")
    assert [one for one in await heard(bot) if one] == []
    with pytest.raises(LookupError, match="may not write"):
        await chat.type(CLEO, GROUP, "red")


async def test_messages_in_a_topic_hang_on_the_topics_first(pair: tuple[Telegram, Bot]) -> None:
    """Each names the message that made the topic, though it replies to nothing."""
    chat, bot = pair
    topic = chat.topic(FORUM, "Deploys")
    await chat.type(ANA, FORUM, "/pending", thread=topic)
    made, command = [one.message for one in await updates(bot)]
    assert made is not None
    assert made.forum_topic_created is not None
    assert command is not None
    assert command.is_topic_message
    assert command.message_thread_id == int(topic)
    assert command.reply_to_message is not None
    assert command.reply_to_message.message_id == made.message_id
    with pytest.raises(LookupError, match="no topic"):
        await chat.type(ANA, FORUM, "x", thread="77")


async def test_a_long_paste_arrives_in_parts(pair: tuple[Telegram, Bot]) -> None:
    """Each within 4,096 units, one after another, all replies to the same."""
    chat, bot = pair
    sent = await bot.send_message(ANA, "Tell me more")
    words = "word " * 2000
    await chat.type(ANA, ANA, words, reply_to=str(sent.message_id))
    parts = [one.message for one in await updates(bot)]
    assert len(parts) == 3
    assert " ".join(one.text or "" for one in parts if one) == words.strip()
    assert {one.reply_to_message for one in parts if one} == {sent}


@given(st.text(alphabet=st.sampled_from("aé😀 \n"), min_size=1, max_size=9000))
def test_a_paste_loses_nothing_but_space(text: str) -> None:
    """Every visible character arrives, in order, in parts that fit."""
    parts = split(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(0 < units(part) <= 4096 for part in parts)


async def test_an_edit_arrives_as_an_edit(pair: tuple[Telegram, Bot]) -> None:
    """With the message's own id and the time of the edit."""
    chat, bot = pair
    written = await chat.type(ANA, ANA, "red")
    await chat.edit(ANA, ANA, written, "blue")
    edited = (await updates(bot))[1].edited_message
    assert edited is not None
    assert (edited.message_id, edited.text) == (int(written), "blue")
    assert edited.edit_date is not None
    with pytest.raises(LookupError):
        await chat.edit(BEN, ANA, written, "green")


async def test_pictures_anonymous_admins_and_channels(pair: tuple[Telegram, Bot]) -> None:
    """A picture has no text; an anonymous admin and a channel have no person."""
    chat, bot = pair
    await chat.photo(ANA, ANA, "look")
    chat.admin(GROUP, BEN, anonymous=True)
    await chat.type(BEN, GROUP, "/pending")
    await chat.type(ANA, NEWS, "extra")
    picture, command, post = await updates(bot)
    assert picture.message is not None
    assert (picture.message.text, picture.message.caption) == (None, "look")
    assert command.message is not None
    assert command.message.from_user is not None
    assert command.message.from_user.username == "GroupAnonymousBot"
    assert command.message.sender_chat is not None
    assert command.message.sender_chat.id == int(GROUP)
    assert post.channel_post is not None
    assert post.channel_post.from_user is None
    assert chat.messages(GROUP)[0].author == GROUP


# Coming and going


async def test_the_bot_hears_where_it_stands(pair: tuple[Telegram, Bot]) -> None:
    """Thrown out, taken in, blocked and let in again."""
    chat, bot = pair
    chat.remove_bot(GROUP)
    chat.add_bot(GROUP)
    chat.block(ANA)
    await chat.start(ANA)
    changes = [one.my_chat_member for one in await updates(bot) if one.my_chat_member]
    assert [(str(one.chat.id), one.new_chat_member.status) for one in changes] == [
        (GROUP, "kicked"),
        (GROUP, "member"),
        (ANA, "kicked"),
        (ANA, "member"),
    ]


async def test_others_coming_and_going_is_told_in_the_group(pair: tuple[Telegram, Bot]) -> None:
    """As service messages, in privacy mode too."""
    chat, bot = pair
    chat.join(GROUP, CLEO)
    chat.leave(GROUP, CLEO)
    came, went = [one.message for one in await updates(bot)]
    assert came is not None
    assert [one.first_name for one in came.new_chat_members] == ["Cleo"]
    assert went is not None
    assert went.left_chat_member is not None
    assert chat.messages(GROUP) == []


async def test_a_blocked_bot_hears_nothing_from_them(pair: tuple[Telegram, Bot]) -> None:
    """Who blocked it cannot write to it."""
    chat, _ = pair
    chat.block(ANA)
    with pytest.raises(LookupError, match="blocked"):
        await chat.type(ANA, ANA, "red")


async def test_the_page_shows_the_chat(pair: tuple[Telegram, Bot]) -> None:
    """Words escaped, entities as tags, buttons in their rows."""
    chat, bot = pair
    markup = InlineKeyboardMarkup(
        [[InlineKeyboardButton("Yes", callback_data="y", style="success")]]
    )
    sent = await bot.send_message(GROUP, "<b>A &lt; B</b> 😀 <i>c</i>", "HTML", reply_markup=markup)
    await chat.type(ANA, GROUP, "<script>", reply_to=str(sent.message_id))
    page = chat.html(GROUP)
    assert "<b>A &lt; B</b> 😀 <i>c</i>" in page
    assert '<span class="success">Yes</span>' in page
    assert "&lt;script&gt;" in page
