"""A Discord of others' making (simcord), in this process: it has the limits, our code the bytes.

Its calls take the place of discord.py's, and its events arrive as the socket would bring them.
"""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from channels.discord import parse, render
from channels.discord.parse import Acted, Ticket
from channels.discord.settings import Settings
from channels.discord.transport import Api, Discord, Socket, nonce
from channels.drawing import Drawing

with warnings.catch_warnings():
    # Python 3.11 and 3.12 warn of a module that discord.py imports for voice.
    warnings.simplefilter("ignore", DeprecationWarning)
    import discord
    import simcord
    from discord.webhook.async_ import async_context

Take = Callable[[str, Any], None]


class Parsers(dict[str, Callable[[Any], None]]):
    """Whatever the event, it is handed on as it is, as `Socket` does with what it reads."""

    def __init__(self, take: Take) -> None:
        super().__init__()
        self._take = take

    def __missing__(self, name: str) -> Callable[[Any], None]:
        return lambda payload: self._take(name, payload)


@dataclass(slots=True)
class Room:
    """A channel with Ana and Ben in it, and our bot with its calls."""

    env: simcord.Env
    bot: Socket
    api: Api
    place: simcord.ChannelHandle
    ana: simcord.MemberActor
    ben: simcord.MemberActor
    heard: list[tuple[str, Any]]
    takers: list[Take]

    @property
    def acted(self) -> Acted | None:
        """What was pressed, chosen or sent last, as we read it."""
        return parse.interaction(self._last())

    @property
    def ticket(self) -> Ticket:
        """What that is answered with."""
        found = parse.ticket(self._last())
        assert found is not None
        return found

    async def post(self, drawing: Drawing, key: str = "k") -> discord.Message:
        """The post, after what goes before it. Raises: PostError."""
        made: Mapping[str, Any] = {}
        for number, payload in enumerate((*render.leading(drawing), render.post(drawing))):
            once = {"nonce": nonce(f"{key} {number}"), "enforce_nonce": True}
            made = await self.api.create(str(self.place.id), {**payload, **once})
        return self.message(int(made["id"]))

    async def redraw(self, post: discord.Message, drawing: Drawing) -> discord.Message:
        """That post, once it shows the drawing. Raises: PostError."""
        await self.api.edit(str(self.place.id), str(post.id), render.post(drawing))
        return self.message(post.id)

    def message(self, number: int) -> discord.Message:
        """A message that stands there, as it stands."""
        return next(one for one in self.place.history() if one.id == number)

    def _last(self) -> Any:
        return [payload for name, payload in self.heard if name == "INTERACTION_CREATE"][-1]

    def seen_by(self, viewer: simcord.MemberActor) -> list[discord.Message]:
        """What that person reads there."""
        return self.place.history(viewer=viewer)

    def serves(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Has our transport, once it runs, call here, and hear what a new session is told first."""
        room = self

        async def run(transport: Discord) -> None:
            _connect(transport._api, room.bot)
            await transport._register(str(room.env.backend.application_id))
            for name, payload in room.heard:
                transport._incoming.take(name, payload)
            room.takers.append(transport._incoming.take)
            await asyncio.Event().wait()

        monkeypatch.setattr(Discord, "run", run)


@asynccontextmanager
async def room() -> AsyncIterator[Room]:
    """The room; it checks what it is sent, and what people could do in a client."""
    heard: list[tuple[str, Any]] = []
    takers: list[Take] = []

    def take(name: str, payload: Any) -> None:
        heard.append((name, payload))
        for one in takers:
            one(name, payload)

    bot = Socket(Settings(token="t"), take)
    bot._connection.parsers = Parsers(take)
    api = Api("t")
    async with simcord.run(bot) as env:
        _connect(api, bot)
        guild = env.create_guild()
        place = guild.create_text_channel("general")
        ana, ben = (guild.add_member(env.create_user(name)) for name in ("ana", "ben"))
        try:
            yield Room(env, bot, api, place, ana, ben, heard, takers)
        finally:
            await api.aclose()


def _connect(api: Api, bot: Socket) -> None:
    api._http = bot.http
    # Where discord.py itself looks for how it calls webhooks, replaced for as long as that runs.
    api._hooks = async_context.get()
