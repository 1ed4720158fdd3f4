"""Long texts in pieces that a platform takes: nothing is lost, and no visible character is cut.

Lengths are measured the platform's way, on what goes over the wire. A time that is stamped, to be
written in each reader's zone, is one part. Pure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

from channels.shown import STAMP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_BREAKS = (regex.compile(r"(?<=\n\n)"), regex.compile(r"(?<=\n)"))
_PARTS = (
    regex.compile(rf"(?:{STAMP}|\S)*+\s|(?:{STAMP}|\S)++"),  # a word and the blank behind it
    regex.compile(rf"{STAMP}|\X"),  # a visible character
)
_FINEST = len(_BREAKS) + len(_PARTS)
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
    parts = _parts(text, level)
    held, at = "", 0
    while at < len(parts):
        count = _fitting(held, parts, at, most, measure)
        if count:
            held += "".join(parts[at : at + count])
            at += count
        elif held:
            yield held
            held = ""
        elif level < _FINEST:
            *full, held = _pieces(parts[at], most, measure, level + 1)
            yield from full
            at += 1
        else:
            yield parts[at]
            at += 1
    if held:
        yield held


def _parts(text: str, level: int) -> Sequence[str]:
    if level < len(_BREAKS):
        return _BREAKS[level].split(text)
    if level < _FINEST:
        return _PARTS[level - len(_BREAKS)].findall(text)
    # One visible character of hundreds of marks: its code points are all there is to break.
    return text


def _fitting(
    held: str, parts: Sequence[str], at: int, most: int, measure: Callable[[str], int]
) -> int:
    """How many parts from there on fit behind what is held.

    Doubled and halved, not one by one: to measure a message once a letter takes seconds.
    """

    def fits(count: int) -> bool:
        return measure(held + "".join(parts[at : at + count])) <= most

    fewest, most_parts = 0, len(parts) - at
    step = 1
    while step <= most_parts and fits(step):
        fewest, step = step, step * 2
    too_many = min(step, most_parts + 1)
    while too_many - fewest > 1:
        middle = (fewest + too_many) // 2
        if fits(middle):
            fewest = middle
        else:
            too_many = middle
    return fewest
