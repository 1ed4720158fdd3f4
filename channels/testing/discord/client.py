"""What Discord's own client does: draws words and controls, and checks what is filled in. Pure.

What a client would not let its user send is refused here, before it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from channels.testing.discord.bodies import SUBCOMMAND, SUBCOMMAND_GROUP
from channels.testing.discord.components import (
    BUTTON,
    CHECKBOX,
    CHECKBOXES,
    INPUT,
    LINK,
    RADIO,
    SELECT,
    TEXT,
    walk,
)
from channels.testing.platform import Control, Entry

INPUT_CHARS = 4000
"""A text input without a limit of its own (documentation, "Text Input")."""


def texts(raw: dict[str, Any]) -> Iterator[str]:
    """All the words of a message, controls aside, in the order they are drawn."""
    if raw["content"]:
        yield raw["content"]
    for embed in raw["embeds"]:
        yield from (embed[key] for key in ("title", "description") if embed.get(key))
        for one in embed.get("fields") or []:
            yield from (one["name"], one["value"])
        if embed.get("footer"):
            yield embed["footer"]["text"]
    yield from (one["content"] for _, one in walk(raw["components"]) if one["type"] == TEXT)


def controls(components: list[dict[str, Any]]) -> Iterator[Control]:
    for _, one in walk(components):
        enabled = not one.get("disabled")
        if one["type"] == BUTTON:
            label = one.get("label") or (one.get("emoji") or {}).get("name") or ""
            if one["style"] == LINK:
                yield Control(label, one["url"], "link", enabled=enabled)
            else:
                yield Control(label, one["custom_id"], enabled=enabled)
        elif one["type"] == SELECT:
            labels = tuple(option["label"] for option in one["options"])
            yield Control(one.get("placeholder") or "", one["custom_id"], "menu", labels, enabled)


def entry(label: dict[str, Any]) -> Entry:
    child = label["component"]
    labels = tuple(one["label"] for one in child.get("options") or [])
    chosen = [one["label"] for one in child.get("options") or [] if one.get("default")]
    required = child.get("required") is not False and child["type"] != CHECKBOX
    kind, value = "text", child.get("value")
    if child["type"] in (SELECT, RADIO):
        many = (child.get("max_values") or 1) > 1
        kind, value = ("choices", chosen) if many else ("choice", next(iter(chosen), None))
    elif child["type"] == CHECKBOXES:
        kind, value = "choices", chosen
    elif child["type"] == CHECKBOX:
        kind, value = "toggle", bool(child.get("default"))
    return Entry(label["label"], child["custom_id"], kind, labels, required, value)


def picked(menu: dict[str, Any], labels: Sequence[str]) -> list[str]:
    """The values of options, by label. Raises: LookupError; ValueError for too few or too many."""
    values = []
    for label in labels:
        found = [one for one in menu["options"] if label in (one["label"], one["value"])]
        if not found:
            known = [one["label"] for one in menu["options"]]
            raise LookupError(f"no option {label!r} among {known}")
        values.append(found[0]["value"])
    least = menu.get("min_values")
    most = menu.get("max_values") or (len(menu["options"]) if menu["type"] == CHECKBOXES else 1)
    if least is None:
        least = 0 if menu.get("required") is False else 1
    if menu.get("required") is False and not labels:
        least = 0
    if not least <= len(labels) <= most:
        raise ValueError(f"{len(labels)} picked of {least} to {most}")
    return values


def filled(label: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """An entry as it is sent; what is not given stays as it was drawn, True chooses "Yes".

    Raises: ValueError, LookupError as the client refuses to send it.
    """
    child, shown = label["component"], entry(label)
    value = next((given[key] for key in (shown.label, shown.name) if key in given), shown.value)
    shape = {"type": child["type"], "custom_id": child["custom_id"]}
    if shown.required and value in (None, "", []):
        raise ValueError(f"{shown.label!r} is needed")
    if child["type"] == CHECKBOX:
        return shape | {"value": bool(value)}
    if child["type"] == INPUT:
        text = "" if value is None else value
        if not isinstance(text, str):
            raise ValueError(f"{shown.label!r} takes text")
        least, most = child.get("min_length") or 0, child.get("max_length") or INPUT_CHARS
        if text and not least <= len(text) <= most:
            raise ValueError(f"{shown.label!r} takes {least} to {most} characters")
        return shape | {"value": text}
    if isinstance(value, bool):
        value = "Yes" if value else "No"
    labels = [value] if isinstance(value, str) else list(value or ())
    values = picked(child, labels)
    if child["type"] == RADIO:
        return shape | {"value": values[0] if values else None}
    return shape | {"values": values}


def options(
    command: dict[str, Any], path: list[str], given: dict[str, Any]
) -> list[dict[str, Any]]:
    """A command's options as they are sent. Raises: LookupError for what it does not have."""
    known = {one["name"]: one for one in command.get("options") or []}
    if path:
        below = known.get(path[0])
        if below is None or below["type"] not in (SUBCOMMAND, SUBCOMMAND_GROUP):
            raise LookupError(f"no subcommand {path[0]!r} among {sorted(known)}")
        inner = options(below, path[1:], given)
        return [{"name": path[0], "type": below["type"], "options": inner}]
    if any(one["type"] in (SUBCOMMAND, SUBCOMMAND_GROUP) for one in known.values()):
        raise LookupError(f"{command['name']!r} needs one of {sorted(known)}")
    missing = {key for key, one in known.items() if one.get("required")} - given.keys()
    if missing or given.keys() - known.keys():
        raise LookupError(f"{command['name']!r} takes {sorted(known)}, not {sorted(given)}")
    return [{"name": key, "type": known[key]["type"], "value": one} for key, one in given.items()]
