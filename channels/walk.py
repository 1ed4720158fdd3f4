"""A form that is walked through: where a person stands in it, what a press changes, what is drawn.

Pure. A press for another field than the one that is open changes nothing: it was made on an old
drawing, or twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from channels.contract import Button, Step, StepAct
from channels.forms import Walk
from channels.shown import short
from channels.words import controls, walks
from gateway.answer import Picked
from gateway.question import Kind
from gateway.reply.options import option_keys

if TYPE_CHECKING:
    from channels.catalogue import Reader
    from gateway.ask import Ask
    from gateway.question import Field, Question
    from gateway.reply.draft import Draft

LABELLED = 20
"""Ours: so many options are read on buttons; more are chosen by their keys."""

KEYED = 88
"""Telegram takes 100 buttons, eight in a row (platform facts, 4.2); the rest is written."""

KEYS_IN_A_ROW = 8
LABEL_CHARS = 30
DAYS = (0, 1, 7)
"""Ours: the days that stand on buttons; any other is written."""


@dataclass(frozen=True, slots=True)
class Standing:
    """`draft` is what is kept; `chosen` the options picked so far of `field`, which takes several.

    A field that is not the open one makes `chosen` void.
    """

    draft: Draft
    field: str = ""
    chosen: tuple[str, ...] = ()

    def picked(self, field: Field) -> tuple[str, ...]:
        """What is chosen of that field so far."""
        return self.chosen if field.name == self.field else ()


def is_walked(question: Question) -> bool:
    """Whether there is something to walk through."""
    return bool(question.fields)


def open_field(question: Question, draft: Draft) -> int | None:
    """The number of the first field that is neither filled nor left out; None: all are."""
    fields = enumerate(question.fields)
    return next((number for number, one in fields if not draft.holds(one.name)), None)


def turned(step: Step, question: Question, at: Standing, today: date) -> Standing:
    """Where the person stands after that press; `today` is in their zone."""
    if step.act is StepAct.BACK:
        return _back(question, at)
    number = open_field(question, at.draft)
    if number is None or number != step.field:
        return at
    return _answered(step, question.fields[number], at, today)


def drawn(reader: Reader, ask: Ask, at: Standing, note: str = "") -> Walk:
    """The message as it stands; `note` comes first, on what was wrong or is to be done."""
    number = open_field(ask.question, at.draft)
    whole: tuple[str, ...]
    if number is None:
        text, whole = walks.review(reader, ask, at.draft), ()
        send = _button(ask, controls.send(reader), Step(StepAct.SEND))
        rows: list[tuple[Button, ...]] = [(send, _back_button(reader, ask))]
    else:
        field = ask.question.fields[number]
        text = walks.step(reader, ask, at.draft, number, at.picked(field))
        whole = walks.whole(ask, field)
        rows = [*_answers(reader, ask, number, at), *_ways(reader, ask, number, at)]
    text = f"{note}\n\n{text}" if note else text
    return Walk(ask.id, text, tuple(rows), whole=whole, values=at.draft.values)


def _answered(step: Step, field: Field, at: Standing, today: date) -> Standing:
    after = at
    match step.act:
        case StepAct.PICK:
            after = _pick(field, step.option, at)
        case StepAct.TOGGLE:
            after = _toggle(field, step.option, at)
        case StepAct.DONE:
            after = _done(field, at)
        case StepAct.DAY if field.kind is Kind.DATE and not field.date_time:
            day = today + timedelta(days=step.option)
            after = Standing(at.draft.fill(field.name, day.isoformat()))
        case StepAct.LEAVE if not field.required:
            after = Standing(at.draft.leave(field.name))
        case _:
            pass  # begins, goes back or sends: no answer to the field
    return after


def _pick(field: Field, option: int, at: Standing) -> Standing:
    if field.kind is Kind.TOGGLE:
        return Standing(at.draft.fill(field.name, option == 1))
    if field.kind is not Kind.CHOICE or option >= len(field.options):
        return at
    return Standing(at.draft.fill(field.name, Picked((field.options[option].id,))))


def _toggle(field: Field, option: int, at: Standing) -> Standing:
    if field.kind is not Kind.MULTI_CHOICE or option >= len(field.options):
        return at
    wanted = {*at.picked(field)} ^ {field.options[option].id}
    chosen = tuple(one.id for one in field.options if one.id in wanted)
    return Standing(at.draft, field.name, chosen)


def _done(field: Field, at: Standing) -> Standing:
    chosen = at.picked(field)
    if chosen:
        return Standing(at.draft.fill(field.name, Picked(chosen)))
    return at if field.required else Standing(at.draft.leave(field.name))


def _back(question: Question, at: Standing) -> Standing:
    if at.chosen and open_field(question, at.draft) is not None:
        return Standing(at.draft)
    last = at.draft.order[-1] if at.draft.order else None
    value = at.draft.values.get(last) if last else None
    chosen = value.options if isinstance(value, Picked) else ()
    field = question.field(last) if last else None
    again = field is not None and field.kind is Kind.MULTI_CHOICE
    return Standing(at.draft.back(), last or "", chosen if again else ())


def _answers(reader: Reader, ask: Ask, number: int, at: Standing) -> list[tuple[Button, ...]]:
    field = ask.question.fields[number]
    match field.kind:
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            return _option_rows(reader, ask, number, at)
        case Kind.TOGGLE:
            yes = _button(ask, controls.yes(reader), Step(StepAct.PICK, number, 1))
            return [(yes, _button(ask, controls.no(reader), Step(StepAct.PICK, number, 0)))]
        case Kind.DATE if not field.date_time:
            days = (
                _button(ask, walks.in_days(reader, one), Step(StepAct.DAY, number, one))
                for one in DAYS
            )
            return [tuple(days)]
        case _:
            return []


def _option_rows(reader: Reader, ask: Ask, number: int, at: Standing) -> list[tuple[Button, ...]]:
    field = ask.question.fields[number]
    several = field.kind is Kind.MULTI_CHOICE
    act = StepAct.TOGGLE if several else StepAct.PICK
    chosen = at.picked(field)
    labelled = len(field.options) <= LABELLED
    buttons = []
    for index, (key, option) in enumerate(zip(option_keys(field), field.options, strict=True)):
        mark = f"{walks.CHOSEN} " if option.id in chosen else ""
        label = f"{key}. {short(option.label, LABEL_CHARS - len(key) - 4)}"
        said = f"{mark}{label if labelled else key}"
        buttons.append(_button(ask, said, Step(act, number, index)))
    rows: list[tuple[Button, ...]]
    if labelled:
        rows = [(one,) for one in buttons]
    else:
        shown = buttons[:KEYED]
        size = KEYS_IN_A_ROW
        rows = [tuple(shown[n : n + size]) for n in range(0, len(shown), size)]
    if several:
        rows.append((_button(ask, walks.done(reader), Step(StepAct.DONE, number)),))
    return rows


def _ways(reader: Reader, ask: Ask, number: int, at: Standing) -> list[tuple[Button, ...]]:
    """Other, leave out and back, as far as there is something to."""
    field = ask.question.fields[number]
    ways = []
    if field.is_choice and field.write_in:
        ways.append(_button(ask, controls.other(reader), Step(StepAct.OTHER, number)))
    if not field.required:
        ways.append(_button(ask, walks.leave_out(reader), Step(StepAct.LEAVE, number)))
    if at.draft.order or at.picked(field):
        ways.append(_back_button(reader, ask))
    return [tuple(ways)] if ways else []


def _back_button(reader: Reader, ask: Ask) -> Button:
    return _button(ask, walks.back(reader), Step(StepAct.BACK))


def _button(ask: Ask, label: str, control: Step) -> Button:
    return Button(label, label, ask.id, control)
