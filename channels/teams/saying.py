"""What is said back to whoever acted: where they are, or in the chat with them.

Nobody tries it again later, so what Teams puts off is waited for here.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from channels.contract import Later
from channels.teams import render
from channels.teams.parse import Way
from channels.teams.posting import under
from gateway.backoff import Backoff

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from channels.contract import Destination, Interaction, Response, Tell
    from channels.teams.connector import Connector

TRIES = 5
"""Ours: of one thing to say, over eight seconds where Teams does not say how long."""

T = TypeVar("T")


class Saying:
    """Of one bot, over its connector."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector

    async def tell(self, interaction: Interaction, response: Response, way: Way) -> None:
        """In a chat of two the words themselves; among others what they may read, if anything.

        Raises: PostError.
        """
        where = interaction.where
        message = getattr(interaction, "message", None)
        thread = under(where, message) if message else where.thread
        faults = "\n".join(response.faults.values())
        if faults:
            await self._say(where.conversation, thread, render.said(faults))
        for tell in response.tells:
            body = render.tell(tell, public=not where.direct)
            if body is not None:
                await self._say(where.conversation, thread, body)
            elif way is Way.SUBMIT:
                # Whoever pressed hears of it, if not here then where nobody else does.
                await self.whisper(interaction.sender.account, where, tell)

    async def whisper(self, account: str, where: Destination, tell: Tell) -> None:
        """For their eyes alone: in the chat with them, which may have to be opened.

        Raises: PostError.
        """
        talk = where.conversation
        if not where.direct:
            talk = await _insisted(partial(self._connector.open, account))
        body = render.tell(tell, public=False)
        if body is not None:
            await self._say(talk, None, body)

    async def _say(self, conversation: str, thread: str | None, body: dict[str, Any]) -> None:
        await _insisted(partial(self._connector.send, conversation, thread, body))


async def _insisted(call: Callable[[], Awaitable[T]]) -> T:
    """The call's result, tried again where Teams puts it off. Raises: PostError."""
    backoff = Backoff()
    for _ in range(TRIES - 1):
        try:
            return await call()
        except Later as error:
            await asyncio.sleep(error.after_s or backoff.rest_s())
    return await call()
