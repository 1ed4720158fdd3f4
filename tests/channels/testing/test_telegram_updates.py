"""The fake Telegram delivers: by long polling until confirmed, and to a webhook until taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from telegram import Bot, Update
from telegram.error import BadRequest, Conflict, NetworkError
from telegram.ext import Application, ContextTypes, MessageHandler, filters

from channels.testing.telegram import Telegram
from tests.channels.testing.telegram_bot import (
    ANA,
    CLEO,
    GROUP,
    a_bot,
    connected,
    keyboard,
    updates,
)

PUBLIC = "https://oz.example/telegram"
SECRET = "s3cret_-"


@pytest.fixture
async def pair() -> AsyncIterator[tuple[Telegram, Bot]]:
    """A platform and a bot."""
    async with connected() as made:
        yield made


class Hook:
    """Our end of a webhook. `answers` are the statuses of the next posts; then 200."""

    def __init__(self) -> None:
        self.posts: list[tuple[str | None, dict[str, Any]]] = []
        self.answers: list[web.Response] = []

    async def take(self, request: web.Request) -> web.Response:
        secret = request.headers.get("X-Telegram-Bot-Api-Secret-Token")
        self.posts.append((secret, await request.json()))
        return self.answers.pop(0) if self.answers else web.Response()

    @property
    def words(self) -> list[str]:
        return [body["message"]["text"] for _, body in self.posts]


@asynccontextmanager
async def hooked(chat: Telegram) -> AsyncIterator[Hook]:
    """A webhook that the public address leads to."""
    hook = Hook()
    app = web.Application()
    app.router.add_post("/in", hook.take)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    chat.lead(PUBLIC, f"http://{host}:{port}/in")
    try:
        yield hook
    finally:
        await runner.cleanup()


# Asked for


async def test_an_update_comes_until_a_higher_offset_confirms_it(
    pair: tuple[Telegram, Bot],
) -> None:
    """Asking again without an offset gives the same again."""
    chat, bot = pair
    await chat.type(ANA, ANA, "one")
    await chat.type(ANA, ANA, "two")
    first = await updates(bot)
    assert await updates(bot) == first
    assert [one.message.text for one in await updates(bot, first[1].update_id) if one.message] == [
        "two"
    ]
    assert await updates(bot, -1) == first[1:]
    assert await updates(bot, first[1].update_id + 1) == []


async def test_a_long_poll_answers_as_soon_as_there_is_something(
    pair: tuple[Telegram, Bot],
) -> None:
    """It waits, and returns with what came."""
    chat, bot = pair
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await chat.until(lambda: chat.polling)
    await chat.type(ANA, ANA, "one")
    assert [one.message.text for one in await poll if one.message] == ["one"]


async def test_a_second_poller_ends_the_first(pair: tuple[Telegram, Bot]) -> None:
    """The one that waited gets the conflict."""
    chat, bot = pair
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await chat.until(lambda: chat.polling)
    # The library has one connection for polls, so the other one is another's.
    async with a_bot(chat) as other:
        assert await updates(other) == []
    with pytest.raises(Conflict, match=r"(?i)terminated by other getUpdates"):
        await poll


async def test_only_the_kinds_asked_for_come_and_that_sticks(pair: tuple[Telegram, Bot]) -> None:
    """Until it is set anew; an empty list resets it."""
    chat, bot = pair
    await bot.get_updates(allowed_updates=["callback_query"], timeout=0)
    await chat.type(ANA, ANA, "unheard")
    assert await updates(bot) == []
    await bot.get_updates(allowed_updates=[], timeout=0)
    await chat.type(ANA, ANA, "heard")
    [update] = await updates(bot)
    assert update.message is not None
    assert update.message.text == "heard"


async def test_what_was_taken_can_come_again(pair: tuple[Telegram, Bot]) -> None:
    """With its old id, once, however high the offset."""
    chat, bot = pair
    await chat.type(ANA, ANA, "one")
    [first] = await updates(bot)
    assert await updates(bot, first.update_id + 1) == []
    chat.repeat()
    assert await updates(bot, first.update_id + 1) == [first]
    assert await updates(bot, first.update_id + 1) == []


async def test_updates_are_held_and_come_in_another_order(pair: tuple[Telegram, Bot]) -> None:
    """On demand, the last first."""
    chat, bot = pair
    async with chat.held(reverse=True):
        await chat.type(ANA, ANA, "one")
        await chat.type(CLEO, CLEO, "two")
        assert await updates(bot) == []
    assert [one.message.text for one in await updates(bot) if one.message] == ["two", "one"]


async def test_a_long_poll_can_be_cut(pair: tuple[Telegram, Bot]) -> None:
    """By itself, or with all of the platform away; nothing is lost."""
    chat, bot = pair
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await chat.until(lambda: chat.polling)
    chat.cut_polls()
    with pytest.raises(NetworkError):
        await poll
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await chat.until(lambda: chat.polling)
    async with chat.outage():
        with pytest.raises(NetworkError):
            await poll
        await chat.type(ANA, ANA, "one")
    assert len(await updates(bot)) == 1


async def test_the_librarys_own_loop_runs_on_it() -> None:
    """Polling, a handler, a reply, and the update confirmed."""
    async with connected() as (chat, _):

        async def echo(update: Update, _: ContextTypes.DEFAULT_TYPE) -> None:
            assert update.message is not None
            await update.message.reply_text(f"> {update.message.text}", do_quote=True)

        application = Application.builder().token(chat.token).base_url(chat.base_url).build()
        application.add_handler(MessageHandler(filters.TEXT, echo))
        async with application:
            assert application.updater is not None
            await application.start()
            await application.updater.start_polling(timeout=10)
            await chat.type(ANA, ANA, "hello")
            await chat.until(lambda: len(chat.messages(ANA)) == 2)
            await chat.until(lambda: not chat.updates.pending)
            await application.updater.stop()
            await application.stop()
        assert [one.text for one in chat.messages(ANA)] == ["hello", "> hello"]


# Posted


@pytest.mark.parametrize(
    ("url", "secret", "why"),
    [
        ("http://oz.example/telegram", SECRET, "HTTPS URL must be provided"),
        ("https://oz.example:8337/telegram", SECRET, "ports 80, 88, 443 or 8443"),
        (PUBLIC, "no spaces", "unallowed characters"),
    ],
)
async def test_a_webhook_telegram_would_not_post_to_is_refused(
    pair: tuple[Telegram, Bot], url: str, secret: str, why: str
) -> None:
    """No HTTPS, another port, a secret that fits no header."""
    with pytest.raises(BadRequest, match=rf"(?i){why}"):
        await pair[1].set_webhook(url, secret_token=secret)


async def test_a_webhook_gets_each_update_with_the_secret(pair: tuple[Telegram, Bot]) -> None:
    """What waited before, too; the body is an update."""
    chat, bot = pair
    async with hooked(chat) as hook:
        await chat.type(ANA, ANA, "before")
        await bot.set_webhook(PUBLIC, secret_token=SECRET)
        await chat.type(ANA, ANA, "after")
        await chat.until(lambda: not chat.updates.pending)
        assert hook.words == ["before", "after"]
        assert {secret for secret, _ in hook.posts} == {SECRET}
        assert Update.de_json(hook.posts[0][1], bot).update_id == hook.posts[0][1]["update_id"]
        info = await bot.get_webhook_info()
        assert (info.url, info.pending_update_count) == (PUBLIC, 0)


async def test_polling_beside_a_webhook_is_a_conflict(pair: tuple[Telegram, Bot]) -> None:
    """And an open poll ends when one is set; once it is gone, polling goes on."""
    chat, bot = pair
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await chat.until(lambda: chat.polling)
    async with hooked(chat):
        await bot.set_webhook(PUBLIC)
        with pytest.raises(Conflict, match=r"(?i)terminated by setWebhook"):
            await poll
        with pytest.raises(Conflict, match="webhook is active"):
            await bot.get_updates()
        await bot.delete_webhook()
        assert await updates(bot) == []


async def test_a_webhook_that_fails_is_tried_again() -> None:
    """The same update, at once and then later, before the next of its chat."""
    async with connected(retry_s=0.01) as (chat, bot), hooked(chat) as hook:
        hook.answers = [web.Response(status=500), web.Response(status=503)]
        await bot.set_webhook(PUBLIC)
        await chat.type(ANA, ANA, "one")
        await chat.type(ANA, ANA, "two")
        await chat.until(lambda: not chat.updates.pending)
        assert hook.words == ["one", "one", "one", "two"]
        assert len({body["update_id"] for _, body in hook.posts}) == 2
        info = await bot.get_webhook_info()
        assert info.last_error_message is not None
        assert "503" in info.last_error_message


async def test_a_webhook_says_when_to_try_again(pair: tuple[Telegram, Bot]) -> None:
    """`Retry-After` is honoured; other chats go on meanwhile."""
    chat, bot = pair
    async with hooked(chat) as hook:
        hook.answers = [web.Response(status=503, headers={"Retry-After": "3000"})]
        await bot.set_webhook(PUBLIC)
        await chat.type(ANA, ANA, "one")
        await chat.until(lambda: len(hook.posts) == 1 and chat.updates.webhook)
        await chat.type(CLEO, CLEO, "two")
        await chat.until(lambda: len(chat.updates.pending) == 1)
        assert hook.words == ["one", "two"]


async def test_a_webhook_that_answers_too_late_or_not_at_all_is_tried_again() -> None:
    """A connection that breaks is no answer."""
    async with connected(retry_s=0.01) as (chat, bot):
        chat.lead(PUBLIC, "http://127.0.0.1:1/in")
        await bot.set_webhook(PUBLIC)
        await chat.type(ANA, ANA, "one")
        async with hooked(chat) as hook:
            await chat.until(lambda: not chat.updates.pending)
            assert hook.words == ["one"]


async def test_a_press_and_a_message_come_on_separate_lines(pair: tuple[Telegram, Bot]) -> None:
    """A chat whose message waits does not hold up a press in it."""
    chat, bot = pair
    async with hooked(chat) as hook:
        await bot.send_message(ANA, "Which?", reply_markup=keyboard([("Red", "p:1")]))
        await bot.set_webhook(PUBLIC)
        hook.answers = [web.Response(status=503, headers={"Retry-After": "3000"})]
        await chat.type(ANA, ANA, "one")
        await chat.until(lambda: len(hook.posts) == 1)
        await chat.press(ANA, chat.messages(ANA)[0], "Red")
        await chat.until(lambda: len(chat.updates.pending) == 1)
        assert "callback_query" in hook.posts[1][1]


async def test_a_taken_update_can_be_posted_again(pair: tuple[Telegram, Bot]) -> None:
    """On demand, as where Telegram did not see our answer."""
    chat, bot = pair
    async with hooked(chat) as hook:
        await bot.set_webhook(PUBLIC)
        await chat.type(ANA, ANA, "one")
        await chat.until(lambda: not chat.updates.pending)
        chat.repeat()
        await chat.until(lambda: not chat.updates.pending)
        assert hook.posts[0] == hook.posts[1]


async def test_a_call_in_the_answer_of_a_webhook_is_done(pair: tuple[Telegram, Bot]) -> None:
    """Nobody hears how it went; methods that read or move the webhook are left alone."""
    chat, bot = pair
    async with hooked(chat) as hook:
        for call in (
            {"method": "sendMessage", "chat_id": int(GROUP), "text": "hi"},
            {"method": "sendMessage", "chat_id": 4711, "text": "hi"},
            {"method": "deleteWebhook"},
        ):
            hook.answers.append(
                web.Response(text=json.dumps(call), content_type="application/json")
            )
        await bot.set_webhook(PUBLIC)
        for word in ("one", "two", "three"):
            await chat.type(ANA, ANA, word)
        await chat.until(lambda: not chat.updates.pending)
        assert [one.text for one in chat.messages(GROUP)] == ["hi"]
        assert chat.updates.webhook is not None
