"""The one door for agents, people, channels and the clock: who may, what it means, one step each.

It holds no state of its own; what it was told is stored before it answers.
"""

from __future__ import annotations

from gateway.broker.answering import Answering
from gateway.broker.asking import Asking, Standing
from gateway.broker.endings import QUESTION_TIMED_OUT, RUN_DEADLINE_PASSED, Try
from gateway.broker.runs import LOOK_AGAIN_S, RUN_ENDED

__all__ = [
    "LOOK_AGAIN_S",
    "QUESTION_TIMED_OUT",
    "RUN_DEADLINE_PASSED",
    "RUN_ENDED",
    "Broker",
    "Standing",
    "Try",
]


class Broker(Asking, Answering):
    """Built in `cli` with the store, the waiters and the metrics; every other part gets this."""
