"""Forms as Discord's modals: drawn from a page, and read back from what was sent. Pure and total.

What a form was for stands in its own id and in its parts', so that one is read after a restart and
on another replica too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

from channels.callback import pack, unpack
from channels.contract import AskReason, OpenForm
from channels.discord.markup import fitted, units, written
from channels.shown import line
from channels.words import controls
from gateway.answer import Picked, Value
from gateway.question import Kind

if TYPE_CHECKING:
    from channels.catalogue import Reader
    from channels.forms import Entry, Form, Reason
    from gateway.question import Option

PARTS = 5
"""Parts of a modal (documentation, "Modal")."""

TITLE, LABEL, DESCRIPTION, OPTION = 45, 45, 100, 100
"""Characters of a modal's title, a label, what stands under it, an option (same pages)."""

INPUT = 4000
"""Characters of a text input, and of a text in a modal (documentation, "Text Input")."""

GROUP, MENU = 10, 25
"""Options of a group of buttons or boxes, and of a menu (documentation, "Radio Group"…)."""

ROW, INPUT_TYPE, SELECT, TEXT, LABEL_TYPE, RADIO, BOXES = 1, 4, 3, 10, 18, 21, 22
SHORT, PARAGRAPH = 1, 2

TEXT_MARK, LINE_MARK, ONE_MARK, MANY_MARK, TOGGLE_MARK, WORDS_MARK = "tlcmbw"
"""How a part's id begins: text, a plain line for another kind, one option, several, yes or no, and
one's own words beside options; the field's name follows."""

YES, NO = "yes", "no"


@dataclass(frozen=True, slots=True)
class Filled:
    """A form as it came back. `reason` is set for one that asked why, perhaps to "".

    `kept` is what stood in each part, so that the form can be opened with it again.
    """

    ask_id: str
    page: int = 0
    pages: int = 1
    values: Mapping[str, Value] | None = None
    texts: Mapping[str, str] | None = None
    reason: str | None = None
    kept: Mapping[str, Any] | None = None


