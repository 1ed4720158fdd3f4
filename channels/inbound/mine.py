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

MOST = 20
"""Ours: the oldest so many; more is for OZ itself."""

LOOKED_AT = 200
"""Ours: the tenant's oldest so many are looked through for this person's."""


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
        seen: list[told.Seen] = []
        for record in (await self._broker.pending(as_caller(person), limit=LOOKED_AT)).records:
            actor = self._everyone.actor(sender, where, record.ask)
            if actor.may(record.ask):
                seen.append((actor.own, Waiting(record.ask.id, record)))
        return told.pending(reader, seen[:MOST], now)
