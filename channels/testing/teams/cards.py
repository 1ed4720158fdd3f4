"""An Adaptive Card in front of somebody: what they see, press and fill in, and what that sends.

Plain functions of a card's JSON, which is one that `card_rules` let through.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from html import unescape
from typing import TYPE_CHECKING, Any

from channels.testing.platform import Control, Entry
from channels.testing.teams.card_rules import REQUIRED, is_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from channels.testing.teams.card_rules import Node

KINDS = {
    "Input.Text": "text",
    "Input.Number": "number",
    "Input.Date": "date",
    "Input.Time": "time",
    "Input.Toggle": "toggle",
}


# What people see


@dataclass(frozen=True, slots=True)
class Action:
    """Something to press, with the inputs whose values it sends: its card's and its parents'."""

    node: Node
    inputs: tuple[Node, ...] = ()

    @property
    def label(self) -> str:
        return str(self.node.get("title", ""))

    @property
    def name(self) -> str:
        return str(self.node.get("id") or self.node.get("verb") or self.label)

    @property
    def kind(self) -> str:
        return str(self.node["type"]).removeprefix("Action.")


@dataclass(slots=True)
class Drawn:
    """A card in front of somebody: its words in order, what to fill in and what to press."""

    words: list[str] = field(default_factory=list)
    inputs: list[Node] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)

    def action(self, label: str) -> Action:
        """Raises: LookupError, naming those there are."""
        for one in self.actions:
            if label in (one.label, one.name):
                return one
        raise LookupError(f"no {label!r} among {[one.label for one in self.actions]}")

    def input(self, name: str) -> Node:
        """The input of that label or id. Raises: LookupError, naming those there are."""
        for one in self.inputs:
            if name in (one["id"], entry(one).label):
                return one
        raise LookupError(f"no {name!r} among {[entry(one).label for one in self.inputs]}")

    @property
    def controls(self) -> tuple[Control, ...]:
        found = [
            Control(
                entry(one).label,
                one["id"],
                "menu" if one["type"] == "Input.ChoiceSet" else "input",
                entry(one).options,
            )
            for one in self.inputs
        ]
        for one in self.actions:
            kind = "link" if one.kind == "OpenUrl" else "button"
            enabled = one.node.get("isEnabled", True) is True
            found.append(Control(one.label, one.name, kind, enabled=enabled))
        return tuple(found)


def draw(
    card: Node,
    *,
    opened: frozenset[str] = frozenset(),
    visible: Mapping[str, bool] | None = None,
    execute: bool = True,
) -> Drawn:
    """What somebody sees of a card.

    `opened` are the names of the ShowCards they opened, `visible` says what they toggled. A client
    without `execute` is one from before Action.Execute: it draws the fallback, or nothing.
    """
    drawing = _Drawing(Drawn(), opened, visible or {}, execute)
    drawing.card(card, ())
    return drawing.drawn


@dataclass(slots=True)
class _Drawing:
    drawn: Drawn
    opened: frozenset[str]
    visible: Mapping[str, bool]
    execute: bool

    def card(self, card: Node, parents: tuple[Node, ...]) -> None:
        inputs = list(parents)
        actions: list[Node] = []
        for node in card.get("body", []):
            self._element(node, inputs, actions, seen=True)
        for node in (*actions, *card.get("actions", [])):
            found = self._supported(node)
            if found is None:
                continue
            action = Action(found, tuple(inputs))
            self.drawn.actions.append(action)
            if action.kind == "ShowCard" and action.name in self.opened:
                self.card(found["card"], tuple(inputs))

    def _element(self, node: Node, inputs: list[Node], actions: list[Node], *, seen: bool) -> None:
        kind = node.get("type", "")
        if kind and kind not in REQUIRED:
            if isinstance(node.get("fallback"), dict):
                self._element(node["fallback"], inputs, actions, seen=seen)
            return
        seen = seen and self.visible.get(node.get("id", ""), node.get("isVisible", True))
        if kind.startswith("Input."):
            # One that nobody sees still has its value, and can still hold the card back.
            inputs.append(node)
        if seen:
            self.drawn.words.extend(_words(node))
            self.drawn.inputs.extend(one for one in [node] if kind.startswith("Input."))
            actions.extend(node.get("actions", []))
            actions.extend(one for one in [node.get("selectAction")] if one)
        for name in ("items", "columns", "rows", "cells"):
            for child in node.get(name, []):
                self._element(child, inputs, actions, seen=seen)

    def _supported(self, action: Node) -> Node | None:
        """What this client draws for an action; None: nothing."""
        known = action["type"] in REQUIRED
        if known and (self.execute or action["type"] != "Action.Execute"):
            return action
        fallback = action.get("fallback")
        return fallback if isinstance(fallback, dict) else None


def _words(node: Node) -> Iterator[str]:
    match node.get("type"):
        case "TextBlock":
            yield plain(node["text"])
        case "RichTextBlock":
            yield "".join(run if isinstance(run, str) else run["text"] for run in node["inlines"])
        case "FactSet":
            for fact in node["facts"]:
                yield f"{plain(fact['title'])} {plain(fact['value'])}"
        case "Image":
            yield from [node["altText"]] if node.get("altText") else []
        case _:
            return


_MARK = re.compile(
    r"\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|\[(?P<label>[^\]]*)\]\((?P<link>[^)]*)\)"
    r"|(?P<strong>\*\*|__)(?=\S)(?P<bold>.+?)(?<=\S)(?P=strong)"
    r"|(?<![\w*])(?P<weak>[*_])(?=\S)(?P<thin>.+?)(?<=\S)(?P=weak)(?![\w*])"
    r"|(?P<entity>&(?:#\d+|#x[0-9a-fA-F]+|\w+);)"
)
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]")


def plain(text: str) -> str:
    """The words of a text in the Markdown that Teams reads, as they stand on the screen.

    A single line break is a space, as some clients draw it, save before an item of a list.
    """
    lines: list[str] = []
    joins = False
    for line in re.split(r"\r\n?|\n", text):
        if joins and line.strip() and not _ITEM.match(line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.rstrip())
        joins = bool(line.strip())
    return "\n".join(_inline(line) for line in lines if line.strip())


def _inline(text: str) -> str:
    def shown(found: re.Match[str]) -> str:
        if found["escaped"]:
            return found["escaped"]
        if found["entity"]:
            return unescape(found["entity"])
        inner = found["label"] if found["link"] is not None else found["bold"] or found["thin"]
        return _inline(inner)

    return _MARK.sub(shown, text)


# What people fill in


def entry(node: Node, held: str | None = None) -> Entry:
    """An input as something to fill in; `held` is what stands in it."""
    choices = node.get("choices", [])
    kind = KINDS.get(node["type"]) or ("choices" if node.get("isMultiSelect") else "choice")
    named = node.get("label") or node.get("title") or node.get("placeholder") or node["id"]
    found = Entry(
        label=named,
        name=node["id"],
        kind=kind,
        options=tuple(choice["title"] for choice in choices),
        required=bool(node.get("isRequired")),
        value=initial(node),
    )
    return found if held is None else replace(found, value=held)


def initial(node: Node) -> str:
    """What an input holds before anybody touched it."""
    value = node.get("value")
    if node["type"] == "Input.Toggle":
        return str(value if value is not None else node.get("valueOff", "false"))
    return "" if value is None else str(value)


def held(node: Node, value: Any) -> str:
    """What an input holds once a person put `value` in: choices by title or value.

    Raises: LookupError for a choice that is not there, ValueError for what cannot be typed in.
    """
    if node["type"] == "Input.ChoiceSet":
        if isinstance(value, bool):
            # A yes or no that is drawn as two choices, yes before no.
            value = node["choices"][0 if value else 1]["value"]
        several = node.get("isMultiSelect", False)
        wanted: Sequence[str] = [value] if isinstance(value, str) else value
        if not several and len(wanted) > 1:
            raise ValueError(f"{node['id']} takes one choice")
        values = {}
        for choice in reversed(node.get("choices", [])):
            values[choice["value"]] = values[choice["title"]] = choice["value"]
        missing = [one for one in wanted if one and one not in values]
        if missing:
            raise LookupError(f"no choice {missing} in {node['id']}: {list(values)}")
        return ",".join(values[one] for one in wanted if one)
    if node["type"] == "Input.Toggle":
        on, off = node.get("valueOn", "true"), node.get("valueOff", "false")
        return str(on if value is True or value == on else off)
    if node["type"] == "Input.Number":
        text = str(value)
        if text and not re.fullmatch(r"[+-]?\d*\.?\d*(e[+-]?\d+)?", text):
            raise ValueError(f"{value!r} cannot be typed into a number")
        return text and _as_kept(float(text))
    text = value.isoformat() if isinstance(value, date) else str(value)
    if len(text) > node.get("maxLength", len(text)):
        raise ValueError(f"{node['id']} takes at most {node['maxLength']} characters")
    return text


def _as_kept(number: float) -> str:
    """A number as the client has it: to 53 bits, and as JavaScript writes it."""
    if number and not 1e-6 <= abs(number) < 1e21:
        digits, _, exponent = repr(number).partition("e")
        return f"{digits.removesuffix('.0')}e{int(exponent):+}"
    return f"{Decimal(repr(number)):f}".removesuffix(".0")


def problem(node: Node, value: str) -> str | None:
    """What the client says of an input before it sends; None: it may go."""
    kind = node["type"]
    wrong = False
    if kind == "Input.Toggle":
        wrong = bool(node.get("isRequired")) and value != str(node.get("valueOn", "true"))
    elif not value:
        # An empty number is out of any bounds (AdaptiveCards #8347).
        bounded = kind == "Input.Number" and not node.keys().isdisjoint({"min", "max"})
        wrong = bounded or bool(node.get("isRequired"))
    elif kind == "Input.Text" and node.get("regex"):
        # The client looks for the pattern anywhere, as JavaScript's `test` does.
        wrong = re.search(node["regex"], value) is None
    elif kind == "Input.Number":
        number = float(value)
        wrong = not node.get("min", number) <= number <= node.get("max", number)
    elif kind in ("Input.Date", "Input.Time"):
        wrong = not (node.get("min") or value) <= value <= (node.get("max") or value)
        wrong = wrong or (kind == "Input.Date" and not is_date(value))
    return str(node.get("errorMessage") or f"{node['id']} is not valid") if wrong else None
