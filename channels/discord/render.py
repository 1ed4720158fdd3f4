"""A post, and what is said back, as Discord's JSON. Pure.

Everything stands in the text; buttons and menus are the quicker way to the same answers.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, assert_never

from channels.callback import pack
from channels.capabilities import Capabilities, Reach
from channels.contract import (
    AskReason,
    Drop,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressDecline,
    PressOther,
    PressSkip,
    Send,
    Step,
)
from channels.discord.markup import fitted, measure, units, written
from channels.fitting import split

if TYPE_CHECKING:
    from channels.contract import Button, Control, Tell
    from channels.drawing import Drawing
    from channels.plan import Menu

CHANNEL = "discord"

CONTENT = 2000
"""Characters of a message (documentation, "Create Message")."""

ROWS, ROW = 5, 5
"""Rows of a message, and buttons in one; a menu fills a row (documentation, "Action Row")."""

BUTTON_LABEL = 80
"""Characters on a button (documentation, "Button"); the same page advises 38 to be seen whole."""

OPTION_LABEL = 100
"""Characters of a menu's option (documentation, "String Select")."""

PLACEHOLDER = 150
"""Characters in an untouched menu; the same page."""

CAPABILITIES = Capabilities(
    channel=CHANNEL,
    text=CONTENT,
    measure=measure,
    # What Discord advises for a button's label.
    label=38,
    # Ours: two rows are read at a glance; Other makes a third, Decline and the link a fourth.
    buttons=10,
    # Options of one menu (documentation, "String Select").
    menu=25,
    # Ours: four of the five rows; the last is for Other, Decline and the link.
    menus=4,
    # Parts of a modal (documentation, "Modal").
    form=5,
    stamps=True,
    links=True,
    # Without its privileged intent we read nothing else (platform facts, 3.5).
    reach=Reach.PING,
)

PRIMARY, SECONDARY, SUCCESS, DANGER, LINK = 1, 2, 3, 4, 5
EPHEMERAL = 1 << 6
"""Only whoever acted sees it."""
LOADING = 1 << 7
"""An answer that was announced, and has not come yet."""
SUPPRESS_EMBEDS = 1 << 2
"""No previews of links."""

EMPHASIS = 200
"""Ours: a question of one line, up to so long, is set in bold; a longer one is a text to read."""

NOBODY: dict[str, Any] = {"parse": [], "replied_user": False}
"""Nothing we write rings anybody."""


def leading(drawing: Drawing) -> list[dict[str, Any]]:
    """What goes before the post, as messages of their own."""
    return [_message(written(text)) for text in drawing.leading]


def post(drawing: Drawing) -> dict[str, Any]:
    """The post. Without a presentation it has nothing to press, but the way into OZ."""
    return _message(_content(drawing)) | {"components": _components(drawing)}


class Voice(StrEnum):
    """How something is said: to one alone among others, to the one who is there, or to all."""

    WHISPER = "whisper"
    DIRECT = "direct"
    PUBLIC = "public"


def tell(said: Tell, voice: Voice) -> list[dict[str, Any]]:
    """What is said back, in as many messages as it takes; in public only what may be public."""
    text = said.public if voice is Voice.PUBLIC else said.text
    if text is None:
        return []
    messages = note(text)
    rows = _in_rows([_button(one) for one in said.buttons])
    for at in range(0, len(rows), ROWS):
        if at:
            messages.append(_message("\u2026"))
        messages[-1]["components"] = rows[at : at + ROWS]
    if voice is Voice.WHISPER:
        for one in messages:
            one["flags"] |= EPHEMERAL
    return messages


def note(text: str) -> list[dict[str, Any]]:
    """A text that others read, in as many messages as it takes."""
    return [_message(written(piece)) for piece in split(text, CONTENT, measure)]


def reference(message: str, *, only_under: bool = False) -> dict[str, Any]:
    """Marks a message as a reply to that one, if it still stands; `only_under`: it has to."""
    return {"message_id": message, "fail_if_not_exists": only_under}


def _message(content: str) -> dict[str, Any]:
    return {"content": content, "flags": SUPPRESS_EMBEDS, "allowed_mentions": NOBODY}


def _content(drawing: Drawing) -> str:
    """The whole text; a short question in bold and the last line small, where there is room."""
    text = written(drawing.text)
    view = drawing.view
    if drawing.leading or view.sealed is not None:
        return text
    styled = text
    above, question = f"{written(view.heading)}\n", written(view.question)
    short = "\n" not in question and 0 < units(question) <= EMPHASIS
    if short and view.heading and text.startswith(above + question + "\n"):
        styled = f"{above}**{question}**{text[len(above + question) :]}"
    foot = written(view.foot)
    if foot and "\n" not in foot and styled.endswith(f"\n{foot}"):
        styled = f"{styled[: -len(foot)]}-# {foot}"
    return styled if units(styled) <= CONTENT else text


def _components(drawing: Drawing) -> list[dict[str, Any]]:
    shown = drawing.presentation
    rows: list[dict[str, Any]] = []
    last: list[dict[str, Any]] = []
    if shown is not None:
        rows = [_row([_menu(shown_menu, drawing, n)]) for n, shown_menu in enumerate(shown.menus)]
        buttons = [_button(one) for one in shown.buttons]
        last = [_button(one) for one in shown.ways_out]
        if rows:
            # Menus leave one row.
            last = buttons + last
        else:
            rows = _in_rows(buttons)
    if drawing.link is not None:
        last.append({"type": 2, "style": LINK, "label": drawing.link_label, "url": drawing.link})
    return rows + _in_rows(last)


def _in_rows(buttons: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [_row(buttons[at : at + ROW]) for at in range(0, len(buttons), ROW)]


def _row(parts: list[dict[str, Any]]) -> dict[str, Any]:
    return {"type": 1, "components": parts}


def _button(button: Button) -> dict[str, Any]:
    return {
        "type": 2,
        "style": _style(button.control),
        "label": fitted(button.label, BUTTON_LABEL),
        "custom_id": pack(button.ask_id, button.control),
    }


def _style(control: Control) -> int:
    match control:
        case PressApprove():
            return SUCCESS
        case PressDecline() | AskReason():
            return DANGER
        case PressOther() | PressSkip() | Drop():
            return SECONDARY
        case Pick() | PickToggle() | OpenForm() | Step() | Send():
            return PRIMARY
        case _:
            assert_never(control)


def _menu(menu: Menu, drawing: Drawing, number: int) -> dict[str, Any]:
    ask_id = drawing.view.ask_id
    return {
        "type": 3,
        "custom_id": f"menu{number}",
        "placeholder": fitted(menu.placeholder, PLACEHOLDER),
        "options": [
            {
                "label": fitted(choice.label, OPTION_LABEL),
                "value": pack(ask_id, Pick(choice.option)),
            }
            for choice in menu.choices
        ],
    }
