"""The calls of Slack that `oz0 doctor` alone makes. None posts, or changes what people see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from channels.slack.parse import user_of
from channels.slack.transport import Calls

if TYPE_CHECKING:
    from channels.slack.markup import Json


class Looks(Calls):
    """Each raises PostError, and whatever comes of an answer that is not as Slack says it is."""

    async def history(self, conversation: str) -> None:
        """Reads a conversation, as only its members may."""
        await self(self.client.conversations_history, channel=conversation, limit=1)

    async def thread(self, conversation: str, ts: str) -> None:
        """Reads a thread there."""
        await self(self.client.conversations_replies, channel=conversation, ts=ts, limit=1)

    async def archived(self, conversation: str) -> bool:
        """Whether it was put away; needs a scope of its own, `channels:read` or its like."""
        answer = await self(self.client.conversations_info, channel=conversation)
        return bool(_part(answer.data, "channel").get("is_archived"))

    async def open(self, account: str) -> None:
        """Opens the direct messages of one account with us; nobody sees that before a post."""
        await self(self.client.conversations_open, users=user_of(account))

    async def manifest(self, bot_id: str, token: str) -> Json:
        """How the app is set up, told to its owner's configuration token."""
        bot = await self(self.client.bots_info, bot=bot_id)
        app = str(_part(bot.data, "bot")["app_id"])
        answer = await self(self.client.apps_manifest_export, app_id=app, token=token)
        return _part(answer.data, "manifest")


def _part(answer: Any, name: str) -> Json:
    """An object in an answer. Raises: TypeError, there is none."""
    found = answer[name]
    if not isinstance(found, dict):
        raise TypeError(name)
    return found
