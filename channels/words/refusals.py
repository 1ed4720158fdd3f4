"""Why a reply was not taken, and what to write instead: words for every code of the grammar. Pure.

Whoever may not see the content gets sentences that hold none of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import TYPE_CHECKING

from channels.catalogue import message
from channels.shown import line, short
from gateway.reply.meaning import Refusal, Refused

if TYPE_CHECKING:
    from channels.catalogue import Language, Reader
    from gateway.ask import Ask

LISTED_KEYS = 6
"""Ours: so many options are named each by its key; more are named as a span."""

ECHO_CHARS = 60
"""Ours: of what was typed, to know it by."""

NOT_TAKEN = message("That did not fit, and nothing was sent. The question still waits.")
"""For those who may not see more."""

FOR_ALL: Mapping[Refusal, str] = {
    Refusal.TOO_LONG: message(
        "At most {limit} characters; yours has {length}. Nothing was cut or sent."
    ),
    Refusal.BAD_CHARACTERS: message(
        "It holds a character that cannot be kept. Please type it again."
    ),
    Refusal.EMPTY: message("Only words can answer this."),
    Refusal.NO_WORDS: message("An answer in your own words needs a letter or a digit."),
    Refusal.SLASH_COMMAND: message(
        "A command with a slash is never an answer. Write it without the slash."
    ),
    Refusal.NO_SKIP: message("This one cannot be skipped; it waits for an answer."),
    Refusal.NO_DECLINE: message("This one cannot be declined; it waits for an answer."),
    Refusal.NOT_APPROVE_OR_DENY: message(
        'Only "approve" or "deny" decides this, perhaps with a comment: "deny: why".'
    ),
    Refusal.NEEDED: message("This one is needed, and cannot be left out."),
}
"""Sentences that hold nothing of the ask's content."""

WITH_CONTENT: Mapping[Refusal, str] = {
    Refusal.NO_SUCH_OPTION: message("There is no option {typed}. Reply {keys}."),
    Refusal.ONLY_ONE: message("Only one can be picked. Reply {picks}."),
    Refusal.LABEL_DIFFERS: message(
        "There is no option {key}, and you wrote {other}. Reply {other_key} for {other}."
    ),
    Refusal.AMBIGUOUS_LABEL: message("More than one option is called so. Reply {picks}."),
    Refusal.NOT_AN_OPTION: message("This one takes {keys} only."),
    Refusal.UNSURE: message("With a question mark it was not taken. Reply {keys} without it."),
    Refusal.NEGATED: message('"{typed}" could mean that one, or all but that one. Reply {keys}.'),
    Refusal.PASTED_LIST: message("That is the whole list. Reply {keys}."),
    Refusal.ODD_DIGITS: message("Those digits do not read as plain ones. Type them plainly."),
    Refusal.PARTLY_WRONG: message(
        "Not among the options: {wrong}. Nothing was picked; reply with some of {keys}."
    ),
    Refusal.UNCLEAR_LIST: message(
        'It is not clear which are meant. Reply "{list}" for all of these.'
    ),
    Refusal.OTHER_WITHOUT_WORDS: message('Other needs words of your own. Reply "{words}".'),
    Refusal.PICK_AFTER_OTHER: message(
        'Reply "{pick}" to pick that option, or "{words}" to answer in those words.'
    ),
    Refusal.NO_WRITE_IN: message("This one takes no words of your own. Reply {keys}."),
    Refusal.NONE_NOT_ALLOWED: message("At least one is needed. Reply with some of {keys}."),
    Refusal.LABEL_OR_WORD: message(
        '"{word}" is an option here, so that could mean two things. Pick it by its number.'
    ),
    Refusal.NOT_A_NUMBER: message("This one takes a number, like 12."),
    Refusal.AMBIGUOUS_NUMBER: message("That can be {readings}. Reply {ways}."),
    Refusal.NOT_WHOLE: message("It takes whole numbers; you wrote {typed}."),
    Refusal.OUT_OF_RANGE: message("It is at most {max}; you wrote {typed}."),
    Refusal.NOT_YES_OR_NO: message('Reply "yes" or "no".'),
    Refusal.NOT_A_DATE: message("This one takes a date, like 2026-10-20."),
    Refusal.AMBIGUOUS_DATE: message("That can be {readings}. Reply {ways}."),
    Refusal.AMBIGUOUS_TIME: message("That can be {readings}. Reply {ways}."),
    Refusal.NO_SUCH_DATE: message("There is no such day. Reply with a date like 2026-10-20."),
    Refusal.WEEKDAY_DIFFERS: message("{day} is a {weekday}. Reply {date} if that day is meant."),
    Refusal.NEEDS_TIME: message("It needs a time too, like {moment}."),
    Refusal.NEEDS_DATE: message("It needs the day too, like {moment}."),
    Refusal.NEEDS_OFFSET: message(
        "Your time zone is not known here. Add the offset, like {date}+02:00."
    ),
    Refusal.TIME_NOT_WANTED: message("Only the day is wanted. Reply {date}."),
    Refusal.TIME_SKIPPED: message("The clocks jump over that time on that day. Reply {ways}."),
    Refusal.TIME_DOUBLED: message("The clocks strike that time twice on that day. Reply {ways}."),
    Refusal.AMBIGUOUS_LINE: message(
        'That could be for {fields}. Begin with the name: "{first_field}: …".'
    ),
    Refusal.LINE_WITHOUT_FIELD: message('No field is open for "{typed}". It was not kept.'),
    Refusal.GIVEN_TWICE: message("It was given twice. Give it once."),
}
"""Sentences for those who may see the content."""

