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
    texts = () if reply.odd else (reply.core, reply.plain)
    for value, meant, contrary in (
        (True, words.yes | {"1"}, words.no),
        (False, words.no | {"0"}, words.yes),
    ):
        # A thumb is thanks elsewhere and a value here: `👎👍` says both.
        polite = contrary.intersection(words.polite)
        if meant.intersection(texts) and not any(word in reply.core for word in polite):
            return Read(value, Manner.WORDS)
    return failed(Refusal.NOT_YES_OR_NO, shaped=reply.plain.isdecimal())
