"""Discord while something is away: the store, Discord itself, or only quick answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from channels.contract import Destination, Missing, Shut, Unfit
from channels.testing.discord import Discord
from channels.testing.discord.gateway import STARTS_A_DAY
from channels.testing.discord.server import ACK_WITHIN_S
from gateway.ask import Status
from gateway.embedded_redis import EngineError, find_server
from gateway.question import Kind
from tests.channels.discord.rooms import OPEN, PEOPLE, opened, posted, running, told
from tests.channels.gatewayed import Slow, gateway, settings
from tests.redis.servers import Rack, racks
from tests.strategies_reply import choice, field
from tests.waiting import until

DURABLE = ("--appendonly", "yes", "--appendfsync", "always")
HOUR_S = 3600.0
AWAY = "Not saved just now. Please try again in a moment; nothing was sent."


class Enough(Exception):
    """The time that a test looks at is over."""


@pytest.fixture
def rack() -> Iterator[Rack]:
    """Servers of this test's own."""
    try:
        binary = find_server()
    except EngineError as error:
        pytest.skip(error.message)
    yield from racks(binary)


async def test_with_the_store_away_whoever_presses_is_told(rack: Rack, tmp_path: Path) -> None:
    """Every press is answered in words, each kind; back again, the same press is taken."""
    server = await rack.server(*DURABLE)
    async with running(server.url, tmp_path) as (chat, gate):
        ask = await gate.ask(choice("red", "blue", write_in=False))
        form = await gate.ask(field(Kind.TEXT, "why"))
        await chat.until(lambda: len(chat.messages("600")) == 2)
        posts = chat.messages("600")
        by_form = next(one for one in posts if one.controls[0].label == "Answer")
        by_press = next(one for one in posts if one is not by_form)
        await chat.press("7", by_form, "Answer")
        await opened(chat)
        server.kill()
        await chat.press("7", by_press, "2. blue")
        await told(chat, 1)
        await chat.press("7", by_form, "Answer")
        await told(chat, 2)
        await chat.submit("7", {"Your answer": "because"})
        await told(chat, 3)
        await chat.slash("7", "600", "oz pending")
        await told(chat, 4)
        assert chat.told("7") == [AWAY] * 4
        await server.start()
        await chat.press("7", by_press, "2. blue")
        assert (await gate.ended(ask)).status is Status.ANSWERED
        again = next(
            one for one in chat.messages("600", account="7") if one.private_to and one.controls
        )
        await chat.press("7", again, "Answer")
        assert (await opened(chat)).entries[0].value == "because"
        await chat.submit("7", {})
        assert (await gate.ended(form)).status is Status.ANSWERED


