"""How an ask ended: on its own post, and to whoever comes too late. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from channels.catalogue import message
from channels.shown import closed, cut, line
from channels.words import values
from gateway.answer import from_json
from gateway.ask import AskKind, OnTimeout, Outcome, Status
from gateway.broker import RUN_DEADLINE_PASSED, RUN_ENDED
from gateway.broker.endings import WITHDRAWN
from gateway.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from channels.catalogue import Reader
    from gateway.ask import AskRecord

CHATS = {"slack": "Slack", "teams": "Teams", "discord": "Discord", "telegram": "Telegram"}
"""The channels' own names."""


def outcome(reader: Reader, record: AskRecord, now: datetime, most: int | None = None) -> str:
    """The last line of a post whose ask has ended; `most` characters of an answer or a reason.

    Raises: ValueError, it still waits.
    """
    say = reader.language.say
    who = _by(reader, record, now)
    match record.status:
        case Status.PENDING:
            raise ValueError(f"{record.ask.id} still waits.")
        case Status.ANSWERED:
            return _answered(reader, record, who, most)
        case Status.DECLINED:
            return _declined(reader, record, who, most)
        case Status.EXPIRED:
            ended = reader.when(record.deadline or record.opened_at, now)
            if record.ask.on_timeout is OnTimeout.FAIL:
                return say("Nobody answered by {time}. The run failed.", time=ended)
            return say("Nobody answered by {time}. The run went on without.", time=ended)
        case Status.CANCELLED:
            return _cancelled(reader, record, most)
        case _:
            assert_never(record.status)


def too_late(reader: Reader, record: AskRecord, came: datetime, now: datetime) -> str:
    """To whoever answers an ask that has ended: what stands, as much as they may see.

    `came` is when theirs came. Raises: ValueError, it still waits.
    """
    say = reader.language.say
    ended = reader.when(record.settled_at or now, now)
    match record.status:
        case Status.PENDING:
            raise ValueError(f"{record.ask.id} still waits.")
        case Status.ANSWERED | Status.DECLINED:
            return _stands(reader, record, ended)
        case Status.EXPIRED:
            if record.deadline is not None:
                ended = reader.when(record.deadline, now)
            return say(
                "This ended at {time} without an answer. Yours came at {came} and was not used.",
                time=ended,
                came=reader.when(came, now),
            )
        case Status.CANCELLED:
            return say("{outcome} Yours was not used.", outcome=_cancelled(reader, record))
        case _:
            assert_never(record.status)


def edited(reader: Reader, record: AskRecord, now: datetime) -> str:
    """To whoever edits the message that was taken as the answer."""
    say = reader.language.say
    taken = reader.when(record.settled_at or now, now)
    given = _answer(reader, record)
    if given is None:
        return say("This was already taken at {time}. The edit changes nothing.", time=taken)
    return say(
        "This was already taken at {time}, as: {answer} The edit changes nothing.",
        time=taken,
        answer=closed(given),
    )


def _answered(reader: Reader, record: AskRecord, who: str, most: int | None) -> str:
    say = reader.language.say
    if record.ask.kind is AskKind.APPROVAL:
        comment = record.outcome.reason if record.outcome else None
        if comment and reader.sees:
            return say("Approved: {comment} {who}.", comment=_quoted(comment, most), who=who)
        return say("Approved. {who}.", who=who)
    given = _answer(reader, record)
    if given is None:
        return say("Answered. {who}.", who=who)
    return say("Answered: {answer} {who}.", answer=_closed(given, most), who=who)


def _declined(reader: Reader, record: AskRecord, who: str, most: int | None) -> str:
    say = reader.language.say
    reason = record.outcome.reason if record.outcome and reader.sees else None
    if record.outcome and record.outcome.skipped:
        return say("Skipped. {who}.", who=who)
    if record.ask.kind is AskKind.APPROVAL:
        if reason:
            return say("Denied: {reason} {who}.", reason=_quoted(reason, most), who=who)
        return say("Denied. {who}.", who=who)
    if reason:
        return say("Declined: {reason} {who}.", reason=_quoted(reason, most), who=who)
    return say("Declined. {who}.", who=who)


def _cancelled(reader: Reader, record: AskRecord, most: int | None = None) -> str:
    say = reader.language.say
    match record.outcome.reason if record.outcome else None:
        case None:
            return say("No longer needed.")
        case reason if reason == RUN_ENDED:
            return say("No longer needed: the run ended.")
        case reason if reason == RUN_DEADLINE_PASSED:
            return say("No longer needed: the run was out of time.")
        case reason if reason == WITHDRAWN:
            return say("No longer needed: the question was withdrawn.")
        case str(reason) if reader.sees:
            return say("No longer needed: {reason}", reason=_quoted(reason, most))
        case _:
            return say("No longer needed.")


def _quoted(words: str, most: int | None) -> str:
    return _closed(visible(words), most)


def _closed(shown: str, most: int | None) -> str:
    return closed(shown if most is None else cut(shown, most))


STANDS: Mapping[str, str] = {
    "answered": message("{name} answered at {time}."),
    "answered with": message("{name} answered at {time}: {what}"),
    "answered mine": message("You answered at {time}."),
    "answered mine with": message("You answered at {time}: {what}"),
    "approved": message("{name} approved this at {time}."),
    "approved mine": message("You approved this at {time}."),
    "skipped": message("{name} skipped this at {time}."),
    "skipped mine": message("You skipped this at {time}."),
    "declined": message("{name} declined at {time}."),
    "declined with": message("{name} declined at {time}: {what}"),
    "declined mine": message("You declined at {time}."),
    "declined mine with": message("You declined at {time}: {what}"),
}
"""Who was first: what they did, whether the reader is they, and with what words."""


def _stands(reader: Reader, record: AskRecord, ended: str) -> str:
    told = record.outcome or Outcome(status=record.status)
    what = None
    if record.status is Status.ANSWERED:
        deed, what = "answered", _answer(reader, record)
        if record.ask.kind is AskKind.APPROVAL:
            deed = "approved"
    elif told.skipped:
        deed = "skipped"
    else:
        deed, what = "declined", visible(told.reason) if told.reason and reader.sees else None
    mine = " mine" if told.by is not None and told.by == reader.name else ""
    key = f"{deed}{mine}{' with' if what else ''}"
    said = closed(what) if what else ""
    return reader.language.say(STANDS[key], name=_name(reader, told), time=ended, what=said)


def _answer(reader: Reader, record: AskRecord) -> str | None:
    """The answer in words; None for a decline, and for whoever may not see it."""
    if record.outcome is None or record.outcome.values is None or not reader.sees:
        return None
    if record.ask.kind is AskKind.APPROVAL:
        return None
    question = record.ask.question
    return values.answer(reader, question, from_json(question, record.outcome.values))


def _by(reader: Reader, record: AskRecord, now: datetime) -> str:
    """`Kevin, 14:02, in Slack`."""
    told = record.outcome or Outcome(status=record.status)
    when = reader.when(record.settled_at or now, now)
    where = _where(reader, told.surface)
    return ", ".join(filter(None, (_name(reader, told), when, where)))


def _name(reader: Reader, told: Outcome) -> str:
    return line(told.name or told.by or "") or reader.language.say("somebody")


def _where(reader: Reader, surface: str | None) -> str:
    say = reader.language.say
    match surface:
        case None:
            return ""
        case "api":
            return say("by the API")
        case "cli":
            return say("on the command line")
        case "console":
            return say("in OZ")
        case "terminal":
            return say("in the terminal")
        case chat:
            return say("in {chat}", chat=CHATS.get(chat, chat))
