"""The settings of each channel, from its table and its variables, checked by its model. Pure.

A variable is called after the channel and the key: `OZ_SLACK_BOT_TOKEN` is `bot_token` of
`[channel.slack]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from gateway.config_checks import unknown
from gateway.errors import Problem
from gateway.question import Frozen

MODELS = Mapping[str, type[Frozen]]


def channel_variables(channels: MODELS) -> dict[str, tuple[str, str]]:
    """Channel and key by the variable's name."""
    return {
        f"OZ_{name}_{key}".upper(): (name, key)
        for name, model in channels.items()
        for key in model.model_fields
    }


def read_channels(
    tables: object, channels: MODELS, environ: Mapping[str, str]
) -> tuple[dict[str, Frozen], list[Problem]]:
    """The settings by channel, of those that have a table or a variable; and every fault."""
    given: dict[str, Any] = dict(tables) if isinstance(tables, dict) else {}
    for variable, (name, key) in channel_variables(channels).items():
        if environ.get(variable) and isinstance(given.setdefault(name, {}), dict):
            given[name] = given[name] | {key: environ[variable]}
    read: dict[str, Frozen] = {}
    problems: list[Problem] = []
    for name, table in given.items():
        model = channels.get(name)
        if model is None:
            problems.append(Problem(f"channel.{name}", unknown("channel", name, list(channels))))
            continue
        try:
            read[name] = model.model_validate(table)
        except ValidationError as error:
            problems += _faults(name, model, error)
    return read, problems


def _faults(name: str, model: type[Frozen], error: ValidationError) -> list[Problem]:
    problems = []
    for fault in error.errors(include_input=False, include_url=False, include_context=False):
        path = ".".join((f"channel.{name}", *map(str, fault["loc"])))
        if fault["type"] == "extra_forbidden":
            words = unknown("key", str(fault["loc"][-1]), list(model.model_fields))
        elif fault["type"] == "missing":
            variable = f"OZ_{name}_{fault['loc'][-1]}".upper()
            words = f"Needed, and missing: write it here, or set {variable}."
        else:
            words = fault["msg"].removeprefix("Value error, ").rstrip(".") + "."
        problems.append(Problem(path, words, code=fault["type"]))
    return problems
