"""How the app is set up, and what every part of the Web API goes by."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from channels.testing.slack.workspace import Refused

if TYPE_CHECKING:
    from collections.abc import Callable

    from channels.testing.slack.workspace import Conversation, Workspace

SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:read",
    "chat:write",
    "chat:write.public",
    "commands",
    "groups:history",
    "groups:read",
    "im:history",
    "im:write",
    "mpim:history",
    "users:read",
    "users:read.email",
)
EVENTS = (
    "app_home_opened",
    "app_mention",
    "app_uninstalled",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "tokens_revoked",
)


@dataclass(slots=True)
class Rules:
    """How the app is set up, and what Slack is strict about; a test may change any of it."""

    token: str
    app_token: str
    config_token: str = "xoxe.xoxp-oz"  # noqa: S105 - of no account anywhere
    """Its owner's, to whom Slack shows the app's manifest."""
    scopes: set[str] = field(default_factory=lambda: set(SCOPES))
    app_scopes: set[str] = field(default_factory=lambda: {"connections:write"})
    events: set[str] = field(default_factory=lambda: set(EVENTS))
    dead: str | None = None
    """`token_revoked`, `account_inactive` or `token_expired`: what every call is told."""
    messages_tab: bool = True
    home_tab: bool = True
    post_every_s: float = 0.0
    """At most one post in so long in a conversation. Slack's: about 1; 0 switches it off."""
    remembers_client_msg_id: bool = True
    """Others report that a repeated `client_msg_id` makes no second message; Slack says nothing."""


class Part:
    """A part of the Web API. `emit` tells the app of an event in a conversation."""

    def __init__(
        self, space: Workspace, rules: Rules, emit: Callable[[dict[str, Any], str], None]
    ) -> None:
        self.space = space
        self.rules = rules
        self.emit = emit

    def seen(self, name: Any) -> Conversation:
        """A conversation that the app can see. A person's id is none."""
        where = self.space.conversations.get(name) if isinstance(name, str) else None
        if where is None or (where.kind in ("group", "mpim") and not where.bot):
            raise Refused("channel_not_found")
        return where

    def inside(self, name: Any) -> Conversation:
        where = self.seen(name)
        if not where.bot:
            raise Refused("not_in_channel")
        return where
