"""An ask that nobody can see says so, once, and its ladder moves on, whatever places answered."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

import channels.looks
from channels.contract import Destination, Later, Moved, Shut, Unreachable
from channels.worker import Worker
from gateway.metrics import Metrics
from gateway.posts import Posts
from gateway.routes import Route, targets
from gateway.store import EventType, Store
from tests.chats import AGENT, Ask, Chats
from tests.screens import Screen, at_rest, worker_of
from tests.waiting import until

WAIT = timedelta(hours=4)
C2 = Destination("slack", "C2")

TO_C1 = Route(conversation="slack:C1", tenant="acme", content=True)
TO_KEVIN = Route(person="kevin", tenant="acme")
ELSE_C2 = Route(conversation="slack:C2", tenant="acme", content=True, fallback=True)
GONE = Unreachable("not_in_channel")


@pytest.fixture(autouse=True)
def no_long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's rests, the same in kind, a tenth as long."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05, 0.1, 0.2))


def routed_by(chats: Chats) -> Any:
    """The routes that those chats have."""
    return partial(targets, chats.routes, chats.everyone.people)


async def look(worker: Worker, ask: Ask) -> None:
    """One look, and all that it leads to."""
    worker.hurry(ask.id)
    await at_rest(worker)


async def told(ask: Ask) -> list[str]:
    """What its run was told of posts and reminders, in order."""
    kinds = (EventType.ASK_UNDELIVERED, EventType.WAITING, EventType.ESCALATED)
    return [event.type.value for event in await ask.history() if event.type in kinds]


async def test_an_ask_that_no_place_took_says_so_once_and_its_ladder_moves_on(
    store: Store,
) -> None:
    """On the run's history, at once, and once: looked at again, and by others, nothing is added."""
    chats, screen, metrics = Chats(store, [TO_C1]), Screen(refuses={"": GONE}), Metrics()
    worker = worker_of(chats, screen, routed_by(chats), metrics=metrics)
    ask = await chats.open(posted=False, waits=WAIT)
    await look(worker, ask)
    assert await told(ask) == ["ask.undelivered", "question.waiting"]
    assert await store.rung(ask.id) == 1
    await look(worker, ask)
    await look(worker_of(chats.replica(), screen, routed_by(chats), owner="w2"), ask)
    assert await told(ask) == ["ask.undelivered", "question.waiting"]
    assert b"oz_asks_undelivered_total 1.0" in metrics.render()[0]
    assert b'oz_posts_total{channel="slack",result="failed"} 1.0' in metrics.render()[0]


async def test_an_ask_without_a_deadline_says_so_too(store: Store) -> None:
    """Its ladder moves on as well."""
    chats = Chats(store, [TO_C1])
    ask = await chats.open(posted=False)
    await look(worker_of(chats, Screen(refuses={"": GONE}), routed_by(chats)), ask)
    assert await told(ask) == ["ask.undelivered", "question.waiting"]


@pytest.mark.parametrize(
    "routes",
    [
        [],
        [Route(conversation="slack:C1", tenant="acme", agents=("billing",))],
        [Route(conversation="slack:C1", tenant="acme", own=True)],
    ],
)
async def test_what_nobody_routes_anywhere_is_not_called_undelivered(
    store: Store, routes: list[Route]
) -> None:
    """It has no destinations: it is answered in OZ, and nobody is alarmed."""
    chats = Chats(store, routes)
    ask = await chats.open(posted=False)
    await look(worker_of(chats, Screen(), routed_by(chats)), ask)
    assert await told(ask) == []


TO_NOWHERE = {
    "a person without an account": ([Route(person="nobody", tenant="acme")], ()),
    "a destination without an account": (
        [Route(person="nobody", tenant="acme")],
        ("person:nobody",),
    ),
    "a person named, of no route": ([], ("person:bob",)),
    "a channel that is not there": ([Route(conversation="teams:C1", tenant="acme")], ()),
    "an own route of another place": (
        [Route(conversation="slack:C1", tenant="acme", own=True)],
        ("slack:C1",),
    ),
}
"""Routes that lead nowhere, and the destinations that an ask names."""


