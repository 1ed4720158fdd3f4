"""The memory store says what Redis does: random steps, taken in both, are answered alike.

Times are compared to within what the steps take; ids of events, and places of entries, are each
store's own. Deadlines and moves of time never meet within that.
"""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import redis
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from gateway.ask import Outcome, Run, RunStatus, Status
from gateway.errors import Conflict, DraftMoved
from gateway.ids import ask_id, digest
from gateway.ladder import Rung
from gateway.store import (
    Cursor,
    Ending,
    EventType,
    Group,
    NewAsk,
    RunChange,
    Taken,
    When,
)
from tests.contract.alike import alike, by_what_it_is
from tests.contract.backends import InMemory, InRedis
from tests.contract.making import HOOK, a_run, new_ask, taken_by

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from gateway.ask import AskRecord
    from gateway.store import Store
    from tests.contract.backends import Backend

QUARTER = timedelta(minutes=15)
BESIDE = timedelta(minutes=7)
"""Absolute times lie this far from any quarter hour, so that both stores see them pass at once."""

RUNS = st.sampled_from(["job-a", "job-b", "job-c", "job-d"])
CALLS = st.sampled_from(["c1", "c2", "c3"])
TOKENS = st.sampled_from(["t1", "t2"])
GROUPS = st.sampled_from([Group.RESUME, Group.NOTIFY, Group.DELIVER])
CONSUMERS = st.sampled_from(["w1", "w2"])
NAMES = st.sampled_from(["n1", "n2"])
DRAFTS = st.sampled_from(["", "x", None])
PLACES = st.sampled_from(["slack:C1", "slack:C2#17.1"])
KINDS = st.sampled_from([EventType.ASK_REFUSED, EventType.WEBHOOK_DEAD, EventType.ASK_UNDELIVERED])
RUNGS = st.sampled_from([(), (Rung(share=0.25),), (Rung(after_s=900), Rung(share=0.5))])
ENDED = st.sampled_from([RunStatus.FINISHED, RunStatus.FAILED])
LATER = st.integers(0, 8).map(lambda quarters: quarters * QUARTER)
MAYBE_LATER = st.none() | LATER


