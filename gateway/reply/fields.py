"""Several fields in one reply or in many: keyed lines or lines in order, kept as a draft. Pure.

Good values are kept whatever else the reply holds; the answer is whole once every field is filled
or left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from dataclasses import field as attribute
from itertools import zip_longest
from typing import TYPE_CHECKING, assert_never

from gateway.question import Field, Kind, Question
from gateway.reply.clean import said
from gateway.reply.draft import Draft
from gateway.reply.kinds import read_field
from gateway.reply.lines import Line, keyed_lines, numbered
from gateway.reply.meaning import Answered, Command, CommandName, Detail, Partial, Refusal, Refused
from gateway.reply.options import options_of
from gateway.reply.picks import whole_label
from gateway.reply.reading import Failed, Left, Manner, Read, Reading, WantsWords, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.place import Place


@dataclass(slots=True)
class Taken:
    """What one reply has brought so far."""

    draft: Draft
    problems: list[Refused] = attribute(default_factory=list)
    manners: dict[str, Manner] = attribute(default_factory=dict)
    shaped: bool = False
    wants: str | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """What a reply means for several fields, and how surely (see `Taken`)."""

    then: Answered | Partial | Command | Refused
    manner: Manner
    shaped: bool
    filled: bool


def read_fields(reply: Said, question: Question, words: Words, place: Place) -> Told:
    """What the reply means, given the person's draft."""
    draft = place.draft or Draft()
    first = next((one for one in question.fields if not draft.holds(one.name)), None)
    acted = _step(reply, question, words, draft, first)
    if acted is not None:
        return Told(acted, Manner.OWN, shaped=False, filled=True)
    taken = _taken(reply, question, words, place)
    if isinstance(taken, Refused):
        # among people a numbered list is talk, where a text would take any line
        shaped = first is not None and first.kind is not Kind.TEXT
        return Told(taken, Manner.EXACT, shaped=shaped, filled=False)
    if taken.wants is not None and not taken.manners and not taken.problems:
        command = Command(CommandName.OTHER, field=taken.wants)
        return Told(command, Manner.EXACT, shaped=True, filled=True)
    then = _result(taken.draft, question, tuple(taken.problems))
    manner = max(taken.manners.values(), default=Manner.EXACT)
    return Told(then, manner, taken.shaped, filled=bool(taken.manners))


def missing(draft: Draft, question: Question) -> tuple[str, ...]:
    """The fields neither filled nor left out, in order."""
    return tuple(one.name for one in question.fields if not draft.holds(one.name))


def _result(draft: Draft, question: Question, problems: tuple[Refused, ...]) -> Answered | Partial:
    open_ = missing(draft, question)
    if open_ or problems:
        return Partial(draft, problems, open_)
    names = [one.name for one in question.fields if one.name in draft.values]
    return Answered({name: draft.values[name] for name in names})


def _step(
    reply: Said, question: Question, words: Words, draft: Draft, first: Field | None
) -> Answered | Partial | Command | None:
    """What `back`, `clear` and `done` make of the draft."""
    if first is not None and first.options and whole_label(reply, options_of(first)) is not None:
        return None
    if reply.core in words.back:
        return Command(CommandName.BACK, draft=draft.back())
    if reply.core in words.clear:
        return Command(CommandName.CLEAR, draft=Draft())
    if reply.core not in words.done:
        return None
    for one in question.fields:
        if not draft.holds(one.name) and not one.required:
            draft = draft.leave(one.name)
    return _result(draft, question, ())


def _taken(reply: Said, question: Question, words: Words, place: Place) -> Taken | Refused:
    lines = keyed_lines(reply.typed, question, place.draft or Draft())
    if lines is None:
        return _in_order(reply, question, words, place)
    if any(line.named for line in lines):
        return _by_key(lines, question, words, place)
    return _by_number(lines, reply, question, words, place)


