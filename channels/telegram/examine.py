"""What `oz0 doctor` looks at: the token, what the bot may hear, and how updates reach us.

Nothing is changed, and nothing posted; a chat that routes lead to sees the bot type for a moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.contract import Finding, Moved, PostError, Shut
from channels.telegram.transport import BotApi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.telegram.settings import Settings


async def examine(settings: Settings, rooms: Sequence[str] = ()) -> Sequence[Finding]:
    """What is right and wrong, in the order it is mended."""
    api = BotApi(settings)
    try:
        return await _examine(settings, api, rooms)
    finally:
        await api.aclose()


async def _examine(settings: Settings, api: BotApi, rooms: Sequence[str]) -> list[Finding]:
    try:
        me, hears_all = await api.me()
    except Shut:
        mend = "Telegram does not know this token. Send /token to @BotFather and copy it anew."
        return [Finding("the token", fine=False, mend=mend)]
    except PostError as error:
        mend = f"{settings.api_url} could not be reached ({error.code}). Look at the network."
        return [Finding("Telegram answers", fine=False, mend=mend)]
    found = [Finding(f"the token is @{me.username}'s", fine=True), _privacy(hears_all)]
    found += [await _room(api, room, me.username) for room in rooms]
    try:
        url, error_there = await api.webhook()
    except PostError as error:
        return [*found, Finding("the webhook", fine=False, mend=f"Try again ({error.code}).")]
    return [*found, *_updates(settings, url, error_there)]


def _privacy(hears_all: bool) -> Finding:  # noqa: FBT001  # a fact of the bot's, named as given
    if not hears_all:
        return Finding("privacy mode is on: groups are answered by buttons and replies", fine=True)
    return Finding(
        "privacy mode",
        fine=False,
        mend=(
            "The bot is sent everything that is said in groups, and needs only what is meant for "
            "it. Send /setprivacy to @BotFather, choose Enable, and add it to its groups again."
        ),
    )


def _updates(settings: Settings, url: str, error_there: str) -> list[Finding]:
    """How updates reach us."""
    if settings.mode == "polling":
        if not url:
            return [Finding("updates are asked for", fine=True)]
        mend = (
            'A webhook is set, and ends when the gateway starts with mode = "polling". If it is '
            "another program's, give each its own bot."
        )
        return [Finding("updates", fine=False, mend=mend)]
    if url != settings.webhook_url:
        mend = f"Telegram posts to {url or 'nowhere'}. Start the gateway, which sets webhook_url."
        return [Finding("the webhook", fine=False, mend=mend)]
    if error_there:
        mend = (
            f"Telegram could not post to {url} lately: {error_there}. It must reach the port of "
            "[gateway] hooks, by HTTPS."
        )
        return [Finding("the webhook is reached", fine=False, mend=mend)]
    return [Finding("Telegram posts to webhook_url", fine=True)]


async def _room(api: BotApi, room: str, bot: str) -> Finding:
    """Whether the bot may write in a chat that a route leads to."""
    what = f"the bot can write in {room}"
    try:
        await api.may_write(room)
    except Moved as error:
        mend = f"The group was upgraded. Route to telegram:{error.conversation} instead."
        return Finding(what, fine=False, mend=mend)
    except PostError as error:
        mends = {
            "chat_not_found": "There is no such chat, or the bot was never in it. Groups have ids "
            f"like -1001234567890; in a private chat its person sends /start to @{bot} first.",
            "forbidden_403": f"@{bot} is not in it, or was blocked. Add it as a member; a person "
            f"opens t.me/{bot} and presses Start.",
            "need_administrator_rights": f"In a channel @{bot} must be an administrator that may "
            "post messages.",
            "not_enough_rights": "Members may not write there. Let them, or make "
            f"@{bot} an administrator.",
        }
        other = f"Telegram refuses ({error.code}). Let @{bot} write there, or drop the route."
        return Finding(what, fine=False, mend=mends.get(error.code, other))
    return Finding(what, fine=True)
