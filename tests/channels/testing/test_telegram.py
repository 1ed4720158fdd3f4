"""The fake Telegram refuses what Telegram refuses, as the real library reports it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from telegram import (
    Bot,
    CopyTextButton,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    ReplyParameters,
    WebAppInfo,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    EndPointNotFound,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
)

from channels.testing.telegram import Telegram
from channels.testing.telegram.markup import units
from tests.channels.testing.telegram_bot import (
    ANA,
    BASIC,
    BEN,
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


async def test_a_post_stands_in_the_chat_with_its_buttons(pair: tuple[Telegram, Bot]) -> None:
    """What is posted can be looked at, as plain words and labels."""
    chat, bot = pair
    sent = await bot.send_message(
        GROUP, "<b>Which</b> &lt;one&gt;?", "HTML", reply_markup=keyboard([("Red", "p:1")])
    )
    [post] = chat.messages(GROUP)
    assert (post.id, post.text, post.controls[0].label) == (
        str(sent.message_id),
        "Which <one>?",
        "Red",
    )
    assert chat.count("sendMessage") == 1
    assert chat.calls[-1].payload["chat_id"] == int(GROUP)


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("x" * 4096, True),
        ("x" * 4097, False),
        ("😀" * 2048, True),
        ("😀" * 2049, False),
        ("<b>" + "x" * 4096 + "</b>", True),
        ("&lt;" * 4096, True),
    ],
)
async def test_a_text_is_measured_in_utf16_units_after_its_entities(
    pair: tuple[Telegram, Bot], text: str, fits: bool
) -> None:
    """4,096 units of what is left once the markup is read; more is refused."""
    _, bot = pair
    if fits:
        sent = await bot.send_message(ANA, text, "HTML")
        assert units(sent.text or "") == 4096
    else:
        with pytest.raises(BadRequest, match="essage is too long"):
            await bot.send_message(ANA, text, "HTML")
        sent = await bot.send_message(ANA, "short")
        with pytest.raises(BadRequest, match="Message_too_long"):
            await bot.edit_message_text(text, ANA, sent.message_id)


@pytest.mark.parametrize("text", ["", " \n ", "<b></b>", "\u202e"])
async def test_an_empty_text_is_refused(pair: tuple[Telegram, Bot], text: str) -> None:
    """A message has words."""
    with pytest.raises(BadRequest, match="essage text is empty"):
        await pair[1].send_message(ANA, text, "HTML")


@pytest.mark.parametrize(
    ("button", "why"),
    [
        ({"callback_data": "x" * 65}, "Button_data_invalid"),
        ({"callback_data": "é" * 33}, "Button_data_invalid"),
        ({}, "Text buttons are unallowed"),
        ({"callback_data": "a", "url": "https://oz.example"}, "Exactly one action"),
        ({"url": "http://localhost:8337/ask"}, "Wrong HTTP URL"),
        ({"copy_text": CopyTextButton("x" * 257)}, "Button_copy_text_invalid"),
        ({"web_app": WebAppInfo("https://oz.example")}, "Button_type_invalid"),
        ({"web_app": WebAppInfo("http://oz.example")}, "Button_type_invalid"),
        ({"callback_data": "a", "style": "pink"}, "Invalid button style"),
    ],
)
async def test_a_button_telegram_would_not_draw_is_refused(
    pair: tuple[Telegram, Bot], button: dict[str, object], why: str
) -> None:
    """Data of more than 64 bytes, no action or two, addresses that lead nowhere."""
    markup = InlineKeyboardMarkup([[InlineKeyboardButton("Go", **button)]])  # type: ignore[arg-type]
    with pytest.raises(BadRequest, match=f"(?i){why}"):
        await pair[1].send_message(GROUP, "?", reply_markup=markup)


@pytest.mark.parametrize(
    "rows",
    [[[("x", "x")]] * 101, [[("x", "x")] * 9]],
    ids=["101 buttons", "9 in a row"],
)
async def test_a_keyboard_that_is_too_large_is_refused(
    pair: tuple[Telegram, Bot], rows: list[list[tuple[str, str]]]
) -> None:
    """A hundred buttons at most, eight in a row."""
    with pytest.raises(BadRequest, match="markup is too long"):
        await pair[1].send_message(GROUP, "?", reply_markup=keyboard(*rows))
    await pair[1].send_message(GROUP, "?", reply_markup=keyboard(*[[("x", "x")]] * 100))


async def test_a_button_without_words_is_left_out(pair: tuple[Telegram, Bot]) -> None:
    """The server drops it in silence, so that whoever draws one sees an option missing."""
    chat, bot = pair
    await bot.send_message(GROUP, "?", reply_markup=keyboard([("", "a"), ("B", "b")]))
    assert [one.label for one in chat.messages(GROUP)[0].controls] == ["B"]


async def test_an_edit_without_a_keyboard_takes_it_off(pair: tuple[Telegram, Bot]) -> None:
    """And the message says that it was edited."""
    chat, bot = pair
    sent = await bot.send_message(ANA, "?", reply_markup=keyboard([("Red", "r")]))
    await bot.edit_message_text("Answered: red.", ANA, sent.message_id)
    [post] = chat.messages(ANA)
    assert (post.text, post.controls, post.edited) == ("Answered: red.", (), True)


async def test_an_edit_of_only_the_keyboard_keeps_the_words(pair: tuple[Telegram, Bot]) -> None:
    """Empty markup removes the buttons."""
    chat, bot = pair
    sent = await bot.send_message(ANA, "?", reply_markup=keyboard([("Red", "r")]))
    await bot.edit_message_reply_markup(ANA, sent.message_id, reply_markup=None)
    assert (chat.messages(ANA)[0].text, chat.messages(ANA)[0].controls) == ("?", ())


async def test_an_edit_that_changes_nothing_is_refused(pair: tuple[Telegram, Bot]) -> None:
    """The same words and keyboard are no edit."""
    _, bot = pair
    sent = await bot.send_message(ANA, "?", reply_markup=keyboard([("Red", "r")]))
    with pytest.raises(BadRequest, match="essage is not modified"):
        await bot.edit_message_text(
            "<b></b>?", ANA, sent.message_id, parse_mode="HTML", reply_markup=sent.reply_markup
        )


async def test_only_own_messages_that_are_there_can_be_edited(
    pair: tuple[Telegram, Bot],
) -> None:
    """A deleted post is not found; somebody else's cannot be edited."""
    chat, bot = pair
    sent = await bot.send_message(GROUP, "?")
    chat.delete(GROUP, str(sent.message_id))
    with pytest.raises(BadRequest, match="essage to edit not found"):
        await bot.edit_message_text("!", GROUP, sent.message_id)
    theirs = await chat.type(ANA, GROUP, "hello")
    with pytest.raises(BadRequest, match="essage can't be edited"):
        await bot.edit_message_text("!", GROUP, int(theirs))


