"""Telegram's transport: nothing confirmed before it is safe, every press answered, each refusal
read for what it means.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from channels.contract import (
    Destination,
    Interaction,
    Later,
    Missing,
    Moved,
    Pick,
    PostError,
    Pressed,
    Response,
    Shut,
    Tell,
    Typed,
    Unfit,
    Unreachable,
    Unsure,
)
from channels.drawing import Drawing
from channels.present import View
from channels.telegram.pacing import ALL, CHAT, FOR_REDRAWS, Pacer
from channels.telegram.pacing import GROUP as GROUP_PACE
from channels.telegram.settings import Settings
from channels.telegram.transport import TelegramTransport
from channels.testing.platform import Call
from channels.testing.telegram import Telegram
from gateway.errors import Unavailable
from gateway.question import Kind
from tests.channels.gatewayed import gateway, settings
from tests.channels.telegram.rooms import (
    ANA,
    BASIC,
    BEN,
    CLEO,
    FORUM,
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
from tests.chats import Chats
from tests.contract.backends import InMemory
from tests.strategies_reply import choice, field

ASK = "a-75eaf712473f"
ALONE = Destination("telegram", ANA, account=ANA)
PLACE = Destination("telegram", GROUP)


class Door:
    """A desk that does what a test says, and remembers what was brought to it."""

    def __init__(self, chats: Chats) -> None:
        self.everyone = chats.everyone
        self.heard: list[Interaction] = []
        self.answers: Callable[[Interaction], Awaitable[Response]] | None = None

    async def handle(self, interaction: Interaction) -> Response:
        self.heard.append(interaction)
        return Response() if self.answers is None else await self.answers(interaction)

    def reader(self, sender: Any, where: Destination) -> Any:
        return self.everyone.reader(sender, where)

    def unavailable(self, *_: Any) -> Tell:
        return Tell("Not saved just now.")

    @property
    def words(self) -> list[str]:
        return [one.text for one in self.heard if isinstance(one, Typed)]


def drawing(text: str = "Which?", *leading: str, outcome: str | None = None) -> Drawing:
    """A post of that text."""
    return Drawing(View(ASK, 1, question=text, outcome=outcome), text, leading)


def of(chat: Telegram, **more: Any) -> Settings:
    """The settings for that platform."""
    return Settings.model_validate(chat.settings() | more)


@asynccontextmanager
async def open_transport(
    chat: Telegram, more: dict[str, Any] | None = None, *, listening: bool = True
) -> AsyncIterator[tuple[TelegramTransport, Door]]:
    """The transport before a door of the test's."""
    made = InMemory()
    door = Door(Chats(made.store))
    transport = TelegramTransport(of(chat, **(more or {})), door)  # type: ignore[arg-type]
    task = asyncio.create_task(transport.run()) if listening else None
    if listening and not more:
        await chat.until(lambda: chat.polling)
    try:
        yield transport, door
    finally:
        if task is not None:
            task.cancel()
            await asyncio.wait({task})
        await transport.aclose()
        await made.store.aclose()


@pytest.fixture
async def pair() -> AsyncIterator[tuple[Telegram, TelegramTransport, Door]]:
    """A platform and a listening transport."""
    async with platform() as chat, open_transport(chat) as (transport, door):
        yield chat, transport, door


Trio = tuple[Telegram, TelegramTransport, Door]


# Out


async def test_a_post_is_found_and_drawn_anew(pair: Trio) -> None:
    """By its id; its time is the platform's."""
    chat, transport, _ = pair
    message, at_ms = await transport.post(PLACE, drawing(), "k")
    assert [one.id for one in chat.messages(GROUP)] == [message]
    assert at_ms == chat.messages(GROUP)[0].raw["date"] * 1000
    await transport.update(PLACE, message, drawing("Answered."))
    await transport.update(PLACE, message, drawing("Answered."))
    assert [one.text for one in chat.messages(GROUP)] == ["Answered."]
    await transport.note(PLACE, message, "Still waiting.")
    assert chat.messages(GROUP)[1].raw["reply_to_message"]["text"] == "Answered."
    assert await transport.direct(ANA) == ANA


async def test_a_long_post_that_broke_off_goes_on_where_it_was(pair: Trio) -> None:
    """Its first parts are not said twice."""
    chat, transport, _ = pair
    long = drawing("last", "one", "two")

    chat.fail("sendMessage", delay_s=0.001)
    chat.limit("sendMessage")
    with pytest.raises(Later):
        await transport.post(PLACE, long, "k")
    await transport.post(PLACE, long, "k")
    assert [one.text for one in chat.messages(GROUP)] == ["one", "two", "last"]


