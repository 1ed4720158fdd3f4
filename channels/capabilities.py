"""What a chat platform can draw: numbers with their source, and how it counts a text's length.

A channel states its own; `channels.plan` is the only reader that chooses by them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Reach(StrEnum):
    """What in a shared place comes to us, and is known to be about the question there."""

    THREAD = "thread"
    """A message in its thread; there is no other reply."""
    REPLY = "reply"
    """A reply to its message."""
    EITHER = "either"
    """Both."""
    PING = "ping"
    """A reply that mentions us, as all that we may read there does."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """One channel's. A capability that is 0 or False is not there.

    Each channel writes the source of every number beside it (`channels/<name>/render.py`).
    """

    channel: str
    text: int
    """The longest message, as `measure` counts."""
    measure: Callable[[str], int] = len
    """The length of a plain text once it is written the platform's way: escapes, units and all."""
    label: int = 30
    """Visible characters of a button's or an option's label that people get to see."""
    buttons: int = 0
    """The most buttons beside Skip, Decline or Other on a post that people still read at a glance,
    and that the platform takes."""
    menu: int = 0
    """The most options in one menu on a post."""
    menus: int = 1
    """The most menus on a post."""
    form: int = 0
    """The most fields on one page of a form."""
    inline: bool = False
    """The form stands on the post itself."""
    steps: bool = False
    """A form can be walked through, field by field, on a message that edits itself."""
    stamps: bool = False
    """A time can be written so that each reader sees it in their own zone."""
    links: bool = False
    """A control can open an address."""
    reach: Reach | None = Reach.REPLY
    """None where there are no shared places."""

    @property
    def has_controls(self) -> bool:
        """Whether there is anything to press."""
        return self.buttons > 0 or self.inline


PLAIN = Capabilities(channel="terminal", text=1_000_000, reach=None)
"""A surface with nothing to press: the numbered text is all."""
