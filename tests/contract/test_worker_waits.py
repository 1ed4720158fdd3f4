"""Slow places and platforms that are away: what waits for them, and what must not wait along."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

import channels.looks
import channels.patience
import channels.turns
import channels.worker
import gateway.posts
from channels.contract import Destination, Later, Shut
from gateway.feed import Feed
from gateway.routes import Route
from gateway.store import EventType, Group, Store
from tests.chats import AGENT, CHANNEL, DIRECT, Ask, Chats
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

if TYPE_CHECKING:
    from channels.worker import Routed, Worker

C2 = Destination("slack", "C2")
AWAY = Later("away")
LONG_S = 45.0
"""A rest that no test here waits for."""


@dataclass
class Slow(Screen):
    """Answers a post to a `stuck` conversation only once it is let `go`."""

    stuck: set[str] = field(default_factory=set)
    go: asyncio.Event = field(default_factory=asyncio.Event)

    async def post(self, where: Destination, *args: Any) -> tuple[str, int]:
        if where.conversation in self.stuck:
            await self.go.wait()
        return await super().post(where, *args)


@pytest.fixture
async def running() -> AsyncIterator[list[asyncio.Task[None]]]:
    """Workers that run beside the test, and end with it."""
    tasks: list[asyncio.Task[None]] = []
    yield tasks
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def shown(worker: Worker, ask: Ask, screen: Screen) -> None:
    """It is looked at once, and stands."""
    worker.hurry(ask.id)
    await at_rest(worker)
    assert ask.id in screen.asks()


# Until it stands it is not forgotten


async def held(store: Store) -> list[str]:
    """The asks that a reader of `deliver` took and has not acknowledged."""
    taken = await store.claim_stale(Group.DELIVER, "w9", timedelta())
    return sorted(entry.event.ask_id or "" for entry in taken if entry.event)


async def test_an_ask_is_acknowledged_once_it_stands_and_holds_up_none_behind_it(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """Should its worker die before, another one finds it among what nobody acknowledged."""
    screen = Slow(stuck={"C1"})
    here = [places(CHANNEL), places(C2)]

    def routed(ask: Any, *, fallback: bool) -> Any:
        return [] if fallback else here[ask.id != stuck.id](ask, fallback=False)

    stuck = await chats.open(where=CHANNEL, posted=False)
    worker = worker_of(chats, screen, routed)
    running.append(asyncio.create_task(worker.run(Feed(chats.store, "w1"))))
    behind = [await chats.open(where=C2, posted=False) for _ in range(3)]

    async def only_it_is_held() -> bool:
        return await held(chats.store) == [stuck.id]

    await until(lambda: sorted(screen.asks()) == sorted(one.id for one in behind), "they stand")
    await until(only_it_is_held, "the others are acknowledged", within_s=12)
    screen.go.set()

    async def none_is_held() -> bool:
        return not await held(chats.store)

    await until(none_is_held, "it is acknowledged", within_s=12)
    assert stuck.id in screen.asks()


async def test_an_ask_whose_platform_is_away_is_not_acknowledged(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """It is in this worker's hands alone; one that has ended is owed, and needs no entry."""
    screen = Screen(refuses={"C1": Later("ratelimited", LONG_S)})
    worker = worker_of(chats, screen, places(CHANNEL))
    running.append(asyncio.create_task(worker.run(Feed(chats.store, "w1"))))
    ask = await chats.open(where=CHANNEL, posted=False)
    heard = asyncio.create_task(worker.heard(ask.id))
    await until(lambda: screen.calls, "it is tried")
    await asyncio.sleep(0)
    assert await held(chats.store) == [ask.id]
    assert not heard.done()
    await chats.broker.cancel(AGENT, ask.id, None)
    worker.hurry(ask.id)
    await asyncio.wait_for(heard, 5)


# One slow place


