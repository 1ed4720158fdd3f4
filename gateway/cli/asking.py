"""One ask of the API's in words: what it wants, how it ended, the command that answers it. Pure.

Everything an agent or a person wrote is made visible and put on one line.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gateway.visible import one_line

Ask = Mapping[str, Any]
"""An ask as the API tells it (`AskShape`), perhaps without content."""

HIDDEN = "(you may not see the question)"

_BLANK: dict[str, Any] = {
    "text": "...",
    "number": 0,
    "choice": "...",
    "multi-choice": ["..."],
    "date": "YYYY-MM-DD",
    "toggle": True,
}
"""What stands for a value of each kind in a command that is to be filled in."""


def sentence(ask: Ask) -> str:
    """What is asked and what is taken for it: `Which colour? [red / blue]`."""
    if not ask["may_see_content"]:
        return HIDDEN
    prompt = one_line(ask["prompt"]) or f"{len(ask['fields'])} questions"
    return f"{prompt} {taken}" if (taken := wanted(ask)) else prompt


def wanted(ask: Ask) -> str:
    """`[red / blue]`, `{on: date, copies: number}`, or "" for words and approvals."""
    fields = ask.get("fields") or ()
    if ask.get("shape") == "fields":
        return "{" + ", ".join(f"{field['name']}: {field['kind']}" for field in fields) + "}"
    return picks(fields[0]) if fields else ""


def picks(field: Mapping[str, Any]) -> str:
    """A field's options: `[red / blue]`; the own words and the several it takes are said."""
    labels = [one_line(option["label"]) for option in field.get("options") or ()]
    if not labels:
        return ""
    if field.get("write_in"):
        labels.append("your own words")
    several = " (several)" if field["kind"] == "multi-choice" else ""
    return f"[{' / '.join(labels)}]{several}"


def command(ask: Ask) -> str:
    """The command that answers it, to be filled in, and what else may be done with it."""
    ids = f"{ask['run_id']} {ask['id']}"
    other = "   (or deny)" if ask["can_decline"] else "   (or skip)" if ask["can_skip"] else ""
    if ask["kind"] == "approval":
        return f"oz0 approval approve {ids}{other}"
    if not ask["may_see_content"]:
        word = "deny" if ask["can_decline"] else "skip"
        return f"oz0 approval {word} {ids}" if other else ""
    return f"oz0 approval answer {ids} {blank(ask)}{other}"


def blank(ask: Ask) -> str:
    """The answer's place in a command, quoted for a shell."""
    shape = ask.get("shape")
    if shape == "fields":
        values = {field["name"]: _blank_of(field) for field in ask["fields"]}
        return f"'{json.dumps(values)}'"
    return "true" if shape == "toggle" else "0" if shape == "number" else '"..."'


def _blank_of(field: Mapping[str, Any]) -> Any:
    return "YYYY-MM-DDThh:mm" if field.get("date_time") else _BLANK[field["kind"]]


def ended(ask: Ask) -> str:
    """How it ended, who first: `operator:admin answered: blue`."""
    outcome = ask["outcome"]
    who = one_line(outcome["by"] or "Nobody")
    reason = one_line(outcome.get("reason") or "")
    match outcome["status"]:
        case "answered" if ask["kind"] == "approval":
            return _with(f"{who} approved", reason)
        case "answered":
            return _with(f"{who} answered", answer_text(outcome.get("answer")))
        case "declined" if outcome["skipped"]:
            return f"{who} skipped it"
        case "declined":
            return _with(f"{who} {'denied' if ask['kind'] == 'approval' else 'declined'}", reason)
        case "expired":
            return "Nobody answered in time"
        case _:
            return _with("The question was withdrawn", reason)


def answer_text(answer: Any) -> str:
    """An answer as the agent reads it, on one line; "" for one that may not be seen."""
    if answer is None:
        return ""
    return one_line(answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False))


def _with(said: str, words: str) -> str:
    return f"{said}: {words}" if words else said


def moment(iso: str, now: datetime) -> str:
    """A time in the terminal's zone; the day when it is not today's. `now` is aware."""
    at = datetime.fromisoformat(iso).astimezone(now.tzinfo)
    return f"{at:%H:%M}" if at.date() == now.date() else f"{at:%Y-%m-%d %H:%M}"
