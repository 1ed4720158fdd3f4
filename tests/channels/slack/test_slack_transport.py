"""Slack from end to end: the real SDK between a real gateway and the fake workspace."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession

from channels.testing.slack import Slack
from gateway.ask import AskKind, Status
from gateway.errors import Unavailable
from gateway.question import Kind
from tests.channels.gatewayed import Gatewayed
from tests.channels.slack.rooms import (
    DIRECT,
    OPEN,
    SEALED,
    posted,
    running,
    told,
    without_proxy,
)
from tests.strategies_reply import choice, field, several
from tests.waiting import until

both = pytest.mark.parametrize("mode", ["socket", "http"])


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
    chat.fail("response_url", times=60, delay_s=2.0)
    began = asyncio.get_running_loop().time()
    presses = [chat.press(f"U1{number:02}", post, "2. blue") for number in range(50)]
    await asyncio.gather(chat.press("U1", post, "1. red"), *presses)
    acks = [one for one in chat.calls if one.method == "ack" and one.at >= began]
    assert len([one for one in acks if one.payload["type"] == "block_actions"]) == 51
    assert max(one.at for one in acks) - began < 1.0
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


# When things go wrong


async def test_the_store_away_is_said_and_loses_nothing(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A presser is told to try again; a message is left for Slack to bring again."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"), choice("a", "b", name="other"))
    post = await posted(chat)
    chat.carrier.retries_s = (0.05,) * 50
    away = _Away(gate, monkeypatch)
    await chat.press("U1", post, "Answer")
    assert "Not saved" in (await told(chat, "U1"))[0]
    await chat.type("U1", "C1", "pick: red\nother: a", reply_to=post.id)
    chat.carrier.ack_s = 0.1
    await chat.until(lambda: len(chat.deliveries) > 4)
    away.back()
    assert (await gate.ended(ask)).outcome is not None


class _Away:
    """The store refuses everything that channels ask of it."""

    def __init__(self, gate: Gatewayed, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

        async def refuse(*_: object, **__: object) -> None:
            raise Unavailable("away")

        for name in ("read", "look", "joined"):
            monkeypatch.setattr(gate.store, name, refuse)

    def back(self) -> None:
        """It answers again."""
        self._monkeypatch.undo()


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


async def test_a_replayed_event_has_no_second_effect(room: tuple[Slack, Gatewayed]) -> None:
    """Brought again after it was acknowledged: nothing is said twice."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    await chat.type("U1", "C1", "blue", reply_to=(await posted(chat)).id)
    await gate.ended(ask)
    await told(chat, "U1")
    made = next(one for one in chat.deliveries if one.payload["event"].get("user") == "U1")
    await chat.again(made)
    await chat.type("U2", "C1", "@OZ pending")
    await told(chat, "U2")
    assert chat.told("U1") == ["Got it: blue."]


async def test_one_gesture_seen_twice_is_one_message(room: tuple[Slack, Gatewayed]) -> None:
    """The same `client_msg_id` under another timestamp is a phantom."""
    chat, gate = room
    first = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    await chat.type("U1", "C1", "7", reply_to=post.id)
    await told(chat, "U1")
    made = next(one for one in chat.deliveries if one.payload["event"].get("user") == "U1")
    phantom = {**made.payload["event"], "ts": chat.space.ts(), "text": "blue"}
    chat.emit(phantom)
    await chat.type("U2", "C1", "@OZ pending")
    await told(chat, "U2")
    assert (await gate.record(first)).pending
    assert len(chat.told("U1")) == 1


async def test_a_deleted_post_comes_back(room: tuple[Slack, Gatewayed]) -> None:
    """While its ask waits; it can be answered there."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    await until(lambda: _is_shown(gate, ask), "it is recorded")
    await chat.delete("C1", post.id)
    again = await posted(chat)
    assert again.id != post.id
    await chat.press("U1", again, "1. red")
    await gate.ended(ask)


async def _is_shown(gate: Gatewayed, ask: str) -> bool:
    return list((await gate.where(ask)).values()) == ["shown"]


async def test_posts_keep_slacks_pace(redis_url: str, tmp_path: Path) -> None:
    """Two at once are a second apart, so none is refused."""
    async with running(redis_url, tmp_path) as (chat, gate):
        chat.rules.post_every_s = 1.0
        await gate.ask(choice("red", "blue"))
        await gate.ask(choice("small", "large"))
        await posted(chat, "C1", 2)
        posts = [one for one in chat.calls if one.method == "chat.postMessage"]
        assert [one.refused for one in posts] == [None, None]


async def test_a_rate_limit_is_waited_out(room: tuple[Slack, Gatewayed]) -> None:
    """As long as Slack says."""
    chat, gate = room
    chat.fail("chat.postMessage", status=429, headers={"Retry-After": "1"})
    await gate.ask(choice("red", "blue"))
    await posted(chat)
    first, second = [one for one in chat.calls if one.method == "chat.postMessage"]
    assert second.at - first.at >= 1.0


async def test_a_lost_answer_makes_no_second_post(room: tuple[Slack, Gatewayed]) -> None:
    """It is posted again under the same key, which Slack knows."""
    chat, gate = room
    chat.fail("chat.postMessage", lost=True)
    ask = await gate.ask(choice("red", "blue"))
    await chat.until(lambda: chat.count("chat.postMessage") == 2)
    (post,) = chat.messages("C1")
    await chat.press("U1", post, "1. red")
    await gate.ended(ask)
    await gate.closed(ask)


async def test_a_call_that_hangs_is_given_up(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And made again under the same key, whatever became of the first."""
    monkeypatch.setattr("channels.slack.transport.CALL_S", 0.3)
    async with running(redis_url, tmp_path) as (chat, gate):
        chat.fail("chat.postMessage", delay_s=1.0)
        ask = await gate.ask(choice("red", "blue"))
        await chat.until(lambda: chat.count("chat.postMessage") == 2)
        (post,) = chat.messages("C1")
        await chat.press("U1", post, "1. red")
        await gate.ended(ask)
        await gate.closed(ask)


