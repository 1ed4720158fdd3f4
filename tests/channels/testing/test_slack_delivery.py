"""The real Bolt against the fake workspace: how things come in, by Socket Mode and by HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from tests.channels.testing.slack_app import BLOCKS, Enter, Json, both, entering


@pytest.fixture
async def enter(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Enter]:
    """Makes rooms, by `socket` or `http`."""
    async with entering(monkeypatch) as make:
        yield make


@both
async def test_a_press_reaches_the_app(enter: Enter, way: str) -> None:
    """With who, where, on what, and everything needed to answer it; the ack is remembered."""
    room = await enter(way)
    message = await room.post()
    await room.chat.press("U1", message, "Yes")
    (body,) = room.heard.of("block_actions")
    assert body["user"]["id"] == "U1"
    assert body["container"] == {
        "type": "message",
        "message_ts": message.id,
        "channel_id": "C1",
        "is_ephemeral": False,
    }
    (action,) = body["actions"]
    assert (action["action_id"], action["value"], action["block_id"]) == ("yes", "1", "row")
    assert body["message"]["ts"] == message.id
    assert body["state"]["values"] == {
        "row": {"menu": {"type": "static_select", "selected_option": None}}
    }
    (ack,) = room.acks("block_actions")
    assert ack.refused is None
    assert room.chat.told("U1") == []
    with pytest.raises(LookupError, match="Yes"):
        await room.chat.press("U1", message, "No")


async def test_choosing_is_sent_and_kept_for_each_person(enter: Enter) -> None:
    """What somebody chose rides along with their next press, and nobody else's."""
    room = await enter()
    message = await room.post()
    await room.chat.choose("U1", message, "Pick", ["Blue"])
    await room.chat.press("U1", message, "Yes")
    await room.chat.press("U2", message, "Yes")
    chosen, mine, theirs = room.heard.of("block_actions")
    assert chosen["actions"][0]["selected_option"]["value"] == "blue"
    held = mine["state"]["values"]["row"]["menu"]
    assert held["selected_option"]["value"] == "blue"
    assert theirs["state"]["values"]["row"]["menu"]["selected_option"] is None
    await room.heard.app.client.chat_update(
        channel="C1", ts=message.id, text="Again?", blocks=BLOCKS
    )
    await room.chat.press("U1", message, "Yes")
    redrawn = room.heard.of("block_actions")[3]
    assert redrawn["state"]["values"]["row"]["menu"]["selected_option"] is None
    with pytest.raises(LookupError, match="Green"):
        await room.chat.choose("U1", message, "Pick", ["Green"])


@both
async def test_what_people_write_comes_as_an_event(enter: Enter, way: str) -> None:
    """Escaped, with mentions, links and emoji as Slack writes them."""
    room = await enter(way)
    ts = await room.chat.type("U1", "C1", "a < b & @Ben Xu see acme.com, me@a.example 👍")
    (body,) = await room.hears("message")
    event = body["event"]
    assert event["text"] == (
        "a &lt; b &amp; <@U2> see <http://acme.com|acme.com>,"
        " <mailto:me@a.example|me@a.example> :+1:"
    )
    assert (event["user"], event["ts"], event["channel_type"]) == ("U1", ts, "channel")
    assert event["client_msg_id"]
    assert body["authorizations"][0]["user_id"] == "UOZ"
    (shown,) = room.chat.messages("C1")
    assert shown.text == "a < b & @Ben Xu see acme.com, me@a.example :+1:"
    await room.chat.until(lambda: room.acks("message"))


async def test_a_mention_comes_as_two_events(enter: Enter) -> None:
    """`message` and `app_mention`, of the same message; a direct message is never a mention."""
    room = await enter()
    ts = await room.chat.type("U1", "C1", "@OZ yes")
    (mention,) = await room.hears("app_mention")
    (message,) = await room.hears("message")
    assert mention["event"]["ts"] == message["event"]["ts"] == ts
    assert mention["event_id"] != message["event_id"]
    assert message["event"]["text"] == "<@UOZ> yes"
    await room.chat.type("U1", room.chat.dm("U1"), "@OZ yes")
    await room.hears("message", 2)
    assert room.heard.of("message")[1]["event"]["channel_type"] == "im"
    assert len(room.heard.of("app_mention")) == 1


