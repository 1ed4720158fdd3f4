"""What follows from each answer of a platform: the table of `channels.placing`, row by row."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

import channels.looks
import channels.placing
from channels.contract import (
    Destination,
    Later,
    Missing,
    Moved,
    PostError,
    Shut,
    Unfit,
    Unreachable,
    Unsure,
)
from channels.plan import Way
from gateway.posts import Post, Posts, PostState
from gateway.routes import Route
from gateway.store import Store
from tests.chats import AGENT, CHANNEL, DIRECT, Ask, Chats, texts
from tests.screens import Screen, at_rest, places, worker_of
from tests.waiting import until

PLACES = ("C1", "C2", "C9")
C2 = Destination("slack", "C2")
AWAY_S = 0.2
"""How long a platform asks us to wait: long enough to be told from at once."""


@pytest.fixture(autouse=True)
def no_long_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker's rests, the same in kind, a tenth as long."""
    monkeypatch.setattr(channels.looks, "AGAIN_S", (0.05, 0.1, 0.2))
    monkeypatch.setattr(channels.placing, "SHUT_AGAIN_S", 0.1)


class Scene:
    """One ask, one screen and one worker."""

    def __init__(self, chats: Chats, ask: Ask, screen: Screen, *fallback: Destination) -> None:
        self.chats = chats
        self.ask = ask
        self.screen = screen
        self.worker = worker_of(chats, screen, places(CHANNEL, fallback=fallback))
        self.posts = Posts(chats.store, "test")

    async def look(self) -> None:
        """One look, and all that it leads to."""
        self.worker.hurry(self.ask.id)
        await at_rest(self.worker)

    async def end(self) -> None:
        await self.chats.broker.cancel(AGENT, self.ask.id, None)

    async def post(self, place: str = "slack:C1") -> Post:
        return (await self.posts.of(self.ask.id))[place]

    async def to_redraw(self) -> str:
        """Its post is drawn as of no version, as one that was found; the message."""
        await self.look()
        shown = await self.post()
        assert shown.message is not None
        await self.posts.keep(self.ask.id, replace(shown, version=0))
        return shown.message

    async def undelivered(self) -> int:
        """How often the run was told that no place took the ask."""
        history = await self.ask.history()
        return sum(event.type.value == "ask.undelivered" for event in history)


@pytest.fixture
async def scene(store: Store) -> Scene:
    """An ask that waits, not posted yet, for places whose members may see it."""
    routes = [Route(conversation=f"slack:{n}", tenant="acme", content=True) for n in PLACES]
    chats = Chats(store, routes)
    return Scene(chats, await chats.open(where=CHANNEL, posted=False), Screen(), C2)


# While it waits


async def test_rate_limited_it_is_posted_after_the_time_that_was_asked_for(scene: Scene) -> None:
    """Later: not once before, and then at once."""
    scene.screen.refuses["C1"] = Later("ratelimited", AWAY_S)
    scene.worker.hurry(scene.ask.id)
    await until(lambda: scene.screen.calls, "it is tried")
    del scene.screen.refuses["C1"]
    await at_rest(scene.worker)
    first, second = scene.screen.called("post")
    assert second.at_s - first.at_s >= AWAY_S
    assert scene.screen.asks() == [scene.ask.id]


async def test_while_the_platform_is_away_it_is_tried_ever_more_rarely(scene: Scene) -> None:
    """Later, no time named: each rest is longer; back again, it is posted once."""
    scene.screen.refuses["C1"] = Later("away")
    scene.worker.hurry(scene.ask.id)
    await until(lambda: len(scene.screen.calls) == 4, "it is tried four times")
    del scene.screen.refuses["C1"]
    await at_rest(scene.worker)
    tries = [call.at_s for call in scene.screen.called("post")]
    rests = [after - before for before, after in pairwise(tries)]
    assert rests[0] < rests[1] < rests[2]
    assert scene.screen.asks() == [scene.ask.id]
    assert await scene.undelivered() == 0


async def test_a_lost_answer_is_asked_for_again_under_the_same_key(scene: Scene) -> None:
    """Unsure: a platform that posts once per key has one post, and it is the one recorded."""
    scene.screen.loses, scene.screen.keyed = 1, True
    await scene.look()
    assert len(scene.screen.keys) == 2
    assert len(set(scene.screen.keys)) == 1
    (message,) = scene.screen.messages
    assert (await scene.post()).message == message


async def test_a_lost_answer_costs_one_post_at_most_where_there_are_no_keys(scene: Scene) -> None:
    """Unsure: the second is the one recorded; the first is found when it is pressed."""
    scene.screen.loses = 1
    await scene.look()
    first, second = scene.screen.messages
    assert (await scene.post()).message == second
    scene.worker.adopt(scene.ask.id, CHANNEL, first)
    await at_rest(scene.worker)
    await scene.end()
    await scene.look()
    assert scene.screen.shows_end()
    assert await scene.posts.owed() == []


