"""Text of agents and people as it may stand in a post: on its line, and in its own direction. Pure.

What is stored holds none of the marks added here.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import regex

from gateway.visible import one_line

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

FIRST_STRONG_ISOLATE, POP_ISOLATE = "\u2068", "\u2069"
MARK = "…"
_RIGHT_TO_LEFT = frozenset(("R", "AL", "AN"))
_STOPS = ".!?…。"


_STAMP, _MIDDLE, _END = "\ufdd0", "\ufdd1", "\ufdd2"
"""Noncharacters: `visible` escapes them in what agents and people wrote, so only we can stamp."""

_STAMPED = re.compile(f"{_STAMP}([0-9]+){_MIDDLE}([^{_END}]*){_END}")
STAMP = f"{_STAMP}[^{_END}]*{_END}"
"""One stamp, as a pattern: who breaks a text leaves it whole."""


def stamp(at: datetime, shown: str) -> str:
    """A time that a platform may write in each reader's own zone; `shown` is it in words."""
    return f"{_STAMP}{int(at.timestamp())}{_MIDDLE}{shown}{_END}"


def stamped(text: str, write: Callable[[int, str], str]) -> str:
    """The text with each stamp as `write(unix seconds, words)` has it."""
    return _STAMPED.sub(lambda found: write(int(found[1]), found[2]), text)


def unstamped(text: str) -> str:
    """The text with each stamp in words."""
    return stamped(text, lambda _, shown: shown)


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


def cut(text: str, most: int) -> str:
    """At most so many visible characters, the last one a mark where it was longer; lines stay."""
    whole = regex.findall(r"\X", text)
    if len(whole) <= most:
        return text
    kept = "".join(whole[: most - 1]) + MARK
    return kept + POP_ISOLATE * (kept.count(FIRST_STRONG_ISOLATE) - kept.count(POP_ISOLATE))


def closed(text: str) -> str:
    """The text with a full stop, unless it ends a sentence already."""
    bare = text.rstrip(POP_ISOLATE + "\"'\u201d\u2019)\u00bb")
    return text if bare.endswith(tuple(_STOPS)) else f"{text}."
