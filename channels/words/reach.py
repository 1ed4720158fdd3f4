"""Where to write so that it comes to us: only what works in that place. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.capabilities import Reach
from channels.catalogue import message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.catalogue import Reader

REPLY: Mapping[Reach, str] = {
    Reach.THREAD: message("Reply in the question's thread."),
    Reach.REPLY: message("Reply to the question's message."),
    Reach.EITHER: message("Reply to the question's message, or in its thread."),
    Reach.PING: message("Reply to the question's message with the ping on, or mention me."),
}
"""Read on the post, and in what is said under it."""

WRITE: Mapping[Reach | None, str] = {
    None: message("Write your own words; the next message is sent as your answer."),
    Reach.THREAD: message(
        "Write your own words in the question's thread; "
        "your next message there is sent as your answer."
    ),
    Reach.REPLY: message(
        "Write your own words as a reply to the question's message; they are sent as your answer."
    ),
    Reach.EITHER: message(
        "Write your own words as a reply to the question's message, or in its thread; "
        "they are sent as your answer."
    ),
    Reach.PING: message(
        "Write your own words as a reply to the question's message, with the ping on; "
        "they are sent as your answer."
    ),
}
"""After Other, by what comes to us from there."""


def where(reader: Reader) -> str:
    """Where a reply is to stand; "" where all that is written comes to us."""
    return "" if reader.reach is None else reader.language.say(REPLY[reader.reach])


def write_words(reader: Reader) -> str:
    """After Other."""
    return reader.language.say(WRITE[reader.reach])
