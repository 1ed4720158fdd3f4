"""Posts that are heard of from the platform: one that nobody recorded, one that was deleted.

What is found is recorded only in the place's turn: a post that is being made there just now would
be forgotten otherwise, or forget the one that was found.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from channels.placing import is_shown
from gateway.conversations import Posted
from gateway.epoch import to_ms
from gateway.posts import Post, PostState, anew

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.contract import Destination
    from channels.parts import Parts


class Finding:
    """Built by `Worker`. Both say whether something is to be drawn; all may raise Unavailable."""

    def __init__(self, parts: Parts) -> None:
        self._conversations = parts.conversations
        self._posts = parts.posts
        self._turns = parts.turns

    async def pressed(self, ask_id: str, where: Destination, message: str) -> bool:
        """A message that shows that ask was pressed: from now on it is known as its post."""
        known = await self._conversations.post(where.name, message)
        if known is not None and known.ask_id != ask_id:
            # Teams' clients say which message a press was on, and may name another ask's.
            return False
        posts = await self._posts.of(ask_id)
        if _is_well(_shown(posts, where, message)):
            return False
        place = _place_of(posts, where, message)
        async with self._turns.wait(ask_id, place):
            posts = await self._posts.of(ask_id)
            shown = _shown(posts, where, message)
            if shown is None:
                return await self._adopt(ask_id, posts, posts.get(place), where, message)
            if _is_well(shown):
                return False
            # It could not be drawn, and is pressed: the place takes us again.
            await self._posts.keep(ask_id, replace(shown, state=PostState.SHOWN, version=0))
            return True

    async def _adopt(
        self,
        ask_id: str,
        posts: Mapping[str, Post],
        begun: Post | None,
        where: Destination,
        message: str,
    ) -> bool:
        record = await self._conversations.read(ask_id)
        if record is None:
            return False
        found = begun if begun and begun.state is PostState.POSTING else _extra(where, message)
        code = next((post.code for post in posts.values() if _is_there(post, where)), "")
        # Nobody knows when it appeared: not before its ask was opened.
        shown = Posted(ask_id, to_ms(record.opened_at))
        await self._conversations.posted(where.name, message, shown)
        found = replace(found, state=PostState.SHOWN, message=message, code=code)
        await self._posts.keep(ask_id, found)
        return True

    async def deleted(self, where: Destination, message: str) -> str | None:
        """That message is gone: the ask whose post is to be made anew, if it waits."""
        known = await self._conversations.post(where.name, message)
        if known is None:
            return None
        posts = await self._posts.of(known.ask_id)
        async with self._turns.wait(known.ask_id, _place_of(posts, where, message)):
            shown = _shown(await self._posts.of(known.ask_id), where, message)
            if shown is None or shown.state is not PostState.SHOWN:
                return None
            await self._posts.keep(known.ask_id, anew(shown))
            return known.ask_id


def _shown(posts: Mapping[str, Post], where: Destination, message: str) -> Post | None:
    return next((post for post in posts.values() if is_shown(post, where, message)), None)


def _is_well(post: Post | None) -> bool:
    """Whether it is known, and was not given up."""
    return post is not None and not (post.over and post.reason)


def _place_of(posts: Mapping[str, Post], where: Destination, message: str) -> str:
    """The place that message is in: the one that shows it, or where one was begun."""
    begun = (
        post
        for post in posts.values()
        if _is_there(post, where) and post.state is PostState.POSTING
    )
    found = _shown(posts, where, message) or next(begun, _extra(where, message))
    return found.place


def _extra(where: Destination, message: str) -> Post:
    return Post(
        where.channel, where.conversation, where.thread, where.account, message=message, extra=True
    )


def _is_there(post: Post, where: Destination) -> bool:
    return (post.channel, post.conversation) == (where.channel, where.conversation)
