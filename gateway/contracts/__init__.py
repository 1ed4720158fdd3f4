"""The three tools agents ask through: arguments → ask, outcome → result, input → answer. Pure.

Callers take a contract's rules from here and never ask which contract it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gateway.contracts import ask_a_human, ask_user, direct, oz_ask_user
from gateway.contracts.direct import check_question
from gateway.contracts.fields import field_json
from gateway.contracts.rules import ANSWER, Asked, ContractRules, Defaults, Result, Rules
from gateway.errors import AskError, AskInFlight

if TYPE_CHECKING:
    from gateway.answer import Values
    from gateway.ask import Ask, AskRecord, Contract

__all__ = [
    "ANSWER",
    "CONTRACTS",
    "Asked",
    "ContractRules",
    "Defaults",
    "Result",
    "Rules",
    "check_question",
    "field_json",
    "pending_input_context",
    "pending_input_schema",
    "read_input",
    "refusal",
    "result",
    "rules_of",
    "rules_of_tool",
    "tools",
]

CONTRACTS: Mapping[Contract, ContractRules] = {
    module.RULES.contract: module.RULES for module in (oz_ask_user, ask_user, ask_a_human)
}

_BY_NAME = {name: rules for rules in CONTRACTS.values() for name in rules.names}


def rules_of(contract: Contract | None) -> Rules:
    """A contract's rules; None stands for asks that came through no tool."""
    return direct.RULES if contract is None else CONTRACTS[contract]


def rules_of_tool(name: str) -> ContractRules | None:
    """The contract of a tool by any of its names (`oz.ask_human` too), or None."""
    return _BY_NAME.get(name)


def tools(*, main_run: bool = True) -> list[dict[str, Any]]:
    """What a model is offered: name, description, parameters; a sub-run gets fewer."""
    return [rules.tool() for rules in CONTRACTS.values() if main_run or not rules.main_runs_only]


def result(record: AskRecord) -> Result:
    """What the agent reads. Raises: ValueError, the ask still waits."""
    return rules_of(record.ask.contract).result(record)


def refusal(error: AskError) -> dict[str, Any]:
    """A refused call as data for the model: a code, one sentence, one entry per fault."""
    told: dict[str, Any] = {
        "error": error.code,
        "message": error.message,
        "problems": [
            {
                "path": problem.path,
                "message": problem.message,
                "code": problem.code,
                **({} if problem.limit is None else {"limit": problem.limit}),
            }
            for problem in error.problems
        ],
    }
    if isinstance(error, AskInFlight):
        told["ask_id"] = error.ask_id
    return told


def pending_input_schema(ask: Ask) -> dict[str, Any]:
    """The JSON Schema of the `input` that `resume` takes for this ask. It holds content."""
    return rules_of(ask.contract).input_schema(ask.question)


def pending_input_context(ask: Ask) -> dict[str, Any]:
    """The question, as a run that waits shows it. It holds content."""
    return rules_of(ask.contract).input_context(ask.question)


def read_input(ask: Ask, body: object, zone: str | None = None) -> Values:
    """The answer from the `input` of a `resume`, checked. `zone` is the answerer's (IANA).

    Raises:
        InvalidAnswer: with every problem; the ask keeps waiting.
    """
    return rules_of(ask.contract).read_input(ask.question, body, zone)
