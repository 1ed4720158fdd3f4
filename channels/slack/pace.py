"""Slack's pace: about one post a second in a conversation. Whoever comes sooner waits its turn."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from channels.contract import Later

if TYPE_CHECKING:
    from collections.abc import Callable

EVERY_S = 1.1
"""Slack's second for `chat.postMessage` in one channel (platform facts, 1.1), and a tenth for what
the way there takes."""

PATIENCE_S = 1.5
"""Ours: a longer wait is the worker's, so that one busy channel holds up no other."""

KEPT = 4_096
"""Ours: conversations, and turns given out, that are remembered; older ones have long passed."""


class Pace:
    """Turns by conversation, first come, first served. `clock` is the event loop's, in seconds."""

    def __init__(self, every_s: float = EVERY_S, clock: Callable[[], float] | None = None) -> None:
        self._every_s = every_s
        self._clock = clock or (lambda: asyncio.get_running_loop().time())
        self._next: OrderedDict[str, float] = OrderedDict()
        self._given: OrderedDict[str, float] = OrderedDict()

    async def turn(self, conversation: str, key: str, *, patience_s: float = PATIENCE_S) -> None:
        """Returns when a post of that key may go there.

        Raises: Later; its turn is kept for it until it comes again.
        """
        at = self._given.pop(key, None)
        if at is None:
            at = self._take(conversation)
        wait_s = at - self._clock()
        if wait_s > patience_s:
            _keep(self._given, key, at)
            raise Later("pace", wait_s)
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    def rest(self, conversation: str, after_s: float) -> None:
        """Slack said so: nobody's turn there before that time."""
        at = self._clock() + after_s
        _keep(self._next, conversation, max(at, self._next.get(conversation, at)))

    def _take(self, conversation: str) -> float:
        now = self._clock()
        at = max(now, self._next.get(conversation, now))
        _keep(self._next, conversation, at + self._every_s)
        return at


def _keep(kept: OrderedDict[str, float], name: str, at: float) -> None:
    kept[name] = at
    kept.move_to_end(name)
    if len(kept) > KEPT:
        kept.popitem(last=False)
