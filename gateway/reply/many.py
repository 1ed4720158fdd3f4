"""Several picks in one reply: a list of which every part must fit, or own words. Pure.

A part that fits nothing refuses the whole reply, so that no list is ever taken in part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.answer import Picked
from gateway.reply.clean import core_of, said, without_polite
from gateway.reply.lists import Listed, split
from gateway.reply.meaning import Refusal, Refused
from gateway.reply.options import Options, options_of
from gateway.reply.own import sized
from gateway.reply.parts import (
    Part,
    doubt,
    keys_of,
    labels_in_a_row,
    read_digits,
    read_part,
    read_run,
    refuse,
)
from gateway.reply.picks import pasted, whole_label, write_in
from gateway.reply.reading import Failed, Left, Manner, Read, Reading, WantsWords, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.question import Field
    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.place import Place


def read_many(reply: Said, field: Field, words: Words, place: Place) -> Reading:
    """What a choice of several makes of a reply."""
    options = options_of(field)
    whole = whole_label(reply, options)
    if whole is not None:
        return _decided([whole], reply, options, place)
    marked = words.marked.search(reply.typed)
    if marked is not None:
        return _with_words(reply, marked.span(), options, words, place)
    if reply.plain in words.none:
        refused = refuse(Refusal.NONE_NOT_ALLOWED, options)
        return Failed(refused, shaped=False) if field.required else Left()
    found = _everything(reply.plain, options, words) or _list(reply, options, words)
    if found is not None:
        return _decided(found, reply, options, place)
    bare = reply.core in words.other and field.write_in
    return WantsWords() if bare else write_in(reply, options, words, place)


def _everything(text: str, options: Options, words: Words) -> list[int] | Refused | None:
    """Every option for `all`; the refusal of a doubted `all` or `none` (`all?`, `-all`)."""
    if text in words.all:
        return [*range(len(options.keys))]
    code, rest = doubt(text) or (None, "")
    if code is None:
        return None
    if rest in words.all | words.none:
        return refuse(code, options, typed=shown(text))
    return _everything(rest, options, words) and refuse(code, options, typed=shown(text))


def _decided(
    found: Sequence[Part] | Refused, reply: Said, options: Options, place: Place
) -> Read | Failed:
    """The picks as a value, or their refusal."""
    parts = [found] if isinstance(found, Refused) else found
    picks = [one for one in parts if isinstance(one, int)]
    refused = next((one for one in parts if isinstance(one, Refused)), None)
    if refused is None and place.pressed_other and options.field.write_in:
        ways = (", ".join(keys_of(picks, options)), f"other: {shown(reply.typed)}")
        refused = refuse(Refusal.PICK_AFTER_OTHER, options, ways=ways)
    return Failed(refused) if refused else Read(_picked(picks, options), Manner.EXACT)


def _picked(indexes: list[int], options: Options, own: str | None = None) -> Picked:
    return Picked(tuple(options.field.options[index].id for index in sorted(set(indexes))), own)


def _with_words(
    reply: Said, mark: tuple[int, int], options: Options, words: Words, place: Place
) -> Reading:
    """Picks, then `other:` and the person's own words; either may be missing."""
    start, end = mark
    head = said(reply.typed[:start].strip(), words.polite)
    found: list[int] | Refused | None = []
    if head.core:
        whole = whole_label(head, options)
        if whole is None:
            found = _list(head, options, words)
        else:
            found = whole if isinstance(whole, Refused) else [whole]
    if found is None:  # a sentence that happens to hold "other:"
        return write_in(reply, options, words, place)
    if not options.field.write_in:
        return Failed(refuse(Refusal.NO_WRITE_IN, options))
    if isinstance(found, Refused):
        return Failed(found)
    own = sized(reply.typed[end:].strip(), options.field, Manner.EXACT)
    if isinstance(own, Failed):
        return WantsWords() if own.refused.code is Refusal.EMPTY and not found else own
    return Read(_picked(found, options, own[0]), Manner.EXACT)


def _list(reply: Said, options: Options, words: Words) -> list[int] | Refused | None:
    """The picks of a list, its refusal, or None where no part of it is shaped like a pick."""
    listed = split(reply, options, words) or Listed()
    cores = [without_polite(core_of(piece), words.polite) for piece in listed.parts]
    found = [_piece(core, options, words) for core in cores]
    if all(parts is None for parts in found):
        return None
    refused = pasted(reply, options, words)
    if refused is None and reply.odd:
        refused = refuse(Refusal.ODD_DIGITS, options)
    return refused or _joined(listed, cores, found, options, words)


def _joined(
    listed: Listed,
    cores: list[str],
    found: list[list[Part] | None],
    options: Options,
    words: Words,
) -> list[int] | Refused:
    """The picks of all parts, or the refusal of all for the sake of one."""
    wrong = [at for at, parts in enumerate(found) if _fails(parts)]
    parts = [part for some in found for part in some or ()]
    refusals = [part for part in parts if isinstance(part, Refused)]
    picks = [part for part in parts if isinstance(part, int)]
    if wrong and len(cores) == 1:
        return refusals[0]
    if wrong and options.field.write_in and words.other.issuperset(cores[at] for at in wrong):
        way = f"{', '.join(keys_of(picks, options))}, other: …"
        return refuse(Refusal.OTHER_WITHOUT_WORDS, options, ways=(way,))
    if wrong:
        return refuse(
            Refusal.PARTLY_WRONG, options, wrong=tuple(shown(listed.parts[at]) for at in wrong)
        )
    if listed.dangling or (listed.either and len(set(picks)) > 1):
        return refuse(Refusal.UNCLEAR_LIST, options, picks=keys_of(picks, options))
    return picks


def _fails(parts: list[Part] | None) -> bool:
    return parts is None or any(isinstance(part, Refused) for part in parts)


def _piece(core: str, options: Options, words: Words) -> list[Part] | None:
    """What one part of a list picks; None where it is not shaped like a pick."""
    part = read_part(core, options, words)
    if part is not None:
        return [part]
    row = labels_in_a_row(core, options)
    if row is not None:
        return [refuse(Refusal.UNCLEAR_LIST, options, picks=keys_of(row, options))]
    run = read_run(core, options)
    if run is not None:
        return run
    digits = read_digits(core, options)
    return None if digits is None else [digits]
