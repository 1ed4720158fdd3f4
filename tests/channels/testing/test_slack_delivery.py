"""The real Bolt against the fake workspace: how things come in, by Socket Mode and by HTTP."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.platform import Call, Message
from channels.testing.slack import Slack

Json = dict[str, Any]
BUTTON = {
    "type": "button",
    "text": {"type": "plain_text", "text": "Yes"},
    "action_id": "yes",
    "value": "1",
}
MENU = {
    "type": "static_select",
    "placeholder": {"type": "plain_text", "text": "Pick"},
    "action_id": "menu",
    "options": [
        {"text": {"type": "plain_text", "text": one}, "value": one.lower()}
        for one in ("Red", "Blue")
    ],
}
BLOCKS = [{"type": "actions", "block_id": "row", "elements": [BUTTON, MENU]}]


@dataclass
class Heard:
    """A Bolt app that keeps all it hears, and acknowledges by `answers`."""

    app: AsyncApp
    bodies: list[Json] = field(default_factory=list)
    answers: dict[str, Callable[[Any, Json], Awaitable[None]]] = field(default_factory=dict)

    def of(self, kind: str) -> list[Json]:
        """What came of that type: an event's, an interaction's, or `command`."""
        return [one for one in self.bodies if kind_of(one) == kind]

    async def hear(self, ack: Any, body: Json) -> None:
        """Keeps it, and acknowledges it as the test wants."""
        self.bodies.append(body)
        await self.answers.get(kind_of(body), plainly)(ack, body)


async def plainly(ack: Any, _body: Json) -> None:
    """An acknowledgement without a word."""
    await ack()


def kind_of(body: Json) -> str:
    """What a payload is of."""
    return str(body.get("event", body).get("type", "command"))


def heard_by(chat: Slack) -> Heard:
    """The app, with a listener for everything."""
    client = AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])
    logger = logging.getLogger("bolt in tests")
    logger.setLevel(logging.CRITICAL)
    app = AsyncApp(client=client, signing_secret=chat.signing_secret, logger=logger)
    made, anything = Heard(app), re.compile(".*")
    app.event(anything)(made.hear)
    app.action(anything)(made.hear)
    app.view(anything)(made.hear)
    app.view_closed(anything)(made.hear)
    app.command(anything)(made.hear)
    return made


@asynccontextmanager
async def by_socket(heard: Heard, chat: Slack) -> AsyncIterator[None]:
    """The app is connected by Socket Mode in here."""
    handler = AsyncSocketModeHandler(heard.app, "xapp-oz", ping_interval=0.05)
    await handler.connect_async()  # type: ignore[no-untyped-call]
    await chat.until(lambda: chat.connections == 1)
    try:
        yield
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]


@asynccontextmanager
async def by_http(heard: Heard, chat: Slack) -> AsyncIterator[None]:
    """The app is served, and Slack knows where."""
    runner = web.AppRunner(heard.app.web_app("/slack"))
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        await chat.subscribe("http://127.0.0.1:{1}/slack".format(*runner.addresses[0]))
        yield
    finally:
        await runner.cleanup()


@dataclass
class Room:
    """The workspace and the app in it."""

    chat: Slack
    heard: Heard

    async def post(self, **more: Any) -> Message:
        """A post of the bot in C1, with a button and a menu."""
        values = {"channel": "C1", "text": "Ship?", "blocks": BLOCKS, **more}
        await self.heard.app.client.chat_postMessage(**values)
        return self.chat.messages(values["channel"] if values["channel"] != "U1" else "D1")[-1]

    async def hears(self, kind: str, count: int = 1) -> list[Json]:
        """What came of a kind, once there is so much."""
        await self.chat.until(lambda: len(self.heard.of(kind)) >= count)
        return self.heard.of(kind)

    def acks(self, kind: str) -> list[Call]:
        """The acknowledgements of a kind of payload."""
        return [
            one for one in self.chat.calls if one.method == "ack" and one.payload["type"] == kind
        ]


Enter = Callable[..., Awaitable[Room]]


@pytest.fixture
async def enter(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Enter]:
    """Makes rooms, by `socket` or `http`."""
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with AsyncExitStack() as stack:

        async def make(way: str = "socket", **settings: Any) -> Room:
            chat = await stack.enter_async_context(Slack(**settings))
            chat.person("U1", "Ana")
            chat.person("U2", "Ben Xu")
            chat.channel("C1", ("U1", "U2"), name="ops")
            heard = heard_by(chat)
            ways = {"socket": by_socket, "http": by_http}
            await stack.enter_async_context(ways[way](heard, chat))
            return Room(chat, heard)

        yield make


both = pytest.mark.parametrize("way", ["socket", "http"])


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


# Socket Mode


async def test_the_app_reconnects_when_asked_to(enter: Enter) -> None:
    """A new connection by a new address; what happens meanwhile comes on it."""
    room = await enter()
    opened = room.chat.count("apps.connections.open")
    await room.chat.refresh("warning")
    await room.chat.type("U1", "C1", "meanwhile")
    await room.hears("message")
    await room.chat.until(lambda: room.chat.connections == 1 == len(room.chat.carrier.sockets))
    assert room.chat.count("apps.connections.open") == opened + 1


async def test_envelopes_are_as_slack_makes_them() -> None:
    """Events take no answer and count their tries; nothing more comes once asked to leave."""
    async with Slack(ack_s=0.1, retries_s=(0.0,)) as chat, AsyncExitStack() as stack:
        chat.person("U1", "Ana")
        chat.channel("C1", ("U1",))
        client = AsyncWebClient("xoxb-oz", base_url=chat.api_url)
        session = await stack.enter_async_context(aiohttp.ClientSession())

        async def connect() -> aiohttp.ClientWebSocketResponse:
            url = (await client.apps_connections_open(app_token="xapp-oz"))["url"]
            made = await stack.enter_async_context(session.ws_connect(url))
            assert (await made.receive_json())["type"] == "hello"
            return made

        first = await connect()
        await chat.type("U1", "C1", "one")
        envelopes = [await first.receive_json() for _ in range(2)]
        assert [one["retry_attempt"] for one in envelopes] == [0, 1]
        assert [one["retry_reason"] for one in envelopes] == ["", "timeout"]
        assert [one["accepts_response_payload"] for one in envelopes] == [False, False]
        assert {one["type"] for one in envelopes} == {"events_api"}
        await first.send_json({"envelope_id": envelopes[1]["envelope_id"]})
        await chat.refresh("warning")
        said = await first.receive_json()
        assert (said["type"], said["reason"]) == ("disconnect", "warning")
        command = asyncio.ensure_future(chat.command("U1", "C1", "help"))
        with pytest.raises(TimeoutError):
            await first.receive_json(timeout=0.02)
        second = await connect()
        envelope = await second.receive_json()
        assert (envelope["type"], envelope["accepts_response_payload"]) == ("slash_commands", True)
        payload = {"text": "All", "response_type": "in_channel"}
        await second.send_json({"envelope_id": envelope["envelope_id"], "payload": payload})
        await command
        assert [one.text for one in chat.messages("C1")] == ["one", "All"]


async def test_the_app_reconnects_after_a_cut(enter: Enter) -> None:
    """What it missed comes again, until it is acknowledged."""
    room = await enter(ack_s=0.2, retries_s=(0.0,) * 50)
    room.chat.drop()
    await room.chat.type("U1", "C1", "missed")
    await room.hears("message")


async def test_an_outage_takes_the_sockets_as_well(enter: Enter) -> None:
    """While Slack is away nobody is connected."""
    room = await enter()
    async with room.chat.outage():
        await room.chat.until(lambda: not room.chat.carrier.sockets)
    await room.chat.until(lambda: room.chat.connections == 1)


async def test_a_socket_needs_its_own_ticket(enter: Enter) -> None:
    """Each address is good once; ten connections are the most."""
    room = await enter()
    async with aiohttp.ClientSession() as session, AsyncExitStack() as stack:

        async def connect() -> Json:
            answer = await room.heard.app.client.apps_connections_open(app_token="xapp-oz")
            socket = await stack.enter_async_context(session.ws_connect(answer["url"]))
            with pytest.raises(aiohttp.WSServerHandshakeError):
                await session.ws_connect(answer["url"])
            said: Json = await socket.receive_json()
            return said

        hello = [await connect() for _ in range(9)]
        assert [one["num_connections"] for one in hello] == list(range(2, 11))
        assert hello[0]["connection_info"]["app_id"] == "A0001"
        assert (await connect())["reason"] == "too_many_websockets"


async def test_an_envelope_is_acknowledged_with_what_it_takes(enter: Enter) -> None:
    """A command takes an answer, an event none; something else is no acknowledgement."""
    room = await enter()

    async def answer(ack: Any, _body: Json) -> None:
        await ack("You are <@U1>", response_type="ephemeral")

    room.heard.answers["command"] = answer
    await room.chat.command("U1", "C1", "help")
    (body,) = room.heard.of("command")
    assert (body["command"], body["text"], body["user_id"]) == ("/oz", "help", "U1")
    assert room.chat.told("U1") == ["You are @Ana"]
    answer_call = await room.heard.app.client.apps_connections_open(app_token="xapp-oz")
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(answer_call["url"]) as socket,
    ):
        await socket.send_str("pong")
        await room.chat.until(lambda: room.chat.calls[-1].refused == "late")


# HTTP


async def test_only_slack_can_speak_for_slack(enter: Enter) -> None:
    """A signature of another secret is refused by the app, and the challenge fails."""
    room = await enter("http")
    url = room.chat.carrier.request_url
    assert url is not None
    async with aiohttp.ClientSession() as session:
        async with session.post(url, data="{}", headers=room.chat.carrier.signed("{}")) as answer:
            assert answer.status != 401
        async with session.post(url, data="{ }", headers=room.chat.carrier.signed("{}")) as answer:
            assert answer.status == 401
    room.chat.carrier.secret = "another"
    message = await room.post()
    await room.chat.press("U1", message, "Yes")
    assert room.chat.told("U1") == ["failed: http_error"]
    assert room.acks("block_actions")[0].refused == "http_error"
    with pytest.raises(ValueError, match="challenge"):
        await room.chat.subscribe(f"{room.chat.url}/nowhere")


async def test_a_command_is_answered_over_http(enter: Enter) -> None:
    """In words for them alone, as JSON for all, or not at all."""
    room = await enter("http")
    said: list[Any] = ["Hello", {"text": "All", "response_type": "in_channel"}, ""]

    async def answer(ack: Any, _body: Json) -> None:
        await ack(said.pop(0))

    room.heard.answers["command"] = answer
    for _ in range(3):
        await room.chat.command("U1", "C1", "")
    assert room.chat.told("U1") == ["Hello"]
    assert [one.text for one in room.chat.messages("C1")] == ["All"]