async def test_a_message_is_deleted_within_two_days_only() -> None:
    """48 hours, by the platform's clock."""
    now = time.time()
    async with connected(now=lambda: now) as (chat, bot):
        fresh, old = await bot.send_message(ANA, "1"), await bot.send_message(ANA, "2")
        assert await bot.delete_message(ANA, fresh.message_id)
        with pytest.raises(BadRequest, match="essage to delete not found"):
            await bot.delete_message(ANA, fresh.message_id)
        now += 48 * 3600 + 1
        with pytest.raises(BadRequest, match="essage can't be deleted"):
            await bot.delete_message(ANA, old.message_id)
        assert [one.text for one in chat.messages(ANA)] == ["2"]


async def test_unknown_chats_and_tokens_are_refused(pair: tuple[Telegram, Bot]) -> None:
    """404 for a malformed token, 401 for a wrong one: the library calls both invalid."""
    chat, bot = pair
    with pytest.raises(BadRequest, match="hat not found"):
        await bot.send_message(4711, "?")
    for token in ("nonsense", "123:AAwrong"):
        with pytest.raises(InvalidToken):
            await Bot(token, base_url=chat.base_url).__aenter__()
    chat.revoke()
    with pytest.raises(InvalidToken, match="Unauthorized"):
        await bot.get_me()
    assert chat.calls[-1].refused == "Unauthorized"


async def test_what_the_fake_does_not_know_it_says(pair: tuple[Telegram, Bot]) -> None:
    """Telegram has it, so it is refused as nothing that Telegram refuses: nobody builds on that."""
    _, bot = pair
    for call in (
        bot.send_photo(ANA, "AgACAgQ"),
        bot.send_poll(ANA, "Which?", ["red", "blue"]),
        bot.send_message(ANA, "*Which?*", parse_mode="Markdown"),
    ):
        with pytest.raises(NetworkError, match="the fake Telegram does not know"):
            await call
    sent = await bot.send_message(ANA, "*Which?*", parse_mode="MarkdownV2")
    assert (sent.text, [one.type for one in sent.entities]) == ("Which?", ["bold"])


