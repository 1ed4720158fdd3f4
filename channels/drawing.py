"""A post as a channel renders it: its text, in pieces where it is too long, and its controls. Pure.

Drawn again with the same ask it is the same; once the ask has ended it has nothing to press.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from channels.fitting import split
from channels.forms import form
from channels.plan import Way, plan
from channels.present import head, numbered, tail, view
from channels.shown import unstamped
from channels.words import controls
from gateway.reply.draft import Draft

if TYPE_CHECKING:
    from datetime import datetime

    from channels.capabilities import Capabilities
    from channels.catalogue import Reader
    from channels.forms import Form
    from channels.plan import Presentation
    from channels.present import View
    from gateway.ask import AskRecord


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
        drawn = Drawing(shown, numbered(shown), link=link, link_label=label)
        return _fitted(drawn, reader, capabilities)
    chosen = plan(reader, record.ask, capabilities)
    invited = controls.invitation(reader, chosen.way)
    shown = replace(shown, hint=" ".join(filter(None, (invited, shown.hint))))
    inline = form(reader, record.ask, Draft()) if chosen.way is Way.CARD else None
    drawn = Drawing(shown, numbered(shown), (), chosen, inline, link, label)
    return _fitted(drawn, reader, capabilities)


def _fitted(drawn: Drawing, reader: Reader, capabilities: Capabilities) -> Drawing:
    def measure(text: str) -> int:
        # A time may be written longer than it reads; the longer counts.
        return max(capabilities.measure(text), capabilities.measure(unstamped(text)))

    if measure(drawn.text) <= capabilities.text:
        return drawn
    # The last message is drawn anew at the end, so it holds nothing but what changes.
    leading = split(head(drawn.view), capabilities.text, measure)
    last = "\n".join((controls.above(reader), tail(drawn.view)))
    *more, text = split(last, capabilities.text, measure)
    return replace(drawn, leading=(*leading, *more), text=text)
