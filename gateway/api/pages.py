"""Pages of pending asks, and the cursor that says where one ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway.api.runs import pending_of
from gateway.epoch import from_ms, to_ms
from gateway.store import Cursor

if TYPE_CHECKING:
    from datetime import datetime

    from gateway.api.endpoints import Call
    from gateway.ask import AskRecord


async def page(
    call: Call[Any, Any], run_id: str | None, limit: int, cursor: str | None
) -> tuple[list[AskRecord], dict[str, str]]:
    """Pending asks of the caller's tenant or of one run, oldest first, from just after the cursor;
    and the next page's `cursor`, where this is not the last.

    Raises: NotFound.
    """
    after = None if cursor is None else read_cursor(cursor)
    broker = call.parts.broker
    if run_id is None:
        found = await broker.pending(call.caller, after=after, limit=limit)
        return found.records, _told(found.more)
    run = await broker.run(call.caller, run_id)
    records = await pending_of(call.parts, call.caller, run.pending)
    left = [r for r in records if after is None or _place(r) > (after.at, after.ask_id)][:limit]
    return left, _told(Cursor(*_place(left[-1])) if len(left) == limit else None)


def _told(more: Cursor | None) -> dict[str, str]:
    return {} if more is None else {"cursor": f"{to_ms(more.at)}.{more.ask_id}"}


def read_cursor(text: str) -> Cursor:
    """The place that a text of `bodies.PageCursor`'s form names."""
    ms, _, ask_id = text.partition(".")
    return Cursor(from_ms(ms), ask_id)


def _place(record: AskRecord) -> tuple[datetime, str]:
    return record.opened_at, record.ask.id
