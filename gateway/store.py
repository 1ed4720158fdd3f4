"""What a back end keeps, as protocols. `memory_store` is the readable specification of them.

Everything one step changes together is one call here, and one script in Redis. Times are the back
end's own clock (`now`); callers never send theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gateway.epoch import from_ms

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping, Sequence
    from datetime import datetime

    from gateway.ask import Ask, AskRecord, Outcome, Run, RunRecord, RunStatus
    from gateway.ladder import Rung

PARTITIONS = 16
"""Spreads 6/5/5 over three masters; 64 cost a third of the throughput (store-measured)."""

MAX_PENDING_PER_RUN = 1_000
"""Ours: the run's pending ids are one small string, rewritten at each open and settle."""

RETENTION_DAYS = 30
"""How long a run and its asks stay after its last event (design, The store); a setting."""

MAX_REFUSALS_RECORDED = 100
"""Ours: records of refusals are capped per run (design, People)."""

CLOCK_LEASE = timedelta(seconds=3)
"""Ours: how long a dead clock's partitions wait for another. Looks come several times a second."""

WEBHOOK_LOOK_AGAIN = timedelta(minutes=2)
"""Ours: above one webhook try's own time limit, so that a try under way is not made twice."""

RETIRE_LOOK_AGAIN = timedelta(hours=1)
"""Ours: a run that may not go yet, because something of it is owed, is looked at again."""

TAIL_SLACK = timedelta(minutes=1)
"""Ours: the log keeps this much behind its groups, so that a slow tail is not cut off."""


class EventType(StrEnum):
    """What happens to a run; the log and the histories hold these with ids, never content."""

    RUN_CREATED = "run.created"
    RUN_ENDED = "run.ended"  # note: the status it ended with
    ASK_OPENED = "ask.opened"  # note: the run's parent, where it has one
    ASK_NOT_ASKED = "ask.not_asked"  # note: `auto` or `none`; the id is what the ask would have had
    ASK_ANSWERED = "ask.answered"  # note of the five endings: `webhook` where the run owes a post
    ASK_DECLINED = "ask.declined"
    ASK_EXPIRED = "ask.expired"
    ASK_CANCELLED = "ask.cancelled"
    ASK_REFUSED = "ask.refused"  # note: who was refused
    ASK_UNDELIVERED = "ask.undelivered"  # it had places to go to, and none took a post
    WAITING = "question.waiting"  # note of both rungs: the audience
    ESCALATED = "approval.escalated"
    CHILD_NEEDS_HUMAN = "child_needs_human"  # note: the child run
    WEBHOOK_DUE = "webhook.due"
    WEBHOOK_DEAD = "webhook.dead"


ENDINGS = frozenset(
    {EventType.ASK_ANSWERED, EventType.ASK_DECLINED, EventType.ASK_EXPIRED, EventType.ASK_CANCELLED}
)

ONCE_AN_ASK = frozenset({EventType.ASK_UNDELIVERED, EventType.ASK_NOT_ASKED})
"""Events that a run's history has once for each of its asks, whoever adds them, and how often."""


class Event(NamedTuple):
    """One line of the log. `id` orders the events of one run (a stream id, `1700000000000-0`).

    A tuple, as every process makes one of every line: a frozen dataclass takes four times as long.
    """

    id: str
    type: EventType
    run_id: str
    ask_id: str | None
    at_ms: int
    tenant: str = ""
    note: str = ""

    @property
    def at(self) -> datetime:
        return from_ms(self.at_ms)


class Group(StrEnum):
    """Who works: `deliver` reads the pending asks, the next three the log, `clock` what is due."""

    DELIVER = "deliver"
    RESUME = "resume"
    NOTIFY = "notify"
    REDRAW = "redraw"
    CLOCK = "clock"


class Opening(StrEnum):
    OPENED = "opened"
    EXISTS = "exists"
    CONFLICT = "conflict"
    COLLISION = "collision"
    IN_FLIGHT = "in_flight"
    RUN_ENDED = "run_ended"
    FULL = "full"
    NO_RUN = "no_run"


@dataclass(frozen=True, slots=True)
class Opened:
    """What `open` did. `record` for `OPENED`; `ask_id` names the ask in the way for `IN_FLIGHT`."""

    opening: Opening
    record: AskRecord | None = None
    ask_id: str | None = None


@dataclass(frozen=True, slots=True)
class NewAsk:
    """An ask to open, with what idempotency compares.

    `run_created_at` is of the run it was made for, where that was read a while ago: one that was
    retired since, and its id given to another, is `NO_RUN`.
    """

    ask: Ask
    call_digest: str
    arguments_digest: str
    one_at_a_time: bool
    ladder: tuple[Rung, ...]
    run_created_at: datetime | None = None


