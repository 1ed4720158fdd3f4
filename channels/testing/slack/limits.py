"""What Slack takes of blocks and views, in Slack's own words. Pure.

Numbers are those of its Block Kit reference, unless a line says otherwise.
"""

from __future__ import annotations

import json
from decimal import Decimal
from html import escape
from typing import TYPE_CHECKING, Any

from channels.testing.slack.checks import (
    MOST_ID,
    Check,
    Shape,
    anything,
    by_type,
    flag,
    items,
    numeric,
    one_of,
    string,
    whole,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
MOST_TEXT = 3000
MOST_OPTION = 75
"""Newer pages say 150 for `value`; 75 is what every client takes."""
MOST_MARKDOWN = 12_000
MOST_BLOCK_TEXT = 13_200
"""Measured by others, over a message's blocks, escaped; past it: `msg_blocks_too_long`."""
HEADER_WEIGHT = 100
"""Measured by others: what a header adds to that."""
MOST_VIEW_BYTES = 250 * 1024

TEXTS_IN = ("plain_text_input", "number_input", "email_text_input", "url_text_input")
SELECTS = ("static_select", "multi_static_select")
PICKS = (*SELECTS, "radio_buttons", "checkboxes")
DATES = ("datepicker", "timepicker")
IN_INPUT = frozenset((*TEXTS_IN, *PICKS, *DATES, "datetimepicker", "rich_text_input", "file_input"))
IN_ACTIONS = frozenset((*PICKS, *DATES, "button", "overflow", "datetimepicker"))
AS_ACCESSORY = frozenset((*PICKS, *DATES, "button", "overflow", "image"))


def text(most: int = MOST_TEXT, *kinds: str) -> Check:
    """A text object. `kinds`: `plain_text`, `mrkdwn`; none given: both."""
    shapes = {
        "plain_text": Shape({"text": string(most), "emoji": flag}, ("text",)),
        "mrkdwn": Shape({"text": string(most), "verbatim": flag}, ("text",)),
    }
    return by_type(shapes, frozenset(kinds or shapes))


def plain(most: int = MOST_TEXT) -> Check:
    return text(most, "plain_text")


def option(*kinds: str) -> Check:
    keys = {
        "text": text(MOST_OPTION, *kinds),
        "value": string(MOST_OPTION),
        "description": text(MOST_OPTION, *kinds),
        "url": string(MOST_TEXT),
    }
    return Shape(keys, ("text", "value"), typed=False)


CONFIRM = Shape(
    {
        "title": plain(100),
        "text": text(300),
        "confirm": plain(30),
        "deny": plain(30),
        "style": one_of("primary", "danger"),
    },
    ("title", "text", "confirm", "deny"),
    typed=False,
)


def _options_of(value: Mapping[str, Any]) -> list[Any]:
    groups = value.get("option_groups", [])
    return [*value.get("options", []), *(one for group in groups for one in group["options"])]


def _initial(value: Mapping[str, Any], at: str) -> Iterator[str]:
    chosen = value.get("initial_options", [])
    if "initial_option" in value:
        chosen = [value["initial_option"]]
    for one in chosen:
        if one not in _options_of(value):
            yield from wrong("initial option must match one of the options", at)


def _select(value: Mapping[str, Any], at: str) -> Iterator[str]:
    if ("options" in value) == ("option_groups" in value):
        yield from wrong("must have either options or option_groups", at)
    yield from _initial(value, at)


def _lengths(value: Mapping[str, Any], at: str) -> Iterator[str]:
    if value.get("min_length", 0) > value.get("max_length", MOST_TEXT):
        yield from wrong("min_length must not exceed max_length", at)


def _bounds(value: Mapping[str, Any], at: str) -> Iterator[str]:
    low, high = value.get("min_value"), value.get("max_value")
    if low is not None and high is not None and Decimal(low) > Decimal(high):
        yield from wrong("min_value must not exceed max_value", at)


_ACTION: dict[str, Check] = {"action_id": string()}
_ASKED: dict[str, Check] = {**_ACTION, "confirm": CONFIRM, "focus_on_load": flag}
_HELD: dict[str, Check] = {**_ASKED, "placeholder": plain(150)}
_DISPATCH = Shape(
    {"trigger_actions_on": items(one_of("on_enter_pressed", "on_character_entered"), 2)},
    typed=False,
)
_TYPED: dict[str, Check] = {**_ACTION, "placeholder": plain(150), "focus_on_load": flag}
_TYPED |= {"initial_value": string(MOST_TEXT), "dispatch_action_config": _DISPATCH}
_PLAIN_OPTIONS = items(option("plain_text"), 100)
_RICH_OPTIONS = items(option(), 10)
_SELECT: dict[str, Check] = {
    **_HELD,
    "options": _PLAIN_OPTIONS,
    "option_groups": items(
        Shape({"label": plain(75), "options": _PLAIN_OPTIONS}, ("label", "options"), typed=False),
        100,
    ),
}
_DAY = string(10, like=r"\d{4}-\d{2}-\d{2}")
_TIME = string(5, like=r"([01]\d|2[0-3]):[0-5]\d")

ELEMENTS: dict[str, Check] = {
    "button": Shape(
        {
            **_ACTION,
            "text": plain(75),
            "value": string(2000),
            "url": string(MOST_TEXT, like=r"[a-z][a-z0-9+.-]*:.+"),
            "style": one_of("primary", "danger"),
            "accessibility_label": string(75),
            "confirm": CONFIRM,
        },
        ("text",),
    ),
    "static_select": Shape({**_SELECT, "initial_option": option("plain_text")}, also=_select),
    "multi_static_select": Shape(
        {**_SELECT, "initial_options": _PLAIN_OPTIONS, "max_selected_items": whole(1, 100)},
        also=_select,
    ),
    "overflow": Shape(
        {**_ACTION, "confirm": CONFIRM, "options": items(option("plain_text"), 5)}, ("options",)
    ),
    "radio_buttons": Shape(
        {**_ASKED, "options": _RICH_OPTIONS, "initial_option": option()},
        ("options",),
        also=_initial,
    ),
    "checkboxes": Shape(
        {**_ASKED, "options": _RICH_OPTIONS, "initial_options": _RICH_OPTIONS},
        ("options",),
        also=_initial,
    ),
    "plain_text_input": Shape(
        {
            **_TYPED,
            "multiline": flag,
            "min_length": whole(0, MOST_TEXT),
            "max_length": whole(1, MOST_TEXT),
        },
        also=_lengths,
    ),
    "number_input": Shape(
        {
            **_TYPED,
            "is_decimal_allowed": flag,
            "initial_value": numeric,
            "min_value": numeric,
            "max_value": numeric,
        },
        ("is_decimal_allowed",),
        also=_bounds,
    ),
    "email_text_input": Shape(_TYPED),
    "url_text_input": Shape(_TYPED),
    "rich_text_input": Shape({**_TYPED, "initial_value": anything}, ("action_id",)),
    "datepicker": Shape({**_HELD, "initial_date": _DAY}),
    "timepicker": Shape({**_HELD, "initial_time": _TIME, "timezone": string()}),
    "datetimepicker": Shape({**_ASKED, "initial_date_time": whole(10**9, 10**10 - 1)}),
    "file_input": Shape({**_ACTION, "filetypes": items(string(), 50), "max_files": whole(1, 10)}),
    "image": Shape(
        {"image_url": string(MOST_TEXT), "alt_text": string(2000)}, ("image_url", "alt_text")
    ),
}

# Rich text


_STYLE = Shape(dict.fromkeys(("bold", "italic", "strike", "code"), flag), typed=False)
_INLINE: dict[str, Check] = {
    "text": Shape({"text": string(MOST_TEXT), "style": _STYLE}, ("text",)),
    "link": Shape({"url": string(MOST_TEXT), "text": string(MOST_TEXT), "style": _STYLE}, ("url",)),
    "emoji": Shape({"name": string(), "unicode": string(), "style": _STYLE}, ("name",)),
    "user": Shape({"user_id": string(), "style": _STYLE}, ("user_id",)),
    "channel": Shape({"channel_id": string(), "style": _STYLE}, ("channel_id",)),
    "usergroup": Shape({"usergroup_id": string(), "style": _STYLE}, ("usergroup_id",)),
    "broadcast": Shape(
        {"range": one_of("here", "channel", "everyone"), "style": _STYLE}, ("range",)
    ),
    "date": Shape(
        {
            "timestamp": whole(0, 10**11),
            "format": string(),
            "url": string(),
            "fallback": string(),
            "style": _STYLE,
        },
        ("timestamp", "format"),
    ),
}
_LINE = Shape({"elements": items(by_type(_INLINE), 1000, 0), "border": whole(0, 1)}, ("elements",))
_RICH: dict[str, Check] = {
    "rich_text_section": _LINE,
    "rich_text_preformatted": _LINE,
    "rich_text_quote": _LINE,
    "rich_text_list": Shape(
        {
            "style": one_of("bullet", "ordered"),
            "elements": items(by_type({"rich_text_section": _LINE}), 1000),
            "indent": whole(0, 8),
            "offset": whole(0, 10**6),
            "border": whole(0, 1),
        },
        ("style", "elements"),
    ),
}


# Blocks


def _section(value: Mapping[str, Any], at: str) -> Iterator[str]:
    if "text" not in value and "fields" not in value:
        yield from wrong("missing required field: text", at)


_BLOCK: dict[str, Check] = {"block_id": string()}
_FEEDBACK: dict[str, Check] = {
    "feedback_buttons": Shape(
        {**_ACTION, "positive_button": anything, "negative_button": anything},
        ("positive_button", "negative_button"),
    ),
    "icon_button": Shape(
        {**_ACTION, "icon": string(), "text": plain(), "value": string(2000), "confirm": CONFIRM},
        ("icon", "text"),
    ),
}
_IN_CONTEXT: dict[str, Check] = {
    "plain_text": plain(),
    "mrkdwn": text(MOST_TEXT, "mrkdwn"),
    "image": ELEMENTS["image"],
}


def _blocks(where: str) -> dict[str, Check]:
    inputs = IN_INPUT if where == "modal" else IN_INPUT - {"file_input"}
    shapes: dict[str, Check] = {
        "section": Shape(
            {
                **_BLOCK,
                "text": text(),
                "fields": items(text(2000), 10),
                "accessory": by_type(ELEMENTS, AS_ACCESSORY),
                "expand": flag,
            },
            also=_section,
        ),
        "header": Shape({**_BLOCK, "text": plain(150), "level": whole(1, 6)}, ("text",)),
        "context": Shape({**_BLOCK, "elements": items(by_type(_IN_CONTEXT), 10)}, ("elements",)),
        "actions": Shape(
            {**_BLOCK, "elements": items(by_type(ELEMENTS, IN_ACTIONS), 25)}, ("elements",)
        ),
        "input": Shape(
            {
                **_BLOCK,
                "label": plain(2000),
                "hint": plain(2000),
                "optional": flag,
                "dispatch_action": flag,
                "element": by_type(ELEMENTS, inputs),
            },
            ("label", "element"),
        ),
        "divider": Shape(_BLOCK),
        "image": Shape(
            {
                **_BLOCK,
                "image_url": string(MOST_TEXT),
                "alt_text": string(2000),
                "title": plain(2000),
            },
            ("image_url", "alt_text"),
        ),
        "rich_text": Shape({**_BLOCK, "elements": items(by_type(_RICH), 100)}, ("elements",)),
    }
    if where == "modal":
        levels = one_of("default", "info", "warning", "error", "success")
        shapes["alert"] = Shape({**_BLOCK, "text": text(200), "level": levels}, ("text",))
    if where == "message":
        shapes["markdown"] = Shape({**_BLOCK, "text": string(MOST_MARKDOWN)}, ("text",))
        shapes["context_actions"] = Shape(
            {**_BLOCK, "elements": items(by_type(_FEEDBACK), 5)}, ("elements",)
        )
    return shapes


_SURFACES = {where: items(by_type(_blocks(where)), most, 0) for where, most in MOST_BLOCKS.items()}


def block_problems(blocks: Any, where: str, at: str = "/blocks") -> list[str]:
    """What Slack would not take of the blocks of a `message`, `modal` or `home`; empty: it does."""
    found = list(_SURFACES[where](blocks, at))
    return found or [*_twice(blocks, at), *_markdown(blocks, at)]


def _twice(blocks: list[Any], at: str) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()
    for number, block in enumerate(blocks):
        named = [("block_id", block.get("block_id"))]
        named += [("action_id", one.get("action_id")) for one in elements_of(block)]
        for kind, name in named:
            if name is not None and (kind, name) in seen:
                yield from wrong(f'`{kind}` "{name}" already exists', f"{at}/{number}")
            seen.add((kind, name or ""))


def _markdown(blocks: list[Any], at: str) -> Iterator[str]:
    if sum(len(one["text"]) for one in blocks if one["type"] == "markdown") > MOST_MARKDOWN:
        yield from wrong(f"markdown must be less than {MOST_MARKDOWN + 1} characters in all", at)


def elements_of(block: Mapping[str, Any]) -> list[Any]:
    """What can be pressed, chosen or filled in on a block."""
    match block["type"]:
        case "actions" | "context_actions":
            return list(block["elements"])
        case "input":
            return [block["element"]]
        case "section" if "accessory" in block and block["accessory"]["type"] != "image":
            return [block["accessory"]]
        case _:
            return []


def weight(blocks: list[Any]) -> int:
    """The characters of all texts, as Slack is seen to count them for a message."""
    headers = [one for one in blocks if one["type"] == "header"]
    return HEADER_WEIGHT * len(headers) + sum(len(one) for one in _texts(blocks))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name == "text" and isinstance(one, str):
                # What is marked up came escaped; the rest is escaped before it is counted.
                yield one if value.get("type") == "mrkdwn" else escape(one, quote=False)
            else:
                yield from _texts(one)


# Views


_VIEW: dict[str, Check] = {
    "private_metadata": string(MOST_TEXT, 0),
    "callback_id": string(MOST_ID, 0),
    "external_id": string(MOST_ID, 0),
    "blocks": anything,
}
_VIEWS: dict[str, Check] = {
    "home": Shape(_VIEW, ("blocks",)),
    "modal": Shape(
        {
            **_VIEW,
            "title": plain(24),
            "submit": plain(24),
            "close": plain(24),
            "clear_on_close": flag,
            "notify_on_close": flag,
            "submit_disabled": flag,
        },
        ("title", "blocks"),
    ),
}


def view_problems(view: Any, *kinds: str) -> list[str]:
    """What Slack would not take of a view, as `views.open` (`modal`) or `views.publish` see it."""
    found = list(by_type(_VIEWS, frozenset(kinds))(view, "/view"))
    if found:
        return found
    blocks = view["blocks"]
    found = block_problems(blocks, view["type"], "/view/blocks")
    if not found and view["type"] == "modal" and "submit" not in view:
        for number, block in enumerate(blocks):
            if block["type"] == "input":
                found += wrong("submit is required with input blocks", f"/view/blocks/{number}")
    return found


def too_large(view: Any) -> bool:
    """Whether the whole of a view is past what Slack keeps."""
    return len(json.dumps(view, ensure_ascii=False).encode()) > MOST_VIEW_BYTES
