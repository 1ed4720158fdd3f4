"""Long pastes, which Telegram's clients send as several messages of at most 4,096 units: joined.

Pure. What the clients took away at a break is put back: a blank line, a line break, or one space.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from channels.telegram.render import TEXT, units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.contract import Typed

LEAST = TEXT // 2
"""Telegram Desktop cuts at the last of the best breaks of the second half."""

NEAR = 300
"""Telegram for Android looks so far back for a blank to break at."""

BREAKS = (
    (re.compile(r"\s"), " "),
    (re.compile(r"[,;:]\s"), " "),
    (re.compile(r"[.!?]\s"), " "),
    (re.compile(r"\n"), "\n"),
    (re.compile(r"\n\n"), "\n\n"),
)
"""Where clients cut, the best last, and what is gone then."""

APART = timedelta(seconds=3)
"""Ours: the parts of one paste are sent at once; Telegram's times are whole seconds."""


def may_go_on(typed: Typed) -> bool:
    """Whether a message is so long that its client may have cut it."""
    return typed.edit is None and units(typed.text) >= LEAST


def goes_on(before: Typed, after: Typed) -> bool:
    """Whether the second message may be the rest of the first."""
    return (
        may_go_on(before)
        and after.edit is None
        and bool(after.text)
        and after.sender.account == before.sender.account
        and after.where == before.where
        and after.reply_to == before.reply_to
        and timedelta(0) <= after.at - before.at <= APART
    )


def joined(parts: Sequence[Typed]) -> Typed:
    """One message of all parts, under the id and time of the first."""
    text = parts[0].text
    for before, after in pairwise(parts):
        text += _blank(before.text, after.text) + after.text
    return replace(
        parts[0],
        text=text,
        addressed=any(one.addressed for one in parts),
        mention=tuple(dict.fromkeys(word for one in parts for word in one.mention)),
    )


def _blank(before: str, after: str) -> str:
    """What stood where the client cut: nothing, where it had no blank to cut at.

    None of the breaks it left before the cut was better, and none after it was as good.
    """
    if units(before) >= TEXT and not re.search(r"\s", before[-NEAR:]):
        return ""
    passed_over = after[: max(0, TEXT - len(before) - 1)]
    least = max(_best(before[LEAST:]), _best(passed_over) + 1, 0)
    for one, blank in BREAKS[least:]:
        if one.search(before[-1] + blank):
            return blank
    return BREAKS[-1][1]


def _best(text: str) -> int:
    """The best break in it, as its place in `BREAKS`; -1 where there is none."""
    return max((n for n, (one, _) in enumerate(BREAKS) if one.search(text)), default=-1)
