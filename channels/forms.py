"""A question as a form: its fields with what is wanted, page by page, filled with what is kept.

A channel draws it with the platform's own inputs. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from channels.present import option_rows
from channels.shown import line
from channels.words import asks, controls
from gateway.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.catalogue import Reader
    from channels.contract import Button
    from channels.present import Row
    from gateway.answer import Value
    from gateway.ask import Ask
    from gateway.question import Field
    from gateway.reply.draft import Draft


@dataclass(frozen=True, slots=True)
class Entry:
    """One field to fill. `label` is on one line and whole; `takes` says in our words what it takes,
    `hint` in the agent's too.

    `rows` are its options in their order, by the key and the whole text that the post shows too;
    `value` is what its person filled in before. `other` invites to own words, where a choice takes
    them; `yes` and `no` are a toggle's two answers, so that an untouched one is neither. `kept`
    stands in place of an input that does not take `value`, which then stays.
    """

    field: Field
    label: str
    hint: str
    takes: str
    rows: tuple[Row, ...] = ()
    value: Value | None = None
    other: str = ""
    yes: str = ""
    no: str = ""
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Form:
    """One page, 0-based, of `pages`. `first` is the number of its first field in the question."""

    ask_id: str
    title: str
    question: str
    entries: tuple[Entry, ...]
    send: str
    cancel: str
    page: int = 0
    pages: int = 1
    first: int = 0


@dataclass(frozen=True, slots=True)
class Reason:
    """A form of one text: why it is declined or denied. It may stay empty."""

    ask_id: str
    title: str
    label: str
    send: str
    cancel: str


@dataclass(frozen=True, slots=True)
class Walk:
    """Where a person stands in a form that is walked through: one text, and rows of buttons.

    `ended` says that there is nothing more to press, so that the message is drawn a last time.
    `elsewhere`: it was asked for where others read along, and begins in that person's chat with us.
    `whole` is what `text` shows shortened, in full: said before it, where the post is not at hand.
    """

    ask_id: str
    text: str
    rows: tuple[tuple[Button, ...], ...] = ()
    ended: bool = False
    elsewhere: bool = False
    whole: tuple[str, ...] = ()
    values: Mapping[str, Value] = field(default_factory=dict)


def form(reader: Reader, ask: Ask, draft: Draft, *, page: int = 0, per_page: int = 0) -> Form:
    """The page of the form, for one who may see the question. Without `per_page` there is one.

    A page past the last is the last.
    """
    fields = ask.question.fields
    size = per_page or len(fields) or 1
    pages = max(1, -(-len(fields) // size))
    page = min(page, pages - 1)
    first = page * size
    last = page == pages - 1
    return Form(
        ask_id=ask.id,
        title=controls.form_title(reader, ask, page, pages),
        question=visible(ask.question.prompt).strip("\n"),
        entries=tuple(_entry(reader, ask, one, draft) for one in fields[first : first + size]),
        send=controls.send(reader) if last else controls.go_on(reader),
        cancel=controls.close(reader),
        page=page,
        pages=pages,
        first=first,
    )


def reason(reader: Reader, ask: Ask) -> Reason:
    """The form that asks why."""
    return Reason(
        ask_id=ask.id,
        title=controls.decline(reader, ask),
        label=controls.why(reader),
        send=controls.decline(reader, ask),
        cancel=controls.close(reader),
    )


def _entry(reader: Reader, ask: Ask, one: Field, draft: Draft) -> Entry:
    only = ask.question.answer_field
    label = controls.answer_label(reader) if only is not None else line(one.title)
    takes = asks.wanted(reader, one)
    return Entry(
        field=one,
        label=label,
        hint=f"{line(one.description)} ({takes})" if one.description else takes,
        takes=takes,
        rows=option_rows(one),
        value=draft.values.get(one.name),
        other=controls.other(reader) if one.write_in else "",
        yes=controls.yes(reader),
        no=controls.no(reader),
        kept=controls.kept(reader, label),
    )
