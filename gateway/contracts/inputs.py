"""What `resume` takes: the JSON Schema of a field's value by its label, and of all of them.

The schema says what programs can check; `gateway.answer` has the last word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_never

from gateway.answer import Values, from_plain
from gateway.errors import InvalidAnswer, Problem
from gateway.question import Field, Kind, Question
from gateway.scalars import TEXT_CAP

INK = r"\S"
"""A pattern: something that is not blank."""


def text_schema(field: Field) -> dict[str, Any]:
    """A text of the field's length: its answer, or its write-in."""
    cap = TEXT_CAP if field.max_length is None else field.max_length
    return {"type": "string", "maxLength": cap}


def needed_text_schema(field: Field) -> dict[str, Any]:
    """A text that is not blank."""
    return {**text_schema(field), "minLength": 1, "pattern": INK}


def label_schema(field: Field) -> dict[str, Any]:
    """One whole label, or own words where they are allowed."""
    labels = [option.label for option in field.options]
    if field.write_in:
        return {**needed_text_schema(field), "examples": labels}
    return {"enum": labels}


def labels_schema(field: Field, *, least: int, most: int | None = None) -> dict[str, Any]:
    """A list of labels, own words among them once where they are allowed."""
    schema = {"type": "array", "items": label_schema(field), "minItems": least}
    if most is not None:
        schema["maxItems"] = most
    if field.write_in:
        own = {"not": {"enum": [option.label for option in field.options]}}
        schema |= {"contains": own, "minContains": 0, "maxContains": 1}
    return schema


def value_schema(field: Field) -> dict[str, Any]:
    """The field's value as `gateway.answer.from_plain` reads it."""
    schema = _value_schema(field)
    told = {"title": field.label, "description": field.description}
    return {**{key: text for key, text in told.items() if text is not None}, **schema}


def values_schema(question: Question) -> dict[str, Any]:
    """One object of the fields' values, by name."""
    return object_schema(
        {field.name: value_schema(field) for field in question.fields},
        [field.name for field in question.fields if field.required],
    )


def read_values(question: Question, body: object, zone: str | None) -> Values:
    """The values from an object by field name, checked. Raises: InvalidAnswer."""
    return from_plain(question, read_object(body), zone)


def read_object(body: object) -> Mapping[str, object]:
    """The input, which is an object in every contract. Raises: InvalidAnswer."""
    if isinstance(body, Mapping):
        return body
    message = "The input must be an object; pending_input_schema says which."
    raise InvalidAnswer(message, [Problem("", message, "wrong_type")])


def object_schema(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    """A closed object."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _value_schema(field: Field) -> dict[str, Any]:
    match field.kind:
        case Kind.TEXT:
            return needed_text_schema(field) if field.required else text_schema(field)
        case Kind.NUMBER:
            bounds = {"minimum": field.min, "maximum": field.max}
            kept = {key: bound for key, bound in bounds.items() if bound is not None}
            return {"type": "integer" if field.integer else "number", **kept}
        case Kind.CHOICE:
            return label_schema(field)
        case Kind.MULTI_CHOICE:
            return labels_schema(field, least=1 if field.required else 0)
        case Kind.DATE:
            return {"type": "string", "format": "date-time" if field.date_time else "date"}
        case Kind.TOGGLE:
            return {"type": "boolean"}
        case _:
            assert_never(field.kind)
