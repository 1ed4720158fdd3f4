"""Slack's presses and forms, from end to end: the real SDK and a real gateway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from channels.testing.slack import Slack
from gateway.ask import AskKind, Status
from gateway.question import Kind
from tests.channels.gatewayed import Gatewayed
from tests.channels.slack.rooms import DIRECT, both, posted, running, told, without_proxy
from tests.strategies_reply import choice, field, several


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.fixture
async def room(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Slack, Gatewayed]]:
    """Slack and the gateway, with a route that lets everyone in C1 see."""
    async with running(redis_url, tmp_path) as made:
        yield made


@both
async def test_a_press_settles_and_the_post_shows_it(
    redis_url: str, tmp_path: Path, mode: str
) -> None:
    """Receipted to the presser alone, and drawn without controls; nobody is pinged."""
    async with running(redis_url, tmp_path, mode=mode) as (chat, gate):
        ask = await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        assert "Which colour should the report use?" in post.text
        assert [one.label for one in post.controls] == ["1. red", "2. blue", "Other…", "Decline"]
        await chat.press("U1", post, "2. blue")
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert (record.outcome.by, record.outcome.surface) == ("user:ana", "slack")
        await gate.closed(ask)
        (shown,) = chat.messages("C1")
        assert shown.controls == ()
        assert "Answered: blue." in shown.text
        assert await told(chat, "U1") == ["Got it: blue."]
        assert (chat.told("U2"), chat.pings, chat.previews) == ([], [], [])


@both
async def test_a_press_is_acknowledged_before_the_store_is_asked(
    redis_url: str, tmp_path: Path, mode: str
) -> None:
    """The first call after a press is its acknowledgement."""
    async with running(redis_url, tmp_path, mode=mode) as (chat, gate):
        await gate.ask(choice("red", "blue"))
        post = await posted(chat)
        await chat.until(lambda: any(one.method == "ack" for one in chat.calls))
        before = len(chat.calls)
        await chat.press("U1", post, "1. red")
        await told(chat, "U1")
        first = chat.calls[before]
        assert (first.method, first.payload["type"]) == ("ack", "block_actions")


async def test_fifty_presses_are_acknowledged_at_once(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the store and Slack's own calls take; one of them wins."""
    chat, gate = room
    for number in range(50):
        chat.person(f"U1{number:02}", f"Person {number}")
        chat.space.conversation("C1").members.add(f"U1{number:02}")
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    read = gate.store.read

    async def slow(ask_id: str) -> object:
        await asyncio.sleep(0.3)
        return await read(ask_id)

    monkeypatch.setattr(gate.store, "read", slow)
    chat.fail("response_url", times=60, delay_s=4.0)
    began = asyncio.get_running_loop().time()
    presses = [chat.press(f"U1{number:02}", post, "2. blue") for number in range(50)]
    await asyncio.gather(chat.press("U1", post, "1. red"), *presses)
    acks = [one for one in chat.calls if one.method == "ack" and one.at >= began]
    assert len([one for one in acks if one.payload["type"] == "block_actions"]) == 51
    # One is promised; what waits for Slack's own calls takes four.
    assert max(one.at for one in acks) - began < 2.0
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.by == "user:ana"


