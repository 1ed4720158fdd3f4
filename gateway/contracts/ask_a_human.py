"""`ask_a_human`: one question in words, or two to six options and one `other` that we add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, assert_never

from gateway.answer import Picked, Values, as_text, check, from_json
from gateway.ask import AskRecord, Contract, OnQuestion, OnTimeout, Status
from gateway.contracts import guidance
from gateway.contracts.faults import Faults
from gateway.contracts.inputs import needed_text_schema, object_schema, read_object
from gateway.contracts.labels import (
    LABEL_CHARS,
    OTHER_LABEL,
    is_other,
    options,
    read_each,
    refuse_alike,
    refuse_like_other,
)
from gateway.contracts.prompt import prompt_schema, read_prompt
from gateway.contracts.rules import ANSWER, Asked, ContractRules, Defaults, Result, values_of
from gateway.errors import InvalidAnswer, Problem
from gateway.question import OTHER, Field, Kind, Option, Question
from gateway.visible import is_blank, one_line

MIN_OPTIONS, MAX_OPTIONS = 2, 6
"""Options a caller gives, counted before an authored Other is folded (contracts, decision 4)."""

ANSWER_CHARS = 4_000
"""Characters of a free-form answer and of a write-in (the third original)."""

NAMES = ("ask_a_human",)

_DESCRIPTION = (
    "Ask the human one question you are blocked on; only your run pauses until it is answered. "
    f"{guidance.WHEN} {guidance.ONE} {guidance.HOW} Give {MIN_OPTIONS} to {MAX_OPTIONS} `options` "
    f"to have one picked, or none for an answer in words. {guidance.OPTIONS} {guidance.NO_OTHER} "
    'You read {"answer": …}, with the "option_id" if you gave options. Where no person can be '
    'asked you read at once that the question was skipped, or "no_human_in_loop". '
    f"{guidance.AFTERWARDS}"
)
_MULTIPLE_CHOICE, _FREE_FORM = "multiple_choice", "free_form"


def tool() -> dict[str, Any]:
    properties = {
        "question": prompt_schema("The question, complete in itself."),
        "options": {
            "type": "array",
            "minItems": MIN_OPTIONS,
            "maxItems": MAX_OPTIONS,
            "items": {"type": "string", "minLength": 1, "maxLength": LABEL_CHARS},
            "description": "Labels to pick one from, all different.",
        },
    }
    return {
        "name": NAMES[0],
        "description": _DESCRIPTION,
        "parameters": object_schema(properties, ["question"]),
    }


def read(arguments: object, _defaults: Defaults) -> Asked:
    faults = Faults()
    given = faults.mapping(arguments, "", ("question", "options"), ("question",))
    prompt = read_prompt(faults, given)
    field = Field(name=ANSWER, kind=Kind.TEXT, required=True, max_length=ANSWER_CHARS)
    if "options" in given:
        update = {
            "kind": Kind.CHOICE,
            "options": _read_options(faults, given["options"]),
            "write_in": True,
        }
        field = field.model_copy(update=update)
    faults.refuse_if_any()
    return Asked(Question(prompt=prompt, fields=(field,)), None, OnTimeout.CONTINUE)


def result(record: AskRecord) -> Result:
    question = record.ask.question
    match record.status:
        case Status.ANSWERED:
            values = from_json(question, values_of(record))
            answer = {"answer": as_text(question, values)}
            picked = values.get(question.fields[0].name)
            if isinstance(picked, Picked):
                answer["option_id"] = next(iter(picked.options), OTHER)
            return answer
        case Status.CANCELLED:
            return {"error": "withdrawn"}
        case Status.DECLINED | Status.EXPIRED:
            # This contract offers neither; an ask that ended so all the same must still be told.
            return {"error": record.status.value}
        case Status.PENDING:
            raise ValueError(f"{record.ask.id} still waits.")
        case _:
            assert_never(record.status)


def not_asked(mode: OnQuestion) -> Result:
    match mode:
        case OnQuestion.AUTO:
            return {"skipped": True, "reason": "on_question_auto"}
        case OnQuestion.NONE:
            return {"error": "no_human_in_loop"}
        case OnQuestion.PAUSE:
            raise ValueError("A run that pauses asks people.")
        case _:
            assert_never(mode)


def input_schema(question: Question) -> dict[str, Any]:
    field = question.fields[0]
    if not field.is_choice:
        kind = {"const": _FREE_FORM}
        return object_schema({"kind": kind, "text": needed_text_schema(field)}, ["kind", "text"])
    kind = {"const": _MULTIPLE_CHOICE}
    picks = [{"const": option.id, "title": option.label} for option in field.options]
    shapes = [object_schema({"kind": kind, "option_id": {"oneOf": picks}}, ["kind", "option_id"])]
    if field.write_in:
        other = {"const": OTHER, "title": OTHER_LABEL}
        shape = {"kind": kind, "option_id": other, "other_text": needed_text_schema(field)}
        shapes.append(object_schema(shape, list(shape)))
    return {"type": "object", "oneOf": shapes}


def read_input(question: Question, body: object, zone: str | None) -> Values:
    """The answer from `{kind, option_id, other_text}` or `{kind, text}`, checked."""
    field = question.fields[0]
    given = read_object(body)
    kind, takes, path = _MULTIPLE_CHOICE, ["kind", "option_id", "other_text"], "other_text"
    value: object = _read_pick(field, given)
    if not field.is_choice:
        kind, takes, path = _FREE_FORM, ["kind", "text"], "text"
        value = given.get("text")
    problems = [
        Problem(one_line(str(key)[:LABEL_CHARS]), "Is not taken here.", "unknown_field")
        for key in given
        if key not in takes
    ]
    if given.get("kind") != kind:
        problems.append(Problem("kind", f"Must be {kind}.", "wrong_kind"))
    values: Values = {}
    if isinstance(value, Problem):
        problems.append(value)
    else:
        try:
            values = check(question, {field.name: value}, zone)
        except InvalidAnswer as invalid:
            problems += [replace(problem, path=path) for problem in invalid.problems]
    if problems:
        raise InvalidAnswer("The input does not fit pending_input_schema.", problems)
    return values


def input_context(question: Question) -> dict[str, Any]:
    field = question.fields[0]
    if not field.is_choice:
        return {"kind": _FREE_FORM, "question": question.prompt}
    picks = [{"id": option.id, "label": option.label} for option in field.options]
    if field.write_in:
        picks.append({"id": OTHER, "label": OTHER_LABEL})
    return {"kind": _MULTIPLE_CHOICE, "question": question.prompt, "options": picks}


def _read_options(faults: Faults, value: object) -> tuple[Option, ...]:
    labels = read_each(faults, value, "options", MIN_OPTIONS, MAX_OPTIONS)
    own = [(path, label) for path, label in labels if not is_other(label)]
    if labels and not own:
        message = "Only Other is left, which is always added: leave options out to ask free-form."
        faults.add("options", message, "only_other")
    refuse_alike(faults, own)
    refuse_like_other(faults, own)
    return options([label for _, label in own])


def _read_pick(field: Field, given: Mapping[str, object]) -> Picked | Problem:
    picked = given.get("option_id")
    if picked == OTHER and field.write_in:
        words = given.get("other_text")
        if isinstance(words, str) and not is_blank(words):
            return Picked((), words)
        return Problem("other_text", "Other needs words of your own.", "missing")
    if not isinstance(picked, str) or picked not in [option.id for option in field.options]:
        return Problem("option_id", "Must be the id of one of the options.", "not_an_option")
    if "other_text" in given:
        return Problem("other_text", "Goes with the option other only.", "not_for_option")
    return Picked((picked,))


RULES = ContractRules(
    contract=Contract.ASK_A_HUMAN,
    names=NAMES,
    one_at_a_time=True,
    main_runs_only=False,
    tool=tool,
    read=read,
    result=result,
    not_asked=not_asked,
    input_schema=input_schema,
    read_input=read_input,
    input_context=input_context,
)
