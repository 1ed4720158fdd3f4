"""What `oz0 doctor` looks at: tokens, scopes, the way in, the clock. Posts nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from channels.contract import Finding, PostError
from channels.examining import BY_SENDING, clock_off_s, looked, passing, unseen
from channels.slack.looks import Looks
from channels.slack.manifest import findings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.slack.markup import Json
    from channels.slack.settings import Settings
    from gateway.routes import Target

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

ROOM = {
    "not_in_channel": "The app is not in it: type /invite @{bot} there.",
    "channel_not_found": "Slack shows the app no such conversation. Copy its id, C…, from the "
    "channel's details; in a private channel type /invite @{bot} first.",
    "missing_scope": "Add channels:history, and groups:history for private channels, at OAuth & "
    "Permissions, and install the app again.",
    "is_archived": "It is archived. Unarchive it, or route elsewhere.",
    "thread_not_found": "There is no such thread. Copy the link to its first message: thread takes "
    "the digits behind its p, with a dot before the last six.",
    "user_not_found": "Slack knows no such person. Copy the id from their profile, ⋮, Copy member "
    "ID, with the workspace's before it: T…/U….",
    "user_disabled": "That account was closed. Drop the identity, or the route.",
}
"""How to mend what Slack says of a place, by its code."""


async def examine(settings: Settings, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
    """Findings in the order in which they are best mended."""
    looks = Looks(settings)
    try:
        found = [*await looked("bot token", settings.api_url, _bot(looks, settings, rooms))]
        if settings.mode == "socket":
            found += await looked("app token", settings.api_url, _app_token(looks))
        else:
            what = f"requests: Slack's arrive at {settings.path}, signed with signing_secret"
            found.append(unseen(what, f"Slack shows neither. {BY_SENDING}"))
    finally:
        await looks.aclose()
    return found


async def _bot(looks: Looks, settings: Settings, rooms: Sequence[Target]) -> list[Finding]:
    try:
        who, headers = await looks.identity()
    except PostError as error:
        if passing(error):
            raise
        return [_bot_token(error.code)]
    bot = str(who.get("user"))
    found = [Finding(f"bot token: {bot} in {who.get('team')}", fine=True)]
    found += [_scopes(headers), _clock(headers)]
    found += await looked("manifest", settings.api_url, _manifest(looks, settings, who))
    for room in rooms:
        what = f"{'person' if room.direct else 'conversation'} {room.conversation}"
        found += await looked(what, settings.api_url, _room(what, looks, room, bot))
    return found


def _bot_token(code: str) -> Finding:
    mend = {
        "account_inactive": "Install the app in the workspace again; it was taken out.",
        "token_revoked": "Install the app again, and set bot_token to its new token.",
        "token_expired": "Switch token rotation off, install again, and set bot_token anew.",
        "not_allowed_token_type": "bot_token takes the Bot User OAuth Token, xoxb-…",
    }
    otherwise = f"Copy the Bot User OAuth Token from OAuth & Permissions at {PAGE} to bot_token."
    return Finding(f"bot token: {code}", fine=False, mend=mend.get(code, otherwise))


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
    off_s = clock_off_s(str(headers.get("Date")))
    if off_s is None:
        return unseen("clock: Slack does not say the time", "Keep this machine's clock by NTP.")
    if abs(off_s) < MOST_SKEW_S:
        return Finding("clock: as Slack's", fine=True)
    mend = "Set this machine's clock, with NTP; Slack's signatures are good for five minutes."
    return Finding(f"clock: {off_s:+.0f} s from Slack's", fine=False, mend=mend)


async def _manifest(looks: Looks, settings: Settings, who: Json) -> list[Finding]:
    """Slack shows how an app is set up to its owner alone."""
    if settings.config_token is None:
        tell = (
            f"Slack shows these only to an app configuration token: make one at {PAGE}, and run "
            "this with it in OZ_SLACK_CONFIG_TOKEN."
        )
        return [unseen("events, presses, the Messages tab, /oz and the way in", tell)]
    try:
        token = settings.config_token.get_secret_value()
        manifest = await looks.manifest(str(who.get("bot_id")), token)
    except PostError as error:
        if passing(error):
            raise
        mend = (
            f"Make a new app configuration token at {PAGE}, as the app's owner, for config_token; "
            "each is good for twelve hours. Or leave it out."
        )
        return [Finding(f"manifest: {error.code}", fine=False, mend=mend)]
    return list(findings(manifest, settings))


async def _app_token(looks: Looks) -> list[Finding]:
    try:
        await looks.connection()
    except PostError as error:
        if passing(error):
            raise
        mend = {
            "missing_scope": "Add connections:write to the app-level token.",
            "not_allowed_token_type": "app_token takes the app-level token, xapp-…",
        }
        otherwise = (
            "Switch Socket Mode on, make an app-level token with connections:write at Basic "
            "Information, and set app_token to it."
        )
        what = f"app token: {error.code}"
        return [Finding(what, fine=False, mend=mend.get(error.code, otherwise))]
    return [Finding("app token: opens Socket Mode", fine=True)]


async def _room(what: str, looks: Looks, room: Target, bot: str) -> list[Finding]:
    """Whether we are where a route leads: outside we may post, and are told of no reply."""
    try:
        if room.direct:
            await looks.open(room.conversation)
            return [Finding(f"{what}: can be written to", fine=True)]
        await looks.history(room.conversation)
        if room.thread is not None:
            await looks.thread(room.conversation, room.thread)
    except PostError as error:
        if passing(error):
            raise
        otherwise = f"Slack does not let the app look into it ({error.code})."
        mend = ROOM.get(error.code, otherwise).replace("{bot}", bot)
        return [Finding(f"{what}: {error.code}", fine=False, mend=mend)]
    inside = Finding(f"{what}: the app is in it", fine=True)
    return [inside, *await looked(what, PAGE, _archived(what, looks, room))]


async def _archived(what: str, looks: Looks, room: Target) -> list[Finding]:
    """Whether it was put away: such a conversation can be read on, and takes no post."""
    try:
        archived = await looks.archived(room.conversation)
    except PostError as error:
        if error.code != "missing_scope":
            raise
        tell = f"Add channels:read, or groups:read for a private channel. Or: {BY_SENDING}"
        return [unseen(f"{what}: whether it is archived", tell)]
    if not archived:
        return []
    return [Finding(f"{what}: is_archived", fine=False, mend=ROOM["is_archived"])]
