"""What stands in a form that is walked through: the step, what is kept so far, the review. Pure.

It is a helper beside the post, where the whole question stands; so what is long is shortened here,
and said in `whole` to those who do not have the post before them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.present import option_rows
from channels.shown import closed, line, short
from channels.words import asks, values
from gateway.question import Kind
from gateway.visible import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.catalogue import Reader
    from gateway.ask import Ask
    from gateway.question import Field
    from gateway.reply.draft import Draft

PROMPT_CHARS = 600
TITLE_CHARS = 300
KEPT_CHARS = 1_200
OPTIONS_CHARS = 1_400
REVIEW_CHARS = 2_800
"""Ours: together they stay below the 4,096 of a message (platform facts, 4.2)."""

LEAST_CHARS = 20
"""Ours: what is left of a text so that it is known again."""

CHOSEN, OPEN = "\u2611", "\u2610"
"""Beside an option that is chosen of several, and one that is not."""


def step(reader: Reader, ask: Ask, draft: Draft, number: int, chosen: Sequence[str]) -> str:
    """The field of that 0-based number, what it takes, and what is kept of the others.

    `chosen` are the options picked so far, where it takes several.
    """
    field = ask.question.fields[number]
    parts = [_head(reader, ask), *_so_far(reader, ask, draft, KEPT_CHARS)]
    parts.append("\n".join((_title(reader, ask, field, number), *_options(field, chosen))))
    parts.append(_how(reader, field))
    return "\n\n".join(filter(None, parts))


def whole(ask: Ask, field: Field) -> tuple[str, ...]:
    """What the step of that field shortens, each text in full."""
    prompt, wanted = visible(ask.question.prompt).strip("\n"), field.description or ""
    rows = option_rows(field)
    most = _option_chars(rows)
    texts = (
        prompt if _is_shortened(prompt, PROMPT_CHARS) else "",
        visible(wanted) if _is_shortened(wanted, TITLE_CHARS) else "",
        "\n".join(f"{row.key}. {row.text}" for row in rows)
        if any(_is_shortened(row.text, most) for row in rows)
        else "",
    )
    return tuple(filter(None, texts))


def review(reader: Reader, ask: Ask, draft: Draft) -> str:
    """All that would be sent."""
    said = reader.language.say("Is this right? Nothing is sent before you press Send.")
    return "\n\n".join((_head(reader, ask), *_so_far(reader, ask, draft, REVIEW_CHARS), said))


def elsewhere(reader: Reader) -> str:
    """To whoever asked for it where others read along."""
    return reader.language.say("The form opens in our private chat.")


def only_here(reader: Reader) -> str:
    """To those who may answer as members of this place alone, so not in their private chat."""
    return reader.language.say("Please answer here, as a reply to the question.")


def write_own(reader: Reader) -> str:
    """After Other, in the walk."""
    return reader.language.say("Write your own words as your next message.")


def done(reader: Reader) -> str:
    return reader.language.say("Done")


def back(reader: Reader) -> str:
    return reader.language.say("Back")


def leave_out(reader: Reader) -> str:
    return reader.language.say("Leave out")


def in_days(reader: Reader, days: int) -> str:
    """A day near today, on a button."""
    say = reader.language.say
    if days == 0:
        return say("Today")
    return (
        say("Tomorrow") if days == 1 else reader.language.count("In {n} day", "In {n} days", days)
    )


def _head(reader: Reader, ask: Ask) -> str:
    prompt = short(ask.question.prompt, PROMPT_CHARS) if ask.question.prompt.strip() else ""
    return "\n".join(filter(None, (asks.heading(reader, ask), prompt)))


def _so_far(reader: Reader, ask: Ask, draft: Draft, chars: int) -> list[str]:
    """Each kept value on a line of its own."""
    say = reader.language.say
    most = max(LEAST_CHARS, chars // max(1, len(draft.order)))
    lines = []
    for field in ask.question.fields:
        title = short(field.title, TITLE_CHARS // 4)
        if field.name in draft.values:
            given = values.value(reader, field, draft.values[field.name])
            lines.append(f"\u2713 {title}: {short(given, most)}")
        elif field.name in draft.left:
            lines.append(f"\u2713 {say('{field}: left out', field=title)}")
    return ["\n".join(lines)] if lines else []


def _title(reader: Reader, ask: Ask, field: Field, number: int) -> str:
    wanted = asks.wanted(reader, field)
    if ask.question.answer_field is not None:
        return closed(wanted[:1].upper() + wanted[1:])
    place = reader.language.say("{n} of {all}", n=number + 1, all=len(ask.question.fields))
    title = line(field.title)
    if field.description:
        title = f"{title}: {short(field.description, TITLE_CHARS)}"
    return f"{place} \u00b7 {title} ({wanted})"


def _options(field: Field, chosen: Sequence[str]) -> list[str]:
    rows = option_rows(field)
    most = _option_chars(rows)
    several = field.kind is Kind.MULTI_CHOICE
    shown = []
    for row, option in zip(rows, field.options, strict=True):
        mark = (f"{CHOSEN} " if option.id in chosen else f"{OPEN} ") if several else ""
        shown.append(f"{mark}{row.key}. {short(row.text, most)}")
    return shown


def _option_chars(options: Sequence[object]) -> int:
    return max(LEAST_CHARS, OPTIONS_CHARS // max(1, len(options)))


def _is_shortened(text: str, most: int) -> bool:
    return short(text, most) != short(text, len(text) + 1)


def _how(reader: Reader, field: Field) -> str:
    """What to press or write."""
    say = reader.language.say
    match field.kind:
        case Kind.MULTI_CHOICE:
            return say("Press each one you want, then Done; or write them.")
        case Kind.CHOICE | Kind.TOGGLE | Kind.DATE:
            return say("Press one, or write it.") if not field.date_time else say("Write it.")
        case Kind.TEXT | Kind.NUMBER:
            return say("Write it as your next message.")
