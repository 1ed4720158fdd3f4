"""`oz0 approval show`: one ask whole, on a terminal. Pure.

Nothing is numbered: on the command line a label is the answer, and a number would not be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from rich.text import Text

from gateway.cli.asking import HIDDEN, Ask, command, ended, moment
from gateway.visible import one_line, visible

_BOUNDS = {
    "min": "at least {}",
    "max": "at most {}",
    "max_length": "at most {} characters",
}
_FLAGS = {"integer": "whole", "date_time": "with a time"}


def page(ask: Ask, now: datetime) -> Iterator[Text]:
    """Who asks, the question, what is taken, how it stands, and the command. `now` is aware."""
    yield Text.assemble((ask["id"], "bold"), f"  {ask['kind']}, {ask['status']}")
    yield Text(f"{one_line(ask['agent'])} asks, in {ask['run_id']}:")
    yield Text("")
    yield from _question(ask)
    yield Text("")
    if ask["outcome"]:
        at = ask["outcome"]["at"]
        yield Text(f"{ended(ask)}{f', {moment(at, now)}' if at else ''}.")
        return
    if ask["audience"]:
        yield Text(f"waits for {', '.join(map(one_line, ask['audience']))} only")
    until = moment(ask["deadline"], now) if ask["deadline"] else "it is answered"
    yield Text(f"waits until {until}")
    if how := command(ask):
        yield Text(how)


def _question(ask: Ask) -> Iterator[Text]:
    if not ask["may_see_content"]:
        yield Text(HIDDEN)
        return
    if ask["prompt"]:
        yield Text(visible(ask["prompt"]), style="bold")
    for field in ask["fields"]:
        # The one field of a plain question has a name of ours, which tells nobody anything.
        if ask["shape"] == "fields":
            yield Text("")
            yield Text.assemble((_title(field), "bold"), f"  {_kind(field)}")
            if field.get("description"):
                yield Text(f"  {visible(field['description'])}")
        yield from _options(field)


def _title(field: Mapping[str, Any]) -> str:
    label = field.get("label")
    return f"{field['name']} ({one_line(label)})" if label else str(field["name"])


def _kind(field: Mapping[str, Any]) -> str:
    bounds = [
        words.format(field[key]) for key, words in _BOUNDS.items() if field.get(key) is not None
    ]
    flags = [words for key, words in _FLAGS.items() if field.get(key)]
    needed = "needed" if field["required"] else "may be left out"
    return ", ".join([field["kind"], *flags, *bounds, needed])


def _options(field: Mapping[str, Any]) -> Iterator[Text]:
    for option in field.get("options") or ():
        about = option.get("description")
        yield Text(f"  - {one_line(option['label'])}{f': {visible(about)}' if about else ''}")
    if field.get("write_in"):
        yield Text("  - or your own words")
