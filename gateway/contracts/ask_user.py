"""`ask_user`: one to three questions with options and always a write-in; people may skip."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gateway.answer import Values, from_json, from_plain, plain
from gateway.ask import AskRecord, Contract, OnQuestion, OnTimeout, Status
from gateway.contracts import guidance
from gateway.contracts.faults import Faults
from gateway.contracts.headers import HEADER_CHARS, cut_headers
from gateway.contracts.inputs import labels_schema, object_schema, read_object
from gateway.contracts.labels import (
    LABEL_CHARS,
    is_other,
    option_id,
    refuse_alike,
    refuse_like_other,
    refuse_others_names,
)
from gateway.contracts.prompt import prompt_schema, read_prompt
from gateway.contracts.rules import Asked, ContractRules, Defaults, Result, values_of
from gateway.errors import InvalidAnswer, Problem
from gateway.question import Field, Kind, Option, Question

MAX_QUESTIONS = 3
MIN_OPTIONS, MAX_OPTIONS = 2, 4

DEFAULT_WAIT_S, MIN_WAIT_S, MAX_WAIT_S = 900, 30, 3600
"""Seconds: the second original's default, and the range it clamps to."""

ID_CHARS = 64
"""Ours: an id is a key, not a sentence."""

NAMES = ("ask_user",)

_DESCRIPTION = (
    "Ask the user one to three structured questions and wait for the answers. "
    f"{guidance.WHEN} {guidance.ONE} {guidance.HOW} {guidance.OPTIONS} {guidance.NO_OTHER} "
    'You read {"status": "answered"} with a list of labels or own words for each id, or '
    '{"status": "no_answer"} when nobody answered in time or the user skipped. '
    f"{guidance.AFTERWARDS}"
)
_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")
_NO_ANSWER: dict[str, Any] = {"status": "no_answer"}


def tool() -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": LABEL_CHARS}
    option = object_schema(
        {
            "label": {**text, "description": "What is picked, in a few words."},
            "description": {**text, "description": "What picking it means."},
        },
        ["label"],
    )
    question = object_schema(
        {
            "id": {
                "type": "string",
                "pattern": f"^{_SNAKE_CASE.pattern}$",
                "maxLength": ID_CHARS,
                "description": "The answer's key: snake_case, unique in this call.",
            },
            "header": {**text, "description": f"A short label; cut to {HEADER_CHARS} characters."},
            "question": prompt_schema("One sentence, complete in itself."),
            "options": {
                "type": "array",
                "minItems": MIN_OPTIONS,
                "maxItems": MAX_OPTIONS,
                "items": option,
            },
            "multiSelect": {"type": "boolean", "description": "Whether several may be picked."},
        },
        ["id", "header", "question", "options"],
    )
    properties = {
        "questions": {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_QUESTIONS,
            "items": question,
        },
        "timeoutSeconds": {
            "type": "integer",
            "description": (
                f"How long to wait: {DEFAULT_WAIT_S} if left out, brought into "
                f"{MIN_WAIT_S} to {MAX_WAIT_S}."
            ),
        },
    }
    return {
        "name": NAMES[0],
        "description": _DESCRIPTION,
        "parameters": object_schema(properties, ["questions"]),
    }


def read(arguments: object, _defaults: Defaults) -> Asked:
    faults = Faults()
    given = faults.mapping(arguments, "", ("questions", "timeoutSeconds"), ("questions",))
    items = []
    if "questions" in given:
        items = faults.items(given["questions"], "questions", 1, MAX_QUESTIONS)
    read_ones = [_read_one(faults, item, f"questions[{i}]") for i, item in enumerate(items)]
    _refuse_same_ids(faults, [field.name for _, field in read_ones])
    read_ones = _with_titles(faults, read_ones)
    seconds: int | None = DEFAULT_WAIT_S
    if "timeoutSeconds" in given:
        seconds = faults.integer(given["timeoutSeconds"], "timeoutSeconds")
    faults.refuse_if_any()
    wait = min(max(seconds or 0, MIN_WAIT_S), MAX_WAIT_S)
    if len(read_ones) == 1:
        prompt, field = read_ones[0]
        return Asked(Question(prompt=prompt, fields=(field,)), wait, OnTimeout.CONTINUE)
    fields = tuple(field.model_copy(update={"description": prompt}) for prompt, field in read_ones)
    return Asked(Question(prompt="", fields=fields), wait, OnTimeout.CONTINUE)


def result(record: AskRecord) -> Result:
    if record.status is Status.PENDING:
        raise ValueError(f"{record.ask.id} still waits.")
    if record.status is not Status.ANSWERED:
        return dict(_NO_ANSWER)
    question = record.ask.question
    answers = plain(question, from_json(question, values_of(record)))
    lists = {name: [given] if isinstance(given, str) else given for name, given in answers.items()}
    return {"status": "answered", "answers": {"answers": lists}}


def not_asked(mode: OnQuestion) -> Result:
    if mode is OnQuestion.PAUSE:
        raise ValueError("A run that pauses asks people.")
    return dict(_NO_ANSWER)


