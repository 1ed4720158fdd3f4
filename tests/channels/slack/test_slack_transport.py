"""Slack when things go wrong: what is lost, late, refused, repeated or cut, from end to end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession

from channels.testing.slack import Slack
from gateway.errors import Unavailable
from tests.channels.gatewayed import Gatewayed, Slow
from tests.channels.slack.rooms import OPEN, posted, running, told, without_proxy
from tests.strategies_reply import choice
from tests.waiting import until


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


@pytest.fixture
async def room(redis_url: str, tmp_path: Path) -> AsyncIterator[tuple[Slack, Gatewayed]]:
    """Slack and the gateway, with a route that lets everyone in C1 see."""
    async with running(redis_url, tmp_path) as made:
        yield made


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
    store = Slow(gate, monkeypatch)
    await chat.type("U1", "C1", "blue", reply_to=post.id)
    await store.asked.wait()
    await chat.refresh("warning")
    await chat.until(lambda: chat.connections == 1)
    store.goes_on.set()
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
    room: tuple[Slack, Gatewayed],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The channel ends, says why, and tries again later."""
    chat, _ = room
    monkeypatch.setattr("gateway.cli.chats.BY_HAND_S", 0.05)
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
