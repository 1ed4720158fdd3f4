"""Answering: who may, whether it fits, and the one that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.answer import to_json
from gateway.ask import AskKind, AskRecord, Outcome, Status
from gateway.broker.endings import Endings
from gateway.errors import AlreadySettled, InvalidAnswer, NotAllowed, WrongKind
from gateway.people import check_may_settle
from gateway.store import EventType, When

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.answer import Values
    from gateway.broker.endings import Try
    from gateway.person import Caller


class Answering(Endings):
    """The broker's part for people."""

    async def admit(self, caller: Caller, ask_id_: str, *, declining: bool) -> AskRecord:
        """The ask, for one who may end it so. Raises: NotFound, NotAllowed, which is recorded."""
        record = await self.ask(caller, ask_id_)
        await self._may(caller, record, declining=declining)
        return record

    async def answer(self, caller: Caller, ask_id_: str, values: Values, attempt: Try) -> AskRecord:
        """Settles with checked values.

        Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable.
        """
        return await self.answer_with(caller, ask_id_, lambda _: values, attempt)

    async def answer_with(
        self, caller: Caller, ask_id_: str, read: Callable[[AskRecord], Values], attempt: Try
    ) -> AskRecord:
        """Settles with what `read` makes of the ask; it is not called for those who may not answer.

        Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable; and `read`'s own
        InvalidAnswer, unless the ask has ended, which takes no answer, right or wrong.
        """
        record = await self._seen_or_read(caller, ask_id_)
        if record.ask.kind is AskKind.APPROVAL:
            raise WrongKind("Only a question takes an answer; an approval is approved or denied.")
        await self._may(caller, record, declining=False)
        try:
            values = read(record)
        except InvalidAnswer:
            current = await self.ask(caller, ask_id_)
            if current.pending:
                raise
            raise AlreadySettled(current) from None
        return await self._end_by(caller, record, Status.ANSWERED, attempt, values=to_json(values))

    async def approve(
        self, caller: Caller, ask_id_: str, comment: str | None, attempt: Try
    ) -> AskRecord:
        """Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable."""
        record = await self._seen_or_read(caller, ask_id_)
        if record.ask.kind is not AskKind.APPROVAL:
            raise WrongKind("A question needs an answer; approving is for approvals.")
        await self._may(caller, record, declining=False)
        return await self._end_by(
            caller, record, Status.ANSWERED, attempt, values={"approved": True}, reason=comment
        )

    async def decline(
        self, caller: Caller, ask_id_: str, reason: str | None, attempt: Try
    ) -> AskRecord:
        """Declines a question or denies an approval, where its contract has that.

        Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable.
        """
        record = await self._seen_or_read(caller, ask_id_)
        if not record.ask.can_decline:
            raise WrongKind("This question cannot be declined; it waits for an answer.")
        await self._may(caller, record, declining=True)
        return await self._end_by(caller, record, Status.DECLINED, attempt, reason=reason)

    async def skip(self, caller: Caller, ask_id_: str, attempt: Try) -> AskRecord:
        """Skips a question, where its contract has that: the agent goes on without an answer.

        Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable.
        """
        record = await self._seen_or_read(caller, ask_id_)
        if not record.ask.can_skip:
            raise WrongKind("This question cannot be skipped.")
        await self._may(caller, record, declining=True)
        return await self._end_by(caller, record, Status.DECLINED, attempt, skipped=True)

    async def _may(self, caller: Caller, record: AskRecord, *, declining: bool) -> None:
        try:
            check_may_settle(caller, record.ask, declining=declining)
        except NotAllowed:
            known = await self._store.read_run(record.ask.run_id)
            if known is not None:
                await self._store.note(known.run, EventType.ASK_REFUSED, record.ask.id, caller.name)
            raise

    async def _end_by(
        self,
        caller: Caller,
        record: AskRecord,
        status: Status,
        attempt: Try,
        *,
        values: dict[str, Any] | None = None,
        reason: str | None = None,
        skipped: bool = False,
    ) -> AskRecord:
        outcome = Outcome(
            status=status,
            values=values,
            reason=reason or None,
            by=caller.name,
            name=caller.person.name if caller.person else None,
            surface=attempt.surface,
            message=attempt.message,
            skipped=skipped,
        )
        run = await self._run_of(record.ask)
        return await self._settle(record, run, outcome, attempt, When.BEFORE_DEADLINE)
