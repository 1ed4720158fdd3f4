"""Several fields in one reply or in many: keyed lines or lines in order, kept as a draft. Pure.

Good values are kept whatever else the reply holds; the answer is whole once every field is filled
or left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from functools import lru_cache
from typing import TYPE_CHECKING, assert_never

from gateway.fold import fold
from gateway.question import Field, Kind, Question
from gateway.reply.clean import said
from gateway.reply.draft import Draft
from gateway.reply.kinds import read_field
from gateway.reply.meaning import Answered, Command, CommandName, Partial, Refusal, Refused
from gateway.reply.options import options_of
from gateway.reply.picks import whole_label
from gateway.reply.reading import Failed, Left, Manner, Read, Reading, WantsWords, shown

if TYPE_CHECKING:
    from gateway.reply.clean import Said
    from gateway.reply.language import Words
    from gateway.reply.place import Place

KEPT = 256
"""Questions whose keys are kept; ours."""

_KEYED = re.compile(r"\s*(?P<key>[^:=\uff1a\n]{1,200}?)\s*[:=\uff1a](?P<value>.*)", re.DOTALL)
_NUMBERED = re.compile(
    r"\s*\(?(?P<key>\d{1,2})\s?(?:[.):=]\s+|[\uff0e\uff09\uff1a\uff1d]\s*)(?P<value>\S.*)",
    re.DOTALL,
)


@dataclass(slots=True)
class Taken:
    """What one reply has brought so far."""

    draft: Draft
    problems: list[Refused] = attribute(default_factory=list)
    manner: Manner = Manner.EXACT
    shaped: bool = False
    filled: bool = False
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
    taken = Taken(draft)
    keyed = _keyed_lines(reply.typed, question)
    if keyed is not None:
        unclear = _unclear(reply, keyed, first, words, place)
        if unclear is not None:
            return Told(unclear, Manner.EXACT, shaped=True, filled=False)
        _take_keyed(taken, keyed, words, place)
    else:
        _take_in_order(taken, reply, question, words, place)
    if taken.wants is not None and not taken.filled and not taken.problems:
        command = Command(CommandName.OTHER, field=taken.wants)
        return Told(command, Manner.EXACT, shaped=True, filled=True)
    then = _result(taken.draft, question, tuple(taken.problems))
    return Told(then, taken.manner, taken.shaped, taken.filled)


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


def _keyed_lines(typed: str, question: Question) -> list[tuple[Field | None, str]] | None:
    """Each line with the field it names; None where no line names one.

    Lines behind a field of words that may have several belong to it.
    """
    lines: list[tuple[Field | None, str]] = []
    found = False
    for line in typed.split("\n"):
        named = _named(line, question)
        if named is not None:
            found = True
            lines.append(named)
        elif lines and lines[-1][0] is not None and lines[-1][0].multiline:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]}\n{line}")
        elif line.strip():
            lines.append((None, line))
    return [(one, value.strip()) for one, value in lines] if found else None


def _named(line: str, question: Question) -> tuple[Field, str] | None:
    """The field whose name, label or number the line begins with, and the rest of the line."""
    keyed = _KEYED.fullmatch(line)
    if keyed is not None:
        one = _names(question).get(fold(keyed["key"]))
        if one is not None:
            return question.fields[one], keyed["value"]
    numbered = _NUMBERED.fullmatch(line)
    if numbered is None:
        return None
    at = int(numbered["key"]) - 1
    return (question.fields[at], numbered["value"]) if 0 <= at < len(question.fields) else None


@lru_cache(maxsize=KEPT)
def _names(question: Question) -> dict[str, int]:
    """Names and labels, folded → the field; names win over labels, and a label of two is none."""
    labels: dict[str, int] = {}
    twice: set[str] = set()
    for at, one in enumerate(question.fields):
        label = fold(one.title)
        twice |= {label} & set(labels)
        labels[label] = at
    names = {fold(one.name): at for at, one in enumerate(question.fields)}
    return {label: at for label, at in labels.items() if label not in twice} | names


def _unclear(
    reply: Said,
    keyed: list[tuple[Field | None, str]],
    first: Field | None,
    words: Words,
    place: Place,
) -> Refused | None:
    """The refusal of one numbered line that also is a pick for the field that comes next.

    `2. Bergen` may be the second field's value, or option 2 of the first.
    """
    target, value = keyed[0]
    if len(keyed) > 1 or first is None or target is None or target is first:
        return None
    if first.kind is Kind.TEXT:  # it would take any line
        return None
    plain = read_field(reply, first, words, _aside(place, first))
    meant = read_field(said(value, words.polite), target, words, place)
    if isinstance(plain, Read) and plain.manner is Manner.EXACT and isinstance(meant, Read):
        return Refused(Refusal.AMBIGUOUS_LINE, {"fields": (first.name, target.name)})
    return None


def _take_keyed(
    taken: Taken, keyed: list[tuple[Field | None, str]], words: Words, place: Place
) -> None:
    given: dict[str, tuple[Field, set[str]]] = {}
    for one, value in keyed:
        if one is not None:
            given.setdefault(one.name, (one, set()))[1].add(value)
    for one, values in given.values():
        if len(values) > 1:
            taken.problems.append(Refused(Refusal.GIVEN_TWICE, field=one.name))
        else:
            _take(taken, said(values.pop(), words.polite), one, words, place, keyed=True)
    _left_over(taken, [value for one, value in keyed if one is None])


def _take_in_order(
    taken: Taken, reply: Said, question: Question, words: Words, place: Place
) -> None:
    open_ = [one for one in question.fields if not taken.draft.holds(one.name)]
    if place.pressed_other and place.other_field is not None:
        open_ = [one for one in question.fields if one.name == place.other_field]
    lines = [line for line in reply.typed.split("\n") if line.strip()]
    if len(open_) == 1:
        _take(taken, reply, open_[0], words, place)
        return
    for one, line in zip(open_, lines, strict=False):
        _take(taken, said(line.strip(), words.polite), one, words, place)
    _left_over(taken, lines[len(open_) :])


def _left_over(taken: Taken, lines: list[str]) -> None:
    """One problem for all lines that are no field's: there may be thousands."""
    if lines:
        problem = Refused(Refusal.LINE_WITHOUT_FIELD, {"typed": shown(lines[0])})
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
            sure = min(manner, Manner.OWN) if keyed else manner
            taken.manner = max(taken.manner, sure)
            taken.filled = True
        case Left():
            taken.draft = taken.draft.leave(one.name)
            taken.manner = max(taken.manner, Manner.WORDS)
            taken.filled = True
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
