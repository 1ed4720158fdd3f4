"""What is written in Teams, and where: words, threads, long questions, posts that fail."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from channels.testing.teams import Teams
from tests.channels.gatewayed import Gatewayed, gateway, settings
from tests.channels.teams.rooms import (
    ANA,
    BEN,
    CHANNEL,
    DIRECT,
    GROUP,
    HOOK,
    IN_CHANNEL,
    people,
    posted,
    running,
    texts,
    town,
)
from tests.strategies_reply import choice
from tests.waiting import until

COLOURS = choice("red", "blue", write_in=False)


@pytest.fixture
async def both(redis_url: str, tmp_path: Path) -> AsyncGenerator[tuple[Teams, Gatewayed], None]:
    """The two, with a route to the group chat, whose members may see."""
    async with running(redis_url, tmp_path) as made:
        yield made


# Words


async def test_a_mention_answers_in_a_group(both: tuple[Teams, Gatewayed]) -> None:
    """What does not mention us never arrives; the receipt stands where it was written."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    await posted(teams)
    await teams.type(ANA, GROUP, "let me think")
    await teams.type(ANA, GROUP, "@AskBot 2")
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.by == "user:ana"
    await teams.until(lambda: "Got it: blue." in texts(teams))


async def test_a_quoted_reply_answers_what_it_quotes(both: tuple[Teams, Gatewayed]) -> None:
    """Of two that wait, the one that is quoted."""
    teams, gate = both
    first = await gate.ask(COLOURS)
    post = await posted(teams)
    await gate.ask(COLOURS, prompt="Another?")
    await teams.until(lambda: len(teams.messages(GROUP)) == 2)
    await teams.type(ANA, GROUP, "@AskBot 1", reply_to=post.id)
    assert (await gate.ended(first)).outcome is not None


async def test_a_direct_chat_needs_no_mention(redis_url: str, tmp_path: Path) -> None:
    """It is opened by the Entra id, and what is wrong is told there."""
    async with running(redis_url, tmp_path, (DIRECT,)) as (teams, gate):
        ask = await gate.ask(COLOURS)
        chat = teams.chat(ANA)
        post = await posted(teams, chat)
        assert post.raw["channelData"] == {"notification": {"alert": True}}
        await teams.type(ANA, chat, "7")
        await teams.until(lambda: any("no option 7" in text for text in texts(teams, chat)))
        await teams.type(ANA, chat, "blue")
        await gate.closed(ask)
        await teams.until(lambda: "Got it: blue." in texts(teams, chat))


async def test_an_edit_is_no_second_answer(redis_url: str, tmp_path: Path) -> None:
    """The first stands, and its author is told so."""
    async with running(redis_url, tmp_path, (DIRECT,)) as (teams, gate):
        ask = await gate.ask(COLOURS)
        chat = teams.chat(ANA)
        await posted(teams, chat)
        message = await teams.type(ANA, chat, "2")
        await gate.ended(ask)
        await teams.until(lambda: "Got it: blue." in texts(teams, chat))
        await teams.edit(ANA, chat, message, "1")
        await teams.until(lambda: len(texts(teams, chat)) == 4)
        outcome = (await gate.record(ask)).outcome
        assert outcome is not None
        assert outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_several_that_wait_are_told_apart_by_a_press(redis_url: str, tmp_path: Path) -> None:
    """The words are kept, and sent to the one that is pressed."""
    async with running(redis_url, tmp_path, (DIRECT,)) as (teams, gate):
        asks = [await gate.ask(COLOURS), await gate.ask(COLOURS, prompt="Another one?")]
        chat = teams.chat(ANA)
        await teams.until(lambda: len(teams.messages(chat)) == 2)
        await teams.type(ANA, chat, "2")
        await teams.until(lambda: len(teams.messages(chat)) == 4)
        which = teams.messages(chat, account=ANA)[-1]
        label = next(one.label for one in which.controls if "Another" in one.label)
        await teams.press(ANA, which, label)
        assert (await gate.ended(asks[1])).outcome is not None
        assert (await gate.record(asks[0])).pending


async def test_commands_are_answered(both: tuple[Teams, Gatewayed]) -> None:
    """What waits, help, and how an account becomes one's own, which nobody else reads."""
    teams, _ = both
    chat = teams.chat(BEN)
    await teams.type(BEN, chat, "oz help")
    await teams.until(lambda: len(texts(teams, chat)) == 2)
    assert "Agents ask" in texts(teams, chat)[-1]
    await teams.type(BEN, chat, "oz pending")
    await teams.until(lambda: len(texts(teams, chat)) == 4)
    await teams.type(BEN, GROUP, "@AskBot oz link")
    await teams.until(lambda: len(texts(teams, chat)) == 5)
    assert f"teams:{teams.rooms.person(BEN).aad}" in texts(teams, chat)[-1]
    assert len(texts(teams)) == 1


# Threads


