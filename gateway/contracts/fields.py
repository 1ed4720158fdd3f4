"""The standard field set, as models pass it in `fields`: read with every fault at once."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from typing import Any

from gateway.contracts.faults import Faults
from gateway.contracts.labels import (
    LABEL_CHARS,
    MAX_CHOICES,
    read_labels,
    refuse_alike,
    refuse_others_names,
)
from gateway.question import Field, Kind

MAX_FIELDS = 20
"""Fields of one question (the first original)."""

MAX_FIELDS_BYTES = 16 * 1024
"""All fields as compact UTF-8 JSON (the first original; contracts, decision 2)."""

MAX_TEXT = 65_536
"""Ours: the largest `max_length` an agent may set, a sixteenth of what a request may hold."""

NAME_CHARS = 64
"""Ours: a field's name is a key, not a sentence."""

NAME = re.compile(r"[a-z0-9_]+")
"""Lower case letters, digits and `_` (the first original)."""

_COMMON = ("name", "kind", "label", "description", "required")
_OF_KIND: dict[Kind, tuple[str, ...]] = {
    Kind.TEXT: ("max_length", "multiline"),
    Kind.NUMBER: ("min", "max", "integer"),
    Kind.CHOICE: ("options",),
    Kind.MULTI_CHOICE: ("options",),
    Kind.DATE: ("date_time",),
    Kind.TOGGLE: (),
}
_KINDS = {kind.value: kind for kind in Kind}
_ATTRIBUTES = (*_COMMON, *dict.fromkeys(name for names in _OF_KIND.values() for name in names))


def read_fields(faults: Faults, value: object, path: str = "fields") -> tuple[Field, ...]:
    """The fields that have no fault; `faults` holds the others'."""
    items = faults.items(value, path, 1, MAX_FIELDS)
    _refuse_bytes(faults, value, path)
    fields = [_read_field(faults, item, f"{path}[{index}]") for index, item in enumerate(items)]
    again = _refuse_same_names(faults, items, path)
    titles = [
        (f"{path}[{index}].label", field.title, field.name)
        for index, field in enumerate(fields)
        if field and index not in again
    ]
    refuse_alike(faults, [(at, title) for at, title, _ in titles])
    refuse_others_names(faults, titles)
    return tuple(field for field in fields if field)


def field_json(field: Field) -> dict[str, Any]:
    """The field as it would be passed: what `read_fields` reads back as the same field."""
    taken = {*_COMMON, *_OF_KIND[field.kind]}
    shown = field.model_dump(mode="json", exclude_defaults=True, include=taken)
    if field.is_choice:
        shown["options"] = [option.label for option in field.options]
    return shown


def fields_schema() -> dict[str, Any]:
    """The JSON Schema of `fields`: flat, since providers differ in what else they take."""
    text = {"type": "string", "minLength": 1}
    return {
        "type": "array",
        "minItems": 1,
        "maxItems": MAX_FIELDS,
        "description": (
            f"The values you need, at most {MAX_FIELDS} and 16 KiB as JSON. Each attribute goes "
            "with its kind only."
        ),
        "items": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name", "kind"],
            "properties": {
                "name": {
                    **text,
                    "pattern": f"^{NAME.pattern}$",
                    "maxLength": NAME_CHARS,
                    "description": "The value's key in the answer, unique.",
                },
                "kind": {"enum": [kind.value for kind in Kind]},
                "label": {**text, "description": "What people call it; the name if left out."},
                "description": {**text, "description": "What is wanted, in a sentence."},
                "required": {"type": "boolean", "description": "False if left out."},
                "options": {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": MAX_CHOICES,
                    "items": {**text, "maxLength": LABEL_CHARS},
                    "description": "choice, multi-choice: the labels to pick from, all different.",
                },
                "min": {"type": "number", "description": "number: the least, itself allowed."},
                "max": {"type": "number", "description": "number: the most, itself allowed."},
                "integer": {"type": "boolean", "description": "number: whole numbers only."},
                "max_length": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_TEXT,
                    "description": "text: the most characters.",
                },
                "multiline": {"type": "boolean", "description": "text: may run over lines."},
                "date_time": {"type": "boolean", "description": "date: with a time of day."},
            },
        },
    }


