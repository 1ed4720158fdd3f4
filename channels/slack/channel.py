"""The channel as its entry point names it. Slack's SDK is imported once it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from channels.slack.render import CAPABILITIES
from channels.slack.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.capabilities import Capabilities
    from channels.contract import Finding, Transport
    from channels.desk import Desk
    from gateway.routes import Target


@dataclass(frozen=True, slots=True)
class Slack:
    """See `channels.contract.Channel`."""

    name: str = "slack"
    capabilities: Capabilities = CAPABILITIES
    settings: type[Settings] = Settings

    def open(self, settings: Settings, desk: Desk) -> Transport:
        """The transport, not connected yet."""
        from channels.slack.transport import SlackTransport

        return SlackTransport(settings, desk)

    async def examine(self, settings: Settings, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
        """What is right and wrong with the app, its tokens and its scopes."""
        from channels.slack.examine import examine

        return await examine(settings, rooms)


CHANNEL = Slack()
