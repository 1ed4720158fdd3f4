"""Reads a stream of server-sent events (WHATWG HTML, 9.2). Pure over its lines, and total."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: the last id seen so far, its type, and its text."""

    id: str
    type: str
    data: str


def read_events(lines: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events in order; a comment, one without data, and one the end cuts off are none."""
    last_id, kind, data = "", "message", list[str]()
    for raw in lines:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if not line:
            if data:
                yield ServerEvent(last_id, kind, "\n".join(data))
            kind, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        match name:
            case "id" if "\0" not in value:
                last_id = value
            case "event":
                kind = value or "message"
            case "data":
                data.append(value)
            case _:  # a comment, `retry`, or something newer
                pass
