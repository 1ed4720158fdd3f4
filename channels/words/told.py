"""What is said back to whoever acted: receipts, what is kept, who may not, which is meant. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from channels.shown import closed, line, short
from channels.words import asks, refusals, values
from gateway.answer import from_json
from gateway.ask import AskKind, Status
from gateway.reply.options import option_keys

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from channels.catalogue import Reader
    from gateway.ask import Ask, AskRecord
    from gateway.conversations import Waiting
    from gateway.question import Field
    from gateway.reply.draft import Draft
    from gateway.reply.meaning import Partial

Seen = tuple["Reader", "Waiting"]
"""One waiting ask, and whoever reads of it: what they may see differs from ask to ask."""

BUTTON_CHARS = 30
"""Slack shows about so many of a button's label (platform facts, 0.3); the text has it whole."""

LISTED_CHARS = 120
"""Ours: of a question in a list of those that wait; its post has it whole."""

ECHO_CHARS = 120
"""Ours: of a message that is quoted back to its author, who knows it."""


def receipt(reader: Reader, record: AskRecord) -> str:
    """To the one who ended it. Dates and numbers come back in full."""
    say = reader.language.say
    told = record.outcome
    if record.ask.kind is AskKind.APPROVAL:
        return (
            say("Got it: approved.") if record.status is Status.ANSWERED else say("Got it: denied.")
        )
    if told is None or record.status is not Status.ANSWERED or told.values is None:
        if told is not None and told.skipped:
            return say("Got it: skipped. The run goes on without an answer.")
        return say("Got it: declined.")
    if not reader.sees:
        return say("Got it.")
    question = record.ask.question
    given = values.answer(reader, question, from_json(question, told.values))
    if question.answer_field is None:
        return say("Got it. {answer}", answer=closed(given))
    return say("Got it: {answer}", answer=closed(given))


def partly(reader: Reader, ask: Ask, reply: Partial) -> str:
    """What is kept, what is wrong, and what is missing."""
    say = reader.language.say
    lines = [_kept(reader, ask, reply.draft)] if reply.draft.order else []
    lines += [refusals.refusal(reader, ask, problem) for problem in reply.problems]
    fields = [field for name in reply.missing if (field := ask.question.field(name))]
    needed = [_open(reader, field) for field in fields if field.required]
    left = [_open(reader, field) for field in fields if not field.required]
    if needed:
        lines.append(say("Still needed: {fields}", fields=closed("; ".join(needed))))
    if left:
        lines.append(say("Still open: {fields}", fields=closed("; ".join(left))))
        lines.append(say('Reply "-" to leave one out, "done" to leave out all that is not needed.'))
    return "\n".join(lines)


def taken_back(reader: Reader, ask: Ask, draft: Draft) -> str:
    """After `back` or `clear`: what is left of the draft."""
    say = reader.language.say
    if draft.order:
        return say("Taken back.") + " " + _kept(reader, ask, draft)
    return say("Nothing is kept now; start with the first line.")


def kept_unseen(reader: Reader) -> str:
    """That a part was kept, for a place that may not see of what."""
    return reader.language.say("Noted. The question still waits for the rest.")


def cancel(reader: Reader, ask: Ask) -> str:
    """`cancel` could mean the question, the draft or the run."""
    say = reader.language.say
    if ask.can_skip:
        return say('Nothing was cancelled. "skip" ends the question, "clear" what you began.')
    if ask.can_decline:
        return say(
            'Nothing was cancelled. "decline: why" ends the question, "clear" what you began.'
        )
    return say(
        'Nothing was cancelled. "clear" drops what you began; the question waits for an answer.'
    )


def help_(reader: Reader, ask: Ask, now: datetime) -> str:
    """How to answer this one; its hint may name its fields, which is content."""
    say = reader.language.say
    if not reader.sees:
        return say('Answer where you can see the question. "pending" lists what waits here.')
    out = asks.way_out(reader, ask)
    more = say('"pending" lists what waits here.')
    return " ".join(filter(None, (asks.hint(reader, ask, now), out, more)))


def help_without_ask(reader: Reader) -> str:
    return reader.language.say("Agents ask their questions here. None waits for you just now.")


def pending(
    reader: Reader,
    waiting: Sequence[Seen],
    now: datetime,
    *,
    most: int | None = None,
    or_more: bool = False,
) -> str:
    """What waits here for the reader: the first `most` of it; `or_more` may wait than is known."""
    language, n = reader.language, len(waiting)
    if not waiting:
        return language.say("Nothing waits for you here.")
    head = (
        language.say("At least {n} questions wait here:", n=n)
        if or_more
        else language.count("{n} question waits here:", "{n} questions wait here:", n)
    )
    lines = [head, *(listed(who, one, now) for who, one in waiting[:most])]
    if most is not None and n > most:
        lines.append(language.say("These are the oldest {n}.", n=most))
    return "\n".join(lines)


def still_waiting(reader: Reader, record: AskRecord, code: str, now: datetime) -> str:
    """Under a post, to those who may answer: a part of the wait has passed."""
    say = reader.language.say
    what = (
        line(title(record.ask))
        if reader.sees
        else say("{agent} asks", agent=line(record.ask.agent))
    )
    if record.deadline is None:
        return say("Still waiting: {what} {code}.", what=closed(what), code=code)
    return say(
        "Still waiting: {what} {code}, until {time}.",
        what=closed(what),
        code=code,
        time=reader.when(record.deadline, now),
    )


