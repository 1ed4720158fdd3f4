"""Waits that end: by an answer, by time, by both at once; and who is reminded on the way."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from channels.contract import Destination
from gateway.ask import OnTimeout, Run, Status
from gateway.clock import Clock
from gateway.store import EventType
from tests.chats import AGENT, DIRECT, Chats, texts
from tests.screens import Screen, places, worker_of

if TYPE_CHECKING:
    from channels.drawing import Drawing
    from tests.chats import Ask
    from tests.story.conftest import World

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)

AT_ONCE = 25
"""Asks that meet their deadlines together."""

LEADS = [timedelta(milliseconds=ms) for ms in (0, 20, 60, 200, 600)]
"""How long before the last of their deadlines: presses come before, with and after their ends."""


async def test_te_02_silence_is_nobodys_refusal(world: World) -> None:
    """TE-02: an expired ask names no actor, and its run reads a timeout and no decline."""
    ask = await world.chats.open(waits=MINUTE)
    await world.pass_time(timedelta(seconds=61))
    record = await ask.record()
    assert record.status is Status.EXPIRED
    assert record.outcome is not None
    assert (record.outcome.by, record.outcome.name, record.outcome.reason) == (None, None, None)
    standing = await world.chats.broker.wait(AGENT, ask.id, timedelta())
    assert standing.result == {"status": "expired"}


class SlowScreen(Screen):
    """A platform that takes its time; ours moves meanwhile."""

    def __init__(self, world: World, takes: timedelta) -> None:
        super().__init__(now=world.backend.store.now)
        self._world = world
        self._takes = takes

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        self._world.backend.advance(self._takes)
        await self._world.look()
        return await super().post(where, drawing, key)


async def test_te_03_an_ask_that_is_shown_too_late_says_so_at_once(world: World) -> None:
    """TE-03: the wait counts from opening. One outcome; the post shows it, and so does a press."""
    chats = world.chats
    ask = await chats.open(waits=timedelta(seconds=30), posted=False)
    slow = SlowScreen(world, timedelta(seconds=40))
    await worker_of(chats, slow, places(DIRECT)).look(ask.id)
    (post,) = slow.messages.values()
    assert [drawing.view.outcome is None for drawing in post.drawn] == [True, False]
    assert "Nobody answered by" in post.now.text
    (said,) = texts(await ask.press("o1"))
    assert said.startswith("This ended at ")
    assert await ask.status() == "expired"


async def test_te_06_answer_and_deadline_at_once_leave_one_outcome_a_thousand_times(
    world: World,
) -> None:
    """TE-06: whichever comes first, the person, the post and the run are told the same."""
    outcomes: Counter[str] = Counter()
    for batch in range(1000 // AT_ONCE):
        places = [Destination("slack", f"D{batch}-{n}", account="T1/U1") for n in range(AT_ONCE)]
        opening = (world.chats.open(waits=MINUTE, posted=False, where=where) for where in places)
        asks = await asyncio.gather(*opening)
        records = await asyncio.gather(*(ask.record() for ask in asks))
        last = max(record.deadline for record in records if record.deadline)
        lead = LEADS[batch % len(LEADS)]
        world.backend.advance(last - lead - await world.backend.store.now())
        meeting = (meet(world, ask, press_first=n % 2 == 0) for n, ask in enumerate(asks))
        outcomes.update(await asyncio.gather(*meeting))
    assert set(outcomes) == {"answered", "expired"}
    assert outcomes.total() == 1000


async def meet(world: World, ask: Ask, *, press_first: bool) -> str:
    """A press and the clock at once; how the ask ended, as everyone was told alike."""
    record = await ask.record()
    press, expire = ask.press("o1"), world.chats.broker.expire(record)
    if press_first:
        response, _ = await asyncio.gather(press, expire)
    else:
        _, response = await asyncio.gather(expire, press)
    (said,) = texts(response)
    standing = await world.chats.broker.wait(AGENT, ask.id, timedelta())
    if standing.record is None or standing.record.pending:
        # Both came before the deadline, and the press has not won: it must have.
        raise AssertionError(f"nothing ended it, and its presser was told: {said}")
    status = standing.record.status.value
    assert standing.result is not None
    assert standing.result["status"] == status
    assert said == "Got it: Staging." if status == "answered" else said.startswith("This ended at")
    return status


async def reminders(ask: Ask) -> list[tuple[str, str, float]]:
    """What the run's history has of reminders: event, audience, hours after opening."""
    record = await ask.record()
    history = await ask.history()
    rungs = (EventType.WAITING, EventType.ESCALATED)
    return [
        (event.type.value, event.note, round((event.at - record.opened_at) / HOUR, 2))
        for event in history
        if event.type in rungs
    ]


