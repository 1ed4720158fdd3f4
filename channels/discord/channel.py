"""Discord as the gateway finds it: what it can draw, its settings, and how it is opened.

Nothing of discord.py is imported before it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from channels.discord import render
from channels.discord.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.capabilities import Capabilities
    from channels.contract import Finding, Transport
    from channels.desk import Desk
    from gateway.routes import Target


@dataclass(frozen=True, slots=True)
class DiscordChannel:
    """See `channels.contract.Channel`."""

    name: str = render.CHANNEL
    capabilities: Capabilities = render.CAPABILITIES
    settings: type[Settings] = Settings

    def open(self, settings: Any, desk: Desk) -> Transport:
        from channels.discord.transport import Discord

        return Discord(settings, desk)

    async def examine(self, settings: Any, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
        from channels.discord.examine import examine

        return await examine(settings, rooms)


CHANNEL = DiscordChannel()
