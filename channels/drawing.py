"""A post as a channel renders it: its text, in pieces where it is too long, and its controls. Pure.

Drawn again with the same ask it is the same; once the ask has ended it has nothing to press.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from channels.fitting import LEAST, split
from channels.forms import form
from channels.plan import Way, plan
from channels.present import head, numbered, options, tail, view
from channels.shown import unstamped
from channels.words import controls
from gateway.reply.draft import Draft

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from channels.capabilities import Capabilities
    from channels.catalogue import Reader
    from channels.forms import Form
    from channels.plan import Presentation
    from channels.present import View
    from gateway.ask import AskRecord

ROOM = 700
"""Ours: what a post keeps for who asks, how to answer, and how it ended, beside its question."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """What one post shows.

    `leading` are texts that come before it as messages of their own, never drawn anew: of a
    question too long for one. `text` is the whole text of the post itself. `view` has the same in
    parts, for platforms that set them apart; where `leading` is there, only `view`'s tail belongs
    here. `presentation` is None once there is nothing to press; `form` stands on the post itself
    (`Way.CARD`). `link` opens the ask in OZ.
    """

    view: View
    text: str
    leading: tuple[str, ...] = ()
    presentation: Presentation | None = None
    form: Form | None = None
    link: str | None = None
    link_label: str = ""


def draw(
    reader: Reader,
    record: AskRecord,
    capabilities: Capabilities,
    *,
    code: str,
    waits_for: str,
    now: datetime,
    link: str | None = None,
) -> Drawing:
    """The post of that ask for that reader, as it stands at `now`.

    Args:
        reader: everyone in the place, or its one person; `sees` decides what is in it.
        record: the ask, pending or ended.
        capabilities: the platform's.
        code: what the ask is called by in that conversation.
        waits_for: whose answer it waits for, in words.
        now: by the store's clock.
        link: the address of the ask in OZ, where there is a console.
    """
    shown = view(reader, record, code, waits_for, now)
    label = controls.open_in_oz(reader) if link else ""
    if shown.sealed is not None or not record.pending:
        most = capabilities.text
        while _is_long(reader, shown, capabilities) and record.outcome and most > LEAST:
            most //= 2
            shown = view(reader, record, code, waits_for, now, most)
        drawn = Drawing(shown, numbered(shown), link=link, link_label=label)
        return _fitted(drawn, reader, capabilities)
    chosen = plan(reader, record.ask, capabilities)
    invited = controls.invitation(reader, chosen.way)
    shown = replace(shown, hint=" ".join(filter(None, (invited, shown.hint))))
    inline = form(reader, record.ask, Draft()) if chosen.way is Way.CARD else None
    drawn = Drawing(shown, numbered(shown), (), chosen, inline, link, label)
    return _fitted(drawn, reader, capabilities)


def _fitted(drawn: Drawing, reader: Reader, capabilities: Capabilities) -> Drawing:
    """In as many messages as it takes."""
    shown, measure = drawn.view, _measure(capabilities)
    leading: list[str] = []
    last = _last(reader, shown, capabilities)
    if shown.sealed is None and (last != drawn.text or measure(last) > capabilities.text):
        leading = split(head(shown), capabilities.text, measure)
        last = _below(reader, shown)
    if measure(last) > capabilities.text:
        *more, last = split(last, capabilities.text, measure)
        leading += more
    return replace(drawn, leading=tuple(leading), text=last)


def _is_long(reader: Reader, shown: View, capabilities: Capabilities) -> bool:
    last = _last(reader, shown, capabilities)
    return _measure(capabilities)(last) > capabilities.text


def _last(reader: Reader, shown: View, capabilities: Capabilities) -> str:
    """The post's own text, which is drawn anew: without the question where that is long.

    The question alone decides that, so that it is the same before the end as after.
    """
    question = "\n\n".join((shown.question, options(shown)))
    is_long = _measure(capabilities)(question) > capabilities.text - ROOM
    return _below(reader, shown) if is_long else numbered(shown)


def _below(reader: Reader, shown: View) -> str:
    """What stands below the question, in a message of its own."""
    return "\n".join((controls.above(reader), tail(shown)))


def _measure(capabilities: Capabilities) -> Callable[[str], int]:
    def measure(text: str) -> int:
        # A time may be written longer than it reads; the longer counts.
        return max(capabilities.measure(text), capabilities.measure(unstamped(text)))

    return measure
