"""The real discord.py, pointed at a fake Discord, with all it heard written down."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import yarl

from channels.testing.discord import Discord

with warnings.catch_warnings():
    # Python 3.11 and 3.12 warn of a module that discord.py imports for voice.
    warnings.simplefilter("ignore", DeprecationWarning)
    import discord
    from discord.gateway import DiscordWebSocket

__all__ = ["INTENTS", "Bot", "connected", "discord"]

INTENTS = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)


class Bot(discord.Client):
    """Hears everything, and does nothing of its own accord."""

    def __init__(self, chat: Discord, intents: discord.Intents) -> None:
        # Without a pause after the last server, `ready` comes two seconds late.
        super().__init__(intents=intents, guild_ready_timeout=0.01)
        self.chat = chat
        self.heard: list[discord.Message] = []
        self.edits: list[discord.RawMessageUpdateEvent] = []
        self.interactions: list[discord.Interaction[Bot]] = []
        self.resumed = 0
        self.act: Callable[[discord.Interaction[Bot]], Any] | None = None
        """What is done with each interaction, at once."""
        self.refusals: list[discord.HTTPException] = []
        self.tree = discord.app_commands.CommandTree(self)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """No waiting before a second identify, which Discord asks for and a test cannot afford."""

    async def on_message(self, message: discord.Message) -> None:
        self.heard.append(message)
        await self.chat.changed()

    async def on_raw_message_edit(self, edit: discord.RawMessageUpdateEvent) -> None:
        self.edits.append(edit)
        await self.chat.changed()

    async def on_resumed(self) -> None:
        self.resumed += 1
        await self.chat.changed()

    async def on_ready(self) -> None:
        await self.chat.changed()

    async def on_interaction(self, interaction: discord.Interaction[Bot]) -> None:
        self.interactions.append(interaction)
        if self.act is not None:
            try:
                await self.act(interaction)
            except discord.HTTPException as refusal:
                self.refusals.append(refusal)
        await self.chat.changed()

    async def interaction(self, number: int = 1) -> discord.Interaction[Bot]:
        """The last of so many interactions."""
        await self.chat.until(lambda: len(self.interactions) >= number)
        assert len(self.interactions) == number
        return self.interactions[-1]

    def texts(self) -> list[str]:
        """What others than the bot wrote, as the bot could read it."""
        return [one.content for one in self.heard if one.author.id != int(self.chat.bot.id)]


@asynccontextmanager
async def connected(
    chat: Discord, *, intents: discord.Intents = INTENTS, token: str | None = None
) -> AsyncIterator[Bot]:
    """A bot that is logged in and has its READY, until this closes."""
    base, gateway = discord.http.Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    discord.http.Route.BASE = chat.api
    DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(chat.gateway_url)
    bot = Bot(chat, intents)
    try:
        await bot.login(token or chat.token)
        running = asyncio.create_task(bot.connect())
        ready = asyncio.create_task(bot.wait_until_ready())
        await asyncio.wait({running, ready}, return_when=asyncio.FIRST_COMPLETED)
        ready.cancel()
        if running.done():
            await running
        yield bot
        await bot.close()
        await running
    finally:
        discord.http.Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
        await bot.close()