async def test_somebody_else_is_told_so_alone(room: tuple[Slack, Gatewayed]) -> None:
    """The ask goes on waiting; their account is named as the config would."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    await chat.press("U3", await posted(chat), "2. blue")
    (said,) = await told(chat, "U3")
    assert "can't answer" in said
    assert "slack:T0002/U3" in said
    assert (await gate.record(ask)).pending


async def test_many_options_are_a_menu(room: tuple[Slack, Gatewayed]) -> None:
    """And stand in the text whole."""
    chat, gate = room
    ask = await gate.ask(choice(*(f"Option {n} of all" for n in range(1, 101))))
    post = await posted(chat)
    assert post.control("Choose…").options[99].startswith("100. Option 100")
    assert all(
        f"{n}. Option {n} of all" in "\n".join(one.text for one in chat.messages("C1"))
        for n in range(1, 101)
    )
    await chat.choose("U1", post, "Choose…", [post.control("Choose…").options[41]])
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {"pick": {"options": ["o42"], "write_in": None}}


@both
async def test_a_form_takes_all_six_kinds(redis_url: str, tmp_path: Path, mode: str) -> None:
    """Each with Slack's own input; what was filled in is the answer."""
    async with running(redis_url, tmp_path, mode=mode) as (chat, gate):
        ask = await gate.ask(
            field(Kind.TEXT, name="why", required=True),
            field(Kind.NUMBER, name="copies", min=1, max=9, integer=True),
            choice("red", "blue", name="colour"),
            several("bow", "card", name="extras"),
            field(Kind.DATE, name="day"),
            field(Kind.TOGGLE, name="sure"),
        )
        await chat.press("U1", await posted(chat), "Answer")
        await chat.until(lambda: chat.form("U1"))
        form = chat.form("U1")
        assert form is not None
        assert "Which colour should the report use?" in form.text
        await chat.submit(
            "U1",
            {
                "v:why": "fun <b> & *c*",
                "v:copies": 2,
                "v:colour": "2. blue",
                "v:extras": ["1. bow", "2. card"],
                "v:day": "2026-12-24",
                "v:sure": "Yes",
            },
        )
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert record.outcome.values == {
            "why": "fun <b> & *c*",
            "copies": 2,
            "colour": {"options": ["o2"], "write_in": None},
            "extras": {"options": ["o1", "o2"], "write_in": None},
            "day": "2026-12-24",
            "sure": True,
        }
        assert chat.form("U1") is None
        assert "Got it." in (await told(chat, "U1"))[0]


async def test_what_is_wrong_in_a_form_stands_beside_its_field(
    room: tuple[Slack, Gatewayed],
) -> None:
    """The form stays open with the input, and can be sent again."""
    chat, gate = room
    ask = await gate.ask(
        field(Kind.NUMBER, name="copies", min=1, max=9, integer=True, required=True),
        choice("red", "blue", name="colour", required=False),
    )
    await chat.press("U1", await posted(chat), "Answer")
    await chat.until(lambda: chat.form("U1"))
    await chat.submit("U1", {"v:copies": 2, "v:colour": "1. red", "w:colour": "green"})
    form = chat.form("U1")
    assert form is not None
    assert list(form.errors) == ["v:colour"]
    assert form.entries[0].value == "2"
    assert (await gate.record(ask)).pending
    await chat.close_form("U1")
    await chat.press("U1", chat.messages("C1")[0], "Answer")
    await chat.until(lambda: chat.form("U1"))
    await chat.submit("U1", {"v:copies": 3, "w:colour": "green"})
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {
        "copies": 3,
        "colour": {"options": [], "write_in": "green"},
    }