async def test_a_lease_outlasts_a_call_that_takes_longer(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one worker is at it, no other posts the same ask in the same place."""
    monkeypatch.setattr(gateway.posts, "LEASE", timedelta(milliseconds=200))
    monkeypatch.setattr(channels.turns, "PROLONGED_S", 0.05)
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05,))
    screen = Slow(stuck={"C1"})
    one, two = [worker_of(chats.replica(), screen, places(CHANNEL), owner=f"w{n}") for n in (1, 2)]
    ask = await chats.open(where=CHANNEL, posted=False)
    one.hurry(ask.id)
    two.hurry(ask.id)
    loop = asyncio.get_running_loop()
    started = loop.time()
    await until(lambda: loop.time() > started + 0.6, "three leases have passed")
    screen.go.set()
    await at_rest(one, two)
    assert screen.asks() == [ask.id]


async def test_a_post_put_off_by_one_worker_is_made_by_no_other_meanwhile(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some of it may stand, which only that one knows; should it die, the place is free again."""
    monkeypatch.setattr(gateway.posts, "LEASE", timedelta(milliseconds=300))
    monkeypatch.setattr(channels.turns, "PROLONGED_S", 0.1)
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05,))
    busy, free = Screen(refuses={"C1": Later("pace", 0.5)}), Screen()
    one, two = [
        worker_of(chats.replica(), screen, places(CHANNEL), owner=f"w{n}")
        for n, screen in enumerate((busy, free))
    ]
    ask = await chats.open(where=CHANNEL, posted=False)
    one.hurry(ask.id)
    await until(lambda: busy.calls and not one._looks.running, "it is put off")
    busy.refuses.clear()
    two.hurry(ask.id)
    await at_rest(one, two)
    assert (busy.asks(), free.asks()) == ([ask.id], [])
    busy.refuses["C1"] = Later("pace", 0.5)
    other = await chats.open(where=CHANNEL, posted=False)
    one.hurry(other.id)
    await until(lambda: busy.called("post")[2:] and not one._looks.running, "it is put off")
    one._looks.stopping = True
    two.hurry(other.id)
    await until(lambda: free.asks() == [other.id], "the other one posts it")


async def test_a_worker_that_stops_gives_back_what_it_kept(
    chats: Chats, running: list[asyncio.Task[None]]
) -> None:
    """The next one need not wait until it has run out."""
    busy, free = Screen(refuses={"C1": Later("pace", LONG_S)}), Screen()
    one, two = [
        worker_of(chats.replica(), screen, places(CHANNEL), owner=f"w{n}")
        for n, screen in enumerate((busy, free))
    ]
    runs = asyncio.create_task(one.run(Feed(chats.store, "w0")))
    running.append(runs)
    ask = await chats.open(where=CHANNEL, posted=False)
    await until(lambda: busy.calls and not one._looks.running, "it is put off")
    runs.cancel()
    await asyncio.gather(runs, return_exceptions=True)
    await two.look(ask.id)
    assert free.asks() == [ask.id]


async def test_many_asks_in_a_slow_conversation_hold_up_no_other(chats: Chats) -> None:
    """However many wait there, another conversation's ask is posted at once."""
    screen = Slow(stuck={"C1"})
    routes: dict[str, Routed] = {}
    slow = worker_of(chats, screen, lambda ask, *, fallback: routes[ask.id](ask, fallback=fallback))
    many = [await chats.open(where=CHANNEL, posted=False) for _ in range(50)]
    routes |= {ask.id: places(CHANNEL) for ask in many}
    for ask in many:
        slow.hurry(ask.id)
    await until(lambda: len(slow._looks.running) == len(many), "they wait")
    other = await chats.open(where=C2, posted=False)
    routes[other.id] = places(C2)
    slow.hurry(other.id)
    await until(lambda: screen.asks() == [other.id], "the other one stands")
    screen.go.set()
    await at_rest(slow)
    assert len(screen.messages) == len(many) + 1


async def test_one_place_that_is_to_wait_long_delays_no_other(chats: Chats) -> None:
    """Each is tried again in its own time: the one neither later nor the other sooner."""

    class Late(Screen):
        async def update(self, where: Destination, *args: Any) -> None:
            if where == C2:
                await until(lambda: self.called("update", "C1"), "C1 has answered")
            await super().update(where, *args)

    screen = Late()
    worker = worker_of(chats, screen, places(CHANNEL, C2))
    ask = await chats.open(where=CHANNEL, posted=False)
    await shown(worker, ask, screen)
    for long in (Later("ratelimited", LONG_S), Shut("invalid_auth")):
        screen.refuses = {"C1": Later("ratelimited", 0.2), "C2": long}
        if await ask.status() == "pending":
            await chats.broker.cancel(AGENT, ask.id, None)
        worker.hurry(ask.id)
        await until(lambda: screen.called("update", "C2"), "both are tried")
        del screen.refuses["C1"]
        await until(lambda: all(m.now.view.outcome for m in screen.in_place("C1")), "C1 ends")
        assert len(screen.called("update", "C2")) == 1


