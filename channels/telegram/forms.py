"""Where forms stand before people, in the store too: whoever draws an ask's end closes them all."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from gateway.facts import Facts

FORMS = 4_096
"""Ours: forms of which this process knows what was said beside them; for others it is said anew."""

_log = logging.getLogger("channels.telegram")


@dataclass(frozen=True, slots=True)
class Form:
    """`told` is what its steps shorten, and was said there in full; `at_hand` that all of it was,
    as the post stands there.
    """

    message: int
    told: frozenset[str] = frozenset()
    at_hand: bool = False


class Forms:
    """By chat and ask. With the store away a form is known here alone, and ends at a press."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._here: OrderedDict[tuple[str, str], Form] = OrderedDict()

    def of(self, chat: str, ask_id: str) -> Form | None:
        """The form, as far as this process drew it."""
        return self._here.get((chat, ask_id))

    async def put(self, chat: str, ask_id: str, form: Form) -> None:
        """The form stands there now, and nowhere else in that chat."""
        before = self._here.pop((chat, ask_id), None)
        self._here[chat, ask_id] = form
        if len(self._here) > FORMS:
            self._here.popitem(last=False)
        if before is None or before.message != form.message:
            try:
                await self._facts.keep(_name(ask_id), f"{chat} {form.message}")
                if before is not None:
                    await self._facts.drop(_name(ask_id), f"{chat} {before.message}")
            except Unavailable as error:
                _failed(error, ask_id)

    async def end(self, chat: str, ask_id: str, message: int) -> None:
        """Nothing is left to close there."""
        self._here.pop((chat, ask_id), None)
        try:
            await self._facts.drop(_name(ask_id), f"{chat} {message}")
        except Unavailable as error:
            _failed(error, ask_id)

    async def take(self, ask_id: str) -> set[tuple[str, int]]:
        """Chat and message of each of that ask; none is known any more."""
        here = [key for key in self._here if key[1] == ask_id]
        found = {(chat, self._here.pop((chat, ask)).message) for chat, ask in here}
        try:
            for fact in await self._facts.kept(_name(ask_id)):
                chat, _, message = fact.partition(" ")
                found.add((chat, int(message)))
                await self._facts.drop(_name(ask_id), fact)
        except Unavailable as error:
            _failed(error, ask_id)
        return found


def _name(ask_id: str) -> str:
    return f"telegram:forms:{ask_id}"


def _failed(error: Unavailable, ask_id: str) -> None:
    event(_log, "form.unkept", level=logging.WARNING, error=error, ask_id=ask_id)
