"""Yes or no, in the person's language: the whole reply or nothing. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.reply.meaning import Refusal
from gateway.reply.reading import Manner, Read, Reading, failed

if TYPE_CHECKING:
    from gateway.reply.clean import Said
    from gateway.reply.language import Words


def read_toggle(reply: Said, words: Words) -> Reading:
    """What a toggle makes of a reply. `1` and `0` count as words: its choices bear no numbers."""
    for text in (reply.core, reply.plain):
        if reply.odd:
            break
        if text in words.yes or text == "1":
            return Read(True, Manner.WORDS)
        if text in words.no or text == "0":
            return Read(False, Manner.WORDS)
    return failed(Refusal.NOT_YES_OR_NO, shaped=reply.plain.isdecimal())
