"""What is confirmed to Telegram before it had its effect, in the store until it has.

Parts of pastes: by webhook a chat's next message comes only after this one is confirmed, perhaps to
another replica. Presses that take long: few updates may wait. What its process left, any reads.
"""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from channels.telegram.parse import Said, parse
from channels.telegram.pastes import goes_on

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from channels.contract import Typed
    from channels.telegram.parse import Me
    from gateway.facts import Facts

LEFT = timedelta(seconds=15)
"""Ours: whoever has it is done with it long before; older ones were left by one that died."""

NAME = "telegram:held"
PRESSES = "telegram:presses"


class Held:
    """Built with the intake. All raise Unavailable."""

    def __init__(self, facts: Facts, me: Me, now: Callable[[], datetime]) -> None:
        self._facts = facts
        self._me = me
        self._now = now

    async def keep(self, update: dict[str, Any]) -> None:
        """The update may be confirmed once this returns; safe to do twice."""
        await self._facts.keep(NAME, json.dumps(update, sort_keys=True))

    async def before(self, typed: Typed) -> list[dict[str, Any]]:
        """The updates that this message may go on from."""
        return [update for _, update, one in await self._all() if goes_on(one, typed)]

    async def left(self) -> list[tuple[dict[str, Any], Typed]]:
        """The updates that nobody has read, in their order, and what was said."""
        past = self._now() - LEFT
        return [(update, one) for _, update, one in await self._all() if one.at < past]

    async def whole(self, parts: Sequence[Typed]) -> Sequence[Typed]:
        """The parts, with those that went to other replicas among them."""
        found = {one.message: one for _, _, one in await self._all()}
        found |= {one.message: one for one in parts}
        whole = [parts[0]]
        for one in sorted(found.values(), key=lambda one: int(one.message)):
            if int(one.message) > int(whole[-1].message) and goes_on(whole[-1], one):
                whole.append(one)
        return whole if {*parts} <= {*whole} else parts

    async def drop(self, parts: Sequence[Typed]) -> None:
        """They were read."""
        for fact, _, one in await self._all():
            if one in parts:
                await self._facts.drop(NAME, fact)

    async def keep_press(self, update: dict[str, Any]) -> str:
        """A press may be confirmed once this returns; by what it is dropped."""
        fact = json.dumps([self._now().timestamp(), update])
        await self._facts.keep(PRESSES, fact)
        return fact

    async def drop_press(self, fact: str) -> None:
        """It had its effect."""
        await self._facts.drop(PRESSES, fact)

    async def left_presses(self) -> list[tuple[str, dict[str, Any]]]:
        """Presses that somebody left, and by what they are dropped."""
        past = (self._now() - LEFT).timestamp()
        kept = [(fact, *json.loads(fact)) for fact in await self._facts.kept(PRESSES)]
        return [(fact, update) for fact, at, update in kept if at < past]

    async def _all(self) -> list[tuple[str, dict[str, Any], Typed]]:
        """Each as it is kept, as the update, and as what was said; in their order."""
        found = []
        for fact in await self._facts.kept(NAME):
            update = json.loads(fact)
            what = parse(update, self._me, self._now())
            if isinstance(what, Said):
                found.append((fact, update, what.typed))
        return sorted(found, key=lambda one: int(one[2].message))
