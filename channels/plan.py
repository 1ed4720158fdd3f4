"""How an ask is drawn on one platform, and why: the only place that chooses. Pure.

Whatever is chosen, the numbered text stands beside it, so no choice here can lose an option.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from channels.contract import (
    AskReason,
    Button,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressDecline,
    PressOther,
    PressSkip,
    Step,
    StepAct,
)
from channels.shown import short
from channels.words import controls
from gateway.ask import AskKind
from gateway.question import Kind
from gateway.reply.options import option_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.capabilities import Capabilities
    from channels.catalogue import Reader
    from channels.contract import Control
    from gateway.ask import Ask
    from gateway.question import Field


class Way(StrEnum):
    """From the easiest for people to the one that always works."""

    BUTTONS = "buttons"
    MENU = "menu"
    FORM = "form"
    CARD = "card"
    STEPS = "steps"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a menu: what is shown, and the option it stands for."""

    label: str
    option: str


@dataclass(frozen=True, slots=True)
class Menu:
    """A menu on a post; its first entry is the `first`-th option of the field."""

    placeholder: str
    choices: tuple[Choice, ...]
    first: int = 0


@dataclass(frozen=True, slots=True)
class Presentation:
    """What stands on the post besides its text, in order. `pages` are those of its form.

    `reason` says why this way and no easier one, for operators (`oz0 plan`).
    """

    way: Way
    reason: str
    buttons: tuple[Button, ...] = ()
    menus: tuple[Menu, ...] = ()
    ways_out: tuple[Button, ...] = ()
    pages: int = 0


def plan(reader: Reader, ask: Ask, capabilities: Capabilities) -> Presentation:
    """The easiest way that this platform has for this question."""
    if not capabilities.has_controls:
        return Presentation(Way.TEXT, f"{capabilities.channel} has nothing to press")
    out = _ways_out(reader, ask, capabilities)
    if ask.kind is AskKind.APPROVAL:
        approve = _button(controls.approve(reader), ask, PressApprove())
        return Presentation(Way.BUTTONS, "an approval has two answers", (approve,), ways_out=out)
    only = ask.question.single
    if only is not None and only.kind is Kind.TOGGLE:
        return Presentation(Way.BUTTONS, "yes or no", _yes_no(reader, ask), ways_out=out)
    if only is not None and only.kind is Kind.CHOICE:
        chosen = _choice(reader, ask, only, capabilities, out)
        if chosen is not None:
            return chosen
    if capabilities.inline:
        reason = "its inputs stand on the post itself"
        return Presentation(Way.CARD, reason, ways_out=out, pages=1)
    return _filled_in(reader, ask, capabilities, out)


def _choice(
    reader: Reader, ask: Ask, field: Field, capabilities: Capabilities, out: tuple[Button, ...]
) -> Presentation | None:
    """Buttons, else menus; None where the platform has room for neither.

    Inputs on the post are better than a menu, and have a line for own words, which buttons have
    not; and there the ways out stand in the buttons' row.
    """
    inline = capabilities.inline
    if inline and field.write_in:
        return None
    count = len(field.options)
    other: tuple[Button, ...] = ()
    if field.write_in:
        other = (_button(controls.other(reader), ask, PressOther()),)
    beside = len(out) if inline else 0
    if count + beside <= capabilities.buttons:
        reason = f"{count} options, and up to {capabilities.buttons} buttons"
        buttons = tuple(
            _button(_numbered(key, option.label, capabilities), ask, Pick(option.id))
            for key, option in zip(option_keys(field), field.options, strict=True)
        )
        return Presentation(Way.BUTTONS, reason, (*buttons, *other), ways_out=out)
    if not inline and count <= capabilities.menu * capabilities.menus:
        reason = f"{count} options are more than {capabilities.buttons} buttons"
        menus = _menus(reader, field, capabilities)
        return Presentation(Way.MENU, reason, other, menus, out)
    return None


def _menus(reader: Reader, field: Field, capabilities: Capabilities) -> tuple[Menu, ...]:
    choices = [
        Choice(_numbered(key, option.label, capabilities), option.id)
        for key, option in zip(option_keys(field), field.options, strict=True)
    ]
    size = capabilities.menu
    parts = [tuple(choices[at : at + size]) for at in range(0, len(choices), size)]
    keys = option_keys(field)
    return tuple(
        Menu(_range(reader, keys[n * size : n * size + len(part)], len(parts)), part, n * size)
        for n, part in enumerate(parts)
    )


def _range(reader: Reader, keys: Sequence[str], parts: int) -> str:
    """What an untouched menu says; its keys where there are several menus."""
    said = controls.choose(reader)
    return said if parts == 1 else f"{keys[0]}-{keys[-1]} {said}"


def _filled_in(
    reader: Reader, ask: Ask, capabilities: Capabilities, out: tuple[Button, ...]
) -> Presentation:
    fields = ask.question.fields
    kinds = ", ".join(dict.fromkeys(field.kind.value for field in fields))
    if capabilities.form:
        pages = -(-len(fields) // capabilities.form)
        reason = f"{kinds}: needs a form" + (f", in {pages} pages" if pages > 1 else "")
        button = _button(controls.answer(reader), ask, OpenForm())
        return Presentation(Way.FORM, reason, (button,), ways_out=out, pages=pages)
    only = ask.question.single
    if capabilities.steps and not (only is not None and only.kind in (Kind.TEXT, Kind.NUMBER)):
        reason = f"{kinds}: no forms here, so step by step"
        button = _button(controls.answer(reader), ask, Step(StepAct.START))
        return Presentation(Way.STEPS, reason, (button,), ways_out=out, pages=len(fields))
    reason = f"{kinds}: typed as a reply is the shortest way here"
    return Presentation(Way.TEXT, reason, ways_out=out)


def _yes_no(reader: Reader, ask: Ask) -> tuple[Button, Button]:
    return (
        _button(controls.yes(reader), ask, PickToggle(yes=True)),
        _button(controls.no(reader), ask, PickToggle(yes=False)),
    )


def _ways_out(reader: Reader, ask: Ask, capabilities: Capabilities) -> tuple[Button, ...]:
    """Skip, or Decline, which asks why where there is a form to ask it in."""
    if ask.can_decline:
        with_reason = capabilities.form > 0
        control: Control = AskReason() if with_reason else PressDecline()
        return (_button(controls.decline(reader, ask), ask, control),)
    if ask.can_skip:
        return (_button(controls.skip(reader), ask, PressSkip()),)
    return ()


def _button(label: str, ask: Ask, control: Control) -> Button:
    return Button(label, label, ask.id, control)


def _numbered(key: str, label: str, capabilities: Capabilities) -> str:
    """`2. blue`: the text's own number, so that a shortened label is told from another."""
    head = f"{key}. "
    return head + short(label, max(8, capabilities.label - len(head)))
