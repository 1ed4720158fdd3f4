"""What the fake takes of blocks: every limit on the line and one past it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block

from channels.testing.slack.limits import block_problems, view_problems, weight

Json = dict[str, Any]


def plain(text: str = "x", **more: Any) -> Json:
    """A plain text object."""
    return {"type": "plain_text", "text": text, **more}


def mrkdwn(text: str = "x") -> Json:
    """A text object with markup."""
    return {"type": "mrkdwn", "text": text}


def section(**more: Any) -> Json:
    """A section block."""
    return {"type": "section", **more}


def actions(*elements: Json) -> Json:
    """A row of elements."""
    return {"type": "actions", "elements": list(elements)}


def asks(element: Json, **more: Any) -> Json:
    """An input block."""
    return {"type": "input", "label": plain(), "element": element, **more}


def button(**more: Any) -> Json:
    """A button."""
    return {"type": "button", "text": plain(), "action_id": "b", **more}


def option(label: str = "x", value: str = "x", **more: Any) -> Json:
    """An option of a menu."""
    return {"text": plain(label), "value": value, **more}


def options(count: int) -> list[Json]:
    """So many options."""
    return [option(str(number), str(number)) for number in range(count)]


def picks(kind: str, count: int = 2, **more: Any) -> Json:
    """A menu of that kind, with so many options."""
    return {"type": kind, "action_id": "p", "options": options(count), **more}


def typed(kind: str = "plain_text_input", **more: Any) -> Json:
    """Something to type in."""
    return {"type": kind, "action_id": "t", **more}


def confirm(**more: Any) -> Json:
    """A question before a press is sent."""
    parts = {"title": plain(), "text": plain(), "confirm": plain(), "deny": plain()}
    return {**parts, **more}


def rich(*elements: Json) -> Json:
    """A block of rich text with one line."""
    line = {"type": "rich_text_section", "elements": list(elements)}
    return {"type": "rich_text", "elements": [line]}


IMAGE = {"type": "image", "image_url": "https://a.example/x.png", "alt_text": "x"}

TAKEN: list[Any] = [
    section(text=mrkdwn("x" * 3000)),
    section(fields=[plain("x" * 2000)] * 10),
    section(text=plain(), accessory=button()),
    section(text=plain(), accessory=IMAGE),
    section(text=plain(), block_id="x" * 255),
    {"type": "header", "text": plain("x" * 150)},
    {"type": "context", "elements": [mrkdwn()] * 9 + [IMAGE]},
    {"type": "divider"},
    IMAGE,
    {"type": "markdown", "text": "x" * 12_000},
    actions(*[button(action_id=str(number)) for number in range(25)]),
    actions(
        button(
            action_id="x" * 255,
            text=plain("x" * 75),
            value="x" * 2000,
            url="https://a.example/" + "x" * 2982,
            style="danger",
            accessibility_label="x" * 75,
            confirm=confirm(
                title=plain("x" * 100),
                text=plain("x" * 300),
                confirm=plain("x" * 30),
                deny=plain("x" * 30),
            ),
        )
    ),
    actions(picks("static_select", 100, placeholder=plain("x" * 150))),
    actions(picks("static_select", initial_option=options(2)[1])),
    actions(picks("overflow", 5)),
    actions(
        {
            "type": "static_select",
            "option_groups": [{"label": plain("x" * 75), "options": options(100)}] * 100,
        }
    ),
    actions(
        {
            "type": "static_select",
            "options": [option("x" * 75, "x" * 75, description=plain("x" * 75))],
        }
    ),
    actions(picks("radio_buttons", 10), {"type": "datetimepicker", "action_id": "d"}),
    asks(picks("checkboxes", 10), optional=True, hint=plain("x" * 2000)),
    asks(picks("multi_static_select", max_selected_items=1), label=plain("x" * 2000)),
    asks(typed(min_length=3000, max_length=3000, multiline=True, initial_value="x" * 3000)),
    asks(typed("number_input", is_decimal_allowed=False, min_value="-1", max_value="1.5")),
    asks(typed("email_text_input")),
    asks(typed("url_text_input")),
    asks({"type": "datepicker", "initial_date": "2026-12-01"}),
    asks({"type": "timepicker", "initial_time": "23:59", "timezone": "Europe/Berlin"}),
    asks({"type": "datetimepicker", "initial_date_time": 1_800_000_000}),
    rich({"type": "text", "text": "*", "style": {"bold": True}}, {"type": "emoji", "name": "x"}),
    rich(
        {
            "type": "date",
            "timestamp": 1_800_000_000,
            "format": "{time}",
            "fallback": "9:00",
            "style": {"bold": True},
        },
        {"type": "broadcast", "range": "here", "style": {"bold": True}},
    ),
]

REFUSED: list[tuple[Any, str]] = [
    ({"type": "poem"}, "unsupported type: poem"),
    ("text", "unsupported type: None"),
    (section(), "missing required field: text"),
    (section(text=mrkdwn("x" * 3001)), "must be less than 3001 characters"),
    (section(text=mrkdwn("")), "must be more than 0 characters"),
    (section(text=plain(), block_id="x" * 256), "must be less than 256 characters"),
    (section(text=plain(), colour="red"), "invalid additional property: colour"),
    (section(text=plain(verbatim=True)), "invalid additional property: verbatim"),
    (section(fields=[plain("x" * 2001)]), "must be less than 2001 characters"),
    (section(fields=[plain()] * 11), "no more than 10 items allowed"),
    (section(text=plain(), accessory={"type": "datetimepicker"}), "unsupported type"),
    (section(text=plain(), accessory=typed()), "unsupported type"),
    ({"type": "header", "text": plain("x" * 151)}, "must be less than 151 characters"),
    ({"type": "header", "text": mrkdwn()}, "unsupported type: mrkdwn"),
    ({"type": "context", "elements": [plain()] * 11}, "no more than 10 items allowed"),
    ({"type": "context", "elements": []}, "no fewer than 1 items allowed"),
    ({"type": "context", "elements": plain()}, "must provide an array"),
    ({"type": "context_actions", "elements": [button()]}, "unsupported type: button"),
    ({"type": "markdown", "text": "x" * 12_001}, "must be less than 12001 characters"),
    (
        actions(*[button(action_id=str(number)) for number in range(26)]),
        "no more than 25 items allowed",
    ),
    (actions(typed()), "unsupported type: plain_text_input"),
    (actions(button(text=mrkdwn())), "unsupported type: mrkdwn"),
    (actions(button(text=plain("x" * 76))), "must be less than 76 characters"),
    (actions(button(text="x")), "unsupported type: None"),
    (actions(button(action_id="x" * 256)), "must be less than 256 characters"),
    (actions(button(value="x" * 2001)), "must be less than 2001 characters"),
    (actions(button(value=1)), "must be a string"),
    (actions(button(url="https://" + "x" * 3000)), "must be less than 3001 characters"),
    (actions(button(url="here")), "invalid format"),
    (actions(button(style="bold")), "must be a valid enum value"),
    (actions(button(accessibility_label="x" * 76)), "must be less than 76 characters"),
    (actions(button(confirm=confirm(title=plain("x" * 101)))), "must be less than 101"),
    (actions(button(confirm=confirm(text=plain("x" * 301)))), "must be less than 301"),
    (actions(button(confirm=confirm(deny=plain("x" * 31)))), "must be less than 31"),
    (actions(button(confirm="sure?")), "must provide an object"),
    (actions(button(), button()), '`action_id` "b" already exists'),
    (actions(picks("static_select", 101)), "no more than 100 items allowed"),
    (actions(picks("static_select", 0)), "no fewer than 1 items allowed"),
    (actions(picks("static_select", placeholder=plain("x" * 151))), "must be less than 151"),
    (actions({"type": "static_select"}), "must have either options or option_groups"),
    (
        actions(picks("static_select", option_groups=[{"label": plain(), "options": options(1)}])),
        "must have either options or option_groups",
    ),
    (
        actions(picks("static_select", initial_option=option("other"))),
        "initial option must match one of the options",
    ),
    (
        actions({"type": "static_select", "options": [option("x" * 76)]}),
        "must be less than 76 characters",
    ),
    (
        actions({"type": "static_select", "options": [option("x", "x" * 76)]}),
        "must be less than 76 characters",
    ),
    (
        actions({"type": "static_select", "options": [option(description=plain("x" * 76))]}),
        "must be less than 76 characters",
    ),
    (
        actions({"type": "static_select", "options": [option(type="option")]}),
        "invalid additional property: type",
    ),
    (
        actions({"type": "static_select", "options": [{"text": mrkdwn(), "value": "x"}]}),
        "unsupported type: mrkdwn",
    ),
    (actions(picks("overflow", 6)), "no more than 5 items allowed"),
    (actions(picks("radio_buttons", 11)), "no more than 10 items allowed"),
    (asks(picks("checkboxes", 11)), "no more than 10 items allowed"),
    (asks(picks("multi_static_select", max_selected_items=0)), "must be between 1 and 100"),
    (asks(typed(), label=plain("x" * 2001)), "must be less than 2001 characters"),
    (asks(typed(), hint=plain("x" * 2001)), "must be less than 2001 characters"),
    (asks(typed(), label=mrkdwn()), "unsupported type: mrkdwn"),
    (asks(typed(), optional="no"), "must be a boolean"),
    (asks(button()), "unsupported type: button"),
    (asks(typed(max_length=3001)), "must be between 1 and 3000"),
    (asks(typed(max_length=0)), "must be between 1 and 3000"),
    (asks(typed(min_length=3001)), "must be between 0 and 3000"),
    (asks(typed(min_length=True)), "must be an integer"),
    (asks(typed(min_length=2, max_length=1)), "min_length must not exceed max_length"),
    (asks(typed("number_input")), "missing required field: is_decimal_allowed"),
    (asks(typed("number_input", is_decimal_allowed=True, min_value=1)), "must be a string"),
    (asks(typed("number_input", is_decimal_allowed=True, min_value="x")), "must be a number"),
    (
        asks(typed("number_input", is_decimal_allowed=True, min_value="2", max_value="1")),
        "min_value must not exceed max_value",
    ),
    (asks({"type": "datepicker", "initial_date": "1.12.2026"}), "invalid format"),
    (asks({"type": "datepicker", "initial_date": "2026/12/01"}), "invalid format"),
    (asks({"type": "timepicker", "initial_time": "24:00"}), "invalid format"),
    (asks({"type": "datetimepicker", "initial_date_time": 999_999_999}), "must be between"),
    (asks({"type": "file_input"}), "unsupported type: file_input"),
    ({"type": "alert", "text": plain()}, "unsupported type: alert"),
    ({**IMAGE, "image_url": "x" * 3001}, "must be less than 3001 characters"),
    ({**IMAGE, "alt_text": "x" * 2001}, "must be less than 2001 characters"),
    (rich({"type": "poem"}), "unsupported type: poem"),
    (rich({"type": "broadcast", "range": "all"}), "must be a valid enum value"),
]


@pytest.mark.parametrize("block", TAKEN)
def test_what_is_on_the_line_is_taken(block: Any) -> None:
    """Every limit is met exactly."""
    assert block_problems([block], "message") == []


@pytest.mark.parametrize(("block", "problem"), REFUSED)
def test_what_is_past_the_line_is_refused(block: Any, problem: str) -> None:
    """One more than every limit, in Slack's words and with the place."""
    found = block_problems([block], "message")
    assert any(one.startswith(problem) and "[json-pointer:/blocks/0" in one for one in found)


