"""What Telegram's refusals mean for a post. Pure: the library's errors are given as their parts.

The Bot API has no codes beside the HTTP status; its words are all there is to tell them apart by.
"""

from __future__ import annotations

import json

from channels.contract import Later, Missing, Moved, PostError, Shut, Unfit, Unreachable, Unsure

NOT_MODIFIED = "message is not modified"
"""An edit that changes nothing: the message shows what it should."""

_UNREACHABLE = (
    "chat not found",
    "message thread not found",
    "topic_closed",
    "topic_deleted",
    "chat_write_forbidden",
    "not enough rights",
    "have no rights",
    "need administrator rights",
    "group chat was deactivated",
    "peer_id_invalid",
    "chat_restricted",
)
_MISSING = (
    "message to edit not found",
    "message can't be edited",
    "message_id_invalid",
    "message to be replied not found",
)
_STALE = ("query is too old", "query id is invalid")
"""A press that can no longer be answered, or was: a later try would be as late."""

_NEVER_SENT = frozenset({"ConnectError", "ConnectTimeout", "PoolTimeout"})
"""Causes (httpx) after which the call cannot have arrived."""


def bad_request(words: str) -> PostError | None:
    """400; None where nothing is wrong. The library capitalises, so that case says nothing."""
    said = words.casefold()
    if NOT_MODIFIED in said:
        return None
    for known in _UNREACHABLE:
        if known in said:
            return Unreachable(_code(known))
    for known in (*_MISSING, *_STALE):
        if known in said:
            return Missing(_code(known))
    return Unfit("refused_400")


def forbidden() -> PostError:
    """403: blocked, put out, never let in, or nobody is there any more."""
    return Unreachable("forbidden_403")


def unauthorized() -> PostError:
    """401 or 404: the token is not, or no longer, a bot's."""
    return Shut("unauthorized_401")


def retry_after_s(body: bytes) -> float:
    """What a 429 asks for; a second where it does not say."""
    try:
        answer = json.loads(body)
    except ValueError:
        return 1.0
    parameters = answer.get("parameters") if isinstance(answer, dict) else None
    after = parameters.get("retry_after") if isinstance(parameters, dict) else None
    return float(after) if isinstance(after, int) and after > 0 else 1.0


def too_many(retry_after_s: float) -> PostError:
    return Later("too_many_429", retry_after_s)


def migrated(new_chat: int) -> PostError:
    return Moved("migrated_400", str(new_chat))


def taken_elsewhere() -> PostError:
    """409: another process asks for the updates, or a webhook takes them."""
    return Later("conflict_409")


def broken(cause: str | None) -> PostError:
    """The connection, or the server, failed; `cause` is the class of the error below, if any."""
    if cause in _NEVER_SENT:
        return Later("not_connected")
    return Unsure("lost_answer")


def _code(words: str) -> str:
    return words.replace("'", "").replace(" ", "_")
