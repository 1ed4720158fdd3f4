"""What we send, held to Discord's own OpenAPI document where that is at hand.

`OZ_SPECS` names the folder of specifications; without it these tests are skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given

from channels.catalogue import Reader
from channels.contract import Button, Send, Tell
from channels.discord import modal, render
from channels.discord.commands import COMMANDS
from channels.discord.render import CAPABILITIES, Voice
from channels.drawing import draw
from channels.forms import form, reason
from gateway.ask import Ask
from gateway.reply.draft import Draft
from tests.strategies import approval, asks, record_of

SPECS = Path(os.environ.get("OZ_SPECS", "")) / "discord" / "openapi.json"
READER = Reader(buttons=True, stamps=True)

pytestmark = pytest.mark.skipif(
    not os.environ.get("OZ_SPECS") or not SPECS.exists(), reason="no OZ_SPECS/discord"
)


@cache
def holds(name: str) -> Callable[[Any], None]:
    """Raises what is wrong with a body, by the document."""
    spec = json.loads(SPECS.read_text("utf-8"))
    schema = {"$ref": f"#/components/schemas/{name}", "components": spec["components"]}
    check: Callable[[Any], None] = jsonschema_rs.validator_for(schema).validate
    return check


@given(asks())
def test_any_post_is_a_message_by_the_document(ask: Ask) -> None:
    """As it is made, and as it is drawn anew."""
    now = datetime(2026, 10, 20, 9, 5, tzinfo=UTC)
    drawing = draw(READER, record_of(ask), CAPABILITIES, code="K7", waits_for="acme", now=now)
    for payload in (*render.leading(drawing), render.post(drawing)):
        holds("MessageCreateRequest")(payload | {"nonce": "0" * 24, "enforce_nonce": True})
        holds("MessageEditRequestPartial")(payload)


@given(asks())
def test_any_form_is_a_modal_by_the_document(ask: Ask) -> None:
    """Each of its pages."""
    pages = form(READER, ask, Draft(), per_page=CAPABILITIES.form).pages
    for page in range(pages):
        shown = form(READER, ask, Draft(), page=page, per_page=CAPABILITIES.form)
        body = {"type": 9, "data": modal.form(shown, READER)}
        holds("ModalInteractionCallbackRequest")(body)


def test_all_else_we_send_is_as_documented() -> None:
    """A reason's form, what is said back, the command."""
    body = {"type": 9, "data": modal.reason(reason(READER, approval()))}
    holds("ModalInteractionCallbackRequest")(body)
    button = Button("Send", "send", "a-75eaf712473f", Send("0" * 10))
    for payload in render.tell(Tell("text", "text", (button,)), Voice.WHISPER):
        holds("CreateMessageInteractionCallbackRequest")({"type": 4, "data": payload})
    for command in COMMANDS:
        holds("ApplicationCommandUpdateRequest")(command)