WHERE: Mapping[tuple[Refusal, str], str] = {
    (Refusal.EMPTY, "buttons"): message("Only words or the buttons can answer this."),
    (Refusal.NO_SKIP, "can_decline"): message(
        'This one cannot be skipped. "decline: why" says that you will not answer.'
    ),
    (Refusal.NO_DECLINE, "can_skip"): message(
        'This one cannot be declined. "skip" lets the run go on without an answer.'
    ),
    (Refusal.NO_SUCH_OPTION, "write_in"): message(
        'There is no option {typed}. Reply {keys}, or "other: {typed}" to answer with {typed}.'
    ),
    (Refusal.LABEL_DIFFERS, "label"): message(
        "{key} is {label}, and you wrote {other}. "
        "Reply {key} for {label} or {other_key} for {other}."
    ),
    (Refusal.NOT_AN_OPTION, "nearest"): message(
        "This one takes {keys} only. Did you mean {nearest_key}, {nearest}?"
    ),
    (Refusal.LINE_WITHOUT_FIELD, "fields"): message(
        'No name stands before "{typed}", so it was not kept. Begin the line: "{first_field}: …".'
    ),
    (Refusal.ODD_DIGITS, "keys"): message("Those digits do not read as plain ones. Reply {keys}."),
    (Refusal.NOT_A_NUMBER, "ways"): message("Numbers are written another way here. Reply {ways}."),
    (Refusal.NOT_A_DATE, "moment"): message("This one takes a date and a time, like {moment}."),
    (Refusal.NO_SUCH_DATE, "moment"): message(
        "There is no such day. Reply with a date and a time, like {moment}."
    ),
    (Refusal.WEEKDAY_DIFFERS, "moment"): message(
        "{day} is a {weekday}. Reply {date} and the time if that day is meant."
    ),
    (Refusal.OUT_OF_RANGE, "span"): message("It goes from {min} to {max}; you wrote {typed}."),
    (Refusal.OUT_OF_RANGE, "min"): message("It is at least {min}; you wrote {typed}."),
}
"""Sentences that take the place of those above where that datum is there, the first that fits."""


def refusal(reader: Reader, ask: Ask, refused: Refused) -> str:
    """Why a reply, or one value of it, was not taken; a value under its field's name."""
    data = _in_words(reader, ask, refused)
    table = FOR_ALL if refused.code in FOR_ALL else WITH_CONTENT
    if table is WITH_CONTENT and not reader.sees:
        return reader.language.say(NOT_TAKEN)
    special = (
        words for (code, name), words in WHERE.items() if code is refused.code and name in data
    )
    said = reader.language.say(next(special, table[refused.code]), **data)
    field = ask.question.field(refused.field or "")
    if field is None or not reader.sees or ask.question.answer_field is not None:
        return said
    return reader.language.say("{field}: {sentence}", field=line(field.title), sentence=said)


def _in_words(reader: Reader, ask: Ask, refused: Refused) -> dict[str, str]:
    """The refusal's data as they stand in sentences; what is empty or false is left out."""
    language, given = reader.language, refused.data
    told: dict[str, str] = {"buttons": "1"} if reader.buttons else {}
    for name, datum in given.items():
        if isinstance(datum, tuple):
            told |= _of_several(language, ask, name, datum)
        elif isinstance(datum, bool):
            told |= {name: "1"} if datum else {}
        elif isinstance(datum, str):
            told |= (
                {name: short(datum, ECHO_CHARS) if name == "typed" else line(datum)}
                if datum
                else {}
            )
        else:
            told[name] = language.number(datum)
    if "min" in told and "max" in told:
        told["span"] = "1"
    if refused.code is Refusal.WEEKDAY_DIFFERS:
        day = date.fromisoformat(str(given["date"]))
        told |= {"day": language.day(day), "weekday": language.weekday(day)}
    if refused.code in (Refusal.AMBIGUOUS_DATE, Refusal.AMBIGUOUS_TIME):
        told["readings"] = language.any_of(
            [_moment(language, way) for way in _texts(refused, "ways")]
        )
    return told


def _of_several(language: Language, ask: Ask, name: str, texts: tuple[str, ...]) -> dict[str, str]:
    match name:
        case _ if not texts:
            return {}
        case "keys" if len(texts) > LISTED_KEYS:
            return {name: language.say("{first} to {last}", first=texts[0], last=texts[-1])}
        case "picks":
            return {name: language.any_of(texts), "list": ", ".join(texts)}
        case "wrong":
            return {name: language.all_of([short(text, ECHO_CHARS) for text in texts])}
        case "fields":
            fields = [field for text in texts if (field := ask.question.field(text))]
            titles = [line(field.title) for field in fields]
            return {name: language.any_of(titles), "first_field": titles[0]}
        case "ways":
            told = {"pick": line(texts[0]), "words": line(texts[-1])}
        case _:
            told = {}
    return told | {name: language.any_of([line(text) for text in texts])}


def _moment(language: Language, way: str) -> str:
    """A date, or a date and a time, as people say it."""
    if len(way) == len("2026-10-20"):
        return language.day(date.fromisoformat(way))
    return language.moment(datetime.fromisoformat(way))


def _texts(refused: Refused, name: str) -> tuple[str, ...]:
    found = refused.data.get(name, ())
    return found if isinstance(found, tuple) else ()