def form(page: Form, reader: Reader, kept: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The modal of one page; `kept` is what somebody filled in before, by part."""
    free = PARTS - len(page.entries)
    parts: list[dict[str, Any]] = []
    for entry in page.entries:
        beside = entry.field.write_in and free > 0 and 0 < len(entry.rows) <= MENU
        free -= beside
        parts += _entry(entry, reader, beside=beside)
    question = written(page.question)
    if free and question and units(question) <= INPUT:
        parts.insert(0, {"type": TEXT, "content": question})
    for part in parts:
        _restore(part, kept or {})
    name = f"{pack(page.ask_id, OpenForm(page.page))}:{page.pages}"
    return {"custom_id": name, "title": fitted(page.title, TITLE), "components": parts}


def reason(asked: Reason) -> dict[str, Any]:
    """The modal that asks why."""
    child = {
        "type": INPUT_TYPE,
        "custom_id": "reason",
        "style": PARAGRAPH,
        "required": False,
        "max_length": INPUT,
    }
    return {
        "custom_id": pack(asked.ask_id, AskReason()),
        "title": fitted(asked.title, TITLE),
        "components": [_label(asked.label, "", child)],
    }


def read(data: Mapping[str, Any]) -> Filled | None:
    """What a form that was sent says; None for one that is none of ours."""
    custom_id = data.get("custom_id")
    if not isinstance(custom_id, str):
        return None
    name, _, pages = custom_id.partition(":")
    found = unpack(name)
    children = _children(data.get("components"))
    match found:
        case (ask_id, AskReason()):
            said = children.get("reason")
            return Filled(ask_id, reason=_text(said).strip() if said is not None else "")
        case (ask_id, OpenForm(page)) if pages.isascii() and pages.isdecimal() and len(pages) < 4:
            values, texts = _values(children)
            kept = {key: part.get("values", part.get("value")) for key, part in children.items()}
            return Filled(ask_id, page, max(1, int(pages)), values, texts, kept=kept)
        case _:
            return None


# Drawing


def _entry(entry: Entry, reader: Reader, *, beside: bool) -> list[dict[str, Any]]:
    """The parts of one field; `beside` puts a line for one's own words after its options."""
    one = entry.field
    # With words beside, either will do, which only we can check.
    required = one.required and not beside
    match one.kind:
        case Kind.TEXT:
            child = _input(TEXT_MARK, entry, PARAGRAPH if one.multiline else SHORT)
            child["max_length"] = min(one.max_length or INPUT, INPUT)
        case Kind.NUMBER | Kind.DATE:
            child = _input(LINE_MARK, entry, SHORT)
        case Kind.TOGGLE:
            # Not a checkbox: one that nobody touched would say no.
            labels = ((YES, controls.yes(reader)), (NO, controls.no(reader)))
            options = [{"value": value, "label": label} for value, label in labels]
            child = _group(RADIO, TOGGLE_MARK, one.name, options, required=required)
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            fits = 0 < len(entry.rows) <= MENU and (beside or not one.write_in)
            if not fits:
                child = _input(LINE_MARK, entry, PARAGRAPH)
            else:
                child = _choices(entry, required=required)
        case _:
            assert_never(one.kind)
    parts = [_label(entry.label, entry.hint, child)]
    if beside:
        words = _input(WORDS_MARK, entry, SHORT) | {"required": False}
        parts.append(_label(f"{controls.other(reader)} {entry.label}", "", words))
    return parts


def _choices(entry: Entry, *, required: bool) -> dict[str, Any]:
    one = entry.field
    options = [
        _option(option, row.key) for option, row in zip(one.options, entry.rows, strict=True)
    ]
    many = one.kind is Kind.MULTI_CHOICE
    mark = MANY_MARK if many else ONE_MARK
    if len(options) <= GROUP and (many or len(options) > 1):
        kind = BOXES if many else RADIO
    else:
        kind = SELECT
    child = _group(kind, mark, one.name, options, required=required)
    if kind != RADIO:
        child["max_values"] = len(options) if many else 1
        # A group that is needed may not also allow nothing.
        child["min_values"] = 1 if required else 0
    return child


def _option(option: Option, key: str) -> dict[str, Any]:
    label = line(option.label)
    if units(label) > OPTION:
        # Two that begin alike are told apart by the number they have in the text.
        label = fitted(f"{key}. {label}", OPTION)
    shape = {"value": option.id, "label": label}
    if option.description:
        shape["description"] = fitted(line(option.description), DESCRIPTION)
    return shape


def _group(
    kind: int, mark: str, name: str, options: list[dict[str, Any]], *, required: bool
) -> dict[str, Any]:
    child = {"type": kind, "custom_id": f"{mark}:{name}", "options": options}
    return child | {"required": required}


def _input(mark: str, entry: Entry, style: int) -> dict[str, Any]:
    return {
        "type": INPUT_TYPE,
        "custom_id": f"{mark}:{entry.field.name}",
        "style": style,
        "required": entry.field.required,
        "max_length": INPUT,
    }


def _label(label: str, hint: str, child: dict[str, Any]) -> dict[str, Any]:
    shape = {"type": LABEL_TYPE, "label": fitted(label, LABEL), "component": child}
    return shape | {"description": fitted(hint, DESCRIPTION)} if hint else shape


def kept_of(page: Form) -> dict[str, Any]:
    """What a draft holds, by the part that shows it."""
    kept: dict[str, Any] = {}
    for entry in page.entries:
        name, value = entry.field.name, entry.value
        match value:
            case None:
                continue
            case Picked(options, words):
                kept |= {f"{ONE_MARK}:{name}": list(options), f"{MANY_MARK}:{name}": list(options)}
                kept[f"{WORDS_MARK}:{name}"] = words or ""
            case bool():
                kept[f"{TOGGLE_MARK}:{name}"] = YES if value else NO
            case _:
                kept |= {f"{TEXT_MARK}:{name}": str(value), f"{LINE_MARK}:{name}": str(value)}
    return kept


def _restore(part: dict[str, Any], kept: Mapping[str, Any]) -> None:
    child = part.get("component")
    if child is None or child["custom_id"] not in kept:
        return
    value = kept[child["custom_id"]]
    if child["type"] == INPUT_TYPE:
        # A longer one would be refused with the whole form.
        if isinstance(value, str) and 0 < units(value) <= child["max_length"]:
            child["value"] = value
        return
    chosen = value if isinstance(value, list) else [value]
    for option in child["options"]:
        if option["value"] in chosen:
            option["default"] = True


# Reading


def _children(components: Any) -> dict[str, Mapping[str, Any]]:
    """The parts with an id, whatever they are wrapped in."""
    found: dict[str, Mapping[str, Any]] = {}
    for part in components if isinstance(components, list) else ():
        if not isinstance(part, dict):
            continue
        inner = part.get("component")
        wrapped = part.get("components")
        inside = [inner] if isinstance(inner, dict) else wrapped
        for child in inside if isinstance(inside, list) else ():
            if isinstance(child, dict) and isinstance(child.get("custom_id"), str):
                found[child["custom_id"]] = child
    return found


def _values(
    children: Mapping[str, Mapping[str, Any]],
) -> tuple[dict[str, Value], dict[str, str]]:
    """Values by field, and what was typed for fields of another kind; nothing for empty parts."""
    values: dict[str, Value] = {}
    texts: dict[str, str] = {}
    picked: dict[str, tuple[tuple[str, ...], str | None]] = {}
    for key, child in children.items():
        mark, parted, name = key.partition(":")
        if not parted:
            continue
        text = _text(child)
        if mark == TEXT_MARK and text.strip():
            values[name] = text
        elif mark == LINE_MARK and text.strip():
            texts[name] = text
        elif mark == TOGGLE_MARK and text in (YES, NO):
            values[name] = text == YES
        elif mark in (ONE_MARK, MANY_MARK):
            options, words = picked.get(name, ((), None))
            picked[name] = (options + _options(child), words)
        elif mark == WORDS_MARK and text.strip():
            options, _ = picked.get(name, ((), None))
            picked[name] = (options, text.strip())
    for name, (options, words) in picked.items():
        if options or words is not None:
            values[name] = Picked(options, words)
    return values, texts


def _options(child: Mapping[str, Any]) -> tuple[str, ...]:
    values = child.get("values")
    if isinstance(values, list):
        return tuple(one for one in values if isinstance(one, str))
    return (text,) if (text := _text(child)) else ()


def _text(child: Mapping[str, Any]) -> str:
    value = child.get("value")
    return (
        value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        if (isinstance(value, str))
        else ""
    )