class Agree(RuleBasedStateMachine):
    """Takes each step in memory first, then in Redis."""

    runner: asyncio.Runner
    in_redis: InRedis
    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.client.flushall()
        self.in_redis._redis_store._link.skew_ms = 0
        self.memory = InMemory()
        self.start = self.ask(self.memory.store.now())
        self.known: dict[str, Run] = {}
        self.held: dict[Group, tuple[list[Taken], list[Taken]]] = {}

    def ask(self, step: Awaitable[Any]) -> Any:
        async def answer() -> Any:
            try:
                return await step
            except (Conflict, DraftMoved) as refused:
                return type(refused)

        return self.runner.run(answer())

    def both(self, step: Callable[[Store], Awaitable[Any]]) -> Any:
        """Memory's answer, if Redis's is the same."""
        backends: tuple[Backend, Backend] = (self.memory, self.in_redis)
        said, says = (self.ask(step(backend.store)) for backend in backends)
        assert alike(said, says), f"memory: {said}\nRedis:  {says}"
        return said

    def at(self, later: timedelta) -> datetime:
        """A time from now on, the same for both stores."""
        now: datetime = self.ask(self.memory.store.now())
        now += later + BESIDE
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def run(self, name: str) -> Run:
        return self.known.get(name, a_run(name))

    def record(self, run: str, call: str) -> AskRecord | None:
        found: AskRecord | None = self.both(lambda store: store.read(ask_id(run, call)))
        return found

    # Runs and asks

    @rule(
        name=RUNS,
        hook=st.booleans(),
        child=st.booleans(),
        deadline=MAYBE_LATER,
        again=st.booleans(),
    )
    def create_run(
        self, name: str, hook: bool, child: bool, deadline: timedelta | None, again: bool
    ) -> None:
        run = a_run(
            name,
            webhook=HOOK if hook else None,
            parent="job-a" if child and name != "job-a" else None,
            deadline=None if deadline is None else self.at(deadline),
        )
        run = self.known.get(name, run) if again else run
        if self.both(lambda store: store.create_run(run)) is not Conflict:
            self.known[name] = run

    @rule(
        run=RUNS,
        call=CALLS,
        arguments=st.integers(0, 1),
        single=st.booleans(),
        wait=st.none() | st.sampled_from([900, 1800, 3600]),
        ladder=RUNGS,
        collides=st.sampled_from([False, False, False, True]),
    )
    def open(
        self,
        run: str,
        call: str,
        arguments: int,
        single: bool,
        wait: int | None,
        ladder: tuple[Rung, ...],
        collides: bool,
    ) -> None:
        new = new_ask(
            self.run(run),
            call,
            arguments=arguments,
            one_at_a_time=single,
            ladder=ladder,
            timeout_s=wait,
        )
        if collides:
            new = NewAsk(new.ask, digest("other"), new.arguments_digest, single, ladder)
        self.both(lambda store: store.open(new))

    @rule(run=RUNS, calls=st.sets(CALLS, max_size=3), token=TOKENS, when=st.sampled_from(When))
    def settle(self, run: str, calls: set[str], token: str, when: When) -> None:
        outcomes = {ask_id(run, call): _outcome(call) for call in sorted(calls)}
        self.both(lambda store: store.settle(Ending(self.run(run), outcomes, token, when)))

    @rule(run=RUNS, token=TOKENS, status=ENDED, stale=st.booleans(), when=st.sampled_from(When))
    def end(self, run: str, token: str, status: RunStatus, stale: bool, when: When) -> None:
        known = self.both(lambda store: store.read_run(run))
        pending = known.pending if known else ()
        pending = pending[1:] if stale else pending
        ending = Ending(
            self.run(run),
            dict.fromkeys(pending, Outcome(status=Status.CANCELLED)),
            token,
            when,
            RunChange(status, "why" if status is RunStatus.FAILED else None),
        )
        self.both(lambda store: store.settle(ending))

    @rule(run=RUNS, call=CALLS, start=st.integers(0, 3))
    def read(self, run: str, call: str, start: int) -> None:
        self.record(run, call)
        self.both(lambda store: store.read_run(run))
        self.both(lambda store: store.history(run, start))
        self.both(lambda store: store.posts_owed())

    @rule(limit=st.integers(1, 4))
    def page(self, limit: int) -> None:
        async def pages(store: Store) -> Any:
            ids = []
            after = None
            while page := await store.pending("acme", after=after, limit=limit):
                ids += [record.ask.id for record in page]
                after = Cursor(page[-1].opened_at, page[-1].ask.id)
            return sorted(ids), await store.count_pending("acme")

        self.both(pages)

    @rule(run=RUNS, call=CALLS, kind=KINDS)
    def note(self, run: str, call: str, kind: EventType) -> None:
        self.both(lambda store: store.note(self.run(run), kind, ask_id(run, call), "user:kevin"))

    @rule(parent=RUNS, child=RUNS, call=CALLS)
    def frame(self, parent: str, child: str, call: str) -> None:
        self.both(lambda store: store.frame(parent, child, ask_id(child, call)))

    # Timers

    @rule(by=st.integers(1, 4))
    def quarters_pass(self, by: int) -> None:
        self.memory.advance(by * QUARTER)
        self.in_redis.advance(by * QUARTER)
        self.both(lambda store: store.due("clock", 1000))

    @rule(days=st.sampled_from([1, 31]), run=RUNS)
    def days_pass(self, days: int, run: str) -> None:
        self.memory.advance(timedelta(days=days))
        self.in_redis.advance(timedelta(days=days))
        self.both(lambda store: store.due("clock", 1000))
        if self.both(lambda store: store.retire(run)):
            self.known.pop(run, None)

    @rule(run=RUNS, call=CALLS, rung=st.integers(0, 2), later=MAYBE_LATER, tells=st.booleans())
    def climb(self, run: str, call: str, rung: int, later: timedelta | None, tells: bool) -> None:
        record = self.record(run, call)
        if record is None:
            return
        at = None if later is None else self.at(later)
        event = EventType.WAITING if tells else None
        self.both(lambda store: store.climb(record, rung, rung + tells, event, "owner", at))
        self.both(lambda store: store.rung(record.ask.id))

    @rule(run=RUNS, call=CALLS, tries=st.integers(0, 3), later=LATER)
    def postpone(self, run: str, call: str, tries: int, later: timedelta) -> None:
        asked, at = ask_id(run, call), self.at(later)
        self.both(lambda store: store.postpone(asked, tries, at))
        self.both(lambda store: store.tries(asked))

    @rule(run=RUNS, call=CALLS)
    def wake(self, run: str, call: str) -> None:
        self.both(lambda store: store.wake_webhook(ask_id(run, call), run, "acme"))

    @rule(run=RUNS, call=CALLS, group=st.sampled_from([Group.RESUME, Group.CLOCK, Group.NOTIFY]))
    def bury(self, run: str, call: str, group: Group) -> None:
        self.both(lambda store: store.bury(group, ask_id(run, call), "status 500"))
        self.both(lambda store: store.owes(ask_id(run, call)))

    @rule(group=st.sampled_from([Group.RESUME, Group.CLOCK, Group.NOTIFY]))
    def redrive(self, group: Group) -> None:
        async def first(store: Store) -> Any:
            letters = await store.dead(group)
            if not letters:
                return None
            letter = min(letters, key=lambda one: one.ask_id)
            return letter, await store.redrive(letter), await store.owes(letter.ask_id)

        self.both(first)

    @rule(run=RUNS, call=CALLS)
    def pay(self, run: str, call: str) -> None:
        self.both(lambda store: store.owes(ask_id(run, call)))
        self.both(lambda store: store.paid(ask_id(run, call)))

    @rule(run=RUNS, call=CALLS, which=st.sampled_from(["ask", "webhook", "run"]))
    def forget(self, run: str, call: str, which: str) -> None:
        asked = ask_id(run, call)
        member = {"ask": asked, "webhook": f"w:{asked}", "run": run}[which]
        self.both(lambda store: store.forget(member, run if which == "run" else None))

    # Groups

    @rule(group=GROUPS, consumer=CONSUMERS)
    def take(self, group: Group, consumer: str) -> None:
        self._hold(group, lambda store: taken_by(store, group, consumer, limit=10_000))

    @rule(group=GROUPS, consumer=CONSUMERS)
    def claim(self, group: Group, consumer: str) -> None:
        self.held.pop(group, None)  # all that was held comes back
        self._hold(group, lambda store: store.claim_stale(group, consumer, timedelta(0)))

    def _hold(self, group: Group, step: Callable[[Store], Awaitable[list[Taken]]]) -> None:
        said, says = (
            by_what_it_is(self.ask(step(backend.store))) for backend in (self.memory, self.in_redis)
        )
        assert alike(said, says), f"memory: {said}\nRedis:  {says}"
        in_memory, in_redis = self.held.setdefault(group, ([], []))
        in_memory += said
        in_redis += says

    @rule(group=GROUPS, run=RUNS)
    def done(self, group: Group, run: str) -> None:
        """All that is held of one run; a pending ask's entry names its run by the ask's id."""
        asks = {ask_id(run, call) for call in ("c1", "c2", "c3")}
        in_memory, in_redis = self.held.get(group, ([], []))
        backends: tuple[Backend, Backend] = (self.memory, self.in_redis)
        for backend, held in zip(backends, (in_memory, in_redis), strict=True):
            mine = [
                one
                for one in held
                if one.event and (one.event.run_id == run or one.event.ask_id in asks)
            ]
            held[:] = [one for one in held if one not in mine]
            self.ask(backend.store.done(group, mine))

    # Facts and drafts

    @rule(name=NAMES, value=TOKENS, step=st.sampled_from(["bind", "put", "look", "drop"]))
    def fact(self, name: str, value: str, step: str) -> None:
        steps: dict[str, Callable[[Store], Awaitable[Any]]] = {
            "bind": lambda store: store.bind(name, value, timedelta(days=10_000)),
            "put": lambda store: store.put(name, value),
            "look": lambda store: store.look(name),
            "drop": lambda store: store.drop(name),
        }
        self.both(steps[step])

    @rule(name=NAMES, value=TOKENS, step=st.sampled_from(["add", "remove", "join", "leave"]))
    def gather(self, name: str, value: str, step: str) -> None:
        steps: dict[str, Callable[[Store], Awaitable[Any]]] = {
            "add": lambda store: store.add(f"s:{name}", value),
            "remove": lambda store: store.remove(f"s:{name}", value),
            "join": lambda store: store.join(name, "k3", value),
            "leave": lambda store: store.leave(name, "k3"),
        }
        self.both(steps[step])
        self.both(lambda store: store.members(f"s:{name}"))
        self.both(lambda store: store.joined(name))

    @rule(run=RUNS, call=CALLS, token=TOKENS, draft=DRAFTS, over=DRAFTS)
    def draft(self, run: str, call: str, token: str, draft: str | None, over: str | None) -> None:
        asked = ask_id(run, call)
        if draft is None:
            self.both(lambda store: store.mark(asked, token))
        else:
            self.both(lambda store: store.save_draft(asked, "kevin", draft, token, over))
        self.both(lambda store: store.draft(asked, "kevin"))
        self.both(lambda store: store.tried(asked, token))

    # Posts

    @rule(run=RUNS, call=CALLS, place=PLACES, post=TOKENS, closed=st.booleans())
    def keep_post(self, run: str, call: str, place: str, post: str, closed: bool) -> None:
        asked = ask_id(run, call)
        self.both(lambda store: store.keep_post(asked, place, post, closed=closed))
        self.both(lambda store: store.posts(asked))
        self.both(lambda store: store.posts_owed())

    @rule(run=RUNS, call=CALLS, closed=st.lists(st.booleans(), max_size=3))
    def end_with_posts(self, run: str, call: str, closed: list[bool]) -> None:
        """A whole life: by single steps an ask that is opened, shown and ended is rare."""
        self.create_run(run, hook=False, child=False, deadline=None, again=True)
        self.open(run, call, 0, single=False, wait=None, ladder=(), collides=False)
        for number, is_closed in enumerate(closed):
            self.keep_post(run, call, f"slack:C{number}", "post", is_closed)
        self.settle(run, {call}, "t1", When.ANY)
        self.both(lambda store: store.posts_owed())

    @rule(run=RUNS, call=CALLS, place=PLACES, owner=CONSUMERS, takes=st.booleans())
    def lease(self, run: str, call: str, place: str, owner: str, takes: bool) -> None:
        """Leases that never run out: Redis counts those by a clock that no test moves."""
        asked = ask_id(run, call)
        if takes:
            self.both(lambda store: store.lease(asked, place, owner, timedelta(days=10_000)))
        else:
            self.both(lambda store: store.release(asked, place, owner))


def _outcome(call: str) -> Outcome:
    return Outcome(status=Status.ANSWERED, values={"call": call}, by="user:kevin")


def test_memory_and_redis_answer_every_step_alike(redis_url: str) -> None:
    """Whatever comes after whatever, the readable specification says what the scripts do."""
    with asyncio.Runner() as runner, redis.Redis.from_url(redis_url) as client:
        client.config_set("hz", 500)
        in_redis = runner.run(InRedis.at(redis_url))
        try:
            machine = type(
                "Machine",
                (Agree,),
                {
                    "runner": runner,
                    "in_redis": in_redis,
                    "client": client,
                },
            )
            run_state_machine_as_test(
                machine,
                settings=settings(
                    max_examples=40,
                    stateful_step_count=40,
                    deadline=None,
                    database=None,
                    # A smaller walk would be sought for minutes, past this test's time.
                    phases=set(Phase) - {Phase.shrink},
                ),
            )
        finally:
            runner.run(in_redis.store.aclose())
