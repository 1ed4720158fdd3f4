"""The durable request to people, its state, and the one outcome that ends it. Frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from gateway.ladder import Rung
from gateway.question import Frozen, Question


class Contract(StrEnum):
    """The three tools an agent may ask through."""

    OZ_ASK_USER = "oz.ask_user"
    ASK_USER = "ask_user"
    ASK_A_HUMAN = "ask_a_human"


class AskKind(StrEnum):
    QUESTION = "question"
    APPROVAL = "approval"


class Status(StrEnum):
    PENDING = "pending"
    ANSWERED = "answered"
    DECLINED = "declined"
    EXPIRED = "expired"
    CANCELLED = "cancelled"


class OnTimeout(StrEnum):
    CONTINUE = "continue"
    FAIL = "fail"


class OnQuestion(StrEnum):
    """What a run does with a question: wait, go on by its own judgment, or fail fast."""

    PAUSE = "pause"
    AUTO = "auto"
    NONE = "none"


class RunStatus(StrEnum):
    """`awaiting_input` is not stored: a running run with pending asks reads so."""

    RUNNING = "running"
    AWAITING_INPUT = "awaiting_input"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Ask(Frozen):
    """The ask as the agent gave it, and never changed after opening.

    `timeout_s` is the wait it was opened with (None: only the run's deadline). `audience` narrows
    who may answer, by person id; empty is everyone whose role may. `call_id` is the agent's
    tool-call id; `parent` the caller's run, for a sub-run's ask. `conversation` and `tags` are its
    run's; `destinations` narrow where it is posted, among what the routes allow. Times are not
    here: they are the store's (`AskRecord`).
    """

    id: str
    run_id: str
    tenant: str
    agent: str
    kind: AskKind = AskKind.QUESTION
    contract: Contract | None = None
    call_id: str
    parent: str | None = None
    question: Question
    timeout_s: int | None = None
    on_timeout: OnTimeout = OnTimeout.CONTINUE
    audience: tuple[str, ...] = ()
    conversation: str | None = None
    tags: tuple[str, ...] = ()
    destinations: tuple[str, ...] = ()

    @property
    def can_skip(self) -> bool:
        """`skip` exists for `ask_user` only."""
        return self.contract is Contract.ASK_USER

    @property
    def can_decline(self) -> bool:
        """Decline exists for `oz.ask_user`, approvals, and asks made straight on the API."""
        return self.contract in (None, Contract.OZ_ASK_USER) or self.kind is AskKind.APPROVAL


class Outcome(Frozen):
    """How an ask ended.

    `values` is the answer by field name (see `gateway.answer` for each kind's value), or
    `{"approved": true}`. `reason` is a decline's, an approval's or a cancellation's words. `by` is
    `user:kevin` or `operator:admin`, None for time and machines; `name` is how people know them.
    `surface` is where (`slack`, `cli`, `api`, …), `message` the platform's id of what was pressed
    or typed. `skipped` tells a skip from other ways of having no answer.
    """

    status: Status
    values: dict[str, Any] | None = None
    reason: str | None = None
    by: str | None = None
    name: str | None = None
    surface: str | None = None
    message: str | None = None
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class AskRecord:
    """An ask as the store has it: its state, its times by Redis's clock, its outcome once ended."""

    ask: Ask
    status: Status
    opened_at: datetime
    deadline: datetime | None
    version: int = 1
    outcome: Outcome | None = None
    settled_at: datetime | None = None

    @property
    def pending(self) -> bool:
        return self.status is Status.PENDING

    @property
    def outcome_id(self) -> str:
        """One ask has one outcome, so the same outcome told twice carries the same id."""
        return f"out-{self.ask.id}"


class Webhook(Frozen):
    """Where a run wants its outcomes posted, signed with `secret` (Standard Webhooks' `whsec_`)."""

    url: str
    secret: str


class Run(Frozen):
    """One job of one agent, as it was created.

    `timeout_s` is the default wait of its asks where the contract has none of its own.
    `conversation` (`slack:C1`) is where it began, `tags` what routes may know it by.
    """

    id: str
    tenant: str
    agent: str
    parent: str | None = None
    conversation: str | None = None
    tags: tuple[str, ...] = ()
    on_question: OnQuestion = OnQuestion.PAUSE
    deadline: datetime | None = None
    timeout_s: int | None = None
    on_timeout: OnTimeout = OnTimeout.CONTINUE
    ladder: tuple[Rung, ...] | None = None
    webhook: Webhook | None = None
    token_id: str | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as the store has it. `pending` are its waiting asks, oldest first."""

    run: Run
    status: RunStatus
    created_at: datetime
    pending: tuple[str, ...] = ()
    error: str | None = None
    ended_at: datetime | None = None

    @property
    def shown_status(self) -> RunStatus:
        """What readers see: `awaiting_input` while it runs and waits."""
        if self.status is RunStatus.RUNNING and self.pending:
            return RunStatus.AWAITING_INPUT
        return self.status
