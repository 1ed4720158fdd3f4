"""What counts as text, and how long it is: code points after NFC, no lone surrogate. Pure."""

from __future__ import annotations

import re
import unicodedata

import regex

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a UTF-16 pair: JSON can spell it (`"\\ud800"`), UTF-8 and the store cannot."""

MARKS_IN_A_ROW = 30
"""More are no writing (UAX 15, Stream-Safe Text Format), and to put them in order takes Python the
square of their number: seconds for one message."""

_MARKS = regex.compile(rf"(\p{{M}}{{{MARKS_IN_A_ROW}}})\p{{M}}+")


def without_heaps(text: str) -> str:
    """The text with each row of marks cut where it is no writing any more."""
    return text if text.isascii() else _MARKS.sub(r"\1", text)


def characters(text: str) -> int:
    """The length people are told: code points after NFC (contracts, decision 5).

    Of marks in a heap each counts as it stands.
    """
    if text.isascii():
        return len(text)
    writing = without_heaps(text)
    return len(text) - len(writing) + len(unicodedata.normalize("NFC", writing))


def has_surrogate(text: str) -> bool:
    """Whether the text holds a lone surrogate, and so cannot be kept."""
    return not text.isascii() and _SURROGATE.search(text) is not None
