"""Telegram's transport before a desk that does what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from channels.contract import (
    Destination,
    Interaction,
    Response,
    Tell,
    Typed,
)
from channels.drawing import Drawing
from channels.present import View
from channels.telegram.settings import Settings
from channels.telegram.transport import TelegramTransport
from channels.testing.telegram import Telegram
from tests.channels.telegram.rooms import (
    ANA,
    GROUP,
    platform,
)
from tests.chats import Chats
from tests.contract.backends import InMemory

ASK = "a-75eaf712473f"
ALONE = Destination("telegram", ANA, account=ANA)
PLACE = Destination("telegram", GROUP)


Answers = Callable[[Interaction], Awaitable[Response]]


class Door:
    """A desk that does what a test says, and remembers what was brought to it."""

    def __init__(self, chats: Chats) -> None:
        self.everyone = chats.everyone
        self.facts = chats.conversations.facts
        self.heard: list[Interaction] = []
        self.answers: Answers | None = None

    async def handle(self, interaction: Interaction) -> Response:
        self.heard.append(interaction)
        return Response() if self.answers is None else await self.answers(interaction)

    def reader(self, sender: Any, where: Destination) -> Any:
        return self.everyone.reader(sender, where)

    def taking_long(self, *_: Any) -> Tell:
        return Tell("This takes a moment.")

    def unavailable(self, *_: Any) -> Tell:
        return Tell("Not saved just now.")

    @property
    def words(self) -> list[str]:
        return [one.text for one in self.heard if isinstance(one, Typed)]


def drawing(text: str = "Which?", *leading: str, outcome: str | None = None) -> Drawing:
    """A post of that text."""
    return Drawing(View(ASK, 1, question=text, outcome=outcome), text, leading)


def of(chat: Telegram, **more: Any) -> Settings:
    """The settings for that platform."""
    return Settings.model_validate(chat.settings() | more)


@asynccontextmanager
async def open_transport(
    chat: Telegram,
    more: dict[str, Any] | None = None,
    *,
    listening: bool = True,
    store: InMemory | None = None,
    answers: Answers | None = None,
) -> AsyncIterator[tuple[TelegramTransport, Door]]:
    """The transport before a door of the test's; on that store, where another had it."""
    made = store or InMemory()
    door = Door(Chats(made.store))
    door.answers = answers
    transport = TelegramTransport(of(chat, **(more or {})), door)  # type: ignore[arg-type]
    task = asyncio.create_task(transport.run()) if listening else None
    if listening and not more:
        await chat.until(lambda: chat.polling)
    try:
        yield transport, door
    finally:
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await transport.aclose()
        if store is None:
            await made.store.aclose()


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[Telegram, TelegramTransport, Door]]:
    """A platform and a listening transport."""
    async with platform() as chat, open_transport(chat) as (transport, door):
        yield chat, transport, door


Trio = tuple[Telegram, TelegramTransport, Door]
