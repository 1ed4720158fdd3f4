"""What Discord takes as buttons, menus, texts and forms.

Source of every number: platform documentation, "Component Reference". A component that our bots
never send is refused as unsupported, never taken unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

from channels.testing.discord.refusals import Path, Problems, Unsupported, check_text

ROW, BUTTON, SELECT, INPUT = 1, 2, 3, 4
SECTION, TEXT, SEPARATOR, CONTAINER = 9, 10, 14, 17
LABEL, RADIO, CHECKBOXES, CHECKBOX = 18, 21, 22, 23
LINK = 5
"""The style of a button that opens an address and tells nobody."""

_KNOWN = frozenset(range(1, 24))
_ROW_TYPES = (2, 3, 5, 6, 7, 8)
_V2_TYPES = (1, 9, 10, 12, 13, 14, 17)
_CONTAINER_TYPES = (1, 9, 10, 12, 13, 14)
_MODAL_TYPES = (1, 10, 18)
_LABEL_TYPES = (3, 4, 5, 6, 7, 8, 19, 21, 22, 23)

ROWS = 5
ROW_WIDTH = 5
COMPONENTS_V2 = 40
V2_CHARS = 4000
MODAL_PARTS = 5
CUSTOM_ID_CHARS = 100
MENU_OPTIONS = 25
GROUP_OPTIONS = 10


def walk(components: list[dict[str, Any]]) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every component in order, with its path below `components`."""
    for index, one in enumerate(components):
        yield (index,), one
        for key in ("component", "accessory"):
            if isinstance(one.get(key), dict):
                for path, below in walk([one[key]]):
                    yield (index, key, *path[1:]), below
        for path, below in walk(one.get("components") or []):
            yield (index, "components", *path), below


def check_message_components(
    problems: Problems, path: Path, components: list[dict[str, Any]], *, v2: bool
) -> None:
    """Adds what is wrong with a message's components."""
    if v2:
        if sum(1 for _ in walk(components)) > COMPONENTS_V2:
            problems.add(
                path,
                "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED",
                f"Total number of components exceeds {COMPONENTS_V2}",
            )
        if sum(len(one.get("content") or "") for _, one in walk(components)) > V2_CHARS:
            problems.add(
                path,
                "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
                f"Displayable text size exceeds maximum size of {V2_CHARS}",
            )
    elif len(components) > ROWS:
        problems.length(path, 0, ROWS)
    for index, one in enumerate(components):
        here = (*path, index)
        if _is_one_of(problems, here, one, _V2_TYPES if v2 else (ROW,)):
            _check(problems, here, one)
    _check_custom_ids(problems, path, components)


def check_modal(data: dict[str, Any]) -> None:
    """Raises: Refusal 50035 for what is no form."""
    problems = Problems()
    check_text(problems, ("data", "title"), data.get("title"), 1, 45)
    check_text(problems, ("data", "custom_id"), data.get("custom_id"), 1, CUSTOM_ID_CHARS)
    parts = data.get("components") or []
    path: Path = ("data", "components")
    if not 1 <= len(parts) <= MODAL_PARTS:
        problems.length(path, 1, MODAL_PARTS)
    for index, one in enumerate(parts):
        here = (*path, index)
        if not _is_one_of(problems, here, one, _MODAL_TYPES):
            continue
        if one["type"] == ROW:
            raise Unsupported("a text input in a row of a modal is deprecated: use a Label")
        _check(problems, here, one)
    for below, one in walk(parts):
        if one.get("disabled"):
            problems.add(
                (*path, *below, "disabled"),
                "COMPONENT_DISABLED_NOT_ALLOWED",
                "Components in modals cannot be disabled",
            )
    _check_custom_ids(problems, path, parts)
    problems.settle()


def _is_one_of(problems: Problems, path: Path, component: Any, allowed: tuple[int, ...]) -> bool:
    kind = component.get("type") if isinstance(component, dict) else None
    if kind in allowed:
        if kind not in _CHECKS:
            raise Unsupported(f"component type {kind}")
        return True
    where = (*path, "type") if kind not in _KNOWN else path
    problems.add(where, "UNION_TYPE_CHOICES", f'Value of field "type" must be one of {allowed}.')
    return False


