"""The real Bolt's modals, home and answers in the fake workspace, and a person at them."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.platform import Form
from channels.testing.slack import Slack

Json = dict[str, Any]


def plain(text: str) -> Json:
    """A plain text object."""
    return {"type": "plain_text", "text": text}


def asks(block: str, label: str, kind: str, **more: Any) -> Json:
    """An input block; `optional` goes to the block, all else to its element."""
    rest = {"optional": more.pop("optional")} if "optional" in more else {}
    element = {"type": kind, "action_id": f"in {block}", **more}
    return {"type": "input", "block_id": block, "label": plain(label), "element": element, **rest}


def options(*labels: str) -> list[Json]:
    """Options by their labels."""
    return [{"text": plain(one), "value": one.lower()} for one in labels]


def button(name: str) -> Json:
    """A row with a button."""
    return {
        "type": "actions",
        "block_id": f"row {name}",
        "elements": [{"type": "button", "text": plain(name), "action_id": name, "value": "v"}],
    }


FIELDS = [
    asks("why", "Why", "plain_text_input", min_length=2, max_length=5),
    asks(
        "copies", "Copies", "number_input", is_decimal_allowed=False, min_value="1", optional=True
    ),
    asks("colour", "Colour", "static_select", options=options("Red", "Blue"), optional=True),
    asks("size", "Size", "radio_buttons", options=options("S", "M"), optional=True),
    asks("extras", "Extras", "checkboxes", options=options("Bow", "Card"), optional=True),
    asks(
        "two", "Two", "multi_static_select", options=options("A", "B", "C"), max_selected_items=2,
        optional=True,
    ),
    asks("sure", "Sure", "checkboxes", options=options("Yes"), optional=True),
    asks("day", "Day", "datepicker", optional=True),
]  # fmt: skip


def modal(*blocks: Json, **more: Any) -> Json:
    """A modal."""
    return {
        "type": "modal",
        "callback_id": "form",
        "title": plain("Answer"),
        "submit": plain("Send"),
        "blocks": list(blocks),
        **more,
    }


@dataclass
class Room:
    """A workspace, an app that opens a modal when pressed, and what the app heard and answers."""

    chat: Slack
    client: AsyncWebClient
    bodies: list[Json] = field(default_factory=list)
    view: Json = field(default_factory=lambda: modal(*FIELDS))
    says: Json = field(default_factory=dict)

    async def open(self) -> Form:
        """The modal, opened by Ana's press."""
        await self.client.chat_postMessage(channel="C1", text="?", blocks=[button("Open")])
        await self.chat.press("U1", self.chat.messages("C1")[-1], "Open")
        await self.chat.until(lambda: self.chat.form("U1"))
        return self.form

    def of(self, kind: str) -> list[Json]:
        """What came of that type."""
        return [one for one in self.bodies if one["type"] == kind]

    @property
    def form(self) -> Form:
        """What Ana has in front of her."""
        form = self.chat.form("U1")
        assert form is not None
        return form


@pytest.fixture
async def room(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Room]:
    """Ana in C1, and the app by Socket Mode."""
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with Slack() as chat:
        chat.person("U1", "Ana")
        chat.channel("C1", ("U1",))
        client = AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])
        logger = logging.getLogger("bolt in tests")
        logger.setLevel(logging.CRITICAL)
        app, made = AsyncApp(client=client, signing_secret="x", logger=logger), Room(chat, client)

        @app.action(re.compile(".*"))
        async def pressed(ack: Any, body: Json) -> None:
            made.bodies.append(body)
            await ack()
            if body["actions"][0]["action_id"] == "Open":
                await client.views_open(trigger_id=body["trigger_id"], view=made.view)

        @app.event("app_home_opened")
        async def looked(body: Json) -> None:
            made.bodies.append(body)

        @app.view("form")
        async def sent(ack: Any, body: Json) -> None:
            made.bodies.append(body)
            await ack(**made.says)

        @app.view_closed("form")
        async def closed(ack: Any, body: Json) -> None:
            made.bodies.append(body)
            await ack()

        handler = AsyncSocketModeHandler(app, "xapp-oz", ping_interval=0.05)
        await handler.connect_async()  # type: ignore[no-untyped-call]
        yield made
        await handler.close_async()  # type: ignore[no-untyped-call]


async def test_a_form_is_drawn_field_by_field(room: Room) -> None:
    """Each with its label, kind, options and need."""
    form = await room.open()
    assert [(one.name, one.label, one.kind, one.required) for one in form.entries] == [
        ("why", "Why", "text", True),
        ("copies", "Copies", "number", False),
        ("colour", "Colour", "choice", False),
        ("size", "Size", "choice", False),
        ("extras", "Extras", "choices", False),
        ("two", "Two", "choices", False),
        ("sure", "Sure", "toggle", False),
        ("day", "Day", "date", False),
    ]
    assert form.entries[2].options == ("Red", "Blue")


