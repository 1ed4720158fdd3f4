"""What is sent to Telegram, as its Bot API's JSON. Pure.

Texts of agents and people are escaped and read literally: no mention pings, no link is previewed.
"""

from __future__ import annotations

import re
from html import escape
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from channels.callback import pack
from channels.capabilities import Capabilities, Reach
from channels.contract import PressApprove, Step, StepAct
from channels.fitting import split
from channels.shown import MARK, stamped, unstamped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.contract import Button
    from channels.drawing import Drawing
    from channels.forms import Walk
    from channels.plan import Presentation

TEXT = 4096
"""Bot API, sendMessage.text: 1-4096 characters after entities parsing; the server counts UTF-16."""

TOAST = 200
"""Bot API, answerCallbackQuery.text: 0-200 characters."""

LABEL = 30
"""Ours: visible characters of a button that a phone shows on one line."""

AT_A_GLANCE = 12
"""Ours: a keyboard of more rows than a phone's screen has is not seen whole. Telegram takes 100."""

IN_A_ROW = 3
ROW_CHARS = 26
"""Ours: short labels share a row, as far as a phone shows them whole."""

NO_PING = "\u2060"
"""A word joiner behind `@`: reads the same, and names nobody."""

_MENTION = re.compile(r"(?<!\w)@(?=\w)", re.ASCII)
_PUBLIC_HOST = re.compile(r"[^.\s]+(\.[^.\s]+)+")
TIME_FORMAT = "wDt"
"""Bot API, date-time entities: weekday, day and time as the reader's device writes them."""


def measure(text: str) -> int:
    """The length that Telegram counts: UTF-16 code units of the text once its markup is read."""
    return units(_unpinging(text))


def units(text: str) -> int:
    """UTF-16 code units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


CAPABILITIES = Capabilities(
    channel="telegram",
    text=TEXT,
    measure=measure,
    label=LABEL,
    buttons=AT_A_GLANCE,
    steps=True,
    stamps=True,
    links=True,
    # In privacy mode no other message comes, mentions aside (platform facts, 4.4).
    reach=Reach.REPLY,
)


def html(text: str) -> str:
    """The text in Telegram's HTML, times so that each reader sees their own."""
    safe = escape(_unpinging(text), quote=False)
    return stamped(
        safe, lambda at, said: f'<tg-time unix="{at}" format="{TIME_FORMAT}">{said}</tg-time>'
    )


def post(drawing: Drawing) -> list[dict[str, Any]]:
    """The messages of a post, in order; the last is the post itself."""
    leading = [*drawing.leading]
    address = ""
    if drawing.link and not is_public(drawing.link):
        # Telegram takes no button to such an address, so it is written out.
        address = f"\n{drawing.link_label}: {drawing.link}"
        if measure(unstamped(drawing.text) + address) > TEXT:
            leading, address = [*leading, address.strip()], ""
    last = message(_body(drawing) + html(address), _keyboard(drawing))
    return [*(message(html(text)) for text in leading), last]


def message(written: str, rows: Sequence[Sequence[dict[str, Any]]] = ()) -> dict[str, Any]:
    """One message of HTML with a keyboard of those rows; without any, an edit takes it off."""
    sent: dict[str, Any] = {
        "text": written,
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
    }
    if rows:
        sent["reply_markup"] = {"inline_keyboard": [list(row) for row in rows]}
    return sent


def tell(text: str, buttons: Sequence[Button] = ()) -> list[dict[str, Any]]:
    """Something said, in as many messages as it takes; the buttons are under the last."""
    pieces = split(text, TEXT, _longest) or [MARK]
    rows = _rows(buttons)
    *before, last = map(html, pieces)
    return [*map(message, before), message(last, rows)]


def walk(drawn: Walk) -> dict[str, Any]:
    """One step of a form."""
    pieces = split(drawn.text, TEXT - len(MARK), _longest) or [MARK]
    text = pieces[0] if len(pieces) == 1 else pieces[0] + MARK
    rows = () if drawn.ended else [[_button(one) for one in row] for row in drawn.rows]
    return message(html(text), rows)


def begin_link(username: str, ask_id: str) -> str:
    """An address that opens somebody's chat with us, to walk through that ask's form there."""
    return f"https://t.me/{username}?start={begin_word(ask_id)}"


def begin_word(ask_id: str) -> str:
    """What `/start` is followed by there: 1-64 of `A-Za-z0-9_-`."""
    return "f" + pack(ask_id, Step(StepAct.START))[1:9]


def is_public(address: str) -> bool:
    """Whether Telegram takes a button that opens it: a host without a dot it does not."""
    parts = urlsplit(address)
    return parts.scheme in ("http", "https") and bool(_PUBLIC_HOST.fullmatch(parts.hostname or ""))


def _longest(text: str) -> int:
    return max(measure(text), measure(unstamped(text)))


def _unpinging(text: str) -> str:
    return _MENTION.sub(f"@{NO_PING}", text)


def _body(drawing: Drawing) -> str:
    """The text, its question set apart where the whole of it is in this message."""
    shown = drawing.view
    top = f"{shown.heading}\n{shown.question}"
    if drawing.leading or not shown.question.strip() or not drawing.text.startswith(top):
        return html(drawing.text)
    rest = html(drawing.text[len(top) :])
    return f"{html(shown.heading)}\n<b>{html(shown.question)}</b>{rest}"


def _keyboard(drawing: Drawing) -> list[list[dict[str, Any]]]:
    rows = _controls(drawing.presentation) if drawing.presentation else []
    if drawing.link and is_public(drawing.link):
        rows.append([{"text": drawing.link_label, "url": drawing.link}])
    return rows


def _controls(shown: Presentation) -> list[list[dict[str, Any]]]:
    approving = any(isinstance(one.control, PressApprove) for one in shown.buttons)
    if approving:  # yes and no belong side by side, and are told apart by colour too
        rows = _rows((*shown.buttons, *shown.ways_out))
        for drawn, one in zip(chain(*rows), (*shown.buttons, *shown.ways_out), strict=True):
            drawn["style"] = "success" if isinstance(one.control, PressApprove) else "danger"
        return rows
    return [*_rows(shown.buttons), *_rows(shown.ways_out)]


def _rows(buttons: Sequence[Button]) -> list[list[dict[str, Any]]]:
    """In their order, short ones side by side."""
    rows: list[list[dict[str, Any]]] = []
    room = 0
    for one in buttons:
        width = len(one.label) + 2
        if not rows or width > room or len(rows[-1]) == IN_A_ROW:
            rows.append([])
            room = ROW_CHARS
        rows[-1].append(_button(one))
        room -= width
    return rows


def _button(one: Button) -> dict[str, Any]:
    return {"text": one.label, "callback_data": pack(one.ask_id, one.control)}
