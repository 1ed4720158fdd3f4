"""Discord's events in the order they come: messages one by one in each place, presses at once.

Nothing that comes in can stop what comes behind it.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, assert_never

from channels.contract import PostError, Response, Tell, Typed
from channels.discord import parse, render, words
from channels.discord.parse import Known, Withheld
from channels.discord.presses import Memory, Presses
from channels.discord.render import Voice
from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from channels.desk import Desk
    from channels.discord.answering import Calls

FIRST_TIME = 1000
"""Ours: hidden replies that were told how to reach us, so that nobody is told twice."""

_log = logging.getLogger("channels.discord")


class Incoming:
    """One connection's way in. `spawn` runs work that ends with the channel."""

    def __init__(
        self, desk: Desk, calls: Calls, spawn: Callable[[Coroutine[Any, Any, None]], Any]
    ) -> None:
        self._desk = desk
        self._calls = calls
        self._spawn = spawn
        self._presses = Presses(desk, calls)
        self._known = Known()
        self._lines: dict[str, asyncio.Future[None]] = {}
        self._newest: dict[str, str] = {}
        self._ready = False
        self._told: Memory[tuple[str, str], bool] = Memory(FIRST_TIME)

    def take(self, name: str, data: Any) -> None:
        """One event, in the order they come. Never raises."""
        parse.learn(self._known, name, data)
        match name:
            case "MESSAGE_CREATE" | "MESSAGE_UPDATE":
                self._line_up(data, edited=name == "MESSAGE_UPDATE")
            case "INTERACTION_CREATE":
                arrived = asyncio.get_running_loop().time()
                self._spawn(self._guarded(self._presses.take(data, arrived)))
            case "READY":
                # A new session after another: what came between them was not sent to us.
                if self._ready:
                    for place in list(self._newest):
                        self._spawn(self._guarded(self._catch_up(place)))
                self._ready = True
            case _:
                pass

    def posted(self, conversation: str, message: str) -> None:
        """A post of ours stands there, so that what is written after it may be an answer."""
        self._newest.setdefault(conversation, message)

    # Messages: one after the other in each conversation

    def _line_up(self, data: Any, *, edited: bool) -> None:
        place = parse.conversation_of(data)
        if place is None:
            return
        before = self._lines.get(place)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines[place] = done
        self._spawn(self._in_turn(place, before, done, data, edited=edited))

    async def _in_turn(
        self,
        place: str,
        before: asyncio.Future[None] | None,
        done: asyncio.Future[None],
        data: Any,
        *,
        edited: bool,
    ) -> None:
        try:
            if before is not None:
                await before
            await self._guarded(self._message(place, data, edited=edited))
        finally:
            if not done.done():
                done.set_result(None)
            if self._lines.get(place) is done:
                del self._lines[place]

    async def _message(self, place: str, data: Any, *, edited: bool) -> None:
        if isinstance(data, dict) and data.get("guild_id") and not self._known.place(place):
            await self._look_at(place)
        heard = parse.message(data, self._known, edited=edited)
        match heard:
            case None:
                return
            case Withheld():
                await self._hidden(place, heard)
            case Typed():
                response = await self._patiently(heard)
                if place in self._newest:
                    self._newest[place] = max(self._newest[place], heard.message, key=int)
                voice = Voice.DIRECT if heard.where.direct else Voice.PUBLIC
                await self._reply(place, heard.message, response.tells, voice)
            case _:
                assert_never(heard)

    async def _look_at(self, place: str) -> None:
        """What a place is that no event has told of."""
        try:
            parse.learn_place(self._known, await self._calls.channel(place))
        except PostError as error:
            event(_log, "channel.place_unknown", code=error.code, surface=render.CHANNEL)

    async def _patiently(self, typed: Typed) -> Response:
        """What follows from a message, once the store has it: Discord brings none again."""
        backoff = Backoff()
        while True:
            try:
                return await self._desk.handle(typed)
            except Unavailable:
                await asyncio.sleep(backoff.rest_s())

    async def _hidden(self, place: str, hidden: Withheld) -> None:
        """How to reach us, once for each person and place."""
        key = (place, hidden.sender.account)
        if key in self._told:
            return
        self._told.keep(key, value=True)
        text = words.unreadable(self._desk.reader(hidden.sender, hidden.where))
        await self._reply(place, hidden.message, (Tell(text, text),), Voice.PUBLIC)

    async def _reply(self, place: str, message: str, tells: Sequence[Tell], voice: Voice) -> None:
        for tell in tells:
            for payload in render.tell(tell, voice):
                answer = payload
                if voice is Voice.PUBLIC:
                    answer = payload | {"message_reference": render.reference(message)}
                await self._calls.create(place, answer)

    async def _catch_up(self, place: str) -> None:
        """Messages that were written while nobody listened, the oldest first."""
        for missed in await self._calls.after(place, self._newest[place]):
            self._line_up(missed, edited=False)

    async def _guarded(self, work: Awaitable[None]) -> None:
        """Runs it; a failure is logged, and stops nothing else."""
        try:
            await work
        except PostError as error:
            event(
                _log,
                "channel.answer_failed",
                level=logging.WARNING,
                code=error.code,
                surface=render.CHANNEL,
            )
        except Exception as error:  # noqa: BLE001  # what one event breaks, the next need not
            event(
                _log,
                "channel.event_failed",
                level=logging.ERROR,
                error=error,
                surface=render.CHANNEL,
            )
