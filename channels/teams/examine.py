"""What `oz0 doctor` looks at: the bot's account, its registration, Microsoft's keys, the clock."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import aiohttp

from channels.contract import Finding, PostError, Shut, Unfit
from channels.examining import away, clock_off_s, looked, passing, said, unseen
from channels.teams.connector import Connector
from channels.teams.errors import WRONG_HOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.teams.settings import Settings
    from gateway.routes import Target

SKEW_S = 300
"""Tokens are good for five minutes more or less (platform facts, 2.2)."""

WAIT_S = 10.0
"""Ours: for an answer of Microsoft's."""

_ID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")

SECRET = {
    "invalid_client": "Make a new client secret for the app in Entra, and put its value, not its "
    "id, into app_password.",
    "unauthorized_client": "No app has this app_id in that tenant. Copy both from the bot's "
    "registration.",
    "invalid_request": "There is no such tenant. Copy tenant from the bot's registration.",
    "invalid_scope": "Take scope out of the settings, unless the bot is in another cloud.",
}
"""How to mend what the token endpoint says, by its code."""

ROOM = {
    "BotNotInConversationRoster": "Add the app to that team or chat, by Apps in its menu.",
    "ConversationNotFound": "There is no such conversation. Copy its id from the channel's link: "
    "what stands after /channel/, like 19:…@thread.tacv2.",
    "MessageWritesBlocked": "The app was blocked there. Have it unblocked, or drop the route.",
}
"""How to mend what the service says of a conversation, by its code."""

PERSON = {
    "BotNotInConversationRoster": "They have not added the app. Have them add it, or an admin "
    "install it for them.",
    "MessageWritesBlocked": "They blocked the app. Have them unblock it, or drop the route.",
}
"""How to mend what it says of the chat with one person."""


async def examine(settings: Settings, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
    """Each thing that must be right before a post, what others build on first."""
    found = [_id("app_id", settings.app_id), _id("tenant", settings.tenant)]
    connector = Connector(settings)
    try:
        found += await _bot(connector, rooms)
    finally:
        await connector.aclose()
    return [*found, *await looked(KEYS, "keys_url", _keys(settings))]


async def _bot(connector: Connector, rooms: Sequence[Target]) -> list[Finding]:
    """What the bot can do; each needs what stands before it."""
    found = [*await looked(ACCOUNT, "login_url", _token(connector))]
    if found[-1].fine:
        found += await looked(REGISTERED, "service_url", _registration(connector))
    if found[-1].fine and len(found) > 1:
        for room in rooms:
            what = f"The bot is in {room.conversation}"
            found += await looked(what, "service_url", _room(what, connector, room))
    return found


def _id(name: str, value: str) -> Finding:
    fine = _ID.fullmatch(value) is not None
    mend = f"{name} looks like 00000000-0000-0000-0000-000000000000. Copy it from the registration."
    return Finding(f"{name} is an id", fine, "" if fine else mend)


ACCOUNT = "Microsoft gives the bot a token"


async def _token(connector: Connector) -> list[Finding]:
    try:
        await connector.token()
    except Shut as error:
        other = f"Microsoft refused app_id, app_password or tenant ({said(error.code)})."
        return [Finding(ACCOUNT, fine=False, mend=SECRET.get(error.code, other))]
    return [Finding(ACCOUNT, fine=True)]


REGISTERED = "The bot is registered, and the service is reached"


async def _registration(connector: Connector) -> list[Finding]:
    """A call that the connector always refuses: as malformed, in its own words, if it knows us."""
    try:
        await connector.open("")
    except PostError as error:
        if passing(error):
            raise
        mend = _unregistered(error)
    else:
        mend = "What answers at service_url is no bot service. Take it out of the settings."
    return [Finding(REGISTERED, fine=not mend, mend=mend)]


def _unregistered(error: PostError) -> str:
    """How to mend what the service refuses that call for; "" for the refusal it should give."""
    match error:
        case PostError(code="BotDisabledByAdmin"):
            return (
                "An admin of the tenant has switched the bot off. Have it allowed in the Teams "
                "admin center."
            )
        case Shut():
            return "Register the bot with this app_id, and add the Microsoft Teams channel to it."
        case PostError(code=code) if code == WRONG_HOST:
            return "service_url is another region's. Take it out of the settings."
        # Both only of a service that knows the bot: nobody has that id, or none is like it. A bare
        # status may be any server's.
        case PostError(code="BotNotInConversationRoster"):
            return ""
        case Unfit(code=code) if not code.isdecimal():
            return ""
    return (
        f"The service refuses the bot ({said(error.code)}). Take service_url out of the settings "
        "unless the bot is in another cloud, and compare tenant with the bot's registration."
    )


async def _room(what: str, connector: Connector, room: Target) -> list[Finding]:
    """Whether the bot is where a route leads to."""
    try:
        if room.direct:
            # Opening it shows nobody anything, and gives the same chat each time.
            await connector.open(room.conversation)
        else:
            await connector.look(room.conversation)
    except PostError as error:
        if passing(error):
            raise
        other = f"The service does not let the bot in ({said(error.code)})."
        mends = PERSON if room.direct else ROOM
        return [Finding(what, fine=False, mend=mends.get(error.code, other))]
    found = [Finding(what, fine=True)]
    return found if room.thread is None else [*found, _thread(room.thread)]


def _thread(thread: str) -> Finding:
    """Whether it can be a thread's id: the service lets a bot look no further than the channel."""
    what = f"Thread {thread} is there"
    if thread.isascii() and thread.isdecimal():
        return unseen(what)
    mend = "thread takes the number behind parentMessageId= in the link to its first message."
    return Finding(what, fine=False, mend=mend)


KEYS = "The keys that Microsoft signs with can be read"


async def _keys(settings: Settings) -> Sequence[Finding]:
    timeout = aiohttp.ClientTimeout(total=WAIT_S)
    date = ""
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            metadata, date = await _read(session, settings.keys_url)
            listed, _ = await _read(session, metadata["jwks_uri"])
        fine = any("msteams" in key.get("endorsements", ()) for key in listed["keys"])
    except aiohttp.ClientResponseError as error:
        if error.status == 429 or error.status >= 500:
            return [away(KEYS, str(error.status), "keys_url")]
        fine = False
    except (aiohttp.ClientError, TimeoutError) as error:
        return [away(KEYS, type(error).__name__, "keys_url")]
    except (ValueError, LookupError, TypeError, AttributeError):
        fine = False
    mend = "" if fine else "keys_url is not the address of the bot service's OpenID metadata."
    found = [Finding(KEYS, fine, mend)]
    return [*found, *_clock(date)] if fine else found


async def _read(session: aiohttp.ClientSession, url: str) -> tuple[Any, str]:
    """The JSON there, and when that was said. Raises: aiohttp.ClientError, ValueError."""
    async with session.get(url) as answer:
        answer.raise_for_status()
        return await answer.json(content_type=None), answer.headers.get("Date", "")


def _clock(date: str) -> Sequence[Finding]:
    """Whether our clock is near enough to Microsoft's for its tokens to be good here."""
    off_s = clock_off_s(date)
    if off_s is None:
        return ()
    fine = abs(off_s) <= SKEW_S
    mend = f"The clock is {abs(off_s):.0f} s off; its tokens will be refused. Set it by NTP."
    return [Finding("The clock agrees with Microsoft's", fine, "" if fine else mend)]
