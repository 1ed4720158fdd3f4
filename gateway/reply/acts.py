"""Words that act: skip, decline, approve, help and their kin, as the whole reply only. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gateway.answer import TEXT_CAP
from gateway.reply.meaning import (
    Approved,
    Command,
    CommandName,
    Declined,
    Refusal,
    Refused,
    Skipped,
)
from gateway.reply.own import after_mark, over
from gateway.reply.reading import Failed, failed

if TYPE_CHECKING:
    from gateway.ask import Ask
    from gateway.reply.clean import Said
    from gateway.reply.language import Words

_SLASH = re.compile(r"/[^\s/]+(?:\s|$)")

Act = Approved | Declined | Skipped | Command


def read_act(said: Said, ask: Ask, words: Words) -> Act | Refused | None:
    """What the reply does, or why it may not; None where it is no word that acts."""
    if said.core in words.skip:
        return Skipped() if ask.can_skip else _no_skip(ask)
    if said.core in words.decline:
        return Declined() if ask.can_decline else _no_decline(ask)
    reason = after_mark(said, words.decline)
    if reason is not None:
        if not ask.can_decline:
            return _no_decline(ask)
        return _long(reason) or Declined(reason or None)
    for name, meant in (
        (CommandName.CANCEL, words.cancel),
        (CommandName.HELP, words.help),
        (CommandName.PENDING, words.pending),
    ):
        if said.core in meant:
            return Command(name)
    return None


def read_approval(said: Said, ask: Ask, words: Words) -> Act | Failed:
    """What an approval makes of a reply: nothing but its own two words decides."""
    acted = read_act(said, ask, words)
    if isinstance(acted, Refused):
        return Failed(acted)
    if acted is not None:
        return acted
    if said.core in words.approve:
        return Approved()
    comment = after_mark(said, words.approve)
    if comment is None:
        return failed(Refusal.NOT_APPROVE_OR_DENY, shaped=False)
    too_long = _long(comment)
    return Failed(too_long) if too_long else Approved(comment or None)


def is_slash_command(typed: str) -> bool:
    """Whether it is `/word`, alone or with more behind it; a path is none."""
    return _SLASH.match(typed) is not None


def _long(comment: str) -> Refused | None:
    too_long = over(comment, TEXT_CAP)
    return too_long.refused if too_long else None


def _no_skip(ask: Ask) -> Refused:
    return Refused(Refusal.NO_SKIP, {"can_decline": ask.can_decline})


def _no_decline(ask: Ask) -> Refused:
    return Refused(Refusal.NO_DECLINE, {"can_skip": ask.can_skip})