class When(StrEnum):
    """On which side of the ask's deadline an ending may happen."""

    BEFORE_DEADLINE = "before"
    AFTER_DEADLINE = "after"
    ANY = "any"


class Settling(StrEnum):
    WON = "won"  # also for the same token again
    SETTLED = "settled"  # somebody else's outcome stands
    LATE = "late"  # the deadline has passed, and no one has ended it yet
    EARLY = "early"
    MISSING = "missing"
    RETRY = "retry"  # the world moved between reading and writing


@dataclass(frozen=True, slots=True)
class RunChange:
    """A run that ends together with its last asks."""

    status: RunStatus
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """One step that ends asks of one run, and perhaps the run: all of it, or nothing.

    `outcomes` are by ask id. With `run_change` they must be exactly the run's pending asks, else
    `RETRY`; one of them that is lost is passed over. `token` names this try: the same token again
    hears `WON`. `opened_at` is of the one ask it ends, where that was read a while ago: one of the
    same id that was opened at another time is `MISSING`.
    """

    run: Run
    outcomes: Mapping[str, Outcome]
    token: str
    when: When = When.ANY
    run_change: RunChange | None = None
    opened_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """`at` is when it was settled, for a win that is new; `again` marks one that had won before."""

    settling: Settling
    at: datetime | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Due:
    """What a clock may look at now: ids of asks, runs (`job-…`) and webhooks (`w:a-…`).

    `next_at` is the soonest time after these, if any; `claimed` counts the partitions held.
    """

    members: tuple[str, ...]
    next_at: datetime | None
    now: datetime
    claimed: int


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An entry that failed for good. `ask_id` is empty for one that did not read, and the run's id
    for a run of whose own timer it was.
    """

    id: str
    group: Group
    reason: str
    at: datetime
    ask_id: str


class Taken(NamedTuple):
    """One entry a group's reader took, to be acknowledged by `key` (partition, entry id).

    `event` is None for an entry that does not read (`gone` for one that was deleted meanwhile).
    From `deliver` it is the `ask.opened` of an ask that was pending, with its ask id alone.
    """

    key: tuple[int, str]
    event: Event | None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page of pending asks ended: the last one's opening and id."""

    at: datetime
    ask_id: str


class Asks(Protocol):
    """Runs and their asks."""

    async def now(self) -> datetime: ...
    async def create_run(self, run: Run) -> RunRecord:
        """The new run, or the one of that id made from the same values. Raises: Conflict."""
        ...

    async def read_run(self, run_id: str) -> RunRecord | None: ...
    async def open(self, new: NewAsk) -> Opened: ...
    async def read(self, ask_id: str) -> AskRecord | None: ...
    async def settle(self, ending: Ending) -> Settled: ...
    async def pending(self, tenant: str, *, after: Cursor | None, limit: int) -> list[AskRecord]:
        """Pending asks of a tenant, oldest first, from just after the cursor; none only where there
        are no more.
        """
        ...

    async def count_pending(self, tenant: str) -> int: ...
    async def history(self, run_id: str, start: int = 0) -> list[Event]:
        """The run's events in order, from the `start`-th (0-based)."""
        ...

    async def note(self, run: Run, kind: EventType, ask_id: str | None, note: str) -> bool:
        """Adds an event to a run's history; refusals only up to their cap, `ONCE_AN_ASK` once.

        False where nothing was added.
        """
        ...

    async def frame(self, parent: str, child: str, ask_id: str) -> bool:
        """`child_needs_human` on the caller's history, once per ask; False if it was there."""
        ...


class Timers(Protocol):
    """What is due; claimed by partition, so that replicas do not try the same timers."""

    async def due(self, owner: str, limit: int) -> Due: ...
    async def climb(
        self,
        record: AskRecord,
        rung: int,
        next_rung: int,
        event: EventType | None,
        note: str,
        next_at: datetime | None,
    ) -> bool:
        """Fires one rung if the ask still stands on `rung`; False when it moved.

        Without an event it only goes on waiting until `next_at`.
        """
        ...

    async def rung(self, ask_id: str) -> int: ...
    async def holds(self, ask_id: str) -> bool:
        """Whether the ask is there, though it may not read."""
        ...

    async def retire(self, run_id: str) -> bool:
        """Deletes a run and its asks, if its retention has passed and nothing is owed."""
        ...

    async def postpone(self, ask_id: str, tries: int, at: datetime) -> None:
        """A webhook that failed waits in `due` for its next try."""
        ...

    async def wake_webhook(self, ask_id: str, run_id: str, tenant: str) -> None:
        """Puts `webhook.due` on the log, and looks again later should nobody get to it."""
        ...

    async def forget(self, member: str, run_id: str | None) -> None:
        """Takes a member out of `due` for good: what it names is gone, or buried."""
        ...

    async def tries(self, ask_id: str) -> int: ...
    async def owes(self, ask_id: str) -> bool: ...
    async def paid(self, ask_id: str) -> None: ...
    async def bury(self, group: Group, subject: str, reason: str) -> None:
        """Keeps an ask among the dead, or for `clock` a run, and drops its timer of that group."""
        ...

    async def dead(self, group: Group) -> list[DeadLetter]: ...
    async def redrive(self, letter: DeadLetter) -> bool:
        """Sets its timer again, due at once; False if somebody did so before, or it is gone."""
        ...


