"""Whether two stores answered alike, whatever belongs to one of them alone aside."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import BaseModel

from gateway.store import DeadLetter, Due, Event, Taken

STEP_SLACK = timedelta(seconds=20)
"""Ours: above what one step takes on a busy machine, far below the quarter hours of the moves."""


def alike(one: Any, other: Any) -> bool:  # noqa: PLR0911 - one line a kind of answer
    """Whether two answers are the same, whatever belongs to one store alone aside."""
    match one, other:
        case datetime(), datetime():
            return abs(one - other) < STEP_SLACK
        case Taken(), Taken():
            return one.gone == other.gone and alike(one.event, other.event)
        case Due(), Due():
            return set(one.members) == set(other.members) and alike(one.next_at, other.next_at)
        case Event(), Event():
            bare = [event._replace(id="", at_ms=0) for event in (one, other)]
            # What `deliver` is told has no run; its time is the server's own, which no test moves.
            return (not one.run_id or alike(one.at, other.at)) and bare[0] == bare[1]
        case DeadLetter(), DeadLetter():
            return alike(_but(one, "id"), _but(other, "id"))
        case BaseModel(), BaseModel():
            return one == other
        case dict(), dict():
            return one.keys() == other.keys() and all(alike(one[k], other[k]) for k in one)
        case ((list() | tuple()), (list() | tuple())):
            return len(one) == len(other) and all(map(alike, one, other))
        case _ if is_dataclass(one) and type(one) is type(other):
            return alike(_but(one), _but(other))
        case _:
            return type(one) is type(other) and bool(one == other)


def _but(value: Any, *left_out: str) -> dict[str, Any]:
    return {f.name: getattr(value, f.name) for f in fields(value) if f.name not in left_out}


def by_what_it_is(taken: list[Taken]) -> list[Taken]:
    """Entries in an order that both stores can keep: theirs is by place."""

    def what(one: Taken) -> tuple[str, ...]:
        event = one.event
        return (event.run_id, event.ask_id or "", event.type, event.note) if event else ()

    return sorted((one for one in taken if not one.gone), key=what)
