"""Telegram by webhook, through restarts, and when a group gets another id."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from channels.contract import (
    Interaction,
    Response,
)
from channels.testing.telegram import Telegram
from gateway.errors import Unavailable
from gateway.question import Kind
from tests.channels.gatewayed import gateway, settings
from tests.channels.telegram.doors import (
    of,
    open_transport,
)
from tests.channels.telegram.rooms import (
    ANA,
    BASIC,
    BEN,
    GROUP,
    PEOPLE,
    TO_ANA,
    TO_GROUP,
    platform,
    posted,
    room,
    shows,
    to,
)
from tests.strategies_reply import choice, field, several

HOOK = "https://oz.example/telegram"


@pytest.fixture
async def hooked(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Telegram, Any]]:
    """A gateway that Telegram posts to."""
    async with platform(retry_s=0.05) as chat:
        table = chat.settings() | {"mode": "webhook", "webhook_url": HOOK}
        config = settings({"telegram": table}, PEOPLE, TO_ANA + TO_GROUP, tmp_path)
        async with gateway(config, redis_url) as oz:
            chat.lead(HOOK, f"{oz.hooks}/telegram")
            await chat.until(lambda: chat.updates.webhook is not None)
            yield chat, oz


async def test_a_webhook_brings_presses_and_words(hooked: tuple[Telegram, Any]) -> None:
    """As polling does; pastes too."""
    chat, oz = hooked
    first = await oz.ask(choice("red", "blue"))
    await chat.press(ANA, await posted(chat, ANA), "1. red")
    assert (await oz.ended(first)).outcome is not None
    second = await oz.ask(field(Kind.TEXT))
    post = await posted(chat, GROUP, 2)
    text = " ".join(f"word{n}" for n in range(1000))
    await chat.type(ANA, GROUP, text, reply_to=post.id)
    outcome = (await oz.ended(second)).outcome
    assert outcome is not None
    assert outcome.values == {"value": text}
    await chat.until(lambda: not chat.updates.pending)


async def test_only_telegram_may_post_to_it(hooked: tuple[Telegram, Any]) -> None:
    """SE-04: without the secret nothing is read; what is no update is let go."""
    chat, oz = hooked
    assert chat.updates.webhook is not None
    secret = chat.updates.webhook.secret or ""
    url = f"{oz.hooks}/telegram"
    header = "X-Telegram-Bot-Api-Secret-Token"
    async with aiohttp.ClientSession() as session:
        for given, body, status in (
            ({}, "{}", 401),
            ({header: "wrong"}, "{}", 401),
            ({header: secret}, "nonsense", 400),
            ({header: secret}, "[1]", 200),
        ):
            async with session.post(url, data=body, headers=given) as answer:
                assert answer.status == status


async def test_a_message_that_cannot_be_kept_is_to_come_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The webhook says so, and hears of the same message only once it is kept."""
    monkeypatch.setattr("channels.telegram.transport.HOOK_S", 0.05)
    from aiohttp.test_utils import TestClient, TestServer
    from aiohttp.web import Application

    more = {"mode": "webhook", "webhook_url": HOOK}
    async with platform() as chat, open_transport(chat, more) as (transport, door):
        hold = asyncio.Event()

        async def slowly(_: Interaction) -> Response:
            await hold.wait()
            return Response()

        door.answers = slowly
        app = Application()
        app.add_routes(transport.routes())
        async with chat.held():
            await chat.type(ANA, ANA, "one")
            [update] = [one.body for one in chat.updates.pending]
        headers = {"X-Telegram-Bot-Api-Secret-Token": of(chat, **more).webhook_secret}
        async with TestClient(TestServer(app)) as client:
            first = await client.post("/telegram", json=update, headers=headers)
            again = await client.post("/telegram", json=update, headers=headers)
            hold.set()
            last = await client.post("/telegram", json=update, headers=headers)
        assert [first.status, again.status, last.status] == [503, 503, 200]
        assert door.words == ["one"]


