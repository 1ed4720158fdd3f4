"""Telegram, as its entry point names it. The library is imported once it is opened or examined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from channels.telegram.render import CAPABILITIES
from channels.telegram.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.capabilities import Capabilities
    from channels.contract import Finding, Transport
    from channels.desk import Desk
    from gateway.routes import Target


@dataclass(frozen=True, slots=True)
class Telegram:
    """The channel."""

    name: str = "telegram"
    capabilities: Capabilities = CAPABILITIES
    settings: type[Settings] = Settings

    def open(self, settings: Any, desk: Desk) -> Transport:
        """The transport, not connected yet."""
        from channels.telegram.transport import TelegramTransport

        return TelegramTransport(settings, desk)

    async def examine(self, settings: Any, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
        """What is right and wrong with the bot."""
        from channels.telegram.examine import examine

        return await examine(settings, rooms)


CHANNEL = Telegram()