@pytest.mark.parametrize("name", TO_NOWHERE)
async def test_an_ask_whose_places_come_to_nothing_falls_back_or_says_so(
    store: Store, name: str
) -> None:
    """With a fallback that has it; without one its run is told, and its ladder moves on."""
    routes, destinations = TO_NOWHERE[name]
    for fallback, shown, said in (
        ([ELSE_C2], [C2], []),
        ([], [], ["ask.undelivered", "question.waiting"]),
    ):
        chats, screen = Chats(store, [*routes, *fallback]), Screen()
        ask = await chats.open(posted=False, waits=WAIT, destinations=destinations)
        await look(worker_of(chats, screen, routed_by(chats)), ask)
        assert [one.where for one in screen.shown()] == shown
        assert await told(ask) == said


async def test_a_fallback_alone_has_what_no_other_place_took(store: Store) -> None:
    """No other route is for it: it is posted there."""
    chats, screen = Chats(store, [ELSE_C2]), Screen()
    ask = await chats.open(posted=False)
    await look(worker_of(chats, screen, routed_by(chats)), ask)
    assert [one.where for one in screen.shown()] == [C2]
    assert await told(ask) == []


async def test_a_post_on_a_channel_that_is_gone_holds_up_no_other(store: Store) -> None:
    """A channel was taken out of the config: the other posts of its asks are drawn all the same."""
    chats, screen = Chats(store, [TO_C1, TO_KEVIN]), Screen()
    worker = worker_of(chats, screen, routed_by(chats))
    ask = await chats.open(posted=False)
    await look(worker, ask)
    assert len(screen.shown()) == 3
    left = worker_of(chats.replica(), screen, routed_by(chats), owner="w2", names=("slack",))
    await chats.broker.cancel(AGENT, ask.id, None)
    await look(left, ask)
    ended = {one.where.channel for one in screen.shown() if one.now.view.outcome}
    assert ended == {"slack"}


async def test_the_next_routes_have_it_before_it_is_called_undelivered(store: Store) -> None:
    """A fallback route took it: somebody can see it, and nothing is said."""
    chats, screen = Chats(store, [TO_C1, ELSE_C2]), Screen(refuses={"C1": GONE})
    ask = await chats.open(posted=False)
    worker = worker_of(chats, screen, routed_by(chats))
    await look(worker, ask)
    assert [one.where for one in screen.shown()] == [C2]
    assert await told(ask) == []
    await look(worker, ask)
    assert len(screen.messages) == 1


async def test_one_place_is_enough(store: Store) -> None:
    """Of two places one took it; the fallback is not asked."""
    chats = Chats(store, [TO_C1, TO_KEVIN, ELSE_C2])
    screen = Screen(refuses={"C1": GONE, "D7": GONE})
    ask = await chats.open(posted=False)
    await look(worker_of(chats, screen, routed_by(chats)), ask)
    assert [one.where.conversation for one in screen.shown()] == ["D1"]
    assert await told(ask) == []


@pytest.mark.parametrize("error", [GONE, Shut("invalid_auth")])
async def test_people_who_cannot_be_written_to_leave_it_undelivered(
    store: Store, error: Exception
) -> None:
    """Their chats with us cannot even be opened: the same as a post that failed."""
    chats, screen = Chats(store, [TO_KEVIN]), Screen(refuses={"": error})
    ask = await chats.open(posted=False)
    await look(worker_of(chats, screen, routed_by(chats)), ask)
    assert screen.called("post") == []
    assert await told(ask) == ["ask.undelivered", "question.waiting"]
    kept = await Posts(store, "test").of(ask.id)
    assert sorted(kept) == ["slack:@T1/U1", "telegram:@1001"]


async def test_a_person_is_written_to_once_the_account_is_mended(store: Store) -> None:
    """What was shut when the chat was to be opened is tried at the next look."""
    chats, screen = Chats(store, [TO_KEVIN]), Screen(refuses={"": Shut("invalid_auth")})
    worker = worker_of(chats, screen, routed_by(chats))
    ask = await chats.open(posted=False)
    await look(worker, ask)
    del screen.refuses[""]
    await look(worker, ask)
    assert sorted(one.where.conversation for one in screen.shown()) == ["D1", "D7"]
    await look(worker, ask)
    assert len(screen.messages) == 2
    await chats.broker.cancel(AGENT, ask.id, None)
    await look(worker, ask)
    assert screen.shows_end()
    assert await Posts(store, "test").owed() == []


