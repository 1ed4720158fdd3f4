"""The slash command `/oz`, as Discord registers it. Pure."""

from __future__ import annotations

from typing import Any

from channels.catalogue import Reader
from channels.discord import words

_READER = Reader()
"""Descriptions are registered once, in English; whoever runs one is answered in their language."""

CHAT_INPUT, SUBCOMMAND = 1, 1
GUILD, BOT_DM = 0, 1

COMMANDS: list[dict[str, Any]] = [
    {
        "name": "oz",
        "type": CHAT_INPUT,
        "description": words.oz_description(_READER),
        "contexts": [GUILD, BOT_DM],
        "options": [
            {"type": SUBCOMMAND, "name": name, "description": describe(_READER)}
            for name, describe in (
                ("pending", words.pending_description),
                ("help", words.help_description),
                ("link", words.link_description),
            )
        ],
    }
]


def same(known: Any) -> bool:
    """Whether what Discord has is what we would register."""
    return bool(_told(known) == _told(COMMANDS))


def _told(listed: Any) -> Any:
    if not isinstance(listed, list):
        return None
    return [
        (one.get("name"), one.get("description"), _told(one.get("options") or []))
        for one in listed
        if isinstance(one, dict)
    ]
