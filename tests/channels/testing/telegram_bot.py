"""A fake Telegram with Ana, Ben and a group on it, and the real library's bot connected to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, Update
from telegram.request import HTTPXRequest

from channels.testing.telegram import Telegram

ANA, BEN, CLEO = "7", "8", "9"
GROUP, BASIC, FORUM, NEWS = "-1001", "-55", "-1002", "-1009"


@asynccontextmanager
async def connected(**how: Any) -> AsyncIterator[tuple[Telegram, Bot]]:
    """The platform and a bot; Ana started it, Ben did not, Cleo is in no group."""
    async with Telegram(**how) as chat:
        chat.person(ANA, "Ana", username="ana_m", language="de")
        chat.person(BEN, "Ben", started=False)
        chat.person(CLEO, "Cleo")
        chat.group(GROUP, "Ops", members=[ANA], admins=[BEN])
        chat.group(BASIC, "Old friends", members=[ANA, BEN])
        chat.group(FORUM, "Forum", members=[ANA, BEN], forum=True)
        chat.channel(NEWS, "News", admins=[ANA])
        async with a_bot(chat) as bot:
            yield chat, bot


def a_bot(chat: Telegram) -> Bot:
    """The library's bot, not yet connected. Without TLS it need not read 200 KB of certificates."""
    plain = {"verify": False}
    return Bot(
        chat.token,
        base_url=chat.base_url,
        request=HTTPXRequest(connection_pool_size=32, httpx_kwargs=plain),
        get_updates_request=HTTPXRequest(httpx_kwargs=plain),
    )


def keyboard(*rows: list[tuple[str, str]]) -> InlineKeyboardMarkup:
    """Buttons by label and data."""
    return InlineKeyboardMarkup(
        [[InlineKeyboardButton(label, callback_data=data) for label, data in row] for row in rows]
    )


async def updates(bot: Bot, offset: int | None = None) -> list[Update]:
    """What waits for the bot, without waiting for it."""
    return list(await bot.get_updates(offset=offset, timeout=0))
