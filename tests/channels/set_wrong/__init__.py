"""Every platform set wrong, in ways that people do it, with what the doctor has to say."""

from __future__ import annotations

from tests.channels.set_wrong.discord import DISCORD
from tests.channels.set_wrong.slack import SLACK
from tests.channels.set_wrong.teams import TEAMS
from tests.channels.set_wrong.telegram import TELEGRAM
from tests.channels.set_wrong.wrong import NOWHERE, Wrong

__all__ = ["ALL", "CALLS", "NOT_THERE", "NOWHERE", "Wrong"]

NOT_THERE = (
    ("slack", "api_url", "bot token"),
    ("teams", "login_url", "Microsoft gives the bot a token"),
    ("teams", "service_url", "The bot is registered, and the service is reached"),
    ("teams", "keys_url", "The keys that Microsoft signs with can be read"),
    ("discord", "api_url", "Discord answers"),
    ("telegram", "api_url", "Telegram answers"),
)
"""An address where nobody answers: platform, setting, and what could not be looked at."""

CALLS = {
    "slack": (
        "auth.test",
        "bots.info",
        "apps.manifest.export",
        "conversations.history",
        "conversations.info",
        "apps.connections.open",
    ),
    "teams": ("token", "createConversation", "getConversationPagedMembers", "openid", "keys"),
    "discord": ("get_application", "get_guilds", "get_gateway", "get_channel", "typing"),
    "telegram": ("getMe", "sendChatAction", "getWebhookInfo"),
}
"""What the doctor calls of each, by the fakes' names."""

ALL = {"slack": SLACK, "teams": TEAMS, "discord": DISCORD, "telegram": TELEGRAM}
