"""What `oz0 doctor` looks at: tokens, scopes, the way in, the clock. Posts nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from channels.contract import Finding, Later, PostError, Unsure
from channels.slack.transport import Calls

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.slack.settings import Settings

SCOPES = {
    "chat:write": "posts",
    "im:write": "direct messages",
    "im:history": "replies in direct messages",
    "channels:history": "replies in channels",
    "groups:history": "replies in private channels",
    "mpim:history": "replies in group messages",
    "app_mentions:read": "mentions",
    "commands": "/oz",
    "users:read": "the names of people",
}
"""What each is needed for (platform facts, 1.11)."""

MOST_SKEW_S = 240.0
"""Ours, a minute short of the five by which requests are refused (platform facts, 1.7)."""

PAGE = "https://api.slack.com/apps"


async def examine(settings: Settings, rooms: Sequence[str] = ()) -> Sequence[Finding]:
    """Findings in the order in which they are best mended."""
    calls = Calls(settings)
    try:
        return await _examine(calls, settings, rooms)
    finally:
        await calls.aclose()


async def _examine(calls: Calls, settings: Settings, rooms: Sequence[str]) -> list[Finding]:
    try:
        who, headers = await calls.identity()
    except PostError as error:
        found = [_bot_token(error)]
    else:
        found = [Finding(f"bot token: {who.get('user')} in {who.get('team')}", fine=True)]
        found += [_scopes(headers), _clock(headers)]
        found += [await _room(calls, room, str(who.get("user"))) for room in rooms]
    if settings.mode == "socket":
        found.append(await _app_token(calls))
    else:
        what = f"requests: signed ones are taken at {settings.path} of the hooks' address"
        found.append(Finding(what, fine=True))
    return found


def _bot_token(error: PostError) -> Finding:
    what = f"bot token: {error.code}"
    if isinstance(error, Later | Unsure):
        return Finding(what, fine=False, mend="Slack did not answer. Is its address reachable?")
    mend = {
        "account_inactive": "Install the app in the workspace again; it was taken out.",
        "token_revoked": "Install the app again, and set bot_token to its new token.",
        "token_expired": "Switch token rotation off, install again, and set bot_token anew.",
        "not_allowed_token_type": "bot_token takes the Bot User OAuth Token, xoxb-…",
    }
    otherwise = f"Copy the Bot User OAuth Token from OAuth & Permissions at {PAGE} to bot_token."
    return Finding(what, fine=False, mend=mend.get(error.code, otherwise))


def _scopes(headers: Mapping[str, Any]) -> Finding:
    said = str(headers.get("x-oauth-scopes", ""))
    has = {one.strip() for one in said.split(",")}
    missing = [name for name in SCOPES if name not in has]
    if not missing:
        return Finding("scopes: all that are needed", fine=True)
    why = "; ".join(f"{name} for {SCOPES[name]}" for name in missing)
    mend = f"Add {why} at OAuth & Permissions, and install the app again."
    return Finding(f"scopes: {', '.join(missing)} missing", fine=False, mend=mend)


def _clock(headers: Mapping[str, Any]) -> Finding:
    try:
        theirs = parsedate_to_datetime(str(headers.get("Date")))
    except ValueError:
        return Finding("clock: Slack does not say the time", fine=True)
    off_s = (datetime.now(UTC) - theirs).total_seconds()
    if abs(off_s) < MOST_SKEW_S:
        return Finding("clock: as Slack's", fine=True)
    mend = "Set this machine's clock, with NTP; Slack's signatures are good for five minutes."
    return Finding(f"clock: {off_s:+.0f} s from Slack's", fine=False, mend=mend)


async def _app_token(calls: Calls) -> Finding:
    try:
        await calls.connection()
    except PostError as error:
        mend = {
            "missing_scope": "Add connections:write to the app-level token.",
            "not_allowed_token_type": "app_token takes the app-level token, xapp-…",
        }
        otherwise = (
            "Switch Socket Mode on, make an app-level token with connections:write at Basic "
            "Information, and set app_token to it."
        )
        return Finding(f"app token: {error.code}", fine=False, mend=mend.get(error.code, otherwise))
    return Finding("app token: opens Socket Mode", fine=True)


async def _room(calls: Calls, room: str, bot: str) -> Finding:
    """Whether we are in a conversation: outside it we may post, and are told of no reply."""
    what = f"conversation {room}"
    try:
        await calls.look(room)
    except PostError as error:
        mend = {
            "not_in_channel": f"The app is not in it: type /invite @{bot} there.",
            "channel_not_found": "Slack shows the app no such conversation. Copy its id, C…, from "
            f"the channel's details; in a private channel type /invite @{bot} first.",
            "missing_scope": "Add channels:history, and groups:history for private channels, at "
            "OAuth & Permissions, and install the app again.",
        }
        otherwise = f"Slack does not let the app look into it ({error.code}). Try again."
        return Finding(f"{what}: {error.code}", fine=False, mend=mend.get(error.code, otherwise))
    return Finding(f"{what}: the app is in it", fine=True)
