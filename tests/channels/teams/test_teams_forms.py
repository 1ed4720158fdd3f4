"""Forms, dialogs and what is said back, as Teams takes them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from channels.contract import (
    Button,
    Drop,
    OpenForm,
    PressSkip,
    Send,
    Tell,
)
from channels.forms import form, reason
from channels.teams import render
from channels.teams.inputs import LARGEST
from channels.teams.render import CAPABILITIES
from channels.testing.teams.cards import draw as draw_card
from channels.testing.teams.cards import held
from channels.testing.teams.message_rules import check_message
from gateway.answer import to_json
from gateway.ask import Ask, Contract
from gateway.question import Kind
from gateway.reply.draft import Draft
from gateway.visible import visible
from tests.channels.teams.drawings import READER, card, controls, drawn, filled, messages
from tests.strategies import answers_to, any_text, asks
from tests.strategies_reply import ask_of, choice, field

# Forms


@given(st.data(), asks())
def test_a_form_shown_again_holds_what_stood_in_it(data: st.DataObject, ask: Ask) -> None:
    """Every input has its value again, and what is wrong stands by it."""
    message = messages(drawn(ask))[-1]
    shown = card(message)
    if not shown.inputs:
        return
    answer = dict(data.draw(answers_to(ask.question)))
    put: dict[str, Any] = {}
    for name, value in answer.items():
        one = ask.question.field(name)
        assert one is not None
        put |= filled(value, one)
    texts = {name: held(shown.input(name), value) for name, value in put.items()}
    faults = {name: f"Wrong {number}" for number, name in enumerate(answer)}
    drawing = form(READER, ask, Draft(), per_page=CAPABILITIES.form)
    again = render.form_card(drawing, texts, faults)
    check_message({"type": "message", "attachments": [_attached(again)]}, {}, card_bytes=None)
    found = draw_card(again)
    kept = {node["id"]: str(node["value"]) for node in found.inputs if "value" in node}
    # A number's input holds one, whether or not it was typed with a point, and none that is not
    # what was typed any more.
    numbers = {node["id"] for node in found.inputs if node["type"] == "Input.Number"}
    rounded = {n for n in numbers & texts.keys() if abs(float(texts[n])) >= LARGEST}
    assert {n: v.removesuffix(".0") if n in numbers else v for n, v in kept.items()} == {
        n: v for n, v in texts.items() if v and n not in rounded
    }
    assert all(text in "\n".join(found.words) for text in faults.values())


def test_the_dialog_that_asks_why_is_taken() -> None:
    """One text, which may stay empty, and a submit, as dialogs take no other action."""
    asked = reason(READER, ask_of(field(Kind.TEXT, "why")))
    value = render.reason_dialog(asked)["task"]["value"]
    check_message({"type": "message", "attachments": [value["card"]]}, {})
    made = value["card"]["content"]
    assert value["title"] == asked.title
    assert [(one["type"], one.get("isRequired")) for one in made["body"]] == [("Input.Text", None)]
    assert [one["type"] for one in made["actions"]] == ["Action.Submit"]


# What is said back


@given(any_text(2000))
def test_what_is_said_reads_to_the_letter(text: str) -> None:
    """As a message in a chat, and as the answer to a press."""
    words = f"Got it: {text}".encode("utf-16", "replace").decode("utf-16")
    check_message(render.said(words), {})
    assert render.toast(words)["value"].startswith("Got it")


def test_what_is_said_in_public_is_only_what_may_be() -> None:
    """Nothing, where there is nothing for others to read."""
    assert render.tell(Tell("secret"), public=True) is None
    assert render.tell(Tell("secret", "open"), public=True) == render.said("open")
    assert render.tell(Tell("secret", "open"), public=False) == render.said("secret")


def test_what_is_said_can_have_buttons() -> None:
    """Each with what it means when it is pressed."""
    kept = "0123456789"
    buttons = (
        Button("Send", "send", "a-75eaf712473f", Send(kept)),
        Button("No", "no", "a-75eaf712473f", Drop(kept)),
    )
    message = render.tell(Tell("Send it?", "Send it?", buttons), public=True)
    assert message is not None
    check_message(message, {})
    assert controls(message) == [Send(kept), Drop(kept)]
    assert card(message).words == ["Send it?"]


def test_skip_is_a_button_where_the_contract_has_it() -> None:
    """`ask_user` may be skipped."""
    ask = ask_of(choice("a", "b")).model_copy(update={"contract": Contract.ASK_USER})
    assert PressSkip() in controls(messages(drawn(ask))[-1])


@given(any_text(400))
def test_a_text_is_never_longer_on_the_card_than_it_was_measured(text: str) -> None:
    """So that pieces cut by that measure fit."""
    shown = visible(text)
    (message,) = [render.plain_card(shown)]
    body = message["attachments"][0]["content"]["body"]
    written = json.dumps(body, ensure_ascii=False, separators=(", ", ": ")).encode()
    assert len(written) <= CAPABILITIES.measure(shown) + len("[]")


def test_a_form_is_sent_by_a_control_of_its_own() -> None:
    """The button that sends names the ask, and nothing else is needed."""
    ask = ask_of(field(Kind.TEXT, "why"))
    assert controls(messages(drawn(ask))[-1])[0] == OpenForm(0)
    assert to_json({"why": "so"}) == {"why": "so"}


def _attached(content: Any) -> dict[str, Any]:
    return {"contentType": render.ADAPTIVE, "content": content}
