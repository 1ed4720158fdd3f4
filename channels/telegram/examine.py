"""What `oz0 doctor` looks at: the token, what the bot may hear, and how updates reach us.

Looks only; nothing is changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.contract import Finding, PostError, Shut
from channels.telegram.transport import BotApi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.telegram.settings import Settings


async def examine(settings: Settings) -> Sequence[Finding]:
    """What is right and wrong, in the order it is mended."""
    api = BotApi(settings)
    try:
        return await _examine(settings, api)
    finally:
        await api.aclose()


async def _examine(settings: Settings, api: BotApi) -> list[Finding]:
    try:
        me, hears_all = await api.me()
    except Shut:
        mend = "Telegram does not know this token. Send /token to @BotFather and copy it anew."
        return [Finding("the token", fine=False, mend=mend)]
    except PostError as error:
        mend = f"{settings.api_url} could not be reached ({error.code}). Look at the network."
        return [Finding("Telegram answers", fine=False, mend=mend)]
    found = [Finding(f"the token is @{me.username}'s", fine=True), _privacy(hears_all)]
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
