"""Brings each ask and its posts together: posts what waits, draws anew what has ended.

Level-triggered: hearing of an ask only means looking at it, and looking again until the posts show
what is. Posts are remembered here, so this one is for surfaces that live as long as the process.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from channels.present import view
from gateway.conversations import Posted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from channels.contract import Destination, Transport
    from channels.inbound.actors import Everyone
    from channels.present import View
    from gateway.ask import Ask, AskRecord
    from gateway.conversations import Conversations
    from gateway.feed import Feed


@dataclass(frozen=True, slots=True)
class Post:
    """A message of ours, the code it names its ask by, and the version of the ask it shows."""

    message: str
    code: str
    version: int


class Worker:
    """The way out of one channel. `destinations` says where an ask is shown."""

    def __init__(
        self,
        conversations: Conversations,
        everyone: Everyone,
        transport: Transport,
        destinations: Callable[[Ask], Sequence[Destination]],
    ) -> None:
        self._conversations = conversations
        self._everyone = everyone
        self._transport = transport
        self._destinations = destinations
        self._posts: dict[tuple[str, Destination], Post] = {}
        self._locks: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def run(self, feed: Feed) -> None:
        """Looks at all that is pending, then at whatever is heard of, until cancelled."""
        for tenant in self._everyone.tenants:
            async for ask_id in feed.pending(tenant):
                await self.look(ask_id)
        await feed.run(self.look)

    async def look(self, ask_id: str) -> None:
        """Makes the ask's posts show it as it stands. Raises: Unavailable."""
        async with self._locks[ask_id]:
            while (record := await self._conversations.read(ask_id)) is not None:
                stale = [
                    where
                    for where in self._destinations(record.ask)
                    if self._is_stale(record, self._posts.get((ask_id, where)))
                ]
                for where in stale:
                    await self._draw(record, where)
                if not stale:
                    break
            if record is None or not record.pending:
                self._locks.pop(ask_id, None)

    @staticmethod
    def _is_stale(record: AskRecord, post: Post | None) -> bool:
        return record.pending if post is None else post.version != record.version

    async def _draw(self, record: AskRecord, where: Destination) -> None:
        ask_id, earlier = record.ask.id, self._posts.get((record.ask.id, where))
        if earlier is None:
            # It joins before it is posted, so that a quick reply finds its ask.
            code = await self._conversations.join(where.name, record.ask, where.thread)
            message, at_ms = await self._transport.post(
                where, await self._view(record, where, code)
            )
            await self._conversations.posted(where.name, message, Posted(ask_id, at_ms))
            self._posts[ask_id, where] = Post(message, code, record.version)
            return
        shown = await self._view(record, where, earlier.code)
        await self._transport.update(where, earlier.message, shown)
        if record.pending:
            self._posts[ask_id, where] = Post(earlier.message, earlier.code, record.version)
            return
        # The last drawing: what has ended never changes again.
        del self._posts[ask_id, where]

    async def _view(self, record: AskRecord, where: Destination, code: str) -> View:
        reader = self._everyone.place(where, record.ask)
        people = self._everyone.waits_for(reader, record.ask)
        return view(reader, record, code, people, await self._conversations.now())
