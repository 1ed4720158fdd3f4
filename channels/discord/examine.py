"""What `oz0 doctor` looks at on Discord: the token, the intent, the servers, where events go.

It asks Discord itself, by the bot's own token, and posts nothing; a channel that routes lead to
sees the bot type for a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import aiohttp

from channels.contract import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.discord.settings import Settings

CONTENT_FLAGS = 1 << 18 | 1 << 19
"""The message content intent, for an app of many servers or of few (documentation, "Application
Flags")."""

PERMISSIONS = 1 << 10 | 1 << 11 | 1 << 16 | 1 << 38
"""View channels, send messages, read message history, send messages in threads."""

FEW_STARTS = 20
"""Ours: of Discord's 1,000 a day; at none left it resets the token."""

WRITABLE = frozenset((0, 1, 2, 3, 5, 10, 11, 12, 13))
"""Kinds of channel that hold messages of their own: not categories, directories and forums
(documentation, "Channel Types")."""

ROOM = {
    10003: "there is no such channel; copy its id with a right click, in Developer Mode",
    50001: "the bot cannot see it: invite it to that server ({}), and give its role View Channel",
    50013: "give the bot's role Send Messages there, and in threads Send Messages in Threads",
}
"""How to mend what Discord says of a channel, by its code (documentation, "JSON Error Codes")."""

WITHIN_S = 10.0
"""Ours: Discord answers these in well under a second."""

PORTAL = "https://discord.com/developers/applications"


def invitation(application: str) -> str:
    """The address that adds the bot to a server, with what it needs and no more."""
    scopes = "bot+applications.commands"
    query = f"client_id={application}&scope={scopes}&permissions={PERMISSIONS}"
    return f"https://discord.com/oauth2/authorize?{query}"


async def examine(settings: Settings, rooms: Sequence[str] = ()) -> Sequence[Finding]:
    """What is right and wrong, in the order in which it is to be mended."""
    headers = {"Authorization": f"Bot {settings.token.get_secret_value()}"}
    timeout = aiohttp.ClientTimeout(total=WITHIN_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        try:
            status, app = await _get(session, f"{settings.api_url}/applications/@me")
        except (aiohttp.ClientError, TimeoutError, ValueError):
            mend = f"{settings.api_url} does not answer; look at the network and any proxy"
            return [Finding("Discord answers", fine=False, mend=mend)]
        if status != 200 or not isinstance(app, dict):
            mend = (
                f"copy the token from the Bot page of your app ({PORTAL}) into `token` of "
                "[channel.discord], or reset it there; it begins without the word Bot"
            )
            return [Finding("the token is taken", fine=False, mend=mend)]
        _, guilds = await _get(session, f"{settings.api_url}/users/@me/guilds")
        _, gateway = await _get(session, f"{settings.api_url}/gateway/bot")
        socket = await _socket(session, settings.gateway_url)
        places = [await _room(session, settings.api_url, room, app) for room in rooms]
    return [
        Finding("the token is taken", fine=True),
        _events(app),
        _content(settings, app),
        _servers(app, guilds),
        _starts(gateway),
        socket,
        *places,
    ]


async def _get(session: aiohttp.ClientSession, url: str, verb: str = "GET") -> tuple[int, Any]:
    async with session.request(verb, url) as answer:
        return answer.status, await answer.json(content_type=None)


async def _socket(session: aiohttp.ClientSession, url: str) -> Finding:
    """Whether Discord's gateway says hello; nobody logs in there."""
    what = "the gateway answers"
    try:
        async with session.ws_connect(url, params={"v": "10", "encoding": "json"}) as socket:
            await socket.receive_json(timeout=WITHIN_S)
    except (aiohttp.ClientError, TimeoutError, TypeError, ValueError):
        mend = f"{url} takes no WebSocket; let this machine, and any proxy, open one"
        return Finding(what, fine=False, mend=mend)
    return Finding(what, fine=True)


async def _room(
    session: aiohttp.ClientSession, api_url: str, room: str, app: Mapping[str, Any]
) -> Finding:
    """Whether the bot may write in a channel: who may, may also be seen typing."""
    what = f"the bot can write in {room}"
    address = f"{api_url}/channels/{quote(room, safe='')}"
    status, found = await _get(session, address)
    kind = found.get("type") if isinstance(found, dict) else None
    if status == 200 and kind not in WRITABLE:
        mend = f"{room} is no text channel or thread; route to one of those"
        return Finding(what, fine=False, mend=mend)
    if status == 200:
        status, found = await _get(session, f"{address}/typing", "POST")
    if status == 204:
        return Finding(what, fine=True)
    code = found.get("code") if isinstance(found, dict) else None
    mend = ROOM.get(code or 0, f"Discord refuses with {code or status}; look at its permissions")
    return Finding(what, fine=False, mend=mend.format(invitation(str(app.get("id", "")))))


def _events(app: Mapping[str, Any]) -> Finding:
    """With an address for interactions, Discord sends presses there, and none to us."""
    mend = f"empty the Interactions Endpoint URL on the page General Information ({PORTAL})"
    fine = not app.get("interactions_endpoint_url")
    return Finding("presses come over the socket", fine=fine, mend="" if fine else mend)


def _content(settings: Settings, app: Mapping[str, Any]) -> Finding:
    flags = app.get("flags")
    granted = bool(isinstance(flags, int) and flags & CONTENT_FLAGS)
    if granted or not settings.message_content:
        what = (
            "all messages can be read"
            if granted and settings.message_content
            else "messages that mention the bot can be read"
        )
        return Finding(what, fine=True)
    mend = (
        f"switch Message Content Intent on, on the Bot page of your app ({PORTAL}), or set "
        "message_content = false"
    )
    return Finding("all messages can be read", fine=False, mend=mend)


def _servers(app: Mapping[str, Any], guilds: Any) -> Finding:
    fine = isinstance(guilds, list) and bool(guilds)
    mend = f"invite the bot: {invitation(str(app.get('id', '')))}"
    return Finding("the bot is in a server", fine=fine, mend="" if fine else mend)


def _starts(gateway: Any) -> Finding:
    limit = gateway.get("session_start_limit") if isinstance(gateway, dict) else None
    left = limit.get("remaining") if isinstance(limit, dict) else None
    fine = isinstance(left, int) and left >= FEW_STARTS
    mend = (
        "it was started too often today: stop whatever restarts it, or whatever else uses this "
        "token, and wait a day"
    )
    return Finding("connections are left for today", fine=fine, mend="" if fine else mend)
