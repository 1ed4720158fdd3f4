"""What only Telegram needs said: its menu of commands, and what a chat of it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.catalogue import message

if TYPE_CHECKING:
    from channels.catalogue import Reader

COMMANDS = (
    ("pending", message("What waits for you")),
    ("help", message("How to answer")),
    ("link", message("What your account is called here")),
)


def place(reader: Reader, name: str, topic: int | None) -> str:
    """What a route calls the chat in which it was asked."""
    if topic is None:
        return reader.language.say("That chat is {name}.", name=name)
    return reader.language.say("That chat is {name}, thread {topic}.", name=name, topic=topic)