async def test_declining_asks_why(room: tuple[Slack, Gatewayed]) -> None:
    """In a form, whose one line may stay empty."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    await chat.press("U1", await posted(chat), "Decline")
    await chat.until(lambda: chat.form("U1"))
    await chat.submit("U1", {"w:": "ask Ben"})
    record = await gate.ended(ask)
    assert record.status is Status.DECLINED
    assert record.outcome is not None
    assert record.outcome.reason == "ask Ben"


async def test_an_approval_is_one_press(room: tuple[Slack, Gatewayed]) -> None:
    """And drawn as approved."""
    chat, gate = room
    ask = await gate.ask(kind=AskKind.APPROVAL, prompt="Delete the old reports?")
    await chat.press("U1", await posted(chat), "Approve")
    assert (await gate.ended(ask)).status is Status.ANSWERED
    await gate.closed(ask)
    assert "Approved" in chat.messages("C1")[0].text


async def test_hostile_text_reads_to_the_letter(room: tuple[Slack, Gatewayed]) -> None:
    """It calls nobody, shows no preview, and looks like nothing else, posted and drawn anew."""
    chat, gate = room
    prompt = "<!channel> <@U2> @everyone @here *b* `c` ~d~ :smile: &lt; https://a.example/x"
    ask = await gate.ask(choice("<!here>", "*blue*", write_in=False), prompt=prompt)
    post = await posted(chat)
    assert prompt in post.text
    assert "1. <!here>\n2. *blue*" in post.text
    await chat.press("U1", post, "1. <!here>")
    await gate.ended(ask)
    await gate.closed(ask)
    assert "Answered: <!here>." in chat.messages("C1")[0].text
    assert (chat.pings, chat.previews) == ([], [])


async def test_a_long_question_is_not_begun_again(room: tuple[Slack, Gatewayed]) -> None:
    """When one of its messages is refused for a while, those before it stand already."""
    chat, gate = room
    chat.rules.remembers_client_msg_id = False
    ask = await gate.ask(choice("red", "blue"), prompt="A long question. " * 300)
    await posted(chat)
    chat.fail("chat.postMessage", status=429)
    await chat.until(lambda: chat.messages("C1")[-1].controls)
    assert not chat.faults
    texts = [one.text for one in chat.messages("C1")]
    assert len(set(texts)) == len(texts) > 2
    await chat.press("U1", chat.messages("C1")[-1], "1. red")
    await gate.ended(ask)
    await gate.closed(ask)
    assert [one.text for one in chat.messages("C1")[:-1]] == texts[:-1]


async def test_a_text_too_long_for_its_input_is_kept(redis_url: str, tmp_path: Path) -> None:
    """The form says so, and sends it as it was written."""
    async with running(redis_url, tmp_path, DIRECT) as (chat, gate):
        notes = field(Kind.TEXT, name="notes", required=False, multiline=True)
        ask = await gate.ask(notes, field(Kind.NUMBER, name="copies"), typed=True)
        post = await posted(chat, "D1")
        await chat.type("U1", "D1", "notes: " + "n" * 3_500)
        await posted(chat, "D1", 3)
        await chat.press("U1", post, "Answer")
        form = await chat.until(lambda: chat.form("U1"))
        assert form is not None
        assert [one.label for one in form.entries] == ["copies"]
        await chat.submit("U1", {"copies": 3})
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert record.outcome.values == {"notes": "n" * 3_500, "copies": 3}


async def test_a_form_that_comes_too_late_is_refused_in_words(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within the time Slack gives; nothing opens afterwards."""
    chat, gate = room
    await gate.ask(field(Kind.NUMBER))
    post = await posted(chat)
    monkeypatch.setattr("channels.slack.inbox.IN_BREATH_S", 0.05)
    slow, read = asyncio.Event(), gate.store.read

    async def late(ask_id: str) -> object:
        await slow.wait()
        return await read(ask_id)

    monkeypatch.setattr(gate.store, "read", late)
    await chat.press("U1", post, "Answer")
    assert "try again" in (await told(chat, "U1"))[0]
    slow.set()
    assert chat.form("U1") is None
    assert chat.count("views.open") == 0


async def test_a_sent_form_that_takes_long_keeps_its_input(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The form says so and stays; what it came to is told once it is known."""
    chat, gate = room
    ask = await gate.ask(field(Kind.NUMBER, integer=True))
    await chat.press("U1", await posted(chat), "Answer")
    await chat.until(lambda: chat.form("U1"))
    monkeypatch.setattr("channels.slack.inbox.IN_BREATH_S", 0.05)
    slow, read = asyncio.Event(), gate.store.read

    async def late(ask_id: str) -> object:
        await slow.wait()
        return await read(ask_id)

    monkeypatch.setattr(gate.store, "read", late)
    await chat.submit("U1", {"v:value": 5})
    form = chat.form("U1")
    assert form is not None
    assert "takes a moment" in form.errors["v:value"]
    assert form.entries[0].value == "5"
    slow.set()
    await gate.ended(ask)
    assert await told(chat, "U1") == ["Got it: 5."]
    monkeypatch.setattr("channels.slack.inbox.IN_BREATH_S", 2.5)
    await chat.submit("U1", {})
    assert chat.form("U1") is None


async def test_a_form_that_slack_does_not_open_is_said(room: tuple[Slack, Gatewayed]) -> None:
    """Its trigger was spent or too old."""
    chat, gate = room
    await gate.ask(field(Kind.NUMBER))
    post = await posted(chat)
    chat.fail("views.open", status=200, body={"ok": False, "error": "expired_trigger_id"})
    await chat.press("U1", post, "Answer")
    assert "try again" in (await told(chat, "U1"))[0]
