"""Pages of pending asks, and the cursor that says where one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.api.runs import pending_of
from gateway.epoch import from_ms, to_ms
from gateway.store import Cursor

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from gateway.api.endpoints import Call
    from gateway.ask import AskRecord


async def page(
    call: Call[Any, Any], run_id: str | None, limit: int, cursor: str | None
) -> list[AskRecord]:
    """Pending asks of the caller's tenant or of one run, oldest first, from just after the cursor.

    Raises: NotFound.
    """
    after = None if cursor is None else read_cursor(cursor)
    broker = call.parts.broker
    if run_id is None:
        return await broker.pending(call.caller, after=after, limit=limit)
    run = await broker.run(call.caller, run_id)
    records = await pending_of(call.parts, call.caller, run.pending)
    return [r for r in records if after is None or _place(r) > (after.at, after.ask_id)][:limit]


def next_cursor(records: Sequence[AskRecord], limit: int) -> str | None:
    """Where the next page begins; None where this was the last."""
    if len(records) < limit:
        return None
    at, ask_id = _place(records[-1])
    return f"{to_ms(at)}.{ask_id}"


def read_cursor(text: str) -> Cursor:
    """The place that a text of `bodies.PageCursor`'s form names."""
    ms, _, ask_id = text.partition(".")
    return Cursor(from_ms(ms), ask_id)


def _place(record: AskRecord) -> tuple[datetime, str]:
    return record.opened_at, record.ask.id
