"""The way back to whoever acted: heard first, then told, by the interaction's own token.

A press that another replica answered is answered; what comes too late is said in the chat, where it
may be.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from channels.contract import Later, PostError
from channels.discord import render
from channels.discord.errors import ACKNOWLEDGED, DEAD_TOKENS, UNKNOWN_INTERACTION
from channels.discord.render import Voice
from gateway.backoff import Backoff
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from channels.contract import Destination, Tell
    from channels.discord.parse import Ticket

MESSAGE, THINKING, UPDATE_LATER, MODAL = 4, 5, 6, 9
"""Kinds of first answers (documentation, "Interaction Callback")."""

TRIES = 5
"""Ours: of one answer that Discord puts off, over eight seconds where it does not say how long."""

_log = logging.getLogger("channels.discord")

T = TypeVar("T")


class Calls(Protocol):
    """What is called on the way back. Each raises PostError."""

    async def create(self, conversation: str, payload: Mapping[str, Any]) -> Mapping[str, Any]: ...

    async def first(self, ticket: Ticket, kind: int, payload: Mapping[str, Any] | None) -> None: ...

    async def follow_up(self, ticket: Ticket, payload: Mapping[str, Any]) -> None: ...

    async def retract(self, ticket: Ticket) -> None: ...

    async def channel(self, conversation: str) -> Mapping[str, Any]: ...

    async def after(self, conversation: str, message: str) -> Sequence[Mapping[str, Any]]: ...


async def insisted(call: Callable[[], Awaitable[T]]) -> T:
    """The call's result, tried again where Discord puts it off. Raises: PostError."""
    backoff = Backoff()
    for _ in range(TRIES - 1):
        try:
            return await call()
        except Later as error:
            await asyncio.sleep(error.after_s or backoff.rest_s())
    return await call()


@dataclass(frozen=True, slots=True)
class Answerable:
    """How an interaction can still be answered: by its token, and by filling in what was begun."""

    by_token: bool = True
    begun: bool = False


class Answering:
    """Answers to interactions, over those calls."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    async def acknowledge(self, ticket: Ticket, kind: int) -> Answerable:
        """Says that it was heard; what can still be said by that ticket."""
        flags = {"flags": render.EPHEMERAL} if kind == THINKING else None
        try:
            await insisted(partial(self._calls.first, ticket, kind, flags))
        except PostError as error:
            if error.code == str(ACKNOWLEDGED):
                # Another replica heard it too; whichever settles it answers by the same token.
                return Answerable()
            event(_log, "channel.acknowledged_late", code=error.code, surface=render.CHANNEL)
            return Answerable(by_token=error.code != str(UNKNOWN_INTERACTION))
        return Answerable(begun=kind == THINKING)

    async def answer(self, ticket: Ticket, where: Destination, tells: Sequence[Tell]) -> None:
        """Answers at once with words, or only that it was heard."""
        payloads = [one for tell in tells for one in render.tell(tell, Voice.WHISPER)]
        if not payloads:
            await self.acknowledge(ticket, UPDATE_LATER)
            return
        try:
            await insisted(partial(self._calls.first, ticket, MESSAGE, payloads[0]))
        except PostError as error:
            if error.code != str(ACKNOWLEDGED):
                await self._aloud(where, tells)
            return
        for payload in payloads[1:]:
            await insisted(partial(self._calls.follow_up, ticket, payload))

    async def whisper(
        self, ticket: Ticket, where: Destination, tells: Sequence[Tell], answerable: Answerable
    ) -> None:
        """Says it to the one who acted, by the token; in the chat itself once that is dead."""
        if not answerable.by_token:
            await self._aloud(where, tells)
            return
        payloads = [one for tell in tells for one in render.tell(tell, Voice.WHISPER)]
        for payload in payloads:
            try:
                await insisted(partial(self._calls.follow_up, ticket, payload))
            except PostError as error:
                if error.code not in DEAD_TOKENS:
                    raise
                await self._aloud(where, tells)
                return
        if answerable.begun and not payloads:
            await self._calls.retract(ticket)

    async def _aloud(self, where: Destination, tells: Sequence[Tell]) -> None:
        """What may be said there without a token."""
        voice = Voice.DIRECT if where.direct else Voice.PUBLIC
        for tell in tells:
            for payload in render.tell(tell, voice):
                place = where.thread or where.conversation
                await insisted(partial(self._calls.create, place, payload))
