"""What a refusal of the connector means for a post: one table, by status and code. Pure."""

from __future__ import annotations

from channels.contract import Later, Missing, PostError, Shut, Unfit, Unreachable, Unsure

# Statuses and codes: platform facts, 2.5.
SHUT = frozenset({"BotNotRegistered", "BotDisabledByAdmin", "Unauthorized"})
"""The bot itself may not: nothing of it will be posted anywhere."""

MISSING = frozenset({"ActivityNotFoundInConversation"})
WRONG_HOST = "InvalidBotApiHost"
"""The conversation has moved to another region; the address it told last no longer serves it."""

MOST_WAIT_S = 3600.0
"""Ours: the longest window of the service's rate limits is an hour."""


def refusal(status: int, code: str, *, posting: bool, retry_after: str | None = None) -> PostError:
    """The error to raise. `posting`: a second try could make a second message.

    `code` is the service's own, "" where its answer had none.
    """
    code = code or str(status)
    if status == 401 or code in SHUT:
        return Shut(code)
    if status in (412, 429):
        return Later(code, _seconds(retry_after))
    if status in (403, 404, 410):
        return Missing(code) if code in MISSING else Unreachable(code)
    if status >= 500 or status == 408:
        # Such an answer may come after the message was taken.
        return Unsure(code) if posting else Later(code, _seconds(retry_after))
    return Unfit(code)


def _seconds(retry_after: str | None) -> float | None:
    try:
        found = float(retry_after or "")
    except ValueError:
        return None
    return min(found, MOST_WAIT_S) if found >= 0 else None
