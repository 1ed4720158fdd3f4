"""Asks opened straight on the API, and approvals: no tool, the model's own words for all."""

from __future__ import annotations

from typing import Any, assert_never

from gateway.answer import Values, from_json, plain
from gateway.ask import AskKind, AskRecord, Status
from gateway.contracts import ask_a_human
from gateway.contracts.faults import Faults
from gateway.contracts.fields import field_json, read_fields
from gateway.contracts.inputs import read_values, values_schema
from gateway.contracts.prompt import read_prompt
from gateway.contracts.rules import Result, Rules, values_of
from gateway.question import OTHER, Kind, Question


def check_question(question: Question) -> None:
    """Holds a question that no contract read to the same bounds: lengths, labels, names, fields.

    Raises:
        InvalidQuestion: with every problem.
    """
    faults = Faults()
    if question.prompt or not question.fields:
        read_prompt(faults, {"question": question.prompt})
    if question.fields:
        read_fields(faults, [field_json(field) for field in question.fields])
    for index, field in enumerate(question.fields):
        ids = [option.id for option in field.options]
        if OTHER in ids or len(set(ids)) < len(ids):
            message = f"Ids must be unique, and {OTHER} is reserved."
            faults.add(f"fields[{index}].options", message, "bad_ids")
        if field.write_in and not field.is_choice:
            faults.add(f"fields[{index}].write_in", "Belongs to choices.", "not_for_kind")
    faults.refuse_if_any()


def result(record: AskRecord) -> Result:
    outcome = record.outcome
    told: dict[str, Any] = {"status": record.status.value}
    match record.status:
        case Status.PENDING:
            raise ValueError(f"{record.ask.id} still waits.")
        case Status.ANSWERED if record.ask.kind is AskKind.APPROVAL:
            told["approved"] = True
        case Status.ANSWERED:
            question = record.ask.question
            told["answers"] = plain(question, from_json(question, values_of(record)))
        case Status.DECLINED if record.ask.kind is AskKind.APPROVAL:
            told["approved"] = False
        case Status.DECLINED | Status.EXPIRED | Status.CANCELLED:
            pass
        case _:
            assert_never(record.status)
    if outcome and outcome.by:
        told["by"] = outcome.by
    if outcome and outcome.reason:
        told["reason"] = outcome.reason
    return told


def input_schema(question: Question) -> dict[str, Any]:
    return (ask_a_human.input_schema if _is_plain(question) else values_schema)(question)


def read_input(question: Question, body: object, zone: str | None) -> Values:
    return (ask_a_human.read_input if _is_plain(question) else read_values)(question, body, zone)


def input_context(question: Question) -> dict[str, Any]:
    if _is_plain(question):
        return ask_a_human.input_context(question)
    fields = [field_json(field) for field in question.fields]
    return {"question": question.prompt, "fields": fields}


def _is_plain(question: Question) -> bool:
    """Whether it is one of the third original's two shapes, and is resumed as they are."""
    field = question.answer_field
    return field is not None and field.kind in (Kind.CHOICE, Kind.TEXT)


RULES = Rules(
    result=result,
    input_schema=input_schema,
    read_input=read_input,
    input_context=input_context,
)
