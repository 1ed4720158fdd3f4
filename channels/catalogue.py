"""One reader's language: the message catalogue, and how numbers, dates and lists are written in it.

A message is a whole English sentence with named places. Other languages are gettext catalogues,
`locale/<language>/LC_MESSAGES/messages.po`, read as they are: adding one adds a file.
"""

from __future__ import annotations

import gettext
from dataclasses import dataclass
from datetime import date, datetime
from decimal import MAX_PREC, localcontext
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import (
    format_date,
    format_skeleton,
    format_time,
    get_timezone_gmt,
    get_timezone_name,
)
from babel.lists import format_list
from babel.numbers import format_decimal

from channels.shown import stamp
from gateway.reply.language import locale_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from channels.capabilities import Reach

FOLDER = Path(__file__).with_name("locale")

ENGLISH = Locale("en", "GB")
"""English without a territory is written as most of its readers do: 20 October 2026, 18:40."""

KEPT = 256
"""Ours: languages kept loaded; more than any tenant's people have."""


def message(text: str) -> str:
    """The text; marks one of a table as a message of the catalogue."""
    return text


@dataclass(frozen=True)
class Language:
    """The words of a BCP 47 tag; English for whatever its catalogue lacks. `folder` has them."""

    tag: str | None = None
    folder: Path = FOLDER

    @cached_property
    def locale(self) -> Locale:
        """How numbers and dates are written."""
        found = locale_for(self.tag)
        return ENGLISH if found is None or str(found) == "en" else found

    def say(self, message: str, **values: object) -> str:
        """The message in this language, its places filled."""
        return _load(self.locale.language, self.folder).gettext(message).format(**values)

    def count(self, one: str, many: str, number: int, **values: object) -> str:
        """The message for that number of things; `{n}` is the number."""
        found = _load(self.locale.language, self.folder).ngettext(one, many, number)
        return found.format(n=self.number(number), **values)

    def number(self, number: float | Decimal) -> str:
        """Every digit of it, grouped as people group them."""
        # Babel quantizes in the current context, whose 28 digits a longer number does not fit into.
        with localcontext(prec=MAX_PREC):
            return format_decimal(number, locale=self.locale, decimal_quantization=False)

    def any_of(self, items: Sequence[str]) -> str:
        """`1, 2 or 3`."""
        return format_list(items, style="or", locale=self.locale)

    def all_of(self, items: Sequence[str]) -> str:
        """`1, 2 and 3`."""
        return format_list(items, style="standard", locale=self.locale)

    def day(self, day: date) -> str:
        """`20 October 2026`: in full, so that nobody reads it two ways."""
        return format_date(day, "long", locale=self.locale)

    def moment(self, moment: datetime) -> str:
        """A day and a time, with the offset where it has one: what a receipt repeats."""
        time = format_time(moment, "short", tzinfo=moment.tzinfo, locale=self.locale)
        if moment.tzinfo is not None:
            time = f"{time} {get_timezone_gmt(moment, 'long', locale=self.locale)}"
        return f"{self.day(moment.date())}, {time}"

    def weekday(self, day: date) -> str:
        """`Friday`."""
        return format_date(day, "EEEE", locale=self.locale)


@dataclass(frozen=True)
class Reader:
    """Whoever reads a text: one person, or everyone in a place.

    `sees` is the right to question and answer. `shared` says that people of other zones may read
    it, so that times name theirs. `buttons` says that there is something to press. `name` is how
    records call the reader, where it is one. `stamps` marks times for platforms that write them in
    each reader's own zone (`channels.shown.stamped`). `reach` is what they write there that comes
    to us; None for all of it.
    """

    language: Language = Language()
    zone: str = "UTC"
    sees: bool = True
    shared: bool = False
    buttons: bool = False
    name: str | None = None
    stamps: bool = False
    reach: Reach | None = None

    def time(self, at: datetime, now: datetime) -> str:
        """The time in the reader's zone; the zone is named where it could be mistaken."""
        there = at.astimezone(ZoneInfo(self.zone))
        locale = self.language.locale
        time = format_time(there, "short", tzinfo=there.tzinfo, locale=locale)
        moved = there.utcoffset() != now.astimezone(there.tzinfo).utcoffset()
        if not (self.shared or moved):
            return time
        name = get_timezone_name(there, width="short", locale=locale)
        if name[:1] in "+-":  # CLDR has no short name for it in this language
            name = get_timezone_gmt(there, "long", locale=locale)
        return f"{time} {name}"

    def is_today(self, at: datetime, now: datetime) -> bool:
        zone = ZoneInfo(self.zone)
        return at.astimezone(zone).date() == now.astimezone(zone).date()

    def day(self, at: datetime, now: datetime) -> str:
        """`Sun 25 Oct`, with the year where it is another one. Never "tomorrow": posts stay."""
        there, here = (moment.astimezone(ZoneInfo(self.zone)) for moment in (at, now))
        skeleton = "MMMEd" if there.year == here.year else "yMMMEd"
        return format_skeleton(skeleton, there, locale=self.language.locale)

    def when(self, at: datetime, now: datetime) -> str:
        """`18:40`, with the day where that is not today: `Sun 25 Oct, 18:40`."""
        time = self.time(at, now)
        said = time if self.is_today(at, now) else f"{self.day(at, now)}, {time}"
        return stamp(at, said) if self.stamps else said


@lru_cache(maxsize=KEPT)
def _load(language: str, folder: Path) -> gettext.NullTranslations:
    path = folder / language / "LC_MESSAGES" / "messages.po"
    if not path.exists():
        return gettext.NullTranslations()
    # Babel compiles it here, plural rule and all, so that no build step can be forgotten.
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    compiled = BytesIO()
    with path.open("rb") as source:
        write_mo(compiled, read_po(source, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)
