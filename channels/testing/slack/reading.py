"""What people see of blocks, and what their client sends of what they chose. Pure.

Works on blocks that `limits` found nothing wrong with.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from html import unescape
from typing import TYPE_CHECKING, Any

from channels.testing.platform import Control, Entry
from channels.testing.slack.limits import DATES, TEXTS_IN, elements_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Names = Callable[[str], str]

TOKEN = re.compile(r"<([^<>|]*)(?:\|([^<>]*))?>")
EMPHASIS = [
    re.compile(rf"(?<![\w{mark}]){mark}(?=\S)([^\n]*?\S){mark}(?![\w{mark}])")
    for mark in (r"\*", "_", "~", "`")
]
KINDS = {
    "button": "button",
    "overflow": "menu",
    "static_select": "menu",
    "multi_static_select": "menu",
    "radio_buttons": "menu",
    "checkboxes": "menu",
}
FIELDS = {
    "number_input": "number",
    "datepicker": "date",
    "static_select": "choice",
    "radio_buttons": "choice",
    "multi_static_select": "choices",
    "checkboxes": "choices",
}

# Words


def marked_up(text: str, names: Names) -> str:
    """Text with Slack's markup, as it is read."""
    text = TOKEN.sub(lambda found: _token(found[1], found[2], names), text)
    for emphasis in EMPHASIS:
        text = emphasis.sub(r"\1", text)
    return unescape(text)


def _token(inside: str, label: str | None, names: Names) -> str:
    match inside[:1]:
        case "@":
            return f"@{names(inside[1:])}"
        case "#":
            return f"#{label or names(inside[1:])}"
        case "!":
            return label if label is not None else f"@{inside[1:]}"
        case _:
            return inside if label is None else label


def words(blocks: Sequence[Mapping[str, Any]], text: str, names: Names) -> str:
    """All words of a message or view, a block a paragraph; `text` where there are no blocks."""
    if not blocks:
        return marked_up(text, names)
    return "\n".join(part for block in blocks for part in _words(block, names) if part)


def _words(block: Mapping[str, Any], names: Names) -> Iterator[str]:
    match block["type"]:
        case "section":
            texts = [block["text"]] if "text" in block else []
            yield from (spoken(one, names) for one in [*texts, *block.get("fields", [])])
        case "header" | "alert":
            yield spoken(block["text"], names)
        case "context":
            yield " ".join(spoken(one, names) for one in block["elements"] if "text" in one)
        case "markdown":
            yield block["text"]
        case "rich_text":
            yield from (_rich(one, names) for one in block["elements"])
        case "image":
            yield block["alt_text"]


def spoken(text: Mapping[str, Any], names: Names) -> str:
    """A text object as it is read."""
    if text["type"] == "mrkdwn":
        return marked_up(text["text"], names)
    return str(text["text"])


def _rich(element: Mapping[str, Any], names: Names) -> str:
    parts = [_rich(one, names) for one in element.get("elements", [])]
    said = {
        "rich_text_list": "\n".join(parts),
        "user": f"@{names(element.get('user_id', ''))}",
        "channel": f"#{names(element.get('channel_id', ''))}",
        "broadcast": f"@{element.get('range')}",
        "emoji": f":{element.get('name')}:",
        "date": str(element.get("fallback", element.get("timestamp"))),
        "text": str(element.get("text")),
        "link": str(element.get("text") or element.get("url")),
    }
    return said.get(element["type"], "".join(parts))


# Controls


def options_of(element: Mapping[str, Any]) -> list[Any]:
    groups = element.get("option_groups", [])
    return [*element.get("options", []), *(one for group in groups for one in group["options"])]


