"""Where an ask is shown, and how that went: the delivery proof, kept beside the ask.

A post is recorded before it is made, so that after a crash it is known that there may be one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from gateway.store import Store

LEASE = timedelta(seconds=30)
"""Ours: longer than any call of a platform's; after it another worker takes over."""


class PostState(StrEnum):
    """`posting` may or may not stand there; `shown` does; `closed` shows the end, or is past it;
    `failed` never came to be, and `shut` not until somebody mends the account.
    """

    POSTING = "posting"
    SHOWN = "shown"
    CLOSED = "closed"
    FAILED = "failed"
    SHUT = "shut"


@dataclass(frozen=True, slots=True)
class Post:
    """One message of ours, or the try at one.

    `code` is what the ask is called there; `version` the one of the ask that it shows; `at_ms` when
    it appeared, by the platform's clock. `reason` is the platform's own code of a failure, never a
    text. `plain` says that only plain text was taken; `reminded` counts reminders under it; `lost`
    how many messages were deleted there. `extra` is one too many in its place: made by a worker
    that died before it recorded it.
    """

    channel: str
    conversation: str
    thread: str | None = None
    account: str | None = None
    state: PostState = PostState.POSTING
    code: str = ""
    message: str | None = None
    at_ms: int = 0
    version: int = 0
    reason: str = ""
    plain: bool = False
    reminded: int = 0
    lost: int = 0
    extra: bool = False

    @classmethod
    def to_nobody(cls, channel: str, account: str) -> Post:
        """In place of one to that account, whose chat with us cannot be opened."""
        return cls(channel, f"@{account}", account=account)

    @property
    def unopened(self) -> bool:
        """Whether there is no conversation to post it to."""
        return self.account is not None and self.conversation == f"@{self.account}"

    @property
    def place(self) -> str:
        """Names it among the posts of its ask."""
        thread = f"#{self.thread}" if self.thread else ""
        extra = f"!{self.message}" if self.extra else ""
        return f"{self.channel}:{self.conversation}{thread}{extra}"

    @property
    def closed(self) -> bool:
        """Whether nothing remains to be done there."""
        return self.state in (PostState.CLOSED, PostState.FAILED, PostState.SHUT)

    @property
    def over(self) -> bool:
        """Whether nothing can come of it any more, whoever looks."""
        return self.state in (PostState.CLOSED, PostState.FAILED)


def anew(post: Post) -> Post:
    """That post, to be made anew, as its message is gone. Nothing can be done for an extra one."""
    if post.extra:
        return replace(post, state=PostState.CLOSED)
    return replace(post, state=PostState.POSTING, message=None, version=0, lost=post.lost + 1)


_POST = TypeAdapter(Post)


class Posts:
    """Built in `cli`. All of it may raise Unavailable."""

    def __init__(self, store: Store, owner: str) -> None:
        self._store = store
        self._owner = owner

    async def of(self, ask_id: str) -> dict[str, Post]:
        """Its posts by place."""
        kept = await self._store.posts(ask_id)
        return {place: _POST.validate_json(post) for place, post in kept.items()}

    async def keep(self, ask_id: str, post: Post) -> Post:
        """Records it as it is now."""
        text = _POST.dump_json(post, exclude_defaults=True).decode()
        await self._store.keep_post(ask_id, post.place, text, closed=post.closed)
        return post

    async def owed(self) -> list[str]:
        """Asks that have ended, and of which a post does not show that yet."""
        return await self._store.posts_owed()

    async def rung(self, ask_id: str) -> int:
        """How far its ladder was climbed."""
        return await self._store.rung(ask_id)

    async def take(self, ask_id: str, place: str, rest: timedelta = timedelta()) -> bool:
        """The sole right to draw there, for `LEASE` and that rest; False while another worker has
        it.
        """
        return await self._store.lease(ask_id, place, self._owner, LEASE + rest)

    async def give_back(self, ask_id: str, place: str) -> None:
        await self._store.release(ask_id, place, self._owner)
