"""Which Adaptive Cards Teams refuses: the service itself, or the parser of its clients.

Plain functions of a card's JSON. Properties nobody knows are let through, as Teams does.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = dict[str, Any]

NEWEST = (1, 5)
"""The newest card version that bots may send to Teams."""

MOST_ACTIONS = 6
"""`maxActions` of Teams' host config; those of mode `secondary` stand in a menu of their own."""

MOST_REFRESHED = 60
"""How many users a card may be refreshed for."""

REQUIRED: dict[str, tuple[str, ...]] = {
    "TextBlock": ("text",),
    "RichTextBlock": ("inlines",),
    "Image": ("url",),
    "ImageSet": ("images",),
    "Media": ("sources",),
    "Container": ("items",),
    "ColumnSet": (),
    "Column": (),
    "FactSet": ("facts",),
    "ActionSet": ("actions",),
    "Table": (),
    "TableRow": (),
    "TableCell": ("items",),
    "Input.Text": ("id",),
    "Input.Number": ("id",),
    "Input.Date": ("id",),
    "Input.Time": ("id",),
    "Input.Toggle": ("id", "title"),
    "Input.ChoiceSet": ("id",),
    "Action.OpenUrl": ("url",),
    "Action.Submit": (),
    "Action.Execute": (),
    "Action.ShowCard": (),
    "Action.ToggleVisibility": ("targetElements",),
}
"""The elements and actions of schema 1.5, and what none of them goes without."""

SINCE: dict[str, tuple[int, int]] = {
    "Media": (1, 1),
    "RichTextBlock": (1, 2),
    "ActionSet": (1, 2),
    "Action.ToggleVisibility": (1, 2),
    "Action.Execute": (1, 4),
    "Table": (1, 5),
    "TableRow": (1, 5),
    "TableCell": (1, 5),
    "label": (1, 3),
    "isRequired": (1, 3),
    "errorMessage": (1, 3),
    "regex": (1, 3),
    "associatedInputs": (1, 3),
    "refresh": (1, 4),
    "mode": (1, 5),
    "isEnabled": (1, 5),
}
"""The first version of what 1.0 does not have: types, and properties of any type."""

ENUMS: dict[tuple[str, str], tuple[str, ...]] = {
    ("Input.ChoiceSet", "style"): ("compact", "expanded", "filtered"),
    ("Input.Text", "style"): ("text", "tel", "url", "email", "password"),
    ("TextBlock", "style"): ("default", "heading"),
    ("TextBlock", "size"): ("default", "small", "medium", "large", "extralarge"),
    ("TextBlock", "weight"): ("default", "lighter", "bolder"),
    ("TextBlock", "fontType"): ("default", "monospace"),
    ("Action", "style"): ("default", "positive", "destructive"),
    ("Action", "mode"): ("primary", "secondary"),
    ("Action", "associatedInputs"): ("auto", "none"),
}
"""Values of enumerations, compared without regard to case, as the schema does."""

CHILDREN = ("body", "items", "columns", "rows", "cells", "actions")
SUBMIT_TYPES = ("messageBack", "imBack", "task/fetch", "invoke", "signin")


class CardRefused(Exception):
    """The card is one that Teams does not take."""


# What Teams refuses


def check(card: Any, *, version: tuple[int, int] | None = None) -> None:
    """Raises: CardRefused, for what the service or its clients' parser does not take.

    `version` is that of the card around this one, for a card inside an action.
    """
    if not isinstance(card, dict) or card.get("type") != "AdaptiveCard":
        raise CardRefused("content is not an object of type AdaptiveCard")
    if version is None:
        version = _version(card.get("version"))
        seen: set[str] = set()
        for node in _nodes(card):
            _unique(node, seen)
    refresh = card.get("refresh")
    if refresh is not None:
        _check_refresh(refresh, version)
    _check_actions(card)
    for node in _children(card):
        _check_node(node, version)


def _version(found: Any) -> tuple[int, int]:
    matched = re.fullmatch(r"(\d+)\.(\d+)", found) if isinstance(found, str) else None
    if matched is None:
        raise CardRefused(f"version {found!r} is none")
    version = (int(matched[1]), int(matched[2]))
    if not (1, 0) <= version <= NEWEST:
        raise CardRefused(f"version {found} is not supported")
    return version


def _unique(node: Node, seen: set[str]) -> None:
    name = node.get("id")
    if name in seen:
        raise CardRefused(f"id {name!r} is used twice")
    if isinstance(name, str):
        seen.add(name)


def _children(node: Node) -> Iterator[Node]:
    for name in CHILDREN:
        children = node.get(name, [])
        if not isinstance(children, list):
            raise CardRefused(f"{name} is not a list")
        for child in children:
            if not isinstance(child, dict):
                raise CardRefused(f"{name} holds something that is no object")
            # Only inside these may the type be left out.
            implied = {"columns": "Column", "rows": "TableRow", "cells": "TableCell"}.get(name)
            yield child if "type" in child or implied is None else {**child, "type": implied}
    for name in ("selectAction", "inlineAction"):
        if name in node:
            yield node[name]


