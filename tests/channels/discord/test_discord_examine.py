"""`oz0 doctor` on Discord: each thing that is set wrong is named, with how to mend it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import ValidationError

from channels.contract import Finding
from channels.discord.channel import CHANNEL
from channels.discord.examine import examine, invitation
from channels.discord.settings import Settings
from channels.testing.discord import Discord
from channels.testing.discord.shapes import application
from gateway.routes import Target


@pytest.fixture
async def chat() -> AsyncIterator[Discord]:
    """A Discord with one server."""
    async with Discord() as chat:
        yield chat


async def faults(chat: Discord, **change: Any) -> list[Finding]:
    """What is wrong."""
    found = await CHANNEL.examine(Settings(**chat.settings() | change))
    return [one for one in found if not one.fine]


async def test_all_is_well(chat: Discord) -> None:
    """Nothing to mend, and it says what was looked at."""
    found = await examine(Settings(**chat.settings()))
    assert all(one.fine and not one.mend for one in found)
    assert [one.what for one in found] == [
        "the token is taken",
        "presses come over the socket",
        "messages that mention the bot can be read",
        "the bot is in a server",
        "connections are left for today",
        "the gateway answers",
    ]


async def test_a_wrong_token_is_named(chat: Discord) -> None:
    """And where to find the right one; nothing else can be looked at."""
    [fault] = await faults(chat, token="wrong")
    assert fault.what == "the token is taken"
    assert "Bot page" in fault.mend


async def test_an_address_that_does_not_answer_is_named(chat: Discord) -> None:
    """No Discord is there."""
    [fault] = await faults(chat, api_url="http://127.0.0.1:9")
    assert fault.what == "Discord answers"
    assert "http://127.0.0.1:9" in fault.mend


async def test_an_intent_that_is_off_is_named(chat: Discord) -> None:
    """Where the settings ask for it."""
    [fault] = await faults(chat, message_content=True)
    assert "Message Content Intent" in fault.mend


async def test_a_bot_in_no_server_is_invited(chat: Discord) -> None:
    """By an address with exactly what it needs."""
    chat.remove_bot("500")
    [fault] = await faults(chat)
    assert fault.mend.endswith(invitation("1000"))
    assert "permissions=274877975552" in fault.mend


async def test_an_address_for_interactions_is_named(chat: Discord) -> None:
    """With one, presses go there and never here."""
    app = application(chat.bot, chat.bot, 0, 1) | {"interactions_endpoint_url": "https://x.example"}
    chat.fail("get_application", status=200, body=app)
    [fault] = await faults(chat)
    assert fault.what == "presses come over the socket"


async def test_too_many_starts_are_named(chat: Discord) -> None:
    """Before Discord resets the token."""
    body = {"url": chat.gateway_url, "shards": 1, "session_start_limit": {"remaining": 3}}
    chat.fail("get_gateway", status=200, body=body)
    [fault] = await faults(chat)
    assert "restarts" in fault.mend


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"token": "Bot abc"}, "without the word Bot"),
        ({"token": " "}, "Bot page"),
        ({"api_url": "discord.com"}, "https://"),
        ({"gateway_url": "https://gateway.discord.gg"}, "wss://"),
        ({"colour": "red"}, "Extra inputs"),
        ({"message_content": "yes"}, "valid boolean"),
    ],
)
def test_settings_that_cannot_be_are_refused(change: dict[str, Any], words: str) -> None:
    """Before anything is started."""
    with pytest.raises(ValidationError, match=words):
        Settings(**{"token": "abc"} | change)


def test_the_token_is_never_shown() -> None:
    """Nor the settings that hold it."""
    given: dict[str, Any] = {"token": "abc"}
    assert "abc" not in repr(Settings(**given))


async def test_whether_a_person_takes_messages_is_said_to_be_not_checked(chat: Discord) -> None:
    """Their chat with the bot can be opened all the same."""
    person = chat.person("77", "Cem") or "77"
    [room] = [
        one
        for one in await examine(
            Settings(**chat.settings()), [Target("discord", str(person), direct=True)]
        )
        if one.fine is not True
    ]
    assert (room.fine, room.passing) == (None, False)
    assert "oz0 doctor --send" in room.mend


async def test_a_thread_of_a_channel_is_fine(chat: Discord) -> None:
    """Named with its channel, as what people say there is."""
    body = {"id": "8", "type": 11, "parent_id": "7"}
    chat.fail("get_channel", status=200, body=body)
    chat.fail("typing", status=204)
    found = await examine(Settings(**chat.settings()), [Target("discord", "7", "8")])
    assert found[-1] == Finding("the bot can write in 7, thread 8", fine=True)


@pytest.mark.parametrize("said", ['{"op": 9}', "[]", "no JSON"])
async def test_a_socket_that_says_no_hello_is_named(chat: Discord, said: str) -> None:
    """Some other server takes WebSockets there."""

    async def greet(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(said)
        await socket.close()
        return socket

    app = web.Application()
    app.router.add_get("/", greet)
    async with TestServer(app) as other:
        [fault] = await faults(chat, gateway_url=str(other.make_url("/")).replace("http", "ws", 1))
    assert fault.what == "the gateway answers"
