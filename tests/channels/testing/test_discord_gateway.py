"""The fake Discord's gateway, driven by the real SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest

from channels.testing.discord import Discord, Permission
from tests.channels.testing.discord_sdk import connected, discord

CONTENT = discord.Intents(guilds=True, guild_messages=True, dm_messages=True, message_content=True)


@pytest.fixture
async def chat() -> AsyncIterator[Discord]:
    """A server with a channel, two people in it."""
    chat = Discord()
    chat.person("7", "Ana")
    chat.person("8", "Kevin Müller")
    chat.channel("600", "general")
    async with chat:
        yield chat


async def test_a_bot_finds_its_servers_and_channels(chat: Discord) -> None:
    """READY and GUILD_CREATE are enough for the SDK to know where it may write."""
    async with connected(chat) as bot:
        channel = bot.get_channel(600)
        assert isinstance(channel, discord.TextChannel)
        assert channel.permissions_for(channel.guild.me).send_messages
    assert bot.application is not None
    assert bot.application.id == int(chat.bot.id)


async def test_a_wrong_token_is_refused(chat: Discord) -> None:
    """The REST login says 401."""
    with pytest.raises(discord.LoginFailure):
        async with connected(chat, token="wrong"):
            pass
    assert chat.calls[-1].refused == "401"


async def test_an_intent_that_is_switched_off_is_refused(chat: Discord) -> None:
    """The gateway closes with 4014."""
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with connected(chat, intents=CONTENT):
            pass
    assert chat.gateway.identifies == 0


async def test_a_message_comes_without_content_where_the_intent_is_off(chat: Discord) -> None:
    """Only a mention, a reply with its ping and a direct message can be read."""
    async with connected(chat) as bot:
        await chat.type("7", "600", "psst")
        await chat.type("7", "600", "<@1000> can you read this")
        ours = await bot.get_partial_messageable(600).send("ask")
        await chat.type("7", "600", "with ping", reply_to=str(ours.id))
        await chat.type("7", "600", "without ping", reply_to=str(ours.id), ping=False)
        await chat.type("7", chat.dm("7"), "in private")
        await chat.until(lambda: len(bot.texts()) == 5)
    assert bot.texts() == ["", "<@1000> can you read this", "with ping", "", "in private"]
    assert [one.reference is not None for one in bot.heard if one.content == "with ping"] == [True]


async def test_a_message_comes_whole_where_the_intent_is_on() -> None:
    """With the intent in the portal and in the identify, everything can be read."""
    chat = Discord(message_content=True)
    chat.person("7", "Ana")
    chat.channel("600")
    async with chat, connected(chat, intents=CONTENT) as bot:
        await chat.type("7", "600", "psst")
        await chat.until(lambda: bot.texts() == ["psst"])
        assert bot.application is not None
        assert bot.application.flags.gateway_message_content_limited


async def test_the_bots_own_messages_come_back(chat: Discord) -> None:
    """What the bot posts is dispatched to it too."""
    async with connected(chat) as bot:
        sent = await bot.get_partial_messageable(600).send("hello")
        await chat.until(lambda: [one.id for one in bot.heard] == [sent.id])
    assert bot.heard[0].author.bot


async def test_edits_and_previews_come_as_updates(chat: Discord) -> None:
    """An edit carries its time; a preview that Discord adds does not."""
    async with connected(chat) as bot:
        message = await chat.type("7", "600", "<@1000> 1")
        await chat.edit("7", "600", message, "<@1000> 2")
        await chat.unfurl("600", message)
        await chat.until(lambda: len(bot.edits) == 2)
    edited, unfurled = (one.data for one in bot.edits)
    assert edited["content"] == unfurled["content"] == "<@1000> 2"
    assert edited["edited_timestamp"]
    assert unfurled["embeds"]


async def test_a_broken_connection_is_resumed_with_what_it_missed(chat: Discord) -> None:
    """The session keeps events while nobody listens, and replays them once."""
    async with connected(chat) as bot:
        await chat.type("7", "600", "<@1000> before")
        await chat.until(bot.texts)
        chat.gateway.cut()
        await chat.type("7", "600", "<@1000> meanwhile")
        await chat.until(lambda: bot.resumed == 1 and len(bot.texts()) > 1)
    assert bot.texts() == ["<@1000> before", "<@1000> meanwhile"]
    assert (chat.gateway.identifies, chat.gateway.resumes) == (1, 1)


async def test_a_bot_that_is_asked_to_reconnect_resumes(chat: Discord) -> None:
    """Op 7 costs nothing but a new connection."""
    async with connected(chat) as bot:
        chat.gateway.reconnect()
        await chat.until(lambda: bot.resumed == 1)
        await chat.type("7", "600", "<@1000> after")
        await chat.until(lambda: bot.texts() == ["<@1000> after"])


async def test_an_invalid_session_is_begun_anew(chat: Discord) -> None:
    """Op 9 makes the SDK identify again; what came in between is lost, as on Discord."""
    async with connected(chat) as bot:
        chat.gateway.invalidate(resumable=False)
        await chat.type("7", "600", "<@1000> lost")
        await chat.until(lambda: chat.gateway.identifies == 2 and chat.gateway.sessions)
        await chat.type("7", "600", "<@1000> heard")
        await chat.until(bot.texts)
    assert bot.texts() == ["<@1000> heard"]
    assert chat.gateway.resumes == 0


async def test_identifies_too_close_together_are_refused() -> None:
    """With Discord's own pace the second of two bots is told that its session is invalid."""
    chat = Discord(identify_every_s=60.0)
    async with chat, connected(chat):
        chat.gateway.invalidate(resumable=False)
        await chat.until(lambda: not chat.gateway.sessions and not chat.gateway.wires)
        await chat.until(lambda: chat.gateway.wires)
        assert chat.gateway.identifies == 1


