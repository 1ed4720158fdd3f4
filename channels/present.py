"""An ask as it is shown: its parts in words, and the numbered text that any surface can draw. Pure.

Whatever else a chat draws, the whole of every option stands in this text: none is ever lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from channels.shown import line
from channels.words import asks, outcomes
from gateway.reply.options import option_keys
from gateway.visible import visible

if TYPE_CHECKING:
    from channels.catalogue import Reader
    from gateway.ask import AskRecord
    from gateway.question import Field

INDENT = "   "


@dataclass(frozen=True, slots=True)
class Row:
    """One option: what it is called by, and the whole of its label and description."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """One field: its heading where there are several, and its options where it has any."""

    heading: str | None
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """Everything a post says of an ask. `outcome` is set once it has ended; then nothing invites.

    `sealed` is the one text of a place that may not see the content; all else is empty then.
    """

    ask_id: str
    version: int
    heading: str = ""
    question: str = ""
    sections: tuple[Section, ...] = ()
    hint: str | None = None
    way_out: str | None = None
    foot: str = ""
    outcome: str | None = None
    sealed: str | None = None


def view(
    reader: Reader,
    record: AskRecord,
    code: str,
    waits_for: str,
    now: datetime,
    most: int | None = None,
) -> View:
    """The ask for that reader, as it stands at `now`.

    Args:
        reader: who or where; `sees` decides whether the content is in it.
        record: the ask, pending or ended.
        code: what the ask is called by in that conversation.
        waits_for: whose answer it waits for, in words; read by those who may not see more.
        now: by the store's clock.
        most: the characters of an answer or a reason that are shown; all of them, if not given.
    """
    ask = record.ask
    outcome = None if record.pending else outcomes.outcome(reader, record, now, most)
    if not reader.sees:
        text = outcome or asks.without_content(reader, record, waits_for, code, now)
        return View(ask.id, record.version, sealed=text, outcome=outcome)
    return View(
        ask_id=ask.id,
        version=record.version,
        heading=asks.heading(reader, ask, ended=not record.pending),
        question=visible(ask.question.prompt).strip("\n"),
        sections=_sections(reader, record),
        outcome=outcome,
        foot=f"{code} · {asks.run_name(ask.run_id)}"
        if outcome
        else asks.foot(reader, record, code, now),
        hint=None if outcome else asks.hint(reader, ask, now),
        way_out=None if outcome else asks.way_out(reader, ask),
    )


def numbered(shown: View) -> str:
    """The view as plain text, options one a line."""
    if shown.sealed is not None:
        return shown.sealed
    return "\n\n".join(filter(None, (head(shown), tail(shown))))


def head(shown: View) -> str:
    """Who asks and what, with every option: what never changes."""
    top = "\n".join(filter(None, (shown.heading, shown.question)))
    return "\n\n".join(filter(None, (top, options(shown))))


def options(shown: View) -> str:
    """Every field that has a heading or options, an option a line."""
    return "\n".join(text for section in shown.sections if (text := _section_text(section)))


def tail(shown: View) -> str:
    """How to answer and how long, or how it ended."""
    return "\n".join(filter(None, (shown.outcome, shown.hint, shown.way_out, shown.foot)))


def _sections(reader: Reader, record: AskRecord) -> tuple[Section, ...]:
    question = record.ask.question
    only = question.answer_field
    if only is not None:
        return (Section(None, option_rows(only)),) if only.options else ()
    return tuple(
        Section(_heading(reader, number, field), option_rows(field))
        for number, field in enumerate(question.fields, 1)
    )


def _heading(reader: Reader, number: int, field: Field) -> str:
    """`2. Copies: how many to print (a whole number, 1 to 9, needed)`."""
    title, wanted = line(field.title), asks.wanted(reader, field)
    if field.description:
        return f"{number}. {title}: {line(field.description)} ({wanted})"
    return f"{number}. {title}: {wanted}"


def option_rows(field: Field) -> tuple[Row, ...]:
    return tuple(
        Row(
            key,
            f"{line(option.label)}, {line(option.description)}"
            if option.description
            else line(option.label),
        )
        for key, option in zip(option_keys(field), field.options, strict=True)
    )


def _section_text(section: Section) -> str:
    indent = "" if section.heading is None else INDENT
    rows = [f"{indent}{row.key}. {row.text}" for row in section.rows]
    return "\n".join(([] if section.heading is None else [section.heading]) + rows)