async def gone(chat: Telegram) -> None:
    chat.remove_bot(GROUP)


async def upgraded(chat: Telegram) -> None:
    chat.migrate(BASIC)


async def blocked(chat: Telegram) -> None:
    chat.block(ANA)


async def revoked(chat: Telegram) -> None:
    chat.revoke()


async def limited(chat: Telegram) -> None:
    chat.limit("sendMessage", retry_after=7)


async def broken(chat: Telegram) -> None:
    chat.fail("sendMessage", status=502)


async def lost(chat: Telegram) -> None:
    chat.fail("sendMessage", lost=True)


async def muted(chat: Telegram) -> None:
    chat.mute(GROUP)


async def closed(chat: Telegram) -> None:
    chat.close_topic(FORUM, chat.topic(FORUM, "Deploys"))


async def odd(chat: Telegram) -> None:
    chat.fail("sendMessage", status=400)


@pytest.mark.parametrize(
    ("happens", "where", "error"),
    [
        (gone, PLACE, Unreachable),
        (muted, PLACE, Unreachable),
        (blocked, ALONE, Unreachable),
        (upgraded, Destination("telegram", BASIC), Moved),
        (revoked, PLACE, Shut),
        (limited, PLACE, Later),
        (broken, PLACE, Unsure),
        (lost, PLACE, Unsure),
        (odd, PLACE, Unfit),
        (closed, Destination("telegram", FORUM, "2"), Unreachable),
        (closed, Destination("telegram", FORUM, "77"), Unreachable),
        (closed, Destination("telegram", FORUM, "general"), Unreachable),
        (closed, Destination("telegram", "4711"), Unreachable),
        (closed, Destination("telegram", BEN, account=BEN), Unreachable),
    ],
)
async def test_each_refusal_is_read_for_what_it_means(
    happens: Callable[[Telegram], Awaitable[None]], where: Destination, error: type[PostError]
) -> None:
    """By the platform's own words and codes."""
    async with platform() as chat, open_transport(chat, listening=False) as (transport, _):
        await happens(chat)
        with pytest.raises(error) as found:
            await transport.post(where, drawing(), "k")
        if isinstance(found.value, Later):
            assert found.value.after_s == 7
        if isinstance(found.value, Moved):
            assert found.value.conversation == "-10055"


async def test_a_platform_that_is_away_is_asked_later(pair: Trio) -> None:
    """A connection that was never made has posted nothing."""
    _, _, door = pair
    settings_ = Settings.model_validate(
        {"token": "5000001:AAfake-token-of-the-fake-telegram-0", "api_url": "http://127.0.0.1:1"}
    )
    transport = TelegramTransport(settings_, door)  # type: ignore[arg-type]
    try:
        with pytest.raises(Later):
            await transport.post(PLACE, drawing(), "k")
    finally:
        await transport.aclose()


async def test_a_post_that_is_gone_or_not_ours_is_missing(pair: Trio) -> None:
    """So that it is made anew; an id that is none of Telegram's is no place."""
    chat, transport, _ = pair
    message, _ = await transport.post(PLACE, drawing(), "k")
    theirs = await chat.type(ANA, GROUP, "hello")
    chat.delete(GROUP, message)
    for one in (message, theirs):
        with pytest.raises(Missing):
            await transport.update(PLACE, one, drawing("!"))
    with pytest.raises(Unreachable):
        await transport.update(PLACE, "a1", drawing("!"))


async def test_our_own_pace_keeps_us_within_the_platforms_limits() -> None:
    """Twenty a minute in a group, five of them for outcomes; no 429 is ever seen."""
    async with platform(rates=True) as chat, open_transport(chat, listening=False) as (out, _):
        posts = [(await out.post(PLACE, drawing(str(n)), str(n)))[0] for n in range(15)]
        with pytest.raises(Later) as later:
            await out.post(PLACE, drawing("more"), "more")
        assert later.value.after_s is not None
        assert 30 < later.value.after_s <= 61
        for n, post in enumerate(posts[:5]):
            await out.update(PLACE, post, drawing(f"Answered {n}"))
        assert [one for one in chat.calls if one.refused] == []


