"""All that a store keeps, as plain values in dicts, and the one stream both logs are made of."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from gateway.ask import Ask, AskRecord, Outcome, Run, RunRecord, RunStatus, Status
from gateway.epoch import to_ms
from gateway.store import DeadLetter, Event, EventType, Group

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class KeptPost:
    """One post of an ask, as its channel keeps it; `closed`: nothing remains to be done there."""

    kept: str
    closed: bool


@dataclass
class KeptAsk:
    """An ask and its state. `token` is the winner's; `done` are the tries that had their effect."""

    ask: Ask
    opened_at: datetime
    deadline: datetime | None
    call_digest: str
    arguments_digest: str
    entry: int
    status: Status = Status.PENDING
    outcome: Outcome | None = None
    settled_at: datetime | None = None
    token: str | None = None
    rung: int = 0
    tries: int = 0
    drafts: dict[str, str] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    posts: dict[str, KeptPost] = field(default_factory=dict)

    @property
    def owes_posts(self) -> bool:
        """Whether it has ended, and a post of it does not show that yet."""
        return not self.pending and not all(post.closed for post in self.posts.values())

    @property
    def pending(self) -> bool:
        return self.status is Status.PENDING

    def record(self) -> AskRecord:
        return AskRecord(
            self.ask,
            self.status,
            self.opened_at,
            self.deadline,
            version=1 if self.pending else 2,
            outcome=self.outcome,
            settled_at=self.settled_at,
        )


@dataclass
class KeptRun:
    """A run and its state. `framed` are the asks of sub-runs it was told of, `noted` the events it
    has that come once an ask.
    """

    run: Run
    created_at: datetime
    status: RunStatus = RunStatus.RUNNING
    pending: list[str] = field(default_factory=list)
    history: list[Event] = field(default_factory=list)
    error: str | None = None
    ended_at: datetime | None = None
    token: str | None = None
    refusals: int = 0
    framed: set[str] = field(default_factory=set)
    noted: set[tuple[EventType, str | None]] = field(default_factory=set)

    def record(self) -> RunRecord:
        return RunRecord(
            self.run,
            self.status,
            self.created_at,
            tuple(self.pending),
            error=self.error,
            ended_at=self.ended_at,
        )


@dataclass
class Held:
    """An entry a reader took and has not acknowledged."""

    consumer: str
    since: datetime


@dataclass
class Reading:
    """How far one group has read a stream, and what its readers hold, by entry."""

    at: int = 0
    held: dict[int, Held] = field(default_factory=dict)


@dataclass
class Stream:
    """Events numbered in order; a number is never used again, whatever is dropped.

    `added` is set at the next event, and is a new one then.
    """

    events: dict[int, Event] = field(default_factory=dict)
    next: int = 0
    last_ms: int = 0
    readings: dict[Group, Reading] = field(default_factory=dict)
    added: asyncio.Event = field(default_factory=asyncio.Event)

    def next_id(self, at: datetime) -> str:
        """An id of the form and order of Redis's stream ids, also where the clock steps back."""
        self.last_ms = max(self.last_ms, int(at.timestamp() * 1000))
        return f"{self.last_ms}-{self.next}"

    def add(self, event: Event) -> int:
        number = self.next
        self.events[number] = event
        self.next += 1
        self.added.set()
        self.added = asyncio.Event()
        return number

    def since(self, number: int) -> list[tuple[int, Event]]:
        """What is there from that number on, in order."""
        return [(n, self.events[n]) for n in range(number, self.next) if n in self.events]


@dataclass
class Kept:
    """One store's contents.

    `asks` and `runs` by id; `pending` is the stream of pending asks, `log` of all that happens;
    `due` names asks, runs and webhooks by their time; `owed` the asks whose outcome a webhook has
    not taken.
    """

    clock: Callable[[], datetime]
    retention: timedelta
    asks: dict[str, KeptAsk] = field(default_factory=dict)
    runs: dict[str, KeptRun] = field(default_factory=dict)
    pending: Stream = field(default_factory=Stream)
    log: Stream = field(default_factory=Stream)
    due: dict[str, datetime] = field(default_factory=dict)
    owed: set[str] = field(default_factory=set)
    dead: dict[Group, list[DeadLetter]] = field(default_factory=dict)

    def now(self) -> datetime:
        return whole_ms(self.clock())

    def tell(
        self, run: KeptRun, kind: EventType, ask_id: str | None, at: datetime, note: str
    ) -> None:
        """One event: on the log for groups and waiters, in the run's history for replays."""
        event = Event(
            self.log.next_id(at), kind, run.run.id, ask_id, to_ms(at), run.run.tenant, note
        )
        self.log.add(event)
        run.history.append(event)

    def remind(self, kind: EventType, run_id: str, ask_id: str, tenant: str, note: str) -> None:
        """One event for the groups alone: nothing has happened to the run."""
        now = self.now()
        self.log.add(Event(self.log.next_id(now), kind, run_id, ask_id, to_ms(now), tenant, note))


def whole_ms(at: datetime) -> datetime:
    """A store's times are whole milliseconds."""
    return at - timedelta(microseconds=at.microsecond % 1000)