async def test_a_copy_that_was_deleted_meanwhile_is_posted_under_another_key(
    room: tuple[Slack, Gatewayed],
) -> None:
    """Slack refuses the key of a deleted message."""
    chat, gate = room
    refusal = {"ok": False, "error": "duplicate_message_not_found"}
    chat.fail("chat.postMessage", status=200, body=refusal)
    await gate.ask(choice("red", "blue"))
    assert (await posted(chat)).raw["blocks"]
    keys = [c.payload["client_msg_id"] for c in chat.calls if c.method == "chat.postMessage"]
    assert len(set(keys)) == 2


@pytest.mark.parametrize(
    ("code", "state"),
    [("channel_not_found", "failed"), ("not_in_channel", "failed"), ("missing_scope", "shut")],
)
async def test_where_nothing_can_be_posted_the_ask_says_so(
    room: tuple[Slack, Gatewayed], code: str, state: str
) -> None:
    """By place, with what Slack called it."""
    chat, gate = room
    chat.fail("chat.postMessage", times=9, status=200, body={"ok": False, "error": code})
    ask = await gate.ask(choice("red", "blue"))

    async def given_up() -> bool:
        return list((await gate.where(ask)).values()) == [state]

    await until(given_up, "the post is given up")


async def test_blocks_that_slack_refuses_become_plain_text(room: tuple[Slack, Gatewayed]) -> None:
    """Whatever it did not like, the question stands and can be answered."""
    chat, gate = room
    chat.fail("chat.postMessage", status=200, body={"ok": False, "error": "invalid_blocks"})
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    assert post.raw["blocks"] == []
    assert "2. blue" in post.text
    await chat.type("U1", "C1", "2", reply_to=post.id)
    await gate.ended(ask)
    await gate.closed(ask)
    assert "Answered: blue." in chat.messages("C1")[0].text


async def test_the_connection_is_renewed(room: tuple[Slack, Gatewayed]) -> None:
    """When Slack asks for it, and when it breaks; what happens meanwhile is not lost."""
    chat, gate = room
    chat.carrier.retries_s = (0.2,) * 20
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    await chat.refresh()
    await chat.until(lambda: chat.connections == 1)
    chat.drop()
    await chat.type("U1", "C1", "blue", reply_to=post.id)
    await gate.ended(ask)


async def test_what_is_in_hand_when_a_connection_is_renewed_is_still_confirmed(
    room: tuple[Slack, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the old connection, so that Slack has no reason to bring it again."""
    chat, gate = room
    ask = await gate.ask(choice("red", "blue"))
    post = await posted(chat)
    slow, read = asyncio.Event(), gate.store.read

    async def late(ask_id: str) -> object:
        await slow.wait()
        return await read(ask_id)

    monkeypatch.setattr(gate.store, "read", late)
    await chat.type("U1", "C1", "blue", reply_to=post.id)
    await chat.refresh("warning")
    await chat.until(lambda: chat.connections == 1)
    slow.set()
    await gate.ended(ask)
    made = [one for one in chat.deliveries if one.payload["event"].get("user") == "U1"]
    await chat.until(lambda: made[0].answer)
    assert [one.answer.failure for one in made if one.answer] == [None]


async def test_an_outage_is_waited_out(room: tuple[Slack, Gatewayed]) -> None:
    """What was asked meanwhile is posted afterwards."""
    chat, gate = room
    async with chat.outage():
        ask = await gate.ask(choice("red", "blue"))
        await chat.until(lambda: not chat.carrier.sockets)
    post = await posted(chat)
    await chat.until(lambda: chat.connections)
    await chat.press("U1", post, "1. red")
    await gate.ended(ask)


async def test_a_revoked_token_is_noticed(
    room: tuple[Slack, Gatewayed], caplog: pytest.LogCaptureFixture
) -> None:
    """The channel ends, says why, and tries again later."""
    chat, _ = room
    chat.revoke()
    await chat.until(lambda: any(c.refused == "token_revoked" for c in chat.calls))
    assert any(one.message == "channel.failed" for one in caplog.records)


async def test_only_slack_is_heard_over_http(redis_url: str, tmp_path: Path) -> None:
    """A wrong signature, none, an old one and a body that is none: refused, and nothing happens."""
    async with running(redis_url, tmp_path, OPEN, mode="http") as (chat, gate):
        url = f"{gate.hooks}/slack/events"
        signed = chat.carrier.signed("{}")
        stale = {**signed, "X-Slack-Request-Timestamp": "1"}
        odd = {**signed, "X-Slack-Request-Timestamp": "now"}
        async with ClientSession() as session:
            for headers, body, status in (
                ({}, "{}", 401),
                (stale, "{}", 401),
                (odd, "{}", 401),
                (signed, "{ }", 401),
                (signed, "{}", 200),
                ({**signed, "Content-Type": "application/json"}, "[", 400),
            ):
                async with session.post(url, data=body, headers=headers) as answer:
                    assert answer.status == status


def test_nothing_of_slack_is_imported_before_it_is_opened() -> None:
    """Neither by the channel nor by what is pure."""
    code = (
        "import sys, channels.slack.channel, channels.slack.render, channels.slack.modal,"
        " channels.slack.parse, channels.slack.errors;"
        " sys.exit(any(name.startswith('slack_') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
