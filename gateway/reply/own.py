"""The person's own words: how they are marked as such, and when they may be sent. Pure."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from gateway.answer import TEXT_CAP
from gateway.fold import fold
from gateway.reply.language import spoken
from gateway.reply.meaning import Refusal
from gateway.reply.reading import Failed, Manner, failed
from gateway.text import characters
from gateway.visible import is_blank

if TYPE_CHECKING:
    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.language import Words

KEPT = 1024
"""Names of fields kept folded; ours: those of what is pending."""


def own_words(said: Said, field: Field, words: Words) -> tuple[str, Manner] | Failed:
    """The words as they would be sent, and how sure it is that they are meant."""
    marked = after_mark(said, words.own)
    if marked is not None:
        return sized(marked, field, Manner.EXACT)
    if is_bare(said.folded, words):
        return sized(said.typed, field, Manner.BARE)
    if not any(map(str.isalnum, said.typed)):
        return failed(Refusal.NO_WORDS, shaped=False)
    return sized(said.typed, field, Manner.OWN)


def sized(text: str, field: Field, manner: Manner) -> tuple[str, Manner] | Failed:
    """The text if it is neither empty nor longer than the field takes."""
    if is_blank(text):
        return failed(Refusal.EMPTY)
    too_long = over(text, cap_of(field))
    return too_long or (text, manner)


def cap_of(field: Field) -> int:
    """How many characters the field's words may have."""
    return TEXT_CAP if field.max_length is None else field.max_length


def over(text: str, cap: int) -> Failed | None:
    """The refusal of a text longer than that, with both numbers; None if it fits."""
    length = characters(text)
    return failed(Refusal.TOO_LONG, limit=cap, length=length) if length > cap else None


def after_mark(said: Said, marks: frozenset[str]) -> str | None:
    """What stands behind one of these words and a colon at the start; None without them."""
    return said.behind if said.mark in marks else None


@lru_cache(maxsize=KEPT)
def own_names(name: str, label: str | None) -> frozenset[str]:
    """What a field may be called in a reply: its name and its label, folded."""
    return frozenset((fold(name), fold(label or name)))


def is_bare(folded: str, words: Words) -> bool:
    """Whether it is nothing but assent, dissent, thanks or greetings, one or several."""
    left = spoken(folded)
    while left:
        sizes = range(min(words.longest_bare, len(left)), 0, -1)
        taken = next((size for size in sizes if left[:size] in words.bare), None)
        if taken is None:
            return False
        left = left[taken:]
    return bool(folded) and bool(spoken(folded))
