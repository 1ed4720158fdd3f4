"""Asking for updates: each is confirmed once it is taken, by asking for what comes after it.

What is not taken holds back its confirmation, and that of what came later, but no handling.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, Any, Protocol

from channels.contract import Later, PostError, Shut
from channels.telegram.errors import taken_elsewhere
from gateway.backoff import Backoff
from gateway.log import event

if TYPE_CHECKING:
    from channels.telegram.intake import Intake

POLL_S = 50
"""The longest that Telegram holds a poll (platform facts, 4.4)."""

LOOK_AGAIN_S = 0.1
"""Ours: while an update is not taken, so often we ask for what came after it."""

STAND_BACK_S = (4.0, 8.0)
"""Ours: another process polls; we try again after so long, so that one of us always does, and takes
over as soon when the other is gone.
"""

_log = logging.getLogger("channels.telegram")


class Updates(Protocol):
    """Where they come from."""

    async def updates(self, offset: int, timeout_s: int) -> list[Any]:
        """Those from that id on; those before it are confirmed. Raises: PostError."""
        ...


async def poll(source: Updates, intake: Intake) -> None:
    """Asks for updates for good. Raises: Shut."""
    # Of the last answer alone, which holds all that is not confirmed: after a quiet week Telegram
    # counts anew, perhaps from lower, and confirms nothing below an id that it has yet to reach.
    taken: dict[int, asyncio.Future[None]] = {}
    offset = 0
    failed: set[str] = set()
    backoff = Backoff()
    while True:
        waiting = [number for number, one in taken.items() if not one.done()]
        if taken:
            offset = min(waiting, default=max(taken) + 1)
        try:
            found = await source.updates(offset, 0 if waiting else POLL_S)
        except PostError as error:
            if isinstance(error, Shut):
                raise
            # Replicas take turns at it, which is worth one line and not one a turn.
            level = logging.DEBUG if error.code in failed else logging.WARNING
            failed.add(error.code)
            event(_log, "poll.failed", level=level, code=error.code)
            await asyncio.sleep(_rest_s(error, backoff))
            continue
        backoff.reset()
        fresh = any(not intake.knows(one) for one in found)
        if found:
            taken = {_update_id(one): intake.take(one) for one in found}
        held = [one for one in taken.values() if not one.done()]
        if held and not fresh:
            await asyncio.wait(held, timeout=LOOK_AGAIN_S, return_when=asyncio.FIRST_COMPLETED)


def _rest_s(error: PostError, backoff: Backoff) -> float:
    if error.code == taken_elsewhere().code:
        return random.uniform(*STAND_BACK_S)  # noqa: S311  # so that two do not knock at once
    after = error.after_s if isinstance(error, Later) else None
    return after or backoff.rest_s()


def _update_id(update: Any) -> int:
    number = update.get("update_id") if isinstance(update, dict) else None
    return number if isinstance(number, int) else 0