def _check_custom_ids(problems: Problems, path: Path, components: list[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for below, one in walk(components):
        custom_id = one.get("custom_id")
        if custom_id is None:
            continue
        if custom_id in seen:
            problems.add(
                (*path, *below, "custom_id"),
                "COMPONENT_CUSTOM_ID_DUPLICATED",
                "Component custom id cannot be duplicated",
            )
        seen.add(custom_id)


def _check(problems: Problems, path: Path, component: dict[str, Any]) -> None:
    _CHECKS[component["type"]](problems, path, component)


def _number(problems: Problems, path: Path, value: Any, least: int, most: int) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int):
        problems.add(path, "NUMBER_TYPE_COERCE", f'Value "{value}" is not int.')
    elif value > most:
        words = f"int value should be less than or equal to {most}."
        problems.add(path, "NUMBER_TYPE_MAX", words)
    elif value < least:
        words = f"int value should be greater than or equal to {least}."
        problems.add(path, "NUMBER_TYPE_MIN", words)


def _check_row(problems: Problems, path: Path, row: dict[str, Any]) -> None:
    parts = row.get("components") or []
    here = (*path, "components")
    if not 1 <= len(parts) <= ROW_WIDTH:
        problems.length(here, 1, ROW_WIDTH)
    width = 0
    for index, one in enumerate(parts):
        if _is_one_of(problems, (*here, index), one, _ROW_TYPES):
            _check(problems, (*here, index), one)
            width += 1 if one["type"] == BUTTON else ROW_WIDTH
            if width > ROW_WIDTH:
                problems.add(
                    (*here, index),
                    "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
                    "The specified component exceeds the maximum width",
                )


def _check_button(problems: Problems, path: Path, button: dict[str, Any]) -> None:
    style = button.get("style")
    if style not in range(1, 7):
        problems.choices((*path, "style"), tuple(range(1, 7)))
        return
    if style == 6:
        raise Unsupported("premium buttons")
    check_text(problems, (*path, "label"), button.get("label"), 0, 80)
    if not button.get("label") and not button.get("emoji"):
        problems.required((*path, "label"))
    custom_id, url = button.get("custom_id"), button.get("url")
    if custom_id is not None and url is not None:
        problems.add(
            path,
            "BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE",
            "A custom id and url cannot both be specified",
        )
    elif style == LINK:
        check_text(problems, (*path, "url"), url, 1, 512)
        _check_url(problems, (*path, "url"), url)
    elif not custom_id:
        problems.add(
            (*path, "custom_id"), "BUTTON_COMPONENT_CUSTOM_ID_REQUIRED", "A custom id is required"
        )
    else:
        check_text(problems, (*path, "custom_id"), custom_id, 1, CUSTOM_ID_CHARS)


def _check_url(problems: Problems, path: Path, url: Any) -> None:
    if not isinstance(url, str):
        return
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https", "discord"):
        words = f'Scheme "{parts.scheme}" is not supported. '
        words += "Scheme must be one of ('http', 'https', 'discord')."
        problems.add(path, "URL_TYPE_INVALID_SCHEME", words)
    elif not parts.netloc:
        problems.add(path, "URL_TYPE_INVALID_URL", "Not a well formed URL.")


def _check_options(
    problems: Problems, path: Path, options: list[dict[str, Any]], least: int, most: int
) -> None:
    if not least <= len(options) <= most:
        problems.length(path, least, most)
    values: set[Any] = set()
    for index, option in enumerate(options):
        here = (*path, index)
        check_text(problems, (*here, "label"), option.get("label"), 1, 100)
        check_text(problems, (*here, "value"), option.get("value"), 1, 100)
        check_text(problems, (*here, "description"), option.get("description"), 0, 100)
        if option.get("value") in values:
            problems.add(
                (*here, "value"),
                "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
                "The specified option value is already used",
            )
        values.add(option.get("value"))


def _check_select(problems: Problems, path: Path, select: dict[str, Any]) -> None:
    check_text(problems, (*path, "custom_id"), select.get("custom_id"), 1, CUSTOM_ID_CHARS)
    check_text(problems, (*path, "placeholder"), select.get("placeholder"), 0, 150)
    _check_range(problems, path, select, MENU_OPTIONS)


def _check_range(problems: Problems, path: Path, group: dict[str, Any], most: int) -> None:
    """Options, and how many of them: as many must exist as may be picked."""
    low, high = group.get("min_values"), group.get("max_values")
    _number(problems, (*path, "min_values"), low, 0, most)
    _number(problems, (*path, "max_values"), high, 1, most)
    options = group.get("options") or []
    least = max(1, *(n for n in (low, high) if isinstance(n, int) and n <= most), 1)
    _check_options(problems, (*path, "options"), options, least, most)
    if sum(bool(one.get("default")) for one in options) > (high or most):
        problems.add(
            (*path, "options"),
            "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES",
            "The specified number of default values exceeds the specified maximum values",
        )


def _check_required(problems: Problems, path: Path, group: dict[str, Any]) -> None:
    """In a form, a group that must be filled in cannot also allow nothing."""
    if group.get("required", True) is not False and group.get("min_values") == 0:
        words = "int value should be greater than or equal to 1."
        problems.add((*path, "min_values"), "NUMBER_TYPE_MIN", words)


def _check_label(problems: Problems, path: Path, label: dict[str, Any]) -> None:
    check_text(problems, (*path, "label"), label.get("label"), 1, 45)
    if label.get("description") is not None:
        check_text(problems, (*path, "description"), label["description"], 1, 100)
    child = label.get("component")
    here = (*path, "component")
    if child is None:
        problems.required(here)
    elif _is_one_of(problems, here, child, _LABEL_TYPES):
        _check(problems, here, child)
        if child["type"] in (SELECT, CHECKBOXES):
            _check_required(problems, here, child)


def _check_input(problems: Problems, path: Path, entry: dict[str, Any]) -> None:
    check_text(problems, (*path, "custom_id"), entry.get("custom_id"), 1, CUSTOM_ID_CHARS)
    if entry.get("style") not in (1, 2):
        problems.choices((*path, "style"), (1, 2))
    low, high = entry.get("min_length"), entry.get("max_length")
    _number(problems, (*path, "min_length"), low, 0, 4000)
    _number(problems, (*path, "max_length"), high, low or 1, 4000)
    check_text(problems, (*path, "placeholder"), entry.get("placeholder"), 0, 100)
    check_text(problems, (*path, "value"), entry.get("value"), 0, min(high or 4000, 4000))


def _check_radio(problems: Problems, path: Path, group: dict[str, Any]) -> None:
    check_text(problems, (*path, "custom_id"), group.get("custom_id"), 1, CUSTOM_ID_CHARS)
    _check_options(problems, (*path, "options"), group.get("options") or [], 2, GROUP_OPTIONS)


def _check_checkboxes(problems: Problems, path: Path, group: dict[str, Any]) -> None:
    check_text(problems, (*path, "custom_id"), group.get("custom_id"), 1, CUSTOM_ID_CHARS)
    _check_range(problems, path, group, GROUP_OPTIONS)


def _check_checkbox(problems: Problems, path: Path, box: dict[str, Any]) -> None:
    check_text(problems, (*path, "custom_id"), box.get("custom_id"), 1, CUSTOM_ID_CHARS)
    if box.get("required"):
        words = "A checkbox cannot be required"
        problems.add((*path, "required"), "COMPONENT_REQUIRED_NOT_ALLOWED", words)


def _check_display(problems: Problems, path: Path, part: dict[str, Any]) -> None:
    check_text(problems, (*path, "content"), part.get("content"), 1, 4000)


def _check_section(problems: Problems, path: Path, section: dict[str, Any]) -> None:
    parts = section.get("components") or []
    if not 1 <= len(parts) <= 3:
        problems.length((*path, "components"), 1, 3)
    for index, one in enumerate(parts):
        here = (*path, "components", index)
        if _is_one_of(problems, here, one, (TEXT,)):
            _check(problems, here, one)
    if section.get("accessory") is None:
        problems.required((*path, "accessory"))
    elif _is_one_of(problems, (*path, "accessory"), section["accessory"], (BUTTON, 11)):
        _check(problems, (*path, "accessory"), section["accessory"])


def _check_container(problems: Problems, path: Path, box: dict[str, Any]) -> None:
    parts = box.get("components") or []
    if not 1 <= len(parts) <= COMPONENTS_V2:
        problems.length((*path, "components"), 1, COMPONENTS_V2)
    for index, one in enumerate(parts):
        here = (*path, "components", index)
        if _is_one_of(problems, here, one, _CONTAINER_TYPES):
            _check(problems, here, one)


def _check_separator(problems: Problems, path: Path, line: dict[str, Any]) -> None:
    if line.get("spacing") not in (None, 1, 2):
        problems.choices((*path, "spacing"), (1, 2))


_CHECKS: dict[int, Callable[[Problems, Path, dict[str, Any]], None]] = {
    ROW: _check_row,
    BUTTON: _check_button,
    SELECT: _check_select,
    INPUT: _check_input,
    SECTION: _check_section,
    TEXT: _check_display,
    SEPARATOR: _check_separator,
    CONTAINER: _check_container,
    LABEL: _check_label,
    RADIO: _check_radio,
    CHECKBOXES: _check_checkboxes,
    CHECKBOX: _check_checkbox,
}
