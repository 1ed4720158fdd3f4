"""The terminal's transport: prints posts, and hands in each line as a message while an ask waits.

A line is read only when something waits, so that piped answers meet their questions in order.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from channels.contract import Destination, Pressed, Sender, Typed
from channels.terminal import render
from channels.words import told
from gateway.errors import Unavailable
from gateway.fold import fold

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from aiohttp.web import AbstractRouteDef

    from channels.catalogue import Reader
    from channels.contract import Button, Interaction, Response
    from channels.desk import Desk
    from channels.drawing import Drawing
    from channels.terminal.lines import Lines

CHANNEL = "terminal"


class Pen(Protocol):
    """Writes to the terminal. Whoever holds `lock` writes on without another's lines between."""

    lock: asyncio.Lock

    def post(self, text: str) -> None:
        """An ask, or how it ended."""
        ...

    def said(self, text: str) -> None:
        """What is said back."""
        ...

    def prompt(self) -> None:
        """A line is wanted."""
        ...

    def heard(self, line: str) -> None:
        """A line has come."""
        ...


class Terminal:
    """One terminal, and the one person at it.

    Args:
        account: the account of that person; `terminal:<account>` is their identity in the config.
        reader: that person as a reader, for what is said beside any ask.
        pen: where it is written.
        lines: what is typed.
        now: the terminal's clock, aware.
        desk: where a line goes.
    """

    def __init__(
        self,
        account: str,
        reader: Reader,
        pen: Pen,
        lines: Lines,
        now: Callable[[], datetime],
        desk: Desk,
    ) -> None:
        # A session's messages are its own: the same number in the next one is another message.
        self.where = Destination(CHANNEL, uuid4().hex, account=account)
        self._sender = Sender(account)
        self._reader = reader
        self._pen = pen
        self._lines = lines
        self._now = now
        self._desk = desk
        self._waiting: set[str] = set()
        self._something = asyncio.Event()
        self._offered: tuple[Button, ...] = ()
        self._number = 0

    async def post(self, _where: Destination, drawing: Drawing, _key: str) -> tuple[str, int]:
        """Prints the ask. See `channels.contract.Transport`."""
        async with self._pen.lock:
            self._pen.post(drawing.text)
        self._waiting.add(drawing.view.ask_id)
        self._something.set()
        return self._message(), int(self._now().timestamp() * 1000)

    async def update(self, _where: Destination, _message: str, drawing: Drawing) -> None:
        """Prints how the ask ended, unless its receipt said so already."""
        view = drawing.view
        async with self._pen.lock:
            # Looked at with the pen in hand: the line just read may be what ended it.
            if view.ask_id in self._waiting:
                self._pen.post(render.ending(view))
                self._ended(view.ask_id)

    async def note(
        self,
        _where: Destination,
        _message: str,
        text: str,
        *,
        only_under: bool = False,  # noqa: ARG002  # what was printed stays
    ) -> None:
        """Prints it."""
        async with self._pen.lock:
            self._pen.said(text)

    async def direct(self, _account: str) -> str:
        """The terminal has one person, and one conversation."""
        return self.where.conversation

    async def run(self) -> None:
        """Reads and answers until the input ends."""
        while True:
            await self._something.wait()
            async with self._pen.lock:
                self._pen.prompt()
            line = await self._lines.next()
            if line is None:
                return
            async with self._pen.lock:
                await self._handle(line)

    @property
    def waits(self) -> bool:
        """Whether an ask that was posted here waits."""
        return bool(self._waiting)

    def routes(self) -> Sequence[AbstractRouteDef]:
        return ()

    async def aclose(self) -> None:
        """The terminal stays open."""

    async def _handle(self, line: str) -> None:
        self._pen.heard(line)
        try:
            response = await self._desk.handle(self._interaction(line))
        except Unavailable:
            self._pen.said(told.unavailable(self._reader))
            return
        for one in response.tells:
            self._pen.said(render.tell(self._reader, one))
        self._offered = tuple(button for one in response.tells for button in one.buttons)
        self._settled(response)

    def _settled(self, response: Response) -> None:
        if response.settled is not None:
            self._ended(response.settled.ask.id)

    def _interaction(self, line: str) -> Interaction:
        """A word of what was just offered is a press of it; anything else is a message."""
        pressed = next((one for one in self._offered if fold(one.word) == fold(line)), None)
        if pressed is not None:
            return Pressed(
                self.where,
                self._sender,
                self._now(),
                self._message(),
                pressed.ask_id,
                pressed.control,
            )
        return Typed(self.where, self._sender, self._now(), self._message(), line)

    def _message(self) -> str:
        self._number += 1
        return str(self._number)

    def _ended(self, ask_id: str) -> None:
        self._waiting.discard(ask_id)
        if not self._waiting:
            self._something.clear()
