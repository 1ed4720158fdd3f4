"""What passes between a chat platform's adapter and the rest: frozen values and one protocol.

An adapter hands in interactions and is handed texts; it decides nothing about asks, and whatever
it says of a person besides the platform's own id is never trusted as identity.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from channels.present import View
    from gateway.answer import Value
    from gateway.ask import AskRecord


@dataclass(frozen=True, slots=True)
class Destination:
    """A place to post to: a conversation of a channel, perhaps a thread in it.

    The ids are the platform's own. `account` is set for a chat of that one person with us; all
    others are shared.
    """

    channel: str
    conversation: str
    thread: str | None = None
    account: str | None = None

    @property
    def direct(self) -> bool:
        return self.account is not None

    @property
    def name(self) -> str:
        """The conversation, over all channels: `slack:C1`."""
        return f"{self.channel}:{self.conversation}"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who acted, as the platform signs it. `shown` is the name others see, which is no identity.

    `hidden`: the platform does not say who it is (an anonymous admin, a channel speaking).
    """

    account: str
    shown: str = ""
    hidden: bool = False


# What can be pressed


@dataclass(frozen=True, slots=True)
class Pick:
    """One option of an ask with one choice, by its id."""

    option: str


@dataclass(frozen=True, slots=True)
class PressOther:
    """The person wants to write in; their words follow as a message."""


@dataclass(frozen=True, slots=True)
class PressSkip:
    pass


@dataclass(frozen=True, slots=True)
class PressDecline:
    """Declines a question, or denies an approval."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class PressApprove:
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Send:
    """Sends the kept message as the ask's answer. Only its author may."""

    kept: str


@dataclass(frozen=True, slots=True)
class Drop:
    """The kept message was no answer. Only its author may say so."""

    kept: str


Control = Pick | PressOther | PressSkip | PressDecline | PressApprove | Send | Drop


# What comes in


@dataclass(frozen=True, slots=True)
class Pressed:
    """A button. It names its ask and authorises nothing; `event` is the platform's id of the press.

    `message` is the post it was on.
    """

    where: Destination
    sender: Sender
    at: datetime
    event: str
    ask_id: str
    control: Control
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Submitted:
    """A form, with values by field name. An empty field is absent."""

    where: Destination
    sender: Sender
    at: datetime
    event: str
    ask_id: str
    values: Mapping[str, Value]
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """A message, or one that was edited: then `edit` tells this edit from others, `at` stays.

    `at` is when it was sent, by the platform's clock. `text` is as typed, "" where it has no words
    (a photo, a sticker). `reply_to` is the message it is marked as a reply to. `addressed` says
    that it mentions us; `mention`, `names` and `markup` are as in `gateway.reply.Place`.
    """

    where: Destination
    sender: Sender
    at: datetime
    message: str
    text: str
    edit: str | None = None
    reply_to: str | None = None
    addressed: bool = False
    mention: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    markup: bool = False


Interaction = Pressed | Submitted | Typed


# What goes out


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press. `word` is what to type instead, where there is nothing to press."""

    label: str
    word: str
    ask_id: str
    control: Control


@dataclass(frozen=True, slots=True)
class Tell:
    """Something to say back to whoever acted.

    `text` is for their eyes alone. `public` may stand where others read it, for platforms that
    cannot whisper there; None: then nothing is said.
    """

    text: str
    public: str | None = None
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """All that follows from an interaction.

    `settled` is the ask, ended by this very interaction or found ended, so that its posts can be
    redrawn at once. `faults` are a form's, in words, by field name.
    """

    tells: tuple[Tell, ...] = ()
    settled: AskRecord | None = None
    faults: Mapping[str, str] = field(default_factory=dict)


class Transport(Protocol):
    """The way out to one platform; the only part of an adapter with its SDK."""

    async def post(self, where: Destination, view: View) -> tuple[str, int]:
        """Posts an ask; the platform's id of the message, and its time in ms by its own clock."""
        ...

    async def update(self, where: Destination, message: str, view: View) -> None:
        """Draws the post anew."""
        ...
