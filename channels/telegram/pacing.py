"""How fast we send: Telegram's guidance, kept on this side of it, so that no 429 comes of us.

About one message a second in a chat with short bursts, 20 a minute in a group, 30 a second in all;
edits count too (platform facts, 4.6).
"""

from __future__ import annotations

from collections import OrderedDict, deque

CHAT = (20, 20.0)
"""Ours: one a second, in the short bursts that the guidance allows without a number. A form that is
gone through takes some twenty messages and edits in less than a minute."""

GROUP = (20, 60.0)
"""Bots FAQ: at most 20 messages a minute to the same group."""

ALL = (30, 1.0)
"""Bots FAQ: about 30 messages a second in all."""

FOR_REDRAWS = 5
"""Ours: of a group's 20, kept for posts that must show their outcome."""

SLACK_S = 0.05
"""Ours: our clock and Telegram's do not tick together."""

CHATS = 4_096
"""Ours: chats kept in mind; one not written to for a minute needs none."""


class Pacer:
    """Times are seconds of one steady clock."""

    def __init__(self) -> None:
        self._chats: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque()

    def turn(self, chat: str, at: float, *, new: bool) -> float:
        """Seconds to wait before one more is sent to that chat, counted as sent then.

        `new`: a message that could come later, beside one that must be drawn anew now.
        """
        wait = self.wait_s(chat, at, new=new)
        self._chats[chat].append(at + wait)
        self._all.append(at + wait)
        return wait

    def wait_s(self, chat: str, at: float, *, new: bool) -> float:
        """As `turn`, and nothing is counted."""
        sent = self._sent(chat, at)
        waits = [_wait_s(self._all, *ALL, at), _wait_s(sent, *CHAT, at)]
        if chat.startswith(("-", "@")):  # a group's id, or a public name
            count, span_s = GROUP
            waits.append(_wait_s(sent, count - FOR_REDRAWS if new else count, span_s, at))
        longest = max(waits)
        return longest + SLACK_S if longest > 0 else 0.0

    def _sent(self, chat: str, at: float) -> deque[float]:
        sent = self._chats.setdefault(chat, deque())
        self._chats.move_to_end(chat)
        while len(self._chats) > CHATS:
            self._chats.popitem(last=False)
        for kept, span_s in ((sent, GROUP[1]), (self._all, ALL[1])):
            while kept and kept[0] + span_s <= at:
                kept.popleft()
        return sent


def _wait_s(sent: deque[float], count: int, span_s: float, at: float) -> float:
    """Seconds until fewer than `count` were sent within the last `span_s`."""
    return max(0.0, sent[-count] + span_s - at) if len(sent) >= count else 0.0