def _by_number(
    lines: list[Line], reply: Said, question: Question, words: Words, place: Place
) -> Taken | Refused:
    """Numbered lines by their numbers, or in order where only that reads; refused if both do.

    `2. Bergen` may be the second field's value, or option 2 of the first; and where a text is
    open, `1. milk` may begin a list, or be other words for the first field.
    """
    draft = place.draft or Draft()
    open_ = [one for one in question.fields if not draft.holds(one.name)]
    by_number = _by_key(lines, question, words, place)
    moved = [
        line.field
        for line, one in zip_longest(lines, open_[: len(lines)])
        if line.field is not None and line.field is not one
    ]
    if not open_ or not (moved or by_number.problems):
        return by_number
    fields = tuple(one.name for one in (open_[0], *moved[:1]))
    unclear = Refused(Refusal.AMBIGUOUS_LINE, {"fields": fields})
    if open_[0].kind is Kind.TEXT:  # it would take any line
        return unclear if any(_rewords(by_number, draft, one.name) for one in moved) else by_number
    in_order = _in_order(reply, question, words, place)
    if not _is_sure(in_order, reply, question, open_):
        return by_number
    if by_number.problems or in_order.draft.same_as(by_number.draft):
        return in_order
    return unclear


def _rewords(taken: Taken, draft: Draft, name: str) -> bool:
    """Whether the field was held, and now is to hold other words of the person's own."""
    own = taken.manners.get(name) is Manner.OWN
    return own and draft.holds(name) and taken.draft.values[name] != draft.values.get(name)


def _is_sure(taken: Taken, reply: Said, question: Question, open_: Sequence[Field]) -> bool:
    """Whether all lines read in order, those with a number before them as more than own words."""
    rows = _rows(reply)
    fields = open_ if len(open_) > 1 else [*open_] * len(rows)
    surely = (
        taken.manners.get(one.name, Manner.OWN) < Manner.OWN
        for row, one in zip(rows, fields, strict=False)
        if numbered(row, question)
    )
    return not taken.problems and all(surely)


def _by_key(lines: list[Line], question: Question, words: Words, place: Place) -> Taken:
    taken = Taken(place.draft or Draft())
    given: dict[str, tuple[Field, set[str]]] = {}
    for line in lines:
        if line.field is not None:
            given.setdefault(line.field.name, (line.field, set()))[1].add(line.value)
    for one, values in given.values():
        if len(values) > 1:
            taken.problems.append(Refused(Refusal.GIVEN_TWICE, field=one.name))
        else:
            _take(taken, said(values.pop(), words.polite), one, words, place, keyed=True)
    _left_over(taken, [line.value for line in lines if line.field is None], question)
    return taken


def _in_order(reply: Said, question: Question, words: Words, place: Place) -> Taken:
    taken = Taken(place.draft or Draft())
    open_ = [one for one in question.fields if not taken.draft.holds(one.name)]
    if place.pressed_other and place.other_field is not None:
        open_ = [one for one in question.fields if one.name == place.other_field]
    if len(open_) == 1:
        _take(taken, reply, open_[0], words, place)
        return taken
    rows = _rows(reply)
    for one, row in zip(open_, rows, strict=False):
        _take(taken, said(row, words.polite), one, words, place)
    _left_over(taken, rows[len(open_) :], question)
    return taken


def _rows(reply: Said) -> list[str]:
    return [row.strip() for row in reply.typed.split("\n") if row.strip()]


def _left_over(taken: Taken, lines: list[str], question: Question) -> None:
    """One problem for all lines that are no field's: there may be thousands."""
    if not lines:
        return
    open_ = missing(taken.draft, question)
    fields: dict[str, Detail] = {"fields": open_} if open_ else {}
    problem = Refused(Refusal.LINE_WITHOUT_FIELD, {"typed": shown(lines[0])} | fields)
    taken.problems.append(problem)


def _take(
    taken: Taken, value: Said, one: Field, words: Words, place: Place, *, keyed: bool = False
) -> None:
    """Puts one field's reading into the draft, or its problem beside it.

    Behind a key also mere assent is meant for the field.
    """
    reading: Reading = read_field(value, one, words, _aside(place, one))
    match reading:
        case Read(found, manner):
            taken.draft = taken.draft.fill(one.name, found)
            taken.manners[one.name] = min(manner, Manner.OWN) if keyed else manner
        case Left():
            taken.draft = taken.draft.leave(one.name)
            taken.manners[one.name] = Manner.WORDS
        case Failed(refused, shaped):
            taken.problems.append(Refused(refused.code, refused.data, one.name))
            taken.shaped = taken.shaped or shaped
        case WantsWords():
            taken.wants = taken.wants or one.name
        case _:
            assert_never(reading)


def _aside(place: Place, one: Field) -> Place:
    """The place as that field sees it: Other was pressed for one field only."""
    if place.pressed_other and place.other_field != one.name:
        return replace(place, pressed_other=False)
    return place