async def test_too_many_identifies_in_a_day_cost_the_token() -> None:
    """Those that are refused count as well; a day later there are as many again."""
    chat = Discord(starts_a_day=2)
    async with chat:
        token = chat.token
        for _ in range(2):
            with pytest.raises(discord.PrivilegedIntentsRequired):
                async with connected(chat, intents=CONTENT):
                    pass
        assert (chat.gateway.starts_left(), chat.token) == (0, token)
        chat.pass_time(86_401)
        for _ in range(2):
            async with connected(chat):
                pass
        with pytest.raises(discord.ConnectionClosed) as closed:
            async with connected(chat):
                pass
        assert (closed.value.code, chat.token != token) == (4004, True)
        with pytest.raises(discord.LoginFailure):
            async with connected(chat, token=token):
                pass


async def test_heartbeats_are_asked_for_and_missed(chat: Discord) -> None:
    """A client answers op 1; a session without heartbeats is ended with 4009."""
    silent = Discord(heartbeat_s=0.02)
    async with (
        silent,
        aiohttp.ClientSession() as session,
        session.ws_connect(f"{silent.gateway_url}?v=10&encoding=json") as socket,
    ):
        assert (await socket.receive_json())["d"]["heartbeat_interval"] == 20
        await socket.receive()
        assert socket.close_code == 4009
    async with connected(chat):
        [wire] = chat.gateway.wires
        before = len(wire.sent_at)
        chat.gateway.ask_heartbeat()
        await chat.until(lambda: len(wire.sent_at) > before)


async def test_every_session_hears_everything(chat: Discord) -> None:
    """Two replicas under one token both get each event."""
    async with connected(chat) as one, connected(chat) as other:
        await chat.type("7", "600", "<@1000> 1")
        await chat.until(lambda: one.texts() == other.texts() == ["<@1000> 1"])


async def test_events_can_come_twice_and_out_of_order(chat: Discord) -> None:
    """A test can make Discord's delivery as bad as it is at times."""
    async with connected(chat) as bot:
        with chat.out_of_order():
            await chat.type("7", "600", "<@1000> 1")
            await chat.type("7", "600", "<@1000> 2")
        chat.gateway.repeat(1)
        await chat.until(lambda: len(bot.texts()) == 3)
    assert bot.texts() == ["<@1000> 2", "<@1000> 1", "<@1000> 1"]


async def test_a_place_the_bot_may_not_see_is_silent(chat: Discord) -> None:
    """Nothing is dispatched from a channel that is closed to it, nor from a server it left."""
    chat.guild("900", "Other", members=["7"])
    chat.channel("901", guild="900")
    async with connected(chat) as bot:
        chat.deny("600", Permission.VIEW_CHANNEL)
        chat.remove_bot("900")
        await chat.type("7", "600", "<@1000> hidden")
        await chat.type("7", "901", "<@1000> gone")
        await chat.type("7", chat.dm("7"), "seen")
        await chat.until(bot.texts)
        assert bot.get_guild(900) is None
    assert bot.texts() == ["seen"]


async def test_threads_are_channels_of_their_own(chat: Discord) -> None:
    """A thread's messages name the thread; people see them with it."""
    async with connected(chat) as bot:
        post = await bot.get_partial_messageable(600).send("ask")
        thread = chat.thread("600", "talk", on=str(post.id))
        await chat.type("7", "600", "<@1000> in it", thread=thread)
        await chat.until(bot.texts)
        channel = bot.get_channel(int(thread))
        assert isinstance(channel, discord.Thread)
        assert channel.parent_id == 600
    assert bot.heard[-1].channel.id == int(thread)
    shown = chat.messages("600")[-1]
    assert (shown.conversation, shown.thread, shown.text) == ("600", thread, "@OZ in it")


async def test_a_revoked_token_ends_the_connection(chat: Discord) -> None:
    """The gateway closes with 4004, which the SDK does not try again."""

    async def stay() -> None:
        async with connected(chat):
            chat.revoke_token()
            await chat.until(lambda: not chat.gateway.wires)

    with pytest.raises(discord.ConnectionClosed) as closed:
        await stay()
    assert closed.value.code == 4004


async def test_an_outage_breaks_the_connection_and_every_call(chat: Discord) -> None:
    """While it lasts nothing answers, neither the gateway nor REST."""
    async with connected(chat) as bot, chat.outage():
        await chat.until(lambda: not chat.gateway.wires)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await bot.get_partial_messageable(600).send("hello")
    assert chat.messages("600") == []