async def test_with_the_store_away_a_message_waits(rack: Rack, tmp_path: Path) -> None:
    """Discord brings it no second time, so it is kept in hand until it can be read, in order."""
    server = await rack.server(*DURABLE)
    async with running(server.url, tmp_path) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        await posted(chat)
        server.kill()
        await chat.type("7", "600", "<@1000> 2")
        await chat.type("7", "600", "<@1000> 1")
        await server.start()
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert record.outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_messages_of_a_conversation_are_read_in_their_order(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the first one takes; commands do not wait for them."""
    async with running(redis_url, tmp_path) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        store = Slow(gate, monkeypatch)
        await chat.type("7", "600", "2", reply_to=post.id)
        await store.asked.wait()
        await chat.type("7", "600", "1", reply_to=post.id)
        await chat.slash("7", "600", "oz link")
        await told(chat, 1)
        assert store.times == 1
        store.goes_on.set()
        outcome = (await gate.ended(ask)).outcome
        assert outcome is not None
        assert outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_a_slow_store_never_keeps_a_press_waiting(
    rack: Rack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is acknowledged while nothing answers; a form is offered once it can be."""
    monkeypatch.setattr("channels.discord.presses.BREATH_S", 0.2)
    server = await rack.server(*DURABLE)
    async with running(server.url, tmp_path) as (chat, gate):
        ask = await gate.ask(field(Kind.TEXT, "why"))
        post = await posted(chat)
        server.stop()
        await chat.press("7", post, "Answer")
        await chat.until(lambda: chat.count("interaction_callback") == 1)
        assert chat.form("7") is None
        server.go_on()
        await told(chat, 1)
        assert chat.told("7") == ["The form is ready now: press the button."]
        monkeypatch.setattr("channels.discord.presses.BREATH_S", 2.5)
        await chat.press("7", chat.messages("600", account="7")[-1], "Answer")
        await opened(chat)
        await chat.submit("7", {"Your answer": "because"})
        assert (await gate.ended(ask)).status is Status.ANSWERED


async def test_many_presses_are_each_acknowledged_at_once(redis_url: str, tmp_path: Path) -> None:
    """Fifty people, and Discord takes a second to answer: every call reaches it in time."""
    people = [str(number) for number in range(100, 150)]
    async with running(redis_url, tmp_path) as (chat, gate):
        for account in people:
            chat.person(account, f"P{account}")
        ask = await gate.ask(choice("red", "blue", write_in=False))
        post = await posted(chat)
        chat.fail("interaction_callback", times=len(people), delay_s=1.0)
        began = asyncio.get_running_loop().time()
        await asyncio.gather(*(chat.press(account, post, "1. red") for account in people))
        await chat.until(lambda: chat.count("interaction_callback") == len(people))
        acknowledged = [one.at for one in chat.calls if one.method == "interaction_callback"]
        assert max(acknowledged) - began < ACK_WITHIN_S
        await chat.until(lambda: all(chat.told(account) for account in people))
        assert (await gate.record(ask)).pending


async def test_an_outage_of_discord_is_outlived(redis_url: str, tmp_path: Path) -> None:
    """What could not be posted is, once Discord is back; the connection comes back by itself."""
    async with running(redis_url, tmp_path) as (chat, gate):
        async with chat.outage():
            ask = await gate.ask(choice("red", "blue"))
            await until(lambda: not chat.gateway.wires, "the connection breaks")
        post = await posted(chat)
        await chat.listened_to()
        await chat.press("7", post, "2. blue")
        await gate.closed(ask, within_s=20.0)


async def test_rate_limits_are_kept(redis_url: str, tmp_path: Path) -> None:
    """A 429 with a wait is waited for; nothing is lost, and nothing posted twice."""
    async with running(redis_url, tmp_path) as (chat, gate):
        chat.slow_down("create_message", 0.2)
        chat.slow_down("edit_message", 0.2, scope="global")
        ask = await gate.ask(choice("red", "blue"))
        await chat.press("7", await posted(chat), "2. blue")
        await gate.closed(ask)
        assert len(chat.messages("600")) == 1


async def test_what_is_said_back_is_tried_again(redis_url: str, tmp_path: Path) -> None:
    """A reply, a private refusal, an acknowledgement and a form: none is lost to one 503."""
    down = {"status": 503, "body": {"message": "Service Unavailable", "code": 0}}
    async with running(redis_url, tmp_path) as (chat, gate):
        await gate.ask(choice("red", "blue"))
        await gate.ask(field(Kind.TEXT, "why"))
        await chat.until(lambda: len(chat.messages("600")) == 2)
        posts = chat.messages("600")
        by_form = next(one for one in posts if one.controls[0].label == "Answer")
        by_press = next(one for one in posts if one is not by_form)
        chat.fail("create_message", **down)
        await chat.type("7", "600", "7", reply_to=by_press.id)
        await chat.until(lambda: "There is no option 7." in chat.messages("600")[-1].text)
        chat.fail("create_followup", **down)
        await chat.press("8", by_press, "1. red")
        await chat.until(lambda: len(chat.told("8")) == 1)
        chat.fail("interaction_callback", **down)
        await chat.press("8", by_press, "2. blue")
        await chat.until(lambda: len(chat.told("8")) == 2)
        assert all("can't answer" in one for one in chat.told("8"))
        chat.fail("interaction_callback", **down)
        await chat.press("7", by_form, "Answer")
        await opened(chat)


async def test_what_cannot_be_said_holds_up_nothing(redis_url: str, tmp_path: Path) -> None:
    """The next message is read while Discord wants a pause before the first is answered."""
    async with running(redis_url, tmp_path) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        chat.slow_down("create_message", 40.0)
        await chat.type("7", "600", "7", reply_to=post.id)
        await chat.type("7", "600", "2", reply_to=post.id)
        assert (await gate.ended(ask)).status is Status.ANSWERED


async def test_what_fails_stops_nothing_behind_it(redis_url: str, tmp_path: Path) -> None:
    """Events that mean nothing, and answers that Discord refuses."""
    async with running(redis_url, tmp_path) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        for name in ("LATER_KIND", "MESSAGE_UPDATE"):
            chat.gateway.dispatch(name, 0, lambda _: {"channel_id": "600", "id": "x"})
        chat.fail("interaction_callback", status=500, body="broken", times=1)
        await chat.press("8", post, "1. red")
        await chat.press("7", post, "2. blue")
        assert (await gate.ended(ask)).status is Status.ANSWERED


async def test_a_wrong_token_shuts_the_channel_and_says_so(redis_url: str, tmp_path: Path) -> None:
    """Nothing can be posted, and the ask says why; nothing else suffers."""
    async with Discord() as chat:
        chat.channel("600", "general")
        table = chat.settings() | {"token": "wrong"}
        config = settings({"discord": table}, PEOPLE, OPEN, tmp_path)
        async with gateway(config, redis_url) as gate:
            ask = await gate.ask(choice("red", "blue"))

            async def shut() -> bool:
                return (await gate.where(ask)).get("discord:600") == "shut"

            await until(shut, "the channel is shut")
            with pytest.raises(Shut) as refused:
                await gate.chats.transports["discord"].run()
            assert refused.value.code == "401"


async def test_an_intent_that_is_off_stops_the_way_in_alone(redis_url: str, tmp_path: Path) -> None:
    """Discord closes the socket for good; posts still go out."""
    async with Discord() as chat:
        chat.channel("600", "general")
        table = chat.settings() | {"message_content": True}
        config = settings({"discord": table}, PEOPLE, OPEN, tmp_path)
        async with gateway(config, redis_url) as gate:
            await gate.ask(choice("red", "blue"))
            await posted(chat)
            with pytest.raises(Shut) as refused:
                await gate.chats.transports["discord"].run()
            assert refused.value.code == "4014"


async def test_an_intent_that_is_off_never_costs_the_token(redis_url: str, tmp_path: Path) -> None:
    """Discord counts every start, and 1,000 a day cost the token: two replicas stay below it."""
    rests: list[float] = []
    async with Discord() as chat:
        chat.channel("600", "general")
        table = chat.settings() | {"message_content": True}
        config = settings({"discord": table}, PEOPLE, OPEN, tmp_path)
        async with gateway(config, redis_url) as gate:
            await chat.until(lambda: chat.gateway.starts_left() < STARTS_A_DAY)
            before = chat.gateway.starts_left()

            async def rest(seconds: float) -> None:
                rests.append(seconds)
                if sum(rests) > HOUR_S:
                    raise Enough

            with pytest.raises(Enough):
                await replace(gate.chats, rest=rest).listen("discord")
            assert 0 < before - chat.gateway.starts_left() <= STARTS_A_DAY / 24 / 2


async def test_a_note_is_said_where_its_post_stood(redis_url: str, tmp_path: Path) -> None:
    """Unless it is to stand under it alone; what Discord refuses for another reason is told."""
    where = Destination("discord", "600")
    async with running(redis_url, tmp_path) as (chat, gate):
        transport = gate.chats.transports["discord"]
        await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        await transport.note(where, post.id, "Still waiting.", only_under=True)
        chat.fail("create_message", status=400, body={"code": 50035, "message": "Invalid"})
        with pytest.raises(Unfit):
            await transport.note(where, post.id, "Still waiting.", only_under=True)
        chat.erase("600", post.id)
        with pytest.raises(Missing):
            await transport.note(where, post.id, "Still waiting.", only_under=True)
        await transport.note(where, post.id, "Answered.")
        said = [one.text for one in chat.messages("600")]
        assert (said.count("Still waiting."), said.count("Answered.")) == (1, 1)