async def test_a_deleted_post_is_made_anew(scene: Scene) -> None:
    """Missing: what waits must stand somewhere, also where a key posts only once."""
    scene.screen.keyed = True
    gone = await scene.to_redraw()
    scene.screen.messages[gone].deleted = True
    await scene.look()
    assert scene.screen.asks() == [scene.ask.id]
    found = await scene.post()
    assert found.message != gone
    assert found.message is not None
    shown = await scene.chats.conversations.post(CHANNEL.name, found.message)
    assert shown is not None
    assert shown.ask_id == scene.ask.id


async def test_a_conversation_that_has_moved_is_followed(scene: Scene) -> None:
    """Moved: it stands in the new place, a reply there finds it, and nobody goes back."""
    scene.screen.refuses["C1"] = Moved("migrated", "C9")
    await scene.look()
    assert [one.where.conversation for one in scene.screen.shown()] == ["C9"]
    assert (await scene.post("slack:C9")).state is PostState.SHOWN
    (waits,) = await scene.chats.conversations.waiting("slack:C9")
    assert waits.record.ask.id == scene.ask.id
    tries = len(scene.screen.called("post", "C1"))
    await scene.look()
    assert len(scene.screen.called("post", "C1")) == tries
    await scene.end()
    await scene.look()
    assert scene.screen.shows_end()
    assert await scene.posts.owed() == []


async def test_a_conversation_that_moves_under_its_post_is_followed(scene: Scene) -> None:
    """Moved, on drawing anew: it is posted in the new place."""
    await scene.to_redraw()
    scene.screen.refuses["C1"] = Moved("migrated", "C9")
    await scene.look()
    assert [one.now.view.ask_id for one in scene.screen.in_place("C9")] == [scene.ask.id]
    assert (await scene.post("slack:C9")).state is PostState.SHOWN


async def test_a_drawing_that_is_refused_is_drawn_as_plain_text(scene: Scene) -> None:
    """Unfit: nothing to press, every option in the text; and its end is drawn plain too."""
    scene.screen.unfit = "controls"
    await scene.look()
    (post,) = scene.screen.shown()
    assert post.now.presentation is not None
    assert post.now.presentation.way is Way.TEXT
    assert all(label in post.now.text for label in ("Staging", "Production", "Cancel"))
    await scene.end()
    await scene.look()
    assert scene.screen.shows_end()


async def test_where_even_plain_text_is_refused_it_is_given_up_there(scene: Scene) -> None:
    """Unfit twice: no third try, and the next route."""
    scene.screen.refuses["C1"] = Unfit("invalid_blocks")
    await scene.look()
    assert len(scene.screen.called("post", "C1")) == 2
    assert (await scene.post()).state is PostState.FAILED
    assert [one.where for one in scene.screen.shown()] == [C2]


@pytest.mark.parametrize("error", [Unreachable("not_in_channel"), Missing("no_thread")])
async def test_a_place_that_takes_nothing_is_given_up_for_the_next_route(
    scene: Scene, error: PostError
) -> None:
    """Unreachable: one try, the platform's code on record, and the fallback has it."""
    scene.screen.refuses["C1"] = error
    await scene.look()
    await scene.look()
    assert len(scene.screen.called("post", "C1")) == 1
    failed = await scene.post()
    assert (failed.state, failed.reason) == (PostState.FAILED, error.code)
    assert [one.where for one in scene.screen.shown()] == [C2]
    assert await scene.undelivered() == 0


async def test_an_account_that_is_shut_is_tried_again_at_the_next_look(scene: Scene) -> None:
    """Shut: given up for now, the fallback has it; mended, the place gets its post."""
    scene.screen.refuses["C1"] = Shut("invalid_auth")
    await scene.look()
    assert (await scene.post()).state is PostState.SHUT
    assert [one.where for one in scene.screen.shown()] == [C2]
    del scene.screen.refuses["C1"]
    await scene.look()
    assert sorted(one.where.conversation for one in scene.screen.shown()) == ["C1", "C2"]


async def test_a_post_under_an_account_that_is_shut_stays_known(scene: Scene) -> None:
    """Shut, on drawing anew: the message still stands there, and is the one drawn later."""
    message = await scene.to_redraw()
    scene.screen.refuses["C1"] = Shut("invalid_auth")
    scene.worker.hurry(scene.ask.id)
    await until(lambda: len(scene.screen.called("update")) >= 2, "it is tried now and then")
    del scene.screen.refuses["C1"]
    await at_rest(scene.worker)
    assert list(scene.screen.messages) == [message]
    assert (await scene.post()).version == 1
    await scene.end()
    await scene.look()
    assert scene.screen.shows_end()


