"""What people do, from updates to the desk and back in words. Knows nothing of the library.

A press is answered at once; it counts as taken, as a message does, only once the desk has it, or it
is kept itself. Messages of one chat are read in their order; none stops those behind it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from channels.telegram import words
from channels.telegram.held import Held
from channels.telegram.parse import Command, Migrated, Press, Said, Stray, parse
from channels.telegram.pastes import goes_on, joined, may_go_on
from channels.telegram.pressing import ANSWER_WITHIN_S, Pressing, confirm
from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime

    from channels.desk import Desk
    from channels.telegram.parse import Incoming, Me
    from channels.telegram.saying import Saying

PASTE_S = 1.0
"""Ours: so long the rest of a paste is waited for; its parts come within a moment."""

KNOWN = 4_096
"""Ours: updates lately taken, of which another delivery is nothing new."""

_log = logging.getLogger("channels.telegram")


@dataclass(eq=False, slots=True)
class _Item:
    what: Said | Command | Migrated
    taken: asyncio.Future[None]


@dataclass(slots=True)
class _Lane:
    """One chat's messages, in order."""

    items: deque[_Item] = field(default_factory=deque)
    more: asyncio.Event = field(default_factory=asyncio.Event)


class Intake:
    """Built by the transport, which knows who we are before the first update comes."""

    def __init__(self, desk: Desk, saying: Saying, me: Me, now: Callable[[], datetime]) -> None:
        self._desk = desk
        self._saying = saying
        self._me = me
        self._now = now
        self._held = Held(desk.facts, me, now)
        self._pressing = Pressing(desk, saying, me)
        self._lanes: dict[str, _Lane] = {}
        self._known: OrderedDict[int, asyncio.Future[None]] = OrderedDict()
        self._tasks: set[asyncio.Task[Any]] = set()

    def take(self, update: Any) -> asyncio.Future[None]:
        """Begins with an update; done once it may be confirmed. The same one again is the same."""
        number = update.get("update_id") if isinstance(update, dict) else None
        known = self._known.get(number) if isinstance(number, int) else None
        if known is not None:
            return known
        taken = asyncio.get_running_loop().create_future()
        if isinstance(number, int):
            self._known[number] = taken
            self._forget()
        self._begin(parse(update, self._me, self._now()), update, taken)
        return taken

    def knows(self, update: Any) -> bool:
        """Whether it was begun with already."""
        return isinstance(update, dict) and update.get("update_id") in self._known

    async def keep(self, update: Any) -> bool:
        """Whether it is part of a paste, which its rest must follow to be read, and is now kept
        beyond this process; any other update is none to confirm. Raises: Unavailable.
        """
        what = parse(update, self._me, self._now())
        if not isinstance(what, Said):
            return False
        # Whoever has the part before this one reads both.
        elsewhere = [one for one in await self._held.before(what.typed) if not self.knows(one)]
        if not (elsewhere or may_go_on(what.typed)):
            return False
        await self._held.keep(update)
        if not elsewhere:
            self.take(update)
        return True

    async def read_what_was_left(self) -> None:
        """Takes what was confirmed and is still kept: whoever had it died. Raises: Unavailable."""
        for fact, update in await self._held.left_presses():
            if not self.knows(update):  # what is in hand here is dropped once it is done
                await self.take(update)
                await self._held.drop_press(fact)
        left = await self._held.left()
        if left:
            await asyncio.gather(*(self.take(update) for update, _ in left))
            await self._held.drop([typed for _, typed in left])

    async def aclose(self) -> None:
        """What is in hand is let go; whatever was not taken will come again."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _forget(self) -> None:
        while len(self._known) > KNOWN:
            number, taken = next(iter(self._known.items()))
            if not taken.done():
                break
            del self._known[number]

    def _begin(self, what: Incoming | None, update: Any, taken: asyncio.Future[None]) -> None:
        match what:
            case None:
                taken.set_result(None)
            case Press():
                self._spawn(self._press(what, update, taken))
            case Stray():
                taken.set_result(None)
                self._spawn(self._pressing.stray(what))
            case Said() | Command() | Migrated():
                self._line_up(_Item(what, taken))

    async def _press(self, press: Press, update: Any, taken: asyncio.Future[None]) -> None:
        """All that follows. One that takes long is kept itself, and is safe so, for of updates that
        are not confirmed Telegram tells a hundred and no more.
        """
        handled = asyncio.get_running_loop().create_future()
        self._spawn(self._pressing.press(press, handled))
        kept = None
        await asyncio.wait({handled}, timeout=ANSWER_WITHIN_S)
        if not handled.done():
            try:
                kept = await self._held.keep_press(update)
                confirm(taken)
            except Unavailable as error:
                event(_log, "press.unkept", level=logging.WARNING, error=error, surface="telegram")
        await handled
        confirm(taken)
        if kept is not None:
            await self._held.drop_press(kept)

    def _line_up(self, item: _Item) -> None:
        chat = _chat(item.what)
        lane = self._lanes.get(chat)
        if lane is None:
            lane = self._lanes[chat] = _Lane()
            self._spawn(self._follow(chat, lane))
        lane.items.append(item)
        lane.more.set()

    async def _follow(self, chat: str, lane: _Lane) -> None:
        """Works through a chat's messages until there are none."""
        try:
            while lane.items:
                item = lane.items.popleft()
                parts = [item]
                while await self._goes_on(parts[-1], lane):
                    parts.append(lane.items.popleft())
                await self._carefully(parts)
                for one in parts:
                    one.taken.set_result(None)
        finally:
            del self._lanes[chat]

    async def _goes_on(self, item: _Item, lane: _Lane) -> bool:
        """Whether the next message is the rest of this one; waited for where it may be."""
        if not (isinstance(item.what, Said) and may_go_on(item.what.typed)):
            return False
        if not lane.items:
            lane.more.clear()
            try:
                async with asyncio.timeout(PASTE_S):
                    await lane.more.wait()
            except TimeoutError:
                return False
        after = lane.items[0].what
        return isinstance(after, Said) and goes_on(item.what.typed, after.typed)

    async def _carefully(self, parts: list[_Item]) -> None:
        """Tried until the store has it; anything else that goes wrong ends this message alone."""
        backoff = Backoff()
        while True:
            try:
                await self._handle(parts)
            except Unavailable as error:
                event(_log, "message.waits", level=logging.WARNING, error=error, surface="telegram")
                await asyncio.sleep(backoff.rest_s())
            except Exception as error:  # noqa: BLE001  # those behind it must not wait for a fault
                event(_log, "message.failed", level=logging.ERROR, error=error, surface="telegram")
                return
            else:
                return

    async def _handle(self, parts: list[_Item]) -> None:
        what = parts[0].what
        match what:
            case Said(_, topic):
                said = [one.what.typed for one in parts if isinstance(one.what, Said)]
                cut = may_go_on(said[0])
                whole = await self._held.whole(said) if cut else said
                typed = joined(whole)
                response = await self._desk.handle(typed)
                if cut:
                    await self._held.drop(whole)
                self._spawn(self._saying.reply(Said(typed, topic), response))
            case Command(word, where, sender):
                waits = word == "pending"
                text = await self._desk.waiting(sender, where) if waits else self._named(what)
                self._spawn(self._saying.answer(what, text))
            case Migrated(old, new):
                await self._desk.moved(old, new)

    def _named(self, command: Command) -> str:
        """What their account is called, and in a group what that is."""
        sender, where = command.sender, command.where
        account = self._desk.link(sender, where).text
        if where.direct:
            return account
        reader = self._desk.reader(sender, where)
        return f"{account}\n{words.place(reader, where.name, command.topic)}"

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001  # a fault in one is no reason to stop the others
        event(_log, "update.failed", level=logging.ERROR, error=error, surface="telegram")


def _chat(what: Said | Command | Migrated) -> str:
    match what:
        case Said(typed):
            return typed.where.conversation
        case Command(where=where):
            return where.conversation
        case Migrated(old):
            return old.conversation
