"""How a channel's `examine` says what it saw, and what it could not see.

A platform that is down, limits us or answers anything at all is a finding: none is raised.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from channels.contract import Finding, Later, PostError, Unsure

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

BY_SENDING = "`oz0 doctor --send DEST` posts a real ask there, and waits for its answer."
"""What shows all that no call can."""

_STATUS = re.compile(r"(?:[a-z_]+_)?([345]\d\d)")


async def looked(what: str, address: str, look: Awaitable[Sequence[Finding]]) -> Sequence[Finding]:
    """What that look found. `what` names it where nothing could be seen at that address."""
    try:
        return await look
    except PostError as error:
        if passing(error):
            return [away(what, error.code, address)]
        mend = f"It is refused ({said(error.code)}). Is {address} right?"
        return [Finding(what, fine=False, mend=mend)]
    except Exception as error:  # noqa: BLE001 - a library makes anything of an odd answer
        return [away(what, type(error).__name__, address)]


def passing(error: PostError) -> bool:
    """Whether it says nothing of the set-up: the platform is down, limits us, or was not heard."""
    return isinstance(error, Later | Unsure)


def away(what: str, code: str, address: str) -> Finding:
    """It cannot be seen just now. `address` is what may be out of reach: an URL, or its setting."""
    reach = (
        "Try again."
        if _STATUS.fullmatch(code)
        else f"Try again; if nothing ever answers, can this machine reach {address}?"
    )
    mend = f"It could not be checked just now ({said(code)}). {reach}"
    return Finding(what, fine=None, mend=mend, passing=True)


def unseen(what: str, tell: str = BY_SENDING) -> Finding:
    """No call shows it; `tell` is what does, a sentence."""
    return Finding(what, fine=None, mend=tell)


def said(code: str) -> str:
    """A code of the platform's or of a library's, as it reads in a sentence."""
    status = _STATUS.fullmatch(code)
    return f"HTTP {status[1]}" if status else code


def clock_off_s(date: str) -> float | None:
    """How far this machine's clock is ahead of the one that wrote a `Date` header, in seconds.

    None where it tells no time.
    """
    try:
        theirs = parsedate_to_datetime(date)
    except (TypeError, ValueError, OverflowError):
        return None
    # A header that names no zone means UTC, and comes without one.
    return (datetime.now(UTC) - theirs.replace(tzinfo=theirs.tzinfo or UTC)).total_seconds()
