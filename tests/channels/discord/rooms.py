"""A fake Discord with two people in a channel, and a real gateway that is connected to it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from channels.testing.discord import Discord
from channels.testing.platform import Form, Message
from tests.channels.gatewayed import Gatewayed, gateway, settings

PEOPLE = """
[[person]]
id = "ana"
name = "Ana"
role = "operator"
content = true
identities = ["discord:7"]
"""
OPEN = """
[[route]]
conversation = "discord:600"
content = true
"""
DIRECT = """
[[route]]
person = "ana"
"""


@asynccontextmanager
async def running(
    url: str, folder: Path, routes: str = OPEN, **how: Any
) -> AsyncIterator[tuple[Discord, Gatewayed]]:
    """A Discord with Ana, who may answer, Ben, who may not, and a gateway that is connected."""
    chat = Discord(**how)
    chat.person("7", "Ana")
    chat.person("8", "Ben")
    chat.channel("600", "general")
    async with chat:
        config = settings({"discord": chat.settings()}, PEOPLE, routes, folder)
        async with gateway(config, url) as gate:
            await chat.until(lambda: chat.gateway.sessions and chat.count("put_commands"))
            yield chat, gate


async def posted(chat: Discord, conversation: str = "600") -> Message:
    """The post, once it stands."""
    found = await chat.until(lambda: chat.messages(conversation))
    return found[-1]


async def told(chat: Discord, count: int) -> None:
    """Returns once Ana was told so many things."""
    await chat.until(lambda: len(chat.told("7")) >= count)


async def opened(chat: Discord, account: str = "7") -> Form:
    """The form in front of them, once there is one."""
    form = await chat.until(lambda: chat.form(account))
    assert form is not None
    return form


def post_now(chat: Discord) -> Message:
    return chat.messages("600")[0]
