"""What Telegram says when it will not: the status, the words, and what it adds to them.

The words are the Bot API server's own; libraries and bots tell errors apart by them.
"""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A call that is answered with `ok: false`."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters

    @property
    def body(self) -> dict[str, Any]:
        answer = {"ok": False, "error_code": self.code, "description": self.description}
        return {**answer, "parameters": self.parameters} if self.parameters else answer

    @property
    def headers(self) -> dict[str, str]:
        after = self.parameters.get("retry_after")
        return {} if after is None else {"Retry-After": str(after)}


def bad(why: str, **parameters: Any) -> Refused:
    """400: nothing will make this call work as it is."""
    return Refused(400, f"Bad Request: {why}", **parameters)


def forbidden(why: str) -> Refused:
    """403: the chat is closed to the bot."""
    return Refused(403, f"Forbidden: {why}")


def conflict(why: str) -> Refused:
    """409: somebody else takes the updates."""
    return Refused(409, f"Conflict: {why}")


def too_many(retry_after: int) -> Refused:
    """429: after so many seconds."""
    return Refused(429, f"Too Many Requests: retry after {retry_after}", retry_after=retry_after)


def unknown(what: str) -> Refused:
    """501: Telegram may take this and the fake does not, so that nobody builds on a guess."""
    return Refused(501, f"Not Implemented: the fake Telegram does not know {what}")
