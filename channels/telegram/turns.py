"""One after another: whoever waits for the same turn gets it in the order they came."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass(slots=True)
class _Turn:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    wanted: int = 0


class Turns:
    """By name; nothing is kept of one that nobody waits for."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def of(self, name: str) -> AsyncIterator[None]:
        """It is our turn while this is open."""
        turn = self._turns.setdefault(name, _Turn())
        turn.wanted += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.wanted -= 1
            if not turn.wanted:
                del self._turns[name]

    def is_last(self, name: str) -> bool:
        """Whether nobody waits for the turn after ours."""
        return self._turns[name].wanted == 1
