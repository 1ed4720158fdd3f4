"""What is said back on Slack: to one person alone, else what may stand there for all to read.

It waits its turn, as long as anybody may wait for it: our own pace leaves nobody without a word.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Protocol
from uuid import uuid4

from channels.contract import Later, PostError
from channels.slack import render
from channels.slack.parse import user_of
from gateway.backoff import Backoff
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from channels.contract import Destination, Sender, Tell
    from channels.slack.markup import Json

WORTH_S = 120.0
"""Ours: what would be said later than this is no longer waited for."""

_log = logging.getLogger("channels.slack")


class Voice(Protocol):
    """The calls that say something back. Each raises PostError; a `key` keeps its turn."""

    async def whisper(self, where: Destination, user: str, message: Json) -> None: ...

    async def reply(self, where: Destination, message: Json, key: str) -> None: ...

    async def respond(self, url: str, where: Destination, message: Json) -> None: ...


async def patiently(say: Callable[[], Awaitable[object]]) -> None:
    """Says it, once that is possible. Raises: PostError."""
    backoff, clock = Backoff(), asyncio.get_running_loop().time
    until = clock() + WORTH_S
    while True:
        try:
            await say()
        except Later as error:
            wait_s = error.after_s or backoff.rest_s()
            if clock() + wait_s > until:
                raise
            await asyncio.sleep(wait_s)
        else:
            return


class Telling:
    """Built by the inbox."""

    def __init__(self, voice: Voice) -> None:
        self._voice = voice

    async def tell(
        self, where: Destination, sender: Sender, tells: Sequence[Tell], url: str | None = None
    ) -> None:
        """`url` is where Slack takes what is said after a press or a command."""
        for one in tells:
            try:
                await self._privately(where, sender, one, url)
            except PostError as error:
                event(_log, "tell.failed", level=logging.WARNING, code=error.code)
                if one.public is not None and not where.direct:
                    await self._publicly(where, one, one.public)

    async def _privately(
        self, where: Destination, sender: Sender, one: Tell, url: str | None
    ) -> None:
        for message in render.tell(one, one.text):
            if url is not None and await self._responded(url, where, message):
                continue
            url = None
            if where.direct:
                await self._reply(where, message)
            else:
                user = user_of(sender.account)
                await patiently(partial(self._voice.whisper, where, user, message))

    async def _responded(self, url: str, where: Destination, message: Json) -> bool:
        """Whether Slack took it there: five times and for half an hour it does (facts, 1.6)."""
        try:
            await patiently(partial(self._voice.respond, url, where, message))
        except PostError:
            return False
        return True

    async def _publicly(self, where: Destination, one: Tell, text: str) -> None:
        try:
            for message in render.tell(one, text):
                await self._reply(where, message)
        except PostError as error:
            event(_log, "tell.failed", level=logging.WARNING, code=error.code)

    async def _reply(self, where: Destination, message: Json) -> None:
        await patiently(partial(self._voice.reply, where, message, str(uuid4())))