LADDER = [
    ("question.waiting", "answerers", 1.0),
    ("approval.escalated", "owner", 2.0),
    ("approval.escalated", "admins", 3.0),
]


async def test_te_07_each_rung_comes_once_also_over_a_restart(world: World) -> None:
    """TE-07: at a quarter, a half and three quarters of the wait, whoever runs the clock."""
    ask = await world.chats.open(waits=4 * HOUR)
    await world.pass_time(timedelta(hours=2, minutes=30))
    world.clock = Clock(world.backend.store, world.chats.replica().broker, "story")
    await world.pass_time(timedelta(hours=1, minutes=29))
    assert await reminders(ask) == LADDER
    assert await ask.status() == "pending"


async def test_te_07_nothing_is_reminded_of_once_it_is_answered(world: World) -> None:
    """TE-07: the rungs after the answer do not come."""
    ask = await world.chats.open(waits=4 * HOUR)
    await world.pass_time(timedelta(minutes=90))
    await ask.press("o1")
    await world.pass_time(3 * HOUR)
    assert await reminders(ask) == LADDER[:1]


async def test_rungs_missed_in_an_outage_come_once_the_latest_only(world: World) -> None:
    """Nobody is flooded by a gateway that comes back."""
    ask = await world.chats.open(waits=4 * HOUR)
    world.backend.advance(timedelta(hours=3, minutes=30))
    await world.look()
    assert [rung[:2] for rung in await reminders(ask)] == [LADDER[2][:2]]


async def test_te_09_a_wait_of_24_hours_is_24_hours_over_a_clock_change(world: World) -> None:
    """TE-09: counted in elapsed time, not on a wall clock."""
    ask = await world.chats.open(waits=24 * HOUR)
    record = await ask.record()
    assert record.deadline == record.opened_at + 24 * HOUR
    await world.pass_time(24 * HOUR - timedelta(seconds=1))
    assert await ask.status() == "pending"
    await world.pass_time(timedelta(seconds=2))
    assert await ask.status() == "expired"


@pytest.mark.parametrize(
    ("given", "effective"), [(5, 30), (99_999, 3600), (900, 900), (0, 30), (-1, 30), (None, 900)]
)
async def test_te_11_a_wait_outside_its_range_takes_the_nearest_bound(
    world: World, given: int | None, effective: int
) -> None:
    """TE-11: nothing waits for ever, and nothing ends at once."""
    question = {
        "id": "q",
        "header": "Q",
        "question": "Which?",
        "options": [{"label": "one thing"}, {"label": "another"}],
    }
    wait = {} if given is None else {"timeoutSeconds": given}
    ask = await world.chats.open(tool=("ask_user", {"questions": [question], **wait}))
    record = await ask.record()
    assert record.deadline == record.opened_at + timedelta(seconds=effective)


async def test_a_run_that_fails_on_silence_fails_with_it(world: World) -> None:
    """`on_timeout: fail`: the ask expires, its run fails, and the other asks of it end with it."""
    chats = Chats(world.backend.store)
    run = Run(id="job-failing", tenant="acme", agent="asker", on_timeout=OnTimeout.FAIL)
    await chats.broker.create_run(AGENT, run)
    question = (await (await chats.open()).record()).ask.question
    one, other = [
        await chats.broker.open_question(
            AGENT, run.id, replace_prompt(question, text), call_id=text, timeout_s=wait
        )
        for text, wait in (("first", 60), ("second", 600))
    ]
    await world.pass_time(timedelta(seconds=61))
    assert one.record is not None
    assert other.record is not None
    ended = [await chats.broker.ask(AGENT, r.record.ask.id) for r in (one, other) if r.record]
    assert [record.status for record in ended] == [Status.EXPIRED, Status.CANCELLED]
    assert (await chats.broker.run(AGENT, run.id)).error == "QuestionTimedOut"


def replace_prompt(question: Any, text: str) -> Any:
    """The same question with another prompt."""
    return question.model_copy(update={"prompt": text})
