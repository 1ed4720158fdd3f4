"""A form as a Slack modal: each field with Slack's own input for its kind. Pure.

Which ask it is of and where it was opened rides along as its metadata; a press or a form names its
ask, and authorises nothing.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, assert_never

from channels.contract import Destination
from channels.fitting import split
from channels.slack.markup import MOST_ELEMENT, Json, plain, rich
from gateway.answer import Picked
from gateway.question import Kind
from gateway.scalars import TEXT_CAP

if TYPE_CHECKING:
    from channels.forms import Entry, Form, Reason
    from gateway.question import Field

MOST_TITLE = 24
"""Slack's, as all of the following: a modal's title, submit, close (platform facts, 1.5)."""
MOST_LABEL = 2_000
"""An input's label or hint (platform facts, 1.3)."""
MOST_TYPED = 3_000
"""What a plain text input takes, and what it may be filled with (platform facts, 1.3)."""
MOST_OPTION = 75
"""An option's text (platform facts, 1.3)."""
MOST_RADIO = 10
"""Options of radio buttons and of checkboxes; more are a menu (platform facts, 1.3)."""
LEAST_TIME, MOST_TIME = 10**9, 10**10 - 1
"""What a date and time picker takes: ten digits of Unix seconds (platform facts, 1.3)."""

FORM, REASON = "oz.form", "oz.reason"
"""Callback ids."""
VALUE, WORDS = "v", "w"
"""What the id of an input's block begins with: a field's value, or own words beside a choice."""
WHY = f"{WORDS}:"
"""The block of a reason, which belongs to no field."""
INPUT = "in"


@dataclass(frozen=True, slots=True)
class Opened:
    """What a modal carries along: its ask, its page, and the place and post it was opened at."""

    ask_id: str
    where: Destination
    message: str | None = None
    page: int = 0
    pages: int = 1

    def packed(self) -> str:
        where = {key: value for key, value in asdict(self.where).items() if key != "channel"}
        rest = {"message": self.message, "page": self.page, "pages": self.pages}
        return json.dumps({"ask": self.ask_id, **where, **rest}, separators=(",", ":"))

    @classmethod
    def unpacked(cls, text: Any) -> Opened | None:
        """What `packed` made that of; None for anything else."""
        try:
            found = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            return None
        match found:
            case {
                "ask": str(ask_id),
                "conversation": str(conversation),
                "thread": (str() | None) as thread,
                "account": (str() | None) as account,
                "message": (str() | None) as message,
                "page": int(page),
                "pages": int(pages),
            }:
                where = Destination("slack", conversation, thread, account)
                return cls(ask_id, where, message, page, pages)
        return None


def form(shown: Form, where: Destination, message: str | None) -> Json:
    """The modal of one page."""
    opened = Opened(shown.ask_id, where, message, shown.page, shown.pages)
    blocks = [rich((piece, False)) for piece in split(shown.question, MOST_ELEMENT)]
    for entry in shown.entries:
        blocks += _entry(entry)
    return _modal(FORM, opened, shown.title, shown.send, shown.cancel, blocks)


def reason(shown: Reason, where: Destination, message: str | None) -> Json:
    """The modal that asks why."""
    element = _typed("", MOST_TYPED, multiline=True)
    block = _input(WHY, shown.label, "", element, optional=True)
    opened = Opened(shown.ask_id, where, message)
    return _modal(REASON, opened, shown.title, shown.send, shown.cancel, [block])


def _modal(
    name: str, opened: Opened, title: str, send: str, close: str, blocks: list[Json]
) -> Json:
    return {
        "type": "modal",
        "callback_id": name,
        "private_metadata": opened.packed(),
        "title": plain(title, MOST_TITLE),
        "submit": plain(send, MOST_TITLE),
        "close": plain(close, MOST_TITLE),
        "blocks": blocks,
    }


