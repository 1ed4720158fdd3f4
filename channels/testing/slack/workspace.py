"""What Slack keeps of a workspace: people, conversations, messages, views, tickets to answer by.

Nothing here speaks to anybody; `payloads` says how it looks on the wire.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from channels.testing.slack.limits import ELEMENTS, elements_of
from channels.testing.slack.reading import words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MOST_VIEWS = 3
"""Slack's: views on one stack."""
NAMED = frozenset(ELEMENTS) - {"image"}
"""Elements that have an `action_id`."""


class Refused(Exception):
    """Slack's answer to a call it does not take: `code`, with what else it says."""

    def __init__(self, code: str, problems: Sequence[str] = (), **extra: Any) -> None:
        super().__init__(code)
        self.code = code
        self.problems = list(problems)
        self.extra = extra


@dataclass(slots=True)
class User:
    id: str
    name: str
    team: str
    email: str | None = None
    tz: str = "Europe/Berlin"
    locale: str = "en-US"
    bot: bool = False


@dataclass(slots=True)
class Posted:
    """A message. `thread` is its parent's ts, its own where it has replies."""

    conversation: str
    ts: str
    user: str
    text: str
    blocks: list[Any]
    thread: str | None = None
    private_to: str | None = None
    client_msg_id: str | None = None
    metadata: Any = None
    edited: str | None = None
    subtype: str | None = None
    held: dict[str, dict[str, Any]] = field(default_factory=dict)
    """What each person chose on it and did not send: account → block → element → value."""


@dataclass(slots=True)
class Conversation:
    """`kind`: `channel`, `group` (a private channel), `mpim` or `im`."""

    id: str
    name: str
    kind: str
    members: set[str]
    bot: bool = True
    archived: bool = False
    messages: dict[str, Posted] = field(default_factory=dict)
    posted_at: float | None = None
    """When the bot last posted, by the event loop's clock."""


@dataclass(slots=True)
class View:
    id: str
    user: str
    content: dict[str, Any]
    hash: str
    root: str
    previous: str | None = None
    state: dict[str, Any] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Trigger:
    user: str
    expires: float
    view: str | None
    used: bool = False


@dataclass(slots=True)
class ReplyUrl:
    """A `response_url`. `ts`: the message that was acted on."""

    user: str
    conversation: str
    ts: str | None
    thread: str | None
    expires: float
    left: int


@dataclass(slots=True)
class Life:
    """How long Slack's tickets are good, and how often: see `Slack`."""

    trigger_s: float
    reply_url_s: float
    reply_url_uses: int


