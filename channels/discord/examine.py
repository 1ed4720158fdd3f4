"""What `oz0 doctor` looks at on Discord: the token, the intent, the servers, where events go.

It asks Discord itself, by the bot's own token, and posts nothing; a channel that routes lead to
sees the bot type for a moment.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import aiohttp

from channels.contract import Finding, Later, PostError, Shut, Unsure
from channels.discord.errors import post_error
from channels.examining import BY_SENDING, looked, passing, said, unseen

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.discord.settings import Settings
    from gateway.routes import Target

CONTENT_FLAGS = 1 << 18 | 1 << 19
"""The message content intent, for an app of many servers or of few (documentation, "Application
Flags")."""

PERMISSIONS = 1 << 10 | 1 << 11 | 1 << 16 | 1 << 38
"""View channels, send messages, read message history, send messages in threads."""

FEW_STARTS = 20
"""Ours: of Discord's 1,000 a day; at none left it resets the token."""

WRITABLE = frozenset((0, 1, 2, 3, 5, 13))
"""Kinds of channel that hold messages of their own: not categories, directories and forums
(documentation, "Channel Types")."""

THREADS = frozenset((10, 11, 12))
"""Kinds of thread; the same page."""

HELLO = 10
"""What the gateway says first (documentation, "Gateway Opcodes")."""

ROOM = {
    "10003": "there is no such channel; copy its id with a right click, in Developer Mode",
    "50001": "the bot cannot see it: invite it to that server ({}), and give its role View Channel",
    "50013": "give the bot's role Send Messages there, and in threads Send Messages in Threads",
    "50033": "nobody has that id; copy it with a right click on the person, in Developer Mode",
}
"""How to mend what Discord says of a place, by its code (documentation, "JSON Error Codes")."""

WITHIN_S = 10.0
"""Ours: Discord answers these in well under a second."""

PORTAL = "https://discord.com/developers/applications"


def invitation(application: str) -> str:
    """The address that adds the bot to a server, with what it needs and no more."""
    scopes = "bot+applications.commands"
    query = f"client_id={application}&scope={scopes}&permissions={PERMISSIONS}"
    return f"https://discord.com/oauth2/authorize?{query}"


async def examine(settings: Settings, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
    """What is right and wrong, in the order in which it is to be mended."""
    headers = {"Authorization": f"Bot {settings.token.get_secret_value()}"}
    timeout = aiohttp.ClientTimeout(total=WITHIN_S)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        rest = _Rest(session, settings.api_url)
        return await looked("Discord answers", settings.api_url, _examine(settings, rest, rooms))


class _Rest:
    """Discord's REST API, as far as it is asked."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self.session = session
        self.url = url

    async def __call__(self, path: str, verb: str = "GET", body: Any = None) -> Any:
        """What it answers; None where that is nothing. Raises: PostError, ValueError."""
        url = f"{self.url}{path}"
        try:
            async with self.session.request(verb, url, json=body) as answer:
                status, text = answer.status, await answer.text()
        except aiohttp.ClientConnectorError as error:
            raise Later(type(error).__name__) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Unsure(type(error).__name__) from error
        if status >= 300:
            raise post_error(status, _code(text))
        return json.loads(text) if text else None


def _code(text: str) -> int:
    """Discord's own code in a refusal; 0 where it is not Discord's."""
    try:
        found = json.loads(text)
    except ValueError:
        return 0
    code = found.get("code") if isinstance(found, dict) else None
    return code if isinstance(code, int) else 0


async def _examine(settings: Settings, rest: _Rest, rooms: Sequence[Target]) -> list[Finding]:
    try:
        app = await rest("/applications/@me")
    except Shut:
        mend = (
            f"copy the token from the Bot page of your app ({PORTAL}) into `token` of "
            "[channel.discord], or reset it there; it begins without the word Bot"
        )
        return [Finding("the token is taken", fine=False, mend=mend)]
    found = [Finding("the token is taken", fine=True), _events(app), _content(settings, app)]
    invite = invitation(str(app.get("id", "")))
    found += await looked(SERVERS, settings.api_url, _servers(rest, invite))
    found += await looked(STARTS, settings.api_url, _starts(rest))
    socket = _socket(rest.session, settings.gateway_url)
    found += await looked(SOCKET, settings.gateway_url, socket)
    for room in rooms:
        what = _named(room)
        found += await looked(what, settings.api_url, _room(what, rest, room, invite))
    return found


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


SERVERS = "the bot is in a server"


async def _servers(rest: _Rest, invite: str) -> list[Finding]:
    guilds = await rest("/users/@me/guilds")
    if not isinstance(guilds, list):
        raise TypeError
    fine = bool(guilds)
    return [Finding(SERVERS, fine=fine, mend="" if fine else f"invite the bot: {invite}")]


STARTS = "connections are left for today"


async def _starts(rest: _Rest) -> list[Finding]:
    gateway = await rest("/gateway/bot")
    fine = gateway["session_start_limit"]["remaining"] >= FEW_STARTS
    mend = (
        "it was started too often today: stop whatever restarts it, or whatever else uses this "
        "token, and wait a day"
    )
    return [Finding(STARTS, fine=fine, mend="" if fine else mend)]


SOCKET = "the gateway answers"


async def _socket(session: aiohttp.ClientSession, url: str) -> list[Finding]:
    """Whether Discord's gateway says hello; nobody logs in there."""
    try:
        async with session.ws_connect(url, params={"v": "10", "encoding": "json"}) as socket:
            hello = await socket.receive_json(timeout=WITHIN_S)
    except aiohttp.WSServerHandshakeError as error:
        refusal = post_error(error.status, 0)
        if passing(refusal):
            raise refusal from error
        hello = {}
    except (aiohttp.ClientError, TimeoutError, TypeError, ValueError):
        hello = {}
    if isinstance(hello, dict) and hello.get("op") == HELLO:
        return [Finding(SOCKET, fine=True)]
    mend = f"{url} takes no WebSocket; let this machine, and any proxy, open one"
    return [Finding(SOCKET, fine=False, mend=mend)]


def _named(room: Target) -> str:
    if room.direct:
        return f"the bot can write to {room.conversation}"
    inside = f"{room.conversation}, thread {room.thread}" if room.thread else room.conversation
    return f"the bot can write in {inside}"


async def _room(what: str, rest: _Rest, room: Target, invite: str) -> list[Finding]:
    try:
        if room.direct:
            # Opening it shows nobody anything. Whether they take messages shows at the first.
            await rest("/users/@me/channels", "POST", {"recipient_id": room.conversation})
            return [unseen(what, f"They may take no messages of apps. {BY_SENDING}")]
        mend = await _place(rest, room)
    except PostError as error:
        if passing(error):
            raise
        other = f"Discord refuses with {said(error.code)}; look at its permissions"
        mend = ROOM.get(error.code, other).format(invite)
    return [Finding(what, fine=not mend, mend=mend)]


async def _place(rest: _Rest, room: Target) -> str:
    """How to mend what is wrong with it, or "": who may write, may also be seen typing.

    Raises: PostError.
    """
    path = f"/channels/{quote(room.thread or room.conversation, safe='')}"
    place = await rest(path)
    kind, parent = place["type"], place.get("parent_id")
    if kind in THREADS and (room.thread is None or parent != room.conversation):
        thread = room.thread or room.conversation
        return f'it is a thread; set conversation = "discord:{parent}" and thread = "{thread}"'
    if kind not in (THREADS if room.thread else WRITABLE):
        wanted = "thread" if room.thread else "text channel or thread"
        return f"it is no {wanted}; route to one"
    await rest(f"{path}/typing", "POST")
    return ""
