"""A gateway on the fake Telegram: Ana answers, Ben reads along, Cleo is nobody's account."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from channels.testing.platform import Message
from channels.testing.telegram import Telegram
from tests.channels.gatewayed import Gatewayed, gateway, settings

ANA, BEN, CLEO = "7", "8", "9"
GROUP, BASIC, FORUM = "-1001", "-55", "-1002"

PEOPLE = """
[[tenant]]
id = "default"
name = "acme"
zone = "Europe/Berlin"

[[person]]
id = "ana"
tenant = "default"
name = "Ana"
role = "operator"
content = true
identities = ["telegram:7"]

[[person]]
id = "ben"
tenant = "default"
name = "Ben"
role = "operator"
content = true
identities = ["telegram:8"]
"""

TO_ANA = '[[route]]\nperson = "ana"\ntenant = "default"\n'
TO_GROUP = f'[[route]]\nconversation = "telegram:{GROUP}"\ntenant = "default"\ncontent = true\n'


def to(conversation: str, *more: str) -> str:
    """A route whose members may see; with more lines."""
    lines = (f'conversation = "telegram:{conversation}"', 'tenant = "default"', "content = true")
    return "\n".join(("[[route]]", *lines, *more)) + "\n"


@asynccontextmanager
async def platform(**how: Any) -> AsyncIterator[Telegram]:
    """The chats, without a gateway."""
    async with Telegram(**how) as chat:
        chat.person(ANA, "Ana", username="ana_m")
        chat.person(BEN, "Ben", started=False)
        chat.person(CLEO, "Cleo")
        chat.group(GROUP, "Ops", members=[ANA, BEN, CLEO])
        chat.group(BASIC, "Old", members=[ANA, BEN])
        chat.group(FORUM, "Forum", members=[ANA, BEN], forum=True)
        yield chat


@asynccontextmanager
async def room(
    url: str, folder: Path, routes: str = TO_ANA, **how: Any
) -> AsyncIterator[tuple[Telegram, Gatewayed]]:
    """The chats with a gateway on them, listening."""
    async with platform(**how) as chat:
        config = settings({"telegram": chat.settings()}, PEOPLE, routes, folder)
        async with gateway(config, url) as oz:
            await chat.until(lambda: chat.polling)
            yield chat, oz


async def posted(chat: Telegram, conversation: str, count: int = 1) -> Message:
    """The latest of so many messages of ours there."""

    def ours() -> list[Message]:
        bot = str(chat.world.bot.id)
        found = [one for one in chat.messages(conversation) if one.author == bot]
        return found if len(found) >= count else []

    return (await chat.until(ours))[-1]


async def shows(chat: Telegram, conversation: str, words: str) -> Message:
    """The message there that has these words, once there is one."""

    def found() -> list[Message]:
        return [one for one in chat.messages(conversation) if words in one.text]

    return (await chat.until(found))[-1]
