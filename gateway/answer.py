"""What was answered: the values of a question's fields, checked against it. Pure.

A value is `str` for text and dates (`YYYY-MM-DD`, or RFC 3339 with offset), `int`/`float` for a
number, `bool` for a toggle, and a `Picked` for both choice kinds. No message here holds a choice or
an answer (contracts, decision 13).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from gateway.errors import InvalidAnswer, Problem
from gateway.fold import fold, unmarked
from gateway.question import Field, Kind, Option, Question
from gateway.scalars import TEXT_CAP, read_date, read_number, read_text, read_toggle
from gateway.visible import is_blank, one_line

__all__ = [
    "TEXT_CAP",
    "Picked",
    "Value",
    "Values",
    "as_text",
    "check",
    "from_json",
    "from_plain",
    "plain",
    "to_json",
]


@dataclass(frozen=True, slots=True)
class Picked:
    """A choice's value: option ids in the options' order, and the person's own words, if any.

    One choice has exactly one of the two; several picks may have both.
    """

    options: tuple[str, ...] = ()
    write_in: str | None = None


Value = str | int | float | bool | Picked
Values = Mapping[str, Value]

MAX_UNKNOWN = 20
"""Ours: field names that do not exist are each told, up to as many as a question has fields."""


def check(question: Question, values: Mapping[str, object], zone: str | None = None) -> Values:
    """The answer as it is kept: fields in the question's order, those left out absent.

    `values` holds canonical values by field name; a blank text or date and an empty pick leave
    their field out. `zone` (IANA) is the answerer's, for times without an offset.

    Raises:
        InvalidAnswer: with one problem per faulty field; the path is the field's name.
    """
    kept, problems = _fit(question, values, zone)
    if problems:
        raise _invalid(problems)
    return kept


def from_plain(question: Question, answer: object, zone: str | None = None) -> Values:
    """The answer from what programs and the command line send, checked.

    An object holds the fields' values by name. For a question of one field that was not asked as
    fields, the value alone will do. A choice is its whole label, or the person's own words where
    those are allowed; several picks are a list of these. Numbers never pick.

    Raises:
        InvalidAnswer: with one problem per faulty field.
    """
    given: dict[str, object]
    if isinstance(answer, Mapping):
        given = {str(name): value for name, value in answer.items()}
    elif question.answer_field:
        given = {question.answer_field.name: answer}
    else:
        message = "The answer must be one object of the fields' values."
        raise _invalid([Problem("", message, "wrong_type")])
    for field in question.fields:
        if field.is_choice and field.name in given:
            given[field.name] = _from_labels(question, field, given[field.name])
    return check(question, given, zone)


def plain(question: Question, values: Values) -> dict[str, Any]:
    """The answer as agents and readers see it: labels as authored, in the fields' order.

    A choice is its label or the person's words, several picks are a list with own words last.
    """
    return {
        field.name: _labels(field, value) if isinstance(value, Picked) else value
        for field in question.fields
        if (value := values.get(field.name)) is not None
    }


def as_text(question: Question, values: Values) -> str:
    """The answer as one text: the only field's words, else JSON with `, ` and `: `."""
    shown = plain(question, values)
    if question.answer_field is None:
        return json.dumps(shown, ensure_ascii=False)
    value = shown.get(question.answer_field.name)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def to_json(values: Values) -> dict[str, Any]:
    """The answer for the store; a `Picked` is `{"options": [ids], "write_in": words or null}`."""
    return {
        name: {"options": list(value.options), "write_in": value.write_in}
        if isinstance(value, Picked)
        else value
        for name, value in values.items()
    }


def from_json(question: Question, stored: Mapping[str, Any]) -> Values:
    """The answer from the store: what `to_json` wrote for this question, in its order.

    Raises:
        KeyError, TypeError: it was never written by `to_json`.
    """
    return {
        field.name: Picked(tuple(value["options"]), value["write_in"]) if field.is_choice else value
        for field in question.fields
        if (value := stored.get(field.name)) is not None
    }


