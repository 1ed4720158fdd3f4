"""What a post says of an ask besides the agent's own words: who, how, how long. Pure.

Hints name only what works for this question, in this place.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from channels.catalogue import message
from channels.shown import line
from channels.words import reach
from gateway.ask import AskKind
from gateway.question import Field, Kind
from gateway.reply.language import words_for
from gateway.reply.options import label_core, options_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from channels.catalogue import Reader
    from gateway.ask import Ask, AskRecord

SHORT_RUN_CHARS = 8
"""`job-0a9d`: enough to know a run by among those of a day; its whole id stands in OZ."""

HINTS: Mapping[str, str] = {
    "approval": message('Reply "approve", or "deny: why".'),
    "choice": message("Reply with a number or a label."),
    "choice write-in": message("Reply with a number, a label, or your own words."),
    "choice letters": message("Reply with a letter or a label."),
    "choice letters write-in": message("Reply with a letter, a label, or your own words."),
    "multi-choice": message("Pick any: reply like {example}, or with labels."),
    "multi-choice write-in": message(
        "Pick any: reply like {example}, with labels, or in your own words."
    ),
    "text": message("Reply in your own words."),
    "number": message("Reply with a number."),
    "number low": message("Reply with a number of at least {low}."),
    "number high": message("Reply with a number of at most {high}."),
    "number low high": message("Reply with a number from {low} to {high}."),
    "number integer": message("Reply with a whole number."),
    "number integer low": message("Reply with a whole number of at least {low}."),
    "number integer high": message("Reply with a whole number of at most {high}."),
    "number integer low high": message("Reply with a whole number from {low} to {high}."),
    "date": message("Reply with a date, like {day}."),
    "date time": message("Reply with a date and a time, like {day} 14:00."),
    "toggle": message('Reply "yes" or "no".'),
    "fields": message('Reply with one line each, in this order, or name it: "{name}: …".'),
    "fields one": message("Reply with the value alone."),
}
"""How to answer, by kind and what bears on it."""

WANTED: Mapping[str, str] = {
    "text": message("text"),
    "number": message("a number"),
    "number low": message("a number, at least {low}"),
    "number high": message("a number, at most {high}"),
    "number low high": message("a number, {low} to {high}"),
    "number integer": message("a whole number"),
    "number integer low": message("a whole number, at least {low}"),
    "number integer high": message("a whole number, at most {high}"),
    "number integer low high": message("a whole number, {low} to {high}"),
    "choice": message("one of these"),
    "choice write-in": message("one of these, or your own words"),
    "choice letters": message("one of these"),
    "choice letters write-in": message("one of these, or your own words"),
    "multi-choice": message("any of these"),
    "multi-choice write-in": message("any of these, or your own words"),
    "date": message("a date"),
    "date time": message("a date and a time"),
    "toggle": message("yes or no"),
}
"""What one field takes, likewise."""

_JOB = re.compile(r"job-[0-9a-f]{8}-[0-9a-f-]{27}")


def heading(reader: Reader, ask: Ask, *, ended: bool = False) -> str:
    """Who asks."""
    say = reader.language.say
    if ask.kind is AskKind.APPROVAL:
        if ended:
            return say("{agent} asked for an approval", agent=line(ask.agent))
        return say("{agent} asks for an approval", agent=line(ask.agent))
    if ended:
        return say("{agent} asked", agent=line(ask.agent))
    return say("{agent} asks", agent=line(ask.agent))


def without_content(
    reader: Reader, record: AskRecord, waits_for: str, code: str, now: datetime
) -> str:
    """All that a place reads which may not see the question."""
    say = reader.language.say
    agent = line(record.ask.agent)
    if record.deadline is None:
        return say(
            "{agent} waits for an answer from {people}. {code}",
            agent=agent,
            people=waits_for,
            code=code,
        )
    return say(
        "{agent} waits for an answer from {people}. {code} · until {time}.",
        agent=agent,
        people=waits_for,
        code=code,
        time=reader.when(record.deadline, now),
    )


def waits_for(reader: Reader, tenant: str, names: Sequence[str]) -> str:
    """Whose answer it waits for: the people it names, else those whose role may."""
    if names:
        return reader.language.any_of([line(name) for name in names])
    return reader.language.say("operators of {tenant}", tenant=line(tenant))


def foot(reader: Reader, record: AskRecord, code: str, now: datetime) -> str:
    """Code, deadline and run."""
    say = reader.language.say
    if record.deadline is None:
        until = say("waits until it is answered")
    elif not reader.stamps and reader.is_today(record.deadline, now):
        until = say("waits until {time} today", time=reader.time(record.deadline, now))
    else:
        until = say("waits until {time}", time=reader.when(record.deadline, now))
    return " · ".join((code, until, run_name(record.ask.run_id)))


def run_name(run_id: str) -> str:
    """A run as people call it: a job's UUID shortened, any other id whole."""
    return run_id[:SHORT_RUN_CHARS] if _JOB.fullmatch(run_id) else line(run_id)


