"""What is said in chats besides posts: replies, toasts, the messages of forms. Paced as posts are.

What Telegram does not take is logged and let go: nothing of it is the only record of anything.
"""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from channels.contract import Later, Missing, PostError, Unsure
from channels.telegram import render
from channels.telegram.forms import Form, Forms
from channels.telegram.turns import Turns
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from channels.contract import Button, Destination, Response
    from channels.forms import Walk
    from channels.telegram.pacing import Pacer
    from channels.telegram.parse import Command, Press, Said
    from gateway.facts import Facts

T = TypeVar("T")

TRIES = 3
"""Ours: a reply that Telegram puts off so often is let go."""

_log = logging.getLogger("channels.telegram")


class Api(Protocol):
    """The calls of the Bot API that we make. Each raises PostError."""

    async def send(self, chat: str, payload: dict[str, Any]) -> tuple[int, int]:
        """The message's id, and its time in Unix seconds."""
        ...

    async def edit(self, chat: str, message: int, payload: dict[str, Any]) -> None: ...
    async def take_keyboard(self, chat: str, message: int) -> None: ...
    async def answer(self, query: str, text: str, *, alert: bool, link: str | None) -> None: ...


class Saying:
    """Built by the transport; its posts go out through this one's pace too."""

    def __init__(self, api: Api, pacer: Pacer, facts: Facts) -> None:
        self._api = api
        self._pacer = pacer
        self._forms = Forms(facts)
        self._turns = Turns()

    async def send(self, chat: str, payload: dict[str, Any]) -> int:
        """A message, when it is its turn; its id. Raises: PostError."""
        await self._turn(chat)
        number, _ = await self._api.send(chat, payload)
        return number

    async def reply(self, said: Said, response: Response) -> None:
        """What follows from a message: under it, or as the next step of the form."""
        typed = said.typed
        where = typed.where
        async with self._turns.of(where.conversation):
            if response.step is not None and where.direct:
                # The step shows what was kept, so what was said of it would be said twice.
                await self.walk(where, response.step, None)
                return
            for tell in response.tells:
                text = tell.text if where.direct else tell.public
                if text is None:
                    continue
                extra: dict[str, Any] = {} if where.direct else _under(int(typed.message))
                if said.topic is not None:
                    extra["message_thread_id"] = said.topic
                await self._tell(where.conversation, text, tell.buttons, extra)

    async def answer(self, command: Command, text: str) -> None:
        """A reply to a command; in a group to its author's own chat where that is open."""
        extra = _under(int(command.message))
        if command.topic is not None:
            extra["message_thread_id"] = command.topic
        if not command.where.direct:
            try:
                await self.say(command.sender.account, text)
            except PostError:
                await self._tell(command.where.conversation, text, (), extra)
            return
        await self._tell(command.where.conversation, text, (), {})

    async def say(self, chat: str, text: str, buttons: Sequence[Button] = ()) -> None:
        """Raises: PostError."""
        for payload in render.tell(text, buttons):
            await self.send(chat, payload)

    async def under(self, press: Press, text: str) -> None:
        """A reply to the message that was pressed on."""
        extra = _under(press.message) if press.message is not None else {}
        if press.topic is not None:
            extra["message_thread_id"] = press.topic
        await self._tell(press.pressed.where.conversation, text, (), extra)

    async def walk(
        self, where: Destination, step: Walk, message: int | None, *, at_hand: bool = False
    ) -> None:
        """Draws the step on its message, or on a new one, and takes the buttons off the old.

        What it shortens is said before it, unless it was, or is `at_hand`: the post stands above.
        """
        chat, ask_id = where.conversation, step.ask_id
        before = self._forms.of(chat, ask_id)
        told = before.told if before else frozenset()
        at_hand = at_hand or (before is not None and before.at_hand)
        untold = [] if at_hand else [one for one in step.whole if one not in told]
        payloads = [part for text in untold for part in render.tell(text)]
        try:
            for part in payloads:
                await self._patiently(partial(self.send, chat, part))
            on = None if payloads else message
            drawn = await self._patiently(partial(self._draw, chat, on, render.walk(step)))
        except PostError as error:
            event(_log, "step.failed", level=logging.WARNING, code=error.code, ask_id=ask_id)
            return
        if step.ended:
            await self._forms.end(chat, ask_id, drawn)
        else:
            form = Form(drawn, told.union(step.whole), at_hand)
            await self._forms.put(chat, ask_id, form)
        for old in {message, before.message if before else None}:
            if old not in (None, drawn):
                await self.without_buttons(chat, old)

    async def over(self, ask_id: str, outcome: str) -> None:
        """The forms of an ask that has ended show how, whichever process drew them."""
        shown = render.message(render.html(outcome))
        for chat, message in await self._forms.take(ask_id):
            try:
                await self._patiently(partial(self._draw, chat, message, shown))
            except PostError as error:
                event(_log, "step.failed", level=logging.WARNING, code=error.code, ask_id=ask_id)

    async def without_buttons(self, chat: str, message: int) -> None:
        try:
            await self._turn(chat)
            await self._api.take_keyboard(chat, message)
        except PostError as error:
            event(_log, "buttons.left", code=error.code, surface="telegram")

    async def answer_press(self, query: str, text: str, *, alert: bool, link: str | None) -> bool:
        """Ends the spinning, with words or an address to open where there are any.

        Whether those can have been read: not where it was too late, or answered before.
        """
        call = partial(self._api.answer, query, text, alert=alert, link=link)
        try:
            await self._patiently(call)
        except Unsure:
            await self._once_more(call)
        except PostError as error:
            event(_log, "answer.failed", level=logging.WARNING, code=error.code, surface="telegram")
            return not isinstance(error, Missing)
        return True

    async def _once_more(self, call: Callable[[], Awaitable[None]]) -> None:
        """An answer to a press that was lost: a second one does no harm."""
        try:
            await call()
        except PostError as error:
            event(_log, "answer.failed", level=logging.WARNING, code=error.code, surface="telegram")

    async def _draw(self, chat: str, message: int | None, payload: dict[str, Any]) -> int:
        """The message that shows it now: another one where that one is gone."""
        if message is None:
            return await self.send(chat, payload)
        try:
            await self._turn(chat)
            await self._api.edit(chat, message, payload)
        except Missing:
            return await self.send(chat, payload)
        return message

    async def _tell(
        self, chat: str, text: str, buttons: Sequence[Button], extra: dict[str, Any]
    ) -> None:
        for payload in render.tell(text, buttons):
            await self._insist(chat, {**payload, **extra})

    async def _insist(self, chat: str, payload: dict[str, Any]) -> None:
        try:
            await self._patiently(partial(self.send, chat, payload))
        except PostError as error:
            # An answer that was lost too: it may stand there, and twice is worse than once unseen.
            event(_log, "reply.failed", level=logging.WARNING, code=error.code, surface="telegram")

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        """The call, tried again where Telegram puts it off. Raises: PostError."""
        for _ in range(TRIES - 1):
            try:
                return await call()
            except Later as error:
                await asyncio.sleep(error.after_s or 1.0)
        return await call()

    async def _turn(self, chat: str) -> None:
        at = asyncio.get_running_loop().time()
        await asyncio.sleep(self._pacer.turn(chat, at, new=False))


def _under(message: int) -> dict[str, Any]:
    return {"reply_parameters": {"message_id": message, "allow_sending_without_reply": True}}
