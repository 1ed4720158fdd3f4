"""What a lost group, or a lost entry of the log, leaves owed is put back on the log.

An outcome that a webhook has not taken is always on the log, or in `due`; so where it is in
neither, nobody is on the way with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gateway.redis_store import codec
from gateway.store import ENDINGS, EventType

if TYPE_CHECKING:
    from gateway.redis_store.keys import Keys
    from gateway.redis_store.link import Link
    from gateway.store import Group

SCAN = 500
"""Ours: entries looked at in one step."""


@dataclass(frozen=True, slots=True)
class Owing:
    """An event that `resume` must hear of, and where else it may be on its way from."""

    kind: EventType
    run_id: str
    ask_id: str
    note: str
    on_log: frozenset[EventType]
    due: str = ""


async def mend(link: Link, keys: Keys, group: Group | None) -> int:
    """How many events of one partition were put back; makes the group too, where one is named.

    None are where somebody made it before: they have seen to it. Raises: Unavailable.
    """
    owing = [*await _outcomes(link, keys), *await _asking(link, keys)]
    entries = await _entries(link, keys, {one.ask_id for one in owing}) if owing else {}
    items: list[str] = []
    for one in owing:
        told = (entries.get((kind, one.ask_id)) for kind in one.on_log)
        tenant = await link.call("HGET", keys.run(one.run_id), "tenant") or ""
        items += [next((entry for entry in told if entry), ""), one.due]
        items += [one.kind.value, one.run_id, one.ask_id, tenant, one.note]
    count = await link.script(
        "mend", [keys.log, keys.due], link.skew_ms, group.value if group else "", *items
    )
    return int(count)


async def _outcomes(link: Link, keys: Keys) -> list[Owing]:
    """Outcomes no run has taken yet."""
    found: list[Owing] = []
    for member in await link.call("SMEMBERS", keys.owed):
        kind, _, ask_id = member.partition(":")
        run_id = await link.call("HGET", keys.ask(ask_id), "run")
        if kind == "r" and run_id:
            on_log = ENDINGS | {EventType.WEBHOOK_DUE}
            due = f"w:{ask_id}"
            found.append(Owing(EventType.WEBHOOK_DUE, run_id, ask_id, "webhook", on_log, due))
    return found


async def _asking(link: Link, keys: Keys) -> list[Owing]:
    """Asks of sub-runs: their callers may not know of them."""
    found: list[Owing] = []
    start = "-"
    while entries := await link.call("XRANGE", keys.asks, start, "+", "COUNT", SCAN):
        for _, flat in entries:
            fields = codec.as_dict(flat)
            # Read as text: most bodies name no caller, and a body need not even read.
            if '"parent":"' in fields.get("b", ""):
                run_id = await link.call("HGET", keys.ask(fields["a"]), "run") or ""
                parent = await link.call("HGET", keys.run(run_id), "parent")
                if parent:
                    kind = EventType.ASK_OPENED
                    found.append(Owing(kind, run_id, fields["a"], parent, frozenset({kind})))
        start = f"({entries[-1][0]}"
    return found


async def _entries(link: Link, keys: Keys, asks: set[str]) -> dict[tuple[EventType, str], str]:
    """The last entry of the log for each event of these asks."""
    found: dict[tuple[EventType, str], str] = {}
    start = "-"
    while entries := await link.call("XRANGE", keys.log, start, "+", "COUNT", SCAN):
        for entry, flat in entries:
            event = codec.load_event(entry, flat)
            if event is not None and event.ask_id is not None and event.ask_id in asks:
                found[event.type, event.ask_id] = entry
        start = f"({entries[-1][0]}"
    return found