class Log(Protocol):
    """The log's tail, which wakes every waiter, and its groups, whose entries are done once."""

    def tail(self) -> AsyncGenerator[Sequence[Event] | None, None]:
        """Batches of new events; None when some may have been missed, so that all look again."""
        ...

    async def take(self, group: Group, consumer: str, limit: int, block: timedelta) -> list[Taken]:
        """Entries nobody took yet, at most about `limit`; makes the group where it is missing.

        After a lost connection, what this consumer had not acknowledged comes first. A group just
        made starts with all that is there, and `resume` with what is owed besides.
        """
        ...

    async def start_again(self, group: Group, consumer: str) -> None:
        """The next take begins with what this consumer took and has not acknowledged."""
        ...

    async def done(self, group: Group, taken: Sequence[Taken]) -> None:
        """Acknowledges: each is finished, or `owed` or `due` holds what remains of it."""
        ...

    async def claim_stale(self, group: Group, consumer: str, idle: timedelta) -> list[Taken]:
        """Takes over what a reader that died has left."""
        ...

    async def bury_entry(self, group: Group, taken: Taken, reason: str) -> None:
        """Keeps an entry that does not read among the dead, and acknowledges it."""
        ...

    async def trim(self) -> None:
        """Drops what every group is past, and readers that are gone."""
        ...


class Index(Protocol):
    """Single-key facts, safe to write twice."""

    async def bind(self, name: str, value: str, ttl: timedelta) -> str:
        """Sets once: what is bound now, whoever bound it first."""
        ...

    async def look(self, name: str) -> str | None: ...
    async def put(self, name: str, value: str) -> None: ...
    async def drop(self, name: str) -> bool: ...
    async def add(self, name: str, member: str) -> None: ...
    async def remove(self, name: str, member: str) -> None: ...
    async def members(self, name: str) -> list[str]:
        """The set's members, sorted."""
        ...

    async def join(self, place: str, code: str, ask_id: str) -> str:
        """An ask joins a conversation under a code, unless the code is taken; who holds it now."""
        ...

    async def joined(self, place: str) -> dict[str, str]: ...
    async def leave(self, place: str, code: str) -> None: ...


class Drafts(Protocol):
    """Partly given answers, and which tries have had their effect, beside their ask."""

    async def draft(self, ask_id: str, person: str) -> str | None: ...
    async def save_draft(
        self, ask_id: str, person: str, draft: str, token: str, over: str | None = None
    ) -> bool:
        """Keeps a draft and marks the try done; False if this try was done before.

        `over` is what it was made from, "" for nothing; None for whatever is there.

        Raises: DraftMoved, another is kept by now; the try is not done.
        """
        ...

    async def tried(self, ask_id: str, token: str) -> bool:
        """Whether the try is marked done."""
        ...

    async def mark(self, ask_id: str, token: str) -> bool:
        """Marks a try done; False if it was."""
        ...


class Posts(Protocol):
    """The posts of an ask by place, as their channel keeps them, and who draws which just now."""

    async def posts(self, ask_id: str) -> dict[str, str]: ...
    async def keep_post(self, ask_id: str, place: str, post: str, *, closed: bool) -> bool:
        """Records a post; False without the ask. A settled ask with one that is not `closed` is
        owed, and never retired.
        """
        ...

    async def posts_owed(self) -> list[str]:
        """Asks that have ended, and of which a post does not show that yet."""
        ...

    async def lease(self, ask_id: str, place: str, owner: str, within: timedelta) -> bool:
        """Takes, or prolongs, the sole right to draw there; False while another has it."""
        ...

    async def release(self, ask_id: str, place: str, owner: str) -> None: ...


class Store(Asks, Timers, Log, Index, Drafts, Posts, Protocol):
    """One back end."""

    async def ping(self) -> None:
        """Raises: Unavailable."""
        ...

    async def aclose(self) -> None: ...
