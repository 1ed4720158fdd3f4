"""Given cases on delivery (DD): what comes twice, late or not at all, in both directions."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest
import redis.asyncio

from channels.testing.slack import Slack
from channels.testing.teams import Teams
from gateway.ask import Run
from gateway.broker import Broker
from gateway.question import Kind, Question
from gateway.redis_store import open_store
from gateway.waiting import Waiters
from tests.channels.cases.scenes import (
    FOUR,
    Scene,
    in_private,
    scene,
)
from tests.channels.gatewayed import AGENT
from tests.strategies_reply import choice, field
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.platform import Message, Platform
    from channels.testing.slack.delivery import Delivery
    from channels.testing.telegram import Telegram

POSTING = {
    "slack": "chat.postMessage",
    "teams": "sendToConversation",
    "discord": "create_message",
    "telegram": "sendMessage",
}
"""The call by which each platform is posted to."""

ACKNOWLEDGED_WITHIN_S = 3.0
"""Slack's: what takes longer is brought again."""

EVER_S = 30.0
"""Ours: longer than the rests between two tries of a post."""


def brought(made: Scene, text: str) -> Delivery:
    """The delivery of the message with this text, once it is over."""
    found: Delivery = next(
        one
        for one in made.place.platform.deliveries
        if one.payload.get("event", {}).get("text") == text and one.answer is not None
    )
    return found


async def taken(made: Scene, text: str) -> Delivery:
    """The same, waited for."""

    def over() -> bool:
        events = [one.payload.get("event", {}).get("text") for one in _over(made)]
        return text in events

    await made.place.platform.until(over)
    return brought(made, text)


def _over(made: Scene) -> list[Delivery]:
    return [one for one in made.place.platform.deliveries if one.answer is not None]


def failure(made: Scene) -> str | None:
    """What became of the last delivery; None: it was acknowledged."""
    answer = _over(made)[-1].answer
    assert answer is not None
    return answer.failure


async def test_dd_01_an_event_that_comes_four_times_answers_and_is_confirmed_once(
    redis_url: str, tmp_path: Path
) -> None:
    """DD-01: each delivery is acknowledged in time, the first alone has an effect and a word."""
    async with scene(redis_url, tmp_path, "slack") as made:
        ask = await made.ask()
        await made.reply("Ana", await made.post(), "1")
        assert await made.answer(ask) == "Staging"
        await made.reads("Ana", "Got it")
        first = await taken(made, "1")
        before = made.seen("Ana")
        loop = asyncio.get_running_loop()
        for span in (3, 60, 300):
            made.pass_time(timedelta(seconds=span))
            at = loop.time()
            await made.place.platform.again(first)
            assert failure(made) is None
            assert loop.time() - at < ACKNOWLEDGED_WITHIN_S
        await made.made.closed(ask)
        assert await made.answer(ask) == "Staging"
        assert sum("Got it" in one for one in made.seen("Ana")) == 1
        assert len(made.seen("Ana")) == len(before)


