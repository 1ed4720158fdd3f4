"""Wakes whoever waits in this process. One read of the log's tail serves all of them.

A waiter registers first and looks at the state then, so that nothing falls in between.
"""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

from gateway.store import ENDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gateway.store import Event, Log


class Watch:
    """One waiter's bell for one ask or run."""

    def __init__(self) -> None:
        self._rung = False
        self._sleeper: asyncio.Future[None] | None = None

    def ring(self) -> None:
        self._rung = True
        self._wake()

    async def changed(self, within_s: float) -> bool:
        """True once something happened since the last look; False when the time has passed."""
        if not self._rung:
            loop = asyncio.get_running_loop()
            self._sleeper = loop.create_future()
            # A timer of its own: `asyncio.timeout` cost a twentieth of a whole lifecycle.
            timer = loop.call_later(within_s, self._wake)
            try:
                await self._sleeper
            finally:
                timer.cancel()
                self._sleeper = None
        rung, self._rung = self._rung, False
        return rung

    def _wake(self) -> None:
        if self._sleeper is not None and not self._sleeper.done():
            self._sleeper.set_result(None)


class Waiters:
    """Everyone who waits in this process, by ask and by run."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._watches: dict[str, set[Watch]] = {}
        self.hearing = asyncio.Event()
        self.closing = False

    async def run(self) -> None:
        """Reads the tail until cancelled."""
        async for events in self._log.tail():
            if events is None:
                # Something may have been missed: everyone looks again.
                self.hearing.set()
                self._tell_all()
                continue
            for event in events:
                self._tell(event)

    @contextmanager
    def watch(self, name: str) -> Iterator[Watch]:
        """Rings for every event of a run, or for the end of an ask, by id."""
        watch = Watch()
        self._watches.setdefault(name, set()).add(watch)
        try:
            yield watch
        finally:
            watches = self._watches[name]
            watches.discard(watch)
            if not watches:
                del self._watches[name]

    def ring(self, name: str) -> None:
        """Wakes who watches that run or ask; for what this process has just done itself."""
        for watch in self._watches.get(name, ()):
            watch.ring()

    def close(self) -> None:
        """This process stops: everyone who waits here is sent off with how things stand."""
        self.closing = True
        self._tell_all()

    def _tell_all(self) -> None:
        for watches in self._watches.values():
            for watch in watches:
                watch.ring()

    def _tell(self, event: Event) -> None:
        self.ring(event.run_id)
        if event.ask_id and event.type in ENDINGS:
            self.ring(event.ask_id)
