"""Teams as a channel: what its entry point names. The SDK is imported once it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from channels.teams.render import CAPABILITIES
from channels.teams.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.capabilities import Capabilities
    from channels.contract import Finding, Transport
    from channels.desk import Desk
    from gateway.routes import Target


@dataclass(frozen=True, slots=True)
class Teams:
    """See `contract.Channel`."""

    name: str = "teams"
    capabilities: Capabilities = CAPABILITIES
    settings: type[Settings] = Settings

    def open(self, settings: Settings, desk: Desk) -> Transport:
        from channels.teams.transport import Transport as Opened

        return Opened(settings, desk)

    async def examine(self, settings: Settings, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
        from channels.teams.examine import examine

        return await examine(settings, rooms)


CHANNEL = Teams()
