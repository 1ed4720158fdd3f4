"""What Slack shows of a post, a form, or what is said back: blocks and views as plain dicts. Pure.

The whole of every text stands in the blocks; `text` beside them is for notices and screen readers.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from channels.callback import pack
from channels.capabilities import Capabilities, Reach
from channels.contract import Pick, PressApprove
from channels.fitting import split
from channels.plan import Way
from channels.shown import MARK
from channels.slack.markup import MOST_ELEMENT, Json, measure, plain, rich, small, wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.contract import Button, Tell
    from channels.drawing import Drawing
    from channels.plan import Menu, Presentation
    from channels.present import View

CAPABILITIES = Capabilities(
    channel="slack",
    # `chat.update` refuses a `text` of more than 4,000 bytes of UTF-8 (platform facts, 1.2), and
    # that stays below the 13,200 characters that all blocks of a message may have.
    text=4_000,
    measure=measure,
    # A button takes 75 characters, and shows about 30 (platform facts, 1.3).
    label=30,
    # A row takes 25; six are the most options of `ask_a_human`, and still read at a glance.
    buttons=6,
    # Options of one select (platform facts, 1.3); an ask has at most as many.
    menu=100,
    # A modal takes 100 blocks (platform facts, 1.5), a field at most four, and an ask 20 fields.
    form=20,
    # `<!date^…>` (platform facts, 1.9).
    stamps=True,
    # A button's `url` (platform facts, 1.3).
    links=True,
    # Slack has no other reply.
    reach=Reach.THREAD,
)

MOST_ROW = 25
"""Slack's: elements of a row (platform facts, 1.3)."""
MOST_ROWS = 4
"""Ours: rows under one message; with its text they stay below what all blocks of one may have."""
MOST_BUTTON = 75
"""Slack's, as all of the following: a button's text, an option's (platform facts, 1.3)."""
MOST_PLACEHOLDER = 150
MOST_HOME_BLOCKS = 100
MOST_VIEW_BYTES = 240_000
"""Ours: a view may have 250 KB; the rest is for what Slack adds."""

TELL = "oz.tell"
"""What the id of a row of buttons begins with that stands under something said, not on a post."""
LINK = "link"
"""The id of the button that opens OZ; pressing it asks nothing of us."""


def post(drawing: Drawing) -> tuple[Json, ...]:
    """The messages of a post, in order; the last one is the post itself, the rest comes before it.

    Each has `text`, and `blocks` unless the platform refused them before.
    """
    leading = [_message(text, [rich((text, False))]) for text in drawing.leading]
    shown = drawing.presentation
    if shown is not None and shown.way is Way.TEXT:
        return (*leading, _message(drawing.text, []))
    blocks = _written(drawing.view, drawing.text)
    if shown is not None:
        blocks += _controls(drawing, shown)
    elif drawing.link and drawing.view.outcome is None:
        blocks.append(_row([_link(drawing.link, drawing.link_label)]))
    foot = _foot(drawing.view, drawing.text)
    return (*leading, _message(drawing.text, [*blocks, foot] if foot else blocks))


def tell(said: Tell, text: str) -> tuple[Json, ...]:
    """What is said back, in as many messages as it needs; its buttons stand under the last."""
    *before, last = note(text)
    buttons = [_button(number, one) for number, one in enumerate(said.buttons)]
    rows = [
        _row(buttons[at : at + MOST_ROW], block_id=f"{TELL} {at}")
        for at in range(0, len(buttons), MOST_ROW)
    ]
    under = {**last, "blocks": [*last["blocks"], *rows[:MOST_ROWS]]}
    more = [rows[at : at + MOST_ROWS] for at in range(MOST_ROWS, len(rows), MOST_ROWS)]
    return (*before, under, *(_message(MARK, some) for some in more))


def note(text: str) -> tuple[Json, ...]:
    """Nothing but words, in as many messages as they need."""
    pieces = split(text, CAPABILITIES.text, measure) or [text]
    return tuple(_message(one, [rich((one, False))]) for one in pieces)


def home(text: str) -> Json:
    """Somebody's App Home with that text, as far as a view takes it."""
    blocks: list[Json] = []
    for piece in split(text, MOST_ELEMENT)[:MOST_HOME_BLOCKS]:
        more = [*blocks, rich((piece, False))]
        if len(json.dumps(more, ensure_ascii=False).encode("utf-8", "surrogatepass")) > (
            MOST_VIEW_BYTES
        ):
            break
        blocks = more
    return {"type": "home", "blocks": blocks}


def _message(text: str, blocks: list[Json]) -> Json:
    return {"text": wire(text), "blocks": blocks}


def _written(view: View, text: str) -> list[Json]:
    """The post's text but for its last line, which is small: who asks and what came of it, bold."""
    foot = view.foot if view.foot and small(view.foot) else ""
    body = text.removesuffix(foot).rstrip("\n") if foot else text
    head = view.heading if view.heading and body.startswith(view.heading) else ""
    rest = body[len(head) :]
    outcome = view.outcome if view.outcome and view.outcome in rest else ""
    before, _, after = rest.partition(outcome) if outcome else (rest, "", "")
    block = rich((head, True), (before, False), (outcome, True), (after, False))
    return [block] if block["elements"][0]["elements"] else []


def _foot(view: View, text: str) -> Json | None:
    return small(view.foot) if view.foot and text.endswith(view.foot) else None


def _controls(drawing: Drawing, shown: Presentation) -> list[Json]:
    rows = []
    if shown.menus:
        ask_id = drawing.view.ask_id
        rows.append(_row([_menu(ask_id, number, one) for number, one in enumerate(shown.menus)]))
    buttons = [_button(number, one) for number, one in enumerate((*shown.buttons, *shown.ways_out))]
    if drawing.link:
        buttons.append(_link(drawing.link, drawing.link_label))
    return [*rows, _row(buttons)] if buttons else rows


def _menu(ask_id: str, number: int, menu: Menu) -> Json:
    return {
        "type": "static_select",
        "action_id": f"m{number}",
        "placeholder": plain(menu.placeholder, MOST_PLACEHOLDER),
        "options": [
            {"text": plain(one.label, MOST_BUTTON), "value": pack(ask_id, Pick(one.option))}
            for one in menu.choices
        ],
    }


def _row(elements: Sequence[Json], **more: str) -> Json:
    return {"type": "actions", "elements": list(elements), **more}


def _button(number: int, one: Button) -> Json:
    data = pack(one.ask_id, one.control)
    made = {
        "type": "button",
        "action_id": f"b{number}",
        "text": plain(one.label, MOST_BUTTON),
        "value": data,
    }
    return {**made, "style": "primary"} if isinstance(one.control, PressApprove) else made


def _link(address: str, label: str) -> Json:
    text = plain(label, MOST_BUTTON)
    return {"type": "button", "action_id": LINK, "text": text, "url": address}
