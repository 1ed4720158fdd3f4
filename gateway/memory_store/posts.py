"""The posts of asks, and the leases under which they are drawn, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.memory_store.kept import KeptPost

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from gateway.memory_store.kept import Kept


class MemoryPosts:
    """Implements `gateway.store.Posts`."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._leases: dict[tuple[str, str], tuple[str, datetime]] = {}

    async def posts(self, ask_id: str) -> dict[str, str]:
        ask = self._kept.asks.get(ask_id)
        return {place: post.kept for place, post in ask.posts.items()} if ask else {}

    async def keep_post(self, ask_id: str, place: str, post: str, *, closed: bool) -> bool:
        ask = self._kept.asks.get(ask_id)
        if ask is None:
            return False
        ask.posts[place] = KeptPost(post, closed)
        return True

    async def posts_owed(self) -> list[str]:
        return sorted(ask_id for ask_id, ask in self._kept.asks.items() if ask.owes_posts)

    async def lease(self, ask_id: str, place: str, owner: str, within: timedelta) -> bool:
        now = self._kept.now()
        holder, until = self._leases.get((ask_id, place), (owner, now))
        if holder != owner and until > now:
            return False
        self._leases[ask_id, place] = (owner, now + within)
        return True

    async def release(self, ask_id: str, place: str, owner: str) -> None:
        holder, _ = self._leases.get((ask_id, place), (None, None))
        if holder == owner:
            del self._leases[ask_id, place]