async def test_a_private_chat_is_closed_until_it_is_started(pair: tuple[Telegram, Bot]) -> None:
    """Not started, blocked, deleted: each is forbidden in its own words."""
    chat, bot = pair
    with pytest.raises(Forbidden, match="ot can't initiate conversation"):
        await bot.send_message(BEN, "?")
    await chat.start(BEN, "link-K7")
    assert (await bot.send_message(BEN, "?")).text == "?"
    chat.block(BEN)
    with pytest.raises(Forbidden, match="ot was blocked by the user"):
        await bot.send_message(BEN, "?")
    chat.deactivate(ANA)
    with pytest.raises(Forbidden, match="ser is deactivated"):
        await bot.send_message(ANA, "?")


async def test_a_group_that_put_the_bot_out_is_closed(pair: tuple[Telegram, Bot]) -> None:
    """Posting and editing are forbidden, until it is taken in again."""
    chat, bot = pair
    sent = await bot.send_message(GROUP, "?")
    chat.remove_bot(GROUP)
    with pytest.raises(Forbidden, match="kicked from the supergroup chat"):
        await bot.send_message(GROUP, "?")
    with pytest.raises(Forbidden, match="kicked from the supergroup chat"):
        await bot.edit_message_text("!", GROUP, sent.message_id)
    chat.add_bot(GROUP)
    assert await bot.edit_message_text("!", GROUP, sent.message_id)
    chat.mute(GROUP)
    with pytest.raises(BadRequest, match="ot enough rights to send text messages"):
        await bot.send_message(GROUP, "?")
    assert await bot.leave_chat(BASIC)
    with pytest.raises(Forbidden, match="not a member of the group chat"):
        await bot.send_message(BASIC, "?")


async def test_a_group_that_was_upgraded_names_its_new_id(pair: tuple[Telegram, Bot]) -> None:
    """Posts must go to the supergroup; what stands in the old group stays as it was."""
    chat, bot = pair
    old = await bot.send_message(BASIC, "?")
    new = chat.migrate(BASIC)
    with pytest.raises(ChatMigrated) as moved:
        await bot.send_message(BASIC, "?")
    assert str(moved.value.new_chat_id) == new
    with pytest.raises(BadRequest, match="essage can't be edited"):
        await bot.edit_message_text("!", BASIC, old.message_id)
    assert await bot.send_message(new, "?") is not None
    told = [one.message for one in await updates(bot) if one.message]
    assert [(one.migrate_to_chat_id, one.migrate_from_chat_id) for one in told] == [
        (int(new), None),
        (None, int(BASIC)),
    ]


async def test_topics_are_open_closed_or_gone(pair: tuple[Telegram, Bot]) -> None:
    """A post goes into a topic that is open; the general one has no number."""
    chat, bot = pair
    topic = chat.topic(FORUM, "Deploys")
    sent = await bot.send_message(FORUM, "?", message_thread_id=int(topic))
    assert sent.is_topic_message
    assert chat.messages(FORUM)[0].thread == topic
    assert not (await bot.send_message(FORUM, "general")).is_topic_message
    for wrong in (1, 99):
        with pytest.raises(BadRequest, match="essage thread not found"):
            await bot.send_message(FORUM, "?", message_thread_id=wrong)
    with pytest.raises(BadRequest, match="essage thread not found"):
        await bot.send_message(GROUP, "?", message_thread_id=sent.message_id)
    chat.close_topic(FORUM, topic)
    with pytest.raises(BadRequest, match="Topic_closed"):
        await bot.send_message(FORUM, "?", message_thread_id=int(topic))
    chat.close_topic(FORUM, topic, delete=True)
    with pytest.raises(BadRequest, match="essage thread not found"):
        await bot.send_message(FORUM, "?", message_thread_id=int(topic))


async def test_a_reply_needs_what_it_replies_to(pair: tuple[Telegram, Bot]) -> None:
    """Unless it may be sent without."""
    chat, bot = pair
    asked = await chat.type(ANA, ANA, "which?")
    sent = await bot.send_message(ANA, "this", reply_parameters=ReplyParameters(int(asked)))
    assert sent.reply_to_message
    assert sent.reply_to_message.text == "which?"
    with pytest.raises(BadRequest, match="essage to be replied not found"):
        await bot.send_message(ANA, "this", reply_parameters=ReplyParameters(999))
    without = ReplyParameters(999, allow_sending_without_reply=True)
    assert (await bot.send_message(ANA, "this", reply_parameters=without)).reply_to_message is None


