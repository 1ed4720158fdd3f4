"""What a typed reply can mean: one closed union, and the codes of what is refused.

A refusal is a code with data; words are made from it elsewhere, in the reader's language, with the
content for those who may see it and without for everyone else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.answer import Values
    from gateway.reply.draft import Draft

Detail = str | int | float | bool | tuple[str, ...]
"""One piece of a refusal's data. A tuple of strings is always things a person could write."""


class Refusal(StrEnum):
    """Why a reply was not taken. Beside each: what its data holds.

    Every refusal of a choice also holds `keys` (the options' keys as drawn) and `write_in`.
    """

    # the whole reply
    TOO_LONG = "too_long"  # limit, length
    BAD_CHARACTERS = "bad_characters"  # a NUL or a lone surrogate
    EMPTY = "empty"  # nothing was typed
    NO_WORDS = "no_words"  # own words without a letter or a digit
    SLASH_COMMAND = "slash_command"
    NEEDED = "needed"  # the field cannot be left out
    # picks
    NO_SUCH_OPTION = "no_such_option"  # typed
    ONLY_ONE = "only_one"  # picks
    LABEL_DIFFERS = "label_differs"  # key, label ("" when there is no such key), other_key, other
    AMBIGUOUS_LABEL = "ambiguous_label"  # picks
    NOT_AN_OPTION = "not_an_option"  # typed; nearest_key, nearest where they may be seen
    UNSURE = "unsure"  # typed: a pick with a question mark
    NEGATED = "negated"  # typed: a pick with - ! ~ or "no" before it
    PASTED_LIST = "pasted_list"
    ODD_DIGITS = "odd_digits"  # superscripts, runs of circled digits, invisible characters
    PARTLY_WRONG = "partly_wrong"  # wrong
    UNCLEAR_LIST = "unclear_list"  # picks: joined by "or", "/", mere spaces, or to nothing
    OTHER_WITHOUT_WORDS = "other_without_words"  # ways: the picks, with `other: …` behind them
    PICK_AFTER_OTHER = "pick_after_other"  # ways: the pick, and the words
    NO_WRITE_IN = "no_write_in"
    NONE_NOT_ALLOWED = "none_not_allowed"
    # numbers
    NOT_A_NUMBER = "not_a_number"  # ways, where another notation was meant
    AMBIGUOUS_NUMBER = "ambiguous_number"  # readings, ways
    NOT_WHOLE = "not_whole"  # typed
    OUT_OF_RANGE = "out_of_range"  # typed; min, max where there are bounds
    # dates; where a time is wanted too, `moment`: both, as they can be written
    NOT_A_DATE = "not_a_date"
    AMBIGUOUS_DATE = "ambiguous_date"  # ways
    AMBIGUOUS_TIME = "ambiguous_time"  # ways
    NO_SUCH_DATE = "no_such_date"
    WEEKDAY_DIFFERS = "weekday_differs"  # date
    NEEDS_TIME = "needs_time"  # date
    NEEDS_DATE = "needs_date"
    NEEDS_OFFSET = "needs_offset"  # date: no zone is known for this person
    TIME_NOT_WANTED = "time_not_wanted"  # date
    TIME_SKIPPED = "time_skipped"  # ways: the same time with each offset
    TIME_DOUBLED = "time_doubled"  # ways
    # toggles, approvals, words that act
    NOT_YES_OR_NO = "not_yes_or_no"
    NOT_APPROVE_OR_DENY = "not_approve_or_deny"
    NO_SKIP = "no_skip"  # can_decline
    NO_DECLINE = "no_decline"  # can_skip
    LABEL_OR_WORD = "label_or_word"  # word: "decline: why" where an option is called so
    # several fields
    AMBIGUOUS_LINE = "ambiguous_line"  # fields: the two that the line could answer
    LINE_WITHOUT_FIELD = "line_without_field"  # typed; fields, where some are still open
    GIVEN_TWICE = "given_twice"


class CommandName(StrEnum):
    HELP = "help"
    PENDING = "pending"
    CANCEL = "cancel"
    BACK = "back"
    CLEAR = "clear"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Answered:
    """Complete and valid: the values by field name, in the fields' order; left-out ones absent."""

    values: Values


@dataclass(frozen=True, slots=True)
class Partial:
    """Some fields are still open, or something in this reply was wrong. `draft` is to be kept.

    `problems` name their field each; `missing` are the open fields' names, in order.
    """

    draft: Draft
    problems: tuple[Refused, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declined:
    """The person will not answer, or denies an approval; `reason` is as typed."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Skipped:
    pass


@dataclass(frozen=True, slots=True)
class Approved:
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Confirm:
    """Perhaps not meant as an answer: `then` holds if its author says so with one press."""

    then: Answered | Partial | Declined | Skipped | Approved


@dataclass(frozen=True, slots=True)
class Command:
    """A word that asks something of the gateway.

    `draft` is the new draft of `back` and `clear`, `field` the one that `other` wants words for.
    """

    name: CommandName
    draft: Draft | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """Not taken, and the ask keeps waiting. `field` is None where there is only one, or none."""

    code: Refusal
    data: Mapping[str, Detail] = field(default_factory=dict)
    field: str | None = None


@dataclass(frozen=True, slots=True)
class NotAnAnswer:
    """People talking: nothing is said, nothing is kept."""


Reply = (
    Answered | Partial | Declined | Skipped | Approved | Confirm | Command | Refused | NotAnAnswer
)