def _labels(element: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(one["text"]["text"] for one in options_of(element))


def controls(blocks: Sequence[Mapping[str, Any]]) -> tuple[Control, ...]:
    """What can be pressed, chosen or filled in; a menu is called by its placeholder or heading."""
    return tuple(control(block, one) for block in blocks for one in elements_of(block))


def control(block: Mapping[str, Any], element: Mapping[str, Any]) -> Control:
    """One of `controls`."""
    kind = KINDS.get(element["type"], "input")
    if kind == "button":
        kind = "link" if "url" in element else kind
        return Control(element["text"]["text"], element["action_id"], kind)
    heading = block.get("label", block.get("text", {})).get("text", "")
    label = element.get("placeholder", {}).get("text") or heading
    return Control(label, element["action_id"], kind, _labels(element))


def entries(view: Mapping[str, Any]) -> tuple[Entry, ...]:
    """A modal's fields, called by their blocks' ids."""
    return tuple(_entry(view, block) for block in view["blocks"] if block["type"] == "input")


def _entry(view: Mapping[str, Any], block: Mapping[str, Any]) -> Entry:
    element = block["element"]
    kind = FIELDS.get(element["type"], "text")
    if element["type"] == "checkboxes" and len(element["options"]) == 1:
        kind = "toggle"
    held = view["state"]["values"].get(block["block_id"], {}).get(element["action_id"])
    return Entry(
        label=block["label"]["text"],
        name=block["block_id"],
        kind=kind,
        options=_labels(element),
        required=not block.get("optional", False),
        value=_shown(held or initial(element)),
    )


def _shown(held: Mapping[str, Any]) -> Any:
    if "selected_options" in held:
        return [one["text"]["text"] for one in held["selected_options"]]
    if held.get("selected_option"):
        return held["selected_option"]["text"]["text"]
    return held.get("value") or held.get("selected_date")


# What a client sends


def initial(element: Mapping[str, Any]) -> dict[str, Any]:
    """What an element holds before anybody touches it, as `state.values` has it."""
    kind = element["type"]
    held: dict[str, Any] = {"type": kind}
    if kind in ("multi_static_select", "checkboxes"):
        held["selected_options"] = element.get("initial_options", [])
    elif kind in ("static_select", "radio_buttons"):
        held["selected_option"] = element.get("initial_option")
    elif kind in DATES:
        name = kind.removesuffix("picker")
        held[f"selected_{name}"] = element.get(f"initial_{name}")
    elif kind == "datetimepicker":
        held["selected_date_time"] = element.get("initial_date_time")
    elif kind in TEXTS_IN:
        held["value"] = element.get("initial_value")
    return held


def filled(element: Mapping[str, Any], value: Any) -> dict[str, Any]:
    """What an element holds once somebody filled it in.

    Args:
        element: an element of `limits.ELEMENTS`.
        value: labels for menus (one, or a list), True or False for a lone checkbox, a date or its
            ISO form, a number, a text; None clears it.

    Raises: LookupError: no such option. ValueError: the client does not let that be entered.
    """
    held = initial({"type": element["type"]})
    if value is None:
        return held
    if "selected_options" in held:
        labels = _several(element, value)
        if len(labels) > element.get("max_selected_items", len(labels)):
            raise ValueError(f"at most {element['max_selected_items']} can be chosen")
        return {**held, "selected_options": [_option(element, one) for one in labels]}
    if "selected_option" in held:
        return {**held, "selected_option": _option(element, value)}
    if "value" in held:
        return {**held, "value": _entered(element, str(value))}
    key = next(name for name in held if name != "type")
    return {**held, key: _moment(element, value)}


def _several(element: Mapping[str, Any], value: Any) -> list[str]:
    if isinstance(value, bool):
        return [_labels(element)[0]] if value else []
    return [value] if isinstance(value, str) else list(value)


def _option(element: Mapping[str, Any], label: str) -> Any:
    for one in options_of(element):
        if label in (one["text"]["text"], one["value"]):
            return one
    raise LookupError(f"no {label!r} among {_labels(element)}")


def _moment(element: Mapping[str, Any], value: Any) -> Any:
    if element["type"] == "datepicker":
        return date.fromisoformat(str(value)).isoformat()
    return value


def _entered(element: Mapping[str, Any], text: str) -> str | None:
    if not text:
        return None
    if element["type"] == "number_input":
        number = _number(text)
        if not element["is_decimal_allowed"] and number != number.to_integral_value():
            raise ValueError("whole numbers only")
        if number < Decimal(element.get("min_value", text)):
            raise ValueError(f"at least {element['min_value']}")
        if number > Decimal(element.get("max_value", text)):
            raise ValueError(f"at most {element['max_value']}")
    elif len(text) < element.get("min_length", 0):
        raise ValueError(f"at least {element['min_length']} characters")
    elif len(text) > element.get("max_length", len(text)):
        raise ValueError(f"at most {element['max_length']} characters")
    return text


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError("numbers only") from None


def empty(held: Mapping[str, Any]) -> bool:
    """Whether a required field is still to be filled in."""
    return not any(value for name, value in held.items() if name != "type")


def state(
    blocks: Sequence[Mapping[str, Any]], held: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """`state.values`: what every element holds, untouched and empty ones too."""
    found: dict[str, Any] = {}
    for block in blocks:
        for element in elements_of(block):
            if len(untouched := initial(element)) > 1:
                kept = held.get(block["block_id"], {}).get(element["action_id"], untouched)
                found.setdefault(block["block_id"], {})[element["action_id"]] = kept
    return found
