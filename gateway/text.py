"""What counts as text, and how long it is: code points after NFC, no lone surrogate. Pure."""

from __future__ import annotations

import re
import unicodedata

_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half of a UTF-16 pair: JSON can spell it (`"\\ud800"`), UTF-8 and the store cannot."""


def characters(text: str) -> int:
    """The length people are told: code points after NFC (contracts, decision 5)."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return len(text)
    return len(unicodedata.normalize("NFC", text))


def has_surrogate(text: str) -> bool:
    """Whether the text holds a lone surrogate, and so cannot be kept."""
    return not text.isascii() and _SURROGATE.search(text) is not None