async def test_a_reply_goes_to_the_thread_of_what_it_answers(enter: Enter) -> None:
    """To the parent's thread, be it an answer to a reply."""
    room = await enter()
    post = await room.post()
    reply = await room.chat.type("U1", "C1", "one", reply_to=post.id)
    await room.chat.type("U2", "C1", "two", reply_to=reply)
    first, second = await room.hears("message", 2)
    assert first["event"]["thread_ts"] == second["event"]["thread_ts"] == post.id
    assert first["event"]["parent_user_id"] == "UOZ"
    await room.chat.press("U1", room.chat.messages("C1")[0], "Yes")
    assert room.heard.of("block_actions")[0]["container"]["thread_ts"] == post.id
    with pytest.raises(LookupError):
        await room.chat.type("U1", "C1", "x", thread="1.000001")


async def test_edits_and_deletions_come_as_events(enter: Enter) -> None:
    """With the message before and after; only one's own can be edited."""
    room = await enter()
    ts = await room.chat.type("U1", "C1", "one")
    await room.chat.edit("U1", "C1", ts, "two")
    await room.hears("message", 2)
    changed = room.heard.of("message")[1]["event"]
    assert changed["subtype"] == "message_changed"
    assert (changed["message"]["text"], changed["previous_message"]["text"]) == ("two", "one")
    assert changed["message"]["edited"]["user"] == "U1"
    with pytest.raises(LookupError):
        await room.chat.edit("U2", "C1", ts, "three")
    await room.chat.delete("C1", ts)
    await room.hears("message", 3)
    assert room.heard.of("message")[2]["event"]["deleted_ts"] == ts
    assert room.chat.messages("C1") == []


async def test_the_bots_own_messages_come_back(enter: Enter) -> None:
    """As `message` and, once changed, `message_changed`; Bolt acknowledges and drops the first."""
    room = await enter()
    message = await room.post()
    await room.heard.app.client.chat_update(channel="C1", ts=message.id, text="Done")
    await room.chat.until(lambda: len(room.acks("message")) == 2)
    own, changed = (one.payload["event"] for one in room.chat.deliveries)
    assert (own["bot_id"], own["user"]) == ("BOZ", "UOZ")
    assert changed["message"]["bot_id"] == "BOZ"


async def test_only_what_the_app_may_hear_is_brought(enter: Enter) -> None:
    """Not without the subscription, the scope, or the bot in the conversation."""
    room = await enter()
    room.chat.rules.events.discard("message.channels")
    await room.chat.type("U1", "C1", "unheard")
    room.chat.rules.events.add("message.channels")
    room.chat.rules.scopes.discard("channels:history")
    await room.chat.type("U1", "C1", "unheard")
    room.chat.rules.scopes.add("channels:history")
    room.chat.remove_bot("C1")
    await room.chat.type("U1", "C1", "@OZ unheard")
    await room.chat.type("U1", room.chat.dm("U1"), "heard")
    (body,) = await room.hears("message")
    assert body["event"]["text"] == "heard"
    assert len(room.chat.deliveries) == 1


async def test_a_revoked_token_is_the_last_thing_heard(enter: Enter) -> None:
    """The event comes; nothing after it does."""
    room = await enter()
    room.chat.revoke()
    await room.chat.type("U1", "C1", "unheard")
    await room.chat.until(lambda: room.chat.deliveries)
    (made,) = room.chat.deliveries
    assert made.payload["event"] == {
        "type": "tokens_revoked",
        "tokens": {"oauth": [], "bot": ["UOZ"]},
    }


async def test_nobody_writes_where_they_cannot(enter: Enter) -> None:
    """Strangers, archived channels, an app without a Messages tab."""
    room = await enter()
    room.chat.person("U3", "Cem")
    with pytest.raises(LookupError):
        await room.chat.type("U3", "C1", "x")
    room.chat.archive("C1")
    with pytest.raises(ValueError, match="archived"):
        await room.chat.type("U1", "C1", "x")
    room.chat.rules.messages_tab = False
    with pytest.raises(ValueError, match="Messages tab"):
        await room.chat.type("U1", room.chat.dm("U1"), "x")


# Acknowledgements


