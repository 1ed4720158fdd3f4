"""What people do in chats, taken to the broker: pressed, submitted, typed. The channels' way in.

A press names an ask and authorises nothing: who may is decided here, from the platform's own id.
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, assert_never

from channels.contract import (
    AskReason,
    Drop,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressDecline,
    Pressed,
    PressOther,
    PressSkip,
    Response,
    Send,
    Step,
    Submitted,
    Tell,
    Typed,
)
from channels.forms import Form
from channels.inbound import kept
from channels.inbound.effects import Effects, Meaning
from channels.inbound.filling import Filling
from channels.inbound.replies import Replies
from channels.inbound.walking import Walking
from channels.words import reach, told
from gateway.answer import Picked, to_json
from gateway.ask import AskKind, Status
from gateway.broker import Try
from gateway.errors import AlreadySettled, InvalidAnswer, NotAllowed, WrongKind
from gateway.question import Kind
from gateway.reply import Answered, Approved, Declined, Skipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.contract import Interaction
    from channels.inbound.actors import Actor, Everyone
    from gateway.ask import AskRecord
    from gateway.broker import Broker
    from gateway.conversations import Conversations


class Interactions:
    """Built in `cli`; every channel hands what it parses to this one."""

    def __init__(
        self,
        broker: Broker,
        conversations: Conversations,
        everyone: Everyone,
        per_page: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self._broker = broker
        self._conversations = conversations
        self.facts = conversations.facts
        self._everyone = everyone
        self._effects = Effects(broker, conversations, everyone)
        self._filling = Filling(broker, conversations, self._effects, per_page)
        self._walking = Walking(broker, conversations, everyone, self._effects)
        self._replies = Replies(conversations, everyone, self._effects, self._walking)

    async def handle(self, interaction: Interaction) -> Response:
        """All that follows, in values. It is safe to acknowledge the event once this returns.

        Raises: Unavailable; nothing was recorded, and the event is to come again.
        """
        match interaction:
            case Typed():
                return await self._replies.handle(interaction)
            case Submitted():
                return await self._submitted(interaction)
            case Pressed(control=Send() as control):
                return await self._send(interaction, control)
            case Pressed(control=Drop() as control):
                return await self._drop(interaction, control)
            case Pressed():
                return await self._pressed(interaction)
            case _:
                assert_never(interaction)

    async def moved(self, old: str, new: str) -> None:
        """The asks of a conversation wait under its new name too. Raises: Unavailable."""
        for one in await self._conversations.waiting(old):
            ask = one.record.ask
            if one.record.pending:
                await self._conversations.join(new, ask, one.thread)
                since_ms = await self._conversations.shown_ms(old, ask.id)
                if since_ms is not None:
                    await self._conversations.appeared(new, ask.id, since_ms)

    async def _pressed(self, pressed: Pressed) -> Response:
        token = _token(pressed)
        record = await self._effects.current(pressed.ask_id)
        if record is None:
            return self._gone(pressed)
        actor = self._everyone.actor(pressed.sender, pressed.where, record.ask)
        match pressed.control:
            case OpenForm() | AskReason() as control:
                return await self._filling.open(pressed, record, actor, control, token)
            case PressOther():
                return await self._other(pressed, record, actor, token)
            case Step() as step:
                return await self._walk(pressed, step, record, actor, token)
        meaning = _meaning(pressed, record)
        if meaning is None:
            return self._gone(pressed)
        return await self._settle(pressed, record, actor, meaning, token)

    async def _submitted(self, form: Submitted) -> Response:
        token = _token(form)
        record = await self._effects.current(form.ask_id)
        if record is None:
            return self._gone(form)
        actor = self._everyone.actor(form.sender, form.where, record.ask)
        form = await self._filling.with_kept(form, record, actor)
        filled = self._filling.read(form, record, actor)
        # What is wrong is told only to those who may answer, and while there is something to.
        if not (record.pending and actor.may(record.ask, declining=False)):
            return await self._settle(form, record, actor, Answered(filled.values), token)
        if filled.faults:
            return Response(faults=filled.faults)
        turned = await self._filling.turn(form, record, actor, filled.values, token)
        if isinstance(turned, Form):
            return Response(form=turned)
        return await self._settle(form, record, actor, Answered(turned), token)

    async def _settle(
        self,
        event: Pressed | Submitted,
        record: AskRecord,
        actor: Actor,
        meaning: Meaning,
        token: str,
    ) -> Response:
        """The effect of a press or a form, and what its author alone is told."""
        attempt = Try(token, event.where.channel, _reference(event))
        try:
            settled = await self._effects.settle(actor, record, meaning, attempt)
        except NotAllowed:
            if not record.pending:
                return await self._late(event, record, actor, meaning, token)
            return await self._effects.not_theirs(actor, record, token)
        except (InvalidAnswer, WrongKind):
            # No button of ours says this: it was drawn for another ask, or by somebody else.
            return self._gone(event)
        except AlreadySettled as late:
            return await self._late(event, late.record, actor, meaning, token)
        return await self._effects.receipt(actor, settled, token)

    async def _late(
        self,
        event: Pressed | Submitted,
        record: AskRecord,
        actor: Actor,
        meaning: Meaning,
        token: str,
    ) -> Response:
        """What stands; nothing for a second press of what the same person chose before."""
        if _is_same(record, actor, meaning):
            return Response(settled=record)
        return await self._effects.too_late(actor, record, event.at, token)

    async def _other(
        self, pressed: Pressed, record: AskRecord, actor: Actor, token: str
    ) -> Response:
        """Other: the next message of this person is their words."""
        field = record.ask.question.single
        if not record.pending:
            return await self._effects.too_late(actor, record, pressed.at, token)
        if field is None or not field.write_in:
            return self._gone(pressed)
        try:
            await self._broker.admit(actor.caller, record.ask.id, declining=False)
        except NotAllowed:
            return await self._effects.not_theirs(actor, record, token)
        person = actor.caller.name
        if not await self._conversations.press_other(record.ask.id, person, field.name, token):
            return Response()
        return Response((Tell(reach.write_words(actor.own)),))

    async def _walk(
        self, pressed: Pressed, step: Step, record: AskRecord, actor: Actor, token: str
    ) -> Response:
        """One step of a form that is walked through; its last one sends it."""
        walked = await self._walking.handle(pressed, step, record, actor, token)
        if walked is None:
            return self._gone(pressed)
        if isinstance(walked, Response):
            return walked
        response = await self._settle(pressed, record, actor, walked, token)
        if response.settled is None:
            return response
        return replace(response, step=await self._walking.over(response.settled, actor))

    async def _send(self, pressed: Pressed, control: Send) -> Response:
        """A kept message, sent by its author as the answer of the ask on the button."""
        message = await self._kept(pressed, control.kept)
        if isinstance(message, Response):
            return message
        return await self._replies.send(message, pressed.ask_id, f"{kept.event_of(message)}:sent")

    async def _drop(self, pressed: Pressed, control: Drop) -> Response:
        message = await self._kept(pressed, control.kept)
        if isinstance(message, Response):
            return message
        if not await self._conversations.first_time(f"{kept.event_of(message)}:dropped"):
            return Response()
        reader = self._everyone.reader(pressed.sender, pressed.where)
        return Response((Tell(told.dropped(reader)),))

    async def _kept(self, pressed: Pressed, name: str) -> Typed | Response:
        """The kept message, for its author in its place only."""
        reader = self._everyone.reader(pressed.sender, pressed.where)
        found = await self._conversations.kept(name)
        if found is None:
            return Response((Tell(told.gone(reader)),))
        message = kept.from_dict(found)
        if message.sender.account != pressed.sender.account or (
            message.where.name != pressed.where.name
        ):
            return Response((Tell(told.not_the_author(reader)),))
        return message

    def _gone(self, event: Pressed | Submitted) -> Response:
        reader = self._everyone.reader(event.sender, event.where)
        return Response((Tell(told.gone(reader)),))


def _meaning(pressed: Pressed, record: AskRecord) -> Meaning | None:
    """What the press says, in the words of the reply grammar; None where it fits no such ask."""
    match pressed.control:
        case Pick(option):
            field = record.ask.question.single
            if field is None or field.kind is not Kind.CHOICE:
                return Answered({"": Picked((option,))})
            return Answered({field.name: Picked((option,))})
        case PressSkip():
            return Skipped()
        case PressDecline(reason):
            return Declined(reason)
        case PressApprove(comment):
            return Approved(comment)
        case PickToggle(yes):
            only = record.ask.question.single
            return Answered({only.name: yes}) if only and only.kind is Kind.TOGGLE else None
        case PressOther() | OpenForm() | AskReason() | Step() | Send() | Drop():
            raise AssertionError("what settles nothing is handled before")
        case _:
            assert_never(pressed.control)


def _is_same(record: AskRecord, actor: Actor, meaning: Meaning) -> bool:
    """Whether this very person ended the ask with this very thing."""
    outcome = record.outcome
    if outcome is None or outcome.by != actor.caller.name:
        return False
    match meaning:
        case Answered(values):
            return outcome.values == to_json(values)
        case Approved():
            return record.status is Status.ANSWERED and record.ask.kind is AskKind.APPROVAL
        case Declined():
            return record.status is Status.DECLINED and not outcome.skipped
        case Skipped():
            return outcome.skipped
        case _:
            assert_never(meaning)


def _token(event: Pressed | Submitted) -> str:
    return f"{event.where.name}:press:{event.event}"


def _reference(event: Pressed | Submitted) -> str | None:
    return None if event.message is None else f"{event.where.conversation}/{event.message}"
