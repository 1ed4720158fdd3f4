"""Presses, forms and commands, taken to the desk: acknowledged before the store is asked.

A form has to be the first answer, so it is opened in the same breath, or offered by a button; one
that was sent has closed, so what was wrong in it is kept for another try.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, assert_never

from channels.contract import Button, OpenForm, PostError, Pressed, Response, Submitted, Tell, Typed
from channels.discord import modal, parse, render, words
from channels.discord.answering import MODAL, THINKING, UPDATE_LATER, Answering, insisted
from channels.discord.errors import ACKNOWLEDGED
from channels.discord.parse import Command, Stale, Ticket
from channels.forms import Form, Reason
from channels.words import controls, told
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from channels.catalogue import Reader
    from channels.contract import Destination
    from channels.desk import Desk
    from channels.discord.answering import Calls

BREATH_S = 2.3
"""Ours: Discord waits three seconds for the first answer, and people two and a half; the rest is
for the way there."""

HEAD_START_S = 0.05
"""Ours: an acknowledgement goes out before its press is looked at, however many come at once."""

REMEMBERED = 1000
"""Ours: forms whose input is kept for another try; older ones go, and are filled in anew."""

_log = logging.getLogger("channels.discord")

K = TypeVar("K")
V = TypeVar("V")


class Memory(OrderedDict[K, V]):
    """The last so many things."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def keep(self, key: K, value: V) -> None:
        self[key] = value
        self.move_to_end(key)
        while len(self) > self._most:
            self.popitem(last=False)


