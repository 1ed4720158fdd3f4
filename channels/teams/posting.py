"""Posts, some of several messages: each of these goes out once, however often the post is tried.

Teams knows no key for a second try, so what stands already is remembered here.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from channels.teams import render

if TYPE_CHECKING:
    from channels.contract import Destination
    from channels.drawing import Drawing
    from channels.teams.connector import Connector

BEGUN_KEPT = 1_024
"""Ours: posts of several messages that are under way."""


class Posting:
    """Of one bot, over its connector."""

    def __init__(self, connector: Connector) -> None:
        self._connector = connector
        self._begun: OrderedDict[str, list[str]] = OrderedDict()

    async def post(self, where: Destination, drawing: Drawing, key: str) -> str:
        """The id of the post; what was sent under that key before is not sent again.

        Raises: PostError.
        """
        opens = opens_thread(where)
        *leading, last = render.post(drawing, opens_thread=opens)
        bodies = [last, *leading] if opens else [*leading, last]
        sent = self._begun.setdefault(key, [])
        if len(self._begun) > BEGUN_KEPT:
            self._begun.popitem(last=False)
        for number, body in enumerate(bodies[len(sent) :], len(sent)):
            thread = sent[0] if opens and sent else where.thread
            turn = f"{key} {number}"
            sent.append(await self._connector.send(where.conversation, thread, body, turn))
        self._begun.pop(key, None)
        return sent[0] if opens else sent[-1]


def opens_thread(where: Destination) -> bool:
    """Whether a post there stands at a channel's top, where what belongs to it follows under it."""
    return where.thread is None and where.account is None and is_channel(where.conversation)


def is_channel(conversation: str) -> bool:
    """Whether it has threads. Ids: platform facts, 2.4; the second is that of old teams."""
    return conversation.endswith(("@thread.tacv2", "@thread.skype"))


def under(where: Destination, message: str) -> str | None:
    """The thread under a message, where there are threads."""
    return (where.thread or message) if is_channel(where.conversation) else None
