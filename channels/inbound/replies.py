"""A typed message: the ask it belongs to and what it means there.

It is bound to its ask before anything else; delivered again, to any replica, it can only mean the
same ask and the same try.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from channels.contract import Response, Tell
from channels.inbound import kept
from channels.inbound.belonging import (
    Chat,
    belonging,
    is_named,
    leading_name,
    sort,
    without_name,
)
from channels.inbound.following import Following, Heard
from channels.words import told
from gateway.answer import TEXT_CAP
from gateway.conversations import Waiting
from gateway.epoch import from_ms
from gateway.errors import DraftMoved
from gateway.question import Question
from gateway.reply import Command, CommandName, Confirm, Place, Reply, parse
from gateway.reply.clean import said
from gateway.reply.language import words_for
from gateway.reply.parse import LONGEST_IN_CAPS
from gateway.reply.trim import own_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.contract import Typed
    from channels.inbound.actors import Everyone
    from channels.inbound.effects import Effects
    from channels.inbound.walking import Walking
    from gateway.conversations import Bound, Conversations


LONGEST_KEPT_CHARS = LONGEST_IN_CAPS * TEXT_CAP
"""What is longer is no answer to anything (grammar), and is refused as such instead of kept."""


class Replies:
    """Built with `Interactions`."""

    def __init__(
        self,
        conversations: Conversations,
        everyone: Everyone,
        effects: Effects,
        walking: Walking,
    ) -> None:
        self._conversations = conversations
        self._everyone = everyone
        self._effects = effects
        self._walking = walking
        self._following = Following(conversations, effects, walking)

    async def handle(self, typed: Typed) -> Response:
        """All that follows from the message. Raises: Unavailable."""
        chat = await self._chat(typed)
        command = self._spoken(typed)
        if command is not None and not chat.pending:
            return await self._without_ask(typed, command)
        bound = await self._bind(typed, chat)
        if not bound.ask_ids and typed.private:
            return await self._without_ask(typed, CommandName.PENDING)
        if not bound.ask_ids:
            return Response()
        if not bound.sure:
            return await self._which(typed, chat, bound)
        return await self._reply(typed, chat, bound.ask_ids[0], kept.event_of(typed))

    async def send(self, typed: Typed, ask_id: str, token: str) -> Response:
        """A kept message, which its author now sends as that ask's answer. Raises: Unavailable."""
        addressed = replace(typed, addressed=True)
        chat = await self._chat(addressed)
        return await self._reply(addressed, chat, ask_id, token, sure=True)

    # Which ask

    async def _chat(self, typed: Typed) -> Chat:
        """What the conversation held for this sender when they wrote."""
        where = typed.where

        def may(one: Waiting) -> bool:
            return self._everyone.actor(typed.sender, where, one.record.ask).may(one.record.ask)

        waiting = [
            (one, await self._appeared(where.name, one))
            for one in await self._conversations.waiting(where.name)
        ]
        replied = await self._shown_by(typed, typed.reply_to)
        root = await self._shown_by(typed, where.thread)
        chat = sort(typed, waiting, may, replied, root)
        if len(chat.pending) > 1 and (where.direct or where.thread or typed.addressed):
            return replace(chat, meant=await self._meant(typed, chat))
        return chat

    async def _meant(self, typed: Typed, chat: Chat) -> str | None:
        """The only one of several asks whose Other they pressed, or whose form they walk through.

        Forms are walked through in direct chats alone.
        """
        others, walks = [], []
        for one in chat.pending:
            record = one.record
            actor = self._everyone.actor(typed.sender, typed.where, record.ask)
            if await self._conversations.pressed_other(record.ask.id, actor.caller.name):
                others.append(record.ask.id)
            elif typed.where.direct and await self._walking.is_walking(record, actor):
                walks.append(record.ask.id)
        found = others or walks
        return found[0] if len(found) == 1 else None

    async def _shown_by(self, typed: Typed, message: str | None) -> str | None:
        if message is None:
            return None
        post = await self._conversations.post(typed.where.name, message)
        return post.ask_id if post else None

    async def _appeared(self, conversation: str, waiting: Waiting) -> datetime:
        """By the platform's clock; by ours for a post that nobody has recorded yet."""
        shown_ms = await self._conversations.shown_ms(conversation, waiting.record.ask.id)
        if shown_ms is None:
            return waiting.record.opened_at
        return from_ms(shown_ms)

    async def _bind(self, typed: Typed, chat: Chat) -> Bound:
        event = kept.event_of(typed)
        bound = await self._conversations.bound(event)
        if bound is None and typed.edit is not None:
            bound = await self._conversations.bound(kept.first_event_of(typed))
        if bound is None:
            bound = belonging(typed, chat)
            if chat.empty:
                # Nothing is kept of talk where nobody is asked; what is asked later is not for it.
                return bound
            await self._conversations.bind(kept.first_event_of(typed), bound)
        return await self._conversations.bind(event, bound)

    async def _which(self, typed: Typed, chat: Chat, bound: Bound) -> Response:
        """Several asks wait, and none was named: they are listed, and the words kept."""
        waiting = [one for one in chat.pending if one.record.ask.id in bound.ask_ids]
        if not waiting:
            return Response()
        own, public = self._seen(typed, waiting)
        if self._spoken(typed) is not None:
            return await self._following.pending(typed, own, public)
        if len(typed.text) > LONGEST_KEPT_CHARS:
            return await self._reply(typed, chat, bound.ask_ids[0], kept.event_of(typed))
        return await self._following.which(typed, own, public, bound.ask_ids[0])

    async def _without_ask(self, typed: Typed, command: CommandName) -> Response:
        """Help, or what is pending, where nothing is."""
        if not await self._conversations.first_time(kept.event_of(typed)):
            return Response()
        reader = self._everyone.reader(typed.sender, typed.where)
        now = await self._conversations.now()
        asks_help = command is CommandName.HELP
        text = told.help_without_ask(reader) if asks_help else told.pending(reader, (), now)
        return Response((Tell(text, text),))

    def _seen(
        self, typed: Typed, waiting: Sequence[Waiting]
    ) -> tuple[list[told.Seen], list[told.Seen]]:
        """The asks with their readers: the one who wrote, and everyone there."""
        actors = [
            (self._everyone.actor(typed.sender, typed.where, one.record.ask), one)
            for one in waiting
        ]
        return [(who.own, one) for who, one in actors], [(who.public, one) for who, one in actors]

    def _spoken(self, typed: Typed) -> CommandName | None:
        """`help` or `pending`, as the whole of a message to us."""
        if not (typed.where.direct or typed.addressed):
            return None
        reader = self._everyone.reader(typed.sender, typed.where)
        words = words_for(reader.language.tag)
        place = Place(now=typed.at, mention=typed.mention, markup=typed.markup)
        core = said(own_text(typed.text, Question(prompt=""), place), words.polite).core
        if core in words.help:
            return CommandName.HELP
        return CommandName.PENDING if core in words.pending else None

    # What it means

    async def _reply(
        self, typed: Typed, chat: Chat, ask_id: str, token: str, *, sure: bool = False
    ) -> Response:
        record = await self._effects.current(ask_id)
        if record is None:
            return Response()
        heard = Heard(
            typed=typed,
            record=record,
            actor=self._everyone.actor(typed.sender, typed.where, record.ask),
            token=token,
            code=next((one.code for one in chat.mine if one.record.ask.id == ask_id), ask_id),
            named=is_named(typed, chat, ask_id),
            hidden=self._everyone.is_hidden(typed.sender, typed.where),
        )
        called = chat.called(leading_name(typed))
        if called is not None and called.record.ask.id != ask_id:
            text = told.other_ask(heard.actor.own, called.code)
            return await self._following.say(heard, text)
        text = without_name(typed, called) if called else typed.text
        other = await self._conversations.pressed_other(ask_id, heard.actor.caller.name)
        while True:
            with suppress(DraftMoved):
                return await self._follow(heard, chat, text, other, sure=sure)

    async def _follow(
        self, heard: Heard, chat: Chat, text: str, other: str | None, *, sure: bool
    ) -> Response:
        """What follows from the text, read with what is kept now. Raises: DraftMoved."""
        typed, record, token = heard.typed, heard.record, heard.token
        kept_draft = await self._conversations.kept_draft(record.ask, heard.actor.caller.name)
        heard = replace(heard, kept=kept_draft)
        reply = _read(heard, text, other)
        if sure and isinstance(reply, Confirm):
            reply = reply.then
        if record.pending and await self._conversations.was_tried(record.ask.id, token):
            # Its draft, or a pressed Other, has changed by it: read again, it would say more.
            return Response()
        asks_pending = isinstance(reply, Command) and reply.name is CommandName.PENDING
        if asks_pending and record.pending and heard.actor.may(record.ask):
            # Of an ask named by its post alone, perhaps nothing more is known of the place.
            waiting = chat.pending or [Waiting(heard.code, record)]
            return await self._following.pending(typed, *self._seen(typed, waiting))
        return await self._following.follow(heard, reply)


def _read(heard: Heard, text: str, other: str | None) -> Reply:
    """What it means there; `other` is the field whose Other was pressed."""
    typed, own = heard.typed, heard.actor.own
    place = Place(
        now=typed.at,
        zone=own.zone,
        locale=own.language.tag,
        shared=not typed.where.direct,
        # It stands where that person was told to write their own words.
        addressed=heard.named or other is not None,
        thread=typed.where.thread is not None,
        pressed_other=other is not None,
        other_field=other,
        draft=heard.kept.draft,
        may_see=own.sees,
        mention=typed.mention,
        names=typed.names,
        markup=typed.markup,
    )
    return parse(text, heard.record.ask, place)
