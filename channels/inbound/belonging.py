"""Which ask a message belongs to. Pure; the places' asks and posts are given.

It is one of those that waited when the message was written. No guess is made: a message that could
belong to several belongs to none until its author says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from gateway.conversations import Bound

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from channels.contract import Typed
    from gateway.conversations import Waiting

JUST_ENDED = timedelta(seconds=10)
"""Ours: for so long after an ask's end people may not have seen it yet, and are told."""

_BLANKS = " \t\r\n\u00a0,:"
_NAME = re.compile(r"(a-[0-9a-f]{12}|[A-Za-z][0-9]{1,5})(?:[:,.]?\s+|\s*$)")


@dataclass(frozen=True, slots=True)
class Chat:
    """What is known of the conversation, each list oldest first.

    Of the asks that this person may end, `mine` waited when the message was written, perhaps not
    any more; `ended` had just ended; `later` appeared after it. `others` wait for other people.
    `replied` and `root` are the asks that the marked message and the thread's root show; `meant`
    is the one that this person has said their next words are for.
    """

    mine: Sequence[Waiting] = ()
    ended: Sequence[Waiting] = ()
    later: Sequence[Waiting] = ()
    others: Sequence[Waiting] = ()
    replied: str | None = None
    root: str | None = None
    meant: str | None = None

    @property
    def empty(self) -> bool:
        """Whether nothing is asked here, so that all of it is people talking."""
        asks = (*self.mine, *self.ended, *self.later, *self.others)
        return not asks and self.replied is None and self.root is None

    @property
    def pending(self) -> list[Waiting]:
        """What waits for this person."""
        return [one for one in self.mine if one.record.pending]

    def called(self, name: str | None) -> Waiting | None:
        """The ask of that code or id, whenever it appeared."""
        known = (*self.mine, *self.ended, *self.later)
        return next((one for one in known if name and _is_called(one, name)), None)


def sort(
    typed: Typed,
    waiting: Sequence[tuple[Waiting, datetime]],
    may: Callable[[Waiting], bool],
    replied: str | None,
    root: str | None,
) -> Chat:
    """The conversation as it was when the message was written.

    `waiting` holds its asks with the time they appeared, by the platform's clock.
    """
    mine: list[Waiting] = []
    ended: list[Waiting] = []
    later: list[Waiting] = []
    others: list[Waiting] = []
    for one, appeared in waiting:
        settled = one.record.settled_at
        if not may(one):
            if one.record.pending and appeared <= typed.at:
                others.append(one)
        elif appeared > typed.at:
            later.append(one)
        elif settled is None or settled >= typed.at:
            mine.append(one)
        elif settled + JUST_ENDED > typed.at:
            ended.append(one)
    return Chat(mine, ended, later, others, replied, root)


def belonging(typed: Typed, chat: Chat) -> Bound:
    """The asks a message belongs to, by the rules of the reply grammar, the first that applies."""
    found = _by_rules(typed, chat)
    return Bound((chat.meant,)) if chat.meant in found.ask_ids else found


def _by_rules(typed: Typed, chat: Chat) -> Bound:
    named = chat.called(leading_name(typed))
    if named is not None and named not in chat.later:
        return Bound((named.record.ask.id,))
    if chat.replied is not None:
        return Bound((chat.replied,))
    where = typed.where
    in_thread = _among(chat, lambda one: _in_thread(one, where.thread, chat.root))
    if where.thread is not None and (in_thread.ask_ids or not where.direct):
        return in_thread
    if where.direct:
        return _among(chat, lambda _: True)
    return _at_the_top(chat) if typed.addressed else Bound()


def is_named(typed: Typed, chat: Chat, ask_id: str) -> bool:
    """Whether the message says itself that it is for this ask, or speaks to us."""
    called = chat.called(leading_name(typed))
    by_name = called is not None and called.record.ask.id == ask_id
    return typed.addressed or by_name or chat.replied == ask_id


def leading_name(typed: Typed) -> str | None:
    """The code or id that the message begins with, behind a mention of us."""
    found = _NAME.match(_unmentioned(typed))
    return found[1] if found else None


def without_name(typed: Typed, waiting: Waiting) -> str:
    """The text without the code or id of its ask; as it was where it names none, or another."""
    text = _unmentioned(typed)
    found = _NAME.match(text)
    return text[found.end() :] if found and _is_called(waiting, found[1]) else typed.text


def _among(chat: Chat, fits: Callable[[Waiting], bool]) -> Bound:
    """The one of these that waited; several are for the author to tell apart.

    Without any, the one that had just ended, or the only one of other people's: whoever writes is
    told, or recorded.
    """
    mine = [one for one in chat.mine if fits(one)]
    pending = [one for one in mine if one.record.pending]
    if len(mine) > 1 and pending:
        return Bound(_ids(pending), sure=False)
    ended = mine or [one for one in chat.ended if fits(one)]
    if ended:
        return Bound(_ids(ended[-1:]))
    others = [one for one in chat.others if fits(one)]
    return Bound(_ids(others)) if len(others) == 1 else Bound()


def _at_the_top(chat: Chat) -> Bound:
    """We were spoken to at the top of a conversation."""
    found = _among(chat, lambda one: one.thread is None)
    if found.ask_ids or not chat.pending:
        return found
    # Its asks stand in threads: neither silence nor a guess would do.
    return Bound(_ids(chat.pending), sure=False)


def _ids(waiting: Sequence[Waiting]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.record.ask.id for one in waiting))


def _unmentioned(typed: Typed) -> str:
    text = typed.text.lstrip(_BLANKS)
    for mention in typed.mention:
        if mention and text.casefold().startswith(mention.casefold()):
            text = text[len(mention) :].lstrip(_BLANKS)
    return text


def _is_called(waiting: Waiting, name: str) -> bool:
    return name.upper() == waiting.code or name == waiting.record.ask.id


def _in_thread(waiting: Waiting, thread: str | None, root: str | None) -> bool:
    return waiting.thread == thread or waiting.record.ask.id == root
