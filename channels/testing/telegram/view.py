"""A chat as a page that looks like the messenger: bubbles, keyboards under them, who spoke.

For people and pictures only; nothing reads it back.
"""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from channels.testing.telegram.places import Chat, Kept

TAGS = {
    "bold": "b",
    "italic": "i",
    "underline": "u",
    "strikethrough": "s",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "expandable_blockquote": "blockquote",
}


def page(title: str, chat: Chat, bot: int, messages: Iterable[Kept]) -> str:
    """The whole page."""
    bubbles = "\n".join(_bubble(one, bot) for one in messages)
    members = "bot" if chat.kind == "private" else f"{len(chat.standing)} members"
    return PAGE.format(title=escape(title), members=members, body=bubbles)


def _bubble(kept: Kept, bot: int) -> str:
    name = chat_name(kept)
    side = "bot" if kept.author is not None and kept.author.id == bot else "person"
    at = datetime.fromtimestamp(kept.date, UTC).strftime("%H:%M")
    quoted = ""
    if kept.reply_to is not None and not kept.reply_to.deleted:
        words = escape(kept.reply_to.text.split("\n")[0][:60])
        quoted = f"<q><b>{escape(chat_name(kept.reply_to))}</b>{words}</q>"
    rows = "".join(f"<p>{''.join(_button(one) for one in row)}</p>" for row in kept.keyboard or ())
    edited = "edited " if kept.edited else ""
    return (
        f'<article class="{side}"><section><b>{escape(name)}</b>{quoted}'
        f"<div>{_styled(kept.text, kept.entities)}</div><time>{edited}{at}</time></section>"
        f"{rows}</article>"
    )


def chat_name(kept: Kept) -> str:
    if kept.anonymous or kept.author is None:
        return kept.chat.title
    return kept.author.name


def _button(given: dict[str, Any]) -> str:
    style = "off" if "disabled" in given else given.get("style", "")
    mark = " ↗" if "url" in given else ""
    return f'<span class="{style}">{escape(given["text"])}{mark}</span>'


def _styled(text: str, entities: list[dict[str, Any]]) -> str:
    """The words with their entities as tags; those that do not nest are left out."""
    wire = text.encode("utf-16-le")
    marks: list[tuple[int, int, str]] = []
    for order, one in enumerate(entities):
        tag = TAGS.get(one["type"], "a" if one["type"] in ("text_link", "url") else "")
        if tag:
            end = one["offset"] + one["length"]
            marks += [(one["offset"], order, f"<{tag}>"), (end, -1 - order, f"</{tag}>")]
    out, at = [], 0
    for where, _, tag in sorted(marks):
        out += [escape(wire[2 * at : 2 * where].decode("utf-16-le")), tag]
        at = where
    return "".join((*out, escape(wire[2 * at :].decode("utf-16-le"))))


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.4 -apple-system, "Segoe UI", Roboto, sans-serif; margin: 0; color: #111;
  background: #cfdcc6 }}
header {{ background: #fff; padding: 10px 18px; border-bottom: 1px solid #ddd }}
header small {{ display: block; color: #6d7f8f }}
main {{ max-width: 620px; padding: 12px 18px }}
article {{ max-width: 460px; margin: 0 0 12px }}
article.person {{ margin-left: auto }}
section {{ background: #fff; border-radius: 12px; padding: 7px 11px }}
.person section {{ background: #eeffde }}
section > b {{ color: #3a8cc1; font-size: 14px }}
div {{ white-space: pre-wrap; overflow-wrap: anywhere }}
q {{ display: block; border-left: 3px solid #3a8cc1; padding-left: 8px; font-size: 13px }}
q::before, q::after {{ content: "" }} q b {{ display: block }}
time {{ display: block; text-align: right; font-size: 11px; color: #8a9aa8 }}
p {{ display: flex; gap: 4px; margin: 4px 0 0 }}
span {{ flex: 1; text-align: center; color: #fff; background: #0006; border-radius: 8px;
  padding: 8px 6px; overflow-wrap: anywhere }}
span.success {{ background: #3aa157 }} span.danger {{ background: #cf4b43 }}
span.primary {{ background: #3a7fc1 }} span.off {{ opacity: .45 }}
</style><header><b>{title}</b><small>{members}</small></header><main>{body}</main></html>"""