def _entry(entry: Entry) -> list[Json]:
    """The field's input, after the whole of what does not fit on it."""
    one = entry.field
    if not _is_taken(one, entry.value):
        return [rich((piece, False)) for piece in split(entry.kept, MOST_ELEMENT)]
    blocks = []
    rows = [f"{row.key}. {row.text}" for row in entry.rows]
    if any(len(row) > MOST_OPTION for row in rows):
        blocks += [rich((piece, False)) for piece in split("\n".join(rows), MOST_ELEMENT)]
    hint = entry.hint
    if len(hint) > MOST_LABEL or len(entry.label) > MOST_LABEL:
        whole = f"{entry.label}\n{hint}"
        blocks += [rich((piece, False)) for piece in split(whole, MOST_ELEMENT)]
    # With own words beside it a choice may stay empty, whatever the field says.
    optional = one.write_in or not one.required
    blocks.append(
        _input(f"{VALUE}:{one.name}", entry.label, hint, _element(entry, rows), optional=optional)
    )
    if one.write_in:
        element = _typed(_words_of(entry.value), _longest(one), multiline=False)
        label = entry.other or entry.label
        blocks.append(_input(f"{WORDS}:{one.name}", label, "", element, optional=True))
    return blocks


def _input(name: str, label: str, hint: str, element: Json, *, optional: bool) -> Json:
    made = {
        "type": "input",
        "block_id": name,
        "label": plain(label, MOST_LABEL),
        "optional": optional,
        # An action id is there once in a view.
        "element": {**element, "action_id": f"{INPUT} {name}"},
    }
    return {**made, "hint": plain(hint, MOST_LABEL)} if hint else made


def _element(entry: Entry, rows: list[str]) -> Json:
    one, value = entry.field, entry.value
    match one.kind:
        case Kind.TEXT:
            # A question in words wants a sentence; a field says itself whether it has lines.
            lines = one.multiline or one.max_length is None
            return _typed(_words_of(value), _longest(one), multiline=lines)
        case Kind.NUMBER:
            return _number(one, value)
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            return _picker(one, rows, value)
        case Kind.DATE:
            return _date(one, value)
        case Kind.TOGGLE:
            yes, no = _option(entry.yes, "yes"), _option(entry.no, "no")
            made: Json = {"type": "radio_buttons", "options": [yes, no]}
            if isinstance(value, bool):
                made["initial_option"] = yes if value else no
            return made
        case _:
            assert_never(one.kind)


def _longest(one: Field) -> int:
    return min(TEXT_CAP if one.max_length is None else one.max_length, MOST_TYPED)


def _is_taken(one: Field, value: object) -> bool:
    """Whether its input can be filled with what was kept; what cannot would come back empty."""
    if one.date_time and isinstance(value, str):
        return LEAST_TIME <= _seconds(value) <= MOST_TIME
    return len(_words_of(value)) <= _longest(one)


def _words_of(value: object) -> str:
    """What somebody wrote, of a value: all of a text, the own words of a choice."""
    if isinstance(value, Picked):
        return value.write_in or ""
    return value if isinstance(value, str) else ""


def _typed(text: str, longest: int, *, multiline: bool) -> Json:
    made: Json = {"type": "plain_text_input", "multiline": multiline, "max_length": longest}
    return {**made, "initial_value": text} if text else made


def _number(one: Field, value: object) -> Json:
    made: Json = {"type": "number_input", "is_decimal_allowed": not one.integer}
    given = {"initial_value": value, "min_value": one.min, "max_value": one.max}
    for name, number in given.items():
        if isinstance(number, int | float) and not isinstance(number, bool):
            # Slack takes numbers as strings, and knows no exponents.
            made[name] = format(Decimal(repr(number)), "f")
    return made


def _picker(one: Field, rows: list[str], value: object) -> Json:
    options = [_option(row, option.id) for row, option in zip(rows, one.options, strict=True)]
    several = one.kind is Kind.MULTI_CHOICE
    picked = value.options if isinstance(value, Picked) else ()
    chosen = [shown for shown in options if shown["value"] in picked]
    few = len(options) <= MOST_RADIO
    if several:
        made: Json = {"type": "checkboxes" if few else "multi_static_select", "options": options}
        return {**made, "initial_options": chosen} if chosen else made
    made = {"type": "radio_buttons" if few else "static_select", "options": options}
    return {**made, "initial_option": chosen[0]} if chosen else made


def _option(label: str, value: str) -> Json:
    return {"text": plain(label, MOST_OPTION), "value": value}


def _date(one: Field, value: object) -> Json:
    made: Json = {"type": "datetimepicker" if one.date_time else "datepicker"}
    if isinstance(value, str) and not one.date_time:
        made["initial_date"] = value
    elif isinstance(value, str):
        made["initial_date_time"] = _seconds(value)
    return made


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())
