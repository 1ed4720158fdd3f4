"""Values as people read them back: dates and numbers in full, in the reader's language. Pure."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

from channels.shown import line
from gateway.answer import Picked, Value, Values
from gateway.question import Field, Kind
from gateway.visible import visible

if TYPE_CHECKING:
    from channels.catalogue import Reader
    from gateway.question import Question
    from gateway.reply.draft import Draft


def value(reader: Reader, field: Field, given: Value) -> str:
    """One value. Own words keep their line breaks."""
    language = reader.language
    if isinstance(given, Picked):
        labels = [line(option.label) for option in field.options if option.id in given.options]
        own = [] if given.write_in is None else [visible(given.write_in)]
        return language.all_of(labels + own) if labels + own else language.say("none of them")
    if isinstance(given, bool):
        return language.say("yes") if given else language.say("no")
    if isinstance(given, (int, float)):
        return language.number(given)
    if field.kind is not Kind.DATE:
        return visible(given)
    if field.date_time:
        return language.moment(datetime.fromisoformat(given))
    return language.day(date.fromisoformat(given))


def answer(reader: Reader, question: Question, values: Values) -> str:
    """The whole answer: the only value, or each under its field's name."""
    only = question.answer_field
    if only is not None and only.name in values:
        return value(reader, only, values[only.name])
    given = [(field, values[field.name]) for field in question.fields if field.name in values]
    if not given:
        return reader.language.say("nothing")
    return "; ".join(f"{line(field.title)}: {value(reader, field, one)}" for field, one in given)


def kept(reader: Reader, question: Question, draft: Draft) -> str:
    """What a draft holds, in the fields' order; "" for an empty one."""
    say = reader.language.say
    parts = []
    for field in question.fields:
        if field.name in draft.values:
            parts.append(f"{line(field.title)}: {value(reader, field, draft.values[field.name])}")
        elif field.name in draft.left:
            parts.append(say("{field}: left out", field=line(field.title)))
    return "; ".join(parts)