async def test_what_comes_before_we_know_who_we_are_is_to_come_again() -> None:
    """With the Bot API away at our start, nothing can be told apart from our own words."""
    from aiohttp.test_utils import TestClient, TestServer
    from aiohttp.web import Application

    more = {"mode": "webhook", "webhook_url": HOOK}
    async with platform() as chat, open_transport(chat, more, listening=False) as (transport, door):
        app = Application()
        app.add_routes(transport.routes())
        async with chat.held():
            await chat.type(ANA, ANA, "one")
            [update] = [one.body for one in chat.updates.pending]
        headers = {"X-Telegram-Bot-Api-Secret-Token": of(chat, **more).webhook_secret}
        async with TestClient(TestServer(app)) as client:
            chat.fail("getMe", times=1, status=502)
            first = await client.post("/telegram", json=update, headers=headers)
            again = await client.post("/telegram", json=update, headers=headers)
        assert [first.status, again.status] == [503, 200]
        assert door.words == ["one"]


async def hand(oz: Any, chat: Telegram, update: dict[str, Any]) -> int:
    """Posts an update to that replica; the status it is answered with."""
    assert chat.updates.webhook is not None
    header = {"X-Telegram-Bot-Api-Secret-Token": chat.updates.webhook.secret or ""}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{oz.hooks}/telegram", json=update, headers=header) as answer,
    ):
        return answer.status


async def parts(chat: Telegram, text: str) -> list[dict[str, Any]]:
    """The updates of a paste of Ana's, which are brought to nobody."""
    chat.updates.held = True
    await chat.type(ANA, ANA, text)
    return [one.body for one in chat.updates.pending]


WORDS = " ".join(f"word{n}" for n in range(1200))


async def test_the_parts_of_a_paste_may_come_to_different_replicas(
    hooked: tuple[Telegram, Any], redis_url: str, tmp_path: Path
) -> None:
    """Each is kept before it is confirmed, and they are one answer."""
    chat, one = hooked
    table = chat.settings() | {"mode": "webhook", "webhook_url": HOOK}
    config = settings({"telegram": table}, PEOPLE, TO_ANA, tmp_path)
    async with gateway(config, redis_url, "w2") as two:
        ask = await one.ask(field(Kind.TEXT))
        await posted(chat, ANA)
        first, second, third = await parts(chat, WORDS)
        for oz, update in ((one, first), (two, second), (one, third)):
            assert await hand(oz, chat, update) == 200
        outcome = (await one.ended(ask)).outcome
        assert outcome is not None
        assert outcome.values == {"value": WORDS}


