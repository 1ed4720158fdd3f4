"""The question itself, as all three tools take it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gateway.contracts.faults import Faults

QUESTION_CHARS = 8_000
"""Characters of a question (contracts, decision 2)."""


def read_prompt(faults: Faults, given: Mapping[str, Any], path: str = "question") -> str:
    """The question as authored; empty where it is missing or faulty, which `faults` then holds."""
    if "question" not in given:
        return ""
    return faults.text(given["question"], path, QUESTION_CHARS) or ""


def prompt_schema(description: str) -> dict[str, Any]:
    return {
        "type": "string",
        "minLength": 1,
        "maxLength": QUESTION_CHARS,
        "description": description,
    }