def input_schema(question: Question) -> dict[str, Any]:
    answers = {field.name: _answer_schema(field) for field in question.fields}
    return object_schema({"answers": object_schema(answers, list(answers))}, ["answers"])


def read_input(question: Question, body: object, zone: str | None) -> Values:
    """The answers from `{"answers": {id: [label or own words, …]}}`, checked."""
    given = read_object(body)
    answers = given.get("answers")
    problems = [
        Problem(str(key)[:ID_CHARS], "Is not taken here.", "unknown_field")
        for key in given
        if key != "answers"
    ]
    if not isinstance(answers, Mapping):
        problems.append(Problem("answers", "Must be an object of lists by id.", "wrong_type"))
    else:
        problems += [
            Problem(str(name)[:ID_CHARS], "Must be a list.", "wrong_type")
            for name, answer in answers.items()
            if not isinstance(answer, list)
        ]
    if problems:
        raise InvalidAnswer("The answers do not fit pending_input_schema.", problems)
    return from_plain(question, answers, zone)


def input_context(question: Question) -> dict[str, Any]:
    return {"questions": [_shown(question, field) for field in question.fields]}


def _read_one(faults: Faults, value: object, path: str) -> tuple[str, Field]:
    """The question and its field, without what is faulty in them."""
    takes = ("id", "header", "question", "options", "multiSelect")
    given = faults.mapping(value, path, takes, takes[:-1])
    name = _read_id(faults, given, f"{path}.id")
    header = (
        faults.text(given["header"], f"{path}.header", LABEL_CHARS) if "header" in given else ""
    )
    prompt = read_prompt(faults, given, f"{path}.question")
    options = _read_options(faults, given, f"{path}.options")
    several = "multiSelect" in given and faults.flag(given["multiSelect"], f"{path}.multiSelect")
    return prompt, Field(
        name=name,
        kind=Kind.MULTI_CHOICE if several else Kind.CHOICE,
        label=header or "",
        required=True,
        options=options,
        write_in=True,
    )


def _with_titles(faults: Faults, asked: list[tuple[str, Field]]) -> list[tuple[str, Field]]:
    """The questions under the headers people see: cut, and none of them twice."""
    titles = cut_headers([field.label or "" for _, field in asked])
    titled = [
        (prompt, field.model_copy(update={"label": title}))
        for (prompt, field), title in zip(asked, titles, strict=True)
    ]
    named = [
        (f"questions[{index}].header", field.title, field.name)
        for index, (_, field) in enumerate(titled)
        if field.label
    ]
    refuse_others_names(faults, named)
    return titled


def _read_id(faults: Faults, given: Mapping[str, Any], path: str) -> str:
    if "id" not in given:
        return ""
    name = faults.text(given["id"], path, ID_CHARS)
    if name is None or _SNAKE_CASE.fullmatch(name):
        return name or ""
    faults.add(path, "Must be snake_case.", "bad_name", _SNAKE_CASE.pattern)
    return ""


def _read_options(faults: Faults, given: Mapping[str, Any], path: str) -> tuple[Option, ...]:
    if "options" not in given:
        return ()
    options: list[Option] = []
    labels: list[tuple[str, str]] = []
    items = faults.items(given["options"], path, MIN_OPTIONS, MAX_OPTIONS)
    for number, item in enumerate(items, 1):
        at = f"{path}[{number - 1}]"
        option = faults.mapping(item, at, ("label", "description"), ("label",))
        texts = {
            key: faults.text(option[key], f"{at}.{key}", LABEL_CHARS, trimmed=key == "label")
            for key in option
        }
        label = texts.get("label")
        if label is not None:
            labels.append((f"{at}.label", label))
            description = texts.get("description")
            options.append(Option(id=option_id(number), label=label, description=description))
    for at, label in labels:
        if is_other(label):
            message = "People can always answer in their own words: leave Other out."
            faults.add(at, message, "authored_other")
    refuse_alike(faults, labels)
    refuse_like_other(faults, labels)
    return tuple(options)


def _refuse_same_ids(faults: Faults, names: list[str]) -> None:
    for index, name in enumerate(names):
        first = names.index(name)
        if name and first < index:
            at = f"questions[{index}].id"
            faults.add(at, f"Is the id of questions[{first}].", "duplicate")


def _answer_schema(field: Field) -> dict[str, Any]:
    most = None if field.kind is Kind.MULTI_CHOICE else 1
    return {"title": field.title, **labels_schema(field, least=1, most=most)}


def _shown(question: Question, field: Field) -> dict[str, Any]:
    return {
        "id": field.name,
        "header": field.title,
        "question": field.description or question.prompt,
        "options": [
            option.model_dump(include={"label", "description"}, exclude_none=True)
            for option in field.options
        ],
        "multiSelect": field.kind is Kind.MULTI_CHOICE,
    }


RULES = ContractRules(
    contract=Contract.ASK_USER,
    names=NAMES,
    one_at_a_time=True,
    main_runs_only=True,
    tool=tool,
    read=read,
    result=result,
    not_asked=not_asked,
    input_schema=input_schema,
    read_input=read_input,
    input_context=input_context,
)
