"""`oz.ask_user`: one question in words, with choices, or as typed fields; people may decline."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, assert_never

from gateway import durations
from gateway.answer import as_text, from_json
from gateway.ask import AskRecord, Contract, OnQuestion, Status
from gateway.contracts import guidance
from gateway.contracts.faults import Faults
from gateway.contracts.fields import field_json, fields_schema, read_fields
from gateway.contracts.inputs import object_schema, read_values, values_schema
from gateway.contracts.labels import LABEL_CHARS, MAX_CHOICES, read_labels
from gateway.contracts.prompt import prompt_schema, read_prompt
from gateway.contracts.rules import ANSWER, Asked, ContractRules, Defaults, Result, values_of
from gateway.question import Field, Kind, Question

DEFAULT_WAIT = timedelta(hours=24)
"""The wait of a run that sets none (the first original)."""

NAMES = ("oz__ask_user", "oz.ask_user", "oz.ask_human", "oz__ask_human")
"""What the model sees, the tool's name in an agent's file, and its old name in both spellings."""

_DESCRIPTION = (
    "Ask a person one question and wait for the answer; your run pauses until somebody answers or "
    f"declines, or the wait is over. {guidance.WHEN} {guidance.ONE} {guidance.HOW} Give `choices` "
    "to have one of them picked, `fields` to get dates, numbers, picks or several values, neither "
    f'for an answer in words; never both. {guidance.OPTIONS} Never add an "Other": who fits no '
    "choice can decline and say why. You read `The answer: …`, or who declined and why, or that "
    f"nobody answered. {guidance.AFTERWARDS}"
)
_FULL_STOPS = ".\u3002\uff0e"  # a reason may end with an ideographic or a full-width one


def tool() -> dict[str, Any]:
    choices = {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_CHOICES,
        "items": {"type": "string", "minLength": 1, "maxLength": LABEL_CHARS},
        "description": "The answers to pick one from, all different.",
    }
    properties = {
        "question": prompt_schema("The question, complete in itself."),
        "choices": choices,
        "fields": fields_schema(),
    }
    return {
        "name": NAMES[0],
        "description": _DESCRIPTION,
        "parameters": object_schema(properties, ["question"]),
    }


def read(arguments: object, defaults: Defaults) -> Asked:
    faults = Faults()
    given = faults.mapping(arguments, "", ("question", "choices", "fields"), ("question",))
    prompt = read_prompt(faults, given)
    options = read_labels(faults, given["choices"], "choices") if "choices" in given else ()
    kind = Kind.CHOICE if options else Kind.TEXT
    if "fields" in given:
        fields = read_fields(faults, given["fields"])
        if "choices" in given:
            faults.add("fields", "Goes without choices: give one of the two.", "not_both")
    else:
        fields = (Field(name=ANSWER, kind=kind, required=True, options=options),)
    faults.refuse_if_any()
    question = Question(prompt=prompt, fields=fields, typed="fields" in given)
    wait = defaults.timeout_s or int(DEFAULT_WAIT.total_seconds())
    return Asked(question, wait, defaults.on_timeout)


def result(record: AskRecord) -> Result:
    ask = record.ask
    match record.status:
        case Status.ANSWERED:
            values = from_json(ask.question, values_of(record))
            return f"The answer: {as_text(ask.question, values)}"
        case Status.DECLINED:
            return _declined(record)
        case Status.EXPIRED:
            return f"Nobody answered within {durations.show(_wait(record))}."
        case Status.CANCELLED:
            return "The question was withdrawn."
        case Status.PENDING:
            raise ValueError(f"{ask.id} still waits.")
        case _:
            assert_never(record.status)


def not_asked(mode: OnQuestion) -> Result:
    match mode:
        case OnQuestion.AUTO:
            return (
                "No person was asked: this run goes on by its own judgment (on_question is auto). "
                "Decide by your best judgment, and state the assumption you made."
            )
        case OnQuestion.NONE:
            return (
                "No person was asked: nobody is there to answer for this run (on_question is none)."
            )
        case OnQuestion.PAUSE:
            raise ValueError("A run that pauses asks people.")
        case _:
            assert_never(mode)


def input_context(question: Question) -> dict[str, Any]:
    asked: dict[str, Any] = {"question": question.prompt}
    if question.answer_field is None:
        asked["fields"] = [field_json(field) for field in question.fields]
    elif question.answer_field.options:
        asked["choices"] = [option.label for option in question.answer_field.options]
    return asked


def _declined(record: AskRecord) -> str:
    outcome = record.outcome
    who = (outcome and outcome.by) or "Somebody"
    reason = ((outcome and outcome.reason) or "").strip().rstrip(_FULL_STOPS).rstrip()
    return f"{who} declined to answer: {reason}." if reason else f"{who} declined to answer."


def _wait(record: AskRecord) -> timedelta:
    if record.ask.timeout_s is not None:
        return timedelta(seconds=record.ask.timeout_s)
    return (record.deadline or record.opened_at) - record.opened_at


RULES = ContractRules(
    contract=Contract.OZ_ASK_USER,
    names=NAMES,
    one_at_a_time=False,
    main_runs_only=False,
    tool=tool,
    read=read,
    result=result,
    not_asked=not_asked,
    input_schema=values_schema,
    read_input=read_values,
    input_context=input_context,
)
