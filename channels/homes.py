"""The chats of one person with us, by account: opened once, and known for as long as we run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from channels.contract import Destination, Later, PostError, Shut, Unsure
from gateway.posts import Post, PostState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.parts import Parts


class Homes:
    """Built by `Worker`."""

    def __init__(self, parts: Parts) -> None:
        self._posts = parts.posts
        self._outlets = parts.outlets
        self._patience = parts.patience
        self._known: dict[tuple[str, str], str] = {}

    async def of(
        self, ask_id: str, channel: str, account: str, posts: Mapping[str, Post]
    ) -> Destination | None:
        """That account's; None where it cannot be opened, or not just now, for that ask's posts.

        What cannot be opened at all is recorded as failed. Raises: Unavailable.
        """
        if (channel, account) not in self._known:
            nobody = Post.to_nobody(channel, account)
            before = posts.get(nobody.place)
            if (before and before.over) or self._patience.rests(ask_id, nobody.place):
                return None
            try:
                home = await self._outlets[channel].transport.direct(account)
            except Later as error:
                away = channel if error.after_s is None else None
                self._patience.failed(ask_id, nobody.place, error.after_s, away=away)
                return None
            except Unsure:
                self._patience.failed(ask_id, nobody.place)
                return None
            except PostError as error:
                state = PostState.SHUT if isinstance(error, Shut) else PostState.FAILED
                await self._posts.keep(ask_id, replace(nobody, state=state, reason=error.code))
                return None
            self._patience.over(ask_id, nobody.place, channel)
            if before:
                await self._posts.keep(ask_id, replace(nobody, state=PostState.CLOSED))
            self._known[channel, account] = home
        return Destination(channel, self._known[channel, account], account=account)
