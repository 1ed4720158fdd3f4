"""A question's fields as inputs of a card, and what comes back of them. Pure, and total to read.

An input's id is a letter for how it is read, a colon and the field's name: no more is needed to
understand a card, on any replica and after a restart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

from channels.present import Row
from channels.shown import short
from gateway.answer import Picked
from gateway.question import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from channels.forms import Entry, Form
    from gateway.answer import Value

Node = dict[str, Any]

TEXT, NUMBER, TYPED, DAY, TIME, TOGGLE, ONE, SEVERAL, WORDS = "tnxdhycmw"
"""How an input is read: the letters before the colon."""

YES, NO = "y", "n"

LARGEST = 2**53
"""Beyond it the clients' numbers (JavaScript's) are not exact; such a field takes a plain line."""

MOST_SHOWN = 12
"""Ours: with more options than that a list can be searched."""

HINT_CHARS = 100
"""Ours: of a hint that stands in an empty input, or says what is wrong; it is whole beside it."""

LABEL_CHARS = 40
"""Ours: of each label and option where whole ones are too large for a card; the text has them."""

BRACES = re.compile(r"(?<=\{)(?=\{)")
"""Between two: clients make a date of `{{DATE(…)}}`, wherever it is written in one piece."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,16}|[0-9]{0,15}\.[0-9]{1,15})", re.ASCII)
_LONG = re.compile(r"[+-]?[0-9]{16,300}(?:\.[0-9]{1,300})?", re.ASCII)
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIME = re.compile(r"[0-9]{1,2}:[0-9]{2}", re.ASCII)
_OPTION = re.compile(r"o[0-9]{1,4}", re.ASCII)


# Out


def brief(form: Form) -> Form:
    """The form with its labels and options shortened, each with the key that the text has too."""
    return replace(form, entries=tuple(map(_brief, form.entries)))


def _brief(entry: Entry) -> Entry:
    rows = [Row(row.key, f"{row.key}. {short(row.text, LABEL_CHARS)}") for row in entry.rows]
    return replace(entry, label=short(entry.label, LABEL_CHARS), rows=tuple(rows))


def inputs(entry: Entry, given: Mapping[str, str] | None = None) -> list[Node]:
    """The inputs of one field. `given` is what stood in them, by id, where they are drawn again."""
    found = list(_inputs(entry))
    for node in found:
        value = _as_initial(node["id"][0], (given or {}).get(node["id"], ""))
        if value is not None:
            node["value"] = value
    return found


def _as_initial(letter: str, text: str) -> str | float | None:
    """What an input may start with; None where the text is nothing that it could hold."""
    if letter == NUMBER:
        return _number(text)
    if letter == DAY and not (_DAY.fullmatch(text) and is_day(text)):
        return None
    if letter == TIME and not _TIME.fullmatch(text):
        return None
    return text or None


def _inputs(entry: Entry) -> Iterator[Node]:
    one = entry.field
    needed: Node = {}
    if one.required and not one.write_in:
        needed = {"isRequired": True}
    match one.kind:
        case Kind.TEXT:
            yield _node("Input.Text", TEXT, entry, **needed, isMultiline=one.multiline)
        case Kind.NUMBER if _exact(one.min) and _exact(one.max):
            # Clients find an empty number out of its bounds; left out, it would hold all back.
            bounds = {"min": one.min, "max": one.max} if one.required else {}
            bounds = {name: value for name, value in bounds.items() if value is not None}
            yield _node("Input.Number", NUMBER, entry, **needed, **bounds)
        case Kind.NUMBER:
            yield _node("Input.Text", TYPED, entry, **needed)
        case Kind.DATE:
            yield _node("Input.Date", DAY, entry, **needed)
            if one.date_time:
                yield _node("Input.Time", TIME, entry, **needed)
        case Kind.TOGGLE:
            choices = [{"title": entry.yes, "value": YES}, {"title": entry.no, "value": NO}]
            yield _node("Input.ChoiceSet", TOGGLE, entry, **needed, choices=choices)
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            yield from _choices(entry, needed)


