"""Where a transport brings what people did, and reads what to say: one door for all four.

It hands each interaction to the broker's way in, has the posts drawn anew at once, and lets a post
that nobody recorded be found by its first press.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.contract import Pressed, Submitted, Tell
from channels.words import told

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from channels.catalogue import Reader
    from channels.contract import Destination, Interaction, Response, Sender
    from channels.drawing import Drawing
    from channels.inbound.actors import Everyone
    from channels.inbound.interactions import Interactions
    from channels.inbound.mine import Mine
    from channels.worker import Worker


class Desk:
    """Built in `cli` for each channel.

    Args:
        hurry: has an ask's posts looked at soon; returns at once.
        adopt: records that a message shows an ask, where nobody did; returns at once.
        deleted: has a deleted message of ours posted anew, if it is still wanted; returns at once.
        standing: a channel's posts whose asks wait, for platforms that bring nothing again.
        drawn: what a post of ours should show now, None where that is none; raises Unavailable.
    """

    def __init__(
        self,
        interactions: Interactions,
        everyone: Everyone,
        mine: Mine,
        *,
        hurry: Callable[[str], None],
        adopt: Callable[[str, Destination, str], None],
        deleted: Callable[[Destination, str], None],
        standing: Callable[[str], AsyncIterator[tuple[Destination, str]]],
        drawn: Callable[[str, Destination, str], Awaitable[Drawing | None]],
    ) -> None:
        self._interactions = interactions
        self.facts = interactions.facts
        self._everyone = everyone
        self._mine = mine
        self._hurry = hurry
        self._adopt = adopt
        self.deleted = deleted
        self.standing = standing
        self.drawn = drawn

    async def handle(self, interaction: Interaction) -> Response:
        """All that follows. A message is safe to confirm to the platform once this returns.

        Raises: Unavailable; nothing was recorded. A presser is told `unavailable`, a message is
        left unconfirmed, so that the platform brings it again.
        """
        if isinstance(interaction, Pressed | Submitted) and interaction.message is not None:
            self._adopt(interaction.ask_id, interaction.where, interaction.message)
        response = await self._interactions.handle(interaction)
        if response.settled is not None:
            self._hurry(response.settled.ask.id)
        return response

    def reader(self, sender: Sender, where: Destination) -> Reader:
        """The sender, for words that no ask is behind."""
        return self._everyone.reader(sender, where)

    def unavailable(self, sender: Sender, where: Destination) -> Tell:
        """To whoever pressed while the store is away."""
        return Tell(told.unavailable(self.reader(sender, where)))

    def taking_long(self, sender: Sender, where: Destination) -> Tell:
        """To whoever pressed, where the platform waits no longer than until now."""
        return Tell(told.taking_long(self.reader(sender, where)))

    def link(self, sender: Sender, where: Destination) -> Tell:
        """How one's account becomes one's own (`/oz link`)."""
        return Tell(told.link(self.reader(sender, where), f"{where.channel}:{sender.account}"))

    async def moved(self, old: Destination, new: Destination) -> None:
        """A conversation has another id now: what waits there is found by replies in the new one.

        Raises: Unavailable.
        """
        await self._interactions.moved(old.name, new.name)

    async def waiting(self, sender: Sender, where: Destination) -> str:
        """What waits for them anywhere, as they may see it (App Home, `/oz pending` in private).

        Raises: Unavailable.
        """
        return await self._mine.listed(sender, where)


def desk_for(worker: Worker, interactions: Interactions, mine: Mine, everyone: Everyone) -> Desk:
    """The desk whose posts that worker draws."""
    return Desk(
        interactions,
        everyone,
        mine,
        hurry=worker.hurry,
        adopt=worker.adopt,
        deleted=worker.deleted,
        standing=worker.standing,
        drawn=worker.drawn,
    )
