"""A run's events as lines to read: → called, ? asked, ▶ ended, ← read by the agent. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gateway.ask import Contract
from gateway.cli.asking import Ask, command, ended, picks, sentence
from gateway.contracts import CONTRACTS
from gateway.question import Field, Question
from gateway.visible import one_line

Event = Mapping[str, Any]
"""One event as the API tells it (`EventShape`)."""


@dataclass(frozen=True, slots=True)
class Line:
    """`mark` is one of → ? ▶ ← · or "" for a line that belongs to the one above."""

    mark: str
    text: str


def lines(agent: str, event: Event, read: Callable[[str], Ask | None]) -> Iterator[Line]:
    """What to print for one event; `read` gives an ask by id, None for one that is gone."""
    ask = read(event["ask_id"]) if event.get("ask_id") else None
    name = one_line(agent)
    match event["type"]:
        case "ask.opened" if ask:
            yield from _opened(name, ask)
        case "ask.answered" | "ask.declined" | "ask.expired" | "ask.cancelled" if ask:
            yield from _ended(name, ask, event)
        case "child_needs_human":
            yield Line("·", f"{name} · its sub-run {event['child_run_id']} asks")
            if ask:
                yield from _opened(one_line(ask["agent"]), ask)
        case "webhook.due":
            return
        case _:
            yield Line("·", f"{name} · {_other(event)}")


def _opened(name: str, ask: Ask) -> Iterator[Line]:
    if ask["contract"] and ask["may_see_content"]:
        yield Line("→", f"{name} → {ask['contract']} {call(ask)}")
    yield Line("?", f"{name} ? asks {ask['id']}: {sentence(ask)}")
    if ask.get("shape") == "fields":
        for field in ask["fields"]:
            if shown := _field(field):
                yield Line("", f"  {shown}")
    if ask["status"] == "pending" and (how := command(ask)):
        yield Line("", f"  {how}")


def _field(field: Mapping[str, Any]) -> str:
    """`on: Send on`, `region: Which region? [eu / us]`; "" where the name says all."""
    about = [one_line(field[key]) for key in ("label", "description") if field.get(key)]
    words = " ".join([*([" · ".join(about)] if about else []), *filter(None, [picks(field)])])
    return f"{field['name']}: {words}" if words else ""


def _ended(name: str, ask: Ask, event: Event) -> Iterator[Line]:
    if ask["outcome"]:
        yield Line("▶", f"{name} ▶ {ended(ask)}")
    if "result" in event:
        result = event["result"]
        shown = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
        yield Line("←", f"{name} ← {ask['contract'] or ask['kind']} {one_line(shown)}")


def call(ask: Ask) -> str:
    """The tool's call as the gateway understood it: compact, keys sorted."""
    question = Question(
        prompt=ask["prompt"],
        fields=tuple(Field.model_validate(field) for field in ask["fields"]),
        typed=ask["shape"] == "fields" and ask["contract"] == Contract.OZ_ASK_USER,
    )
    arguments = CONTRACTS[Contract(ask["contract"])].input_context(question)
    text = json.dumps(arguments, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return one_line(text)


def _other(event: Event) -> str:
    ask, what = event.get("ask_id") or "", event["type"]
    match what:
        case "run.created":
            said = f"{event['run_id']} has begun"
        case "run.ended":
            said = f"{event['run_id']} has ended: {event['status']}"
        case "ask.not_asked":
            said = f"nobody was asked, because on_question is {event['mode']}"
        case "ask.refused":
            said = f"{ask}: an answer of {one_line(event['by'])} was not taken"
        case "question.waiting" | "approval.escalated":
            said = f"{ask} still waits: {what} to {one_line(event['to'])}"
        case "webhook.dead":
            said = f"{ask}: its outcome could not be delivered; see `oz0 dead list resume`"
        case _:
            said = f"{what} {ask}".rstrip()
    return said