def _choices(entry: Entry, needed: Node) -> Iterator[Node]:
    one = entry.field
    several = one.kind is Kind.MULTI_CHOICE
    choices = [
        {"title": _undated(row.text), "value": option.id}
        for row, option in zip(entry.rows, one.options, strict=True)
    ]
    style = "expanded" if several else "filtered" if len(choices) > MOST_SHOWN else "compact"
    shape: Node = {"choices": choices, "style": style, "wrap": True}
    if several:
        shape["isMultiSelect"] = True
    yield _node("Input.ChoiceSet", SEVERAL if several else ONE, entry, **needed, **shape)
    if one.write_in:
        own = _node("Input.Text", WORDS, entry)
        yield {**own, "label": entry.other, "placeholder": entry.other}


def _node(kind: str, letter: str, entry: Entry, **more: Any) -> Node:
    found = {
        "type": kind,
        "id": f"{letter}:{entry.field.name}",
        "label": _undated(entry.label),
        "placeholder": _undated(short(entry.hint, HINT_CHARS)),
        # Clients read this one as Markdown, so nothing of the agent's is in it.
        "errorMessage": short(entry.takes, HINT_CHARS),
        **more,
    }
    if letter in (TIME, TOGGLE):
        found.pop("placeholder")
    return found


def _undated(text: str) -> str:
    """The same to read: what parts the braces is not seen, and breaks no line."""
    return BRACES.sub("\u2060", text)


def _exact(bound: float | None) -> bool:
    return bound is None or abs(bound) <= LARGEST


def is_day(text: str) -> bool:
    """Whether the calendar has that day."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


# In


@dataclass(slots=True)
class Filled:
    """What was filled in, as `Submitted` has it. `raw` is what the inputs held, by id."""

    values: dict[str, Value] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)


def read(data: Mapping[str, Any]) -> Filled:
    """The inputs in a press's data; what is empty or none of ours is left out. Total."""
    found = Filled()
    parts: dict[str, dict[str, str]] = {}
    for key, value in data.items():
        letter, colon, name = key.partition(":")
        text = _text(value)
        if colon and text and len(letter) == 1:
            found.raw[key] = text
            parts.setdefault(name, {})[letter] = text
    for name, given in parts.items():
        _read(name, given, found)
    return found


def _read(name: str, given: Mapping[str, str], found: Filled) -> None:
    match given:
        case {"t": text}:
            found.values[name] = text
        case {"n": text} if (number := _number(text)) is not None:
            found.values[name] = number
        case {"n": text} if _LONG.fullmatch(text) and abs(float(text)) >= LARGEST:
            # Not what was typed, but the nearest that the client has; so written, it is refused.
            found.texts[name] = f"{float(text):e}"
        case {"n": text} | {"x": text}:
            found.texts[name] = text
        case {"d": day, "h": clock} if _DAY.fullmatch(day) and _TIME.fullmatch(clock):
            found.values[name] = f"{day}T{clock:0>5}"
        case {"d": day} if _DAY.fullmatch(day):
            found.values[name] = day
        case {"d": text} | {"h": text}:
            found.texts[name] = text
        case {"y": text} if text in (YES, NO):
            found.values[name] = text == YES
        case {"c": _} | {"m": _} | {"w": _}:
            # A client may lead a list with a comma, or leave an empty item in it.
            listed = ",".join(given.get(letter, "") for letter in (ONE, SEVERAL)).split(",")
            options = tuple(dict.fromkeys(one for one in listed if _OPTION.fullmatch(one)))
            found.values[name] = Picked(options, given.get(WORDS))
        case _:
            return


def _number(text: str) -> float | None:
    """The number that an input holds; None where it is none, or not exact."""
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text) if "." in text else int(text)
    return number if abs(number) < LARGEST else None


def _text(value: Any) -> str:
    """A value as clients send it; some send numbers and booleans as such."""
    if isinstance(value, bool):
        return YES if value else NO
    if isinstance(value, int | float):
        return _written(value)
    return value if isinstance(value, str) and value.strip() else ""


def _written(number: float) -> str:
    whole = abs(number) <= LARGEST and number == int(number)
    try:
        return str(int(number)) if whole else str(number)
    except ValueError:  # an integer of thousands of digits
        return ""


def stamp_ms(name: str) -> int | None:
    """The time that a message's id is made of, in ms; None where it is none."""
    if not re.fullmatch(r"[0-9]{13}", name, re.ASCII):
        return None
    return int(name)


def moment(name: str) -> datetime | None:
    """The same as a time."""
    found = stamp_ms(name)
    return None if found is None else datetime.fromtimestamp(found / 1000, UTC)