def hint(reader: Reader, ask: Ask, now: datetime) -> str:
    """How to answer here."""
    return " ".join(filter(None, (_hint(reader, ask, now), reach.where(reader))))


def way_out(reader: Reader, ask: Ask) -> str | None:
    """How not to answer, where there is a way; a label that is the word itself takes it away."""
    say = reader.language.say
    words = words_for(reader.language.tag)
    labels = {label_core(option.label) for field in ask.question.fields for option in field.options}
    if ask.can_skip and labels.isdisjoint(words.skip):
        return say('Skip with "skip".')
    if ask.can_decline and ask.kind is AskKind.QUESTION and labels.isdisjoint(words.decline):
        return say('Decline with "decline: why".')
    return None


def wanted(reader: Reader, field: Field) -> str:
    """What one field of several takes, and whether it must: `a whole number, 1 to 9, needed`."""
    say = reader.language.say
    need = say("needed") if field.required else say("may be left out")
    return f"{takes(reader, field)}, {need}"


def takes(reader: Reader, field: Field) -> str:
    """What a field takes: `a whole number, 1 to 9`."""
    language = reader.language
    taken = language.say(WANTED[_shape(field)], **_bounds(reader, field))
    if field.kind is Kind.TEXT and field.max_length is not None:
        one, many = "at most {n} character", "at most {n} characters"
        return f"{taken}, {language.count(one, many, field.max_length)}"
    return taken


def _hint(reader: Reader, ask: Ask, now: datetime) -> str:
    say = reader.language.say
    field = ask.question.answer_field
    if ask.kind is AskKind.APPROVAL:
        return say(HINTS["approval"])
    if field is None:
        return _hint_for_several(reader, ask)
    data = _bounds(reader, field)
    if field.options:
        keys = options_of(field).keys
        data["example"] = ", ".join(dict.fromkeys((keys[0], keys[-1])))
    data["day"] = (now + timedelta(days=1)).date().isoformat()
    said = say(HINTS[_shape(field)], **data)
    if field.kind is Kind.MULTI_CHOICE and not field.required:
        none = say('Reply "none" to pick nothing.')
        return f"{said} {none}"
    return said


def _hint_for_several(reader: Reader, ask: Ask) -> str:
    say = reader.language.say
    fields = ask.question.fields
    shape = "fields one" if len(fields) == 1 else "fields"
    said = say(HINTS[shape], name=line(fields[-1].title))
    if all(field.required for field in fields):
        return said
    out = say('A line of "-" leaves one out, "done" all that is open and not needed.')
    return f"{said} {out}"


def _shape(field: Field) -> str:
    """The field's kind and what bears on how it is answered: a key of the tables."""
    told = {
        "letters": field.kind is Kind.CHOICE and options_of(field).letters,
        "write-in": field.is_choice and field.write_in,
        "time": field.date_time,
        "integer": field.integer,
        "low": field.min is not None,
        "high": field.max is not None,
    }
    return " ".join((field.kind.value, *(name for name, holds in told.items() if holds)))


def _bounds(reader: Reader, field: Field) -> dict[str, str]:
    number = reader.language.number
    bounds = {"low": field.min, "high": field.max}
    return {name: number(bound) for name, bound in bounds.items() if bound is not None}
