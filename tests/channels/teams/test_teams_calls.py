"""What each refusal of the connector means for a post, and how fast the connector is called."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from channels.catalogue import Reader
from channels.contract import (
    Destination,
    Later,
    Missing,
    PostError,
    Shut,
    Unfit,
    Unreachable,
    Unsure,
)
from channels.drawing import Drawing, draw
from channels.teams.channel import CHANNEL as TEAMS
from channels.teams.connector import Connector
from channels.teams.errors import MOST_WAIT_S, refusal
from channels.teams.pace import BURST, PATIENCE_S, PER_S, Pace
from channels.teams.settings import Settings
from channels.testing.teams import Teams
from tests.channels.gatewayed import Gatewayed
from tests.channels.teams.rooms import ANA, CHANNEL, GROUP, running, town
from tests.strategies import record_of
from tests.strategies_reply import NOW, ask_of, choice

HERE = Destination("teams", GROUP)


def drawing() -> Drawing:
    """A post of a question with two options."""
    record = record_of(ask_of(choice("red", "blue", write_in=False)))
    reader = Reader(buttons=True)
    return draw(reader, record, TEAMS.capabilities, code="K7", waits_for="acme", now=NOW)


@pytest.fixture
async def both(redis_url: str, tmp_path: Path) -> AsyncGenerator[tuple[Teams, Any], None]:
    """The platform, and the transport of a gateway that has no route to it."""
    async with running(redis_url, tmp_path, ()) as (teams, gate):
        yield teams, gate.chats.transports["teams"]


# The table


@pytest.mark.parametrize(
    ("status", "code", "posting", "kind"),
    [
        (400, "BadSyntax", True, Unfit),
        (413, "MessageSizeTooBig", True, Unfit),
        (401, "", True, Shut),
        (401, "BotNotRegistered", True, Shut),
        (403, "BotDisabledByAdmin", True, Shut),
        (403, "BotNotInConversationRoster", True, Unreachable),
        (403, "MessageWritesBlocked", True, Unreachable),
        (403, "ConversationBlockedByUser", True, Unreachable),
        (404, "ConversationNotFound", True, Unreachable),
        (404, "ActivityNotFoundInConversation", False, Missing),
        (412, "PreconditionFailed", True, Later),
        (429, "Throttled", True, Later),
        (500, "ServiceError", True, Unsure),
        (502, "", True, Unsure),
        (503, "", True, Unsure),
        (504, "", False, Later),
        (408, "", True, Unsure),
        (405, "", True, Unfit),
    ],
)
def test_each_refusal_has_its_meaning(
    status: int, code: str, posting: bool, kind: type[PostError]
) -> None:
    """By status and code; after a 5xx a message may stand there all the same (DD-10)."""
    found = refusal(status, code, posting=posting)
    assert type(found) is kind
    assert found.code == (code or str(status))


@pytest.mark.parametrize(
    ("said", "after_s"),
    [("7", 7.0), ("0", 0.0), (None, None), ("soon", None), ("-1", None), ("1e9", MOST_WAIT_S)],
)
def test_the_time_to_wait_is_the_services(said: str | None, after_s: float | None) -> None:
    """Where it said one that can be meant."""
    found = refusal(429, "Throttled", posting=True, retry_after=said)
    assert isinstance(found, Later)
    assert found.after_s == after_s


# Against the platform


async def test_a_post_and_its_update(both: tuple[Teams, Any]) -> None:
    """The id and the time are the platform's own."""
    teams, transport = both
    message, at_ms = await transport.post(HERE, drawing(), "k")
    assert (teams.messages(GROUP)[0].id, str(at_ms)) == (message, message)
    await transport.update(HERE, message, drawing())
    assert teams.messages(GROUP)[0].edited


async def test_a_note_stands_under_its_post(both: tuple[Teams, Any]) -> None:
    """In the thread it opened, or in the chat."""
    teams, transport = both
    where = Destination("teams", CHANNEL)
    message, _ = await transport.post(where, drawing(), "k")
    await transport.note(where, message, "Answered: a <b> & c\n  twice")
    assert [(one.thread, one.text) for one in teams.messages(CHANNEL)[1:]] == [
        (message, "Answered: a <b> & c\n  twice")
    ]
    await transport.note(HERE, "1", "Answered.")
    assert [one.text for one in teams.messages(GROUP)] == ["Answered."]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ({"status": 429, "headers": {"Retry-After": "3"}}, Later),
        ({"status": 503}, Unsure),
        ({"lost": True}, Unsure),
        ({"status": 400}, Unfit),
    ],
)
async def test_a_fault_of_a_post_is_told(
    both: tuple[Teams, Any], fault: dict[str, Any], kind: type[PostError]
) -> None:
    """It is called once: what to do next is not the transport's business."""
    teams, transport = both
    teams.fail("sendToConversation", **fault)
    with pytest.raises(kind):
        await transport.post(HERE, drawing(), "k")
    assert len([one for one in teams.calls if one.method == "sendToConversation"]) == 1


async def test_a_lost_update_may_be_tried_again(both: tuple[Teams, Any]) -> None:
    """Drawing the same twice harms nobody."""
    teams, transport = both
    message, _ = await transport.post(HERE, drawing(), "k")
    faults: tuple[dict[str, Any], ...] = ({"lost": True, "times": 2}, {"status": 503})
    for fault in faults:
        # On a connection that was used before, a PUT is sent once more by the HTTP client itself.
        teams.fail("updateActivity", **fault)
        with pytest.raises(Later):
            await transport.update(HERE, message, drawing())
    teams.rooms.rooms[GROUP].posts[message].deleted = True
    with pytest.raises(Missing):
        await transport.update(HERE, message, drawing())


