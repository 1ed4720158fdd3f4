"""What the gateway says of itself: one JSON line an event, on standard error.

Readers of logs may not be allowed to see questions and answers. So a line is made of named ids,
counts, times and codes only; a library's own message, and an exception's, is left out.
"""

from __future__ import annotations

import json
import logging
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import PurePath
from traceback import walk_tb
from typing import TYPE_CHECKING, TypedDict, Unpack

if TYPE_CHECKING:
    from types import TracebackType


class Fields(TypedDict, total=False):
    """Every field a line may have. What is not here may not be logged; mypy checks the callers."""

    # ids
    agent: str
    ask_id: str
    channel: str
    entry_id: str
    group: str
    incident_id: str
    member: str
    outcome_id: str
    owner: str
    partition: int
    person_id: str
    pid: int
    run_id: str
    tenant: str
    token_id: str
    # counts
    attempt: int
    count: int
    pending: int
    rung: int
    # times
    delay_ms: float
    elapsed_ms: float
    late_ms: float
    # codes
    code: str
    exit_code: int
    fsync: str
    host: str
    http_status: int
    kind: str
    method: str
    port: int
    role: str
    route: str
    status: str
    surface: str
    version: str


FIELDS = frozenset(Fields.__annotations__)

FRAMES = 12
"""Ours: the innermost calls of a failure; more is the event loop's own."""

_EVENT = re.compile(r"[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)+")
_CODE = re.compile(r"[\w.:/+#{}-]{1,120}", re.ASCII)
"""What an id or a code looks like. A sentence does not, and is withheld."""

WITHHELD = "(withheld)"


def event(
    logger: logging.Logger,
    name: str,
    /,
    *,
    level: int = logging.INFO,
    error: BaseException | None = None,
    **fields: Unpack[Fields],
) -> None:
    """Writes one line: `name` says what happened, in the past tense (`ask.opened`).

    Raises:
        TypeError: a field that is not in `Fields`, or a name that is no event's.
    """
    if strange := fields.keys() - FIELDS:
        raise TypeError(f"{', '.join(sorted(strange))}: not a field that may be logged")
    if not _is_event(name):
        raise TypeError("an event is called like ask.opened")
    logger.log(level, name, exc_info=error, extra={"fields": fields})


class JsonLines(logging.Formatter):
    """One JSON object a record. One not made by `event` keeps its place and loses its words."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line: dict[str, object] = {"at": at, "level": record.levelname.lower()}
        fields = getattr(record, "fields", None)
        if fields is None:
            line |= {"event": "library.logged", "source": f"{record.module}:{record.lineno}"}
        else:
            line["event"] = record.msg
        line["logger"] = record.name
        line |= {name: _shown(value) for name, value in (fields or {}).items()}
        if record.exc_info and record.exc_info[1] is not None:
            line |= {
                "error": _causes(record.exc_info[1]),
                "trace": _places(record.exc_info[1].__traceback__),
            }
        return json.dumps(line)


def to_stderr(level: int = logging.INFO) -> None:
    """Sends every logger's records to standard error as JSON lines, and nowhere else."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


@cache
def _is_event(name: str) -> bool:
    return _EVENT.fullmatch(name) is not None


def _shown(value: object) -> object:
    if isinstance(value, str):
        return str(value) if _CODE.fullmatch(value) else WITHHELD
    return value if isinstance(value, int | float | None) else WITHHELD


def _causes(error: BaseException) -> list[str]:
    """The error's class, then those it came from; its text may hold what it choked on."""
    names: list[str] = []
    seen: set[int] = set()
    todo: list[BaseException] = [error]
    while todo:
        one = todo.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        names.append(type(one).__name__)
        if isinstance(one, BaseExceptionGroup):
            todo += one.exceptions
        if before := one.__cause__ or (None if one.__suppress_context__ else one.__context__):
            todo.append(before)
    return names


def _places(trace: TracebackType | None) -> list[str]:
    calls = [
        f"{'/'.join(PurePath(frame.f_code.co_filename).parts[-2:])}:{line} {frame.f_code.co_name}"
        for frame, line in walk_tb(trace)
    ]
    return calls[-FRAMES:]