def test_the_pacer_waits_as_long_as_the_limits_say() -> None:
    """In a chat, in a group, in all; a group keeps some for redraws."""
    pacer = Pacer()
    assert [pacer.turn("7", 0.0, new=True) for _ in range(CHAT[0])] == [0.0] * CHAT[0]
    assert CHAT[1] <= pacer.wait_s("7", 0.0, new=True) < CHAT[1] + 1
    assert pacer.wait_s("8", 0.0, new=True) == 0
    pacer = Pacer()
    for n in range(GROUP_PACE[0] - FOR_REDRAWS):
        assert pacer.turn("-5", float(n * 2), new=True) == 0
    assert pacer.wait_s("-5", 30.0, new=True) > 25
    assert pacer.wait_s("-5", 30.0, new=False) == 0
    pacer = Pacer()
    waits = [pacer.turn(str(n), 0.0, new=True) for n in range(ALL[0] + 1)]
    assert waits[:-1] == [0.0] * ALL[0]
    assert waits[-1] >= ALL[1]


# In


async def test_a_message_is_confirmed_only_once_it_is_taken(pair: Trio) -> None:
    """DD-08: until then it stays with Telegram, and what comes after it is handled meanwhile."""
    chat, _, door = pair
    hold = asyncio.Event()

    async def slowly(interaction: Interaction) -> Response:
        if isinstance(interaction, Typed) and interaction.text == "slow":
            await hold.wait()
        return Response()

    door.answers = slowly
    await chat.type(ANA, ANA, "slow")
    await chat.type(CLEO, CLEO, "quick")
    await chat.until(lambda: door.words == ["slow", "quick"])
    await chat.until(lambda: sum(call.method == "getUpdates" for call in chat.calls) > 4)
    assert [one.body["message"]["text"] for one in chat.updates.pending] == ["slow", "quick"]
    hold.set()
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == ["slow", "quick"]


async def test_a_message_waits_while_the_store_is_away(pair: Trio) -> None:
    """It is tried again until it is kept, and those of its chat wait behind it."""
    chat, _, door = pair
    away = 2

    async def fails(interaction: Interaction) -> Response:
        nonlocal away
        if isinstance(interaction, Typed) and interaction.text == "one" and away:
            away -= 1
            raise Unavailable("away")
        return Response()

    door.answers = fails
    await chat.type(ANA, ANA, "one")
    await chat.type(ANA, ANA, "two")
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == ["one", "one", "one", "two"]


async def test_what_fails_stops_nothing_behind_it(pair: Trio) -> None:
    """A fault of ours ends one message, or one press, alone."""
    chat, transport, door = pair

    async def fails(interaction: Interaction) -> Response:
        if isinstance(interaction, Pressed) or interaction.text == "one":  # type: ignore[union-attr]
            raise RuntimeError("a fault")
        return Response()

    door.answers = fails
    await transport.post(ALONE, drawing(), "k")
    await chat.type(ANA, ANA, "one")
    await chat.type(ANA, ANA, "two")
    await chat.until(lambda: door.words == ["one", "two"])
    await chat.until(lambda: not chat.updates.pending)


async def press(chat: Telegram, transport: TelegramTransport, where: Destination = PLACE) -> None:
    """Ana presses a button on a post of ours."""
    from channels.callback import pack

    row = [{"text": "Red", "callback_data": pack(ASK, Pick("o1"))}]
    payload = {
        "text": "Which?",
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
        "reply_markup": {"inline_keyboard": [row]},
    }
    await transport._api.send(where.conversation, payload)
    await chat.press(ANA, chat.messages(where.conversation)[-1], "Red")


async def test_a_press_is_answered_within_a_second_however_slow_we_are(pair: Trio) -> None:
    """And what comes later goes to the presser's own chat."""
    chat, transport, door = pair
    hold = asyncio.Event()

    async def slowly(_: Interaction) -> Response:
        await hold.wait()
        return Response((Tell("Only you may read this.", "Somebody may not."),))

    door.answers = slowly
    chat.fail("answerCallbackQuery", delay_s=1.0)
    at = asyncio.get_running_loop().time()
    await press(chat, transport)
    await chat.until(lambda: not chat.spinning())
    [call] = [one for one in chat.calls if one.method == "answerCallbackQuery"]
    assert call.at - at < 1.0
    assert chat.told(ANA) == []
    hold.set()
    assert (await shows(chat, ANA, "Only you")).private_to is None
    assert len(chat.messages(GROUP)) == 1
    await chat.until(lambda: not chat.updates.pending)
    assert len([one for one in chat.calls if one.method == "answerCallbackQuery"]) == 1


