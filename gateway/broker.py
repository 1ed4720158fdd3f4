"""The one door for agents, people, channels and the clock: who may, what it means, and the one step.

It holds no state of its own; what it was told is stored before it answers.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from gateway.answer import to_json
from gateway.ask import (
    Ask,
    AskKind,
    AskRecord,
    OnQuestion,
    OnTimeout,
    Outcome,
    Run,
    RunRecord,
    RunStatus,
    Status,
)
from gateway.contracts import Defaults, rules_of, rules_of_tool
from gateway.errors import (
    AlreadySettled,
    AskInFlight,
    BadRequest,
    Conflict,
    InvalidAnswer,
    NotAllowed,
    NotAvailable,
    NotFound,
    TooLarge,
    WrongKind,
)
from gateway.ids import ask_id, digest, digest_text
from gateway.ladder import DEFAULT_LADDER
from gateway.people import check_audience, check_may_ask, check_may_settle, owns
from gateway.question import Question
from gateway.store import (
    MAX_PENDING_PER_RUN,
    Cursor,
    Ending,
    Event,
    EventType,
    NewAsk,
    Opening,
    RunChange,
    Settling,
    When,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Sequence

    from gateway.answer import Values
    from gateway.ask import Contract
    from gateway.person import Caller
    from gateway.store import Store
    from gateway.waiting import Waiters

QUESTION_TIMED_OUT = "QuestionTimedOut"
RUN_DEADLINE_PASSED = "RunDeadlinePassed"
WITHDRAWN = "withdrawn"
RUN_ENDED = "the run ended"

RUNS_REMEMBERED = 10_000
"""Ours: what a run was created with never changes, so opening need not read it again."""

LOOK_AGAIN_S = 30.0
"""Ours: a waiter looks at the state this often even if no event reached it."""

SALTS = 8
"""Ours: two calls whose ids collide are told apart by a salt; eight in a row do not happen."""

_log = logging.getLogger("gateway.broker")


@dataclass(frozen=True, slots=True)
class Standing:
    """How an agent's call stands: its ask, and what the agent reads once there is something.

    `record` is None where no person was asked (the run's mode), with the `result` at once. `new`
    tells the call that opened the ask from the same call again.
    """

    record: AskRecord | None
    result: Any = None
    new: bool = False

    @property
    def ended(self) -> bool:
        return self.record is None or not self.record.pending


@dataclass(frozen=True, slots=True)
class Try:
    """One try to settle an ask. The same `token` again hears that it won."""

    token: str
    surface: str
    message: str | None = None


class Broker:
    """Built in `cli`; every other part is handed this one."""

    def __init__(self, store: Store, waiters: Waiters) -> None:
        self._store = store
        self._waiters = waiters
        self._runs: OrderedDict[str, Run] = OrderedDict()

    # Runs

    async def create_run(self, caller: Caller, run: Run) -> RunRecord:
        """The new run, or the same one again. Raises: Conflict, NotAllowed, NotFound, Unavailable."""
        check_may_ask(caller)
        if not owns(caller, run):
            raise NotAllowed("This token may not create runs of that agent.")
        if run.parent is not None:
            await self.run(caller, run.parent)
        record = await self._store.create_run(run)
        _log.info("run.created", extra={"run_id": run.id})
        return record

    async def run(self, caller: Caller, run_id: str) -> RunRecord:
        """A run of the caller's. Raises: NotFound."""
        record = await self._store.read_run(run_id)
        if record is None or not owns(caller, record.run):
            raise NotFound(f"There is no run {run_id}.")
        return record

    async def end_run(self, caller: Caller, run_id: str, status: RunStatus, reason: str | None) -> RunRecord:
        """Ends it and cancels its pending asks, together. Ending it again changes nothing.

        Raises: NotFound, NotAllowed, BadRequest.
        """
        if status in (RunStatus.RUNNING, RunStatus.AWAITING_INPUT):
            raise BadRequest("A run ends as finished, failed or cancelled.")
        record = await self.run(caller, run_id)
        check_may_ask(caller)
        await self._end(record.run, status, reason, by=caller.name)
        return await self.run(caller, run_id)

    async def history(self, caller: Caller, run_id: str) -> list[Event]:
        """The run's events so far, in order. Raises: NotFound."""
        await self.run(caller, run_id)
        return await self._store.history(run_id)

    async def follow(self, caller: Caller, run_id: str, after: str | None) -> AsyncGenerator[Event | None, None]:
        """The run's events in order from just after that id, then as they come, until it has ended.

        None is a sign of life, now and then. Raises: NotFound.
        """
        await self.run(caller, run_id)
        seen, floor = 0, _order(after) if after else (0, 0)
        with self._waiters.watch(run_id) as watch:
            while True:
                events = await self._store.history(run_id, seen)
                seen += len(events)
                for event in events:
                    if _order(event.id) > floor:
                        yield event
                    if event.type is EventType.RUN_ENDED:
                        return
                if not await watch.changed(LOOK_AGAIN_S):
                    yield None

    # Asking

    async def open(
        self,
        caller: Caller,
        run_id: str,
        *,
        tool: str,
        arguments: object,
        call_id: str,
        audience: Sequence[str] = (),
    ) -> Standing:
        """One call of one of the three tools; the same call again is the same ask.

        Raises: InvalidQuestion, AskInFlight, NotAvailable, Conflict, NotFound, NotAllowed, TooLarge.
        """
        run = await self._known_run(caller, run_id)
        check_may_ask(caller)
        rules = rules_of_tool(tool)
        if rules is None:
            raise NotFound(f"There is no tool {tool}; `oz0 tools` lists them.")
        if rules.main_runs_only and run.parent is not None:
            raise NotAvailable(f"{rules.contract.value} is for main runs only; this is a sub-run.")
        asked = rules.read(arguments, Defaults(run.timeout_s, run.on_timeout))
        if run.on_question is not OnQuestion.PAUSE:
            await self._store.note(run, EventType.ASK_NOT_ASKED, None, run.on_question.value)
            return Standing(None, rules.not_asked(run.on_question))
        return await self._open(
            run,
            contract=rules.contract,
            kind=AskKind.QUESTION,
            question=asked.question,
            timeout_s=asked.timeout_s,
            on_timeout=asked.on_timeout,
            call_id=call_id,
            arguments=arguments,
            audience=audience,
            one_at_a_time=rules.one_at_a_time,
        )

    async def open_question(
        self,
        caller: Caller,
        run_id: str,
        question: Question,
        *,
        call_id: str,
        kind: AskKind = AskKind.QUESTION,
        timeout_s: int | None = None,
        audience: Sequence[str] = (),
    ) -> Standing:
        """An ask straight on the model, for approvals and callers without a model's tool call.

        Raises: Conflict, NotFound, NotAllowed, TooLarge.
        """
        run = await self._known_run(caller, run_id)
        check_may_ask(caller)
        return await self._open(
            run,
            contract=None,
            kind=kind,
            question=question,
            timeout_s=timeout_s,
            on_timeout=run.on_timeout,
            call_id=call_id,
            arguments=question.model_dump(mode="json"),
            audience=audience,
            one_at_a_time=False,
        )

    async def wait(self, caller: Caller, ask_id_: str, within: timedelta) -> Standing:
        """How the ask stands, as soon as it has ended, or after that time. Raises: NotFound."""
        with self._waiters.watch(ask_id_) as watch:
            record = await self.ask(caller, ask_id_)
            left = within.total_seconds()
            while record.pending and left > 0:
                await watch.changed(min(left, LOOK_AGAIN_S))
                left -= LOOK_AGAIN_S
                record = await self.ask(caller, ask_id_)
        return self._standing(record)

    async def cancel(self, caller: Caller, ask_id_: str, reason: str | None) -> AskRecord:
        """Withdraws an ask; its run goes on. Raises: NotFound, NotAllowed, AlreadySettled."""
        record = await self.ask(caller, ask_id_)
        check_may_ask(caller)
        run = await self._known_run(caller, record.ask.run_id)
        outcome = Outcome(status=Status.CANCELLED, reason=reason or WITHDRAWN, by=caller.name)
        return await self._settle(record, run, outcome, Try(f"cancel:{ask_id_}", "api"), When.ANY)

    # Answering

    async def ask(self, caller: Caller, ask_id_: str) -> AskRecord:
        """One ask of the caller's tenant; an agent's token sees its own only. Raises: NotFound."""
        record = await self._store.read(ask_id_)
        ask = record.ask if record else None
        if record is None or ask is None or ask.tenant != caller.tenant or not _own(caller, ask):
            raise NotFound(f"There is no ask {ask_id_}.")
        return record

    async def pending(self, caller: Caller, *, after: Cursor | None = None, limit: int = 50) -> list[AskRecord]:
        """Pending asks of the caller's tenant, oldest first; an agent's token sees its own only."""
        found: list[AskRecord] = []
        while len(found) < limit:
            page = await self._store.pending(caller.tenant, after=after, limit=limit)
            if not page:  # a short one is not the last: some of it settled while it was read
                break
            found += [record for record in page if _own(caller, record.ask)]
            after = Cursor(page[-1].opened_at, page[-1].ask.id)
        return found[:limit]

    async def admit(self, caller: Caller, ask_id_: str, *, declining: bool) -> AskRecord:
        """The ask, for one who may end it so; a refusal is recorded. Raises: NotFound, NotAllowed."""
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
        record = await self.ask(caller, ask_id_)
        if record.ask.kind is AskKind.APPROVAL:
            raise WrongKind("Only a question takes an answer; an approval is approved or denied.")
        await self._may(caller, record, declining=False)
        try:
            values = read(record)
        except InvalidAnswer:
            if record.pending:
                raise
            raise AlreadySettled(record) from None
        return await self._end_by(caller, record, Status.ANSWERED, attempt, values=to_json(values))

    async def approve(self, caller: Caller, ask_id_: str, comment: str | None, attempt: Try) -> AskRecord:
        """Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable."""
        record = await self.ask(caller, ask_id_)
        if record.ask.kind is not AskKind.APPROVAL:
            raise WrongKind("A question needs an answer; approving is for approvals.")
        await self._may(caller, record, declining=False)
        return await self._end_by(
            caller, record, Status.ANSWERED, attempt, values={"approved": True}, reason=comment
        )

    async def decline(self, caller: Caller, ask_id_: str, reason: str | None, attempt: Try) -> AskRecord:
        """Declines a question or denies an approval, where its contract has that.

        Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable.
        """
        record = await self.ask(caller, ask_id_)
        if not record.ask.can_decline:
            raise WrongKind("This question cannot be declined; it waits for an answer.")
        await self._may(caller, record, declining=True)
        return await self._end_by(caller, record, Status.DECLINED, attempt, reason=reason)

    async def skip(self, caller: Caller, ask_id_: str, attempt: Try) -> AskRecord:
        """Skips a question, where its contract has that: the agent goes on without an answer.

        Raises: NotFound, NotAllowed, WrongKind, AlreadySettled, Unavailable.
        """
        record = await self.ask(caller, ask_id_)
        if not record.ask.can_skip:
            raise WrongKind("This question cannot be skipped.")
        await self._may(caller, record, declining=True)
        return await self._end_by(caller, record, Status.DECLINED, attempt, skipped=True)

    # Time

    async def expire(self, record: AskRecord) -> bool:
        """Ends an ask whose deadline has passed, as its run wants it; False if it was not so."""
        ask = record.ask
        while (known := await self._store.read_run(ask.run_id)) is not None:
            run = known.run
            if run.deadline is not None and record.deadline == run.deadline:
                await self._end(run, RunStatus.FAILED, RUN_DEADLINE_PASSED, by=None)
                return True
            outcomes = {ask.id: Outcome(status=Status.EXPIRED)}
            change = None
            if ask.on_timeout is OnTimeout.FAIL and known.status is RunStatus.RUNNING:
                change = RunChange(RunStatus.FAILED, QUESTION_TIMED_OUT)
                cancelled = Outcome(status=Status.CANCELLED, reason=RUN_ENDED)
                outcomes |= {other: cancelled for other in known.pending if other != ask.id}
            settled = await self._store.settle(
                Ending(run, outcomes, f"expire:{ask.id}", When.AFTER_DEADLINE, change)
            )
            if settled.settling is not Settling.RETRY:
                _log.info("ask.expired", extra={"ask_id": ask.id, "run_id": run.id})
                return settled.settling is Settling.WON
        return False

    async def pass_deadline(self, run: Run) -> None:
        """The run's own deadline has passed: it fails, and its asks end cancelled."""
        await self._end(run, RunStatus.FAILED, RUN_DEADLINE_PASSED, by=None)

    # Inside

    async def _known_run(self, caller: Caller, run_id: str) -> Run:
        run = self._runs.get(run_id)
        if run is None:
            run = (await self.run(caller, run_id)).run
            self._runs[run_id] = run
            if len(self._runs) > RUNS_REMEMBERED:
                self._runs.popitem(last=False)
        if not owns(caller, run):
            raise NotFound(f"There is no run {run_id}.")
        return run

    async def _open(
        self,
        run: Run,
        *,
        contract: Contract | None,
        kind: AskKind,
        question: Question,
        timeout_s: int | None,
        on_timeout: OnTimeout,
        call_id: str,
        arguments: object,
        audience: Sequence[str],
        one_at_a_time: bool,
    ) -> Standing:
        check_audience(audience)
        call_digest = digest_text(f"{run.id}\0{call_id}")
        arguments_digest = digest([contract, kind, arguments, list(audience)])
        for salt in range(SALTS):
            ask = Ask(
                id=ask_id(run.id, call_id, salt),
                run_id=run.id,
                tenant=run.tenant,
                agent=run.agent,
                kind=kind,
                contract=contract,
                call_id=call_id,
                parent=run.parent,
                question=question,
                timeout_s=timeout_s,
                on_timeout=on_timeout,
                audience=tuple(audience),
            )
            ladder = DEFAULT_LADDER if run.ladder is None else run.ladder
            opened = await self._store.open(
                NewAsk(ask, call_digest, arguments_digest, one_at_a_time, ladder)
            )
            match opened.opening:
                case Opening.OPENED:
                    _log.info("ask.opened", extra={"ask_id": ask.id, "run_id": run.id})
                    return Standing(opened.record, new=True)
                case Opening.EXISTS:
                    record = await self._store.read(ask.id)
                    if record is not None:
                        return self._standing(record)
                    raise NotFound(f"There is no ask {ask.id}.")
                case Opening.COLLISION:
                    continue
                case Opening.CONFLICT:
                    raise Conflict(f"Call {call_id} of this run was made before with other arguments.")
                case Opening.IN_FLIGHT:
                    raise AskInFlight(opened.ask_id or "")
                case Opening.FULL:
                    raise TooLarge(f"A run waits on at most {MAX_PENDING_PER_RUN} asks at once.")
                case Opening.RUN_ENDED:
                    raise NotAvailable(f"{run.id} has ended; it can ask no more.")
                case Opening.NO_RUN:
                    self._runs.pop(run.id, None)
                    raise NotFound(f"There is no run {run.id}.")
        raise Conflict(f"No id is free for call {call_id}.")

    def _standing(self, record: AskRecord) -> Standing:
        if record.pending:
            return Standing(record)
        return Standing(record, rules_of(record.ask.contract).result(record))

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

    async def _run_of(self, ask: Ask) -> Run:
        run = self._runs.get(ask.run_id)
        if run is not None:
            return run
        known = await self._store.read_run(ask.run_id)
        if known is None:
            raise NotFound(f"There is no run {ask.run_id}.")
        return known.run

    async def _settle(
        self, record: AskRecord, run: Run, outcome: Outcome, attempt: Try, when: When
    ) -> AskRecord:
        ask = record.ask
        settled = await self._store.settle(Ending(run, {ask.id: outcome}, attempt.token, when))
        match settled.settling:
            case Settling.WON if record.pending and not settled.again:
                _log.info("ask.settled", extra={"ask_id": ask.id, "run_id": run.id})
                return replace(record, status=outcome.status, version=2, outcome=outcome, settled_at=settled.at)
            case Settling.LATE:
                await self.expire(record)
        current = await self._store.read(ask.id)
        if current is None:
            raise NotFound(f"There is no ask {ask.id}.")
        if settled.settling is Settling.WON:
            return current
        raise AlreadySettled(current)

    async def _end(self, run: Run, status: RunStatus, reason: str | None, *, by: str | None) -> None:
        """Ends a run with whatever it waits for by then; an ended one stays as it is."""
        while True:
            known = await self._store.read_run(run.id)
            if known is None or known.status is not RunStatus.RUNNING:
                return
            outcome = Outcome(status=Status.CANCELLED, reason=RUN_ENDED, by=by)
            ending = Ending(
                run,
                dict.fromkeys(known.pending, outcome),
                f"end:{run.id}",
                When.ANY,
                RunChange(status, reason),
            )
            settled = await self._store.settle(ending)
            if settled.settling is not Settling.RETRY:
                _log.info("run.ended", extra={"run_id": run.id, "code": status.value})
                return


def _own(caller: Caller, ask: Ask) -> bool:
    return caller.agent is None or caller.agent == ask.agent


def _order(event_id: str) -> tuple[int, int]:
    """Stream ids order as two numbers. Raises: BadRequest for what is none."""
    ms, _, sequence = event_id.partition("-")
    if not ms.isdecimal() or not (sequence or "0").isdecimal():
        raise BadRequest("Last-Event-ID is not an id of this stream.")
    return int(ms), int(sequence or 0)
