"""What the four fake platforms share: a server, faults on demand, and chats a test can look at.

A fake keeps what the platform would keep and refuses what it would refuse; what a test wants to
know it reads from here, never from the code under test.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Self, TypeVar

from aiohttp import web

T = TypeVar("T")

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence
    from types import TracebackType

WITHIN_S = 10.0
"""Ours: how long a test waits for something that takes milliseconds on a machine at rest."""

LONG_POLL = "/getUpdates"
"""How a call ends that waits for what people do: Telegram's."""


@dataclass(frozen=True, slots=True)
class Control:
    """Something to press or choose on a message. `options` are a menu's labels, in order."""

    label: str
    name: str
    kind: str = "button"
    """`button`, `menu`, `input` or `link`."""
    options: tuple[str, ...] = ()
    enabled: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """A message as people see it now. `text` is all of its words, as plain text, controls aside.

    `private_to` is the only account that sees it. `raw` is what the platform holds of it.
    """

    id: str
    conversation: str
    author: str
    text: str
    controls: tuple[Control, ...] = ()
    thread: str | None = None
    private_to: str | None = None
    edited: bool = False
    raw: Any = None

    def control(self, label: str) -> Control:
        """The control of that label. Raises: LookupError, naming those there are."""
        for control in self.controls:
            if label in (control.label, control.name):
                return control
        raise LookupError(f"no {label!r} among {[control.label for control in self.controls]}")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to fill in on a form."""

    label: str
    name: str
    kind: str
    """`text`, `number`, `date`, `choice`, `choices` or `toggle`, as the platform draws it."""
    options: tuple[str, ...] = ()
    required: bool = False
    value: Any = None


@dataclass(frozen=True, slots=True)
class Form:
    """A form that is open in front of somebody. `errors` stand beside entries, by name."""

    id: str
    account: str
    title: str
    entries: tuple[Entry, ...]
    text: str = ""
    errors: dict[str, str] = field(default_factory=dict)
    raw: Any = None


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the platform's API. `refused` is the platform's own code, None where it took it.

    `at` is seconds of the event loop's clock, as the call arrived.
    """

    method: str
    payload: dict[str, Any]
    at: float
    refused: str | None = None


@dataclass(slots=True)
class Fault:
    """What happens to the next calls of a method instead of an answer.

    `status` and `body` are answered as they are, with `headers`. `lost`: the call has its effect,
    and the connection breaks before the answer. `delay_s` comes first, for faults and others.
    """

    method: str
    times: int = 1
    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    lost: bool = False
    delay_s: float = 0.0


