"""A real Bolt app in a fake workspace, connected by Socket Mode or served over HTTP."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.platform import Call, Message
from channels.testing.slack import Slack

Json = dict[str, Any]
BUTTON = {
    "type": "button",
    "text": {"type": "plain_text", "text": "Yes"},
    "action_id": "yes",
    "value": "1",
}
MENU = {
    "type": "static_select",
    "placeholder": {"type": "plain_text", "text": "Pick"},
    "action_id": "menu",
    "options": [
        {"text": {"type": "plain_text", "text": one}, "value": one.lower()}
        for one in ("Red", "Blue")
    ],
}
BLOCKS = [{"type": "actions", "block_id": "row", "elements": [BUTTON, MENU]}]


@dataclass
class Heard:
    """A Bolt app that keeps all it hears, and acknowledges by `answers`."""

    app: AsyncApp
    bodies: list[Json] = field(default_factory=list)
    answers: dict[str, Callable[[Any, Json], Awaitable[None]]] = field(default_factory=dict)

    def of(self, kind: str) -> list[Json]:
        """What came of that type: an event's, an interaction's, or `command`."""
        return [one for one in self.bodies if kind_of(one) == kind]

    async def hear(self, ack: Any, body: Json) -> None:
        """Keeps it, and acknowledges it as the test wants."""
        self.bodies.append(body)
        await self.answers.get(kind_of(body), plainly)(ack, body)


async def plainly(ack: Any, _body: Json) -> None:
    """An acknowledgement without a word."""
    await ack()


def kind_of(body: Json) -> str:
    """What a payload is of."""
    return str(body.get("event", body).get("type", "command"))


def heard_by(chat: Slack) -> Heard:
    """The app, with a listener for everything."""
    client = AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])
    logger = logging.getLogger("bolt in tests")
    logger.setLevel(logging.CRITICAL)
    app = AsyncApp(client=client, signing_secret=chat.signing_secret, logger=logger)
    made, anything = Heard(app), re.compile(".*")
    app.event(anything)(made.hear)
    app.action(anything)(made.hear)
    app.view(anything)(made.hear)
    app.view_closed(anything)(made.hear)
    app.command(anything)(made.hear)
    return made


@asynccontextmanager
async def by_socket(heard: Heard, chat: Slack) -> AsyncIterator[None]:
    """The app is connected by Socket Mode in here."""
    handler = AsyncSocketModeHandler(heard.app, "xapp-oz", ping_interval=0.05)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    await chat.until(lambda: chat.connections == 1)
    try:
        yield
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def by_http(heard: Heard, chat: Slack) -> AsyncIterator[None]:
    """The app is served, and Slack knows where."""
    runner = web.AppRunner(heard.app.web_app("/slack"))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        await chat.subscribe("http://127.0.0.1:{1}/slack".format(*runner.addresses[0]))
        yield
    finally:
        await runner.cleanup()


@dataclass
class Room:
    """The workspace and the app in it."""

    chat: Slack
    heard: Heard

    async def post(self, **more: Any) -> Message:
        """A post of the bot in C1, with a button and a menu."""
        values = {"channel": "C1", "text": "Ship?", "blocks": BLOCKS, **more}
        await self.heard.app.client.chat_postMessage(**values)
        return self.chat.messages(values["channel"] if values["channel"] != "U1" else "D1")[-1]

    async def hears(self, kind: str, count: int = 1) -> list[Json]:
        """What came of a kind, once there is so much."""
        await self.chat.until(lambda: len(self.heard.of(kind)) >= count)
        return self.heard.of(kind)

    def acks(self, kind: str) -> list[Call]:
        """The acknowledgements of a kind of payload."""
        return [
            one for one in self.chat.calls if one.method == "ack" and one.payload["type"] == kind
        ]


Enter = Callable[..., Awaitable[Room]]
both = pytest.mark.parametrize("way", ["socket", "http"])
"""The test runs by Socket Mode and by HTTP."""


@asynccontextmanager
async def entering(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Enter]:
    """Makes rooms, by `socket` or `http`; all of them end with this."""
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with AsyncExitStack() as stack:

        async def make(way: str = "socket", **settings: Any) -> Room:
            chat = await stack.enter_async_context(Slack(**settings))
            chat.person("U1", "Ana")
            chat.person("U2", "Ben Xu")
            chat.channel("C1", ("U1", "U2"), name="ops")
            heard = heard_by(chat)
            ways = {"socket": by_socket, "http": by_http}
            await stack.enter_async_context(ways[way](heard, chat))
            return Room(chat, heard)

        yield make
