"""What passes between a chat platform's adapter and the rest: frozen values and one protocol.

An adapter hands in interactions and is handed texts; it decides nothing about asks, and whatever
it says of a person besides the platform's own id is never trusted as identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from aiohttp.web import AbstractRouteDef

    from channels.capabilities import Capabilities
    from channels.desk import Desk
    from channels.drawing import Drawing
    from channels.forms import Form, Reason, Walk
    from gateway.answer import Value
    from gateway.ask import AskRecord
    from gateway.question import Frozen
    from gateway.routes import Target


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
class PickToggle:
    """Yes or no, of an ask with one toggle."""

    yes: bool


@dataclass(frozen=True, slots=True)
class OpenForm:
    """Asks for the form, or for a later page of it (0-based)."""

    page: int = 0


@dataclass(frozen=True, slots=True)
class AskReason:
    """Wants to decline or deny, and to say why first."""


@dataclass(frozen=True, slots=True)
class Step:
    """One press in a form that is walked through field by field, on a message that edits itself.

    `field` is the 0-based number of the field it is about; `option` the 0-based one of its options.
    """

    act: StepAct
    field: int = 0
    option: int = 0


class StepAct(StrEnum):
    """`pick` chooses one and goes on (of a toggle, 1 is yes and 0 no); `toggle` is one of several,
    `done` ends them; `day` is that many days from today; `other` says that own words follow;
    `send` ends the review.
    """

    START = "start"
    PICK = "pick"
    TOGGLE = "toggle"
    DONE = "done"
    DAY = "day"
    OTHER = "other"
    LEAVE = "leave"
    BACK = "back"
    SEND = "send"


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


Control = (
    Pick
    | PickToggle
    | PressOther
    | PressSkip
    | PressDecline
    | PressApprove
    | OpenForm
    | AskReason
    | Step
    | Send
    | Drop
)


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
    """A form, or one page of it, with values by field name. An empty field is absent.

    `texts` are what was typed into a plain line for a field of another kind, as typed: they are
    read as a reply is. `page` is the 0-based page where the form has `pages`. `shown` are the
    fields that it had an input for, None for all: the others stay as they are kept.
    """

    where: Destination
    sender: Sender
    at: datetime
    event: str
    ask_id: str
    values: Mapping[str, Value]
    message: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    page: int = 0
    pages: int = 1
    shown: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Typed:
    """A message, or one that was edited: then `edit` tells this edit from others, `at` stays.

    `at` is when it was sent, by the platform's clock. `text` is as typed, "" where it has no words
    (a photo, a sticker). `reply_to` is the message it is marked as a reply to. `addressed` says
    that it mentions us; `mention`, `names` and `markup` are as in `gateway.reply.Place`. `private`:
    nobody else sees it, nor what is said to it (a command).
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
    private: bool = False


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
    redrawn at once. `faults` are a form's, in words, by field name. `form` is to be opened: it was
    asked for, or it is the next page. `step` is a walk as it stands now; after a typed message it
    says all that `tells` say, for a transport that draws it.
    """

    tells: tuple[Tell, ...] = ()
    settled: AskRecord | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    form: Form | Reason | None = None
    step: Walk | None = None


# What can go wrong on the way out. The worker's policy for each stands in `channels.worker`.


class PostError(Exception):
    """A call that the platform did not take. `code` is its own; never a text it sent."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Later(PostError):
    """Not now: rate limited, or the platform is away. Nothing was posted. `after_s` from now."""

    def __init__(self, code: str, after_s: float | None = None) -> None:
        super().__init__(code)
        self.after_s = after_s


class Unsure(PostError):
    """The answer was lost: it may have been posted."""


class Unreachable(PostError):
    """That place takes no post of ours: the bot was removed, the chat is gone, we were blocked."""


class Shut(PostError):
    """No place takes one: the token was revoked, a right is missing, the account is closed."""


class Missing(PostError):
    """The message to be drawn anew is not there any more."""


class Moved(PostError):
    """The conversation has another id now."""

    def __init__(self, code: str, conversation: str) -> None:
        super().__init__(code)
        self.conversation = conversation


class Unfit(PostError):
    """The platform refuses what was drawn; plain text may do."""


class Transport(Protocol):
    """The way out to one platform; with its way in, the only part of an adapter with its SDK."""

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        """Posts an ask; the platform's id of the message, and its time in ms by its own clock.

        `key` is the same for each try of one post, for platforms that then post once.

        Raises: PostError.
        """
        ...

    async def update(self, where: Destination, message: str, drawing: Drawing) -> None:
        """Draws the post anew. Raises: PostError."""
        ...

    async def note(
        self, where: Destination, message: str, text: str, *, only_under: bool = False
    ) -> None:
        """Says something under the post: in its thread, or as a reply to it. Raises: PostError.

        `only_under`: nothing is said where the post is gone (`Missing`), if the platform tells.
        """
        ...

    async def direct(self, account: str) -> str:
        """The conversation of that one account with us, opened if need be. Raises: PostError."""
        ...

    async def run(self) -> None:
        """Takes what people do to the desk, over the platform's own way in, until cancelled.

        Lost connections are its own to mend. Raises: PostError (`Shut`), nothing will come.
        """
        ...

    def routes(self) -> Sequence[AbstractRouteDef]:
        """What it wants served on the port that platforms may reach; () where it dials out."""
        ...

    async def aclose(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing `oz0 doctor` looked at. `mend` says how to mend it, where it is wrong.

    `fine` is None where it could not be seen, and `mend` says what tells. `passing`: it could not
    for now only, as the platform is down or limits us.
    """

    what: str
    fine: bool | None
    mend: str = ""
    passing: bool = False


class Channel(Protocol):
    """A chat platform and its adapter, as its entry point (`oz_gateway.channels`) names it.

    Nothing of the platform's SDK is imported before `open` or `examine` is called.
    """

    @property
    def name(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    @property
    def settings(self) -> type[Frozen]:
        """The keys of `[channel.<name>]`; each may come as `OZ_<NAME>_<KEY>` too."""
        ...

    def open(self, settings: Any, desk: Desk) -> Transport:
        """The transport, not connected yet."""
        ...

    async def examine(self, settings: Any, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
        """What is right and wrong with the account, its rights and its settings.

        `rooms` are where routes lead to: whether each can be posted to. Whatever the platform
        answers is a finding, and never raised.
        """
        ...
