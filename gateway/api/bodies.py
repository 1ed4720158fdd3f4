"""What callers send, as values: read strictly, unknown keys refused by name.

What is asked and answered is `Any` here: contracts and answers have their own readers, which find
every fault.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    AliasChoices,
    AwareDatetime,
    BeforeValidator,
    Discriminator,
    Field,
    PlainValidator,
    RootModel,
    StrictBool,
    StrictInt,
    StringConstraints,
    Tag,
    WithJsonSchema,
)

from gateway import durations
from gateway.api.limits import (
    MAX_AUDIENCE,
    MAX_KEY,
    MAX_NAME,
    MAX_PAGE,
    MAX_TAGS,
    MAX_WAIT_S,
    MAX_WORDS,
    PAGE,
)
from gateway.ask import OnQuestion, OnTimeout
from gateway.contracts.prompt import QUESTION_CHARS
from gateway.epoch import check_moment
from gateway.ladder import MAX_RUNGS, Audience, RungEvent
from gateway.person import Role
from gateway.question import Frozen

UUID = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
RUN_ID = rf"^job-{UUID}$"
"""Runs are `job-` and a UUID (contracts, decision 8); the clock tells runs from asks by this."""

ASK_ID = "^a-[0-9a-f]{12}$"
AGENT = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$"
"""Ours: it stands in logs, posts and routes."""

PRINTABLE = r"^[^\x00-\x1f\x7f]*$"
TEXT = r"^[^\x00]*$"
"""PostgreSQL, C and many a log end a text at NUL."""

MOMENT = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,6})?"
    r"([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
"""RFC 3339, to the microsecond."""

LONGEST_S = int(durations.LONGEST.total_seconds())


def _wait(value: object) -> object:
    """Seconds from a number of them or from `4h`; other things are refused by their type."""
    if not isinstance(value, str):
        return value
    return durations.parse(value) // timedelta(seconds=1)


def _moment(value: object) -> object:
    """RFC 3339 only: pydantic would take a number for seconds since 1970."""
    if isinstance(value, str) and re.fullmatch(MOMENT, value):
        return value
    raise ValueError("A moment is written like 2026-10-20T09:00:00Z or with an offset, +02:00.")


def _in_bounds(value: datetime) -> datetime:
    check_moment(value)
    return value


_WAIT_SCHEMA = {
    "anyOf": [
        {"type": "integer", "minimum": 1, "maximum": LONGEST_S},
        {"type": "string", "examples": ["90s", "15m", "4h", "1d 12h"]},
    ],
    "description": "Seconds, or a wait such as 90s, 15m, 4h, 1d 12h.",
}

RunId = Annotated[str, StringConstraints(pattern=RUN_ID)]
AskId = Annotated[str, StringConstraints(pattern=ASK_ID)]
AgentName = Annotated[str, StringConstraints(pattern=AGENT)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME, pattern=PRINTABLE)]
CallId = Annotated[str, StringConstraints(min_length=1, max_length=MAX_KEY, pattern=PRINTABLE)]
Words = Annotated[str, StringConstraints(max_length=MAX_WORDS, pattern=TEXT)]
Wait = Annotated[
    StrictInt,
    Field(ge=1, le=LONGEST_S),
    BeforeValidator(_wait),
    WithJsonSchema(_WAIT_SCHEMA),
]
Moment = Annotated[AwareDatetime, BeforeValidator(_moment), AfterValidator(_in_bounds)]
PageCursor = Annotated[str, StringConstraints(pattern="^[0-9]{1,14}[.]a-[0-9a-f]{12}$")]
"""Milliseconds up to the year 5138, and an ask: where a page ended."""

TagName = Annotated[str, StringConstraints(pattern="^[A-Za-z0-9_.:-]{1,64}$")]

Named = Annotated[tuple[Name, ...], Field(max_length=MAX_AUDIENCE)]


def _after(value: object) -> float | timedelta:
    if isinstance(value, float | str):
        return durations.parse_after(value)
    raise ValueError("Write a share of the wait, like 0.25, or a time, like 15m.")


_AFTER_SCHEMA = {
    "anyOf": [
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"type": "string", "examples": ["15m", "0.25"]},
    ],
    "description": "A share of the wait, or a time after opening.",
}


class RungBody(Frozen):
    """One step: `after` is a share of the wait (0.25) or a time (15m)."""

    after: Annotated[float | timedelta, PlainValidator(_after), WithJsonSchema(_AFTER_SCHEMA)]
    to: Audience = Audience.ANSWERERS
    person: Name | None = None
    event: RungEvent = RungEvent.WAITING


class WebhookBody(Frozen):
    """Where outcomes are posted, and the secret (`whsec_…`) they are signed with."""

    url: Annotated[str, StringConstraints(max_length=2_048, pattern=PRINTABLE)]
    secret: Annotated[str, StringConstraints(max_length=256, pattern=PRINTABLE)]


class RunBody(Frozen):
    """A run to create. An agent's token names its own agent; others must say which."""

    id: RunId | None = None
    agent: AgentName | None = None
    parent: RunId | None = None
    conversation: Name | None = None
    tags: Annotated[tuple[TagName, ...], Field(max_length=MAX_TAGS)] = ()
    on_question: OnQuestion = OnQuestion.PAUSE
    deadline: Moment | None = None
    timeout: Wait | None = None
    on_timeout: OnTimeout = OnTimeout.CONTINUE
    ladder: Annotated[tuple[RungBody, ...], Field(max_length=MAX_RUNGS)] | None = None
    webhook: WebhookBody | None = None


