"""What `oz0 doctor` looks at: the token, what the bot may hear, and how updates reach us.

Nothing is changed, and nothing posted; a chat that routes lead to sees the bot type for a moment.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from channels.contract import Finding, Moved, PostError, Shut
from channels.examining import looked, passing, said
from channels.telegram.transport import BotApi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.telegram.settings import Settings
    from gateway.routes import Target

LATELY = timedelta(hours=1)
"""Ours: Telegram tries again within minutes, and tells of its last error for good."""


async def examine(settings: Settings, rooms: Sequence[Target] = ()) -> Sequence[Finding]:
    """What is right and wrong, in the order it is mended."""
    api = BotApi(settings)
    try:
        return await looked("Telegram answers", settings.api_url, _examine(settings, api, rooms))
    finally:
        await api.aclose()


async def _examine(settings: Settings, api: BotApi, rooms: Sequence[Target]) -> list[Finding]:
    try:
        me, hears_all = await api.me()
    except Shut:
        mend = "Telegram does not know this token. Send /token to @BotFather and copy it anew."
        return [Finding("the token", fine=False, mend=mend)]
    found = [Finding(f"the token is @{me.username}'s", fine=True), _privacy(hears_all)]
    for room in rooms:
        what = f"the bot can write in {_named(room)}"
        found += await looked(what, settings.api_url, _room(what, api, room, me.username))
    return [*found, *await looked("updates", settings.api_url, _updates(settings, api))]


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


async def _updates(settings: Settings, api: BotApi) -> list[Finding]:
    """How updates reach us."""
    url, error_there, error_at = await api.webhook()
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
    if error_there and error_at is not None and datetime.now(UTC) - error_at < LATELY:
        mend = (
            f"Telegram could not post to {url} lately: {error_there}. It must reach the port of "
            "[gateway] hooks, by HTTPS."
        )
        return [Finding("the webhook is reached", fine=False, mend=mend)]
    return [Finding("Telegram posts to webhook_url", fine=True)]


def _named(room: Target) -> str:
    """A chat, or a person's chat with the bot, which has that person's id."""
    if room.thread is not None:
        return f"{room.conversation}, topic {room.thread}"
    return room.conversation


async def _room(what: str, api: BotApi, room: Target, bot: str) -> list[Finding]:
    """Whether the bot may write in a place that a route leads to."""
    try:
        await api.may_write(room.conversation, room.thread)
    except Moved as error:
        mend = f"The group was upgraded. Route to telegram:{error.conversation} instead."
        return [Finding(what, fine=False, mend=mend)]
    except PostError as error:
        if passing(error):
            raise
        other = f"Telegram refuses ({said(error.code)}). Let @{bot} write there, or drop the route."
        return [Finding(what, fine=False, mend=_mends(bot).get(error.code, other))]
    return [Finding(what, fine=True)]


def _mends(bot: str) -> dict[str, str]:
    """How to mend what Telegram says of a place, by our code for it."""
    return {
        "chat_not_found": "There is no such chat, or the bot was never in it. Groups have ids "
        f"like -1001234567890; in a private chat its person sends /start to @{bot} first.",
        "forbidden_403": f"@{bot} is not in it, or was blocked. Add it as a member; a person "
        f"opens t.me/{bot} and presses Start.",
        "need_administrator_rights": f"In a channel @{bot} must be an administrator that may "
        "post messages.",
        "not_enough_rights": "Members may not write there. Let them, or make "
        f"@{bot} an administrator.",
        "message_thread_not_found": "There is no such topic. A topic's link is t.me/c/…/THREAD; "
        "leave thread out for the general one.",
        "topic_closed": f"The topic is closed. Open it again, or make @{bot} an administrator.",
        "not_an_id": "thread takes the topic's number, as its link t.me/c/…/THREAD has it; leave "
        "it out for the general topic.",
    }
