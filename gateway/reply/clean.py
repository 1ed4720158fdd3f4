"""A reply as it is matched: folded, unwrapped, without polite words; and as it was typed. Pure.

Labels and replies go through the same folding (`gateway.fold`), so a label always answers itself.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import regex

from gateway.fold import fold
from gateway.scalars import TEXT_CAP
from gateway.visible import HIDDEN

CLOSING = ".,;:!\u2026"
"""Punctuation that may stand behind an answer and means nothing."""

OPENING = ".,;:\u2026\u00a1\u00bf"
"""The same before one. Not `!`: `!2` is how programmers write "not 2"."""

LONGEST_MATCHED_CHARS = TEXT_CAP
"""Ours: no list of picks is so long, and folding can make text eighteen times longer."""

LONGEST_MARK_CHARS = 64
"""Ours: no word of the catalogue is longer, nor a field's name in an ask that can be read."""

_COLONS = ":\uff1a"
_PAIRS = {
    '"': '"',
    "'": "'",
    "`": "`",
    "*": "*",
    "(": ")",
    "[": "]",
    "{": "}",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
    "\u2039": "\u203a",
    "\u300c": "\u300d",
    "\u300e": "\u300f",
}
_DOUBLED = ("```", "**", "``")
"""Marks that chat clients write several of, and that are still one pair."""


_CIRCLES = "\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf"
"""Whole numbers in a circle, in brackets or before a dot, each one character."""

_SMALL = "\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u2089\u2150-\u215f\u2189\U0001f100-\U0001f10a"
"""Superscripts, subscripts and fractions, which NFKC would turn into plain digits."""

_NUMERO = regex.compile(r"\u2116|\b[nN]\.?[\u00ba\u00b0]")
_CIRCLED = regex.compile(rf"(?<![\p{{Nd}}{_CIRCLES}])[{_CIRCLES}](?![\p{{Nd}}{_CIRCLES}])")
_ODD = regex.compile(
    rf"[{_SMALL}{_CIRCLES}]"  # circled ones that stand alone are gone when this is asked
    rf"|\p{{Nd}}[[{HIDDEN}--\s]\p{{M}}]+\p{{Nd}}"  # something that draws nothing between digits
    r"|\p{Nd}[\p{M}--\p{DI}--\u20E3]",  # a digit struck through or marked; a keycap is none
    regex.VERSION1,
)
_MARKING = regex.compile(rf"[[{HIDDEN}--\s]\p{{M}}]", regex.VERSION1)


@dataclass(frozen=True, slots=True)
class Said:
    """One reply, or one line of it.

    `typed` is what would be sent as own words. `folded` keeps the line breaks; `core` is one line,
    unwrapped and without punctuation around; `plain` is the core without polite words. `odd` says
    that there are digits in it which nobody may read as plain ones. Where the text begins with a
    word and a colon, `mark` is that word, folded, and `behind` the rest as typed.
    """

    typed: str
    folded: str
    core: str
    plain: str
    odd: bool
    mark: str
    behind: str


def said(typed: str, polite: tuple[str, ...]) -> Said:
    """The text in its forms; text too long to be matched is only typed and marked. Total."""
    mark, behind = _marked(typed)
    if len(typed) > LONGEST_MATCHED_CHARS:
        return Said(typed, "", "", "", odd=False, mark=mark, behind=behind)
    lines = [folded_line(line) for line in typed.splitlines()]
    folded = "\n".join(line for line in lines if line)
    core = core_of(folded.replace("\n", " "))
    plain = without_polite(core, polite)
    return Said(typed, folded, core, plain, has_odd_digits(typed), mark, behind)


def _marked(typed: str) -> tuple[str, str]:
    head = typed[:LONGEST_MARK_CHARS]
    at = next((at for at, letter in enumerate(head) if letter in _COLONS), None)
    return ("", "") if at is None else (fold(head[:at]), typed[at + 1 :].strip())


def folded_line(text: str) -> str:
    """`fold` after single circled digits and the numero sign are written out."""
    if not text.isascii():
        text = _NUMERO.sub("no.", _CIRCLED.sub(_written_out, text))
    return fold(text)


def core_of(folded: str) -> str:
    """The folded text without punctuation around it and one pair of quotes, brackets or marks.

    Text that is nothing but these stays as it is.
    """
    bare = _unpunctuated(folded)
    bare = _unpunctuated(_unwrapped(bare))
    return bare or folded


def unwrapped_whole(text: str) -> str:
    """The text without one pair around all of it; in `"a", "b"` each part has its own."""
    inner = _unwrapped(text)
    return text if text[:1] in inner or text[-1:] in inner else inner


def without_polite(core: str, polite: tuple[str, ...]) -> str:
    """The text without polite words at either end; text of nothing else stays as it is."""
    left = core
    while left and (left.endswith(polite) or left.startswith(polite)):
        shorter = _one_polite_less(left, polite)
        if shorter is None:
            return left
        left = shorter
    return left or core


def has_odd_digits(typed: str) -> bool:
    """Whether it holds superscripts, runs of circled digits, or marks that hide between digits."""
    return not typed.isascii() and _ODD.search(_CIRCLED.sub("1", typed)) is not None


def without_marks(folded: str) -> str:
    """The text without characters that draw nothing or only mark others, for text that is odd."""
    return _MARKING.sub("", folded)


def _written_out(circled: regex.Match[str]) -> str:
    return str(int(unicodedata.numeric(circled[0])))


def _unpunctuated(text: str) -> str:
    text = text.rstrip(CLOSING + " ")
    bare = text.lstrip(OPENING + " ")
    before = text[: len(text) - len(bare)][-1:]
    if bare[:1].isdecimal() and before in (".", ","):
        return before + bare  # `.5` is half, not five
    return bare


def _unwrapped(text: str) -> str:
    for mark in _DOUBLED:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            return text[len(mark) : -len(mark)]
    if len(text) > 2 and _PAIRS.get(text[0]) == text[-1]:
        return text[1:-1]
    return text


def _one_polite_less(text: str, phrases: tuple[str, ...]) -> str | None:
    for phrase in phrases:
        size = len(phrase)
        if text.endswith(phrase) and _parts(text[-size - 1 : -size], phrase[0]):
            return text[:-size].rstrip(CLOSING + " -")
        if text.startswith(phrase) and _parts(text[size : size + 1], phrase[-1]):
            # `thanks! 2` thanks; the mark in `thanks !2` belongs to the pick
            return text[size:].lstrip("!").lstrip(OPENING + " ")
    return None


def _parts(outside: str, inside: str) -> bool:
    """Whether a word ends between these two neighbours."""
    return not (outside.isalnum() and inside.isalnum())
