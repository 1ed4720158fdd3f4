"""How long a loop rests after a failure: longer each time, and not at all once it works again."""

from __future__ import annotations

FIRST_S = 0.5
MOST_S = 4.0
"""Ours: at most two lines of log a second while it fails, and back within five once it can be."""
BY_HAND_S = 300.0
"""Ours: the rest after what only a person can mend. Discord allows 1,000 starts a day, to all
replicas together, and resets the token after that; this makes 288."""


class Backoff:
    """The rests of one loop."""

    def __init__(self) -> None:
        self._next_s = FIRST_S

    def rest_s(self) -> float:
        """The seconds to rest after one more failure."""
        rest, self._next_s = self._next_s, min(MOST_S, self._next_s * 2)
        return rest

    def reset(self) -> None:
        """It worked."""
        self._next_s = FIRST_S
