"""The real Bolt against the fake workspace: its sockets, its envelopes, its signed requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.slack import Slack
from tests.channels.testing.slack_app import Enter, Json, entering


@pytest.fixture
async def enter(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Enter]:
    """Makes rooms, by `socket` or `http`."""
    async with entering(monkeypatch) as make:
        yield make


# Socket Mode


async def test_the_app_reconnects_when_asked_to(enter: Enter) -> None:
    """A new connection by a new address; what happens meanwhile comes on it."""
    room = await enter()
    opened = room.chat.count("apps.connections.open")
    await room.chat.refresh("warning")
    await room.chat.type("U1", "C1", "meanwhile")
    await room.hears("message")
    await room.chat.until(lambda: room.chat.connections == 1 == len(room.chat.carrier.sockets))
    assert room.chat.count("apps.connections.open") == opened + 1


async def test_envelopes_are_as_slack_makes_them() -> None:
    """Events take no answer and count their tries; nothing more comes once asked to leave."""
    async with Slack(ack_s=0.1, retries_s=(0.0,)) as chat, AsyncExitStack() as stack:
        chat.person("U1", "Ana")
        chat.channel("C1", ("U1",))
        client = AsyncWebClient("xoxb-oz", base_url=chat.api_url)
        session = await stack.enter_async_context(aiohttp.ClientSession())

        async def connect() -> aiohttp.ClientWebSocketResponse:
            url = (await client.apps_connections_open(app_token="xapp-oz"))["url"]
            made = await stack.enter_async_context(session.ws_connect(url))
            assert (await made.receive_json())["type"] == "hello"
            return made

        first = await connect()
        await chat.type("U1", "C1", "one")
        envelopes = [await first.receive_json() for _ in range(2)]
        assert [one["retry_attempt"] for one in envelopes] == [0, 1]
        assert [one["retry_reason"] for one in envelopes] == ["", "timeout"]
        assert [one["accepts_response_payload"] for one in envelopes] == [False, False]
        assert {one["type"] for one in envelopes} == {"events_api"}
        await first.send_json({"envelope_id": envelopes[1]["envelope_id"]})
        await chat.refresh("warning")
        said = await first.receive_json()
        assert (said["type"], said["reason"]) == ("disconnect", "warning")
        command = asyncio.ensure_future(chat.command("U1", "C1", "help"))
        with pytest.raises(TimeoutError):
            await first.receive_json(timeout=0.02)
        second = await connect()
        envelope = await second.receive_json()
        assert (envelope["type"], envelope["accepts_response_payload"]) == ("slash_commands", True)
        payload = {"text": "All", "response_type": "in_channel"}
        await second.send_json({"envelope_id": envelope["envelope_id"], "payload": payload})
        await command
        assert [one.text for one in chat.messages("C1")] == ["one", "All"]


async def test_the_app_reconnects_after_a_cut(enter: Enter) -> None:
    """What it missed comes again, until it is acknowledged."""
    room = await enter(ack_s=0.2, retries_s=(0.0,) * 50)
    room.chat.drop()
    await room.chat.type("U1", "C1", "missed")
    await room.hears("message")


async def test_an_outage_takes_the_sockets_as_well(enter: Enter) -> None:
    """While Slack is away nobody is connected."""
    room = await enter()
    async with room.chat.outage():
        await room.chat.until(lambda: not room.chat.carrier.sockets)
    await room.chat.until(lambda: room.chat.connections == 1)


async def test_a_socket_needs_its_own_ticket(enter: Enter) -> None:
    """Each address is good once; ten connections are the most."""
    room = await enter()
    async with aiohttp.ClientSession() as session, AsyncExitStack() as stack:

        async def connect() -> Json:
            answer = await room.heard.app.client.apps_connections_open(app_token="xapp-oz")
            socket = await stack.enter_async_context(session.ws_connect(answer["url"]))
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await session.ws_connect(answer["url"])
            said: Json = await socket.receive_json()
            return said

        hello = [await connect() for _ in range(9)]
        assert [one["num_connections"] for one in hello] == list(range(2, 11))
        assert hello[0]["connection_info"]["app_id"] == "A0001"
        assert (await connect())["reason"] == "too_many_websockets"


async def test_an_envelope_is_acknowledged_with_what_it_takes(enter: Enter) -> None:
    """A command takes an answer, an event none; something else is no acknowledgement."""
    room = await enter()

    async def answer(ack: Any, _body: Json) -> None:
        await ack("You are <@U1>", response_type="ephemeral")

    room.heard.answers["command"] = answer
    await room.chat.command("U1", "C1", "help")
    (body,) = room.heard.of("command")
    assert (body["command"], body["text"], body["user_id"]) == ("/oz", "help", "U1")
    assert room.chat.told("U1") == ["You are @Ana"]
    answer_call = await room.heard.app.client.apps_connections_open(app_token="xapp-oz")
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(answer_call["url"]) as socket,
    ):
        await socket.send_str("pong")
        await room.chat.until(lambda: room.chat.calls[-1].refused == "late")


# HTTP


async def test_only_slack_can_speak_for_slack(enter: Enter) -> None:
    """A signature of another secret is refused by the app, and the challenge fails."""
    room = await enter("http")
    url = room.chat.carrier.request_url
    assert url is not None
    async with aiohttp.ClientSession() as session:
        async with session.post(url, data="{}", headers=room.chat.carrier.signed("{}")) as answer:
            assert answer.status != 401
        async with session.post(url, data="{ }", headers=room.chat.carrier.signed("{}")) as answer:
            assert answer.status == 401
    room.chat.carrier.secret = "another"
    message = await room.post()
    await room.chat.press("U1", message, "Yes")
    assert room.chat.told("U1") == ["failed: http_error"]
    assert room.acks("block_actions")[0].refused == "http_error"
    with pytest.raises(ValueError, match="challenge"):
        await room.chat.subscribe(f"{room.chat.url}/nowhere")


async def test_a_command_is_answered_over_http(enter: Enter) -> None:
    """In words for them alone, as JSON for all, or not at all."""
    room = await enter("http")
    said: list[Any] = ["Hello", {"text": "All", "response_type": "in_channel"}, ""]

    async def answer(ack: Any, _body: Json) -> None:
        await ack(said.pop(0))

    room.heard.answers["command"] = answer
    for _ in range(3):
        await room.chat.command("U1", "C1", "")
    assert room.chat.told("U1") == ["Hello"]
    assert [one.text for one in room.chat.messages("C1")] == ["All"]
