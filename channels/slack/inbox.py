"""What Slack brings, taken to the desk, and what follows from it, in the time Slack gives.

A press is confirmed before anything is asked of the store, a message once it is safe there, and a
form with what its answer needs. Knows no SDK: `Out` does the calls.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakValueDictionary

from channels.contract import AskReason, OpenForm, PostError, Pressed, Tell, Typed
from channels.forms import Form
from channels.slack import modal, parse, render, returned, words
from channels.slack.telling import Telling, Voice
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from channels.contract import Destination, Response, Submitted
    from channels.desk import Desk
    from channels.forms import Reason
    from channels.slack.markup import Json
    from channels.slack.parse import Commanded, Us

IN_BREATH_S = 2.3
"""Ours: of the 3 s that Slack waits for a form to open or to be answered (platform facts, 0.2), so
that words in its place come within 2.5."""

NAME_S = 1.0
"""Ours: a name is looked up for so long; then the id stands in its place."""

SEEN_KEPT = 1_024
"""Ours: gestures lately seen; a phantom repeat comes within seconds."""

_log = logging.getLogger("channels.slack")


class Out(Voice, Protocol):
    """The calls that answers need. Each raises PostError."""

    async def open(self, trigger: str, view: Json) -> None: ...

    async def publish(self, user: str, view: Json) -> None: ...

    async def name(self, user: str) -> str: ...

    async def identify(self) -> Us: ...


class Inbox:
    """Built by the transport. `spawn` runs what nobody waits for; `revoked` hears we are out."""

    def __init__(
        self,
        desk: Desk,
        out: Out,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        revoked: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._out = out
        self._telling = Telling(out)
        self._spawn = spawn
        self._revoked = revoked
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._seen: OrderedDict[str, str] = OrderedDict()

    async def answer(self, body: Any) -> Any:
        """What Slack is to be answered; None for a bare confirmation.

        Raises: Unavailable, PostError: it is not safe here, and Slack is to bring it again.
        """
        match body:
            case {"type": "url_verification", "challenge": challenge}:
                return {"challenge": challenge}
            case {"type": "event_callback"}:
                await self._event(body)
            case {"type": "block_actions"}:
                self._spawn(self._pressed(body, asyncio.get_running_loop().time()))
            case {"type": "view_submission"}:
                return await self._sent(body)
            case {"command": str()}:
                self._spawn(self._commanded(body))
        return None

    # Events

    async def _event(self, body: Any) -> None:
        found = parse.event(body, await self._out.identify())
        match found:
            case Typed():
                await self._typed(found, body["event"])
            case parse.Homed():
                self._spawn(self._homed(found))
            case parse.Deleted(where, message):
                self._desk.deleted(where, message)
            case parse.Revoked():
                self._revoked()

    async def _typed(self, typed: Typed, inner: Any) -> None:
        # In the order they came, so that an edit never overtakes its message.
        lock = self._locks.setdefault(typed.where.name, asyncio.Lock())
        async with lock:
            if self._is_phantom(typed, inner):
                return
            named = await self._with_names(typed)
            response = await self._desk.handle(named)
        self._spawn(self._telling.tell(typed.where, typed.sender, response.tells))

    def _is_phantom(self, typed: Typed, inner: Any) -> bool:
        """One gesture seen as two messages (platform facts, 1.10)."""
        gesture = inner.get("client_msg_id")
        if not isinstance(gesture, str) or typed.edit is not None:
            return False
        first = self._seen.setdefault(gesture, typed.message)
        if len(self._seen) > SEEN_KEPT:
            self._seen.popitem(last=False)
        return first != typed.message

    async def _with_names(self, typed: Typed) -> Typed:
        """With the names of those it mentions, and in shared places of its author."""
        sender = typed.sender
        author = parse.user_of(sender.account)
        if typed.where.direct or sender.hidden:
            author = ""
        people = {token: parse.person_of(token) for token, _ in typed.names}
        wanted = {one for one in (author, *people.values()) if one}
        # All at once, so that they take no longer than one.
        found = await asyncio.gather(*map(self._name, wanted))
        known = dict(zip(wanted, found, strict=True))
        names = tuple(
            (token, f"@{known[person]}" if (person := people[token]) else shown)
            for token, shown in typed.names
        )
        return replace(typed, names=names, sender=replace(sender, shown=known.get(author, "")))

    async def _name(self, user: str) -> str:
        try:
            async with asyncio.timeout(NAME_S):
                return await self._out.name(user)
        except (PostError, TimeoutError):
            return user

    async def _homed(self, homed: parse.Homed) -> None:
        try:
            text = await self._desk.waiting(homed.sender, homed.where)
        except Unavailable:
            text = self._desk.unavailable(homed.sender, homed.where).text
        await self._out.publish(parse.user_of(homed.sender.account), render.home(text))

    # Presses

    async def _pressed(self, body: Any, came: float) -> None:
        pressed = parse.interaction(body, await self._out.identify(), datetime.now(UTC))
        if not isinstance(pressed, Pressed):
            return
        url, trigger = body.get("response_url"), body.get("trigger_id")
        work = self._handle(pressed)
        if isinstance(pressed.control, OpenForm | AskReason):
            left_s = came + IN_BREATH_S - asyncio.get_running_loop().time()
            await asyncio.wait({work}, timeout=max(0.0, left_s))
        tells = await self._outcome(pressed, work, trigger)
        await self._telling.tell(
            pressed.where, pressed.sender, tells, url if isinstance(url, str) else None
        )

    async def _outcome(
        self, pressed: Pressed, work: asyncio.Task[Response], trigger: Any
    ) -> Sequence[Tell]:
        """What is said after a press, once its form is open if it has one."""
        sorry = (self._desk.unavailable(pressed.sender, pressed.where),)
        if not work.done() and isinstance(pressed.control, OpenForm | AskReason):
            return sorry  # its trigger is as good as spent
        try:
            response = await work
            if response.form is not None:
                view = _view(response.form, pressed.where, pressed.message)
                await self._out.open(str(trigger), view)
        except Unavailable:
            return sorry
        except PostError as error:
            event(_log, "form.failed", level=logging.WARNING, code=error.code)
            return sorry
        return response.tells

    def _handle(self, interaction: Pressed | Submitted) -> asyncio.Task[Response]:
        """The desk's work on it, which goes on whoever stops waiting."""
        work = asyncio.ensure_future(self._desk.handle(interaction))
        self._spawn(_settled(work))
        return work

    # Forms

    async def _sent(self, body: Any) -> Any:
        """What a sent form is answered: its faults, its next page, or nothing, which closes it."""
        try:
            async with asyncio.timeout(IN_BREATH_S):
                us = await self._out.identify()
        except TimeoutError:
            raise Unavailable("Slack does not say who we are.") from None
        sent = parse.interaction(body, us, datetime.now(UTC))
        if sent is None:
            return None
        work = self._handle(sent)
        await asyncio.wait({work}, timeout=IN_BREATH_S)
        if not work.done():
            # What it comes to is told when it is known; the form stays, with what is in it.
            self._spawn(self._told_later(body, sent, work))
            return _beside(body, self._desk.taking_long(sent.sender, sent.where))
        try:
            response = await work
        except Unavailable:
            return _beside(body, self._desk.unavailable(sent.sender, sent.where))
        if response.form is not None:
            return {
                "response_action": "update",
                "view": _view(response.form, sent.where, sent.message),
            }
        errors = returned.errors(body["view"], response.faults)
        if errors:
            return {"response_action": "errors", "errors": errors}
        self._spawn(self._telling.tell(sent.where, sent.sender, response.tells))
        return None

    async def _told_later(
        self, body: Any, sent: Pressed | Submitted, work: asyncio.Task[Response]
    ) -> None:
        """In words all that the form can be answered with no more."""
        reader = self._desk.reader(sent.sender, sent.where)
        try:
            response = await work
        except Unavailable:
            tells: Sequence[Tell] = (self._desk.unavailable(sent.sender, sent.where),)
        else:
            tells = response.tells
            if response.faults:
                faults = returned.named(body["view"], response.faults)
                tells = (*tells, Tell(words.not_sent(reader, faults)))
            elif response.form is not None:
                tells = (*tells, Tell(words.go_on(reader)))
        await self._telling.tell(sent.where, sent.sender, tells)

    # Commands

    async def _commanded(self, body: Any) -> None:
        command = parse.command(body, await self._out.identify())
        if command is None:
            return
        try:
            tells = await self._command(command)
        except Unavailable:
            tells = (self._desk.unavailable(command.sender, command.where),)
        url = body.get("response_url")
        # Nobody else saw the command, and nobody is to read what is said to it.
        tells = [replace(one, public=None) for one in tells]
        await self._telling.tell(
            command.where, command.sender, tells, url if isinstance(url, str) else None
        )

    async def _command(self, command: Commanded) -> Sequence[Tell]:
        """`link`, `pending` in private, or words: as a message that speaks to us."""
        word = command.text.casefold()
        if word == "link":
            return (self._desk.link(command.sender, command.where),)
        if word == "pending" and command.where.direct:
            return (Tell(await self._desk.waiting(command.sender, command.where)),)
        typed = Typed(
            where=command.where,
            sender=command.sender,
            at=datetime.now(UTC),
            message=command.event,
            text=command.text or "help",
            addressed=True,
            private=True,
            names=command.names,
            markup=True,
        )
        return (await self._desk.handle(await self._with_names(typed))).tells


def _beside(body: Any, said: Tell) -> Any:
    """Said in the form, which stays open with what is in it."""
    errors = returned.errors(body["view"], {"": said.text})
    return {"response_action": "errors", "errors": errors} if errors else None


def _view(shown: Form | Reason, where: Destination, message: str | None) -> Json:
    if isinstance(shown, Form):
        return modal.form(shown, where, message)
    return modal.reason(shown, where, message)


async def _settled(work: Awaitable[Response]) -> None:
    """Waits for work whose result another reads, if anybody still does."""
    try:
        await work
    except Unavailable as error:
        event(_log, "press.failed", level=logging.WARNING, error=error)
