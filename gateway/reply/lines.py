"""Which field each line of a reply is for, by what stands before it. Pure.

A number before a line may also be the line's own: whoever reads the lines weighs both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from dataclasses import field as attribute
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from gateway.fold import fold

if TYPE_CHECKING:
    from gateway.question import Field, Question
    from gateway.reply.draft import Draft

KEPT = 256
"""Questions whose names are kept; ours."""

LONGEST_NAME_CHARS = 200
"""Ours: a field that is called by more is named by its number."""

_MARK = re.compile(r"[:=\uff1a]")
_NUMBERED = re.compile(
    r"\s*\(?(?P<key>\d{1,2})\s?(?:[.):=]\s+|[\uff0e\uff09\uff1a\uff1d]\s*)(?P<value>\S.*)",
    re.DOTALL,
)


@dataclass(slots=True)
class Line:
    """One line and what belongs to it: `rows` without the key, `named` where that was no number."""

    field: Field | None
    rows: list[str] = attribute(default_factory=list)
    named: bool = False

    @property
    def value(self) -> str:
        return "\n".join(self.rows).strip()


def keyed_lines(typed: str, question: Question, draft: Draft) -> list[Line] | None:
    """Each line with the field it names; None where no line names one.

    Lines behind a field of words that may have several belong to it, up to the next key: behind
    its name up to the next name, so that it may hold a numbered list. Beside names a number stands
    for an open field only.
    """
    rows = typed.split("\n")
    named = [_named(row, question) for row in rows]
    by_name = any(named)
    lines: list[Line] = []
    for row, name in zip(rows, named, strict=True):
        last = lines[-1] if lines else Line(None)
        several = last.field is not None and last.field.multiline
        line = name or (None if several and last.named else numbered(row, question))
        if line and line.field and not line.named and by_name and draft.holds(line.field.name):
            line = None
        if line is not None:
            lines.append(line)
        elif several:
            last.rows.append(row)
        elif row.strip():
            lines.append(Line(None, [row]))
    return lines if any(line.field for line in lines) else None


def numbered(row: str, question: Question) -> Line | None:
    """The line of the field whose number the row begins with."""
    found = _NUMBERED.fullmatch(row)
    at = int(found["key"]) - 1 if found else -1
    if found is None or not 0 <= at < len(question.fields):
        return None
    return Line(question.fields[at], [found["value"]])


def _named(row: str, question: Question) -> Line | None:
    """The line of the field whose name or label the row begins with, the longest that does."""
    names, marks = _names(question)
    line = None
    for mark in islice(_MARK.finditer(row[:LONGEST_NAME_CHARS]), marks + 1):
        at = names.get(fold(row[: mark.start()]))
        if at is not None:
            line = Line(question.fields[at], [row[mark.end() :]], named=True)
    return line


@lru_cache(maxsize=KEPT)
def _names(question: Question) -> tuple[dict[str, int], int]:
    """Names and labels, folded → the field, and the most marks that one of them holds.

    Names win over labels, and a label of two is none.
    """
    labels: dict[str, int] = {}
    twice: set[str] = set()
    for at, one in enumerate(question.fields):
        label = fold(one.title)
        twice |= {label} & set(labels)
        labels[label] = at
    names = {fold(one.name): at for at, one in enumerate(question.fields)}
    found = {label: at for label, at in labels.items() if label not in twice} | names
    return found, max((len(_MARK.findall(name)) for name in found), default=0)
