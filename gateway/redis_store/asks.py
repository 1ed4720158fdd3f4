"""Runs and asks in Redis: one script per state change."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from pydantic import ValidationError

from gateway.ask import AskRecord, Run, RunRecord, Status
from gateway.epoch import from_ms, to_ms
from gateway.errors import Conflict
from gateway.ids import digest, digest_text
from gateway.log import event
from gateway.redis_store import codec
from gateway.store import (
    MAX_PENDING_PER_RUN,
    MAX_REFUSALS_RECORDED,
    ONCE_AN_ASK,
    Cursor,
    Ending,
    Event,
    EventType,
    NewAsk,
    Opened,
    Opening,
    Settled,
    Settling,
)

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from gateway.ladder import Rung
    from gateway.redis_store.keys import Keys, Partitions
    from gateway.redis_store.link import Link

BODIES_KEPT = 4_096
"""Ours: about 10 MB of asks; more only helps where more than that wait and are answered at once."""

_log = logging.getLogger("gateway.store")


class RedisAsks:
    """Implements `gateway.store.Asks`."""

    def __init__(self, link: Link, partitions: Partitions, retention: timedelta) -> None:
        self._link = link
        self._partitions = partitions
        self._retention_ms = codec.whole_ms(retention)
        self._bodies = codec.Bodies(BODIES_KEPT)

    async def now(self) -> datetime:
        seconds, micros = await self._link.call("TIME")
        return from_ms(int(seconds) * 1000 + int(micros) // 1000 + self._link.skew_ms)

    async def create_run(self, run: Run) -> RunRecord:
        keys = self._partitions.of_run(run.id)
        reply = await self._link.script(
            "create_run",
            [keys.run(run.id), keys.log, keys.due],
            self._link.skew_ms,
            run.id,
            run.tenant,
            digest(run.model_dump(mode="json")),
            self._retention_ms,
            to_ms(run.deadline) if run.deadline else "",
            *codec.dump_run(run),
            confirmed=True,
        )
        if reply[0] == "conflict":
            raise Conflict(f"{run.id} exists with other values.")
        record = await self.read_run(run.id)
        if record is None:
            raise Conflict(f"{run.id} was retired just now.")
        return record

    async def read_run(self, run_id: str) -> RunRecord | None:
        keys = self._partitions.of_run(run_id)
        kept = await self._link.call("HMGET", keys.run(run_id), *codec.RUN_FIELDS)
        return codec.load_run(run_id, kept)

    async def open(self, new: NewAsk) -> Opened:
        ask = new.ask
        keys = self._partitions.of_run(ask.run_id)
        body = codec.dump_ask(ask)
        reply = await self._link.script(
            "open",
            [
                keys.run(ask.run_id),
                keys.ask(ask.id),
                keys.asks,
                keys.log,
                keys.due,
                keys.inbox(ask.tenant),
            ],
            self._link.skew_ms,
            ask.id,
            ask.run_id,
            ask.tenant,
            body,
            new.call_digest,
            new.arguments_digest,
            ask.timeout_s * 1000 if ask.timeout_s is not None else "",
            "1" if new.one_at_a_time else "0",
            MAX_PENDING_PER_RUN,
            ask.parent or "-",
            to_ms(new.run_created_at) if new.run_created_at else "",
            *(_step(rung) for rung in new.ladder),
            confirmed=True,
        )
        opening = Opening(reply[0])
        if opening is Opening.OPENED:
            self._bodies.remember(ask, body)
            opened, deadline = from_ms(reply[1]), codec.maybe_ms(reply[2])
            return Opened(opening, AskRecord(ask, Status.PENDING, opened, deadline))
        return Opened(opening, ask_id=reply[1] if opening is Opening.IN_FLIGHT else None)

    async def read(self, ask_id: str) -> AskRecord | None:
        keys = self._partitions.of_ask(ask_id)
        if keys is None:
            return None
        reply = await self._link.script("read", [keys.ask(ask_id), keys.settled(ask_id), keys.asks])
        try:
            return codec.load_record(ask_id, reply, self._bodies)
        except ValidationError as error:
            event(
                _log,
                "ask.unreadable",
                level=logging.ERROR,
                ask_id=ask_id,
                code=codec.unreadable(error),
            )
            return None

    async def settle(self, ending: Ending) -> Settled:
        run = ending.run
        keys = self._partitions.of_run(run.id)
        names = [
            keys.run(run.id),
            keys.log,
            keys.asks,
            keys.due,
            keys.owed,
            keys.inbox(run.tenant),
        ]
        parts: list[str] = []
        for ask_id, outcome in ending.outcomes.items():
            names += [keys.ask(ask_id), keys.settled(ask_id), keys.drafts(ask_id)]
            parts += [ask_id, f"ask.{outcome.status.value}", codec.dump_outcome(outcome)]
        change = ending.run_change
        reply = await self._link.script(
            "settle",
            names,
            self._link.skew_ms,
            run.id,
            run.tenant,
            digest_text(ending.token),
            ending.when.value,
            change.status.value if change else "",
            (change.error or "") if change else "",
            to_ms(ending.opened_at) if ending.opened_at else "",
            self._retention_ms,
            *parts,
            confirmed=True,
        )
        if reply[0] == "again":
            return Settled(Settling.WON, from_ms(reply[1]), again=True)
        settling = Settling(reply[0])
        return Settled(settling, from_ms(reply[1]) if settling is Settling.WON else None)

    async def pending(self, tenant: str, *, after: Cursor | None, limit: int) -> list[AskRecord]:
        while True:
            pages = await asyncio.gather(
                *(self._inbox(keys, tenant, after, limit) for keys in self._partitions.all)
            )
            oldest = sorted(entry for page in pages for entry in page)[:limit]
            read = await asyncio.gather(*(self.read(ask_id) for _, ask_id in oldest))
            records = [record for record in read if record is not None and record.pending]
            if records or len(oldest) < limit:
                return records
            # All of them were settled just now, or do not read; there may be more behind.
            after = Cursor(from_ms(oldest[-1][0]), oldest[-1][1])

    async def _inbox(
        self, keys: Keys, tenant: str, after: Cursor | None, limit: int
    ) -> list[tuple[int, str]]:
        start = to_ms(after.at) if after else 0
        found: list[tuple[int, str]] = []
        offset = 0
        while len(found) < limit:
            flat = await self._link.call(
                "ZRANGEBYSCORE",
                keys.inbox(tenant),
                start,
                "+inf",
                "WITHSCORES",
                "LIMIT",
                offset,
                limit,
            )
            page = _pairs(flat)
            # Of several opened in one millisecond, those up to the cursor have been seen.
            found += [e for e in page if after is None or e > (start, after.ask_id)]
            if len(page) < limit:
                break
            offset += limit
        return found[:limit]

    async def count_pending(self, tenant: str) -> int:
        counts = await asyncio.gather(
            *(self._link.call("ZCARD", keys.inbox(tenant)) for keys in self._partitions.all)
        )
        return sum(counts)

    async def history(self, run_id: str, start: int = 0) -> list[Event]:
        keys = self._partitions.of_run(run_id)
        tenant, *lines = await self._link.script("history", [keys.run(run_id)], start)
        return [codec.load_history(run_id, tenant, line) for line in lines]

    async def note(self, run: Run, kind: EventType, ask_id: str | None, note: str) -> bool:
        keys = self._partitions.of_run(run.id)
        noted = await self._link.script(
            "note",
            [keys.run(run.id), keys.log],
            self._link.skew_ms,
            run.id,
            run.tenant,
            kind.value,
            ask_id or "-",
            note or "-",
            MAX_REFUSALS_RECORDED if kind is EventType.ASK_REFUSED else "",
            "once" if kind in ONCE_AN_ASK else "",
        )
        return bool(noted)

    async def frame(self, parent: str, child: str, ask_id: str) -> bool:
        keys = self._partitions.of_run(parent)
        told = await self._link.script(
            "frame",
            [keys.run(parent), keys.log],
            self._link.skew_ms,
            parent,
            ask_id,
            child,
        )
        return bool(told)


def _step(rung: Rung) -> str:
    return str(rung.share) if rung.share is not None else str((rung.after_s or 0) * 1000)


def _pairs(flat: list[str]) -> list[tuple[int, str]]:
    """(score, member) pairs of a WITHSCORES reply, which comes flat."""
    return [
        (int(float(score)), member) for member, score in zip(flat[::2], flat[1::2], strict=True)
    ]
