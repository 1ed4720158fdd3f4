"""Plain text → what a person meant by it, for any ask. Pure and total: it never raises.

It never guesses: what could mean two things is refused, with the ways to write each.
"""

from __future__ import annotations

from gateway.reply.draft import Draft
from gateway.reply.fields import missing
from gateway.reply.meaning import (
    Answered,
    Approved,
    Command,
    CommandName,
    Confirm,
    Declined,
    Detail,
    NotAnAnswer,
    Partial,
    Refusal,
    Refused,
    Reply,
    Skipped,
)
from gateway.reply.options import option_keys
from gateway.reply.parse import parse
from gateway.reply.place import Place

__all__ = [
    "Answered",
    "Approved",
    "Command",
    "CommandName",
    "Confirm",
    "Declined",
    "Detail",
    "Draft",
    "NotAnAnswer",
    "Partial",
    "Place",
    "Refusal",
    "Refused",
    "Reply",
    "Skipped",
    "missing",
    "option_keys",
    "parse",
]