def which(reader: Reader, waiting: Sequence[Seen], typed: str, now: datetime) -> str:
    """Several wait, and none was named."""
    head = reader.language.count(
        '{n} question waits here. Is "{typed}" for it?',
        '{n} questions wait here. Which one is "{typed}" for?',
        len(waiting),
        typed=short(typed, ECHO_CHARS),
    )
    return "\n".join((head, *(listed(who, one, now) for who, one in waiting)))


def other_ask(reader: Reader, code: str) -> str:
    """To whoever edits a message for one ask so that it names another."""
    return reader.language.say(
        "An edited message stays with its question. Write a new one for {code}.", code=code
    )


def listed(reader: Reader, waiting: Waiting, now: datetime) -> str:
    """One ask in one line: its code, and the question as far as the reader may see it."""
    record = waiting.record
    say = reader.language.say
    if not reader.sees:
        return say("{code}  {agent} asks", code=waiting.code, agent=line(record.ask.agent))
    question = short(title(record.ask), LISTED_CHARS)
    if record.deadline is None:
        return f"{waiting.code}  {question}"
    return say(
        "{code}  {question} (until {time})",
        code=waiting.code,
        question=question,
        time=reader.when(record.deadline, now),
    )


def button(waiting: Waiting, *, sees: bool) -> str:
    """A control's label for one ask, shortened at a whole visible character."""
    if not sees:
        return waiting.code
    return f"{waiting.code} {short(title(waiting.record.ask), BUTTON_CHARS)}"


def title(ask: Ask) -> str:
    """The question in short: its prompt, or the first of several questions."""
    question = ask.question
    return question.prompt or (question.fields[0].description or "" if question.fields else "")


def confirm(reader: Reader, typed: str, code: str) -> str:
    """Perhaps not meant as an answer."""
    return reader.language.say(
        'Send "{typed}" as your answer to {code}?', typed=short(typed, ECHO_CHARS), code=code
    )


def choose(reader: Reader, words: Sequence[str]) -> str:
    """How to choose where there is nothing to press."""
    quoted = [f'"{line(word)}"' for word in words]
    return reader.language.say("Reply {words}.", words=reader.language.any_of(quoted))


def dropped(reader: Reader) -> str:
    return reader.language.say("Nothing was sent.")


def not_the_author(reader: Reader) -> str:
    return reader.language.say("Only the one who wrote that message can send it.")


def gone(reader: Reader) -> str:
    return reader.language.say("This is no longer kept here. Nothing was sent.")


def not_theirs(reader: Reader, people: str, account: str | None) -> str:
    """To whoever may not answer. `account` is set for one that is nobody's yet."""
    say = reader.language.say
    if account is None:
        return say("You can't answer this one: it waits for {people}.", people=people)
    return say(
        "You can't answer this one: it waits for {people}. If that is you, ask an admin to connect "
        "your account {account}.",
        people=people,
        account=line(account),
    )


def unseen(reader: Reader, ask: Ask) -> str:
    """To whoever may decline, but not see and so not answer."""
    say = reader.language.say
    if ask.can_skip:
        return say("You can skip this one; to answer, you would need the right to see it.")
    if ask.can_decline:
        return say("You can decline this one; to answer, you would need the right to see it.")
    return say("To answer this one, you would need the right to see it.")


def hidden_author(reader: Reader) -> str:
    """To an author whom the platform hides behind an id that many share."""
    if reader.buttons:
        return reader.language.say(
            "The chat hides who you are. Press a button, or write under your own name."
        )
    return reader.language.say("The chat hides who you are. Please write under your own name.")


def link(reader: Reader, account: str) -> str:
    """How an account becomes a person's own."""
    return reader.language.say(
        "Your account here is {account}. Give it to an admin, who connects it to you.",
        account=line(account),
    )


def unavailable(reader: Reader) -> str:
    """The store is away."""
    return reader.language.say(
        "Not saved just now. Please try again in a moment; nothing was sent."
    )


def taking_long(reader: Reader) -> str:
    """To whoever pressed, where the chat cannot wait until it is saved."""
    return reader.language.say("This takes a moment. The question will show how it ended.")


def send_label(reader: Reader) -> str:
    return reader.language.say("Send")


def drop_label(reader: Reader) -> str:
    return reader.language.say("No, just talking")


def send_word(reader: Reader) -> str:
    """What to type for Send, where there is nothing to press."""
    return reader.language.say("send")


def drop_word(reader: Reader) -> str:
    """What to type for "No, just talking"."""
    return reader.language.say("no")


def _kept(reader: Reader, ask: Ask, draft: Draft) -> str:
    return reader.language.say(
        "Kept. {values}", values=closed(values.kept(reader, ask.question, draft))
    )


def _open(reader: Reader, field: Field) -> str:
    """One field that is open, with what it takes; options are read off the post, by their keys."""
    if not field.is_choice:
        return ", ".join((line(field.title), asks.takes(reader, field)))
    keys = reader.language.any_of(option_keys(field))
    return f"{line(field.title)}, {keys}"
