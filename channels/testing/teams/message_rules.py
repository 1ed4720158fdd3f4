"""Which messages the connector refuses, whatever conversation they are for.

Plain functions of an activity's JSON; each refusal has the service's own status and code.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from channels.testing.teams.card_rules import CardRefused, check
from channels.testing.teams.rooms import ADAPTIVE, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

MESSAGE_BYTES = 100 * 1024
"""Text, mentions and cards of one message, in UTF-16."""

CARD_BYTES = 28 * 1024
"""What older pages allow a card; newer ones have only the limit of the whole message."""

FORMATS = ("markdown", "plain", "xml")
SIMPLE_CARDS = (
    "application/vnd.microsoft.card.hero",
    "application/vnd.microsoft.card.thumbnail",
)
MOST_BUTTONS = 6
"""On a hero or thumbnail card."""


def check_message(
    activity: Any,
    names: Mapping[str, str],
    *,
    message_bytes: int = MESSAGE_BYTES,
    card_bytes: int | None = CARD_BYTES,
) -> None:
    """Raises: Refused, for an activity that the service does not take as a message.

    `names` are those who can be mentioned, by account.
    """
    if not isinstance(activity, dict) or activity.get("type") not in ("message", "typing"):
        raise Refused(400, "BadSyntax", "Unknown activity type")
    if activity["type"] == "typing":
        return
    text, attachments = activity.get("text") or "", activity.get("attachments") or []
    if not text and not attachments:
        raise Refused(
            400,
            "BadSyntax",
            "Activity must include non empty 'text' field or at least 1 attachment",
        )
    if (activity.get("textFormat") or "markdown") not in FORMATS:
        raise Refused(400, "BadArgument", "Unknown text format")
    if activity.get("suggestedActions") and attachments:
        raise Refused(400, "BadArgument", "Suggested actions go with no attachments")
    _check_size(activity, message_bytes)
    for one in attachments:
        _check_attachment(one, card_bytes)
    _check_mentions(activity, text, attachments, names)


def _check_size(activity: dict[str, Any], most: int) -> None:
    try:
        size = _utf16_bytes(activity)
    except UnicodeEncodeError as error:
        raise Refused(400, "BadSyntax", "Half a character in the text") from error
    if size > most:
        raise Refused(413, "MessageSizeTooBig", "Message size too large.")


def _check_mentions(
    activity: dict[str, Any], text: str, attachments: list[Any], names: Mapping[str, str]
) -> None:
    cards = [one["content"] for one in attachments if one["contentType"] == ADAPTIVE]
    for entity in activity.get("entities") or []:
        _check_mention(entity, text, names)
    for card in cards:
        for entity in (card.get("msteams") or {}).get("entities") or []:
            _check_mention(entity, json.dumps(card, ensure_ascii=False), names)


def _check_attachment(attachment: Any, most: int | None) -> None:
    kind = attachment.get("contentType") if isinstance(attachment, dict) else None
    content = attachment.get("content") if isinstance(attachment, dict) else None
    if kind == ADAPTIVE:
        try:
            check(content)
        except CardRefused as error:
            raise Refused(400, "BadArgument", f"Adaptive Card: {error}") from error
        if most is not None and len(json.dumps(content, ensure_ascii=False).encode()) > most:
            raise Refused(413, "MessageSizeTooBig", "Message size too large.")
    elif kind in SIMPLE_CARDS:
        if len((content or {}).get("buttons") or []) > MOST_BUTTONS:
            raise Refused(400, "BadArgument", f"A card has at most {MOST_BUTTONS} buttons")
    elif not str(kind).startswith("image/"):
        raise Refused(400, "BadArgument", f"Unknown attachment type {kind}")


def _utf16_bytes(activity: dict[str, Any]) -> int:
    """How the service measures a message; images inside it do not count."""
    written = json.dumps(activity, ensure_ascii=False, separators=(",", ":"))
    return len(re.sub(r'"data:image/[^"]*"', '""', written).encode("utf-16-le"))


def _check_mention(entity: Any, text: str, names: Mapping[str, str]) -> None:
    if not isinstance(entity, dict) or entity.get("type") != "mention":
        return
    shown = entity.get("text") or ""
    if not re.fullmatch(r"<at>.+</at>", shown) or shown not in text:
        raise Refused(400, "BadArgument", "A mention's text is not in the message")
    if (entity.get("mentioned") or {}).get("id") not in names:
        raise Refused(400, "BadArgument", "Mentioned user is not in the conversation")
