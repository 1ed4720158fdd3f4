"""What is said back on Slack comes, to its reader alone, however busy or slow the platform is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from channels.contract import Button, Send, Tell
from channels.slack import render
from channels.slack.parse import interaction
from channels.testing.slack import Slack
from channels.testing.slack.limits import block_problems
from gateway.errors import Unavailable
from gateway.question import Kind
from gateway.store import EventType
from tests.channels.gatewayed import Gatewayed
from tests.channels.slack.rooms import DIRECT, posted, running, told, without_proxy
from tests.channels.slack.test_slack_parse import NOW, US, pressed
from tests.strategies_reply import choice, field


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.fixture
async def room(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Slack, Gatewayed]]:
    """Slack and the gateway, with a route that lets everyone in C1 see."""
    async with running(redis_url, tmp_path) as made:
        yield made


async def test_each_of_many_refusals_waits_its_turn(redis_url: str, tmp_path: Path) -> None:
    """In a direct chat what is said counts as posts do; a rate limit comes on top of that."""
    async with running(redis_url, tmp_path, DIRECT) as (chat, gate):
        await gate.ask(choice("red", "blue", write_in=False))
        await posted(chat, "D1")
        chat.fail("chat.postMessage", status=429, headers={"Retry-After": "1"}, body={"ok": False})
        for number in (7, 8, 9, 10):
            await chat.type("U1", "D1", str(number))
        await posted(chat, "D1", 9)
        said = [one.text for one in chat.messages("D1") if "There is no option" in one.text]
        assert {text.split(".")[0] for text in said} == {
            f"There is no option {number}" for number in (7, 8, 9, 10)
        }


def test_any_number_of_buttons_is_drawn() -> None:
    """In rows as long as Slack takes, under as many messages as they need; none is a post's."""
    buttons = tuple(
        Button(f"K{n}", f"K{n}", "a-000000000001", Send(f"{n:010x}")) for n in range(260)
    )
    messages = render.tell(Tell("Which?", buttons=buttons), "Which?")
    drawn = []
    for message in messages:
        assert block_problems(message["blocks"], "message") == []
        for block in message["blocks"]:
            if block["type"] == "actions":
                drawn += [(block["block_id"], one) for one in block["elements"]]
    assert [one["text"]["text"] for _, one in drawn] == [one.label for one in buttons]
    for row, one in drawn:
        press = interaction(pressed({"value": one["value"], "block_id": row}), US, NOW)
        assert press is not None
        assert press.message is None


async def test_what_takes_more_than_a_response_url_stays_private(
    room: tuple[Slack, Gatewayed],
) -> None:
    """It takes five messages; those after them are whispered."""
    chat, gate = room
    await gate.ask(field(Kind.TEXT))
    await posted(chat)
    answer = "&" * 4_000
    await chat.command("U1", "C1", f"other: {answer}")
    await chat.until(lambda: "".join(chat.told("U1")).endswith("."))
    assert "".join("".join(chat.told("U1")).split()) == f"Gotit:{answer}."
    assert chat.count("response_url") == 5
    assert chat.count("chat.postEphemeral") > 0
    assert [one for one in chat.messages("C1") if "Got it" in one.text and not one.private_to] == []


async def test_a_command_is_never_answered_in_public(room: tuple[Slack, Gatewayed]) -> None:
    """Where nothing can be said in private, nothing is."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    chat.fail("response_url", status=404)
    chat.fail("chat.postEphemeral", status=200, body={"ok": False, "error": "user_not_in_channel"})
    await chat.command("U1", "C1", "1")
    await gate.closed(ask)
    await chat.until(lambda: [one for one in chat.calls if one.method == "chat.postEphemeral"])
    await chat.command("U1", "C1", "pending")
    await told(chat, "U1")
    assert [one.id for one in chat.messages("C1")] == [post.id]


@pytest.fixture
async def late(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Slack, asyncio.Future[None]]]:
    """A form that was sent, and said to take a moment; the store answers as the future ends."""
    chat, gate = room
    fields = choice("red", "blue", name="colour"), field(Kind.TEXT, name="why", required=False)
    await gate.ask(*fields, typed=True)
    await chat.press("U1", await posted(chat), "Answer")
    await chat.until(lambda: chat.form("U1"))
    slow: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    read = gate.store.read

    async def slowly(ask_id: str) -> Any:
        await slow
        return await read(ask_id)

    with monkeypatch.context() as patch:
        patch.setattr("channels.slack.inbox.IN_BREATH_S", 0.05)
        patch.setattr(gate.store, "read", slowly)
        await chat.submit("U1", {"why": "because"})
        form = chat.form("U1")
        assert form is not None
        assert "takes a moment" in str(form.errors)
        yield chat, slow


async def test_faults_that_come_late_are_told_in_words(
    late: tuple[Slack, asyncio.Future[None]],
) -> None:
    """By their labels; the form is still open, with what is in it."""
    chat, slow = late
    slow.set_result(None)
    (said,) = await told(chat, "U1")
    assert said.startswith("Not sent yet. Change what is wrong in the form, and send it again.")
    assert "colour: " in said


async def test_a_store_that_went_away_meanwhile_is_told(
    late: tuple[Slack, asyncio.Future[None]],
) -> None:
    """Whoever was told to wait does not wait for ever."""
    chat, slow = late
    slow.set_exception(Unavailable("away"))
    assert (await told(chat, "U1"))[0].startswith("Not saved just now.")


async def test_a_long_reminder_is_whole(room: tuple[Slack, Gatewayed]) -> None:
    """In the thread of its post, in as many messages as Slack takes it in."""
    chat, gate = room
    prompt = ("<li>one</li> " * 600).strip()
    ask = await gate.ask(choice("red", "blue"), prompt=prompt)
    post = await chat.until(lambda: next((m for m in chat.messages("C1") if m.controls), None))
    assert post is not None
    before = len(chat.messages("C1"))
    record = await gate.record(ask)
    assert await gate.store.climb(record, 0, 1, EventType.WAITING, "answerers", None)

    def reminder() -> list[str]:
        under = [one for one in chat.messages("C1")[before:] if one.thread == post.id]
        return " ".join(one.text for one in under).split()

    await chat.until(lambda: "left." in reminder() or "until" in reminder())
    assert reminder()[:2] == ["Still", "waiting:"]
    assert " ".join(prompt.split()) in " ".join(reminder())
