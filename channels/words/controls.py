"""What stands on buttons and forms, and the sentence that invites to them. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.catalogue import message
from channels.shown import line
from gateway.ask import AskKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.catalogue import Reader
    from gateway.ask import Ask

INVITATIONS: Mapping[str, str] = {
    "buttons": message("Press a button, or answer in words."),
    "menu": message("Choose from the menu, or answer in words."),
    "form": message('Press "Answer" for a form, or answer in words.'),
    "card": message("Fill it in here, or answer in words."),
    "steps": message('Press "Answer" to go through it step by step, or answer in words.'),
    "text": "",
}
"""By `channels.plan.Way`; what to reply with follows."""


def invitation(reader: Reader, way: str) -> str:
    """How to answer without typing; "" where there is nothing to press."""
    return reader.language.say(INVITATIONS[way]) if INVITATIONS[way] else ""


def answer(reader: Reader) -> str:
    """The button that opens the form."""
    return reader.language.say("Answer")


def answer_label(reader: Reader) -> str:
    """The one entry of a form for a question with one field."""
    return reader.language.say("Your answer")


def form_title(reader: Reader, ask: Ask, page: int, pages: int) -> str:
    """Who asks, and which page it is where there are several."""
    say = reader.language.say
    if pages == 1:
        return say("{agent} asks", agent=line(ask.agent))
    return say("{agent} asks, {page} of {pages}", agent=line(ask.agent), page=page + 1, pages=pages)


def send(reader: Reader) -> str:
    return reader.language.say("Send")


def go_on(reader: Reader) -> str:
    """To the next page."""
    return reader.language.say("Continue")


def close(reader: Reader) -> str:
    """Closes a form, and sends nothing."""
    return reader.language.say("Close")


def kept(reader: Reader, label: str) -> str:
    """In a form, for what was written before and is too long for its input there."""
    return reader.language.say(
        "{field}: kept as you wrote it. To change it, reply in words.", field=label
    )


def yes(reader: Reader) -> str:
    return reader.language.say("Yes")


def no(reader: Reader) -> str:
    return reader.language.say("No")


def other(reader: Reader) -> str:
    """To answer a choice in one's own words."""
    return reader.language.say("Other…")


def skip(reader: Reader) -> str:
    return reader.language.say("Skip")


def approve(reader: Reader) -> str:
    return reader.language.say("Approve")


def decline(reader: Reader, ask: Ask) -> str:
    """Declines a question, denies an approval."""
    if ask.kind is AskKind.APPROVAL:
        return reader.language.say("Deny")
    return reader.language.say("Decline")


def why(reader: Reader) -> str:
    """The entry for a reason, which may stay empty."""
    return reader.language.say("Why? (may be left out)")


def choose(reader: Reader) -> str:
    """Stands in a menu until something is chosen."""
    return reader.language.say("Choose…")


def open_in_oz(reader: Reader) -> str:
    return reader.language.say("Open in OZ")


def above(reader: Reader) -> str:
    """In the last of several messages: the question did not fit into it."""
    return reader.language.say("The question stands above.")
