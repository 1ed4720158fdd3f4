"""A conversation as a page that looks like Slack enough to be looked at: blocks, threads, menus."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from channels.testing.slack.reading import spoken, words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from channels.testing.platform import Message

    Names = Callable[[str], str]

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.46 Lato, "Helvetica Neue", sans-serif; margin: 24px; max-width: 640px;
  color: #1d1c1d }}
article {{ padding: 8px 0 }}
article.reply {{ margin-left: 32px; border-left: 3px solid #ddd; padding-left: 12px }}
article.private {{ background: #f8f8f8 }}
p {{ white-space: pre-wrap; margin: 4px 0 }}
small {{ color: #616061 }}
.button, .menu {{ display: inline-block; border: 1px solid #bbb; border-radius: 4px;
  padding: 4px 12px; margin: 4px 6px 4px 0; font-weight: 700 }}
.menu {{ font-weight: 400; min-width: 160px }}
.menu::after {{ content: " \\25be"; float: right }}
.primary {{ background: #007a5a; border-color: #007a5a; color: #fff }}
</style><h1>{title}</h1>{body}</html>"""


def page(title: str, messages: Sequence[Message], names: Names) -> str:
    """The messages as a page, oldest first."""
    body = "\n".join(_message(one, names) for one in messages)
    return PAGE.format(title=escape(title), body=body)


def _message(one: Message, names: Names) -> str:
    kinds = " ".join(
        kind for kind, is_so in (("reply", one.thread), ("private", one.private_to)) if is_so
    )
    marks = ["Only visible to you"] if one.private_to else []
    marks += ["edited"] if one.edited else []
    said = "".join(f" <small>{mark}</small>" for mark in marks)
    blocks = one.raw["blocks"]
    shown = "".join(_block(block, names) for block in blocks) if blocks else _text(one.text)
    return f'<article class="{kinds}"><b>{escape(names(one.author))}</b>{said}{shown}</article>'


def _text(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _block(block: Mapping[str, Any], names: Names) -> str:
    shown = _text(words([block], "", names))
    match block["type"]:
        case "rich_text":
            shown = "".join(_rich(one, names) for one in block["elements"])
        case "context":
            parts = [spoken(one, names) for one in block["elements"] if "text" in one]
            shown = f"<p><small>{escape(' '.join(parts))}</small></p>"
        case "header":
            shown = f"<h3>{escape(block['text']['text'])}</h3>"
        case "divider":
            shown = "<hr>"
        case "actions":
            shown = f"<div>{''.join(_element(one) for one in block['elements'])}</div>"
        case "input":
            label = escape(block["label"]["text"])
            shown = f'<p><b>{label}</b></p><span class="menu">&nbsp;</span>'
    return shown


def _rich(element: Mapping[str, Any], names: Names) -> str:
    parts = []
    for one in element["elements"]:
        block = {"type": "rich_text", "elements": [{**element, "elements": [one]}]}
        text = escape(words([block], "", names))
        bold = one.get("style", {}).get("bold", False) if isinstance(one, dict) else False
        parts.append(f"<b>{text}</b>" if bold else text)
    return f"<p>{''.join(parts)}</p>"


def _element(one: Mapping[str, Any]) -> str:
    if one["type"] == "button":
        kind = "button primary" if one.get("style") == "primary" else "button"
        return f'<span class="{kind}">{escape(one["text"]["text"])}</span>'
    label = one.get("placeholder", {}).get("text", "")
    return f'<span class="menu">{escape(label)}</span>'
