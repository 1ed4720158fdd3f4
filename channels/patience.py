"""How long a place is left alone after a failure: each in its own time, whatever hurries its ask.

A platform that is away is probed with one post or drawing at a time; once it takes one, all that
waited for it are tried at once.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from channels.looks import rest_s

if TYPE_CHECKING:
    from channels.looks import Looks

PROBE_S = 1.0
"""Ours: back again, a platform shows what has ended within two seconds, drawing included."""

Place = tuple[str, str]
"""An ask's id, and the name of one of its places."""


@dataclass(frozen=True, slots=True)
class _Rest:
    tries: int
    until: float


class Patience:
    """Built by `Worker`. Times are the event loop's."""

    def __init__(self, looks: Looks) -> None:
        self._looks = looks
        self._rests: dict[Place, _Rest] = {}
        self._away: defaultdict[str, dict[Place, None]] = defaultdict(dict)
        self._probes: dict[str, Place] = {}

    def rests(self, ask_id: str, place: str) -> bool:
        """Whether it is to be left alone just now; then its ask is looked at after that."""
        if left_s := self._left_s((ask_id, place)):
            self._looks.again(ask_id, left_s)
        return left_s > 0

    def failed(
        self, ask_id: str, place: str, after_s: float | None = None, *, away: str | None = None
    ) -> float:
        """It is left alone for that time, or longer each time, in seconds; `away` is a channel that
        is.
        """
        this = (ask_id, place)
        tries = self._rests[this].tries + 1 if this in self._rests else 1
        wait_s = rest_s(tries) if after_s is None else after_s
        if away is not None:
            self._away[away][this] = None
            probe = self._probes.get(away, this)
            if probe == this or not self._left_s(probe):
                self._probes[away] = this
                wait_s = min(wait_s, PROBE_S)
        self._rests[this] = _Rest(tries, _now() + wait_s)
        self._looks.again(ask_id, wait_s)
        return wait_s

    def over(self, ask_id: str, place: str, channel: str) -> None:
        """Nothing is waited for there; where that was the probe, all others are tried."""
        self._rests.pop((ask_id, place), None)
        if self._probes.get(channel) == (ask_id, place):
            self.back(channel)

    def back(self, channel: str) -> None:
        """The channel took something: what waited for it is tried now."""
        self._probes.pop(channel, None)
        for place in self._away.pop(channel, {}):
            self._rests.pop(place, None)
            self._looks.hurry(place[0])

    def _left_s(self, place: Place) -> float:
        rest = self._rests.get(place)
        return max(0.0, rest.until - _now()) if rest else 0.0


def _now() -> float:
    return asyncio.get_running_loop().time()