async def test_a_person_who_cannot_be_reached_is_not_tried_again(store: Store) -> None:
    """Blocked stays blocked: one try for each account."""
    chats, screen = Chats(store, [TO_KEVIN]), Screen(refuses={"": GONE})
    worker = worker_of(chats, screen, routed_by(chats))
    ask = await chats.open(posted=False)
    await look(worker, ask)
    await look(worker, ask)
    assert len(screen.called("direct")) == 2


async def test_a_chat_that_could_not_be_opened_just_now_is_opened_later(store: Store) -> None:
    """Rate limited: nothing is given up, and nothing is said."""
    chats, screen = Chats(store, [TO_KEVIN]), Screen(refuses={"": Later("ratelimited", 0.05)})
    worker = worker_of(chats, screen, routed_by(chats))
    ask = await chats.open(posted=False)
    worker.hurry(ask.id)
    await until(lambda: len(screen.called("direct")) >= 4, "it is tried again")
    del screen.refuses[""]
    await at_rest(worker)
    assert sorted(one.where.conversation for one in screen.shown()) == ["D1", "D7"]
    assert await told(ask) == []


async def test_a_fallback_that_fails_later_is_noticed_too(store: Store) -> None:
    """First it was busy, then gone: from then on nobody can see the ask, and it says so."""
    chats = Chats(store, [TO_C1, ELSE_C2])
    screen = Screen(refuses={"C1": GONE, "C2": Later("ratelimited", 0.05)})
    worker = worker_of(chats, screen, routed_by(chats))
    ask = await chats.open(posted=False)
    worker.hurry(ask.id)
    await until(lambda: len(screen.called("post", "C2")) >= 2, "the fallback is tried again")
    assert await told(ask) == []
    screen.refuses["C2"] = GONE
    await at_rest(worker)
    assert await told(ask) == ["ask.undelivered", "question.waiting"]


async def test_a_place_that_moved_out_of_reach_is_noticed_too(store: Store) -> None:
    """Followed to its new place, which takes nothing: nobody can see the ask."""
    chats = Chats(store, [TO_C1])
    screen = Screen(refuses={"C1": Moved("migrated", "C9"), "C9": GONE})
    ask = await chats.open(posted=False)
    await look(worker_of(chats, screen, routed_by(chats)), ask)
    assert await told(ask) == ["ask.undelivered", "question.waiting"]


async def test_what_is_tried_again_soon_is_waited_for(store: Store) -> None:
    """One place is gone, the others are busy: neither the fallback nor an alarm until they say."""
    chats = Chats(store, [TO_C1, TO_KEVIN, ELSE_C2])
    busy = Later("ratelimited", 0.05)
    screen = Screen(refuses={"C1": GONE, "D1": busy, "D7": busy})
    worker = worker_of(chats, screen, routed_by(chats))
    ask = await chats.open(posted=False)
    worker.hurry(ask.id)
    await until(lambda: len(screen.called("direct")) >= 4, "they are tried again")
    assert screen.called("post", "C2") == []
    del screen.refuses["D1"], screen.refuses["D7"]
    await at_rest(worker)
    assert sorted(one.where.conversation for one in screen.shown()) == ["D1", "D7"]
    assert await told(ask) == []


async def test_an_ask_that_ends_while_it_is_drawn_is_not_called_undelivered(store: Store) -> None:
    """Its only post is closed, for it has ended, and not because nobody took it."""
    chats = Chats(store, [TO_C1])

    class Quick(Screen):
        async def post(self, *args: Any) -> tuple[str, int]:
            made = await super().post(*args)
            await chats.broker.cancel(AGENT, ask.id, None)
            return made

    screen = Quick()
    ask = await chats.open(posted=False)
    await look(worker_of(chats, screen, routed_by(chats)), ask)
    assert screen.shows_end()
    assert await told(ask) == []
