"""How fast one conversation is sent to. Whoever comes sooner waits its turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from channels.contract import Later

if TYPE_CHECKING:
    from collections.abc import Callable

BURST, PER_S = 4, 1.8
"""Sends at once, and then a second, in one conversation: below 7 in 1 s, 8 in 2 s and 60 in 30 s
(platform facts, 2.5)."""

PATIENCE_S = 1.5
"""Ours: a longer wait is the worker's, so that one busy conversation holds up no other."""

KEPT = 10_000
"""Ours: conversations, and turns given out, that are remembered; older ones have long passed."""


class Pace:
    """Turns by conversation, first come, first served. `clock` is the event loop's, in seconds."""

    def __init__(self, clock: Callable[[], float] | None = None) -> None:
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._full: OrderedDict[str, float] = OrderedDict()
        self._given: OrderedDict[str, float] = OrderedDict()

    async def turn(self, conversation: str, key: str | None) -> None:
        """Returns when a call of that key may go there; without a key, however long that takes.

        Raises: Later; its turn is kept for it until it comes again.
        """
        at = None if key is None else self._given.pop(key, None)
        if at is None:
            at = self.take(conversation)
        wait_s = at - self._clock()
        if key is not None and wait_s > PATIENCE_S:
            _keep(self._given, key, at)
            raise Later("pace", wait_s)
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    def take(self, conversation: str) -> float:
        """When the next one there may go; whoever comes after it waits behind it."""
        now = self._clock()
        full = max(now, self._full.get(conversation, now))
        _keep(self._full, conversation, full + 1 / PER_S)
        return max(now, full - (BURST - 1) / PER_S)


def _keep(kept: OrderedDict[str, float], name: str, at: float) -> None:
    kept[name] = at
    kept.move_to_end(name)
    if len(kept) > KEPT:
        kept.popitem(last=False)
