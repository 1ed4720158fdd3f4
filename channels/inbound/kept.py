"""A typed message kept until its author says what it is for, as JSON and back. Pure."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from channels.contract import Destination, Sender, Typed

if TYPE_CHECKING:
    from collections.abc import Mapping

NAME_BYTES = 5
"""Ours: ten hex digits, so that a button's data holds them beside an ask's id."""


def event_of(typed: Typed) -> str:
    """The event a message is: the same for each delivery of it, another for each edit."""
    return f"{message_of(typed)}:{typed.edit or '0'}"


def first_event_of(typed: Typed) -> str:
    """The event that the message was before any edit."""
    return f"{message_of(typed)}:0"


def message_of(typed: Typed) -> str:
    return f"{typed.where.name}:{typed.message}"


def kept_name(typed: Typed) -> str:
    """What buttons call the kept message by."""
    return blake2b(event_of(typed).encode(), digest_size=NAME_BYTES).hexdigest()


def to_dict(typed: Typed) -> dict[str, Any]:
    """The message as JSON values."""
    return asdict(typed) | {"at": typed.at.isoformat()}


def from_dict(kept: Mapping[str, Any]) -> Typed:
    """The message that `to_dict` made that of."""
    return Typed(
        where=Destination(**kept["where"]),
        sender=Sender(**kept["sender"]),
        at=datetime.fromisoformat(kept["at"]),
        message=kept["message"],
        text=kept["text"],
        edit=kept["edit"],
        reply_to=kept["reply_to"],
        addressed=kept["addressed"],
        mention=tuple(kept["mention"]),
        names=tuple((mention, name) for mention, name in kept["names"]),
        markup=kept["markup"],
        private=kept.get("private", False),  # not in what earlier versions kept
    )
