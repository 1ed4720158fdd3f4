"""What a modal holds as it was sent, and where its faults stand in it. Pure and total."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from channels.slack.markup import clip
from channels.slack.modal import MOST_LABEL, VALUE, WORDS
from gateway.answer import Picked

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gateway.answer import Value

MOST_DIGITS = 2_000
"""Ours: above what an answer may have, below what Python reads as a number."""

_NUMBER = re.compile(r"-?[0-9]*\.?[0-9]+|-?[0-9]+\.", re.ASCII)


@dataclass(frozen=True, slots=True)
class FilledIn:
    """What a sent modal holds, by field name; `why` is a reason that belongs to no field.

    `shown` are the fields that had an input, empty ones too.
    """

    values: Mapping[str, Value]
    why: str | None = None
    shown: frozenset[str] = frozenset()


def filled_in(values: Any) -> FilledIn:
    """The values of `view.state.values`; what is empty or none of ours is left out. Total."""
    found: dict[str, Value] = {}
    words: dict[str, str] = {}
    shown: set[str] = set()
    for name, held in values.items() if isinstance(values, dict) else ():
        part, colon, field = str(name).partition(":")
        element = next(iter(held.values()), None) if isinstance(held, dict) else None
        value = _read(element) if isinstance(element, dict) else None
        if part == VALUE and colon:
            shown.add(field)
        if not colon or value is None:
            continue
        if part == WORDS and isinstance(value, str):
            words[field] = value
        elif part == VALUE:
            found[field] = value
    why = words.pop("", None)
    for field, text in words.items():
        picked = found.get(field)
        options = picked.options if isinstance(picked, Picked) else ()
        found[field] = Picked(options, text)
    return FilledIn(found, why, frozenset(shown))


def _read(element: Mapping[str, Any]) -> Value | None:
    found: Value | None = None
    match element:
        case {"type": "number_input", "value": str(text)}:
            found = _as_number(text)
        case {"type": "plain_text_input", "value": str(text)}:
            found = text
        case {"selected_option": {"value": "yes" | "no" as answer}}:
            found = answer == "yes"
        case {"selected_option": {"value": str(option)}}:
            found = Picked((option,))
        case {"selected_options": list(chosen)} if chosen:
            names = [one.get("value") for one in chosen if isinstance(one, dict)]
            found = Picked(tuple(name for name in names if isinstance(name, str)))
        case {"type": "datepicker", "selected_date": str(day)}:
            found = day
        case {"type": "datetimepicker", "selected_date_time": int(seconds)}:
            found = _as_moment(seconds)
    return found


def _as_number(text: str) -> Value:
    """The number; a text that is none stays as it is, for the answer's own check to refuse."""
    if len(text) > MOST_DIGITS or not _NUMBER.fullmatch(text):
        return text
    return float(text) if "." in text else int(text)


def _as_moment(seconds: int) -> Value | None:
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def errors(view: Any, faults: Mapping[str, str]) -> dict[str, str]:
    """Faults by the blocks they stand at; a fault of no field there stands at the first."""
    names = list(_inputs(view))
    found: dict[str, str] = {}
    for field, text in faults.items():
        at = next((name for name in names if name == f"{VALUE}:{field}"), None) or (
            names[0] if names else None
        )
        if at is not None:
            found[at] = clip(f"{found[at]} {text}" if at in found else text, MOST_LABEL)
    return found


def named(view: Any, faults: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each fault with the label of its field there; with the field's name, where it has none."""
    labels = _inputs(view)
    return [(labels.get(f"{VALUE}:{field}") or field, text) for field, text in faults.items()]


def _inputs(view: Any) -> dict[str, str]:
    """The inputs of a view in their order: the names of their blocks, and their labels. Total."""
    blocks = view.get("blocks") if isinstance(view, dict) else None
    found: dict[str, str] = {}
    for one in blocks if isinstance(blocks, list) else []:
        match one:
            case {"type": "input", "block_id": str(name), "label": {"text": str(label)}}:
                found[name] = label
            case {"type": "input", "block_id": str(name)}:
                found[name] = ""
    return found
