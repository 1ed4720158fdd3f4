"""Text as it goes to Slack: nothing in it calls anybody, is markup, or becomes an emoji. Pure.

Rich text reads to the letter; where only Slack's own markup is taken, what it acts on is escaped.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any

import regex

from channels.shown import MARK, stamped

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

MOST_ELEMENT = 3_000
"""Ours: a piece of rich text; the longest text object elsewhere (platform facts, 1.3)."""

MOST_URL = 3_000
"""Slack's: a link's address (platform facts, 1.3)."""

DATE = "{date_short_pretty}, {time}"
"""`today, 18:40`, in each reader's own zone."""

_URL = re.compile(r"https?://[^\s<>\"'\u2068\u2069]+[^\s<>\"'\u2068\u2069.,;:!?)\]}]")
_VISIBLE = regex.compile(r"\X")
_CUT = "\ufdd3"
"""A noncharacter, which `visible` lets nobody else write; parts a text at its stamps."""


def wire(text: str) -> str:
    """The text in Slack's markup: what Slack acts on is escaped, and times are stamped."""
    return stamped(escape(text, quote=False), _date)


def measure(text: str) -> int:
    """Its length as `chat.update` counts: bytes of UTF-8, escapes and stamps written out."""
    return len(wire(text).encode("utf-8", "surrogatepass"))


def _date(at: int, shown: str) -> str:
    return f"<!date^{at}^{DATE}|{shown.replace('|', '/')}>"


def clip(text: str, most: int) -> str:
    """At most so many code points, cut at a whole visible character and marked so."""
    if len(text) <= most:
        return text
    kept = ""
    for part in _VISIBLE.findall(text):
        if len(kept) + len(part) + len(MARK) > most:
            break
        kept += part
    return kept + MARK


def plain(text: str, most: int) -> Json:
    """A text object in which nothing is markup, mention or emoji code."""
    return {"type": "plain_text", "text": clip(text, most) or MARK, "emoji": False}


def rich(*parts: tuple[str, bool]) -> Json:
    """A block of rich text; each part is bold or not. Empty parts are left out."""
    elements = [one for text, bold in parts if text for one in _inline(text, bold=bold)]
    return {
        "type": "rich_text",
        "elements": [{"type": "rich_text_section", "elements": elements}],
    }


def small(text: str) -> Json | None:
    """A line in small print; None where it does not fit into one."""
    elements = []
    for piece, at in _stamps(text):
        if at is not None:
            said = _date(at, escape(piece, quote=False))
            elements.append({"type": "mrkdwn", "text": said, "verbatim": True})
        elif piece.strip():
            elements.append(plain(piece.strip(), MOST_ELEMENT))
    if not 1 <= len(elements) <= MOST_CONTEXT or len(text) > MOST_ELEMENT:
        return None
    return {"type": "context", "elements": elements}


MOST_CONTEXT = 10
"""Slack's: elements of a context block (platform facts, 1.3)."""


def _inline(text: str, *, bold: bool) -> Iterator[Json]:
    style: Json = {"style": {"bold": True}} if bold else {}
    for piece, at in _stamps(text):
        if at is not None:
            yield {"type": "date", "timestamp": at, "format": DATE, "fallback": piece, **style}
            continue
        done = 0
        for found in _URL.finditer(piece):
            if len(found[0]) <= MOST_URL:
                yield from _said(piece[done : found.start()], style)
                yield {"type": "link", "url": found[0], **style}
                done = found.end()
        yield from _said(piece[done:], style)


def _said(text: str, style: Json) -> Iterator[Json]:
    held = ""
    for part in _VISIBLE.findall(text) if len(text) > MOST_ELEMENT else [text]:
        if held and len(held) + len(part) > MOST_ELEMENT:
            yield {"type": "text", "text": held, **style}
            held = ""
        held += part
    if held:
        yield {"type": "text", "text": held, **style}


def _stamps(text: str) -> Iterator[tuple[str, int | None]]:
    """The text in pieces: words, and each time with its Unix seconds."""
    times: list[tuple[str, int]] = []

    def cut(at: int, shown: str) -> str:
        times.append((shown, at))
        return _CUT

    for number, piece in enumerate(stamped(text, cut).split(_CUT)):
        if number and number <= len(times):
            yield times[number - 1]
        if piece:
            yield piece, None
