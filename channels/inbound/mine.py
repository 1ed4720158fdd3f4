"""What waits for one person, wherever it was asked: the list of an App Home or of `/oz pending`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.words import told
from gateway.conversations import Waiting
from gateway.people import as_caller

if TYPE_CHECKING:
    from channels.contract import Destination, Sender
    from channels.inbound.actors import Everyone
    from gateway.broker import Broker
    from gateway.conversations import Conversations
    from gateway.person import Caller
    from gateway.store import Cursor

MOST = 20
"""Ours: the oldest so many; more is for OZ itself."""

PAGE = 200
"""Ours: so many of the tenant's are looked through at once for this person's."""


class Mine:
    """Built in `cli` with `Interactions`."""

    def __init__(self, broker: Broker, conversations: Conversations, everyone: Everyone) -> None:
        self._broker = broker
        self._conversations = conversations
        self._everyone = everyone

    async def listed(self, sender: Sender, where: Destination) -> str:
        """Their oldest pending asks, by ask id; nothing for an account that is nobody's.

        Raises: Unavailable.
        """
        person = self._everyone.person(sender, where)
        reader = self._everyone.reader(sender, where)
        now = await self._conversations.now()
        if person is None:
            return told.pending(reader, (), now)
        seen, more = await self._seen(sender, where, as_caller(person))
        return told.pending(reader, seen, now, most=MOST, or_more=more)

    async def _seen(
        self, sender: Sender, where: Destination, caller: Caller
    ) -> tuple[list[told.Seen], bool]:
        """What they may answer, oldest first, more than is listed or all; whether more may be."""
        seen: list[told.Seen] = []
        after: Cursor | None = None
        while len(seen) <= MOST:
            page = await self._broker.pending(caller, after=after, limit=PAGE)
            for record in page.records:
                actor = self._everyone.actor(sender, where, record.ask)
                if actor.may(record.ask):
                    seen.append((actor.own, Waiting(record.ask.id, record)))
            after = page.more
            if after is None:
                return seen, False
        return seen, True
