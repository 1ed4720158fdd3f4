"""Who is there, where they can write, and what the bot may there; what changes is dispatched.

A bot sees a place if it is in its server and is not denied it; REST and gateway ask the same rules.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Any

from channels.testing.discord import shapes
from channels.testing.discord.gateway import (
    DIRECT_MESSAGES,
    GUILD_MESSAGES,
    GUILDS,
    MESSAGE_CONTENT,
    Gateway,
    Welcome,
)
from channels.testing.discord.refusals import Permission, Refusal
from channels.testing.discord.shapes import DM, TEXT, Channel, Guild, Person
from channels.testing.platform import Platform

BOT_ID = "1000"
GUILD_ID = "500"
"""The server that is there from the start."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What a test may set otherwise than Discord has it; see `Discord`."""

    message_content: bool
    ack_within_s: float
    token_life_s: float
    heartbeat_s: float
    identify_every_s: float
    starts_a_day: int


class World(Platform):
    """The state of one Discord. `token` is what its bot must show, now."""

    name = "discord"

    def __init__(self, token: str, rules: Rules) -> None:
        super().__init__()
        self.token = token
        self.rules = rules
        self.bot = Person(BOT_ID, "OZ", bot=True)
        self.people: dict[str, Person] = {self.bot.id: self.bot}
        self.guilds: dict[str, Guild] = {GUILD_ID: Guild(GUILD_ID, "Acme")}
        self.channels: dict[str, Channel] = {}
        self.commands: dict[str | None, dict[str, dict[str, Any]]] = {}
        """Slash commands by name, per server; under None those of every place."""
        self.pings: list[tuple[str, str]] = []
        """Who was pinged by which message: an account or `everyone`, and the message."""
        self.nonces: dict[str, tuple[float, Channel, str]] = {}
        self._skew_s = 0.0
        self._last_id = 0
        self.gateway = Gateway(
            Welcome(
                token=lambda: self.token,
                privileged=lambda: MESSAGE_CONTENT if self.rules.message_content else 0,
                ready=self._ready,
                guilds=lambda: [self._guild(one) for one in self.guilds.values() if one.joined],
                members=self._members,
                changed=self.changed,
                now_s=self.now_s,
                revoke=self.revoke_token,
            ),
            heartbeat_s=rules.heartbeat_s,
            identify_every_s=rules.identify_every_s,
            starts_a_day=rules.starts_a_day,
        )

    # Time

    def now_s(self) -> float:
        return time.time() + self._skew_s

    def pass_time(self, seconds: float) -> None:
        """Discord's clock goes on so much: interactions expire, nonces are forgotten."""
        self._skew_s += seconds

    def snowflake(self) -> str:
        """An id of now, higher than any before."""
        made = (int(self.now_s() * 1000) - shapes.EPOCH_MS) << 22
        self._last_id = max(made, self._last_id + 1)
        return str(self._last_id)

    # Setting up

    def person(
        self,
        account: str,
        name: str,
        *,
        bot: bool = False,
        dms: bool = True,
        guild: str | None = GUILD_ID,
    ) -> str:
        """An account, a member of that server; its id. `dms`: they take direct messages of apps."""
        self.people[account] = Person(account, name, bot=bot, dms=dms)
        if guild is not None:
            self.guilds[guild].members.add(account)
        return account

    def guild(self, guild: str, name: str, *, members: Iterable[str] = ()) -> str:
        """Another server with the bot in it; its id."""
        made = self.guilds[guild] = Guild(guild, name, set(members))
        self.gateway.dispatch("GUILD_CREATE", GUILDS, lambda _: self._guild(made))
        return guild

    def channel(
        self,
        channel: str,
        name: str = "general",
        *,
        guild: str = GUILD_ID,
        members: Iterable[str] | None = None,
    ) -> str:
        """A text channel of a server; its id. Without `members`: all of the server are in it."""
        place = Channel(channel, TEXT, name, self.guilds[guild])
        if members is not None:
            place.members = set(members)
            self.guilds[guild].members |= place.members
        self.channels[channel] = place
        self.tell_place("CHANNEL_CREATE", place)
        return channel

    def dm(self, account: str) -> str:
        """The chat of that person with the bot, made where there is none; its id."""
        for place in self.channels.values():
            if place.kind == DM and place.recipient and place.recipient.id == account:
                return place.id
        place = Channel(self.snowflake(), DM, "", recipient=self.people[account])
        self.channels[place.id] = place
        return place.id

    # Changing what the bot may

    def deny(self, conversation: str, permissions: Permission) -> None:
        """From now on the bot may not do that there, nor in the threads there."""
        for place in self.channels.values():
            if place.within(conversation):
                place.denied |= permissions
                name = "THREAD_UPDATE" if place.parent else "CHANNEL_UPDATE"
                self.tell_place(name, place)

    def remove_bot(self, guild: str) -> None:
        """The bot is thrown out of a server."""
        self.guilds[guild].joined = False
        self.gateway.dispatch("GUILD_DELETE", GUILDS, lambda _: {"id": guild})

    def remove_channel(self, conversation: str) -> None:
        """A channel or thread is deleted, with what stood in it."""
        place = self.channels.pop(conversation)
        self.tell_place("THREAD_DELETE" if place.parent else "CHANNEL_DELETE", place)

    def archive(self, thread: str, *, locked: bool = False) -> None:
        """A thread is put away; a locked one stays so for whoever may not manage threads."""
        place = self.channels[thread]
        place.archived, place.locked = True, locked
        self.tell_place("THREAD_UPDATE", place)

    def reopen(self, thread: Channel) -> None:
        """An archived thread is taken out again."""
        thread.archived = False
        self.tell_place("THREAD_UPDATE", thread)

    def revoke_token(self) -> None:
        """The bot's token is worth nothing any more, and its connections are closed."""
        self.token = token_urlsafe(18)
        self.gateway.close(4004)

    # Places

    def place(self, conversation: str) -> Channel:
        """A place the bot can see. Raises: Refusal 10003 or 50001."""
        place = self.channels.get(conversation)
        if place is None:
            raise Refusal(10003)
        if not self.visible(place):
            raise Refusal(50001)
        return place

    def visible(self, place: Channel) -> bool:
        joined = place.guild is None or place.guild.joined
        return joined and not place.denied & Permission.VIEW_CHANNEL

    # Telling the bot

    def dispatch_in(self, name: str, place: Channel, data: Any) -> None:
        if self.visible(place):
            intent = DIRECT_MESSAGES if place.kind == DM else GUILD_MESSAGES
            self.gateway.dispatch(name, intent, data)

    def tell_place(self, name: str, place: Channel, **extra: Any) -> None:
        if self.visible(place):
            shape = shapes.channel(place, self.bot) | extra
            self.gateway.dispatch(name, GUILDS, lambda _: shape)

    def joined(self) -> list[Guild]:
        return [one for one in self.guilds.values() if one.joined]

    def _ready(self, session: str) -> dict[str, Any]:
        return {
            "v": 10,
            "user": shapes.me(self.bot),
            "session_type": "normal",
            "session_id": session,
            "resume_gateway_url": self.gateway_url,
            "guilds": [{"id": one.id, "unavailable": True} for one in self.joined()],
            "application": {"id": self.bot.id, "flags": self.application_flags()},
            "private_channels": [],
            "relationships": [],
            "presences": [],
            "user_settings": {},
            "_trace": [],
        }

    def _guild(self, guild: Guild) -> dict[str, Any]:
        members = [self.people[one] for one in sorted(guild.members)]
        channels = [
            one for one in self.channels.values() if one.guild is guild and self.visible(one)
        ]
        return shapes.guild(guild, self.bot, members, channels)

    def _members(self, asked: dict[str, Any]) -> dict[str, Any]:
        guild = self.guilds[str(asked["guild_id"])]
        people = [self.people[one] for one in sorted(guild.members)]
        return {
            "guild_id": guild.id,
            "members": [shapes.member(guild) | {"user": shapes.user(one)} for one in people],
            "chunk_index": 0,
            "chunk_count": 1,
            "not_found": [],
            "nonce": asked.get("nonce"),
        }

    def application_flags(self) -> int:
        """With the content intent switched on in the portal, for an app in few servers."""
        return 1 << 19 if self.rules.message_content else 0

    @property
    def api(self) -> str:
        """Where the REST API is: what the SDK calls its base."""
        return f"{self.url}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"ws{self.url.removeprefix('http')}/gateway"
