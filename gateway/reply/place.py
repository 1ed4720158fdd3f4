"""Where and by whom a reply was typed: everything the parser may know besides text and ask."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.reply.draft import Draft


@dataclass(frozen=True, slots=True)
class Place:
    """The circumstances of one message, for one person.

    `now` is aware. `zone` is the person's IANA zone, else the tenant's; `locale` their BCP 47 tag.
    `shared` is a channel, a group, or a thread in one; `thread` a reply in the ask's own thread;
    `addressed` a mention of us or a reply to the post. `pressed_other` says that they had pressed
    Other, `other_field` of which field. `mention` are the spellings of our own mention in this
    text, `names` other people's mentions with the names they show as. `markup` says that the text
    carries the platform's escapes and link marks (Slack, Teams).

    Raises:
        ValueError: `now` has no zone.
    """

    now: datetime
    zone: str | None = None
    locale: str | None = None
    shared: bool = False
    addressed: bool = False
    thread: bool = False
    pressed_other: bool = False
    other_field: str | None = None
    draft: Draft | None = None
    may_see: bool = True
    mention: tuple[str, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    markup: bool = False

    def __post_init__(self) -> None:
        if self.now.tzinfo is None:
            raise ValueError("now needs a zone")
