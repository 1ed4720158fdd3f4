"""Discord set wrong, in ways that people do it."""

from __future__ import annotations

from typing import Any

from channels.testing.discord.refusals import Permission
from channels.testing.discord.shapes import application
from tests.channels.set_wrong.wrong import Wrong


def calls_elsewhere(discord: Any) -> None:
    body = application(discord.bot, discord.bot, 0, 1)
    body |= {"interactions_endpoint_url": "https://other.example"}
    discord.fail("get_application", status=200, body=body)


def started_too_often(discord: Any) -> None:
    body = {"url": discord.gateway_url, "shards": 1, "session_start_limit": {"remaining": 3}}
    discord.fail("get_gateway", status=200, body=body)


ROOM = "2000000000000000001"
THREAD = "3000000000000000001"


def discord_thread(discord: Any) -> None:
    body = {"id": THREAD, "type": 11, "parent_id": ROOM}
    discord.fail("get_channel", status=200, body=body)


DISCORD = (
    Wrong("a wrong token", ("the token is taken", "Bot page"), table={"token": "other"}),
    Wrong("a revoked token", ("or reset it there",), lambda discord: discord.revoke_token()),
    Wrong(
        "an intent that is off",
        ("Message Content Intent", "message_content = false"),
        table={"message_content": True},
    ),
    Wrong(
        "an address for interactions left set",
        ("presses come over the socket", "empty the Interactions Endpoint URL"),
        calls_elsewhere,
    ),
    Wrong(
        "a bot in no server",
        ("the bot is in a server", "invite the bot: https://discord.com/oauth2/authorize?"),
        lambda discord: discord.remove_bot("500"),
    ),
    Wrong("too many starts", ("connections are left", "stop whatever restarts"), started_too_often),
    Wrong(
        "a channel that does not exist",
        ("can write in 404", "there is no such channel"),
        room="404",
    ),
    Wrong(
        "a channel the bot cannot see",
        (f"can write in {ROOM}", "give its role View Channel"),
        lambda discord: discord.deny(ROOM, Permission.VIEW_CHANNEL),
    ),
    Wrong(
        "a channel the bot may not write in",
        (f"can write in {ROOM}", "give the bot's role Send Messages there"),
        lambda discord: discord.deny(ROOM, Permission.SEND_MESSAGES),
    ),
    Wrong(
        "a forum, where no message stands by itself",
        ("no text channel or thread",),
        lambda discord: discord.fail("get_channel", status=200, body={"id": ROOM, "type": 15}),
    ),
    Wrong(
        "a gateway that does not answer",
        ("the gateway answers", "takes no WebSocket"),
        table={"gateway_url": "ws://127.0.0.1:9"},
    ),
    Wrong(
        "an address of another server",
        ("Discord answers", "It is refused (HTTP 404). Is http"),
        lambda discord: discord.fail("get_application", status=404, body="<h1>Not found</h1>"),
    ),
    Wrong(
        "a thread for a conversation",
        (f"can write in {THREAD}", f'set conversation = "discord:{ROOM}" and thread = "{THREAD}"'),
        discord_thread,
        room=THREAD,
    ),
    Wrong(
        "a thread of another channel",
        (f"can write in 7, thread {THREAD}", f'set conversation = "discord:{ROOM}"'),
        discord_thread,
        room="7",
        thread=THREAD,
    ),
    Wrong("a channel for a thread", ("it is no thread",), room=ROOM, thread=ROOM),
    Wrong("a person who is not there", ("write to 404", "nobody has that id"), account="404"),
)
