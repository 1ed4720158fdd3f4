"""What one language of the catalogue holds. A shape, no words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """One language's words; upper and lower case, width and accents of digits do not matter.

    `numbers` are 1, 2, 3 … in words, each with its forms. `bare` is what people say without
    answering: assent, dissent, thanks, greetings; yes, no and polite words belong to it anyway.
    `wrote` is how a mail client's quote begins, and its verb ("On … wrote:"); in
    `sent_from`, … is anything. In `next_weekday` and
    `this_weekday`, `{0}` is the day's name; in `ahead`, the number of days or weeks. `offsets` are
    the names of time zones that mean one thing only, with the hours they are ahead of UTC.
    """

    yes: tuple[str, ...]
    no: tuple[str, ...]
    polite: tuple[str, ...]
    bare: tuple[str, ...]
    option: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]
    all: tuple[str, ...]
    none: tuple[str, ...]
    other: tuple[str, ...]
    text: tuple[str, ...]
    skip: tuple[str, ...]
    decline: tuple[str, ...]
    approve: tuple[str, ...]
    cancel: tuple[str, ...]
    help: tuple[str, ...]
    pending: tuple[str, ...]
    back: tuple[str, ...]
    clear: tuple[str, ...]
    done: tuple[str, ...]
    days: tuple[tuple[str, int], ...]
    next_weekday: tuple[str, ...]
    this_weekday: tuple[str, ...]
    ahead_days: tuple[str, ...]
    ahead_weeks: tuple[str, ...]
    beside_dates: tuple[str, ...]
    before_times: tuple[str, ...]
    after_times: tuple[str, ...]
    offsets: tuple[tuple[str, int], ...]
    sent_from: tuple[str, ...]
    wrote: tuple[tuple[str, str], ...]


def phrases(listed: str) -> tuple[str, ...]:
    """The phrases of a text, parted by commas."""
    return tuple(phrase.strip() for phrase in listed.split(",") if phrase.strip())


def spelled(listed: str) -> tuple[tuple[str, ...], ...]:
    """Number words in order, parted by commas; the forms of one number by slashes."""
    return tuple(tuple(form.strip() for form in one.split("/")) for one in listed.split(","))