def test_blocks_are_limited_in_number() -> None:
    """50 in a message, 100 in a modal and in a home."""
    divider = {"type": "divider"}
    for where, most in (("message", 50), ("modal", 100), ("home", 100)):
        assert block_problems([divider] * most, where) == []
        assert block_problems([divider] * (most + 1), where) != []


def test_ids_are_unique_over_all_blocks() -> None:
    """Block ids and action ids, each among themselves."""
    two = [section(text=plain(), block_id="same"), {"type": "divider", "block_id": "same"}]
    assert block_problems(two, "message") == [
        '`block_id` "same" already exists [json-pointer:/blocks/1]'
    ]
    two = [actions(button()), section(text=plain(), accessory=button())]
    assert block_problems(two, "message") != []
    assert block_problems([actions(button(action_id="a")), actions(button())], "message") == []


def test_markdown_is_limited_over_all_blocks() -> None:
    """Two that are well by themselves may be too much together."""
    half = {"type": "markdown", "text": "x" * 6000}
    assert block_problems([half, half], "message") == []
    assert block_problems([half, half, {"type": "markdown", "text": "x"}], "message") != []


def test_the_weight_of_a_message_counts_escapes_and_headers() -> None:
    """`&` counts five where Slack escapes it, and where it came escaped."""
    assert weight([section(text=plain("&")), section(text=mrkdwn("&amp;"))]) == 10
    assert weight([{"type": "header", "text": plain("ab")}]) == 102