async def test_everything_stays_in_the_thread(redis_url: str, tmp_path: Path) -> None:
    """RE-08: the ask, its answer, its receipt and its last drawing, on another replica too."""
    async with town() as teams:
        root = await teams.type(ANA, CHANNEL, "Hello everybody")
        tables = {"teams": teams.settings()}
        route = f'{IN_CHANNEL}\nthread = "{root}"'
        config = settings(tables, people(teams), route, tmp_path)
        async with gateway(config, redis_url) as before:
            ask = await before.ask(COLOURS)
            post = await posted(teams, CHANNEL)
        async with gateway(config, redis_url, "w2") as gate:
            teams.connect(gate.hooks + HOOK)
            await teams.type(ANA, CHANNEL, "@AskBot 2", thread=root)
            await gate.closed(ask)
            await teams.until(lambda: "Got it: blue." in texts(teams, CHANNEL))
        assert post.thread == root
        assert [one.id for one in teams.messages(CHANNEL) if one.thread is None] == [root]


async def test_a_post_in_a_channel_is_a_thread_of_its_own(redis_url: str, tmp_path: Path) -> None:
    """A reply under it belongs to it, and is receipted there."""
    async with running(redis_url, tmp_path, (IN_CHANNEL,)) as (teams, gate):
        ask = await gate.ask(COLOURS)
        post = await posted(teams, CHANNEL)
        assert post.thread is None
        await teams.type(ANA, CHANNEL, "@AskBot 2", thread=post.id)
        await gate.closed(ask)
        await teams.until(lambda: "Got it: blue." in texts(teams, CHANNEL))
        assert {one.thread for one in teams.messages(CHANNEL)} == {None, post.id}


async def test_a_long_question_in_a_channel_is_whole_in_one_thread(
    redis_url: str, tmp_path: Path
) -> None:
    """Its card opens the thread, and is drawn anew there."""
    async with running(redis_url, tmp_path, (IN_CHANNEL,)) as (teams, gate):
        prompt = "\n".join(f"{n} {'word ' * 30}" for n in range(200))
        ask = await gate.ask(COLOURS, prompt=prompt)
        post = await posted(teams, CHANNEL)
        await teams.until(lambda: len(teams.messages(CHANNEL)) > 2)
        assert {one.thread for one in teams.messages(CHANNEL)} == {None, post.id}
        await teams.press(ANA, post, "2. blue")
        await gate.closed(ask)
        assert "Answered: blue" in texts(teams, CHANNEL)[0]
        assert all(f"{n} word" in "\n".join(texts(teams, CHANNEL)) for n in range(200))


# The way out


async def test_a_long_question_comes_before_its_card(both: tuple[Teams, Gatewayed]) -> None:
    """In its order, whole."""
    teams, gate = both
    prompt = "\n".join(f"{n} {'word ' * 30}" for n in range(200))
    await gate.ask(COLOURS, prompt=prompt)
    post = await posted(teams)
    assert teams.messages(GROUP)[-1].id == post.id
    together = "\n".join(texts(teams))
    assert [together.index(f"{n} word") for n in range(200)] == sorted(
        together.index(f"{n} word") for n in range(200)
    )


async def test_a_busy_service_is_waited_for(both: tuple[Teams, Gatewayed]) -> None:
    """As long as it says; one post stands in the end."""
    teams, gate = both
    teams.throttle("sendToConversation", retry_after_s=0, times=2)
    await gate.ask(COLOURS)
    await posted(teams)
    assert [one.refused for one in teams.calls if one.method == "sendToConversation"] == [
        "Throttled",
        "Throttled",
        None,
    ]


async def test_a_place_that_takes_no_post_is_given_up(both: tuple[Teams, Gatewayed]) -> None:
    """The bot was taken out of the chat: the ask says so, and is not tried for ever."""
    teams, gate = both
    await teams.uninstall(GROUP, by=ANA)
    ask = await gate.ask(COLOURS)

    async def failed() -> bool:
        return list((await gate.where(ask)).values()) == ["failed"]

    await until(failed, "its post has failed")
    assert teams.calls[-1].refused == "BotNotInConversationRoster"


async def test_a_deleted_post_is_closed_with_a_note(both: tuple[Teams, Gatewayed]) -> None:
    """CC-10: the outcome stands; a short word of it is said in the place, once."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    teams.rooms.rooms[GROUP].posts[post.id].deleted = True
    await teams.type(ANA, GROUP, "@AskBot 2", reply_to=post.id)
    await gate.closed(ask)
    outcome = (await gate.record(ask)).outcome
    assert outcome is not None
    assert outcome.name == "Ana"


async def test_the_address_told_last_is_called(both: tuple[Teams, Gatewayed]) -> None:
    """The conversation moved to another region; the one it was known by serves it no more."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    teams.region = "amer"
    await teams.press(ANA, post, "2. blue")
    await gate.closed(ask)
    assert teams.calls[-1].refused is None


async def test_a_token_that_was_revoked_is_renewed(both: tuple[Teams, Gatewayed]) -> None:
    """Once, by the call that met it."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    teams.identity.revoke()
    await teams.press(ANA, post, "2. blue")
    await gate.closed(ask)
    assert teams.count("token") == 2