# Once it has ended


async def ended(scene: Scene) -> str:
    """The ask was posted and has ended; its post, not drawn anew yet."""
    await scene.look()
    await scene.end()
    message = (await scene.post()).message
    assert message is not None
    return message


async def closed(scene: Scene) -> bool:
    """Whether nothing is left to be done."""
    post = await scene.post()
    return post.state is PostState.CLOSED and await scene.posts.owed() == []


@pytest.mark.parametrize("error", [Later("ratelimited", 0.05), Later("away"), Unsure("lost")])
async def test_an_end_that_could_not_be_drawn_just_now_is_drawn_later(
    scene: Scene, error: PostError
) -> None:
    """Later and Unsure: until the post shows it."""
    await ended(scene)
    scene.screen.refuses["C1"] = error
    scene.worker.hurry(scene.ask.id)
    await until(lambda: len(scene.screen.called("update")) >= 2, "it is tried again")
    assert not await closed(scene)
    del scene.screen.refuses["C1"]
    await at_rest(scene.worker)
    assert scene.screen.shows_end()
    assert await closed(scene)


@pytest.mark.parametrize("error", [Missing("message_not_found"), Unreachable("channel_not_found")])
async def test_where_nothing_of_ours_can_be_drawn_any_more_it_is_done(
    scene: Scene, error: PostError
) -> None:
    """Missing and Unreachable: drawn once in vain, nothing posted anew, nothing owed."""
    await ended(scene)
    scene.screen.refuses["C1"] = error
    await scene.look()
    await scene.look()
    assert len(scene.screen.called("update")) == 1
    assert len(scene.screen.messages) == 1
    assert await closed(scene)


@pytest.mark.parametrize("talks", [True, False])
async def test_the_end_of_a_deleted_post_is_told_where_it_stood(scene: Scene, talks: bool) -> None:
    """Missing: one note, where the platform takes one; nothing is posted anew."""
    message = await ended(scene)
    scene.screen.messages[message].deleted = True
    scene.screen.talks = talks
    await scene.look()
    await scene.look()
    told = ["No longer needed: the question was withdrawn."] if talks else []
    assert scene.screen.messages[message].notes == told
    assert len(scene.screen.called("note")) == 1
    assert len(scene.screen.messages) == 1
    assert await closed(scene)


async def test_an_end_follows_its_conversation(scene: Scene) -> None:
    """Moved: the same message is drawn in the new place."""
    message = await ended(scene)
    scene.screen.refuses["C1"] = Moved("migrated", "C9")
    await scene.look()
    assert [call.conversation for call in scene.screen.called("update")] == ["C1", "C9"]
    assert scene.screen.messages[message].now.view.outcome is not None
    assert len(scene.screen.messages) == 1
    assert (await scene.post("slack:C9")).state is PostState.CLOSED
    assert await closed(scene)


async def test_an_end_that_cannot_be_drawn_is_told_once_under_the_post(scene: Scene) -> None:
    """Unfit: one closing note."""
    message = await ended(scene)
    scene.screen.unfit = "all"
    await scene.look()
    await scene.look()
    assert scene.screen.messages[message].notes == ["No longer needed: the question was withdrawn."]
    assert await closed(scene)


async def test_a_note_that_is_refused_too_ends_it(scene: Scene) -> None:
    """Unfit, and nothing else goes either: it is not tried for ever."""
    await ended(scene)
    scene.screen.refuses["C1"] = Unfit("invalid_blocks")
    await scene.look()
    assert len(scene.screen.called("note")) == 1
    assert await closed(scene)


async def test_an_end_under_an_account_that_is_shut_is_drawn_once_it_is_mended(
    scene: Scene,
) -> None:
    """Shut: owed until then, and tried now and then."""
    await ended(scene)
    scene.screen.refuses["C1"] = Shut("account_inactive")
    scene.worker.hurry(scene.ask.id)
    await until(lambda: len(scene.screen.called("update")) >= 2, "it is tried again")
    assert await scene.posts.owed() == [scene.ask.id]
    del scene.screen.refuses["C1"]
    await at_rest(scene.worker)
    assert scene.screen.shows_end()
    assert await closed(scene)


async def test_a_private_chat_has_the_same_rows(chats: Chats) -> None:
    """It is opened once, posted to and drawn anew, for its one person."""
    screen = Screen()
    worker = worker_of(chats, screen, places(DIRECT))
    ask = await chats.open(posted=False)
    worker.hurry(ask.id)
    await at_rest(worker)
    assert screen.asks() == [ask.id]
    assert texts(await ask.press("o1")) == ["Got it: Staging."]
    worker.hurry(ask.id)
    await at_rest(worker)
    assert screen.shows_end()
    assert len(screen.called("direct")) == 1
