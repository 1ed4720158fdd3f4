"""Forms that are walked through: each press kept as a part of a draft, all of it sent at the end.

It is gone through where nobody else reads along; in a shared place it is only begun.
"""

from __future__ import annotations

from asyncio import gather
from dataclasses import replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from channels.contract import Destination, Response, StepAct, Tell
from channels.forms import Walk
from channels.walk import Standing, drawn, is_walked, open_field, turned
from channels.words import outcomes, walks
from gateway.errors import NotAllowed
from gateway.reply import Answered

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from channels.contract import Pressed, Step
    from channels.inbound.actors import Actor, Everyone
    from channels.inbound.effects import Effects
    from gateway.ask import AskRecord
    from gateway.broker import Broker
    from gateway.conversations import Conversations
    from gateway.reply.draft import Draft


class Walking:
    """Built with `Interactions`."""

    def __init__(
        self,
        broker: Broker,
        conversations: Conversations,
        everyone: Everyone,
        effects: Effects,
    ) -> None:
        self._broker = broker
        self._conversations = conversations
        self._everyone = everyone
        self._effects = effects

    async def handle(
        self, pressed: Pressed, step: Step, record: AskRecord, actor: Actor, token: str
    ) -> Response | Answered | None:
        """The next step; or what is to be sent; or None, where the press fits no such form.

        Raises: Unavailable.
        """
        if not record.pending:
            return await self._ended(pressed, step, record, actor, token)
        person = actor.caller.name
        try:
            # Together: somebody watches for the step, and the store may be far away.
            _, draft, kept = await gather(
                self._broker.admit(actor.caller, record.ask.id, declining=False),
                self._conversations.draft(record.ask, person),
                self._conversations.walked(record.ask.id, person),
            )
        except NotAllowed:
            return await self._effects.not_theirs(actor, record, token)
        if not is_walked(record.ask.question):
            return None
        if not pressed.where.direct:
            return self._shared(pressed, record, actor)
        at = Standing(draft, *(kept or ("", ())))
        return await self._step(pressed, step, record, actor, at, new=kept is None, token=token)

    async def over(self, record: AskRecord, actor: Actor) -> Walk:
        """The message of a walk whose ask has ended, drawn a last time."""
        now = await self._conversations.now()
        text = outcomes.outcome(actor.own, record, now)
        return Walk(record.ask.id, text, ended=True)

    async def refreshed(
        self, record: AskRecord, actor: Actor, draft: Draft, note: str = ""
    ) -> Walk | None:
        """The step after a part was typed; None for one who is not walking."""
        kept = await self._conversations.walked(record.ask.id, actor.caller.name)
        if kept is None:
            return None
        return drawn(actor.own, record.ask, Standing(draft, *kept), note)

    async def is_walking(self, record: AskRecord, actor: Actor) -> bool:
        """Whether they have begun to walk through that ask's form."""
        return await self._conversations.walked(record.ask.id, actor.caller.name) is not None

    async def _step(
        self,
        pressed: Pressed,
        step: Step,
        record: AskRecord,
        actor: Actor,
        at: Standing,
        *,
        new: bool,
        token: str,
    ) -> Response | Answered | None:
        ask, person = record.ask, actor.caller.name
        question, draft, before = ask.question, at.draft, at
        if step.act is StepAct.SEND and open_field(question, draft) is None:
            return Answered(draft.values)
        note = ""
        keeping: list[Awaitable[object]] = []
        if step.act is StepAct.START:
            # What is typed in this chat from now on finds the ask. Platforms tell whole seconds.
            since_ms = int(record.opened_at.timestamp()) * 1000
            keeping = [
                self._conversations.join(pressed.where.name, ask),
                self._conversations.appeared(pressed.where.name, ask.id, since_ms),
            ]
        elif step.act is StepAct.OTHER:
            note = await self._other(step, record, actor, draft, token)
        else:
            today = pressed.at.astimezone(ZoneInfo(actor.own.zone)).date()
            after = turned(step, question, at, today)
            if after.draft != draft:
                # Each has its own try, so that a press that died between the two ends both.
                await self._conversations.save_draft(ask.id, person, after.draft, token)
            at = after
        if new or (before.field, before.chosen) != (at.field, at.chosen):
            once = f"{token}:walk"
            keeping.append(
                self._conversations.save_walked(ask.id, person, at.field, at.chosen, once)
            )
        await gather(*keeping)
        return Response(step=drawn(actor.own, ask, at, note))

    async def _other(
        self, step: Step, record: AskRecord, actor: Actor, draft: Draft, token: str
    ) -> str:
        """Their next message is their own words for that field."""
        number = open_field(record.ask.question, draft)
        if number is None or number != step.field:
            return ""
        field = record.ask.question.fields[number]
        if not field.write_in:
            return ""
        person = actor.caller.name
        await self._conversations.press_other(record.ask.id, person, field.name, token)
        return walks.write_own(actor.own)

    def _shared(self, pressed: Pressed, record: AskRecord, actor: Actor) -> Response:
        """Where others read along: it opens in their own chat, if they may answer there."""
        account = pressed.sender.account
        alone = Destination(pressed.where.channel, account, account=account)
        there = self._everyone.actor(pressed.sender, alone, record.ask)
        if not there.may(record.ask, declining=False):
            return Response((Tell(walks.only_here(actor.own)),))
        return Response(step=Walk(record.ask.id, walks.elsewhere(actor.own), elsewhere=True))

    async def _ended(
        self, pressed: Pressed, step: Step, record: AskRecord, actor: Actor, token: str
    ) -> Response:
        late = await self._effects.too_late(actor, record, pressed.at, token)
        if step.act is StepAct.START or not pressed.where.direct:
            return late
        return replace(late, step=await self.over(record, actor))