async def test_a_part_that_its_replica_did_not_live_to_read_is_read_by_another(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was confirmed, so Telegram brings it no second time."""
    monkeypatch.setattr("channels.telegram.held.LEFT", timedelta(0))
    monkeypatch.setattr("channels.telegram.transport.SWEEP_S", 0.05)
    monkeypatch.setattr("channels.telegram.intake.PASTE_S", 600.0)
    async with platform() as chat:
        table = chat.settings() | {"mode": "webhook", "webhook_url": HOOK}
        config = settings({"telegram": table}, PEOPLE, TO_ANA, tmp_path)
        async with gateway(config, redis_url) as oz:
            ask = await oz.ask(field(Kind.TEXT))
            await posted(chat, ANA)
            await chat.until(lambda: chat.updates.webhook is not None)
            first, second, _ = await parts(chat, WORDS)
            assert await hand(oz, chat, first) == 200
        monkeypatch.setattr("channels.telegram.intake.PASTE_S", 0.5)
        async with gateway(config, redis_url, "w2") as oz:
            assert await hand(oz, chat, second) == 200
            outcome = (await oz.ended(ask)).outcome
            assert outcome is not None
            assert outcome.values == {
                "value": f"{first['message']['text']} {second['message']['text']}"
            }


async def test_a_part_that_cannot_be_kept_is_not_confirmed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long it is, and though its rest comes only after that."""
    from aiohttp.test_utils import TestClient, TestServer
    from aiohttp.web import Application

    more = {"mode": "webhook", "webhook_url": HOOK}
    async with platform() as chat, open_transport(chat, more) as (transport, door):

        async def away(*_: Any) -> None:
            raise Unavailable("away")

        monkeypatch.setattr(door.facts, "keep", away)
        app = Application()
        app.add_routes(transport.routes())
        first, *_ = await parts(chat, WORDS)
        headers = {"X-Telegram-Bot-Api-Secret-Token": of(chat, **more).webhook_secret}
        async with TestClient(TestServer(app)) as client:
            answer = await client.post("/telegram", json=first, headers=headers)
        assert (answer.status, door.words) == (503, [])


# The whole


async def test_a_gateway_that_dies_before_it_took_a_message_reads_it_when_it_is_back(
    redis_url: str, tmp_path: Path
) -> None:
    """DD-08: fetched, not kept, fetched again."""
    async with platform() as chat:
        config = settings({"telegram": chat.settings()}, PEOPLE, TO_ANA, tmp_path)
        async with gateway(config, redis_url) as oz:
            ask = await oz.ask(choice("red", "blue"))
            await posted(chat, ANA)
            await chat.until(lambda: chat.polling)
        async with chat.held():
            await chat.type(ANA, ANA, "2")
        async with gateway(config, redis_url, "w2") as oz:
            record = await oz.ended(ask)
            assert record.outcome is not None
            await chat.until(lambda: not chat.updates.pending)


async def test_a_delivery_that_comes_again_has_no_second_effect(
    redis_url: str, tmp_path: Path
) -> None:
    """Nor a second receipt, after a restart too."""
    async with platform() as chat:
        config = settings({"telegram": chat.settings()}, PEOPLE, TO_ANA, tmp_path)
        async with gateway(config, redis_url) as oz:
            ask = await oz.ask(choice("red", "blue"))
            await posted(chat, ANA)
            await chat.type(ANA, ANA, "2")
            await oz.ended(ask)
            await shows(chat, ANA, "Got it: blue.")
            await chat.until(lambda: not chat.updates.pending)
        chat.repeat()
        async with gateway(config, redis_url, "w2"):
            await chat.until(lambda: not chat.updates.pending)
            await chat.until(lambda: chat.polling)
            assert [one.text for one in chat.messages(ANA)].count("Got it: blue.") == 1


async def test_a_press_that_comes_again_has_no_second_effect(
    redis_url: str, tmp_path: Path
) -> None:
    """After a restart: what was toggled stays so, and nothing is said or drawn twice."""
    async with platform() as chat:
        config = settings({"telegram": chat.settings()}, PEOPLE, TO_ANA, tmp_path)
        async with gateway(config, redis_url) as oz:
            await oz.ask(several("lint", "tests", "docs"))
            await chat.press(ANA, await posted(chat, ANA), "Answer")
            await chat.press(ANA, await shows(chat, ANA, "\u2610 1. lint"), "1. lint")
            await shows(chat, ANA, "\u2611 1. lint")
            await chat.until(lambda: not chat.updates.pending)
        chat.repeat()
        async with gateway(config, redis_url, "w2") as oz:
            await chat.until(lambda: not chat.updates.pending and chat.polling)
            await chat.until(lambda: not chat.spinning())
            step = await shows(chat, ANA, "\u2611 1. lint")
            await chat.press(ANA, step, "Done")
            await chat.press(ANA, await shows(chat, ANA, "Is this right?"), "Send")
            await shows(chat, ANA, "Answered: lint.")
            assert len(chat.messages(ANA)) == 2


async def test_a_form_is_closed_though_another_process_drew_it(
    redis_url: str, tmp_path: Path
) -> None:
    """Begun from a group before a restart, its ask answered there after it."""
    async with platform() as chat:
        config = settings({"telegram": chat.settings()}, PEOPLE, TO_GROUP, tmp_path)
        async with gateway(config, redis_url) as oz:
            ask = await oz.ask(field(Kind.DATE), field(Kind.TEXT, name="why"))
            post = await posted(chat, GROUP)
            await chat.press(ANA, post, "Answer")
            [press] = await chat.until(lambda: [one for one in chat.presses if one.answered])
            await chat.follow(press)
            step = await shows(chat, ANA, "1 of 2")
            await chat.until(lambda: not chat.updates.pending)
        async with gateway(config, redis_url, "w2") as oz:
            await chat.type(BEN, GROUP, "decline: not now", reply_to=post.id)
            await oz.closed(ask)
            ended = await shows(chat, ANA, "Declined: not now.")
            assert (ended.id, ended.controls) == (step.id, ())


async def test_an_upgraded_group_is_answered_under_its_new_id(
    redis_url: str, tmp_path: Path
) -> None:
    """IA-14: the ask waits, the group moves, a reply there ends it."""
    async with room(redis_url, tmp_path, to(BASIC)) as (chat, oz):
        ask = await oz.ask(choice("red", "blue"))
        await posted(chat, BASIC)
        new = chat.migrate(BASIC)
        await chat.until(lambda: not chat.updates.pending)
        await chat.type(ANA, new, "@oz_test_bot 2")
        record = await oz.ended(ask)
        assert record.outcome is not None
        assert record.outcome.by == "user:ana"
        # The config names the old id, and grants the new one no sight of the answer.
        await shows(chat, new, "Got it.")