@both
async def test_an_event_that_is_not_acknowledged_comes_again(enter: Enter, way: str) -> None:
    """Three times more, told apart by number and reason, with the same event id."""
    room = await enter(way, ack_s=0.03, retries_s=(0.0, 0.0, 0.0))
    deaf = asyncio.Event()

    async def wait() -> None:
        await deaf.wait()

    room.heard.app.middleware(wait)
    await room.chat.type("U1", "C1", "x")
    await room.chat.until(lambda: len(room.chat.deliveries) == 4)
    await room.chat.until(lambda: room.chat.deliveries[-1].answer)
    assert [one.attempt for one in room.chat.deliveries] == [0, 1, 2, 3]
    reason = {"socket": "timeout", "http": "http_timeout"}[way]
    assert [one.reason for one in room.chat.deliveries] == [None, reason, reason, reason]
    assert len({one.payload["event_id"] for one in room.chat.deliveries}) == 1
    deaf.set()


@both
async def test_a_retry_says_so_to_the_app(enter: Enter, way: str) -> None:
    """Bolt reads number and reason from both ways in."""
    room = await enter(way, retries_s=(0.0,))
    tries: list[tuple[str, str]] = []

    async def fail_once(req: Any, next: Any) -> None:  # noqa: A002 - Bolt's name
        number = req.headers.get("x-slack-retry-num", ["0"])[0]
        tries.append((number, req.headers.get("x-slack-retry-reason", [""])[0]))
        if len(tries) == 1:
            raise ConnectionError
        await next()

    room.heard.app.middleware(fail_once)
    room.chat.carrier.ack_s = 0.05 if way == "socket" else 3.0
    await room.chat.type("U1", "C1", "x")
    await room.hears("message")
    again = {"socket": "timeout", "http": "http_error"}[way]
    assert [int(number) for number, _ in tries] == [0, 1]
    assert tries[1][1] == again


async def test_an_app_can_ask_for_no_more_attempts(enter: Enter) -> None:
    """`X-Slack-No-Retry` ends it."""
    room = await enter("http", retries_s=(0.0, 0.0))

    async def refuse(_request: web.Request) -> web.Response:
        return web.Response(status=500, headers={"X-Slack-No-Retry": "1"})

    runner = web.AppRunner(stubborn := web.Application())
    stubborn.router.add_post("/", refuse)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    room.chat.carrier.request_url = "http://127.0.0.1:{1}/".format(*runner.addresses[0])
    await room.chat.type("U1", "C1", "x")
    await room.chat.until(lambda: room.acks("message"))
    assert room.acks("message")[0].refused == "http_error"
    await room.chat.type("U1", "C1", "y")
    await room.chat.until(lambda: len(room.acks("message")) == 2)
    assert [one.attempt for one in room.chat.deliveries] == [0, 0]
    await runner.cleanup()


@both
async def test_a_press_that_is_not_acknowledged_is_told_and_not_repeated(
    enter: Enter, way: str
) -> None:
    """The person sees that it failed; it never comes again."""
    room = await enter(way)
    message = await room.post()
    room.chat.carrier.ack_s = 0.05
    hold = asyncio.Event()

    async def late(ack: Any, _body: Json) -> None:
        await hold.wait()
        await ack()

    room.heard.answers["block_actions"] = late
    await room.chat.press("U1", message, "Yes")
    assert room.chat.told("U1") == [f"failed: {'timeout' if way == 'socket' else 'http_timeout'}"]
    assert room.acks("block_actions") == []
    hold.set()
    if way == "socket":
        calls = await room.chat.until(
            lambda: [one for one in room.chat.calls if one.refused == "late"]
        )
        assert calls[0].method == "ack"
    assert len(room.heard.of("block_actions")) == 1


async def test_duplicates_come_on_demand(enter: Enter) -> None:
    """An event, though acknowledged, comes once more as a retry; a press, just again."""
    room = await enter()
    await room.chat.type("U1", "C1", "x")
    await room.hears("message")
    (made,) = room.chat.deliveries
    await room.chat.again(made)
    first, second = room.heard.of("message")
    assert first["event_id"] == second["event_id"]
    assert room.chat.deliveries[1].attempt == 1


async def test_events_come_out_of_order_on_demand(enter: Enter) -> None:
    """What happened in there comes afterwards, the last first."""
    room = await enter()
    async with room.chat.backwards():
        await room.chat.type("U1", "C1", "one")
        await room.chat.type("U1", "C1", "two")
        assert room.chat.deliveries == []
    assert [one["event"]["text"] for one in room.heard.of("message")] == ["two", "one"]
