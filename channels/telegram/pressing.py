"""Presses: each answered once and in time, with words where they come in time and are short.

An answered press cannot be answered again, so whatever comes later goes to the presser's own chat.
Its answer says nothing of whether it is safe: that is when the desk has it.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING

from channels.contract import (
    Drop,
    Pick,
    PickToggle,
    PostError,
    PressApprove,
    PressDecline,
    PressSkip,
    Response,
    Send,
    Step,
    StepAct,
    Tell,
)
from channels.shown import unstamped
from channels.telegram import words
from channels.telegram.render import TOAST, begin_link, units
from channels.telegram.turns import Turns
from channels.words import told
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from channels.desk import Desk
    from channels.forms import Walk
    from channels.telegram.parse import Me, Press, Stray
    from channels.telegram.saying import Saying

ANSWER_WITHIN_S = 0.4
"""Ours: a press is answered within a second, with or without words (issue: how good)."""

SEEN_IN_PASSING = 80
"""Ours: a longer text is shown until it is closed, and not for two seconds."""

LATELY = 4_096
"""Ours: presses that were answered, and people sent to their own chat; neither is done twice."""

OF_THE_POST = (Pick, PickToggle, PressApprove, PressDecline, PressSkip)
"""What ends an ask by a press on its own post."""

_log = logging.getLogger("channels.telegram")


class _Lately:
    """Names that were lately added."""

    def __init__(self) -> None:
        self._names: OrderedDict[str, None] = OrderedDict()

    def add(self, name: str) -> bool:
        """Whether it is new."""
        if name in self._names:
            return False
        self._names[name] = None
        if len(self._names) > LATELY:
            self._names.popitem(last=False)
        return True


class Pressing:
    """Built by the intake."""

    def __init__(self, desk: Desk, saying: Saying, me: Me) -> None:
        self._desk = desk
        self._saying = saying
        self._me = me
        self._turns = Turns()
        self._answered = _Lately()
        self._sent_there = _Lately()

    async def press(self, press: Press, taken: asyncio.Future[None]) -> None:
        """All that follows from a press. It is `taken` once the desk has it, or refused it."""
        handling = asyncio.create_task(self._in_turn(press, taken))
        try:
            await asyncio.wait({handling}, timeout=ANSWER_WITHIN_S)
            if not handling.done():
                await self._answer_in_passing(press)
            await handling
        except Exception:
            # Whatever it was, nobody is left with a button that spins.
            failed = self._desk.unavailable(press.pressed.sender, press.pressed.where)
            await self._answer(press, failed.text, alert=True)
            confirm(taken)
            raise
        finally:
            handling.cancel()

    async def _answer_in_passing(self, press: Press) -> None:
        """In time, before it is known what comes of it: by the form's address, or that it comes."""
        link = self._link(press)
        waits = self._desk.taking_long(press.pressed.sender, press.pressed.where)
        await self._answer(press, "" if link else unstamped(waits.text), link=link)

    async def stray(self, stray: Stray) -> None:
        """A button that is none of ours, or no longer."""
        reader = self._desk.reader(stray.sender, stray.where)
        await self._saying.answer_press(stray.query, told.gone(reader), alert=True, link=None)

    async def _in_turn(self, press: Press, taken: asyncio.Future[None]) -> None:
        """One person's presses take effect, and are drawn, in the order they were made."""
        pressed = press.pressed
        name = f"{pressed.where.conversation}/{pressed.sender.account}"
        async with self._turns.of(name):
            response = await self._handled(press)
            confirm(taken)
            if response.step is not None and not self._turns.is_last(name):
                # The next press draws what this one would have, and more.
                response = replace(response, step=None)
            if response.step is not None:
                await self._follow(press, response)
                return
        await self._follow(press, response)

    async def _handled(self, press: Press) -> Response:
        pressed = press.pressed
        try:
            return await self._desk.handle(pressed)
        except Unavailable as error:
            event(_log, "press.waits", level=logging.WARNING, error=error, surface="telegram")
        except Exception as error:  # noqa: BLE001  # whoever pressed must hear that it did nothing
            event(_log, "press.failed", level=logging.ERROR, error=error, surface="telegram")
        return Response((self._desk.unavailable(pressed.sender, pressed.where),))

    async def _follow(self, press: Press, response: Response) -> None:
        step = response.step
        text = unstamped("\n".join(one.text for one in response.tells))
        buttons = any(one.buttons for one in response.tells)
        fits = bool(text) and units(text) <= TOAST and not buttons
        link = self._link(press) if step is not None and step.elsewhere else None
        passing = response.settled is not None and units(text) <= SEEN_IN_PASSING
        answering = asyncio.create_task(
            self._answer(press, text if fits else "", alert=not passing, link=link)
        )
        try:
            if step is not None and not step.elsewhere:
                await self._step(press, step)
        finally:
            said = await answering
        if text and not (said and fits) and not _shown(press, response):
            await self._whisper(press, response.tells)
        if isinstance(press.pressed.control, Send | Drop):
            await self._put_away(press)

    async def _step(self, press: Press, step: Walk) -> None:
        """The form's own message, drawn anew; a new one where it begins."""
        where = press.pressed.where
        control = press.pressed.control
        begins = isinstance(control, Step) and control.act is StepAct.START
        message = None if begins else press.message
        await self._saying.walk(where, step, message, at_hand=begins and press.message is not None)

    async def _whisper(self, press: Press, tells: tuple[Tell, ...]) -> None:
        """What was too long or too late for the answer: in their own chat, else in the open."""
        where, sender = press.pressed.where, press.pressed.sender
        in_the_open: list[str] = []
        for tell in tells:
            if where.direct:
                await self._saying.say(where.conversation, tell.text, tell.buttons)
                continue
            try:
                await self._saying.say(sender.account, tell.text, tell.buttons)
            except PostError:
                in_the_open.append(tell.public or self._only_there(press))
        for text in filter(None, dict.fromkeys(in_the_open)):
            await self._saying.under(press, text)

    def _only_there(self, press: Press) -> str:
        """Where to read what nobody else may; "" once they were told that in this place."""
        where, sender = press.pressed.where, press.pressed.sender
        if not self._sent_there.add(f"{where.conversation}/{sender.account}"):
            return ""
        return words.for_you_alone(self._desk.reader(sender, where))

    async def _put_away(self, press: Press) -> None:
        """Send and "No, just talking" are done with once their author pressed one."""
        where = press.pressed.where
        if press.message is not None and (where.direct or press.of_mine):
            await self._saying.without_buttons(where.conversation, press.message)

    async def _answer(
        self, press: Press, text: str = "", *, alert: bool = False, link: str | None = None
    ) -> bool:
        """Whether it was this that answered the press; one that was a link needs none."""
        if press.query is None or not self._answered.add(press.query):
            return False
        return await self._saying.answer_press(
            press.query, text, alert=alert and bool(text), link=link
        )

    def _link(self, press: Press) -> str | None:
        """Where a form asked for in a group goes on; None for any other press."""
        pressed = press.pressed
        starts = isinstance(pressed.control, Step) and pressed.control.act is StepAct.START
        if not starts or pressed.where.direct:
            return None
        return begin_link(self._me.username, pressed.ask_id)


def confirm(taken: asyncio.Future[None]) -> None:
    """It is taken, if it was not before."""
    if not taken.done():
        taken.set_result(None)


def _shown(press: Press, response: Response) -> bool:
    """Whether the very post that was pressed shows what came of it: it is drawn as it ended.

    Of the thirty messages a second that Telegram takes, none is spent on saying that twice.
    """
    return response.settled is not None and isinstance(press.pressed.control, OF_THE_POST)
