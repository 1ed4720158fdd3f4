"""Faults of an agent's file (YAML), each with its place. Pure.

It knows the keys that bear on asking people and the few beside them; anything else is a fault,
because a key nobody reads is a setting somebody believes in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import yaml

from gateway import durations
from gateway.ask import OnTimeout
from gateway.config_checks import unknown
from gateway.ladder import MAX_RUNGS, Audience, RungEvent

ASK_TOOL = "oz.ask_user"
OLD_ASK_TOOL = "oz.ask_human"
"""The name the tool was announced under; it is the same tool (the first original)."""

MAX_CHARS = 1_048_576
"""Ours: an agent's file is a page or two; YAML's reader is slow enough to be worth a bound."""

Node = yaml.nodes.Node
Check = Callable[[Node, str], Iterator["Fault"]]


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One thing wrong: 1-based line and column, and words that say what to write instead."""

    line: int
    column: int
    message: str


def check(text: str) -> tuple[Fault, ...]:
    """Everything wrong with an agent's file, in the file's order; () is a clean file."""
    if len(text) > MAX_CHARS:
        return (Fault(1, 1, f"The file has {len(text):,} characters; {MAX_CHARS:,} is the most."),)
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            return (Fault(1, 1, "The file is empty."),)
        return tuple(sorted(set(_mapping(_AGENT)(root, ""))))
    except yaml.YAMLError as error:
        return (_unreadable(error),)
    except RecursionError:  # PyYAML goes down with the nesting, and round with `&a {<<: *a}`
        return (Fault(1, 1, "Not YAML that can be read: nested too deeply."),)


def _unreadable(error: yaml.YAMLError) -> Fault:
    mark = getattr(error, "problem_mark", None)
    said = [getattr(error, name, None) for name in ("context", "problem", "reason")]
    words = ", ".join(str(part) for part in said if part) or "it does not read"
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return Fault(line, column, f"Not YAML: {words}.")


def _at(node: Node, path: str, words: str) -> Fault:
    mark = node.start_mark
    return Fault(mark.line + 1, mark.column + 1, f"{path}: {words}" if path else words)


def _mapping(checks: dict[str, Check]) -> Check:
    """A table of these keys and no others, each at most once."""

    def check_it(node: Node, path: str) -> Iterator[Fault]:
        if not isinstance(node, yaml.MappingNode):
            yield _at(node, path, f"Write a table of {', '.join(checks)}.")
            return
        yield from _repeated(node, path)
        yaml.SafeLoader("").flatten_mapping(node)  # `<<: *defaults` counts as what it stands for
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else "?"
            below = f"{path}.{name}" if path else name
            if name in checks:
                yield from checks[name](value, below)
            else:
                yield _at(key, below, unknown("key", name, list(checks)))

    return check_it


def _repeated(node: yaml.MappingNode, path: str) -> Iterator[Fault]:
    seen: set[str] = set()
    for key, _ in node.value:
        name = key.value if isinstance(key, yaml.ScalarNode) else "?"
        if name in seen and name != "<<":
            yield _at(key, f"{path}.{name}" if path else name, "Written twice; only one counts.")
        seen.add(name)


def _is(node: Node, kind: str) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == f"tag:yaml.org,2002:{kind}"


def _text(node: Node, path: str) -> Iterator[Fault]:
    if not _is(node, "str") or not node.value.strip():
        yield _at(node, path, "Write a text.")


def _flag(node: Node, path: str) -> Iterator[Fault]:
    if not _is(node, "bool"):
        yield _at(node, path, "Write true or false.")