async def test_a_forced_reply_is_for_new_messages_outside_channels(
    pair: tuple[Telegram, Bot],
) -> None:
    """An edit takes an inline keyboard only, and so does a channel."""
    _, bot = pair
    sent = await bot.send_message(ANA, "When?", reply_markup=ForceReply())
    with pytest.raises(BadRequest, match="nline keyboard expected"):
        await bot.edit_message_text(
            "When?!",
            ANA,
            sent.message_id,
            reply_markup=ForceReply(),  # type: ignore[arg-type]
        )
    with pytest.raises(BadRequest, match="nline keyboard expected"):
        await bot.send_message(NEWS, "When?", reply_markup=ForceReply())
    with pytest.raises(BadRequest, match=r"(?i)placeholder"):
        await bot.send_message(
            ANA, "When?", reply_markup=ForceReply(input_field_placeholder="x" * 65)
        )


async def test_a_channel_is_written_to_by_admins(pair: tuple[Telegram, Bot]) -> None:
    """The bot too; its posts there have no author."""
    chat, bot = pair
    sent = await bot.send_message(NEWS, "?")
    assert sent.from_user is None
    chat.people.world.chat(NEWS).standing[bot.id] = "member"
    with pytest.raises(BadRequest, match="eed administrator rights"):
        await bot.send_message(NEWS, "?")


async def test_a_method_that_is_not_there_is_not_found(pair: tuple[Telegram, Bot]) -> None:
    """As the server answers an unknown method."""
    with pytest.raises(EndPointNotFound):
        await pair[1].do_api_request("sendTelepathy")


async def test_commands_are_kept_and_checked(pair: tuple[Telegram, Bot]) -> None:
    """At most a hundred, of latin letters, with a description."""
    _, bot = pair
    await bot.set_my_commands([("pending", "What waits for you")])
    assert [one.command for one in await bot.get_my_commands()] == ["pending"]
    for word in ("no spaces", "Ärger", "Pending"):
        with pytest.raises(BadRequest, match=r"(?i)bot_command_invalid"):
            await bot.set_my_commands([(word, "?")])
    with pytest.raises(BadRequest, match=r"(?i)description"):
        await bot.set_my_commands([("pending", "x" * 257)])


async def test_what_a_bot_can_ask_about_a_chat(pair: tuple[Telegram, Bot]) -> None:
    """Its kind, somebody's standing in it, and whether privacy mode is on."""
    _, bot = pair
    assert (await bot.get_chat(FORUM)).is_forum
    assert (await bot.get_chat_member(GROUP, int(BEN))).status == "administrator"
    assert (await bot.get_chat_member(GROUP, 9)).status == "left"
    assert not (await bot.get_me()).can_read_all_group_messages
    with pytest.raises(BadRequest, match="nvalid user_id"):
        await bot.get_chat_member(GROUP, 4711)


async def test_faults_come_when_told_and_once(
    pair: tuple[Telegram, Bot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """429 with its seconds, 5xx, and an answer that is lost though the post was made."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # without it the library warns
    chat, bot = pair
    chat.limit("sendMessage", retry_after=3)
    with pytest.raises(RetryAfter) as slow:
        await bot.send_message(ANA, "1")
    assert slow.value.retry_after == timedelta(seconds=3)
    assert chat.calls[-1].refused == "Too Many Requests: retry after 3"
    chat.fail("sendMessage", status=502)
    with pytest.raises(NetworkError, match="Bad Gateway"):
        await bot.send_message(ANA, "2")
    chat.fail("sendMessage", lost=True)
    with pytest.raises(NetworkError):
        await bot.send_message(ANA, "3")
    await bot.send_message(ANA, "4")
    assert [one.text for one in chat.messages(ANA)] == ["3", "4"]
    async with chat.outage():
        with pytest.raises(NetworkError):
            await bot.send_message(ANA, "5")
    assert (await bot.send_message(ANA, "6")).text == "6"


async def test_the_sending_limits_are_held_when_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty at once in a chat, then it must wait; edits count."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    async with connected(rates=True) as (_, bot):
        sent = [await bot.send_message(ANA, str(count)) for count in range(19)]
        await bot.edit_message_text("!", ANA, sent[0].message_id)
        with pytest.raises(RetryAfter) as slow:
            await bot.edit_message_text("?", ANA, sent[0].message_id)
        assert isinstance(slow.value.retry_after, timedelta)
        assert 0 < slow.value.retry_after.total_seconds() <= 20
