"""Text of agents and people as it may stand in a post: on its line, and in its own direction. Pure.

What is stored holds none of the marks added here.
"""

from __future__ import annotations

import unicodedata

import regex

from gateway.visible import one_line

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
MARK = "…"
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))
_STOPS = ".!?…。"


def line(text: str) -> str:
    """A label, name or value on one line.

    Right-to-left text is isolated, so that it moves nothing around it: `1.` stays before its label.
    """
    shown = one_line(text)
    if shown.isascii() or _RIGHT_TO_LEFT.isdisjoint(map(unicodedata.bidirectional, shown)):
        return shown
    return f"{FIRST_STRONG_ISOLATE}{shown}{POP_ISOLATE}"


def short(text: str, most: int) -> str:
    """At most so many visible characters on one line, the last one a mark where it was longer."""
    shown = one_line(text)
    whole = regex.findall(r"\X", shown)
    return line(shown if len(whole) <= most else "".join(whole[: most - 1]) + MARK)


def closed(text: str) -> str:
    """The text with a full stop, unless it ends a sentence already."""
    bare = text.rstrip(POP_ISOLATE + "\"'\u201d\u2019)\u00bb")
    return text if bare.endswith(tuple(_STOPS)) else f"{text}."
