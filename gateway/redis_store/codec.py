"""Between values and what stands in Redis. The only place that knows the stored forms."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from gateway.ask import (
    Ask,
    AskRecord,
    OnQuestion,
    OnTimeout,
    Outcome,
    Run,
    RunRecord,
    RunStatus,
    Status,
    Webhook,
)
from gateway.epoch import from_ms, to_ms
from gateway.ladder import Rung
from gateway.question import Frozen
from gateway.store import Event, EventType

if TYPE_CHECKING:
    from collections.abc import Sequence

_LADDER = TypeAdapter(tuple[Rung, ...])


class Ended(Frozen):
    """What `settle.lua` puts before the ask in `settled:<id>`."""

    opened: int
    deadline: int | None
    settled: int
    outcome: Outcome


def whole_ms(span: timedelta) -> int:
    return span // timedelta(milliseconds=1)


def maybe_ms(ms: int | str | None) -> datetime | None:
    return from_ms(ms) if ms not in (None, "") else None


def as_dict(reply: Any) -> dict[str, Any]:
    """Names and values of a reply, which comes flat."""
    return dict(zip(reply[::2], reply[1::2], strict=True)) if reply else {}


def dump_ask(ask: Ask) -> str:
    return ask.model_dump_json(exclude_defaults=True)


def dump_outcome(outcome: Outcome) -> str:
    return outcome.model_dump_json(exclude_defaults=True)


class Bodies:
    """Asks read lately. A body never changes, so one that reads the same is the same ask.

    Reading a body is the dearest part of reading a record, and each is read several times: by the
    worker that shows it, at its answer, by the run that waits.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: OrderedDict[str, tuple[str, Ask]] = OrderedDict()

    def load(self, ask_id: str, body: str) -> Ask:
        """Raises: ValidationError for a body that does not read."""
        known = self._known.get(ask_id)
        if known is not None and known[0] == body:
            return known[1]
        ask = Ask.model_validate_json(body)
        self.remember(ask, body)
        return ask

    def remember(self, ask: Ask, body: str) -> None:
        self._known[ask.id] = (body, ask)
        if len(self._known) > self._most:
            self._known.popitem(last=False)


def load_record(ask_id: str, reply: list[Any], bodies: Bodies) -> AskRecord | None:
    """From `read.lua`; None without the ask. Raises: ValidationError for what does not read."""
    if not reply:
        return None
    status = Status(reply[0])
    if status is Status.PENDING:
        _, opened, deadline, body = reply
        return AskRecord(bodies.load(ask_id, body), status, from_ms(opened), maybe_ms(deadline))
    # `settle.lua` puts the ask last, and nothing inside an ask is called `ask`.
    head, _, body = reply[1].rpartition(',"ask":')
    ended = Ended.model_validate_json(head + "}")
    return AskRecord(
        bodies.load(ask_id, body[:-1]),
        status,
        from_ms(ended.opened),
        maybe_ms(ended.deadline),
        version=2,
        outcome=ended.outcome,
        settled_at=from_ms(ended.settled),
    )


def dump_run(run: Run) -> list[str]:
    """Field, value, field, value…: small strings, so that the hash stays compact."""
    values = {
        "tenant": run.tenant,
        "agent": run.agent,
        "parent": run.parent,
        "conversation": run.conversation,
        "tags": " ".join(run.tags) or None,
        "on_question": run.on_question.value if run.on_question is not OnQuestion.PAUSE else None,
        "deadline": str(to_ms(run.deadline)) if run.deadline else None,
        "timeout": str(run.timeout_s) if run.timeout_s is not None else None,
        "on_timeout": run.on_timeout.value if run.on_timeout is not OnTimeout.CONTINUE else None,
        "ladder": _LADDER.dump_json(run.ladder).decode() if run.ladder is not None else None,
        "webhook": run.webhook.model_dump_json() if run.webhook else None,
        "token_id": run.token_id,
    }
    return [part for name, value in values.items() if value is not None for part in (name, value)]


RUN_FIELDS = (
    *("status", "created", "pending", "error", "ended", "tenant", "agent", "parent"),
    *("conversation", "tags", "on_question", "deadline", "timeout", "on_timeout", "ladder"),
    *("webhook", "token_id"),
)
"""What a run is read from; its hash holds its events besides."""


def load_run(run_id: str, kept: Sequence[str | None]) -> RunRecord | None:
    """From those fields of the run's hash; None where there is no such run."""
    fields = {name: value for name, value in zip(RUN_FIELDS, kept, strict=True) if value}
    if "status" not in fields:
        return None
    timeout = fields.get("timeout")
    ladder = fields.get("ladder")
    webhook = fields.get("webhook")
    run = Run(
        id=run_id,
        tenant=fields["tenant"],
        agent=fields["agent"],
        parent=fields.get("parent"),
        conversation=fields.get("conversation"),
        tags=tuple(fields.get("tags", "").split()),
        on_question=OnQuestion(fields.get("on_question", OnQuestion.PAUSE)),
        deadline=maybe_ms(fields.get("deadline")),
        timeout_s=int(timeout) if timeout else None,
        on_timeout=OnTimeout(fields.get("on_timeout", OnTimeout.CONTINUE)),
        ladder=_LADDER.validate_json(ladder) if ladder else None,
        webhook=Webhook.model_validate_json(webhook) if webhook else None,
        token_id=fields.get("token_id"),
    )
    return RunRecord(
        run,
        RunStatus(fields["status"]),
        from_ms(fields["created"]),
        tuple(fields.get("pending", "").split()),
        error=fields.get("error") or None,
        ended_at=maybe_ms(fields.get("ended")),
    )


EVENT_FIELDS = ["e", "r", "a", "w", "t", "n"]
_TYPES = {kind.value: kind for kind in EventType}


def load_event(entry_id: str, flat: Any) -> Event | None:
    """One entry of the log; None for one that does not read."""
    if flat[::2] != EVENT_FIELDS:
        return None
    kind, run_id, ask_id, tenant, at, note = flat[1::2]
    try:
        return Event(
            entry_id,
            _TYPES[kind],
            run_id,
            None if ask_id == "-" else ask_id,
            int(at),
            tenant,
            "" if note == "-" else note,
        )
    except (KeyError, ValueError):
        return None


def load_history(run_id: str, tenant: str, line: str) -> Event:
    entry_id, kind, ask, at, note = line.split(" ", 4)
    return Event(
        entry_id,
        EventType(kind),
        run_id,
        ask if ask != "-" else None,
        int(entry_id.partition("-")[0] if at == "=" else at),
        tenant,
        note if note != "-" else "",
    )


def unreadable(error: ValidationError) -> str:
    """Where a record first does not read, and how; nothing of what it holds."""
    first = error.errors(include_input=False)[0]
    return ":".join([".".join(map(str, first["loc"])) or "body", first["type"]])
