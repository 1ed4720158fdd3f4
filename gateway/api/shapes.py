"""What the API answers with, as values: the OpenAPI document is made from these.

A key that is not set does not appear; `views` sets those of content for callers who may see it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import JsonValue

from gateway.ask import AskKind, Contract, OnQuestion, OnTimeout, RunStatus, Status
from gateway.ladder import Audience, RungEvent
from gateway.person import Role
from gateway.posts import PostState
from gateway.question import Frozen, Kind
from gateway.store import EventType, Group


class ProblemShape(Frozen):
    """One fault: where it is, and the bound it broke."""

    path: str
    message: str
    code: str
    limit: int | float | str | None = None


class OutcomeShape(Frozen):
    """How an ask ended. With content: `answer` as agents read it, and `reason` or comment."""

    id: str
    status: Status
    at: datetime | None
    by: str | None
    name: str | None
    surface: str | None
    skipped: bool
    answer: JsonValue = None
    reason: str | None = None


class ErrorShape(Frozen):
    """Every refusal. `outcome` comes with `already_settled`, `ask_id` names the ask in the way."""

    code: str
    message: str
    problems: tuple[ProblemShape, ...] = ()
    ask_id: str | None = None
    outcome: OutcomeShape | None = None
    incident_id: str | None = None


class OptionShape(Frozen):
    """One answer to pick: `id` for `agents/{run_id}/resume`, `label` everywhere else."""

    id: str
    label: str
    description: str | None = None


class FormField(Frozen):
    """One value wanted. Only what belongs to its kind appears."""

    name: str
    kind: Kind
    label: str | None = None
    description: str | None = None
    required: bool = False
    options: tuple[OptionShape, ...] = ()
    write_in: bool = False
    min: int | float | None = None
    max: int | float | None = None
    integer: bool = False
    max_length: int | None = None
    multiline: bool = False
    date_time: bool = False


class AskShape(Frozen):
    """An ask. With content: what is asked, from `shape` on.

    `shape` is the kind of the one field, `fields` where the answer is an object, or `approval`.
    """

    id: str
    run_id: str
    agent: str
    tenant: str
    kind: AskKind
    contract: Contract | None
    parent: str | None
    status: Status
    opened_at: datetime
    deadline: datetime | None
    timeout_s: int | None
    on_timeout: OnTimeout
    can_decline: bool
    can_skip: bool
    audience: tuple[str, ...]
    may_see_content: bool
    outcome: OutcomeShape | None
    shape: Kind | Literal["fields", "approval"] | None = None
    prompt: str | None = None
    fields: tuple[FormField, ...] = ()
    call_id: str | None = None


class PostShape(Frozen):
    """One place an ask was to be shown, and how that went; `reason` is the platform's own code."""

    place: str
    state: PostState
    reason: str | None = None


class OneAsk(Frozen):
    """`where` is what is known of its posts; places it never reached stand there too."""

    ask: AskShape
    where: tuple[PostShape, ...] = ()


class AskPage(Frozen):
    """`cursor` is there where more may follow."""

    asks: tuple[AskShape, ...]
    cursor: str | None = None


class StandingShape(Frozen):
    """How a call stands: `result` is exactly what the agent reads, once there is something.

    `ask` is null where no person was asked (`not_asked`: the run's `on_question`).
    """

    ask: AskShape | None
    status: Status | Literal["not_asked"]
    result: str | dict[str, Any] | None = None


class RungShape(Frozen):
    """One step of the ladder: after a share of the wait, or so many seconds."""

    share: float | None
    after_s: int | None
    to: Audience
    person: str | None
    event: RungEvent


class RunShape(Frozen):
    """A run. `pending` are its waiting asks, oldest first; `error` is content unless it is ours."""

    id: str
    tenant: str
    agent: str
    parent: str | None
    conversation: str | None
    tags: tuple[str, ...]
    status: RunStatus
    on_question: OnQuestion
    on_timeout: OnTimeout
    timeout_s: int | None
    deadline: datetime | None
    ladder: tuple[RungShape, ...] | None
    webhook_host: str | None
    created_at: datetime
    ended_at: datetime | None
    pending: tuple[str, ...]
    error: str | None = None


class AgentRunShape(Frozen):
    """A run as `agents/{run_id}` shows it; with content, what it waits for and what fits.

    With several pending, the three `pending_input` keys mean the oldest.
    """

    run_id: str
    agent: str
    status: RunStatus
    pending: tuple[str, ...]
    pending_input_type: Literal["ask_human", "approval"] | None
    pending_input_schema: dict[str, Any] | None = None
    pending_input_context: dict[str, Any] | None = None
    ask: AskShape | None = None


class Asking(Frozen):
    """What is asked, for a client that draws it: choices, or fields, or neither for words.

    Without content only what has no default appears.
    """

    kind: AskKind
    deadline: datetime | None
    can_decline: bool
    can_skip: bool
    details: str | None = None
    choices: tuple[str, ...] = ()
    write_in: bool = False
    fields: tuple[FormField, ...] = ()


class Approval(Asking):
    """One entry of the Approvals inbox: a question or an approval."""

    id: str
    run_id: str
    agent: str
    opened_at: datetime
    audience: tuple[str, ...]


class FeedQuestion(Asking):
    """A question in a run's feed."""

    ask_id: str
    tool: Contract | None


class ChatRequest(Asking):
    """A question as a chat client shows it among a run's messages."""

    ask_id: str
    run_id: str
    agent: str
    opened_at: datetime


class ListApprovalsReply(Frozen):
    approvals: tuple[Approval, ...]
    cursor: str | None = None


class DecideApprovalReply(Frozen):
    id: str
    run_id: str
    status: Status
    outcome: OutcomeShape | None


class ChatShape(Frozen):
    """What a chat with one run waits for, oldest first."""

    run_id: str
    agent: str
    conversation: str | None
    status: RunStatus
    requests: tuple[ChatRequest, ...]


class EventShape(Frozen):
    """One event of a run. Which of the last keys are there goes by its type."""

    id: str
    type: EventType
    run_id: str
    at: datetime
    ask_id: str | None = None
    status: RunStatus | None = None
    mode: OnQuestion | None = None
    by: str | None = None
    to: str | None = None
    child_run_id: str | None = None
    timestamp: datetime | None = None
    question: FeedQuestion | None = None
    outcome: OutcomeShape | None = None
    result: str | dict[str, Any] | None = None


class History(Frozen):
    events: tuple[EventShape, ...]


class ToolShape(Frozen):
    """A tool as a model is offered it."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolList(Frozen):
    tools: tuple[ToolShape, ...]


class PersonShape(Frozen):
    """A person; their accounts and address for admins and owners only."""

    id: str
    name: str
    role: Role
    content: bool
    zone: str | None
    locale: str | None
    email: str | None = None
    identities: tuple[str, ...] = ()


class PersonList(Frozen):
    people: tuple[PersonShape, ...]


class TokenShape(Frozen):
    id: str
    name: str
    role: Role
    content: bool
    answer: bool
    agent: str | None
    person: str | None
    made_at: datetime
    made_by: str | None


class TokenList(Frozen):
    tokens: tuple[TokenShape, ...]


class NewToken(Frozen):
    """`secret` is told this once."""

    token: TokenShape
    secret: str


class Letter(Frozen):
    """An entry that failed for good. `subject` is the ask or run, where the entry could be read."""

    id: str
    group: Group
    reason: str
    at: datetime
    subject: str | None


class LetterList(Frozen):
    letters: tuple[Letter, ...]


class OneLetter(Frozen):
    letter: Letter


class Health(Frozen):
    status: Literal["alive", "ready"]
