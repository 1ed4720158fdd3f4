"""What the parts of one worker share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.capabilities import Capabilities
    from channels.contract import Transport
    from channels.inbound.actors import Everyone
    from channels.looks import Looks
    from channels.patience import Patience
    from channels.turns import Turns
    from gateway.conversations import Conversations
    from gateway.posts import Posts


@dataclass(frozen=True, slots=True)
class Outlet:
    """One channel as the worker needs it."""

    transport: Transport
    capabilities: Capabilities


@dataclass(frozen=True, slots=True)
class Parts:
    """`outlets` are the channels by name; looked up at each use, as they are opened later."""

    conversations: Conversations
    posts: Posts
    everyone: Everyone
    outlets: Mapping[str, Outlet]
    looks: Looks
    patience: Patience
    turns: Turns