def _one_of(*names: str) -> Check:
    def check_it(node: Node, path: str) -> Iterator[Fault]:
        if not isinstance(node, yaml.ScalarNode) or node.value not in names:
            said = node.value if isinstance(node, yaml.ScalarNode) else ""
            near = get_close_matches(said, names, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            yield _at(node, path, f"Write {' or '.join(names)}.{hint}")

    return check_it


def _wait(node: Node, path: str) -> Iterator[Fault]:
    # A plain number is refused on purpose, and YAML 1.1 reads `4:00:00` as one.
    try:
        durations.parse(node.value if _is(node, "str") else "")
    except ValueError as error:
        yield _at(node, path, str(error))


def _after(node: Node, path: str) -> Iterator[Fault]:
    # A share reaches us as a float; a time as text. Whatever else it is reads as neither.
    value = node.value if isinstance(node, yaml.ScalarNode) else ""
    try:
        durations.parse_after(value)
    except ValueError as error:
        yield _at(node, path, str(error))


def _tools(node: Node, path: str) -> Iterator[Fault]:
    if not isinstance(node, yaml.SequenceNode):
        yield _at(node, path, f"Write a list of tools: [{ASK_TOOL}].")
        return
    for n, item in enumerate(node.value):
        below = f"{path}[{n}]"
        yield from _text(item, below)
        name = item.value if _is(item, "str") else ""
        if name == OLD_ASK_TOOL:
            words = f"{OLD_ASK_TOOL} is the old name of the same tool. Write {ASK_TOOL}."
            yield _at(item, below, words)
        elif name != ASK_TOOL and get_close_matches(name, [ASK_TOOL, OLD_ASK_TOOL], cutoff=0.85):
            yield _at(item, below, f"There is no tool {name}. Did you mean {ASK_TOOL}?")


def _approvals(node: Node, path: str) -> Iterator[Fault]:
    yield from _mapping({"escalation": _escalation, "escalation_reason": _text})(node, path)
    values = _values(node)
    escalation, reason = values.get("escalation"), values.get("escalation_reason")
    if escalation is not None and _is_off(escalation) and reason is None:
        words = "Nobody is reminded with this off; say why in escalation_reason."
        yield _at(escalation, f"{path}.escalation", words)


def _is_off(node: Node) -> bool:
    if isinstance(node, yaml.SequenceNode):
        return not node.value  # a ladder without a rung reminds nobody either
    # YAML 1.1 reads `off` as false; quoted it stays a text and means the same to whoever wrote it.
    return isinstance(node, yaml.ScalarNode) and node.value.lower() in {"off", "false", "no"}


def _escalation(node: Node, path: str) -> Iterator[Fault]:
    if _is_off(node):
        return
    if not isinstance(node, yaml.SequenceNode):
        yield _at(node, path, "Write off, or a list of rungs: [{after: 15m, to: answerers}].")
        return
    if len(node.value) > MAX_RUNGS:
        yield _at(node, path, f"At most {MAX_RUNGS} rungs; here are {len(node.value)}.")
    for n, rung in enumerate(node.value):
        below = f"{path}[{n}]"
        yield from _mapping(_RUNG)(rung, below)
        values = _values(rung)
        to = getattr(values.get("to"), "value", None)
        if isinstance(rung, yaml.MappingNode) and "after" not in values:
            yield _at(rung, f"{below}.after", "Needed, and missing: 15m, or 0.25 of the wait.")
        if to == Audience.PERSON and "person" not in values:
            yield _at(rung, f"{below}.person", "Needed, and missing: the id of the person to tell.")
        if to != Audience.PERSON and "person" in values:
            yield _at(values["person"], f"{below}.person", "Only for `to: person`.")


def _values(node: Node) -> dict[str, Node]:
    """The values by key, of a table that was already flattened."""
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {key.value: value for key, value in node.value if isinstance(key, yaml.ScalarNode)}


_RUNG: dict[str, Check] = {
    "after": _after,
    "to": _one_of(*Audience),
    "person": _text,
    "event": _one_of(*RungEvent),
}

_AGENT: dict[str, Check] = {
    "name": _text,
    "runtime": _text,
    "model": _mapping({"primary": _text}),
    "tools": _tools,
    "ask_user": _mapping({"timeout": _wait, "on_timeout": _one_of(*OnTimeout)}),
    "approvals": _approvals,
    "limits": _mapping({"timeout": _wait}),
    "permissions": _flag,
}