class Presses:
    """What is done on posts. One object a channel: it remembers what forms held, while it runs."""

    def __init__(self, desk: Desk, calls: Calls) -> None:
        self._desk = desk
        self._calls = calls
        self._answering = Answering(calls)
        self._kept: Memory[tuple[str, str, int], Mapping[str, Any]] = Memory(REMEMBERED)

    async def take(self, data: Any, arrived: float) -> None:
        ticket, acted = parse.ticket(data), parse.interaction(data)
        if ticket is None or acted is None:
            return
        if parse.opens_a_form(acted) and isinstance(acted, Pressed):
            await self._in_one_breath(acted, ticket, arrived)
            return
        match acted:
            case Stale(where, sender):
                gone = Tell(told.gone(self._desk.reader(sender, where)))
                await self._answering.answer(ticket, where, (gone,))
            case Command(where, sender, name="link"):
                await self._answering.answer(ticket, where, (self._desk.link(sender, where),))
            case Command():
                await self._at_once(acted.where, ticket, partial(self._commanded, acted))
            case Pressed():
                await self._at_once(acted.where, ticket, partial(self._tells, acted))
            case Submitted():
                kept = parse.kept(data)
                await self._at_once(acted.where, ticket, partial(self._submitted, acted, kept))
            case _:
                assert_never(acted)

    async def _at_once(
        self, where: Destination, ticket: Ticket, work: Callable[[], Awaitable[Sequence[Tell]]]
    ) -> None:
        """Acknowledged first; the store is asked beside that, and what it says follows."""
        kind = UPDATE_LATER if ticket.on_message else THINKING
        acknowledging = asyncio.ensure_future(self._answering.acknowledge(ticket, kind))
        await asyncio.wait({acknowledging}, timeout=HEAD_START_S)
        try:
            tells = await work()
        finally:
            answerable = await acknowledging
        await self._answering.whisper(ticket, where, tells, answerable)

    async def _tells(self, acted: Pressed | Submitted | Typed) -> Sequence[Tell]:
        try:
            return (await self._desk.handle(acted)).tells
        except Unavailable:
            return (self._desk.unavailable(acted.sender, acted.where),)

    async def _commanded(self, command: Command) -> Sequence[Tell]:
        where, sender = command.where, command.sender
        try:
            if command.name == "pending" and where.direct:
                return (Tell(await self._desk.waiting(sender, where)),)
        except Unavailable:
            return (self._desk.unavailable(sender, where),)
        typed = Typed(where, sender, command.at, command.event, command.name, addressed=True)
        return await self._tells(typed)

    async def _submitted(self, form: Submitted, kept: Mapping[str, Any]) -> Sequence[Tell]:
        """What follows from a page: it closed when it was sent, so a next one needs a button."""
        key = (form.sender.account, form.ask_id, form.page)
        # Kept until it is known to be taken, whatever happens on the way.
        self._kept.keep(key, kept)
        reader = self._desk.reader(form.sender, form.where)
        again = OpenForm(form.page)
        try:
            response = await self._desk.handle(form)
            labels = await self._labels(form) if response.faults else {}
        except Unavailable:
            tell = self._desk.unavailable(form.sender, form.where)
            return (_with_button(tell.text, controls.answer(reader), form.ask_id, again),)
        if response.faults:
            named = [(labels.get(name, name), fault) for name, fault in response.faults.items()]
            text = words.not_sent(reader, named)
            return (_with_button(text, controls.answer(reader), form.ask_id, again),)
        self._kept.pop(key, None)
        if isinstance(response.form, Form):
            page = response.form
            text, label = words.go_on(reader, page.title), controls.go_on(reader)
            return (_with_button(text, label, page.ask_id, OpenForm(page.page)),)
        return response.tells

    async def _labels(self, form: Submitted) -> Mapping[str, str]:
        """What that page calls its fields; a form that was sent does not say. Raises: Unavailable.

        It may have been opened before a restart, so the page is asked for once more.
        """
        page = OpenForm(form.page)
        opening = Pressed(form.where, form.sender, form.at, form.event, form.ask_id, page)
        shown = (await self._desk.handle(opening)).form
        entries = shown.entries if isinstance(shown, Form) else ()
        return {entry.field.name: entry.label for entry in entries}

    async def _in_one_breath(self, pressed: Pressed, ticket: Ticket, arrived: float) -> None:
        """A form must be the first answer; one that comes too late for that is offered instead."""
        work = asyncio.ensure_future(self._desk.handle(pressed))
        left_s = arrived + BREATH_S - asyncio.get_running_loop().time()
        try:
            response = await asyncio.wait_for(asyncio.shield(work), max(left_s, 0.0))
        except TimeoutError:
            answerable = await self._answering.acknowledge(ticket, THINKING)
            tells = await self._offered(pressed, work)
            await self._answering.whisper(ticket, pressed.where, tells, answerable)
            return
        except Unavailable:
            away = self._desk.unavailable(pressed.sender, pressed.where)
            await self._answering.answer(ticket, pressed.where, (away,))
            return
        if response.form is None:
            await self._answering.answer(ticket, pressed.where, response.tells)
            return
        reader = self._desk.reader(pressed.sender, pressed.where)
        await self._open(pressed, ticket, response.form, reader)

    async def _offered(self, pressed: Pressed, work: Awaitable[Response]) -> Sequence[Tell]:
        try:
            response = await work
        except Unavailable:
            return (self._desk.unavailable(pressed.sender, pressed.where),)
        if response.form is None:
            return response.tells
        reader = self._desk.reader(pressed.sender, pressed.where)
        text, label = words.form_is_ready(reader), controls.answer(reader)
        return (_with_button(text, label, pressed.ask_id, pressed.control),)

    async def _open(
        self, pressed: Pressed, ticket: Ticket, form: Form | Reason, reader: Reader
    ) -> None:
        match form:
            case Form():
                kept = self._kept.get((pressed.sender.account, form.ask_id, form.page), {})
                shown = modal.form(form, reader, {**modal.kept_of(form), **kept})
            case Reason():
                shown = modal.reason(form)
            case _:
                assert_never(form)
        try:
            await insisted(partial(self._calls.first, ticket, MODAL, shown))
        except PostError as error:
            if error.code == str(ACKNOWLEDGED):
                # Another replica heard the same press, and was quicker.
                return
            event(
                _log,
                "channel.form_refused",
                level=logging.WARNING,
                ask_id=pressed.ask_id,
                code=error.code,
                surface=render.CHANNEL,
            )
            await self._answering.answer(ticket, pressed.where, (Tell(words.no_form(reader)),))


def _with_button(text: str, label: str, ask_id: str, control: Any) -> Tell:
    return Tell(text, None, (Button(label, label, ask_id, control),))