# A platform that is away


async def test_a_platform_that_is_back_shows_every_end_within_two_seconds(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it was away: one ask probes it, and what it takes hurries all that wait."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.01, LONG_S))
    screen = Screen()
    worker = worker_of(chats, screen, places(CHANNEL, DIRECT))
    asks = [await chats.open(where=CHANNEL, posted=False) for _ in range(20)]
    for ask in asks:
        await shown(worker, ask, screen)
        await chats.broker.cancel(AGENT, ask.id, None)
    screen.refuses[""] = AWAY
    for ask in asks:
        worker.hurry(ask.id)
    await until(lambda: len(screen.called("update")) >= 4 * len(asks), "all failed twice")
    tries = len(screen.called("update"))
    loop = asyncio.get_running_loop()
    rests = loop.time() + 2 * channels.patience.PROBE_S
    await until(lambda: loop.time() > rests, "it is away still")
    assert 1 <= len(screen.called("update")) - tries <= 3
    screen.refuses.clear()
    await until(screen.shows_end, "all of them end", within_s=2)
    await at_rest(worker)


async def test_when_the_ask_that_probes_needs_nothing_more_another_one_does(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Withdrawn while it waited to be posted: the others do not wait for a probe that is gone."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (LONG_S,))
    monkeypatch.setattr(channels.patience, "PROBE_S", 0.1)
    screen = Screen(refuses={"": AWAY})
    worker = worker_of(chats, screen, places(CHANNEL))
    probe, other = [await chats.open(where=CHANNEL, posted=False) for _ in range(2)]
    worker.hurry(probe.id)
    await until(lambda: screen.calls, "the first one fails")
    worker.hurry(other.id)
    await until(lambda: len(screen.calls) >= 3, "the second one too")
    await chats.broker.cancel(AGENT, probe.id, None)
    await until(lambda: not worker._looks.running, "nothing is looked at")
    screen.refuses.clear()
    await until(lambda: screen.asks() == [other.id], "the other one stands")
    await at_rest(worker)


async def test_an_ask_whose_only_platform_stays_away_goes_to_the_fallback(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a minute in which nobody could see it; back, the platform has its post too."""
    monkeypatch.setattr(channels.worker, "UNSEEN_S", 0.3)
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05,))
    chats = Chats(store, [Route(conversation="slack:C1", tenant="acme")])
    screen = Screen(refuses={"C1": AWAY})
    worker = worker_of(chats, screen, places(CHANNEL, fallback=[C2]))
    ask = await chats.open(where=CHANNEL, posted=False)
    worker.hurry(ask.id)
    await until(lambda: len(screen.called("post", "C1")) >= 3, "it is tried")
    assert screen.called("post", "C2") == []
    await until(lambda: screen.in_place("C2"), "the fallback has it")
    screen.refuses.clear()
    await at_rest(worker)
    assert sorted(one.where.conversation for one in screen.shown()) == ["C1", "C2"]
    assert await undelivered(ask) == 0


@pytest.mark.parametrize("busy", [AWAY, Later("ratelimited", LONG_S)])
async def test_an_ask_that_nobody_could_see_for_a_minute_says_so_once(
    store: Store, monkeypatch: pytest.MonkeyPatch, busy: Later
) -> None:
    """There is no fallback: its ladder moves on, and it is still tried."""
    monkeypatch.setattr(channels.worker, "UNSEEN_S", 0.2)
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05,))
    chats = Chats(store, [Route(conversation="slack:C1", tenant="acme")])
    screen = Screen(refuses={"C1": busy})
    worker = worker_of(chats, screen, places(CHANNEL))
    ask = await chats.open(where=CHANNEL, posted=False, waits=timedelta(hours=4))
    worker.hurry(ask.id)

    async def says_so() -> bool:
        return await undelivered(ask) > 0

    await until(says_so, "it says so")
    worker.hurry(ask.id)
    await until(lambda: not worker._looks.running, "it is looked at again")
    assert await undelivered(ask) == 1
    assert await store.rung(ask.id) == 1
    assert worker._looks.timers or worker._looks.running
    await chats.broker.cancel(AGENT, ask.id, None)


async def undelivered(ask: Ask) -> int:
    """How often the run was told that no place took the ask."""
    return sum(event.type is EventType.ASK_UNDELIVERED for event in await ask.history())
