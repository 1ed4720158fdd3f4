"""Slack's replies, mentions, direct messages, commands and home, from end to end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.testing.slack import Slack
from gateway.question import Kind
from tests.channels.gatewayed import Gatewayed, Slow
from tests.channels.slack.rooms import DIRECT, SEALED, both, posted, running, told, without_proxy
from tests.strategies_reply import choice, field
from tests.waiting import until


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.fixture
async def room(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Slack, Gatewayed]]:
    """Slack and the gateway, with a route that lets everyone in C1 see."""
    async with running(redis_url, tmp_path) as made:
        yield made


# Words


@both
async def test_a_reply_in_the_thread_answers(redis_url: str, tmp_path: Path, mode: str) -> None:
    """By number; the receipt is for them alone, in the thread."""
    async with running(redis_url, tmp_path, mode=mode) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        await chat.type("U1", "C1", "2", reply_to=post.id)
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert record.outcome.values == {"pick": {"options": ["o2"], "write_in": None}}
        assert await told(chat, "U1") == ["Got it: blue."]
        whisper = chat.messages("C1", account="U1")[-1]
        assert whisper.thread == post.id


async def test_a_mention_answers_once(room: tuple[Slack, Gatewayed]) -> None:
    """Though Slack brings it as two events; talk to others is nothing."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    await posted(chat)
    await chat.type("U1", "C1", "2")
    await chat.type("U1", "C1", "@OZ 2")
    await gate.ended(ask)
    await chat.until(lambda: len([one for one in chat.calls if one.method == "ack"]) >= 4)
    assert await told(chat, "U1") == ["Got it: blue."]


async def test_messages_of_a_conversation_are_read_in_their_order(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the first one takes; commands do not wait for them."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    store = Slow(gate, monkeypatch)
    await chat.type("U1", "C1", "2", reply_to=post.id)
    await store.asked.wait()
    await chat.type("U1", "C1", "1", reply_to=post.id)
    await until(lambda: len(chat.deliveries) == 3, "the post and both messages are brought")
    await chat.command("U1", "C1", "link")
    await told(chat, "U1")
    assert store.times == 1
    store.goes_on.set()
    outcome = (await gate.ended(ask)).outcome
    assert outcome is not None
    assert outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_own_words_after_other_are_sent_from_the_thread(
    room: tuple[Slack, Gatewayed],
) -> None:
    """As the one who pressed was told; at the top of the channel they are talk."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    assert "Reply in the question's thread." in post.text
    await chat.press("U1", post, "Other…")
    assert "in the question's thread" in (await told(chat, "U1"))[0]
    await chat.type("U1", "C1", "talk")
    await chat.type("U1", "C1", "green", reply_to=post.id)
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {"pick": {"options": [], "write_in": "green"}}


async def test_own_words_arrive_as_they_were_typed(room: tuple[Slack, Gatewayed]) -> None:
    """Escapes undone, links and people as they read."""
    chat, gate = room
    ask = await gate.ask(field(Kind.TEXT))
    await chat.type("U1", "C1", "a < b & see acme.com, ask @Ben", reply_to=(await posted(chat)).id)
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {"value": "a < b & see acme.com, ask @Ben"}


async def test_a_direct_message_asks_and_answers(redis_url: str, tmp_path: Path) -> None:
    """Posted to the person, answered in plain words there, and receipted there."""
    async with running(redis_url, tmp_path, DIRECT) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        await posted(chat, "D1")
        await chat.type("U1", "D1", "blue")
        await gate.ended(ask)
        await gate.closed(ask)
        await posted(chat, "D1", 3)
        first, _, last = chat.messages("D1")
        assert "Answered: blue." in first.text
        assert last.text == "Got it: blue."


async def test_several_that_wait_are_told_apart(redis_url: str, tmp_path: Path) -> None:
    """The words are kept until a button says which they are for; that row is no post of ours."""
    async with running(redis_url, tmp_path, DIRECT) as (chat, gate):
        first = await gate.ask(choice("red", "blue"), prompt="Which colour?")
        second = await gate.ask(choice("small", "large"), prompt="Which size?")
        await posted(chat, "D1", 2)
        await chat.type("U1", "D1", "2")
        which = await posted(chat, "D1", 4)
        assert "Which one" in which.text
        size = next(one.label for one in which.controls if "size" in one.label)
        await chat.press("U1", which, size)
        assert (await gate.ended(second)).outcome is not None
        assert (await gate.record(first)).pending
        await gate.closed(second)
        assert chat.messages("D1")[3].text == which.text


async def test_a_place_that_may_not_see_reads_nothing(redis_url: str, tmp_path: Path) -> None:
    """The question is not in the channel; its person answers elsewhere."""
    async with running(redis_url, tmp_path, SEALED + DIRECT) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"), prompt="Which secret?")
        sealed, own = await posted(chat), await posted(chat, "D1")
        assert "secret" not in sealed.text
        assert "secret" in own.text
        await chat.press("U1", own, "1. red")
        await gate.ended(ask)
        await gate.closed(ask)
        assert "red" not in chat.messages("C1")[0].text.replace("Answered", "")


# Commands and home


async def test_the_command_tells_links_and_answers(room: tuple[Slack, Gatewayed]) -> None:
    """`/oz`, `/oz pending`, `/oz link`, and words that answer."""
    chat, gate = room
    await chat.command("U1", "C1", "")
    ask = await gate.ask(choice("red", "blue"))
    await posted(chat)
    await chat.command("U1", "C1", "pending")
    await chat.command("U2", "C1", "link")
    said = await told(chat, "U1", 2)
    assert "None waits" in said[0]
    assert "Which colour" in said[1]
    assert "slack:T0001/U2" in (await told(chat, "U2"))[0]
    await chat.command("U1", "C1", "other: ask @Ben & co")
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {"pick": {"options": [], "write_in": "ask @Ben & co"}}
    assert (await told(chat, "U1", 3))[2] == "Got it: ask @Ben & co."


async def test_what_waits_for_me_stands_at_home(room: tuple[Slack, Gatewayed]) -> None:
    """Mine only; and in private the command says the same."""
    chat, gate = room
    await gate.ask(choice("red", "blue"))
    await posted(chat)
    await chat.open_home("U1")
    await chat.until(lambda: chat.home("U1"))
    home = chat.home("U1")
    assert home is not None
    assert "Which colour" in home.text
    await chat.open_home("U2")
    await chat.until(lambda: chat.home("U2"))
    other = chat.home("U2")
    assert other is not None
    assert "Which colour" not in other.text
    await chat.command("U1", chat.dm("U1"), "pending")
    assert "Which colour" in (await told(chat, "U1"))[0]