async def test_fifty_presses_a_second_are_each_answered_within_one(pair: Trio) -> None:
    """While the store takes seconds for each, and so does Telegram for each answer."""
    chat, transport, door = pair

    async def slowly(_: Interaction) -> Response:
        await asyncio.sleep(2.4)  # eight commands of 300 ms
        return Response()

    door.answers = slowly
    await press(chat, transport)
    post = chat.messages(GROUP)[-1]
    chat.fail("answerCallbackQuery", times=51, delay_s=2.0)
    for account in range(100, 150):
        chat.person(str(account))
        chat.join(GROUP, str(account))
        await chat.press(str(account), post, "Red")
        await asyncio.sleep(0.02)
    await chat.until(lambda: len(_answers(chat)) == 51)
    late = [call.at - _pressed(chat, call) for call in _answers(chat)]
    assert max(late) < 1.0
    assert not chat.spinning()


def _answers(chat: Telegram) -> list[Call]:
    return [one for one in chat.calls if one.method == "answerCallbackQuery"]


def _pressed(chat: Telegram, call: Call) -> float:
    query = call.payload["callback_query_id"]
    return next(one.at for one in chat.presses if one.id == query)


async def test_words_too_long_for_a_toast_go_to_the_own_chat_or_into_the_open(pair: Trio) -> None:
    """In the open only what everyone may read, where the own chat is closed."""
    chat, transport, door = pair

    async def long(_: Interaction) -> Response:
        return Response((Tell("x" * 201, "in the open"),))

    door.answers = long
    await press(chat, transport)
    await shows(chat, ANA, "x" * 201)
    chat.block(ANA)
    await press(chat, transport)
    assert (await shows(chat, GROUP, "in the open")).raw["reply_to_message"]["text"] == "Which?"
    await chat.until(lambda: not chat.spinning())


async def test_who_presses_while_the_store_is_away_is_told(pair: Trio) -> None:
    """And may press again."""
    chat, transport, door = pair

    async def away(_: Interaction) -> Response:
        raise Unavailable("away")

    door.answers = away
    await press(chat, transport)
    assert await chat.until(lambda: chat.told(ANA)) == ["Not saved just now."]


async def test_a_press_on_nothing_of_ours_is_answered(pair: Trio) -> None:
    """Its button was drawn by somebody else, or long ago."""
    chat, transport, door = pair
    await press(chat, transport)
    await chat.until(lambda: not chat.spinning())
    message = chat.messages(GROUP)[0]
    chat.people.press(int(ANA), chat._kept(GROUP, message.id), "nonsense")
    assert await chat.until(lambda: chat.told(ANA))
    assert len(door.heard) == 1


async def test_a_long_paste_is_one_message(pair: Trio) -> None:
    """However its parts arrive, and what follows it is another."""
    chat, _, door = pair
    text = " ".join(f"word{n}" for n in range(2000))
    async with chat.held():
        await chat.type(ANA, ANA, text)
        await chat.type(ANA, ANA, "and this")
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == [text, "and this"]


async def test_a_long_message_alone_is_read_after_a_moment(pair: Trio) -> None:
    """Nothing follows that could be the rest of it."""
    chat, _, door = pair
    await chat.type(ANA, ANA, "y" * 4000)
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == ["y" * 4000]


async def test_a_second_poller_makes_us_stand_back_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two replicas: one asks, the other waits, and takes over when the first is gone."""
    monkeypatch.setattr("channels.telegram.transport.STAND_BACK_S", (0.2, 0.2))
    async with platform() as chat, open_transport(chat) as (_, first):
        async with open_transport(chat) as (_, second):
            refused = "Conflict: terminated by other getUpdates request"
            await chat.until(
                lambda: any((one.refused or "").startswith(refused) for one in chat.calls)
            )
            await chat.type(ANA, ANA, "one")
            await chat.until(lambda: first.words + second.words)
        await chat.type(ANA, ANA, "two")
        await chat.until(lambda: "two" in first.words)
        await chat.until(lambda: not chat.updates.pending)


async def test_an_outage_is_waited_out(pair: Trio) -> None:
    """What people did meanwhile comes then."""
    chat, _, door = pair
    async with chat.outage():
        await chat.type(ANA, ANA, "one")
    await chat.until(lambda: door.words == ["one"])


async def test_a_token_that_was_taken_back_ends_the_listening() -> None:
    """There is nothing to wait for."""
    async with platform() as chat, open_transport(chat, listening=False) as (transport, _):
        chat.revoke()
        with pytest.raises(Shut):
            await transport.run()


# By webhook


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