class EndBody(Frozen):
    status: Literal["finished", "failed", "cancelled"]
    reason: Words | None = None


class ToolCall(Frozen):
    """One call of one of the three tools, as the model made it."""

    tool: Annotated[str, StringConstraints(max_length=64)]
    arguments: Any
    call_id: CallId | None = None
    audience: Named = ()
    destinations: Named = ()


class ApprovalBody(Frozen):
    """An approval: approved or denied, never answered."""

    kind: Literal["approval"]
    prompt: Annotated[str, StringConstraints(min_length=1, max_length=QUESTION_CHARS)]
    call_id: CallId | None = None
    timeout: Wait | None = None
    audience: Named = ()
    destinations: Named = ()


def _which(value: object) -> str:
    return "approval" if isinstance(value, dict) and "kind" in value else "tool"


class OpenBody(
    RootModel[
        Annotated[
            Annotated[ToolCall, Tag("tool")] | Annotated[ApprovalBody, Tag("approval")],
            Discriminator(_which),
        ]
    ]
):
    """A tool's call, or an approval."""


class AnswerBody(Frozen):
    """The answer: a whole label, words, a number, true or false, a list, or an object of these."""

    answer: Any


class ReasonBody(Frozen):
    reason: Words | None = None


class CommentBody(Frozen):
    comment: Words | None = None


class Nothing(Frozen):
    """No key is taken."""


class ResumeBody(Frozen):
    """`input` fits the run's `pending_input_schema`; `ask_id` says which of several."""

    input: Any
    ask_id: AskId | None = None


class GrantBody(Frozen):
    """A token to make."""

    name: Annotated[str, StringConstraints(pattern="^[a-z0-9][a-z0-9_.-]{0,62}$")]
    role: Role
    content: StrictBool = False
    answer: StrictBool = False
    agent: AgentName | None = None
    person: Name | None = None


class ListApprovalsBody(Frozen):
    """Connect's clients write `runId`, others `run_id`."""

    run_id: RunId | None = Field(None, validation_alias=AliasChoices("run_id", "runId"))
    limit: Annotated[StrictInt, Field(ge=1, le=MAX_PAGE)] = PAGE
    cursor: PageCursor | None = None


class DecideApprovalBody(Frozen):
    """`approve` with an `answer` answers a question; without, it approves an approval."""

    id: Annotated[str, StringConstraints(max_length=64)]
    run_id: RunId | None = Field(None, validation_alias=AliasChoices("run_id", "runId"))
    approve: StrictBool
    answer: Any = None
    comment: Words | None = None


class WaitQuery(Frozen):
    """How many seconds to hold on for an end."""

    wait: Annotated[float, Field(ge=0, le=MAX_WAIT_S, allow_inf_nan=False)] = 0


class PageQuery(Frozen):
    """Oldest first; `cursor` is the last page's."""

    state: Literal["pending"] = "pending"
    run_id: RunId | None = None
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = PAGE
    cursor: PageCursor | None = None


class ToolsQuery(Frozen):
    """With a run, what that run is offered: a sub-run gets fewer."""

    run_id: RunId | None = None