async def test_a_form_is_sent_as_slack_sends_it(room: Room) -> None:
    """By label or name; numbers are strings, and what was left empty is there."""
    await room.open()
    await room.chat.submit(
        "U1",
        {
            "Why": "fun",
            "copies": 2,
            "Colour": "Blue",
            "Size": "M",
            "Extras": ["Bow", "Card"],
            "two": ["A"],
            "Sure": True,
            "Day": date(2026, 12, 1),
        },
    )
    (body,) = room.of("view_submission")
    values = {name: held[f"in {name}"] for name, held in body["view"]["state"]["values"].items()}
    assert values["why"] == {"type": "plain_text_input", "value": "fun"}
    assert values["copies"] == {"type": "number_input", "value": "2"}
    assert values["colour"]["selected_option"]["value"] == "blue"
    assert values["size"]["selected_option"]["value"] == "m"
    assert [one["value"] for one in values["extras"]["selected_options"]] == ["bow", "card"]
    assert [one["value"] for one in values["sure"]["selected_options"]] == ["yes"]
    assert values["day"] == {"type": "datepicker", "selected_date": "2026-12-01"}
    assert room.chat.form("U1") is None
    await room.open()
    await room.chat.submit("U1", {"why": "fun"})
    values = room.of("view_submission")[1]["view"]["state"]["values"]
    assert values["copies"]["in copies"] == {"type": "number_input", "value": None}
    assert values["extras"]["in extras"]["selected_options"] == []
    assert values["day"]["in day"]["selected_date"] is None


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({}, ValueError),
        ({"why": "x"}, ValueError),
        ({"why": "xxxxxx"}, ValueError),
        ({"why": "fun", "copies": 0}, ValueError),
        ({"why": "fun", "copies": "1.5"}, ValueError),
        ({"why": "fun", "copies": "many"}, ValueError),
        ({"why": "fun", "two": ["A", "B", "C"]}, ValueError),
        ({"why": "fun", "day": "tomorrow"}, ValueError),
        ({"why": "fun", "colour": "Green"}, LookupError),
        ({"why": "fun", "other": "x"}, LookupError),
    ],
)
async def test_what_a_client_does_not_send_is_not_sent(
    room: Room, values: Json, error: type[Exception]
) -> None:
    """It says so before anything leaves, and the form stays."""
    await room.open()
    with pytest.raises(error):
        await room.chat.submit("U1", values)
    assert room.of("view_submission") == []
    assert room.chat.form("U1") is not None


async def test_errors_stand_beside_their_fields_and_the_input_stays(room: Room) -> None:
    """What was filled in is still there, and can be sent again."""
    await room.open()
    room.says = {"response_action": "errors", "errors": {"why": "Too short."}}
    await room.chat.submit("U1", {"why": "fun", "copies": 2})
    assert room.form.errors == {"why": "Too short."}
    assert [one.value for one in room.form.entries[:2]] == ["fun", "2"]
    room.says = {}
    await room.chat.submit("U1", {"why": "funny"})
    held = room.of("view_submission")[1]["view"]["state"]["values"]
    assert held["copies"]["in copies"]["value"] == "2"
    assert room.chat.form("U1") is None


async def test_errors_for_what_is_no_field_fail(room: Room) -> None:
    """The person is told something went wrong; the ack is remembered as refused."""
    await room.open()
    room.says = {"response_action": "errors", "errors": {"other": "x"}}
    await room.chat.submit("U1", {"why": "fun"})
    assert room.chat.told("U1") == ["failed: invalid_errors"]
    assert room.chat.calls[-1].refused == "invalid_errors"
    assert room.form.errors == {}


async def test_an_answer_can_show_another_view(room: Room) -> None:
    """In its place, on top of it, or none at all; one that Slack refuses fails."""
    await room.open()
    other = modal(FIELDS[0], title=plain("More"))
    room.says = {"response_action": "update", "view": other}
    await room.chat.submit("U1", {"why": "fun"})
    assert (room.form.title, room.form.entries[0].value) == ("More", "fun")
    room.says = {"response_action": "push", "view": modal(FIELDS[0], title=plain("Top"))}
    await room.chat.submit("U1", {"why": "fun"})
    assert room.form.title == "Top"
    room.says = {"response_action": "push", "view": modal(title=plain("x" * 25))}
    await room.chat.submit("U1", {"why": "fun"})
    assert room.chat.told("U1") == ["failed: invalid_arguments"]
    room.says = {"response_action": "clear"}
    await room.chat.submit("U1", {"why": "fun"})
    assert room.chat.form("U1") is None


