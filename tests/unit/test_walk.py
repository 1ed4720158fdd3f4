"""A form that is walked through, as it is drawn: one step of it."""

from __future__ import annotations

from channels.catalogue import Reader
from channels.shown import FIRST_STRONG_ISOLATE, POP_ISOLATE
from channels.walk import Standing, drawn
from gateway.reply.draft import Draft
from tests.strategies_reply import ask_of, several


def test_a_right_to_left_option_is_isolated_once_on_its_button() -> None:
    """Isolated twice, the marks of the first time would be shown as hidden characters."""
    ask = ask_of(several("\u05e9\u05dc\u05d5\u05dd", "Later"))
    first = drawn(Reader(), ask, Standing(Draft())).rows[0][0]
    assert first.label == f"1. {FIRST_STRONG_ISOLATE}\u05e9\u05dc\u05d5\u05dd{POP_ISOLATE}"
