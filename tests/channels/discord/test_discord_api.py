"""The calls of Discord's REST API, by the real SDK against the fake platform."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from channels.contract import Later, Missing, Shut, Unfit, Unreachable, Unsure
from channels.discord.answering import THINKING
from channels.discord.parse import Ticket
from channels.discord.render import EPHEMERAL
from channels.discord.transport import Api, nonce
from channels.testing.discord import Discord
from tests.channels.testing.discord_sdk import Bot, connected

HELLO = {"content": "hello", "components": [{"type": 1, "components": []}]}
BUTTON = {"type": 2, "style": 1, "label": "Yes", "custom_id": "y"}


@pytest.fixture
async def chat() -> AsyncIterator[Discord]:
    """A server with a channel, and Ana in it."""
    chat = Discord()
    chat.person("7", "Ana")
    chat.channel("600", "general")
    async with chat:
        yield chat


@pytest.fixture
async def bot(chat: Discord) -> AsyncIterator[Bot]:
    """Somebody who hears what is pressed, and says nothing."""
    async with connected(chat) as bot:
        yield bot


@pytest.fixture
async def api(chat: Discord, bot: Bot) -> AsyncIterator[Api]:
    """Our calls."""
    made = Api(chat.token)
    yield made
    await made.aclose()


async def thinking(chat: Discord, bot: Bot, api: Api) -> Ticket:
    """An interaction that is being thought about, in front of Ana alone."""
    row = {"type": 1, "components": [BUTTON]}
    await api.create("600", {"content": "?", "components": [row]})
    await chat.press("7", chat.messages("600")[-1], "Yes")
    pressed = await bot.interaction()
    ticket = Ticket(str(pressed.id), pressed.token, chat.bot.id, on_message=True)
    await api.first(ticket, THINKING, {"flags": EPHEMERAL})
    return ticket


async def test_thinking_can_be_taken_away(chat: Discord, bot: Bot, api: Api) -> None:
    """Nothing is left of it."""
    ticket = await thinking(chat, bot, api)
    assert len(chat.messages("600", account="7")) == 2
    await api.retract(ticket)
    assert len(chat.messages("600", account="7")) == 1


async def test_an_answer_is_not_taken_away(chat: Discord, bot: Bot, api: Api) -> None:
    """It may be another replica's, in place of our thinking."""
    ticket = await thinking(chat, bot, api)
    await api.follow_up(ticket, {"content": "Got it", "flags": EPHEMERAL})
    await api.retract(ticket)
    assert chat.told("7") == ["Got it"]


async def test_history_is_read_to_its_end(chat: Discord, api: Api) -> None:
    """Page by page, the oldest first."""
    first = await chat.type("7", "600", "<@1000> 0")
    for number in range(1, 151):
        await chat.type("7", "600", f"<@1000> {number}")
    found = await api.after("600", first)
    assert [one["content"] for one in found] == [f"<@1000> {number}" for number in range(1, 151)]
    assert chat.count("list_messages") == 2


async def test_the_command_is_registered_once(chat: Discord, api: Api) -> None:
    """And again only where it has changed."""
    await api.register(chat.bot.id)
    await api.register(chat.bot.id)
    assert chat.count("put_commands") == 1
    [oz] = chat.commands[None].values()
    assert [one["name"] for one in oz["options"]] == ["pending", "help", "link"]
    oz["description"] = "other"
    await api.register(chat.bot.id)
    assert chat.count("put_commands") == 2


async def test_a_chat_with_one_person_is_opened(chat: Discord, api: Api) -> None:
    """The same again; nobody has none."""
    opened = await api.direct("7")
    assert opened == await api.direct("7") == chat.dm("7")
    with pytest.raises(Unreachable) as nobody:
        await api.direct("77")
    assert nobody.value.code == "50033"


async def test_each_failure_is_told_by_its_kind(chat: Discord, api: Api) -> None:
    """What Discord says, and what it does not."""
    with pytest.raises(Unfit) as unfit:
        await api.create("600", HELLO)
    assert unfit.value.code == "50035"
    with pytest.raises(Unreachable) as gone:
        await api.create("601", {"content": "a"})
    assert gone.value.code == "10003"
    with pytest.raises(Missing):
        await api.edit("600", "1", {"content": "a"})
    chat.fail("create_message", status=503, body="down")
    with pytest.raises(Later):
        await api.create("600", {"content": "a"})
    chat.slow_down("create_message", 45.0)
    with pytest.raises(Later) as limited:
        await api.create("600", {"content": "a"})
    assert limited.value.after_s == 45.0
    chat.fail("create_message", lost=True)
    with pytest.raises(Unsure):
        await api.create("600", {"content": "a"})
    chat.fail("create_message", status=401, body={"message": "401: Unauthorized", "code": 0})
    with pytest.raises(Shut) as shut:
        await api.create("600", {"content": "a"})
    assert shut.value.code == "401"


async def test_a_wrong_token_is_shut_and_a_right_one_enters_later(chat: Discord, bot: Bot) -> None:
    """A failed entrance leaves nothing behind."""
    wrong = Api("wrong")
    for _ in range(2):
        with pytest.raises(Shut):
            await wrong.create("600", {"content": "a"})
    await wrong.aclose()
    right = Api(chat.token)
    chat.fail("get_me", status=503, body="down")
    with pytest.raises(Later):
        await right.create("600", {"content": "a"})
    await right.create("600", {"content": "a"})
    await right.aclose()


def test_nonces_fit_and_differ() -> None:
    """Discord takes 25 characters."""
    assert len(nonce("a")) == 24
    assert nonce("a") == nonce("a") != nonce("b")
