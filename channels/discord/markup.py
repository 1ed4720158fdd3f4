"""Text as Discord shows it literally: its markup escaped, its mentions and links disarmed. Pure.

What is escaped here reads, in every client, exactly as it was written.
"""

from __future__ import annotations

import re

import regex

from channels.shown import MARK, POP_ISOLATE, stamped

_ANYWHERE = re.compile(r"([\\*_~`|<@\[\]]|:(?=//|[\w+-]+:))")
"""Marks that Discord reads wherever they stand (documentation, "Markdown"). A colon is one before
an emoji's name, and in an address: one that is no link opens nothing and gets no preview."""

_LINE_START = re.compile(r"^([ \t]*)([#>+-])", re.MULTILINE)
"""Headings, quotes, small print and lists begin a line."""

_NUMBERED = re.compile(r"^([ \t]*\d+)([.)])(?=\s)", re.MULTILINE)
"""A numbered list is counted anew by the client, which would change its numbers."""


def written(text: str) -> str:
    """The text as it goes over the wire; each time in the zone of whoever reads it."""
    return stamped(escaped(text), lambda seconds, _shown: f"<t:{seconds}:f>")


def escaped(text: str) -> str:
    """The text with every mark of Discord's as a plain character."""
    text = _ANYWHERE.sub(r"\\\1", text)
    text = _LINE_START.sub(r"\1\\\2", text)
    return _NUMBERED.sub(r"\1\\\2", text)


def units(text: str) -> int:
    """The length as the stricter of two counts has it: code points, or UTF-16 units.

    Discord's documentation says "characters"; clients count in UTF-16.
    """
    return len(text) + sum(character > "\uffff" for character in text)


def measure(text: str) -> int:
    """The length of a text once it is written."""
    return units(written(text))


def fitted(label: str, most: int) -> str:
    """A label at most so long; a longer one ends in a mark, whole visible characters before it."""
    if units(label) <= most:
        return label
    end = MARK + (POP_ISOLATE if POP_ISOLATE in label else "")
    kept = ""
    for found in regex.finditer(r"\X", label.replace(POP_ISOLATE, "")):
        if units(kept + found[0] + end) > most:
            break
        kept += found[0]
    return kept + end
