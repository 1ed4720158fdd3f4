"""What follows from a reply once its ask and its meaning are known.

Every effect bears the event as its try, and every word is said once for it, so that a message
delivered again changes and says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, assert_never

from channels.contract import Button, Drop, Response, Send, Tell
from channels.inbound import kept
from channels.words import outcomes, reach, refusals, told
from gateway.broker import Try
from gateway.conversations import KeptDraft
from gateway.errors import AlreadySettled, NotAllowed
from gateway.reply import (
    Answered,
    Approved,
    Command,
    CommandName,
    Confirm,
    Declined,
    Draft,
    NotAnAnswer,
    Partial,
    Refused,
    Reply,
    Skipped,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.contract import Typed
    from channels.inbound.actors import Actor
    from channels.inbound.effects import Effects
    from channels.inbound.walking import Walking
    from gateway.answer import Values
    from gateway.ask import AskRecord
    from gateway.conversations import Conversations, Waiting


@dataclass(frozen=True, slots=True)
class Heard:
    """One message towards one ask. `named` says that it speaks to us; `code` is the ask's there.

    `kept` is the draft of its author that it was read with.
    """

    typed: Typed
    record: AskRecord
    actor: Actor
    token: str
    code: str
    named: bool
    hidden: bool = False
    kept: KeptDraft = field(default_factory=lambda: KeptDraft(Draft()))

    @property
    def reference(self) -> str:
        """The message as an outcome records it: the platform's ids."""
        return reference(self.typed)

    @property
    def alone(self) -> bool:
        """Whether nobody else reads what is said to it."""
        return self.typed.where.direct or self.typed.private

    @property
    def settled_it(self) -> bool:
        """Whether this very message is the answer that stands."""
        outcome = self.record.outcome
        where = self.typed.where.channel
        return outcome is not None and (outcome.surface, outcome.message) == (where, self.reference)


def reference(typed: Typed) -> str:
    return f"{typed.where.conversation}/{typed.message}"