async def test_a_connection_that_breaks_leaves_it_open(both: tuple[Teams, Any]) -> None:
    """The request was sent: nobody knows what became of it."""
    teams, transport = both
    await transport.post(HERE, drawing(), "k")
    async with teams.outage():
        with pytest.raises(Unsure):
            await transport.post(HERE, drawing(), "k")
    await transport.post(HERE, drawing(), "k")


async def test_a_service_that_is_not_there_took_nothing() -> None:
    """Where nothing was sent it is safe to try again; a token cannot be had either."""
    async with town() as teams:
        nowhere = "http://127.0.0.1:9"
        for changed in ({"service_url": nowhere}, {"login_url": nowhere}):
            connector = Connector(Settings(**{**teams.settings(), **changed}))
            try:
                with pytest.raises(Later):
                    await connector.send(GROUP, None, {"type": "message", "text": "x"})
            finally:
                await connector.aclose()


async def test_places_that_cannot_be_reached(both: tuple[Teams, Any]) -> None:
    """Unknown ones, those the bot is not in, and people who do not have it."""
    teams, transport = both
    with pytest.raises(Unreachable):
        await transport.post(Destination("teams", "19:x@thread.v2"), drawing(), "k")
    teams.block(ANA)
    with pytest.raises(Unreachable):
        await transport.post(Destination("teams", teams.chat(ANA)), drawing(), "k")
    with pytest.raises(Unreachable):
        await transport.direct("nobody")
    assert await transport.direct(teams.rooms.person("29:ben").aad) == teams.chat("29:ben")


async def test_a_wrong_secret_shuts_the_channel(redis_url: str, tmp_path: Path) -> None:
    """Nothing is posted anywhere, and waiting for events says so at once."""
    async with running(redis_url, tmp_path, ()) as (teams, gate):
        transport = gate.chats.transports["teams"]
        teams.identity.password = "changed"
        teams.identity.revoke()
        with pytest.raises(Shut) as shut:
            await transport.post(HERE, drawing(), "k")
        assert shut.value.code == "invalid_client"
        with pytest.raises(Shut):
            await asyncio.wait_for(transport.run(), 5)
        assert isinstance(gate, Gatewayed)


async def test_one_token_serves_calls_at_once() -> None:
    """And is renewed before it ends."""
    async with town() as teams:
        settings = Settings(**teams.settings())
        connector = Connector(settings)
        try:
            tokens = await asyncio.gather(*(connector.token() for _ in range(5)))
            assert (len(set(tokens)), teams.count("token")) == (1, 1)
            connector._good_until = 0
            assert await connector.token() != tokens[0]
            assert teams.count("token") == 2
        finally:
            await connector.aclose()


async def test_the_services_rates_are_kept(redis_url: str, tmp_path: Path) -> None:
    """A burst in one conversation is spread, so that none of it is refused."""
    async with running(redis_url, tmp_path, ()) as (teams, gate):
        teams.rate_limits = True
        transport = gate.chats.transports["teams"]

        async def insisted(number: int) -> None:
            """As the worker does: what is put off is tried again when it said."""
            while True:
                try:
                    return await transport.note(HERE, f"{number}", str(number))
                except Later as error:
                    await asyncio.sleep(error.after_s or 0)

        await asyncio.gather(*map(insisted, range(9)))
        assert teams.count("sendToConversation") == 9
        assert not [one for one in teams.calls if one.refused]


def test_a_pace_lets_a_burst_go_and_then_a_few_a_second() -> None:
    """At every window that the service counts."""
    pace = Pace(lambda: 0.0)
    sent = [pace.take(GROUP) for _ in range(200)]
    assert sent[:BURST] == pytest.approx([0.0] * BURST)
    assert sent[BURST] == pytest.approx(1 / PER_S)
    for most, seconds in ((7, 1.0), (8, 2.0), (60, 30.0)):
        for at in sent:
            assert sum(at <= other < at + seconds for other in sent) <= most


async def test_a_long_wait_is_not_slept_here() -> None:
    """It is told, and its turn is kept: whoever comes later does not get it."""
    now = 0.0
    pace = Pace(lambda: now)
    for _ in range(20):
        pace.take(GROUP)
    with pytest.raises(Later) as late:
        await pace.turn(GROUP, "first")
    with pytest.raises(Later) as later:
        await pace.turn(GROUP, "second")
    assert late.value.after_s is not None
    assert later.value.after_s == pytest.approx(late.value.after_s + 1 / PER_S)
    assert late.value.after_s > PATIENCE_S
    await pace.turn(CHANNEL, "elsewhere")
    now = late.value.after_s
    async with asyncio.timeout(0):
        await pace.turn(GROUP, "first")


async def test_what_is_put_off_blocks_no_worker(both: tuple[Teams, Any]) -> None:
    """A busy conversation's posts, drawings and notes are handed back, not slept upon."""
    teams, transport = both
    message, _ = await transport.post(HERE, drawing(), "k")
    began = asyncio.get_running_loop().time()
    posts = (transport.post(HERE, drawing(), str(n)) for n in range(20))
    found = await asyncio.gather(*posts, return_exceptions=True)
    for call in (transport.update(HERE, message, drawing()), transport.note(HERE, message, "x")):
        with pytest.raises(Later):
            await call
    assert asyncio.get_running_loop().time() - began < PATIENCE_S + 1
    assert (
        sum(isinstance(one, Later) for one in found) == 20 - teams.count("sendToConversation") + 1
    )
