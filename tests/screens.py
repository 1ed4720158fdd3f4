"""A chat platform in memory: what stands where, and what it refuses, as a test tells it to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from channels.capabilities import Capabilities
from channels.contract import Destination, Missing, Unfit, Unsure
from channels.worker import Outlet, Worker
from gateway.posts import Posts
from gateway.routes import Target
from tests.waiting import until

if TYPE_CHECKING:
    from aiohttp.web import AbstractRouteDef

    from channels.drawing import Drawing
    from channels.worker import Routed
    from gateway.ask import Ask
    from tests.chats import Chats

CHAT = Capabilities(channel="chat", text=4_000, buttons=5, menu=25, form=10)
"""As most platforms are."""

HOMES = {"T1/U1": "D1", "1001": "D7"}
"""The chats of one person with us, by account; any other account's is called after it."""


_numbers = count(1)


@dataclass
class Message:
    """One message of ours: as drawn, the newest last, and what was said under it."""

    where: Destination
    drawn: list[Drawing]
    notes: list[str] = field(default_factory=list)
    deleted: bool = False

    @property
    def now(self) -> Drawing:
        return self.drawn[-1]


class Call(NamedTuple):
    """One call, as it came; `at_s` by the event loop's clock."""

    name: str
    conversation: str
    at_s: float


@dataclass
class Screen:
    """The transport of such a platform.

    `refuses` is what every call to a conversation is answered with, by its id; `""` answers for
    all of them. `unfit` are drawings it does not take: those with something to press, or all. Posts
    whose answer it `loses`, so many, are made. With `keyed` a key that was used posts nothing, and
    is answered with the message that it made. Where it `talks`, something is said also where a
    deleted message stood.
    """

    now: Callable[[], Awaitable[datetime]] | None = None
    messages: dict[str, Message] = field(default_factory=dict)
    refuses: dict[str, Exception] = field(default_factory=dict)
    unfit: Literal["", "controls", "all"] = ""
    loses: int = 0
    keyed: bool = False
    talks: bool = False
    keys: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    _by_key: dict[str, str] = field(default_factory=dict)

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        self._called("post", where, drawing)
        self.keys.append(key)
        if self.keyed and key in self._by_key:
            return self._by_key[key], 0
        message = f"post-{next(_numbers)}"
        self.messages[message] = Message(where, [drawing])
        self._by_key[key] = message
        if self.loses:
            self.loses -= 1
            raise Unsure("lost")
        at = await self.now() if self.now else None
        return message, int(at.timestamp() * 1000) if at else 0

    async def update(self, where: Destination, message: str, drawing: Drawing) -> None:
        self._called("update", where, drawing)
        self._standing(message).drawn.append(drawing)

    async def note(
        self, where: Destination, message: str, text: str, *, only_under: bool = False
    ) -> None:
        self._called("note", where)
        said_anyway = self.talks and not only_under
        under = self.messages[message] if said_anyway else self._standing(message)
        under.notes.append(text)

    async def direct(self, account: str) -> str:
        home = HOMES.get(account, f"DM:{account}")
        self._called("direct", Destination("", home))
        return home

    async def run(self) -> None:
        """Nothing comes in: a test hands in what people do."""

    def routes(self) -> Sequence[AbstractRouteDef]:
        return ()

    async def aclose(self) -> None:
        """Nothing is held."""

    def _called(self, call: str, where: Destination, drawing: Drawing | None = None) -> None:
        at_s = asyncio.get_running_loop().time()
        self.calls.append(Call(call, where.conversation, at_s))
        error = self.refuses.get(where.conversation) or self.refuses.get("")
        if error is not None:
            raise error
        if drawing and (self.unfit == "all" or (self.unfit and _has_controls(drawing))):
            raise Unfit("refused as drawn")

    def _standing(self, message: str) -> Message:
        found = self.messages.get(message)
        if found is None or found.deleted:
            raise Missing("no such message")
        return found

    # What a test looks at

    def shown(self) -> list[Message]:
        """What stands there now."""
        return [message for message in self.messages.values() if not message.deleted]

    def asks(self) -> list[str]:
        """The ask that each message shows."""
        return [message.now.view.ask_id for message in self.shown()]

    def called(self, name: str, conversation: str | None = None) -> list[Call]:
        """The calls of that name, of one conversation or of all."""
        return [
            call
            for call in self.calls
            if call.name == name and conversation in (None, call.conversation)
        ]

    def in_place(self, conversation: str) -> list[Message]:
        """What stands in that conversation."""
        return [one for one in self.shown() if one.where.conversation == conversation]

    def shows_end(self) -> bool:
        """Whether something stands there, and all of it shows how its ask ended."""
        return bool(self.shown()) and all(one.now.view.outcome for one in self.shown())

    def post_of(self, ask_id: str) -> str | None:
        """The first message that shows the ask."""
        found = self.messages.items()
        return next((name for name, one in found if one.now.view.ask_id == ask_id), None)


def _has_controls(drawing: Drawing) -> bool:
    chosen = drawing.presentation
    return chosen is not None and bool(chosen.buttons or chosen.menus or chosen.ways_out)


def places(*first: Destination, fallback: Sequence[Destination] = ()) -> Routed:
    """Where every ask goes; to `fallback` where none of the first takes it."""
    others = fallback

    def routed(ask: Ask, *, fallback: bool) -> list[Target]:
        return [target_of(where) for where in (others if fallback else first)]

    return routed


def target_of(where: Destination) -> Target:
    """The target that a route to that place has."""
    if where.account is not None:
        return Target(where.channel, where.account, direct=True)
    return Target(where.channel, where.conversation, where.thread)


async def at_rest(*workers: Worker) -> None:
    """Returns once they look at nothing, and mean to look at nothing again."""

    def rest() -> bool:
        return not any(one._looks.running or one._looks.timers or one._others for one in workers)

    await until(rest, "the workers are at rest")


def worker_of(
    chats: Chats,
    screen: Any,
    routed: Routed,
    *,
    owner: str = "w1",
    capabilities: Capabilities = CHAT,
    names: Sequence[str] = ("slack", "telegram"),
    **more: Any,
) -> Worker:
    """A worker whose every channel is that screen."""
    outlets = {name: Outlet(screen, capabilities) for name in names}
    posts = Posts(chats.store, owner)
    return Worker(chats.broker, chats.conversations, posts, chats.everyone, outlets, routed, **more)
