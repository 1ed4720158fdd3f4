"""What `oz0 doctor` looks at: the bot's account, its registration, Microsoft's keys, the clock."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import aiohttp

from channels.contract import Finding, Later, PostError, Shut
from channels.teams.connector import Connector
from channels.teams.errors import WRONG_HOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.teams.settings import Settings

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


async def examine(settings: Settings, rooms: Sequence[str] = ()) -> Sequence[Finding]:
    """Each thing that must be right before a post, what others build on first."""
    found = [_id("app_id", settings.app_id), _id("tenant", settings.tenant)]
    connector = Connector(settings)
    try:
        token = await _token(connector)
        found.append(token)
        if token.fine:
            registered = await _registration(connector)
            found.append(registered)
            if registered.fine:
                found += [await _room(connector, room) for room in rooms]
    finally:
        await connector.aclose()
    return [*found, *await _keys(settings)]


def _id(name: str, value: str) -> Finding:
    fine = _ID.fullmatch(value) is not None
    mend = f"{name} looks like 00000000-0000-0000-0000-000000000000. Copy it from the registration."
    return Finding(f"{name} is an id", fine, "" if fine else mend)


async def _token(connector: Connector) -> Finding:
    what = "Microsoft gives the bot a token"
    try:
        await connector.token()
    except Shut as error:
        other = f"Microsoft refused app_id, app_password or tenant ({error.code})."
        return Finding(what, fine=False, mend=SECRET.get(error.code, other))
    except PostError as error:
        return Finding(
            what,
            fine=False,
            mend=f"login_url could not be reached ({error.code}). Let this machine call it.",
        )
    return Finding(what, fine=True)


async def _registration(connector: Connector) -> Finding:
    """A call that the connector always refuses: as malformed, if it knows the bot."""
    what = "The bot is registered, and the service is reached"
    try:
        await connector.open("")
    except Shut as error:
        mend = (
            "An admin of the tenant has switched the bot off. Have it allowed in the Teams admin "
            "center."
            if error.code == "BotDisabledByAdmin"
            else "Register the bot with this app_id, and add the Microsoft Teams channel to it."
        )
        return Finding(what, fine=False, mend=mend)
    except Later as error:
        return Finding(
            what,
            fine=False,
            mend=f"service_url could not be reached ({error.code}). Let this machine call it.",
        )
    except PostError as error:
        if error.code == WRONG_HOST:
            mend = "service_url is another region's. Take it out of the settings."
            return Finding(what, fine=False, mend=mend)
    return Finding(what, fine=True)


async def _room(connector: Connector, room: str) -> Finding:
    """Whether the bot is in a conversation that a route leads to."""
    what = f"The bot is in {room}"
    try:
        await connector.look(room)
    except PostError as error:
        other = f"The service does not let the bot in ({error.code}). Try again."
        return Finding(what, fine=False, mend=ROOM.get(error.code, other))
    return Finding(what, fine=True)


async def _keys(settings: Settings) -> Sequence[Finding]:
    what = "The keys that Microsoft signs with can be read"
    timeout = aiohttp.ClientTimeout(total=WAIT_S)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            async with session.get(settings.keys_url) as metadata:
                said: Any = await metadata.json(content_type=None)
                date = metadata.headers.get("Date", "")
            async with session.get(said["jwks_uri"]) as keys:
                listed: Any = await keys.json(content_type=None)
        fine = any("msteams" in key.get("endorsements", ()) for key in listed["keys"])
    except (aiohttp.ClientError, TimeoutError) as error:
        mend = f"keys_url could not be reached ({type(error).__name__}). Let this machine call it."
        return [Finding(what, fine=False, mend=mend)]
    except (ValueError, LookupError, TypeError, AttributeError):
        fine, date = False, ""
    mend = "" if fine else "keys_url is not the address of the bot service's OpenID metadata."
    found = [Finding(what, fine, mend)]
    return [*found, *_clock(date)]


def _clock(date: str) -> Sequence[Finding]:
    """Whether our clock is near enough to Microsoft's for its tokens to be good here."""
    try:
        skew_s = abs((parsedate_to_datetime(date) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return ()
    fine = skew_s <= SKEW_S
    mend = f"The clock is {skew_s:.0f} s off; its tokens will be refused. Set it by NTP."
    return [Finding("The clock agrees with Microsoft's", fine, "" if fine else mend)]
