"""An ask drawn for Slack, waiting and ended, and what is read and pressed on its post."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from channels.catalogue import Reader
from channels.contract import Destination
from channels.drawing import draw
from channels.slack import render
from channels.slack.render import CAPABILITIES
from channels.testing.slack.limits import block_problems, weight
from channels.testing.slack.reading import words
from gateway.ask import Ask, AskRecord, Outcome, Status

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HERE = Destination("slack", "C1", "1.000001")
SEES = Reader(shared=True, buttons=True, stamps=True)
Json = dict[str, Any]


def record(ask: Ask) -> AskRecord:
    """The ask as it waits."""
    return AskRecord(
        ask=ask, status=Status.PENDING, version=1, opened_at=NOW, deadline=NOW + timedelta(hours=4)
    )


def ended(ask: Ask) -> AskRecord:
    """The ask, declined."""
    outcome = Outcome(
        status=Status.DECLINED, by="user:ana", name="Ana", surface="slack", reason="later"
    )
    return replace(record(ask), status=Status.DECLINED, outcome=outcome, settled_at=NOW, version=2)


def drawn(one: AskRecord, **more: Any) -> Any:
    """The drawing for a place that sees it."""
    return draw(SEES, one, CAPABILITIES, code="K7", waits_for="people", now=NOW, **more)


def messages(one: AskRecord, **more: Any) -> tuple[Json, ...]:
    """The messages of its post."""
    return render.post(drawn(one, **more))


def refused(message: Json) -> list[str]:
    """What Slack would not take of a message, as a post and as an update."""
    problems = block_problems(message["blocks"], "message")
    if not problems and weight(message["blocks"]) > 13_200:
        problems.append("msg_blocks_too_long")
    if len(message["text"].encode("utf-8", "surrogatepass")) > 4_000:
        problems.append("msg_too_long")
    return problems


def read(message: Json) -> str:
    """What people read of it."""
    return words(message["blocks"], message["text"], str)


def elements(message: Json) -> list[Json]:
    """What can be pressed on it."""
    rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
    return [one for row in rows for one in row]


def data(message: Json) -> list[str]:
    """The data of all that can be pressed or chosen."""
    found = []
    for one in elements(message):
        found += [option["value"] for option in one.get("options", [])]
        found += [one["value"]] if "value" in one else []
    return found