class Workspace:
    """Everything of one workspace with one app in it."""

    def __init__(
        self, team: str, app: str, bot: User, life: Life, clock: Callable[[], float]
    ) -> None:
        self.team = team
        self.app = app
        self.bot = bot
        self.bot_id = f"B{bot.id[1:]}"
        self.users = {bot.id: bot}
        self.conversations: dict[str, Conversation] = {}
        self.modals: dict[str, list[View]] = {}
        self.homes: dict[str, View] = {}
        self.told: defaultdict[str, list[str]] = defaultdict(list)
        """What only one person was shown, ephemeral messages and failures, by account."""
        self.deleted: set[str] = set()
        """The `client_msg_id`s of messages that are gone."""
        self._life = life
        self._clock = clock
        self._triggers: dict[str, Trigger] = {}
        self._reply_urls: dict[str, ReplyUrl] = {}
        self._last_ts = 0
        self._numbers = count(1)

    # Names

    def ts(self) -> str:
        """A moment by Slack's clock, unlike all before it."""
        self._last_ts = max(self._last_ts + 1, int(self._clock() * 1_000_000))
        return f"{self._last_ts // 1_000_000}.{self._last_ts % 1_000_000:06d}"

    def seconds(self) -> int:
        return int(self._clock())

    def new_id(self, letter: str) -> str:
        return f"{letter}{next(self._numbers):09d}"

    def named(self, name: str) -> str:
        """What people read for an id."""
        if name in self.users:
            return self.users[name].name
        return self.conversations[name].name if name in self.conversations else name

    # Conversations

    def dm(self, account: str) -> Conversation:
        """The bot's conversation with one person, made where it is missing."""
        name = f"D{account[1:]}"
        if name not in self.conversations:
            self.conversations[name] = Conversation(name, name, "im", {account})
        return self.conversations[name]

    def conversation(self, name: str) -> Conversation:
        """Raises: LookupError."""
        if name not in self.conversations:
            raise LookupError(f"no conversation {name!r} among {list(self.conversations)}")
        return self.conversations[name]

    def add(self, message: Posted) -> Posted:
        self.conversations[message.conversation].messages[message.ts] = message
        return message

    def read(self, message: Posted) -> str:
        """A message's words."""
        return words(message.blocks, message.text, self.named)

    def whisper(self, account: str, message: Posted) -> None:
        """Shows a message to one person."""
        message.private_to = account
        self.add(message)
        self.told[account].append(self.read(message))

    def fill(self, blocks: Sequence[Mapping[str, Any]]) -> list[Any]:
        """Blocks with the ids and flags that Slack adds where they were left out."""
        done = [{**block, "block_id": block.get("block_id") or self._name()} for block in blocks]
        for block in done:
            for place in ("elements", "element", "accessory"):
                if place in block:
                    block[place] = self._named(block[place])
        return [_flagged(block) for block in done]

    def _named(self, part: Any) -> Any:
        if isinstance(part, list):
            return [self._named(one) for one in part]
        if part["type"] in NAMED:
            return {**part, "action_id": part.get("action_id") or self._name()}
        return part

    def _name(self) -> str:
        return f"x{next(self._numbers):04d}"

    # Tickets

    def trigger(self, user: str, view: str | None = None) -> str:
        name = f"{next(self._numbers)}.{self.team}.{uuid4().hex}"
        expires = asyncio.get_running_loop().time() + self._life.trigger_s
        self._triggers[name] = Trigger(user, expires, view)
        return name

    def spend(self, name: Any) -> Trigger:
        """The trigger, spent by this. Raises: Refused."""
        trigger = self._triggers.get(name) if isinstance(name, str) else None
        if trigger is None:
            raise Refused("invalid_trigger_id")
        if trigger.used:
            raise Refused("exchanged_trigger_id")
        if asyncio.get_running_loop().time() > trigger.expires:
            raise Refused("expired_trigger_id")
        trigger.used = True
        return trigger

    def reply_url(self, user: str, conversation: str, ts: str | None, thread: str | None) -> str:
        """A ticket to answer by; the last part of its URL."""
        name = uuid4().hex
        expires = asyncio.get_running_loop().time() + self._life.reply_url_s
        self._reply_urls[name] = ReplyUrl(
            user, conversation, ts, thread, expires, self._life.reply_url_uses
        )
        return name

    def use(self, name: str) -> ReplyUrl:
        """The ticket, used once more. Raises: Refused."""
        ticket = self._reply_urls.get(name)
        if ticket is None:
            raise Refused("invalid_url")
        if asyncio.get_running_loop().time() > ticket.expires:
            raise Refused("expired_url")
        if ticket.left <= 0:
            raise Refused("used_url")
        ticket.left -= 1
        return ticket

    # Views

    def view(self, user: str, content: Mapping[str, Any], under: View | None = None) -> View:
        """A view of that person, ready to be shown; `under` is the one it is pushed on."""
        name = self.new_id("V")
        kept = {**content, "blocks": self.fill(content["blocks"])}
        root, previous = (under.root, under.id) if under else (name, None)
        return View(name, user, kept, uuid4().hex, root, previous)

    def redraw(self, view: View, content: Mapping[str, Any]) -> None:
        """Puts new content in a view; what was filled in stays where its ids stay."""
        view.content = {**content, "blocks": self.fill(content["blocks"])}
        view.hash = uuid4().hex
        view.errors = {}
        names = {
            (block["block_id"], one["action_id"]) for block, one in asked(view.content["blocks"])
        }
        view.state = {
            block: kept
            for block, held in view.state.items()
            if (kept := {name: one for name, one in held.items() if (block, name) in names})
        }

    def views(self) -> list[View]:
        return [*self.homes.values(), *(one for stack in self.modals.values() for one in stack)]

    def push(self, view: View) -> None:
        """Raises: Refused."""
        stack = self.modals.setdefault(view.user, [])
        if len(stack) >= MOST_VIEWS:
            raise Refused("push_limit_reached")
        stack.append(view)


def asked(blocks: Sequence[Mapping[str, Any]]) -> list[tuple[Any, Any]]:
    """What can be acted on: each element, with its block before it."""
    return [(block, one) for block in blocks for one in elements_of(block)]


def _flagged(part: Any) -> Any:
    """Slack answers `emoji` with every plain text and `verbatim` with every other."""
    if isinstance(part, list):
        return [_flagged(one) for one in part]
    if not isinstance(part, dict):
        return part
    flag = {"plain_text": {"emoji": True}, "mrkdwn": {"verbatim": False}}
    return {**flag.get(str(part.get("type")), {}), **{key: _flagged(v) for key, v in part.items()}}
