"""What every contract is to the broker: one record of values and plain functions.

Nobody outside asks which contract it is; what differs between them stands here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gateway.ask import AskRecord, Contract, OnQuestion, OnTimeout

if TYPE_CHECKING:
    from gateway.answer import Values
    from gateway.question import Question

ANSWER = "answer"
"""The field of a question that was not asked as fields."""

Result = str | dict[str, Any]
"""What the agent reads as the tool's result, to the letter of its contract's original."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a run says about its asks' waits, for contracts that leave it to the run."""

    timeout_s: int | None = None
    on_timeout: OnTimeout = OnTimeout.CONTINUE


@dataclass(frozen=True, slots=True)
class Asked:
    """A call that fits its contract, to be opened. `timeout_s` None: until the run's deadline."""

    question: Question
    timeout_s: int | None
    on_timeout: OnTimeout


@dataclass(frozen=True, slots=True)
class Rules:
    """How an ask's outcome and its `resume` read.

    `result(record)` is what the agent reads once the ask has ended; ValueError while it waits.
    `input_schema(question)` is the JSON Schema of the `input` that `read_input(question, input,
    zone)` takes, which raises InvalidAnswer; `input_context(question)` is the question itself. All
    three hold content.
    """

    result: Callable[[AskRecord], Result]
    input_schema: Callable[[Question], dict[str, Any]]
    read_input: Callable[[Question, object, str | None], Values]
    input_context: Callable[[Question], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ContractRules(Rules):
    """One of the three tools.

    `names` are all it answers to, the one the model sees first. `tool()` is what the model is
    offered: name, description, JSON Schema of the arguments. `read(arguments, defaults)` takes any
    JSON and raises InvalidQuestion, with every problem of the call. `not_asked(mode)` is the result
    at once in a run that asks nobody.
    """

    contract: Contract
    names: tuple[str, ...]
    one_at_a_time: bool
    main_runs_only: bool
    tool: Callable[[], dict[str, Any]]
    read: Callable[[object, Defaults], Asked]
    not_asked: Callable[[OnQuestion], Result]


def values_of(record: AskRecord) -> dict[str, Any]:
    """An answered ask's values as the store keeps them. Raises: ValueError, nobody answered."""
    if record.outcome is None or record.outcome.values is None:
        raise ValueError(f"{record.ask.id} has no answer.")
    return record.outcome.values
