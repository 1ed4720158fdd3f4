"""What the four fake platforms send while people press, fill in, type and edit: real payloads.

They are taken where the platform keeps what it sent; of Discord, by a second client that listens.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from channels.testing.town import Town
from gateway.ask import AskKind
from tests.channels.acting import by_text, natively, posted
from tests.channels.gatewayed import gateway, settings
from tests.channels.shapes import CHOICE, DATE, MULTI, TEXT
from tests.channels.test_four_chats import people, routes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from channels.testing.town import Place
    from tests.channels.gatewayed import Gatewayed
    from tests.channels.shapes import Shape

Json = Any

SHAPES = (CHOICE, MULTI, TEXT, DATE)
"""Buttons, and forms with every way a value may come in them."""

INTENTS = 1 << 0 | 1 << 9 | 1 << 12
"""Discord's: servers, their messages, direct messages."""


async def payloads(redis_url: str, folder: Path) -> dict[str, list[Json]]:
    """What each platform sent, by its name; of Discord pairs of a name and the event."""
    async with Town() as town, listening(town.places["discord"]) as discord:
        places = tuple(town.places.values())
        config = settings(town.tables(), people(town, "Ana", "Ben"), routes(*places), folder)
        async with gateway(config, redis_url) as made:
            town.connect(made.hooks)
            for place in places:
                await place.platform.listened_to()
            for shape in SHAPES:
                await _answered(made, places, shape)
            for place in places:
                await _talked(made, place)
        slack, teams, telegram = (
            town.places[name].platform for name in ("slack", "teams", "telegram")
        )
        return {
            "slack": [one.payload for one in slack.deliveries],
            "teams": list(teams.bot.sent),
            "discord": list(discord),
            "telegram": list(telegram.updates.made),
        }


async def _answered(made: Gatewayed, places: tuple[Place, ...], shape: Shape) -> None:
    """One ask on all four; somebody answers it on each, and the first counts."""
    for place in places:
        ask_id = await made.ask(*shape.fields, destinations=[place.conversation])
        post = await posted(place)
        await natively(place, "Ana", post, (await made.record(ask_id)).ask, shape)
        await made.ended(ask_id)
        await made.closed(ask_id)


async def _talked(made: Gatewayed, place: Place) -> None:
    """Words: a reply that is no answer, an edit, a message beside the point, a denial."""
    ask_id = await made.ask(
        prompt="Delete it?", kind=AskKind.APPROVAL, destinations=[place.conversation]
    )
    post = await posted(place)
    said = await by_text(place, "Ben", post, "hm, *what* does it <b>cost</b>? https://example.com")
    account = place.accounts["Ben"]
    await place.platform.edit(account, post.conversation, said, "hm")
    await place.platform.type(account, place.room, "lunch, anybody?")
    await by_text(place, "Ben", post, "deny: too dear")
    await made.ended(ask_id)
    await made.closed(ask_id)


@asynccontextmanager
async def listening(place: Place) -> AsyncIterator[list[tuple[str, Json]]]:
    """Every event that Discord sends to a client of that bot, by its name."""
    heard: list[tuple[str, Json]] = []
    chat = place.platform
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{chat.gateway_url}?v=10&encoding=json") as socket,
    ):
        properties = {"os": "linux", "browser": "fuzz", "device": "fuzz"}
        identity = {"token": chat.token, "intents": INTENTS, "properties": properties}
        await socket.send_json({"op": 2, "d": identity})

        async def hear() -> None:
            async for frame in socket:
                event = json.loads(frame.data)
                if event.get("t"):
                    heard.append((event["t"], event["d"]))

        hearing = asyncio.ensure_future(hear())
        try:
            yield heard
        finally:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