def _nodes(card: Node) -> Iterator[Node]:
    """Every element and action, those of inner cards too, fallbacks not."""
    for child in _children(card):
        yield child
        yield from _nodes(child)
        if isinstance(child.get("card"), dict):
            yield from _nodes(child["card"])


def _check_refresh(refresh: Any, version: tuple[int, int]) -> None:
    action = refresh.get("action") if isinstance(refresh, dict) else None
    if not isinstance(action, dict) or action.get("type") != "Action.Execute":
        raise CardRefused("refresh has no Action.Execute")
    if version < SINCE["refresh"]:
        raise CardRefused("refresh needs version 1.4")
    users = refresh.get("userIds", [])
    if not isinstance(users, list) or len(users) > MOST_REFRESHED:
        raise CardRefused(f"refresh is for at most {MOST_REFRESHED} users")


def _check_actions(node: Node) -> None:
    drawn = [
        one for one in node.get("actions", []) if str(one.get("mode", "")).lower() != "secondary"
    ]
    if len(drawn) > MOST_ACTIONS:
        raise CardRefused(f"{len(drawn)} actions, at most {MOST_ACTIONS} are drawn")


def _check_node(node: Node, version: tuple[int, int]) -> None:
    kind = node.get("type")
    if kind not in REQUIRED:
        if "fallback" in node:
            return
        raise CardRefused(f"unknown type {kind!r}")
    _check_properties(kind, node, version)
    match kind.partition(".")[0]:
        case "Input":
            _check_input(kind, node)
        case "Action":
            _check_action(kind, node, version)
        case "ActionSet":
            _check_actions(node)
        case _:
            _check_texts(kind, node)
    for child in _children(node):
        _check_node(child, version)


def _check_properties(kind: str, node: Node, version: tuple[int, int]) -> None:
    for name in REQUIRED[kind]:
        if node.get(name) in (None, ""):
            raise CardRefused(f"{kind} without {name}")
    for name in (kind, *node):
        if SINCE.get(name, (1, 0)) > version:
            raise CardRefused(f"{name} needs a newer version than {version[0]}.{version[1]}")
    for (owner, name), values in ENUMS.items():
        value = node.get(name)
        known = value is None or str(value).lower() in values
        if not known and owner in (kind, kind.partition(".")[0]):
            raise CardRefused(f"{kind} has no {name} {value!r}")


def _check_texts(kind: str, node: Node) -> None:
    if kind == "TextBlock" and not isinstance(node["text"], str):
        raise CardRefused("a TextBlock's text is no string")
    if kind == "FactSet":
        for fact in node["facts"]:
            if not all(isinstance(fact.get(part), str) for part in ("title", "value")):
                raise CardRefused("a fact needs a title and a value, both strings")
    if kind == "RichTextBlock":
        for run in node["inlines"]:
            if not isinstance(run, str) and not isinstance(run.get("text"), str):
                raise CardRefused("a TextRun without text")


def _check_input(kind: str, node: Node) -> None:
    if not isinstance(node["id"], str):
        raise CardRefused("an input's id is no string")
    bounds = {name: node[name] for name in ("min", "max", "value") if node.get(name) is not None}
    if kind == "Input.ChoiceSet":
        for choice in node.get("choices", []):
            if not all(isinstance(choice.get(part), str) for part in ("title", "value")):
                raise CardRefused("a choice needs a title and a value, both strings")
    if kind == "Input.Number" and not all(_is_number(value) for value in bounds.values()):
        raise CardRefused("min, max and value of an Input.Number are numbers")
    if kind == "Input.Date" and not all(is_date(value) for value in bounds.values()):
        raise CardRefused("min, max and value of an Input.Date are YYYY-MM-DD")
    if kind == "Input.Text" and "regex" in node:
        try:
            re.compile(node["regex"])
        except re.error as error:
            raise CardRefused(f"regex: {error}") from error


def _check_action(kind: str, node: Node, version: tuple[int, int]) -> None:
    if kind == "Action.ShowCard":
        check(node.get("card"), version=version)
    if kind == "Action.OpenUrl" and not re.match(r"(https?|mailto|msteams):", node["url"]):
        raise CardRefused("an Action.OpenUrl opens http, https, mailto or msteams")
    data = node.get("data")
    if data is not None and not isinstance(data, dict | str):
        raise CardRefused("an action's data is an object or a string")
    special = data.get("msteams") if isinstance(data, dict) else None
    if isinstance(special, dict) and special.get("type") not in SUBMIT_TYPES:
        raise CardRefused(f"msteams has no action {special.get('type')!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_date(value: Any) -> bool:
    """Whether it is a day as the schema writes it."""
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False
