"""What only Discord has to say: forms close before they are read, messages are hidden. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.shown import line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from channels.catalogue import Reader


def not_sent(reader: Reader, faults: Iterable[tuple[str, str]]) -> str:
    """A form with something wrong in it: its entries by name, each with what is wrong."""
    lines = "\n".join(_named(line(name), fault) for name, fault in faults)
    said = reader.language.say("Not sent yet. Press the button to change what is wrong.")
    return f"{said}\n\n{lines}"


def _named(name: str, fault: str) -> str:
    """What is wrong, under its name; some of it has that already."""
    return fault if fault.startswith(f"{name}:") else f"{name}: {fault}"


def go_on(reader: Reader, title: str) -> str:
    """Between two pages of a form."""
    return reader.language.say("{title}. So far kept; press the button for this part.", title=title)


def form_is_ready(reader: Reader) -> str:
    """The form took longer than Discord waits for one."""
    return reader.language.say("The form is ready now: press the button.")


def no_form(reader: Reader) -> str:
    """Discord did not take the form."""
    return reader.language.say("The form cannot be shown here. Please reply to the question.")


def unreadable(reader: Reader) -> str:
    """A reply without its ping, to an app that may read only what is meant for it."""
    return reader.language.say(
        "I cannot read this message: Discord shows me only messages that mention me. "
        "Reply with the ping on, mention me, or press a button."
    )


def pending_description(reader: Reader) -> str:
    return reader.language.say("What waits for an answer here")


def help_description(reader: Reader) -> str:
    return reader.language.say("How to answer")


def link_description(reader: Reader) -> str:
    return reader.language.say("Connect this account to you")


def oz_description(reader: Reader) -> str:
    return reader.language.say("Questions that wait for an answer")
