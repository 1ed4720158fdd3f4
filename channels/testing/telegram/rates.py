"""How much a bot may send, where a test wants that held: Telegram's guidance, made exact.

About one message a second in a chat with short bursts, 20 a minute in a group, 30 a second in all;
edits count too.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque

CHAT = (20, 20.0)
"""Ours: one a second, and the bursts that the guidance allows without a number."""
GROUP = (20, 60.0)
"""Bots FAQ: at most 20 messages a minute to one group."""
ALL = (30, 1.0)
"""Bots FAQ: about 30 a second in all."""


class Rates:
    """Counts what is sent, by the loop's clock in seconds."""

    def __init__(self) -> None:
        self._sent: dict[tuple[object, float], deque[float]] = defaultdict(deque)

    def wait(self, chat: int, *, group: bool, at: float) -> int | None:
        """Whole seconds until one more may be sent; None: it may, and is counted."""
        bounds = [((chat, CHAT[1]), CHAT), (("all", ALL[1]), ALL)]
        if group:
            bounds.append(((chat, GROUP[1]), GROUP))
        waits = [self._left(key, count, span, at) for key, (count, span) in bounds]
        if any(waits):
            return math.ceil(max(waits))
        for key, _ in bounds:
            self._sent[key].append(at)
        return None

    def _left(self, key: tuple[object, float], count: int, span: float, at: float) -> float:
        sent = self._sent[key]
        while sent and sent[0] <= at - span:
            sent.popleft()
        return sent[0] + span - at if len(sent) >= count else 0.0
