"""Runs, asks and outcomes for the store's tests: plain, valid, each its own."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from gateway.ask import Ask, Outcome, Run, Status, Webhook
from gateway.ids import ask_id, digest
from gateway.question import Field, Kind, Option, Question
from gateway.store import Ending, NewAsk, Opening, When

if TYPE_CHECKING:
    from gateway.ask import AskRecord
    from gateway.ladder import Rung
    from gateway.store import Event, Group, RunChange, Settled, Store, Taken

TENANT = "acme"

WHERE = Question(
    prompt="Where should build 41 go?",
    fields=(
        Field(
            name="answer",
            kind=Kind.CHOICE,
            options=(Option(id="o1", label="Staging"), Option(id="o2", label="Production")),
        ),
    ),
)

QUIET = 3
"""A first empty take may have made the group, a second have met what a cluster's other reads still
had to say of that; a third one in a row has found nothing."""

_numbers = count(1)


def a_run(run_id: str | None = None, **values: Any) -> Run:
    """A run of its own, unless named."""
    return Run(
        **{"id": run_id or f"job-{next(_numbers)}", "tenant": TENANT, "agent": "asker"} | values
    )


def new_ask(
    run: Run,
    call_id: str | None = None,
    *,
    arguments: object = "where",
    one_at_a_time: bool = False,
    ladder: tuple[Rung, ...] = (),
    **values: Any,
) -> NewAsk:
    """An ask of a run to open; a call of its own, unless named."""
    call_id = call_id or f"call-{next(_numbers)}"
    given = {
        "id": ask_id(run.id, call_id),
        "run_id": run.id,
        "tenant": run.tenant,
        "agent": run.agent,
        "call_id": call_id,
        "parent": run.parent,
        "question": WHERE,
    }
    return NewAsk(Ask(**given | values), digest(call_id), digest(arguments), one_at_a_time, ladder)


def answered(values: dict[str, Any] | None = None, by: str = "user:kevin") -> Outcome:
    return Outcome(
        status=Status.ANSWERED, values=values or {"answer": PICKED}, by=by, surface="cli"
    )


PICKED = {"options": ["o1"], "write_in": None}
HOOK = Webhook(url="https://example.com/outcomes", secret="whsec_c2VjcmV0")
EXPIRED = Outcome(status=Status.EXPIRED)
CANCELLED = Outcome(status=Status.CANCELLED, reason="the run ended")


async def opened(store: Store, run: Run, call_id: str | None = None, **values: Any) -> AskRecord:
    """The record of an ask opened just now; its run is there already."""
    done = await store.open(new_ask(run, call_id, **values))
    assert done.opening is Opening.OPENED
    assert done.record is not None
    return done.record


async def asked(store: Store, run: Run | None = None, **values: Any) -> tuple[Run, AskRecord]:
    """A new run with one ask."""
    run = run or a_run()
    await store.create_run(run)
    return run, await opened(store, run, **values)


async def settle(
    store: Store,
    run: Run,
    *records: AskRecord,
    token: str = "try-1",  # noqa: S107 - the name of a try
    outcome: Outcome | None = None,
    when: When = When.ANY,
    change: RunChange | None = None,
) -> Settled:
    """Ends these asks with one outcome."""
    outcomes = {record.ask.id: outcome or answered() for record in records}
    return await store.settle(Ending(run, outcomes, token, when, change))


async def owing(store: Store, run: Run | None = None) -> tuple[Run, AskRecord]:
    """A run with an outcome that its webhook has not taken."""
    run, record = await asked(store, run or a_run(webhook=HOOK))
    await settle(store, run, record)
    return run, record


async def taken_by(
    store: Store, group: Group, consumer: str = "w1", limit: int = 1000
) -> list[Taken]:
    """All a consumer can get just now, not acknowledged."""
    taken: list[Taken] = []
    quiet = 0
    while quiet < QUIET:
        got = await store.take(group, consumer, limit, timedelta(milliseconds=1))
        taken += got
        quiet = 0 if got else quiet + 1
    return taken


async def drained(store: Store, group: Group) -> list[Event]:
    """All events a group has not seen, each acknowledged at once."""
    events: list[Event] = []
    quiet = 0
    while quiet < QUIET:
        taken = await store.take(group, "w1", 1000, timedelta(milliseconds=1))
        await store.done(group, taken)
        events += [one.event for one in taken if one.event is not None]
        quiet = 0 if taken else quiet + 1
    return events
