"""Long texts in pieces that a platform takes: nothing is lost, and no visible character is cut.

Lengths are measured the platform's way, on what goes over the wire. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BREAKS = (regex.compile(r"(?<=\n\n)"), regex.compile(r"(?<=\n)"), regex.compile(r"(?<=\s)"))
_VISIBLE = regex.compile(r"\X")
LEAST = 64
"""Ours: a limit below this fits no visible character for sure; no platform has one so low."""


def split(text: str, most: int, measure: Callable[[str], int] = len) -> list[str]:
    """The text in order, each piece at most `most` long; broken at blank lines, lines or words.

    Joined, the pieces are the text, but for blanks at the breaks. [] for a blank text.
    """
    pieces = _pieces(text, max(most, LEAST), measure, 0)
    return [piece for one in pieces if (piece := one.strip("\n").rstrip())]


def _pieces(text: str, most: int, measure: Callable[[str], int], level: int) -> Iterator[str]:
    """Parts as long as they may be; what is still too long is broken one level finer."""
    if measure(text) <= most:
        yield text
        return
    last = level == len(_BREAKS)
    whole = [found[0] for found in _VISIBLE.finditer(text)] if last else _BREAKS[level].split(text)
    held = ""
    for part in whole:
        if measure(held + part) <= most:
            held += part
            continue
        if held:
            yield held
            held = ""
        if measure(part) <= most:
            held = part
        elif not last:
            *full, held = _pieces(part, most, measure, level + 1)
            yield from full
        else:
            # One visible character of hundreds of marks: its code points are all there is to break.
            yield from _points(part, most, measure)
    if held:
        yield held


def _points(text: str, most: int, measure: Callable[[str], int]) -> Iterator[str]:
    held = ""
    for point in text:
        if held and measure(held + point) > most:
            yield held
            held = ""
        held += point
    if held:
        yield held