async def test_a_form_that_nobody_answers_stays_open(room: Room) -> None:
    """The person is told, and has what they wrote."""
    await room.open()
    room.says = {"response_action": "errors", "errors": {"why": "Too short."}}
    await room.chat.submit("U1", {"why": "fun"})
    room.chat.carrier.ack_s = 0.02
    room.view["callback_id"] = "unheard"
    top = room.chat.space.modals["U1"][0]
    top.content["callback_id"] = "unheard"
    await room.chat.submit("U1", {"why": "fun"})
    assert room.chat.told("U1") == ["failed: timeout"]
    assert (room.form.entries[0].value, room.form.errors) == ("fun", {})


async def test_closing_is_told_to_the_app_that_wants_to_know(room: Room) -> None:
    """`view_closed` comes with `notify_on_close`, and not without."""
    await room.open()
    await room.chat.close_form("U1")
    room.view["notify_on_close"] = True
    await room.open()
    await room.chat.close_form("U1")
    (body,) = room.of("view_closed")
    assert body["is_cleared"] is False
    with pytest.raises(LookupError):
        await room.chat.submit("U1", {})


async def test_a_button_in_a_form_is_pressed_in_the_form(room: Room) -> None:
    """Its payload has the view and no channel; its trigger pushes one on top."""
    room.view = modal(*FIELDS[:1], button("More"))
    await room.open()
    await room.chat.press_in_form("U1", "More")
    body = room.of("block_actions")[-1]
    assert body["container"] == {"type": "view", "view_id": body["view"]["id"]}
    assert "channel" not in body
    await room.client.views_push(trigger_id=body["trigger_id"], view=modal(title=plain("Top")))
    assert room.form.title == "Top"


async def test_a_button_at_home_is_pressed_at_home(room: Room) -> None:
    """The app hears that somebody looks, draws, and is told of the press with its view."""
    await room.chat.open_home("U1")
    await room.chat.until(lambda: room.bodies)
    assert room.bodies[0]["event"]["tab"] == "home"
    menu = {"type": "static_select", "action_id": "m", "options": options("Red", "Blue")}
    row = {"type": "actions", "block_id": "menu", "elements": [menu]}
    text = {"type": "section", "text": plain("Two wait")}
    view = {"type": "home", "blocks": [text, button("More"), row]}
    await room.client.views_publish(user_id="U1", view=view)
    home = room.chat.home("U1")
    assert home is not None
    assert home.text == "Two wait"
    await room.chat.choose("U1", home, "m", ["Red"])
    await room.chat.press("U1", home, "More")
    body = room.of("block_actions")[-1]
    assert body["view"]["type"] == "home"
    values = body["view"]["state"]["values"]
    assert values["menu"]["m"]["selected_option"]["value"] == "red"
    await room.chat.open_home("U1")
    await room.chat.until(lambda: "event" in room.bodies[-1])
    assert room.bodies[-1]["event"]["view"]["id"] == home.id


async def test_a_press_on_a_whisper_is_answered_by_its_url(room: Room) -> None:
    """An ephemeral message is sent by reference only; its `response_url` changes it."""
    await room.client.chat_postEphemeral(
        channel="C1", user="U1", text="Psst", blocks=[button("Ok")]
    )
    (whisper,) = room.chat.messages("C1", account="U1")
    room.chat.person("U2", "Ben")
    room.chat.space.conversation("C1").members.add("U2")
    with pytest.raises(LookupError):
        await room.chat.press("U2", whisper, "Ok")
    await room.chat.press("U1", whisper, "Ok")
    (body,) = room.of("block_actions")
    assert body["container"]["is_ephemeral"] is True
    assert "message" not in body
    from slack_sdk.webhook.async_client import AsyncWebhookClient

    await AsyncWebhookClient(body["response_url"]).send(text="Done", replace_original=True)
    assert [one.text for one in room.chat.messages("C1", account="U1")] == ["Done"]


async def test_fields_in_a_message_ride_along(room: Room) -> None:
    """An input without `dispatch_action` sends nothing; an overflow menu sends its option."""
    overflow = {"type": "overflow", "action_id": "o", "options": options("A", "B")}
    row = {"type": "actions", "block_id": "more", "elements": [overflow]}
    blocks = [FIELDS[0], button("Send"), row]
    await room.client.chat_postMessage(channel="C1", text="?", blocks=blocks)
    (message,) = room.chat.messages("C1")
    assert [(one.label, one.kind) for one in message.controls] == [
        ("Why", "input"),
        ("Send", "button"),
        ("", "menu"),
    ]
    await room.chat.choose("U1", message, "Why", ["fun"])
    assert room.bodies == []
    await room.chat.press("U1", message, "Send")
    assert room.bodies[0]["state"]["values"]["why"]["in why"]["value"] == "fun"
    await room.chat.choose("U1", message, "o", ["B"])
    (action,) = room.bodies[1]["actions"]
    assert (action["type"], action["selected_option"]["value"]) == ("overflow", "b")