def test_only_modals_take_files_and_alerts() -> None:
    """And a modal with an input has a way to send it."""
    blocks = [asks({"type": "file_input", "max_files": 10}), {"type": "alert", "text": plain()}]
    assert block_problems(blocks, "modal") == []
    view = {"type": "modal", "title": plain("x" * 24), "blocks": blocks}
    assert view_problems(view, "modal") == [
        "submit is required with input blocks [json-pointer:/view/blocks/0]"
    ]
    assert view_problems({**view, "submit": plain("x" * 24)}, "modal") == []
    assert view_problems({**view, "submit": plain("x" * 25)}, "modal") != []
    assert view_problems({**view, "close": mrkdwn()}, "modal") != []
    assert view_problems({"type": "home", "blocks": blocks}, "home") != []


# Beside others' judgement


@pytest.mark.parametrize("block", TAKEN)
def test_what_is_taken_here_is_taken_by_slacks_own_checks(block: Any) -> None:
    """The SDK's validators find nothing either."""
    (parsed,) = Block.parse_all([json.loads(json.dumps(block))])
    parsed.to_dict()


@pytest.mark.parametrize(
    "block",
    [block for block, problem in REFUSED if isinstance(block, dict) and "poem" not in str(block)],
)
def test_what_slacks_own_checks_refuse_is_refused_here(block: Json) -> None:
    """There is nothing that the SDK refuses and the fake takes."""
    try:
        (parsed,) = Block.parse_all([json.loads(json.dumps(block))])
        parsed.to_dict()
    except (SlackObjectFormationError, TypeError):
        assert block_problems([block], "message") != []


SPECS = os.environ.get("OZ_SPECS")


@pytest.mark.skipif(not SPECS, reason="OZ_SPECS names no folder of the platforms' own schemas")
@pytest.mark.parametrize("block", TAKEN)
def test_what_is_taken_is_of_slacks_own_shape(block: Any) -> None:
    """The JSON Schema of Slack's own types holds for it."""
    import jsonschema_rs

    schema = Path(SPECS or "") / "slack" / "KnownBlock.schema.json"
    jsonschema_rs.validator_for(json.loads(schema.read_text())).validate(block)
