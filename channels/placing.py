"""One ask in one place: posted, drawn anew, closed, by one worker at a time."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never
from uuid import NAMESPACE_URL, uuid5
from weakref import WeakValueDictionary

from channels.capabilities import PLAIN
from channels.contract import (
    Destination,
    Later,
    Missing,
    Moved,
    PostError,
    Shut,
    Unfit,
    Unreachable,
    Unsure,
)
from channels.converge import Need, need
from channels.drawing import draw
from gateway.conversations import Posted
from gateway.log import event
from gateway.posts import Post, PostState, anew

if TYPE_CHECKING:
    from collections.abc import Callable

    from channels.contract import Transport
    from channels.drawing import Drawing
    from channels.parts import Parts
    from channels.turns import Turn
    from gateway.ask import Ask, AskRecord
    from gateway.metrics import Metrics

# What the platforms answer, and what follows:
#
# | answer      | while it waits                          | once it has ended                     |
# |-------------|-----------------------------------------|---------------------------------------|
# | Later       | again after that time, or backing off   | the same                              |
# | Unsure      | posted again under the same key         | drawn again                           |
# | Missing     | posted anew                             | one closing note where it stood       |
# | Moved       | goes on in the conversation's new place | the same                              |
# | Unfit       | drawn as plain text, then given up      | one closing note under it             |
# | Unreachable | given up there; the next route          | left alone until it is pressed        |
# | Shut        | given up there until the next sweep     | again at the next sweep               |

IN_ONE_CONVERSATION = 4
"""Ours: asks drawn at once in one conversation, so that a slow one holds up no other."""

KEPT_S = 60.0
"""Ours: so long a place may be kept for one who is to try there again; then others try too."""

SHUT_AGAIN_S = 60.0
"""Ours: an account that takes nothing, and a post of an ended ask there, are tried so often."""

_log = logging.getLogger("channels.worker")


class Placing:
    """Built by `Worker`."""

    def __init__(
        self, parts: Parts, link: Callable[[Ask], str | None], metrics: Metrics | None
    ) -> None:
        self._conversations = parts.conversations
        self._posts = parts.posts
        self._everyone = parts.everyone
        self._outlets = parts.outlets
        self._looks = parts.looks
        self._patience = parts.patience
        self._turns = parts.turns
        self._link = link
        self._metrics = metrics
        self._lanes: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def converge(self, ask_id: str, place: str, where: Destination) -> None:
        """Makes its post there show it as it stands, or has that tried again. Raises: Unavailable,
        and whatever a transport should not raise.
        """
        if self._patience.rests(ask_id, place):
            return
        lane = self._lanes.setdefault(where.name, asyncio.Semaphore(IN_ONE_CONVERSATION))
        async with lane, self._turns.take(ask_id, place) as turn:
            while turn.ours:
                record = await self._conversations.read(ask_id)
                post = (await self._posts.of(ask_id)).get(place)
                if record is None or not await self._try(turn, record, place, post, where):
                    return
        self._patience.failed(ask_id, place)  # another worker draws there, or has died doing so

    async def _try(
        self, turn: Turn, record: AskRecord, place: str, post: Post | None, where: Destination
    ) -> bool:
        """One step; whether another is to follow at once. Raises: as `converge`."""
        ask_id = record.ask.id
        try:
            more = await self._step(record, post, where)
        except Later as error:
            away = where.channel if error.after_s is None else None
            rest_s = self._patience.failed(ask_id, place, error.after_s, away=away)
        except Unsure:
            # Drawn again it stays one post; posted again it may be two.
            away = None if record.pending else where.channel
            rest_s = self._patience.failed(ask_id, place, away=away)
        except Shut:
            # The message still stands there, and is to be drawn once somebody has mended it.
            rest_s = self._patience.failed(ask_id, place, SHUT_AGAIN_S)
        else:
            self._patience.over(ask_id, place, where.channel)
            return more
        if record.pending:
            # Of a long post some may stand already, which only this transport knows.
            turn.kept_s = min(rest_s, KEPT_S)
        return False

    async def _step(self, record: AskRecord, post: Post | None, where: Destination) -> bool:
        """The step; whether another is to follow. Raises: Later, Unsure, Shut, Unavailable."""
        todo = need(record, post)
        match todo:
            case Need.NOTHING:
                return False
            case Need.FORGET if post is not None:
                await self._keep(record.ask.id, replace(post, state=PostState.CLOSED))
                return False
            case Need.POST:
                return await self._post(record, post, where)
            case Need.REDRAW if post is not None:
                return await self._redraw(record, post)
            case Need.FORGET | Need.REDRAW:
                return False  # never without a post: `need` says so
            case _:
                assert_never(todo)

    async def _post(self, record: AskRecord, post: Post | None, where: Destination) -> bool:
        ask = record.ask
        if post is None:
            # It joins before it is posted, so that a quick reply finds its ask.
            code = await self._conversations.join(where.name, ask, where.thread)
            begun = Post(where.channel, where.conversation, where.thread, where.account, code=code)
            post = await self._keep(ask.id, begun)
        drawing = await self.drawing(record, post)
        # What was deleted may be posted once more, so that is another post.
        key = str(uuid5(NAMESPACE_URL, f"{ask.id} {post.place} {post.plain} {post.lost}"))
        try:
            message, at_ms = await self._transport(post).post(where_of(post), drawing, key)
        except Moved as moved:
            await self.move(record, post, moved)
            return False
        except Unfit as error:
            return await self._plainer(record, post, error)
        except (Unreachable, Shut, Missing) as error:
            await self._fail(record, post, error)
            return False
        shown = replace(
            post, state=PostState.SHOWN, message=message, at_ms=at_ms, version=record.version
        )
        # Before it is recorded as shown, for nobody would look at it again.
        await self._conversations.posted(where_of(post).name, message, Posted(ask.id, at_ms))
        await self._keep(ask.id, shown)
        self._taken("post.shown", record, post)
        return True

    async def _redraw(self, record: AskRecord, post: Post) -> bool:
        if post.message is None:
            await self._keep(record.ask.id, replace(post, state=PostState.CLOSED))
            return False
        try:
            drawing = await self.drawing(record, post)
            await self._transport(post).update(where_of(post), post.message, drawing)
        except Moved as moved:
            await self.move(record, post, moved)
            return False
        except (Missing, Unfit, Unreachable) as error:
            if record.pending:
                return await self._mend(record, post, error)
            return await self._let_go(record, post, post.message, error)
        await self._drawn(record, post, "")
        return record.pending

    async def _mend(self, record: AskRecord, post: Post, error: PostError) -> bool:
        """The post of an ask that waits could not be drawn anew."""
        match error:
            case Missing():
                await self._keep(record.ask.id, anew(post))
                return True
            case Unfit():
                return await self._plainer(record, post, error)
            case _:
                await self._fail(record, post, error)
                return False

    async def _let_go(self, record: AskRecord, post: Post, message: str, error: PostError) -> bool:
        """The post of an ask that has ended could not be drawn anew."""
        told_before = post.reason == error.code  # and pressed since, which drew it once more
        if isinstance(error, Unfit | Missing) and not (post.extra or told_before):
            await self._close_in_words(record, post, message)
        await self._drawn(record, post, error.code)
        return False

    async def _drawn(self, record: AskRecord, post: Post, reason: str) -> None:
        state = PostState.SHOWN if record.pending else PostState.CLOSED
        drawn = replace(post, state=state, version=record.version, reason=reason)
        await self._keep(record.ask.id, drawn)
        self._taken("post.drawn", record, post)

    async def _close_in_words(self, record: AskRecord, post: Post, message: str) -> None:
        """One closing note under a post that cannot be drawn anew, or where it stood."""
        drawing = await self.drawing(record, replace(post, plain=True))
        text = drawing.view.outcome or drawing.text
        try:
            await self._transport(post).note(where_of(post), message, text)
        except (Unreachable, Shut, Missing, Moved, Unfit) as error:
            event(_log, "note.failed", code=error.code, ask_id=record.ask.id)

    async def _plainer(self, record: AskRecord, post: Post, error: PostError) -> bool:
        """Plain text where the drawing was refused; nothing is left to try after that."""
        event(_log, "post.unfit", level=logging.ERROR, code=error.code, ask_id=record.ask.id)
        if post.plain:
            await self._fail(record, post, error)
            return False
        await self._keep(record.ask.id, replace(post, plain=True))
        return True

    async def _fail(self, record: AskRecord, post: Post, error: PostError) -> None:
        state = PostState.SHUT if isinstance(error, Shut) else PostState.FAILED
        await self._keep(record.ask.id, replace(post, state=state, reason=error.code))
        if self._metrics:
            self._metrics.posts.labels(post.channel, "failed").inc()
        event(_log, "post.failed", level=logging.WARNING, code=error.code, ask_id=record.ask.id)

    async def move(self, record: AskRecord, post: Post, moved: Moved) -> None:
        """The new place is looked at at once; the old one is done with. Raises: Unavailable."""
        ask_id = record.ask.id
        there = replace(post, conversation=moved.conversation)
        if record.pending and not post.extra:
            where = where_of(there)
            code = await self._conversations.join(where.name, record.ask, where.thread)
            there = replace(there, state=PostState.POSTING, message=None, version=0, code=code)
        # The new one first: should we die between the two, the old place sends the next worker on.
        known = (await self._posts.of(ask_id)).get(there.place)
        if known is None or known.over:
            await self._keep(ask_id, there)
        await self._keep(ask_id, replace(post, state=PostState.CLOSED, reason=moved.code))
        self._looks.again(ask_id, 0.0)

    async def drawing(self, record: AskRecord, post: Post) -> Drawing:
        """What the post should show now. Raises: Unavailable."""
        where = where_of(post)
        reader = self._everyone.place(where, record.ask)
        capabilities = self._outlets[post.channel].capabilities
        if post.plain:
            capabilities = replace(
                PLAIN,
                channel=post.channel,
                text=capabilities.text,
                measure=capabilities.measure,
            )
        return draw(
            reader,
            record,
            capabilities,
            code=post.code,
            waits_for=self._everyone.waits_for(reader, record.ask),
            now=await self._conversations.now(),
            link=self._link(record.ask),
        )

    async def _keep(self, ask_id: str, post: Post) -> Post:
        return await self._posts.keep(ask_id, post)

    def _transport(self, post: Post) -> Transport:
        return self._outlets[post.channel].transport

    def _taken(self, name: str, record: AskRecord, post: Post) -> None:
        """The platform took it, so it takes what waits for it too."""
        self._patience.back(post.channel)
        event(_log, name, ask_id=record.ask.id, surface=post.channel)
        if self._metrics:
            self._metrics.posts.labels(post.channel, name.removeprefix("post.")).inc()


def is_shown(post: Post, where: Destination, message: str) -> bool:
    """Whether that message is the post's; ids are a conversation's own."""
    shown = (post.channel, post.conversation, post.message)
    return shown == (where.channel, where.conversation, message)


def where_of(post: Post) -> Destination:
    """The place of a post."""
    return Destination(post.channel, post.conversation, post.thread, post.account)
