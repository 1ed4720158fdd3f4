"""What one field makes of a piece of text: a value and how it was meant, or why not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from gateway.reply.meaning import Detail, Refusal, Refused

if TYPE_CHECKING:
    from gateway.answer import Value

SHOWN_CHARS = 64
"""Of a reply that is named in a refusal; ours: enough to recognise it by, on any screen."""


class Manner(IntEnum):
    """How sure it is that a value was meant as an answer, from most to least."""

    EXACT = 0  # a pick, a plain number or date, words behind `other:`
    WORDS = 1  # understood, but said in words: yes, tomorrow, 2 copies
    OWN = 2  # the person's own words
    BARE = 3  # own words that are mere assent, dissent, thanks or greeting


@dataclass(frozen=True, slots=True)
class Read:
    value: Value
    manner: Manner


@dataclass(frozen=True, slots=True)
class Failed:
    """`shaped` says that it looked like an answer, so that silence would puzzle its author."""

    refused: Refused
    shaped: bool = True


@dataclass(frozen=True, slots=True)
class Left:
    """The field is left out."""


@dataclass(frozen=True, slots=True)
class WantsWords:
    """A bare `other`: the person's own words are to follow."""


Reading = Read | Failed | Left | WantsWords


def failed(code: Refusal, *, shaped: bool = True, **data: Detail) -> Failed:
    """A failed reading with that code and data."""
    return Failed(Refused(code, data), shaped)


def shown(text: str) -> str:
    """The text as a refusal names it: one line, and not longer than is needed to know it by."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else line[: SHOWN_CHARS - 1] + "…"
