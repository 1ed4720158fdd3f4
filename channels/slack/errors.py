"""What each of Slack's refusals means for a post. Pure; the policy stands with the worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.contract import Later, Missing, Shut, Unfit, Unreachable, Unsure

if TYPE_CHECKING:
    from channels.contract import PostError

LATER = frozenset(("ratelimited", "rate_limited", "message_limit_exceeded"))

UNSURE = frozenset(
    (
        "fatal_error",
        "internal_error",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
    )
)
"""It may have been done all the same (platform facts, 1.2: "may have been applied")."""

MISSING = frozenset(("message_not_found",))

SHUT = frozenset(
    (
        "access_denied",
        "accesslimited",
        "account_inactive",
        "invalid_auth",
        "missing_scope",
        "no_permission",
        "not_allowed_token_type",
        "not_authed",
        "org_login_required",
        "team_access_not_granted",
        "token_expired",
        "token_revoked",
    )
)

UNREACHABLE = frozenset(
    (
        "cannot_dm_bot",
        "cannot_reply_to_message",
        "channel_not_found",
        "ekm_access_denied",
        "external_channel_migrating",
        "invalid_thread_ts",
        "is_archived",
        "is_inactive",
        "messages_tab_disabled",
        "not_in_channel",
        "slack_connect_blocked_by_sender",
        "slack_connect_canvas_sharing_blocked",
        "slack_connect_file_link_sharing_blocked",
        "thread_not_found",
        "user_disabled",
        "user_not_found",
        "user_not_in_channel",
        "user_not_visible",
    )
)
"""With all that begin with `restricted_action`: that place takes no post of ours."""


def post_error(code: str, status: int = 200, after_s: float | None = None) -> PostError:
    """The error for Slack's code, and the HTTP status it came with.

    What is not known here is taken for something about the drawing: plain text is tried then, and
    nothing more after that.
    """
    if code in LATER or status == 429:
        return Later(code, after_s)
    if code in UNSURE or status >= 500:
        return Unsure(code)
    if code in MISSING:
        return Missing(code)
    if code in SHUT:
        return Shut(code)
    if code in UNREACHABLE or code.startswith("restricted_action"):
        return Unreachable(code)
    return Unfit(code)
