"""A gateway before a fake Teams: a group chat, a channel and the people in them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from channels.testing.platform import Message
from channels.testing.teams import Teams
from tests.channels.gatewayed import Gatewayed, gateway, settings

ANA, BEN = "29:ana", "29:ben"
"""Ana is an operator; Ben is nobody in the gateway's config."""

GROUP, CHANNEL = "19:g@thread.v2", "19:c@thread.tacv2"
HOOK = "/teams/messages"

IN_GROUP = f'[[route]]\nconversation = "teams:{GROUP}"\ncontent = true'
IN_CHANNEL = f'[[route]]\nconversation = "teams:{CHANNEL}"\ncontent = true'
DIRECT = '[[route]]\nperson = "ana"'


def people(teams: Teams) -> str:
    """Ana, by her Entra id."""
    aad = teams.rooms.person(ANA).aad
    return (
        '[[person]]\nid = "ana"\nname = "Ana"\nrole = "operator"\ncontent = true\n'
        f'identities = ["teams:{aad}"]'
    )


@asynccontextmanager
async def town() -> AsyncGenerator[Teams, None]:
    """The platform alone."""
    async with Teams() as teams:
        teams.person(ANA, "Ana")
        teams.person(BEN, "Ben")
        teams.group(GROUP, members=[ANA, BEN])
        teams.channel(CHANNEL, members=[ANA, BEN])
        yield teams


@asynccontextmanager
async def running(
    redis_url: str, folder: Path, routes: Sequence[str] = (IN_GROUP,)
) -> AsyncGenerator[tuple[Teams, Gatewayed], None]:
    """The platform, and a gateway that it calls."""
    async with town() as teams:
        tables = {"teams": teams.settings()}
        config = settings(tables, people(teams), "\n".join(routes), folder)
        async with gateway(config, redis_url) as made:
            teams.connect(made.hooks + HOOK)
            yield teams, made


async def posted(teams: Teams, conversation: str = GROUP, account: str = ANA) -> Message:
    """The newest message with something to press, as they see it."""

    def look() -> Message | None:
        found = teams.messages(conversation, account=account)
        return next((one for one in reversed(found) if one.controls), None)

    message = await teams.until(look)
    assert message is not None
    return message


def texts(teams: Teams, conversation: str = GROUP) -> list[str]:
    """What stands there, oldest first."""
    return [one.text for one in teams.messages(conversation)]