@pytest.mark.parametrize("name", ["slack", "teams", "telegram"])
async def test_dd_03_a_retry_after_all_memory_is_gone_has_no_second_effect_and_no_word(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """DD-03: five minutes later, in another process; Discord alone never brings a message again."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        message = await made.reply("Ana", await made.post(), "1")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        await made.reads("Ana", "Got it")
        await made.restart()
        said = made.seen("Ana")
        made.pass_time(timedelta(seconds=301))
        platform: Any = made.place.platform
        match platform:
            case Slack():
                await platform.again(brought(made, "1"))
                assert failure(made) is None
            case Teams():
                assert (await platform.again(message)).status == 200
            case _:
                await platform.until(lambda: platform.polling and not platform.updates.pending)
                platform.repeat()
                await platform.until(lambda: platform.polling and not platform.updates.pending)
        await made.restart()  # whatever was still to be said has been said
        assert made.seen("Ana") == said
        assert await made.answer(ask) == "Staging"


@pytest.mark.parametrize(("text", "said"), [("1", "Got it"), ("9", "There is no option 9")])
async def test_dd_04_one_message_in_two_envelopes_is_taken_once(
    redis_url: str, tmp_path: Path, text: str, said: str
) -> None:
    """DD-04: both are marked as first attempts; one answer, one correction."""
    async with scene(redis_url, tmp_path, "slack") as made:
        ask = await made.ask()
        await made.reply("Ana", await made.post(), text)
        first = await taken(made, text)
        made.place.platform.emit(first.payload["event"])
        await made.reads("Ana", said)
        await made.place.platform.until(lambda: _copies(made, text) == 2)
        assert first.payload["event_id"] != _over(made)[-1].payload["event_id"]
        assert _over(made)[-1].attempt == 0
        await made.restart()  # whatever was still to be said has been said
        assert sum(said in one for one in made.seen("Ana")) == 1
        record = await made.made.record(ask)
        assert await made.endings(record) == (1 if text == "1" else 0)


def _copies(made: Scene, text: str) -> int:
    return sum(one.payload.get("event", {}).get("text") == text for one in _over(made))


async def test_dd_05_a_message_announced_again_unchanged_changes_nothing(
    redis_url: str, tmp_path: Path
) -> None:
    """DD-05: a changed event with the same words is Slack's own, and gets no answer."""
    async with scene(redis_url, tmp_path, "slack") as made:
        ask = await made.asks(field(Kind.TEXT, "answer"), prompt="Name it.")
        await made.reply("Ana", await made.post(), "@OZ Aurora")
        assert await made.answer(ask) == "Aurora"
        await made.made.closed(ask)
        await made.reads("Ana", "Got it")
        said = made.seen("Ana")
        inner = (await taken(made, "<@UOZ> Aurora")).payload["event"]
        held = {
            key: value for key, value in inner.items() if key not in ("channel", "channel_type")
        }
        changed = {
            "type": "message",
            "subtype": "message_changed",
            "channel": inner["channel"],
            "channel_type": "channel",
            "ts": inner["ts"],
            "message": held,
            "previous_message": held,
        }
        before = len(_over(made))
        made.place.platform.emit(changed)
        await made.place.platform.until(lambda: len(_over(made)) > before)
        assert failure(made) is None
        await made.restart()
        assert made.seen("Ana") == said
        assert await made.answer(ask) == "Aurora"


async def test_dd_08_an_update_that_was_fetched_and_not_kept_is_fetched_again(
    redis_url: str, tmp_path: Path
) -> None:
    """DD-08: the store takes nothing, the process dies; the next one gets the update anew."""
    async with scene(redis_url, tmp_path, "telegram", routes=in_private) as made:
        ask = await made.ask()
        await made.private_post()
        telegram: Telegram = made.place.platform
        await telegram.until(lambda: telegram.polling)
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            await client.client_pause(60_000, all=False)
            try:
                await telegram.type(made.place.accounts["Ana"], made.place.accounts["Ana"], "2")
                (update,) = telegram.updates.pending
                await telegram.until(lambda: not telegram.polling)
                await made.end()
            finally:
                await client.client_unpause()
        assert telegram.updates.pending == [update]
        await made.begin()
        assert await made.answer(ask) == "Production"
        await telegram.until(lambda: not telegram.updates.pending)


@pytest.mark.parametrize("name", FOUR)
async def test_dd_10_a_post_whose_answer_was_lost_is_made_once_more_at_most(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """DD-10: one or two posts of one ask; one that nobody recorded shows the state when pressed."""
    async with scene(redis_url, tmp_path, name) as made:
        platform: Platform = made.place.platform
        platform.fail(POSTING[name], lost=True)
        ask = await made.ask()
        await until(lambda: _is_recorded(made, ask), "a post is recorded", within_s=EVER_S)
        posts = _posts(made)
        assert 1 <= len(posts) <= 2
        await made.pick("Ana", posts[-1], "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        for extra in _alive(made):
            await made.pick("Ana", extra, "Cancel")
            await made.reads("Ana", "You answered at")
        await platform.until(lambda: not _alive(made))
        assert all("Answered: Staging" in one.text for one in _posts(made))
        assert await made.answer(ask) == "Staging"
        assert len(_posts(made)) == len(posts)


async def _is_recorded(made: Scene, ask: str) -> bool:
    return list((await made.made.where(ask)).values()) == ["shown"]


def _posts(made: Scene) -> list[Message]:
    return [one for one in made.place.posts() if "Where should build 41 go?" in one.text]


def _alive(made: Scene) -> list[Message]:
    return [one for one in _posts(made) if one.controls]


async def test_dd_15_an_ask_that_was_stored_and_never_posted_is_posted_after_the_restart(
    redis_url: str, tmp_path: Path
) -> None:
    """DD-15: nobody heard of it; every platform has it once, whoever comes up."""
    store = await open_store(redis_url)
    broker = Broker(store, Waiters(store))
    await broker.create_run(AGENT, Run(id="job", tenant="default", agent="asker"))
    question = Question(prompt="Where should build 41 go?", fields=(choice("Staging", "Cancel"),))
    standing = await broker.open_question(AGENT, "job", question, call_id="c")
    assert standing.record is not None
    await store.aclose()
    async with scene(redis_url, tmp_path) as made:
        for place in made.town.places.values():
            post = await made.post(place)
            assert "Where should build 41 go?" in post.text
        await made.restart()
        for place in made.town.places.values():
            assert len(place.posts()) == 1
        assert (await made.made.record(standing.record.ask.id)).pending
