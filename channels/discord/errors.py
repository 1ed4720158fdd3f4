"""What Discord's refusals mean for a post. Pure; the only place that reads its codes."""

from __future__ import annotations

from channels.contract import (
    Later,
    Missing,
    PostError,
    Shut,
    Unfit,
    Unreachable,
    Unsure,
)

THREAD_ALONE = "thread_alone"
"""Ours: a thread named without its channel. All that happens there is told of with both, so nobody
would find what was posted."""

UNKNOWN_MESSAGE = 10008
UNKNOWN_INTERACTION = 10062
ACKNOWLEDGED = 40060
ARCHIVED = 50083
DEAD_TOKENS = ("10015", "10062", "50027")
"""An interaction that takes no answer any more: unknown, too late, or past its fifteen minutes."""

NO_WAY_IN = frozenset((50008, 50033))
"""Not a place to write, no such recipient: told with 400, though no other text would do."""

FATAL_CLOSES = frozenset((4004, 4010, 4011, 4012, 4013, 4014))
"""Closes after which Discord says not to come back; the same page."""


def post_error(status: int, code: int, retry_after_s: float | None = None) -> PostError:
    """The error for an answer of that HTTP status and code, 0 where it had none."""
    name = str(code or status)
    if status == 429:
        return Later(name, retry_after_s)
    return _kind(status, code)(name)


def _kind(status: int, code: int) -> type[PostError]:
    if status >= 500:
        # Of these only 503 says that nothing was done.
        return Later if status == 503 else Unsure
    if status == 401:
        return Shut
    if code == UNKNOWN_MESSAGE:
        return Missing
    # No access, no right, closed direct messages, a locked thread; no such channel or thread.
    return Unreachable if code in NO_WAY_IN or status in (403, 404) else Unfit
