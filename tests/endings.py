"""Asks and their ends, as words are made of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from channels.catalogue import Reader
from gateway.ask import Ask, AskRecord, Outcome
from gateway.question import Field, Kind, Question
from tests.strategies import approval, record_of
from tests.strategies_reply import choice, field

NOW = datetime(2026, 10, 20, 12, 2, tzinfo=UTC)
READER = Reader()

COPIES = field(Kind.NUMBER, "copies", integer=True, min=1, max=9)


def an_ask(*fields: Field, prompt: str = "Which?") -> Ask:
    """An ask of these fields; of three colours, where there are none."""
    question = Question(prompt=prompt, fields=fields or (choice("red", "blue", "green"),))
    return approval().model_copy(update={"question": question, "kind": "question"})


def settled(ask: Ask, **outcome: Any) -> AskRecord:
    """The ask, ended now, by Kevin in Slack unless said otherwise."""
    made = Outcome(**{"by": "user:kevin", "name": "Kevin", "surface": "slack"} | outcome)
    return replace(record_of(ask, made), settled_at=NOW)
