"""What an answer, a decline, a skip or an approval does at the broker, and the receipt for it.

Settling comes first and its receipt second: a crash between the two says the receipt at the next
delivery, and never twice.
"""

from __future__ import annotations

from asyncio import gather
from contextlib import suppress
from typing import TYPE_CHECKING, assert_never

from channels.contract import Response, Tell
from channels.words import outcomes, told
from gateway.answer import check
from gateway.errors import NotAllowed
from gateway.reply import Answered, Approved, Declined, Skipped

if TYPE_CHECKING:
    from datetime import datetime

    from channels.inbound.actors import Actor, Everyone
    from gateway.answer import Values
    from gateway.ask import AskRecord
    from gateway.broker import Broker, Try
    from gateway.conversations import Conversations

Meaning = Answered | Approved | Declined | Skipped


class Effects:
    """Built in `cli` with `Interactions`."""

    def __init__(self, broker: Broker, conversations: Conversations, everyone: Everyone) -> None:
        self._broker = broker
        self._conversations = conversations
        self._everyone = everyone

    async def current(self, ask_id: str) -> AskRecord | None:
        """The ask as it stands; one whose deadline has passed is ended first."""
        # The time is asked for beside it: where the store is far away, each wait is felt.
        record, now = await gather(self._conversations.read(ask_id), self._conversations.now())
        if record is None or not record.pending or record.deadline is None:
            return record
        if record.deadline > now:
            return record
        await self._broker.expire(record)
        return await self._conversations.read(ask_id)

    async def settle(
        self, actor: Actor, record: AskRecord, meaning: Meaning, attempt: Try
    ) -> AskRecord:
        """The ask, ended so; the same try hears again that it won.

        Raises: NotAllowed, AlreadySettled, InvalidAnswer, WrongKind, Unavailable.
        """
        ask_id, caller = record.ask.id, actor.caller
        match meaning:
            case Answered(values):
                zone = actor.own.zone

                def checked(found: AskRecord) -> Values:
                    return check(found.ask.question, values, zone)

                return await self._broker.answer_with(caller, ask_id, checked, attempt)
            case Approved(comment):
                return await self._broker.approve(caller, ask_id, comment, attempt)
            case Declined(reason):
                return await self._broker.decline(caller, ask_id, reason, attempt)
            case Skipped():
                return await self._broker.skip(caller, ask_id, attempt)
            case _:
                assert_never(meaning)

    async def receipt(self, actor: Actor, record: AskRecord, token: str) -> Response:
        """What the one who ended it is told, once."""
        if not await self._conversations.first(record.ask.id, token):
            return Response(settled=record)
        tell = Tell(told.receipt(actor.own, record), told.receipt(actor.public, record))
        return Response((tell,), settled=record)

    async def too_late(
        self, actor: Actor, record: AskRecord, came: datetime, token: str
    ) -> Response:
        """What stands, to one who came later; once for each of their tries."""
        if not await self._conversations.first(record.ask.id, token):
            return Response(settled=record)
        now = await self._conversations.now()
        tell = Tell(
            outcomes.too_late(actor.own, record, came, now),
            outcomes.too_late(actor.public, record, came, now),
        )
        return Response((tell,), settled=record)

    async def not_theirs(self, actor: Actor, record: AskRecord, token: str) -> Response:
        """A private refusal. It names whom the ask waits for, and nothing of its content."""
        if not await self._conversations.first(record.ask.id, token):
            return Response()
        if actor.may(record.ask):
            return Response((Tell(told.unseen(actor.own, record.ask)),))
        people = self._everyone.waits_for(actor.own, record.ask)
        return Response((Tell(told.not_theirs(actor.own, people, actor.account)),))

    async def refuse(self, actor: Actor, record: AskRecord) -> None:
        """Records that they may not end it at all."""
        with suppress(NotAllowed):
            await self._broker.admit(actor.caller, record.ask.id, declining=True)
