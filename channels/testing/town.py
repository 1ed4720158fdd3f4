"""All four fake platforms with the same people in one conversation on each, and a gateway's config.

What a test or the demo does on one it can do on all, in the words of `Platform`.
"""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from channels.testing.discord import Discord
from channels.testing.slack import Slack
from channels.testing.teams import Teams
from channels.testing.telegram import Telegram

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from channels.testing.platform import Message, Platform

TEAMS_PATH = "/teams/messages"
"""Where the Teams adapter's route is served, on the port for hooks."""


@dataclass(frozen=True, slots=True)
class Place:
    """One platform as a test sees it.

    `room` is a conversation that everyone is in; `accounts` are the people's ids there, by name;
    `prefix` stands before an account in an identity of the gateway's config.
    """

    platform: Any
    room: str
    accounts: Mapping[str, str]
    prefix: str
    owners: Mapping[str, str]

    @property
    def name(self) -> str:
        return str(self.platform.name)

    @property
    def bot(self) -> str:
        """What people call the bot there."""
        match self.platform:
            case Slack():
                return self.platform.space.bot.name
            case Teams():
                return str(self.platform.rooms.bot["name"])
            case _:
                return ""

    @property
    def conversation(self) -> str:
        """What routes call the room."""
        return f"{self.name}:{self.room}"

    def identity(self, person: str) -> str:
        """What the gateway's config calls that person's account."""
        return f"{self.name}:{self.prefix}{self.owners[person]}"

    def direct(self, person: str) -> str:
        """The conversation of that person alone with the bot."""
        account = self.accounts[person]
        match self.platform:
            case Slack() | Discord():
                return str(self.platform.dm(account))
            case Teams():
                return self.platform.chat(account)
            case _:
                return account

    def posts(self, conversation: str | None = None) -> list[Message]:
        """What stands in the room, or another conversation, oldest first."""
        found: list[Message] = self.platform.messages(conversation or self.room)
        return found


class Town:
    """The four, started together. `names` leaves some out."""

    def __init__(
        self,
        people: Sequence[str] = ("Ana", "Ben"),
        names: Sequence[str] = ("slack", "teams", "discord", "telegram"),
    ) -> None:
        self._people = people
        self._names = names
        self._stack = AsyncExitStack()
        self.places: dict[str, Place] = {}

    async def __aenter__(self) -> Self:
        made = {"slack": self._slack, "teams": self._teams, "discord": self._discord}
        for name in self._names:
            place = made.get(name, self._telegram)()
            await self._stack.enter_async_context(place.platform)
            self.places[name] = place
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    @property
    def platforms(self) -> list[Platform]:
        return [place.platform for place in self.places.values()]

    def tables(self) -> dict[str, dict[str, Any]]:
        """`[channel.<name>]` of each, for a gateway that talks to them."""
        return {name: place.platform.settings() for name, place in self.places.items()}

    def config_file(self, tenant: str = "default") -> str:
        """A gateway's TOML: everybody is an operator, and each room gets every ask and sees it."""
        parts = [_table("[[tenant]]", {"id": tenant, "name": tenant})]
        for name in self._people:
            who = {"id": name.lower(), "name": name, "role": "operator", "content": True}
            parts.append(_table("[[person]]", who | {"identities": self.identities(name)}))
        for place in self.places.values():
            route = {"conversation": place.conversation, "content": True}
            parts.append(_table("[[route]]", route))
        parts += [_table(f"[channel.{name}]", table) for name, table in self.tables().items()]
        return "\n".join(parts)

    def identities(self, person: str) -> list[str]:
        """Their accounts, as the gateway's config names them."""
        return [place.identity(person) for place in self.places.values()]

    def connect(self, hooks: str) -> None:
        """Tells the platforms that call a gateway where it listens for them."""
        if "teams" in self.places:
            self.places["teams"].platform.connect(hooks + TEAMS_PATH)

    def _slack(self) -> Place:
        slack = Slack()
        accounts = {name: f"U{number:08d}" for number, name in enumerate(self._people, 1)}
        for name, account in accounts.items():
            slack.person(account, name)
        room = slack.channel("C00000001", tuple(accounts.values()), name="general")
        return Place(slack, room, accounts, f"{slack.space.team}/", accounts)

    def _teams(self) -> Place:
        teams = Teams()
        accounts = {name: f"29:{name.lower()}" for name in self._people}
        owners = {name: teams.person(account, name).aad for name, account in accounts.items()}
        # Our app asks for the right to read the channel; without it only mentions arrive.
        room = teams.channel(
            "19:general@thread.tacv2", members=list(accounts.values()), hears_all=True
        )
        return Place(teams, room, accounts, "", owners)

    def _discord(self) -> Place:
        discord = Discord()
        accounts = {
            name: str(1_000_000_000_000_000_000 + number)
            for number, name in enumerate(self._people, 1)
        }
        for name, account in accounts.items():
            discord.person(account, name)
        room = discord.channel("2000000000000000001", "general")
        return Place(discord, room, accounts, "", accounts)

    def _telegram(self) -> Place:
        telegram = Telegram()
        accounts = {name: str(1000 + number) for number, name in enumerate(self._people, 1)}
        for name, account in accounts.items():
            telegram.person(account, name)
        room = telegram.group("-1001000000001", "General", members=list(accounts.values()))
        return Place(telegram, room, accounts, "", accounts)


def _table(head: str, values: Mapping[str, Any]) -> str:
    """A TOML table: texts, lists and yes or no are written there as in JSON."""
    return "\n".join((head, *(f"{key} = {json.dumps(value)}" for key, value in values.items())))
