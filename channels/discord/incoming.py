"""Discord's events in the order they come: messages one by one in each place, presses at once.

Nothing that comes in can stop what comes behind it.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

from channels.contract import Later, PostError, Response, Tell, Typed, Unreachable, Unsure
from channels.discord import parse, render, words
from channels.discord.answering import insisted
from channels.discord.parse import Known, Withheld
from channels.discord.presses import Memory, Presses
from channels.discord.render import Voice
from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
    from datetime import datetime

    from channels.contract import Destination
    from channels.desk import Desk
    from channels.discord.answering import Calls

FIRST_TIME = 1000
"""Ours: hidden replies that were told how to reach us, so that nobody is told twice."""

FAR_BACK = timedelta(hours=23)
"""Ours: just less than an event stays bound to its ask."""

_log = logging.getLogger("channels.discord")


class Incoming:
    """One connection's way in. `spawn` runs work that ends with the channel; `now` is aware."""

    def __init__(
        self,
        desk: Desk,
        calls: Calls,
        spawn: Callable[[Coroutine[Any, Any, None]], Any],
        now: Callable[[], datetime],
    ) -> None:
        self._desk = desk
        self._calls = calls
        self._spawn = spawn
        self._now = now
        self._presses = Presses(desk, calls)
        self._known = Known()
        self._lines: dict[str, asyncio.Future[None]] = {}
        self._told: Memory[tuple[str, str], bool] = Memory(FIRST_TIME)

    def take(self, name: str, data: Any) -> None:
        """One event, in the order they come. Never raises."""
        parse.learn(self._known, name, data)
        match name:
            case "MESSAGE_CREATE" | "MESSAGE_UPDATE":
                self._line_up(data, edited=name == "MESSAGE_UPDATE")
            case "INTERACTION_CREATE":
                arrived = asyncio.get_running_loop().time()
                self._spawn(self._guarded(partial(self._presses.take, data, arrived)))
            case "MESSAGE_DELETE" | "MESSAGE_DELETE_BULK":
                for where, message in parse.deleted(data, self._known):
                    self._desk.deleted(where, message)
            case "READY":
                # A new session: what was written while there was none is not sent to us.
                self._spawn(self._guarded(self._catch_up))
            case _:
                pass

    # Messages: one after the other in each conversation, its threads among them

    def _line_up(self, data: Any, *, edited: bool, shared: bool | None = None) -> None:
        place = parse.conversation_of(data)
        if place is None:
            return
        line = self._known.parents.get(place, place)
        before = self._lines.get(line)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._lines[line] = done
        heard = partial(self._message, place, data, edited=edited, shared=shared)
        self._spawn(self._in_turn(line, before, done, heard))

    async def _in_turn(
        self,
        line: str,
        before: asyncio.Future[None] | None,
        done: asyncio.Future[None],
        work: Callable[[], Awaitable[None]],
    ) -> None:
        try:
            if before is not None:
                await before
            await self._guarded(work)
        finally:
            if not done.done():
                done.set_result(None)
            if self._lines.get(line) is done:
                del self._lines[line]

    async def _message(self, place: str, data: Any, *, edited: bool, shared: bool | None) -> None:
        if isinstance(data, dict) and data.get("guild_id"):
            await self._look_at(place)
        heard = parse.message(data, self._known, edited=edited, shared=shared)
        match heard:
            case None:
                return
            case Withheld():
                await self._hidden(place, heard)
            case Typed():
                response = await self._patiently(heard)
                voice = Voice.DIRECT if heard.where.direct else Voice.PUBLIC
                self._reply(place, heard.message, response.tells, voice)
            case _:
                assert_never(heard)

    async def is_thread(self, place: str) -> bool:
        """Whether that place is a thread; asked for where no event has told. Raises: PostError."""
        if not self._known.place(place):
            parse.learn_place(self._known, await self._calls.channel(place))
        return place in self._known.parents

    async def _look_at(self, place: str) -> None:
        try:
            await self.is_thread(place)
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
        if key in self._told or not (hidden.to_us or await self._waits_in(place)):
            return
        self._told.keep(key, value=True)
        text = words.unreadable(self._desk.reader(hidden.sender, hidden.where))
        self._reply(place, hidden.message, (Tell(text, text),), Voice.PUBLIC)

    async def _waits_in(self, thread: str) -> bool:
        """Whether an ask that waits stands in that thread, or is what it hangs on."""
        try:
            async for where, message in self._desk.standing(render.CHANNEL):
                if thread in (where.thread, message):
                    return True
        except Unavailable:
            # Nobody can be told anything of use just now.
            return False
        return False

    def _reply(self, place: str, message: str, tells: Sequence[Tell], voice: Voice) -> None:
        """Says it beside the line: what cannot be said at once holds up nothing behind it."""
        payloads = [one for tell in tells for one in render.tell(tell, voice)]
        if voice is Voice.PUBLIC:
            reference = {"message_reference": render.reference(message)}
            payloads = [one | reference for one in payloads]
        self._spawn(self._guarded(partial(self._say, place, payloads)))

    async def _say(self, place: str, payloads: Sequence[Mapping[str, Any]]) -> None:
        for payload in payloads:
            await insisted(partial(self._calls.create, place, payload))

    async def _catch_up(self) -> None:
        """Reads what was written in places where asks wait, the oldest first.

        What is read twice has no second effect for a day (`gateway.conversations.REMEMBERED`), so
        nothing older is read.
        """
        backoff = Backoff()
        while True:
            try:
                standing = await self._standing()
            except Unavailable:
                await asyncio.sleep(backoff.rest_s())
                continue
            break
        for where, posts in standing.items():
            self._spawn(self._guarded(partial(self._read_back, where, posts)))

    async def _standing(self) -> dict[Destination, list[str]]:
        """The posts that still wait, by place."""
        standing: dict[Destination, list[str]] = {}
        async for where, message in self._desk.standing(render.CHANNEL):
            standing.setdefault(where, []).append(message)
        return standing

    async def _read_back(self, where: Destination, posts: Sequence[str]) -> None:
        if where.thread is not None:
            self._known.parents[where.thread] = where.conversation
        missed = [*await self._since(where.thread or where.conversation, min(posts, key=int))]
        if where.thread is None and not where.direct:
            for post in posts:
                missed += await self._under(where.conversation, post)
        for one in sorted(missed, key=lambda one: int(one["id"])):
            self._line_up(one, edited=False, shared=not where.direct)

    async def _under(self, conversation: str, post: str) -> Sequence[Mapping[str, Any]]:
        """What was written in the thread that people began on a post: its id is the post's."""
        try:
            missed = await self._since(post, post)
        except Unreachable:
            # Most posts have none.
            return ()
        self._known.parents[post] = conversation
        return missed

    async def _since(self, place: str, message: str) -> Sequence[Mapping[str, Any]]:
        recent = parse.snowflake(self._now() - FAR_BACK)
        backoff = Backoff()
        while True:
            try:
                return await self._calls.after(place, max(message, recent, key=int))
            except (Later, Unsure) as error:
                await asyncio.sleep(getattr(error, "after_s", None) or backoff.rest_s())

    async def _guarded(self, work: Callable[[], Awaitable[None]]) -> None:
        """Runs it; a failure is logged, and stops nothing else."""
        try:
            await work()
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