class Following:
    """Built with `Replies`."""

    def __init__(self, conversations: Conversations, effects: Effects, walking: Walking) -> None:
        self._conversations = conversations
        self._effects = effects
        self._walking = walking

    async def follow(self, heard: Heard, reply: Reply) -> Response:
        """The effect of a reply to an ask that waits, or what stands for one that has ended.

        Raises: DraftMoved, the reply was read with a draft that has changed since; Unavailable.
        """
        if not heard.record.pending:
            return await self.ended(heard, reply)
        if isinstance(reply, NotAnAnswer):
            return Response()
        if heard.hidden:
            return await self._hidden(heard)
        if not heard.actor.may(heard.record.ask):
            return await self._not_theirs(heard)
        return await self._effect(heard, reply)

    async def ended(self, heard: Heard, reply: Reply) -> Response:
        """A message for an ask that has ended: its own answer, an edit of that, or one too late."""
        record, actor = heard.record, heard.actor
        if heard.settled_it and heard.typed.edit is None:
            return await self._effects.receipt(actor, record, heard.token)
        if heard.settled_it:
            now = await self._conversations.now()
            own, public = (outcomes.edited(who, record, now) for who in (actor.own, actor.public))
            once = f"{kept.message_of(heard.typed)}:edited"
            return await self._say(record, once, own, public)
        if self._is_talk(heard, reply):
            return Response()
        return await self._effects.too_late(actor, record, heard.typed.at, heard.token)

    @staticmethod
    def _is_talk(heard: Heard, reply: Reply) -> bool:
        """Whether a message after an ask's end was hardly meant as its answer."""
        if heard.named:
            return False
        if isinstance(reply, NotAnAnswer | Confirm) or not heard.actor.may(heard.record.ask):
            return True
        outcome, settled = heard.record.outcome, heard.record.settled_at
        mine = outcome is not None and outcome.by == heard.actor.caller.name
        return mine and settled is not None and settled <= heard.typed.at

    async def say(self, heard: Heard, text: str) -> Response:
        """One text without content, said once for this message."""
        return await self._say(heard.record, heard.token, text, text)

    async def pending(
        self, typed: Typed, own: Sequence[told.Seen], public: Sequence[told.Seen]
    ) -> Response:
        """The list of what waits, for its author and for everyone there."""
        if not await self._conversations.first_time(kept.event_of(typed)):
            return Response()
        now = await self._conversations.now()
        texts = [told.pending(readers[0][0], readers, now) for readers in (own, public)]
        return Response((Tell(texts[0], texts[1]),))

    async def which(
        self, typed: Typed, own: Sequence[told.Seen], public: Sequence[told.Seen], first_ask: str
    ) -> Response:
        """The list of what waits, each with a control that sends the kept message to it."""
        name = kept.kept_name(typed)
        await self._conversations.keep(name, kept.to_dict(typed))
        if not await self._conversations.first(first_ask, kept.event_of(typed)):
            return Response()
        now = await self._conversations.now()
        buttons = tuple(_send_to(one, name, sees=reader.sees) for reader, one in public)
        texts = [told.which(readers[0][0], readers, typed.text, now) for readers in (own, public)]
        return Response((Tell(texts[0], texts[1], buttons),))

    async def _effect(self, heard: Heard, reply: Reply) -> Response:
        match reply:
            case Answered() | Approved() | Declined() | Skipped():
                return await self._settle(heard, reply)
            case Partial(draft):
                own, ask = heard.actor.own, heard.record.ask
                text = told.partly(own, ask, reply)
                wrong = [refusals.refusal(own, ask, problem) for problem in reply.problems]
                await self._forget_other(heard)
                return await self._keep_draft(heard, draft, text, "\n".join(wrong))
            case Confirm():
                return await self._confirm(heard)
            case Command():
                return await self._obey(heard, reply)
            case Refused():
                return await self._refuse(heard, reply)
            case NotAnAnswer():
                return Response()
            case _:
                assert_never(reply)

    async def _settle(
        self, heard: Heard, reply: Answered | Approved | Declined | Skipped
    ) -> Response:
        if isinstance(reply, Answered) and await self._is_walking(heard):
            return await self._walk_on(heard, reply.values)
        where, actor = heard.typed.where, heard.actor
        attempt = Try(heard.token, where.channel, heard.reference)
        try:
            settled = await self._effects.settle(actor, heard.record, reply, attempt)
        except NotAllowed:
            if heard.alone:
                return await self._effects.not_theirs(actor, heard.record, heard.token)
            return Response()
        except AlreadySettled as late:
            return await self.ended(replace(heard, record=late.record), reply)
        return await self._effects.receipt(actor, settled, heard.token)

    async def _refuse(self, heard: Heard, reply: Refused) -> Response:
        await self._forget_other(heard)
        actor, ask = heard.actor, heard.record.ask
        own, public = (refusals.refusal(who, ask, reply) for who in (actor.own, actor.public))
        return await self._say(heard.record, heard.token, own, public)

    async def _keep_draft(self, heard: Heard, draft: Draft, text: str, wrong: str = "") -> Response:
        """`text` says what is kept; `wrong` only what was wrong, for a walk that shows the rest."""
        actor, ask = heard.actor, heard.record.ask
        person, over = actor.caller.name, heard.kept.text
        if not await self._conversations.save_draft(ask.id, person, draft, heard.token, over):
            return Response()
        public = text if actor.public.sees else told.kept_unseen(actor.public)
        step = None
        if heard.typed.where.direct:
            step = await self._walking.refreshed(heard.record, actor, draft, wrong)
        return Response((Tell(text, public),), step=step)

    async def _is_walking(self, heard: Heard) -> bool:
        """Whether they walk through its form; what they type is then looked over before it goes."""
        several = len(heard.record.ask.question.fields) > 1
        if not (several and heard.typed.where.direct):
            return False
        return await self._walking.is_walking(heard.record, heard.actor)

    async def _walk_on(self, heard: Heard, values: Values) -> Response:
        """What would have answered it all is kept, for the review."""
        actor, ask = heard.actor, heard.record.ask
        draft = heard.kept.draft
        for one in ask.question.fields:
            if one.name in values:
                draft = draft.fill(one.name, values[one.name])
            elif not draft.holds(one.name):
                draft = draft.leave(one.name)
        await self._forget_other(heard)
        text = told.partly(actor.own, ask, Partial(draft))
        return await self._keep_draft(heard, draft, text)

    async def _confirm(self, heard: Heard) -> Response:
        """Words that may be no answer are kept, and sent if their author says so."""
        name, ask_id, own = kept.kept_name(heard.typed), heard.record.ask.id, heard.actor.own
        await self._conversations.keep(name, kept.to_dict(heard.typed))
        buttons = (
            Button(told.send_label(own), told.send_word(own), ask_id, Send(name)),
            Button(told.drop_label(own), told.drop_word(own), ask_id, Drop(name)),
        )
        text = told.confirm(own, heard.typed.text, heard.code)
        return await self._say(heard.record, heard.token, text, text, buttons)

    async def _obey(self, heard: Heard, command: Command) -> Response:
        ask, actor = heard.record.ask, heard.actor
        match command.name:
            case CommandName.HELP:
                now = await self._conversations.now()
                own, public = (told.help_(who, ask, now) for who in (actor.own, actor.public))
                return await self._say(heard.record, heard.token, own, public)
            case CommandName.CANCEL:
                return await self.say(heard, told.cancel(actor.own, ask))
            case CommandName.BACK | CommandName.CLEAR:
                draft = command.draft or Draft()
                return await self._keep_draft(heard, draft, told.taken_back(actor.own, ask, draft))
            case CommandName.OTHER:
                return await self._press_other(heard, command.field or ask.question.fields[0].name)
            case CommandName.PENDING:
                raise AssertionError("what is pending is listed before any ask is read")
            case _:
                assert_never(command.name)

    async def _press_other(self, heard: Heard, field: str) -> Response:
        person, ask_id = heard.actor.caller.name, heard.record.ask.id
        if not await self._conversations.press_other(ask_id, person, field, heard.token):
            return Response()
        text = reach.write_words(heard.actor.own)
        return Response((Tell(text, text),))

    async def _hidden(self, heard: Heard) -> Response:
        """Told once for each ask, in the open: there is nobody to whisper to."""
        if not heard.named:
            return Response()
        text = told.hidden_author(heard.actor.public)
        return await self._say(heard.record, "hidden author", text, text)

    async def _not_theirs(self, heard: Heard) -> Response:
        """Recorded; told only where nobody else reads it."""
        if heard.alone:
            response = await self._effects.not_theirs(heard.actor, heard.record, heard.token)
            if response.tells:
                await self._effects.refuse(heard.actor, heard.record)
            return response
        if await self._conversations.first(heard.record.ask.id, heard.token):
            await self._effects.refuse(heard.actor, heard.record)
        return Response()

    async def _forget_other(self, heard: Heard) -> None:
        """A pressed Other holds for one reply."""
        person, ask_id = heard.actor.caller.name, heard.record.ask.id
        if await self._conversations.pressed_other(ask_id, person) is not None:
            await self._conversations.press_other(ask_id, person, "", f"{heard.token}:other")

    async def _say(
        self,
        record: AskRecord,
        token: str,
        own: str,
        public: str,
        buttons: tuple[Button, ...] = (),
    ) -> Response:
        """Said once for that try."""
        if not await self._conversations.first(record.ask.id, token):
            return Response()
        return Response((Tell(own, public, buttons),))


def _send_to(waiting: Waiting, name: str, *, sees: bool) -> Button:
    label = told.button(waiting, sees=sees)
    return Button(label, waiting.code, waiting.record.ask.id, Send(name))