def _fit(
    question: Question, values: Mapping[str, object], zone: str | None
) -> tuple[dict[str, Value], list[Problem]]:
    """What fits, by field name, and the problems of the rest."""
    unknown = [name for name in values if question.field(name) is None]
    problems = [
        Problem(one_line(name[:64]), "There is no field of this name.", "unknown_field")
        for name in unknown[:MAX_UNKNOWN]
    ]
    kept: dict[str, Value] = {}
    for field in question.fields:
        value = values.get(field.name)
        if field.name not in values or _is_left(field, value):
            if field.required:
                problems.append(_problem(question, field, "is needed", "missing"))
            continue
        read = _read(question, field, value, zone)
        if isinstance(read, Problem):
            problems.append(read)
        else:
            kept[field.name] = read
    return kept, problems


def _read(question: Question, field: Field, value: object, zone: str | None) -> Value | Problem:
    if isinstance(value, Problem):  # labels that named no option
        return value
    name = _called(question, field)
    match field.kind:
        case Kind.TEXT:
            return read_text(field, value, name)
        case Kind.NUMBER:
            return read_number(field, value, name)
        case Kind.DATE:
            return read_date(field, value, name, zone)
        case Kind.TOGGLE:
            return read_toggle(field, value, name)
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            return _read_picked(question, field, value)
        case _:
            assert_never(field.kind)


def _read_picked(question: Question, field: Field, value: object) -> Picked | Problem:
    if not isinstance(value, Picked):
        return _problem(question, field, "must be a pick", "wrong_type")
    picked, words = set(value.options), value.write_in
    if not picked <= {option.id for option in field.options}:
        return _problem(question, field, "must be one of the choices", "not_an_option")
    if field.kind is Kind.CHOICE and len(picked) + (words is not None) > 1:
        return _problem(question, field, "takes one pick only", "one_only")
    if words is not None:
        fitting = _read_own_words(question, field, words)
        if isinstance(fitting, Problem):
            return fitting
    return Picked(tuple(option.id for option in field.options if option.id in picked), words)


def _read_own_words(question: Question, field: Field, words: str) -> str | Problem:
    if not field.write_in:
        return _problem(question, field, "takes no words of your own", "no_write_in")
    if is_blank(words):
        return _problem(question, field, "needs words for Other", "empty")
    return read_text(field, words, _called(question, field))


def _from_labels(question: Question, field: Field, value: object) -> Picked | Problem:
    several = field.kind is Kind.MULTI_CHOICE
    labels = [value] if isinstance(value, str) else value
    if not isinstance(labels, Sequence) or not all(isinstance(label, str) for label in labels):
        wanted = "a list of labels" if several else "a label"
        return _problem(question, field, f"must be {wanted}", "wrong_type")
    if not several and len(labels) > 1:
        return _problem(question, field, "takes one pick only", "one_only")
    options = [_option(field, label) for label in labels]
    own = [label for label, option in zip(labels, options, strict=True) if option is None]
    if own and not field.write_in:
        return _problem(question, field, "must be one of the choices", "not_an_option")
    if len(own) > 1:
        return _problem(question, field, "takes own words once", "one_only")
    return Picked(tuple(option.id for option in options if option), own[0] if own else None)


def _option(field: Field, label: str) -> Option | None:
    """The option of that whole label: to the letter, else as folded, else without its mark."""
    exact = [option for option in field.options if option.label == label]
    if exact:
        return exact[0]
    wanted = fold(label)
    for read in (fold, unmarked):
        found = [option for option in field.options if read(option.label) == wanted]
        if len(found) == 1:
            return found[0]
    return None


def _labels(field: Field, picked: Picked) -> str | list[str]:
    labels = [option.label for option in field.options if option.id in picked.options]
    if picked.write_in is not None:
        labels.append(picked.write_in)
    return labels if field.kind is Kind.MULTI_CHOICE else labels[0]


def _is_left(field: Field, value: object) -> bool:
    if isinstance(value, str):
        return field.kind in (Kind.TEXT, Kind.DATE) and is_blank(value)
    return value == Picked()


def _called(question: Question, field: Field) -> str:
    return "The answer" if question.answer_field else one_line(field.title)


def _problem(question: Question, field: Field, what: str, code: str) -> Problem:
    return Problem(field.name, f"{_called(question, field)} {what}.", code)


def _invalid(problems: Sequence[Problem]) -> InvalidAnswer:
    if len(problems) == 1:
        return InvalidAnswer(problems[0].message, problems)
    return InvalidAnswer(f"{len(problems)} things in this answer do not fit.", problems)
