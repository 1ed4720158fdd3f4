"""One choice: exactly one option, or the person's own words. Pure.

The whole reply is the pick, or it is not one: nothing is ever picked out of a sentence.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from gateway.answer import Picked
from gateway.reply.clean import core_of, without_marks
from gateway.reply.clean import said as forms_of
from gateway.reply.lists import split
from gateway.reply.meaning import Refusal, Refused
from gateway.reply.options import Options, options_of
from gateway.reply.own import after_mark, own_words
from gateway.reply.parts import (
    Part,
    keys_of,
    read_digits,
    read_part,
    read_picks,
    refuse,
)
from gateway.reply.reading import Failed, Manner, Read, Reading, WantsWords, shown

if TYPE_CHECKING:
    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.place import Place

LONGEST_NEAR_CHARS = 64
"""Ours: a mistyped label is short; near matches of long text are chance, and slow to find."""

NEAR = 0.7
"""Ours: `aproved` is near `Approve`, `no worries` not near `No`. Offered, never taken."""


def read_choice(said: Said, field: Field, words: Words, place: Place) -> Reading:
    """What a choice makes of a reply."""
    options = options_of(field)
    found = whole_label(said, options)
    marked = after_mark(said, words.own) is not None
    if found is None and marked:
        return write_in(said, options, words, place)
    if found is None:
        found = pasted(said, options, words) or _pick(said, options, words)
    if isinstance(found, Refused):
        return Failed(found)
    if found is None:
        if said.core in words.other and field.write_in:
            return WantsWords()
        return write_in(said, options, words, place)
    if place.pressed_other and field.write_in:
        return Failed(_after_other(said, found, options))
    return Read(Picked((field.options[found].id,)), Manner.EXACT)


def whole_label(said: Said, options: Options) -> Part | None:
    """The option whose whole label was typed, exactly or but for case, width and punctuation."""
    if not said.core:
        return None
    exact = options.exact.get(said.typed.strip())
    if exact is not None:
        return exact
    whole = " ".join(said.folded.split())
    tries = (
        (options.folded.get(whole, ()), whole),
        *((options.named(t), t) for t in (said.core, said.plain)),
    )
    for named, text in tries:
        if len(named) > 1:
            return refuse(Refusal.AMBIGUOUS_LABEL, options, picks=keys_of(named, options))
        if named and said.odd and read_digits(text, options):
            return refuse(Refusal.ODD_DIGITS, options)
        if named:
            return named[0]
    return None


def write_in(said: Said, options: Options, words: Words, place: Place) -> Reading:
    """The reply as own words, or the refusal where none are allowed."""
    marked = after_mark(said, words.own) is not None
    if not options.field.write_in:
        if marked:
            return Failed(refuse(Refusal.NO_WRITE_IN, options))
        near = _nearest(said, options) if place.may_see else {}
        typed = shown(said.typed)
        refused = refuse(Refusal.NOT_AN_OPTION, options, typed=typed, **near)
        return Failed(refused, shaped=False)
    own = own_words(said, options.field, words)
    if isinstance(own, Failed):
        return WantsWords() if marked and own.refused.code is Refusal.EMPTY else own
    text, manner = own
    return Read(Picked(write_in=text), manner)


def pasted(said: Said, options: Options, words: Words) -> Refused | None:
    """The refusal of a reply that holds the whole list, every option with its key."""
    lines = said.folded.split("\n")
    if len(options.field.options) < 2 or len(lines) < len(options.field.options):
        return None
    form = words.key_and_more
    found: set[int] = set()
    for line in lines:
        match = form.fullmatch(line)
        key = match and (match["digits"] or match["letters"])
        index = options.by_key.get(key) if key else None
        if match and index is not None and _begins_with(match["rest"], options.core(index)):
            found.add(index)
    if len(found) < len(options.field.options):
        return None
    return refuse(Refusal.PASTED_LIST, options)


def _begins_with(rest: str, core: str) -> bool:
    rest = core_of(rest)
    return rest.startswith(core) and not rest[len(core) : len(core) + 1].isalnum()


def _pick(said: Said, options: Options, words: Words) -> Part | None:
    text = without_marks(said.plain) if said.odd else said.plain
    found = read_part(text, options, words)
    if found is None:
        found = _several(said, options, words) or read_digits(text, options)
    if said.odd and found is not None:
        return refuse(Refusal.ODD_DIGITS, options)
    if isinstance(found, Refused) and "typed" in found.data:
        return Refused(found.code, {**found.data, "typed": shown(said.typed)})
    return found


def _several(said: Said, options: Options, words: Words) -> Refused | None:
    """The refusal of two picks or more; None where a part of the reply is no pick.

    Other counts as a pick, bare or with words behind it, and so does what is missing in `1 or`.
    """
    own = words.marked.search(said.typed) if options.field.write_in else None
    listed = split(
        forms_of(said.typed[: own.start()], words.polite) if own else said, options, words
    )
    if listed is None:
        return None
    found: list[Part] = []
    others = int(own is not None)
    for piece in map(core_of, listed.parts):
        if piece in words.other and options.field.write_in:
            others += 1
            continue
        picked = read_picks(piece, options, words)
        if picked is None:
            return None
        found.extend(picked)
    wrong = [one for one in found if isinstance(one, Refused)]
    picks = keys_of([one for one in found if isinstance(one, int)], options)
    if wrong and not picks:
        return wrong[0]
    several = listed.dangling or len(found) + others > 1
    return refuse(Refusal.ONLY_ONE, options, picks=picks) if picks and several else None


def _after_other(said: Said, index: int, options: Options) -> Refused:
    ways = (options.keys[index], f"other: {shown(said.typed)}")
    return refuse(Refusal.PICK_AFTER_OTHER, options, ways=ways)


def _nearest(said: Said, options: Options) -> dict[str, str]:
    """The one label that the reply comes near to, with its key."""
    if len(said.plain) > LONGEST_NEAR_CHARS:
        return {}
    near = get_close_matches(said.plain, options.cores, n=1, cutoff=NEAR)
    if not near:
        return {}
    index = options.cores[near[0]][0]
    return {"nearest_key": options.keys[index], "nearest": options.field.options[index].label}
