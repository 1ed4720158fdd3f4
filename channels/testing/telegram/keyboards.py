"""Which reply markup Telegram takes, and what stands under a message because of it.

Numbers without a place in its documentation are marked so.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from channels.testing.telegram.markup import units
from channels.testing.telegram.refusals import bad

BUTTONS = 100
"""Of one keyboard. python-telegram-bot's constant; the server refuses more, in words of its own."""
ROW = 8
"""Of one row; likewise."""
DATA_BYTES = 64
"""Bot API, InlineKeyboardButton.callback_data: 1-64 bytes."""
COPY_TEXT = 256
"""Bot API, CopyTextButton.text: 1-256 characters."""
PLACEHOLDER = 64
"""Bot API, ForceReply.input_field_placeholder: 1-64 characters."""

STYLES = ("danger", "success", "primary")
ACTIONS = (
    *("url", "callback_data", "web_app", "login_url", "copy_text", "callback_game", "pay"),
    *("switch_inline_query", "switch_inline_query_current_chat"),
    *("switch_inline_query_chosen_chat", "disabled"),
)
_HOST = re.compile(r"[^.\s]+(\.[^.\s]+)+")


def inline(given: Any, *, private: bool) -> list[list[dict[str, Any]]] | None:
    """The rows of a keyboard under a message; None: it has none. Raises: Refused."""
    if given in (None, ""):
        return None
    if not isinstance(given, dict):
        raise bad("object expected as reply markup")
    if "inline_keyboard" not in given:
        raise bad("inline keyboard expected")
    rows = given["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    if not all(isinstance(one, dict) for row in rows for one in row):
        raise _cannot("InlineKeyboardButton must be an Object")
    # A button without words is left out in silence, as the server does it.
    kept = [[_button(one, private=private) for one in row if one.get("text") != ""] for row in rows]
    kept = [row for row in kept if row]
    if sum(map(len, kept)) > BUTTONS or any(len(row) > ROW for row in kept):
        raise bad("reply markup is too long")
    return kept or None


def reply_markup(given: Any, *, private: bool, channel: bool) -> list[list[dict[str, Any]]] | None:
    """As `inline`, for a new message, which may ask for a reply instead. Raises: Refused."""
    if not isinstance(given, dict) or "inline_keyboard" in given or channel:
        return inline(given, private=private)
    placeholder = given.get("input_field_placeholder")
    if placeholder is not None and not 1 <= units(placeholder) <= PLACEHOLDER:
        raise bad("INPUT_FIELD_PLACEHOLDER_INVALID")  # the server's own words are not known
    if not any(given.get(kind) for kind in ("force_reply", "keyboard", "remove_keyboard")):
        raise bad("object expected as reply markup")
    return None


def _button(given: dict[str, Any], *, private: bool) -> dict[str, Any]:
    if not isinstance(given.get("text"), str):
        raise _cannot('Can\'t find field "text"')
    actions = [name for name in ACTIONS if given.get(name) not in (None, "")]
    if not actions:
        raise _cannot("Text buttons are unallowed in the inline keyboard")
    if len(actions) > 1:
        raise _cannot(f"Exactly one action is expected, found {' and '.join(actions)}")
    if given.get("style") not in (None, *STYLES):
        raise _cannot("Invalid button style specified")
    _check(actions[0], given[actions[0]], private=private)
    return given


def _check(action: str, value: Any, *, private: bool) -> None:
    if action == "callback_data" and len(value.encode()) > DATA_BYTES:
        raise bad("BUTTON_DATA_INVALID")
    if action == "copy_text" and not 1 <= units(str(value.get("text", ""))) <= COPY_TEXT:
        raise bad("BUTTON_COPY_TEXT_INVALID")
    if action == "web_app" and not private:
        raise bad("BUTTON_TYPE_INVALID")
    if action in ("web_app", "login_url") and not value.get("url", "").startswith("https://"):
        raise bad("BUTTON_URL_INVALID")
    if action == "url":
        _link(value)


def _link(url: str) -> None:
    parts = urlsplit(url)
    web = parts.scheme in ("http", "https") and _HOST.fullmatch(parts.hostname or "")
    if not web and parts.scheme not in ("tg", "ton"):
        raise bad(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")


def _cannot(why: str) -> Exception:
    return bad(f"can't parse inline keyboard button: {why}")
