"""One field's reading of a reply, by its kind. Pure."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING, assert_never

from gateway.fold import fold
from gateway.question import Field, Kind
from gateway.reply.clean import LONGEST_MARK_CHARS, said
from gateway.reply.dates import read_date
from gateway.reply.language import DASHES
from gateway.reply.many import read_many
from gateway.reply.meaning import Refusal
from gateway.reply.numbers import read_number
from gateway.reply.options import options_of
from gateway.reply.own import after_mark, own_names, own_words, sized
from gateway.reply.picks import read_choice
from gateway.reply.reading import Failed, Left, Manner, Read, Reading, failed
from gateway.reply.toggles import read_toggle

if TYPE_CHECKING:
    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.place import Place

LEFT_OUT = re.compile(f"[{DASHES}]")
"""The whole reply that leaves a field out; phones write a dash of their own."""


def read_field(reply: Said, field: Field, words: Words, place: Place) -> Reading:
    """What the field makes of the reply: a value, or why there is none."""
    if LEFT_OUT.fullmatch(reply.typed.strip()):
        return failed(Refusal.NEEDED, shaped=False) if field.required else Left()
    reading: Reading
    match field.kind:
        case Kind.TEXT:
            reading = _text(reply, field, words)
        case Kind.CHOICE:
            reading = read_choice(*_beside_labels(reply, field, words), place)
        case Kind.MULTI_CHOICE:
            reading = read_many(*_beside_labels(reply, field, words), place)
        case Kind.NUMBER:
            reading = read_number(_unkeyed(reply, field, words), field, place)
        case Kind.DATE:
            reading = read_date(_unkeyed(reply, field, words), field, place)
        case Kind.TOGGLE:
            reading = read_toggle(_unkeyed(reply, field, words), words)
        case _:
            assert_never(field.kind)
    return reading


def _text(reply: Said, field: Field, words: Words) -> Reading:
    """A text is as typed, so that pictures alone are one too; beside options they are a shrug."""
    own = own_words(reply, field, words)
    if isinstance(own, Failed) and own.refused.code is Refusal.NO_WORDS:
        pictured = any(unicodedata.category(character) == "So" for character in reply.typed)
        own = sized(reply.typed, field, Manner.OWN) if pictured else own
    return own if isinstance(own, Failed) else Read(*own)


def _beside_labels(reply: Said, field: Field, words: Words) -> tuple[Said, Field, Words]:
    """The same, with nothing for politeness that is a label of the field (thumbs, `thanks`)."""
    polite = options_of(field).unlabelled(words.polite)
    if len(polite) == len(words.polite):
        return reply, field, words
    return said(reply.typed, polite), field, replace(words, polite=polite)


def _unkeyed(reply: Said, field: Field, words: Words) -> Said:
    """The reply without the field's own name before it (`copies: 2`, `on = 20 Oct`)."""
    names = own_names(field.name, field.label)
    value = after_mark(reply, names)
    head, equals, rest = reply.typed.partition("=")
    if equals and len(head) <= LONGEST_MARK_CHARS and fold(head) in names:
        value = rest.strip()
    return reply if value is None else said(value, words.polite)