def _read_field(faults: Faults, value: object, path: str) -> Field | None:
    before = faults.count
    given = faults.mapping(value, path, _ATTRIBUTES, ("name", "kind"))
    read = {key: _READERS[key](faults, given[key], f"{path}.{key}") for key in given}
    if read.get("kind"):
        _refuse_other_kinds(faults, given, read["kind"], path)
    _refuse_no_room(faults, read, path)
    return None if faults.count > before else Field(**read)


def _read_name(faults: Faults, value: object, path: str) -> str | None:
    if not isinstance(value, str):
        faults.add(path, "Must be a string.", "wrong_type")
    elif not NAME.fullmatch(value):
        message = "Must be lower case letters, digits and _, at least one."
        faults.add(path, message, "bad_name", NAME.pattern)
    elif len(value) > NAME_CHARS:
        faults.add(path, f"Takes at most {NAME_CHARS} characters.", "too_long", NAME_CHARS)
    else:
        return value
    return None


def _read_kind(faults: Faults, value: object, path: str) -> Kind | None:
    if isinstance(value, str) and value in _KINDS:
        return _KINDS[value]
    faults.add(path, f"Must be one of {', '.join(Kind)}.", "unknown_kind")
    return None


def _read_max_length(faults: Faults, value: object, path: str) -> int | None:
    length = faults.integer(value, path)
    if length is not None and not 1 <= length <= MAX_TEXT:
        faults.add(path, f"Goes from 1 to {MAX_TEXT:,}.", "out_of_range", MAX_TEXT)
        return None
    return length


def _refuse_other_kinds(faults: Faults, keys: Iterable[str], kind: Kind, path: str) -> None:
    for key in keys:
        if key in _COMMON or key in _OF_KIND[kind]:
            continue
        owners = " or ".join(owner for owner, own in _OF_KIND.items() if key in own)
        faults.add(f"{path}.{key}", f"Belongs to {owners}, not to {kind}.", "not_for_kind")
    if "options" in _OF_KIND[kind] and "options" not in keys:
        faults.add(f"{path}.options", f"Is needed for a {kind}.", "missing")


def _refuse_no_room(faults: Faults, read: dict[str, Any], path: str) -> None:
    least, most = read.get("min"), read.get("max")
    if least is None or most is None:
        return
    if least > most:
        faults.add(f"{path}.min", "Is above max.", "out_of_range", most)
    elif read.get("integer") and math.ceil(least) > math.floor(most):
        faults.add(f"{path}.min", "No whole number lies between min and max.", "out_of_range", most)


def _refuse_same_names(faults: Faults, items: list[Any], path: str) -> set[int]:
    """Notes names taken before; their fields' indices."""
    seen: dict[str, int] = {}
    again: set[int] = set()
    for index, item in enumerate(items):
        name = item.get("name") if isinstance(item, dict) else None
        if isinstance(name, str) and seen.setdefault(name, index) != index:
            faults.add(
                f"{path}[{index}].name", f"Is the name of {path}[{seen[name]}].", "duplicate"
            )
            again.add(index)
    return again


def _refuse_bytes(faults: Faults, value: object, path: str) -> None:
    try:
        compact = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return  # not JSON, or nested without end: reading the fields says where
    size = len(compact.encode(errors="surrogatepass"))
    if size > MAX_FIELDS_BYTES:
        message = f"Take at most {MAX_FIELDS_BYTES:,} bytes as JSON; these are {size:,}."
        faults.add(path, message, "too_large", MAX_FIELDS_BYTES)


def _read_words(faults: Faults, value: object, path: str) -> str | None:
    return faults.text(value, path, MAX_FIELDS_BYTES)  # the whole's bound is the only one


_READERS: dict[str, Callable[[Faults, object, str], Any]] = {
    "name": _read_name,
    "kind": _read_kind,
    "label": _read_words,
    "description": _read_words,
    "required": Faults.flag,
    "options": read_labels,
    "min": Faults.number,
    "max": Faults.number,
    "integer": Faults.flag,
    "max_length": _read_max_length,
    "multiline": Faults.flag,
    "date_time": Faults.flag,
}
