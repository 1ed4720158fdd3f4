"""What only Telegram needs said: its menu of commands, what a chat is called, where to look."""

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


def for_you_alone(reader: Reader) -> str:
    """In the open, to one who pressed there and whose own chat with us is closed."""
    return reader.language.say(
        "To whoever pressed just now: what came of it is for you alone. Open our private chat and "
        "press Start, then press here again."
    )


def place(reader: Reader, name: str, topic: int | None) -> str:
    """What a route calls the chat in which it was asked."""
    if topic is None:
        return reader.language.say("That chat is {name}.", name=name)
    return reader.language.say("That chat is {name}, thread {topic}.", name=name, topic=topic)
