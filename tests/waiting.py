"""Tests wait until something holds, and say what they waited for; they never sleep and hope."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable

PATIENCE_S = 20.0
"""Ours: well above what anything here takes on a busy machine, well below a test's limit."""

LOOK_AGAIN_S = 0.01


async def until(
    holds: Callable[[], object | Awaitable[object]], what: str, within_s: float = PATIENCE_S
) -> None:
    """Returns once `holds()` is true; it may be a coroutine function.

    Raises:
        AssertionError: it was not in time; the message is `what`.
    """
    end = time.monotonic() + within_s
    while True:
        found = holds()
        if inspect.isawaitable(found):
            found = await found
        if found:
            return
        if time.monotonic() > end:
            raise AssertionError(f"after {within_s} s still not: {what}")
        await asyncio.sleep(LOOK_AGAIN_S)
