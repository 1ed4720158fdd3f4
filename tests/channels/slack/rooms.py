"""A gateway in a fake Slack: Ana answers, Ben reads along, Cem is nobody of the config's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from channels.testing.platform import Message
from channels.testing.slack import Slack
from tests.channels.gatewayed import Gatewayed, gateway, settings

PEOPLE = """
[[person]]
id = "ana"
name = "Ana"
role = "operator"
content = true
identities = ["slack:T0001/U1"]
"""
OPEN = """
[[route]]
conversation = "slack:C1"
content = true
"""
SEALED = """
[[route]]
conversation = "slack:C1"
"""
DIRECT = """
[[route]]
person = "ana"
"""

both = pytest.mark.parametrize("mode", ["socket", "http"])
"""The test runs by Socket Mode and by HTTP."""


def without_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK reads these from the environment, and the fake is on this machine."""
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


def workspace(**how: Any) -> Slack:
    """Slack with its people and two channels, not started."""
    chat = Slack(**how)
    chat.person("U1", "Ana")
    chat.person("U2", "Ben")
    chat.person("U3", "Cem", team="T0002")
    chat.channel("C1", ("U1", "U2", "U3"), name="ops")
    return chat


@asynccontextmanager
async def running(
    url: str, folder: Path, routes: str = OPEN, *, mode: str = "socket", **how: Any
) -> AsyncIterator[tuple[Slack, Gatewayed]]:
    """The workspace, and a gateway that is connected to it."""
    async with workspace(**how) as chat:
        config = settings({"slack": chat.settings(mode)}, PEOPLE, routes, folder)
        async with gateway(config, url) as gate:
            if mode == "http":
                await chat.subscribe(f"{gate.hooks}/slack/events")
            else:
                await chat.until(lambda: chat.connections)
            yield chat, gate


async def posted(chat: Slack, conversation: str = "C1", count: int = 1) -> Message:
    """The newest of so many messages there."""
    found = await chat.until(
        lambda: (
            conversation in chat.space.conversations
            and len(chat.messages(conversation)) >= count
            and chat.messages(conversation)
        )
    )
    assert found
    return found[-1]


async def told(chat: Slack, account: str, count: int = 1) -> list[str]:
    """What only they were told, once it is so much."""
    await chat.until(lambda: len(chat.told(account)) >= count)
    return chat.told(account)
