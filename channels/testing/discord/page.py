"""A conversation as Discord's client draws it, near enough for a picture. Pure."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

from channels.testing.discord import client
from channels.testing.discord.markup import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from channels.testing.platform import Message

_BOLD = re.compile(r"\*\*(.+)\*\*")
_SMALL = "-# "
_STYLES = {1: "primary", 2: "secondary", 3: "success", 4: "danger", 5: "secondary"}


def page(title: str, messages: Iterable[Message], people: Mapping[str, str], bot: str) -> str:
    """The messages, oldest first; `people` are shown names by account, `bot` is the app's own."""
    rows = "".join(_article(one, people, is_bot=one.author == bot) for one in messages)
    return PAGE.format(title=escape(title), rows=rows)


def _article(message: Message, people: Mapping[str, str], *, is_bot: bool) -> str:
    name = people.get(message.author, message.author)
    tag = '<i class="tag">APP</i>' if is_bot else ""
    lines = [_line(text, people) for one in client.texts(message.raw) for text in one.split("\n")]
    edited = '<span class="small"> (edited)</span>' if message.edited else ""
    seen = '<p class="small">Only you can see this</p>' if message.private_to else ""
    rows = "".join(_row(one) for one in message.raw["components"])
    return (
        f'<article><b class="face">{escape(name[:1])}</b><div><b>{escape(name)}</b>{tag}'
        f"{''.join(lines)}{edited}{rows}{seen}</div></article>"
    )


def _line(text: str, people: Mapping[str, str]) -> str:
    """One line; bold and small print as our own posts have them."""
    if text.startswith(_SMALL):
        return f'<p class="small">{escape(plain(text, people))}</p>'
    shown = escape(plain(text, people))
    if _BOLD.fullmatch(text):
        shown = f"<b>{shown}</b>"
    return f"<p>{shown or '&nbsp;'}</p>"


def _row(row: dict[str, Any]) -> str:
    parts = []
    for one in row.get("components", []):
        if one["type"] == 2:
            off = " off" if one.get("disabled") else ""
            label = escape(one.get("label", ""))
            parts.append(f'<span class="{_STYLES[one["style"]]}{off}">{label}</span>')
        else:
            parts.append(f'<span class="menu">{escape(one.get("placeholder", ""))}</span>')
    return f'<div class="row">{"".join(parts)}</div>'


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
body {{ background: #313338; color: #dbdee1; font: 16px/1.375 sans-serif; margin: 0;
  padding: 16px }}
h1 {{ font-size: 16px; border-bottom: 1px solid #26282c; margin: 0 0 12px; padding: 0 0 12px }}
article {{ display: flex; gap: 16px; padding: 6px 0; max-width: 680px }}
p {{ margin: 0; white-space: pre-wrap }}
.face {{ flex: none; width: 40px; height: 40px; border-radius: 50%; background: #5865f2;
  color: #fff; text-align: center; line-height: 40px }}
.tag {{ background: #5865f2; color: #fff; font: 600 10px/15px sans-serif; border-radius: 3px;
  padding: 0 4px; margin-left: 6px }}
.small {{ color: #949ba4; font-size: 12px }}
.row {{ display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px }}
.row span {{ border-radius: 3px; color: #fff; font-size: 14px; padding: 7px 16px }}
.primary {{ background: #5865f2 }} .secondary {{ background: #4e5058 }}
.success {{ background: #248046 }} .danger {{ background: #da373c }} .off {{ opacity: .5 }}
.row .menu {{ background: #1e1f22; color: #949ba4; flex: 1 }}
.menu::after {{ content: "\\25be"; float: right }}
</style><h1># {title}</h1>{rows}</html>"""