class Platform(ABC):
    """Base of the four. `async with` starts it on a free port of the loopback interface."""

    name = ""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.faults: deque[Fault] = deque()
        self.down = False
        """While true, every connection is closed without an answer."""
        self.slow_s = 0.0
        """Every call takes effect as it arrives, and is answered so many seconds later."""
        self._changed = asyncio.Condition()
        self._leaving = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self.url = ""

    # Life

    @abstractmethod
    def routes(self, app: web.Application) -> None:
        """Adds the platform's routes."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=8 * 1024 * 1024, middlewares=[self._outage])
        self.routes(app)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"http://{host}:{port}"
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._leaving.set()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._runner is not None:
            await self._runner.cleanup()

    def spawn(self, work: Any) -> None:
        """Runs a coroutine until it ends or the platform stops."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Faults

    def fail(self, method: str, **how: Any) -> None:
        """The next call of `method` (`*`: of any) meets a `Fault` of those values."""
        self.faults.append(Fault(method, **how))

    def take(self, method: str) -> Fault | None:
        """The fault this call meets, counted down; its delay is the caller's to wait for.

        For a server that runs in a thread of its own; others call `fault`.
        """
        # A copy: the other thread may take one meanwhile.
        found = next((one for one in list(self.faults) if one.method in (method, "*")), None)
        if found is None:
            return None
        found.times -= 1
        if found.times <= 0:
            self.faults.remove(found)
        return found

    async def fault(self, method: str) -> Fault | None:
        """The fault this call meets, after its delay; None: it is answered as usual."""
        found = self.take(method)
        if found is None:
            return None
        if found.delay_s:
            await asyncio.sleep(found.delay_s)
        return found if found.lost or found.status is not None else None

    async def note(self, call: Call) -> None:
        """Remembers a call, and wakes whoever waits for a change."""
        self.calls.append(call)
        await self.changed()

    def count(self, method: str) -> int:
        """How many calls of a method were taken."""
        return sum(call.method == method and call.refused is None for call in self.calls)

    # Looking

    async def listened_to(self) -> None:  # noqa: B027 - most keep it, and need nothing here
        """Returns once a bot hears what people do; at once where the platform keeps it for them."""

    @abstractmethod
    def messages(self, conversation: str, *, account: str | None = None) -> list[Message]:
        """What stands in a conversation, oldest first; with `account`, private ones of theirs."""

    @abstractmethod
    def told(self, account: str) -> list[str]:
        """What only that account was told, oldest first: whispers, toasts, alerts."""

    @abstractmethod
    def form(self, account: str) -> Form | None:
        """The form that is open in front of them."""

    async def changed(self) -> None:
        """Wakes those who wait in `until`."""
        async with self._changed:
            self._changed.notify_all()

    async def until(self, look: Callable[[], T], *, within_s: float = WITHIN_S) -> T:
        """What `look` returns once that is true. Raises: TimeoutError, with the calls so far."""
        try:
            async with asyncio.timeout(within_s), self._changed:
                while not (found := look()):
                    await self._changed.wait()
                return found
        except TimeoutError:
            made = [f"{call.method} {call.refused or 'ok'}" for call in self.calls[-20:]]
            raise TimeoutError(
                f"{self.name}: not seen within {within_s} s; calls: {made}"
            ) from None

    @asynccontextmanager
    async def outage(self) -> AsyncGenerator[None, None]:
        """The platform is away while this is open."""
        self.down = True
        try:
            yield
        finally:
            self.down = False
            await self.changed()

    # Acting as a person

    @abstractmethod
    async def press(self, account: str, message: Message, label: str) -> None:
        """Presses a button by its label. Raises: LookupError for one that is not there."""

    @abstractmethod
    async def choose(
        self, account: str, message: Message, label: str, options: Sequence[str]
    ) -> None:
        """Chooses in a menu on a message, by labels. Raises: LookupError."""

    @abstractmethod
    async def submit(self, account: str, values: dict[str, Any]) -> None:
        """Fills in their open form by entry labels or names, and sends it.

        What the platform's own client checks is checked first. Raises: ValueError, LookupError.
        """

    @abstractmethod
    async def type(
        self,
        account: str,
        conversation: str,
        text: str,
        *,
        thread: str | None = None,
        reply_to: str | None = None,
    ) -> str:
        """Writes a message; its id."""

    @abstractmethod
    async def edit(self, account: str, conversation: str, message: str, text: str) -> None:
        """Edits a message of theirs."""

    # A page to look at

    def named(self, account: str) -> str:
        """What people call an account."""
        return account

    def html(self, conversation: str, *, account: str | None = None) -> str:
        """The conversation as a plain page, for people and pictures."""
        rows = []
        for one in self.messages(conversation, account=account):
            controls = "".join(
                f'<span class="{one.kind}">{escape(one.label)}</span>' for one in one.controls
            )
            rows.append(
                f"<article><b>{escape(self.named(one.author))}</b><pre>{escape(one.text)}</pre>{controls}</article>"
            )
        return PAGE.format(title=escape(f"{self.name}: {conversation}"), body="\n".join(rows))

    @web.middleware
    async def _outage(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self.down:
            cut(request)
        answer: web.StreamResponse = await handler(request)
        # What streams was answered long ago; a long poll waits for people as it is.
        if self.slow_s and not answer.prepared and not request.path.endswith(LONG_POLL):
            with suppress(TimeoutError):
                async with asyncio.timeout(self.slow_s):
                    await self._leaving.wait()
        return answer


def cut(request: web.Request) -> None:
    """Breaks the connection, so that whoever called gets no answer."""
    if request.transport is not None:
        request.transport.abort()
    raise ConnectionResetError("the fake platform closed the connection")


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.45 sans-serif; margin: 24px; max-width: 640px; color: #1d1c1d }}
article {{ border-top: 1px solid #ddd; padding: 10px 0 }}
pre {{ font: inherit; white-space: pre-wrap; margin: 4px 0 8px }}
span {{ display: inline-block; border: 1px solid #999; border-radius: 5px; padding: 5px 10px;
  margin: 0 6px 6px 0 }}
.menu::after {{ content: " \\25be" }}
</style><h1>{title}</h1>{body}</html>"""
