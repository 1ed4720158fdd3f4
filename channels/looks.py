"""When asks are looked at: one look of an ask at a time, and again while something is left to do.

Whoever hears of an ask may forget it once `safe` returns: until then this process has it in hand.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

AGAIN_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""Ours: how long after a failure something is tried again; the last one repeats."""

FINISH_S = 10.0
"""Ours: what is in hand may finish when we stop; a platform's call takes less."""

_log = logging.getLogger("channels.worker")


class Looks:
    """Built by `Worker`; `look` makes an ask's posts show it as it stands."""

    def __init__(self, look: Callable[[str], Awaitable[None]]) -> None:
        self._look = look
        self._dirty: set[str] = set()
        self._tries: dict[str, int] = {}
        self._safe: dict[str, asyncio.Event] = {}
        self.running: dict[str, asyncio.Task[None]] = {}
        self.timers: dict[str, asyncio.TimerHandle] = {}
        self.stopping = False

    def hurry(self, ask_id: str) -> None:
        """Has the ask looked at soon; returns at once."""
        if (timer := self.timers.pop(ask_id, None)) is not None:
            timer.cancel()
        if ask_id in self.running:
            self._dirty.add(ask_id)
            return
        if self.stopping:
            return
        self.running[ask_id] = asyncio.create_task(self._look_until_clean(ask_id))

    def again(self, ask_id: str, after_s: float) -> None:
        """Has the ask looked at after that time, unless it is looked at sooner anyway."""
        if self.stopping:
            return
        loop = asyncio.get_running_loop()
        timer = self.timers.get(ask_id)
        if timer is None or timer.when() > loop.time() + after_s:
            if timer is not None:
                timer.cancel()
            self.timers[ask_id] = loop.call_later(after_s, self.hurry, ask_id)

    async def safe(self, ask_id: str) -> None:
        """Has it looked at, and returns once nothing is left to do, or others know of what is."""
        known = self._safe.setdefault(ask_id, asyncio.Event())
        self.hurry(ask_id)
        await known.wait()

    def is_safe(self, ask_id: str) -> None:
        """Nothing is left to do for it, or others know of what is."""
        if (known := self._safe.pop(ask_id, None)) is not None:
            known.set()

    async def _look_until_clean(self, ask_id: str) -> None:
        try:
            while True:
                self._dirty.discard(ask_id)
                await self._look(ask_id)
                if ask_id not in self._dirty:
                    break
            self._tries.pop(ask_id, None)
            if ask_id not in self.timers:
                self.is_safe(ask_id)
        except Exception as error:  # noqa: BLE001  # one ask's fault must not end the others
            level = logging.WARNING if isinstance(error, Unavailable) else logging.ERROR
            event(_log, "look.failed", level=level, error=error, ask_id=ask_id)
            tries = self._tries[ask_id] = self._tries.get(ask_id, 0) + 1
            self.again(ask_id, rest_s(tries))
        finally:
            del self.running[ask_id]

    async def finish(self, others: set[asyncio.Task[None]]) -> None:
        """Nothing new is begun; what is in hand, and those others, have a while to finish."""
        self.stopping = True
        for timer in self.timers.values():
            timer.cancel()
        in_hand = {*self.running.values(), *others}
        if in_hand:
            _, late = await asyncio.wait(in_hand, timeout=FINISH_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)


def rest_s(tries: int) -> float:
    """How long to rest after so many failures, one at least."""
    return AGAIN_S[min(tries, len(AGAIN_S)) - 1]
