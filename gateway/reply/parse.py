"""From a message to its meaning: clean, see what acts, read the fields, weigh where it was said.

Only what is surely an answer settles by itself; the rest is confirmed, refused in words, or left
alone as people talking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from gateway.answer import TEXT_CAP
from gateway.ask import AskKind
from gateway.question import Kind
from gateway.reply.acts import is_slash_command, read_act, read_approval
from gateway.reply.clean import said
from gateway.reply.draft import Draft
from gateway.reply.fields import Told, read_fields
from gateway.reply.kinds import read_field
from gateway.reply.language import words_for
from gateway.reply.meaning import (
    Answered,
    Approved,
    Command,
    CommandName,
    Confirm,
    Declined,
    NotAnAnswer,
    Partial,
    Refusal,
    Refused,
    Skipped,
)
from gateway.reply.options import options_of
from gateway.reply.own import cap_of
from gateway.reply.picks import whole_label
from gateway.reply.reading import Failed, Left, Manner, Read, WantsWords
from gateway.reply.trim import own_text
from gateway.text import has_surrogate

if TYPE_CHECKING:
    from gateway.ask import Ask
    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.meaning import Reply
    from gateway.reply.place import Place

LONGEST_IN_CAPS = 4
"""A reply longer than so many text caps is refused before anything is done to it (grammar)."""

SMALLEST_CAP = 4_000
"""The least cap that counts for that: `ask_a_human`'s. A field of ten characters may still be
answered under a quote of the whole ask."""

Meant = Answered | Partial | Declined | Skipped | Approved


def parse(text: str, ask: Ask, place: Place) -> Reply:
    """What the message means as a reply to the ask. Total.

    Args:
        text: the message as it arrived; `place.markup` tells whether it carries escapes.
        ask: a pending ask, and the one this message belongs to.
        place: where and by whom it was typed, with that person's draft.
    """
    unreadable = _unreadable(text, ask)
    if unreadable is not None:
        return unreadable
    heard = _is_heard(ask, place)
    typed = own_text(text, ask.question, place)
    if not typed or is_slash_command(typed):
        code = Refusal.SLASH_COMMAND if typed else Refusal.EMPTY
        return Refused(code) if heard else NotAnAnswer()
    words = words_for(place.locale)
    reply = said(typed, words.polite)
    if ask.kind is AskKind.APPROVAL:
        return _weighed(read_approval(reply, ask, words), Manner.OWN, heard=heard)
    acted = _acted(reply, ask, words, place)
    if acted is not None:
        return _weighed(acted, Manner.OWN, heard=heard)
    field = ask.question.single
    if field is not None:
        return _one(reply, field, words, place, heard=heard)
    return _several(read_fields(reply, ask.question, words, place), heard=heard)


def _unreadable(text: str, ask: Ask) -> Refused | None:
    cap = _text_cap(ask)
    # counted as it came: NFC is slow on long texts, and leaves a quarter of each at least
    if len(text) > LONGEST_IN_CAPS * max(cap, SMALLEST_CAP):
        return Refused(Refusal.TOO_LONG, {"limit": cap, "length": len(text)})
    if "\0" in text or has_surrogate(text):
        return Refused(Refusal.BAD_CHARACTERS)
    return None


def _is_heard(ask: Ask, place: Place) -> bool:
    """Whether words said there are said to us."""
    field = ask.question.single
    only_text = field is not None and field.kind is Kind.TEXT
    return not place.shared or place.addressed or (place.thread and only_text)


def _text_cap(ask: Ask) -> int:
    """The cap of the ask's words, the largest of several; without words, that of any text."""
    worded = [one for one in ask.question.fields if one.kind is Kind.TEXT or one.write_in]
    return max(map(cap_of, worded), default=TEXT_CAP)


def _acted(reply: Said, ask: Ask, words: Words, place: Place) -> Meant | Command | Refused | None:
    """What a word that acts does, unless it is a label of the field that comes next."""
    draft = place.draft or Draft()
    fields = ask.question.fields
    upcoming = ask.question.single or next(
        (one for one in fields if not draft.holds(one.name)), None
    )
    if upcoming is not None and upcoming.options:
        options = options_of(upcoming)
        if whole_label(reply, options) is not None:
            return None
        if reply.mark in words.decline and options.named(reply.mark):
            return Refused(Refusal.LABEL_OR_WORD, {"word": reply.mark})
    return read_act(reply, ask, words)


def _one(reply: Said, field: Field, words: Words, place: Place, *, heard: bool) -> Reply:
    reading = read_field(reply, field, words, place)
    match reading:
        case Read(value, manner):
            return _weighed(Answered({field.name: value}), manner, heard=heard)
        case Left():
            return _weighed(Answered({}), Manner.WORDS, heard=heard)
        case Failed():
            return _weighed(reading, Manner.OWN, heard=heard)
        case WantsWords():
            return Command(CommandName.OTHER, field=field.name)
        case _:
            assert_never(reading)


def _several(told: Told, *, heard: bool) -> Reply:
    if not (told.filled or told.shaped or heard):
        return NotAnAnswer()
    if isinstance(told.then, Partial) and not told.filled:
        return told.then  # nothing was taken, so there is nothing to confirm
    return _weighed(told.then, told.manner, heard=heard)


def _weighed(found: Meant | Command | Refused | Failed, manner: Manner, *, heard: bool) -> Reply:
    """The meaning where it may settle there; else its confirmation, or nothing."""
    if isinstance(found, Failed):
        return found.refused if heard or found.shaped else NotAnAnswer()
    settles = manner is Manner.EXACT or (heard and manner is not Manner.BARE)
    if settles:
        return found
    if isinstance(found, Command | Refused):
        return NotAnAnswer()
    return Confirm(found)
