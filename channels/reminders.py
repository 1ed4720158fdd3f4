"""Under each post of an ask that waits on: once a rung that it still waits."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from channels.contract import Later, Missing, Moved, PostError
from channels.looks import rest_s
from channels.placing import where_of
from channels.words import told
from gateway.log import event
from gateway.posts import Post, PostState, anew

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from channels.parts import Parts
    from channels.placing import Placing
    from gateway.ask import AskRecord

WITHIN_S = 60.0
"""Ours: a reminder that a platform takes no sooner is left out; the next rung reminds again."""

_log = logging.getLogger("channels.worker")


class Reminders:
    """Built by `Worker`."""

    def __init__(self, parts: Parts, placing: Placing) -> None:
        self._conversations = parts.conversations
        self._posts = parts.posts
        self._everyone = parts.everyone
        self._outlets = parts.outlets
        self._looks = parts.looks
        self._turns = parts.turns
        self._placing = placing

    async def remind(self, ask_id: str) -> None:
        """Says it under each post that was not reminded of the ask's rung. Raises: Unavailable."""
        rung = await self._posts.rung(ask_id)
        places = [place for place, post in (await self._posts.of(ask_id)).items() if post.message]
        loop = asyncio.get_running_loop()
        until, tries = loop.time() + WITHIN_S, 0
        while refusals := [one async for one in self._remind_each(ask_id, places, rung)]:
            tries += 1
            places = [place for place, _ in refusals]
            wait_s = max(error.after_s or rest_s(tries) for _, error in refusals)
            if loop.time() + wait_s > until:
                for _, error in refusals:
                    event(_log, "reminder.failed", code=error.code, ask_id=ask_id)
                return
            await asyncio.sleep(wait_s)

    async def _remind_each(
        self, ask_id: str, places: Sequence[str], rung: int
    ) -> AsyncIterator[tuple[str, Later]]:
        """Where it is to be tried again. One after the other: who dies here leaves one unsaid."""
        for place in places:
            try:
                await self._remind_once(ask_id, place, rung)
            except Later as error:
                yield place, error

    async def _remind_once(self, ask_id: str, place: str, rung: int) -> None:
        """Raises: Later, Unavailable."""
        moved = None
        async with self._turns.wait(ask_id, place):
            record = await self._conversations.read(ask_id)
            post = (await self._posts.of(ask_id)).get(place)
            if record is None or not record.pending or post is None or post.reminded >= rung:
                return
            if post.state is PostState.SHOWN and post.message:
                moved = await self._say(record, post, post.message, rung)
        if moved is not None:
            await self._remind_where_it_moved(ask_id, moved, rung)

    async def _say(self, record: AskRecord, post: Post, message: str, rung: int) -> Post | None:
        """The post in its new place, where the conversation turns out to have moved."""
        where, ask_id = where_of(post), record.ask.id
        reader = self._everyone.place(where, record.ask)
        text = told.still_waiting(reader, record, post.code, await self._conversations.now())
        # Recorded first: a reminder too few is better than one twice.
        await self._posts.keep(ask_id, replace(post, reminded=rung))
        try:
            transport = self._outlets[post.channel].transport
            await transport.note(where, message, text, only_under=True)
        except Later:
            await self._posts.keep(ask_id, post)  # nothing was said
            raise
        except Moved as error:
            await self._placing.move(record, post, error)
            return replace(post, conversation=error.conversation)
        except Missing:
            # Deleted while nobody listened: made anew, it reminds as well.
            await self._posts.keep(ask_id, anew(replace(post, reminded=rung)))
            self._looks.again(ask_id, 0.0)
        except PostError as error:
            event(_log, "reminder.failed", code=error.code, ask_id=ask_id)
        return None

    async def _remind_where_it_moved(self, ask_id: str, there: Post, rung: int) -> None:
        """A reminder may be the first to hear of it: the ask is posted there, and then reminded of.

        The old post's id means another message there, so nothing can be said under that.
        """
        await self._placing.converge(ask_id, there.place, where_of(there))
        await self._remind_once(ask_id, there.place, rung)
