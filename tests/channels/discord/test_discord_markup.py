"""Text on Discord reads as it was written, whatever is in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.discord.markup import escaped, fitted, measure, units, written
from channels.shown import line, stamp, unstamped
from channels.testing.discord.markup import plain
from gateway.visible import visible
from tests.strategies import any_text

MARKS = st.text("\\*_~`|<>@[]()#-+:/. \n0123456789abc&!t", max_size=40)


@given(MARKS | any_text())
def test_what_is_escaped_reads_as_it_was(text: str) -> None:
    """The client's own reading of it gives the text back."""
    text = visible(text)
    assert plain(escaped(text), {"1": "Ana", "2": "Ben"}) == text


@pytest.mark.parametrize(
    "text",
    [
        "<@7> <@&3> <#600> @everyone @here <t:0:R> </oz:1>",
        "**bold** __x__ ||spoiler|| `code`",
        "# head\n> quote\n- item\n1. one\n1. one again",
        "[pay](https://evil.example) https://example.com/a_b_c",
        ":skull: :+1: x:white_check_mark::e-mail: <:oz:7> :wave::skin-tone-2: at 10:30:45 1:100:2",
        "¯\\_(ツ)_/¯ C:\\new\\table",
        "```\nfence\n```",
    ],
)
def test_marks_mentions_and_links_are_plain_text(text: str) -> None:
    """Nothing is formatted, nobody named, nothing opened."""
    assert plain(escaped(text), {"7": "Ana", "600": "general"}) == text
    assert "<@7>" not in escaped(text)


def test_a_lone_colon_stays_as_it_is() -> None:
    """Only what may be the code of an emoji, or an address, costs a mark more."""
    assert escaped("at 10:30: red, in C:/x") == "at 10\\:30: red, in C:/x"
    assert escaped("why: because") == "why: because"


def test_a_time_is_written_for_each_reader() -> None:
    """As Discord's own mark, which the length counts."""
    at = datetime(2026, 11, 30, 18, 40, tzinfo=UTC)
    text = f"waits until {stamp(at, '18:40')}"
    assert written(text) == "waits until <t:1796064000:f>"
    assert measure(text) == len(written(text))
    assert written(unstamped(text)) == "waits until 18:40"


def test_length_is_the_longer_of_two_counts() -> None:
    """Characters beyond the first plane count twice."""
    assert units("a\U0001f600") == 3
    assert measure("*a*") == 5


@given(any_text(60), st.integers(8, 40))
def test_a_label_is_cut_at_a_visible_character_and_marked(text: str, most: int) -> None:
    """One that fits stays; a longer one keeps its beginning."""
    label = line(text)
    short = fitted(label, most)
    assert units(short) <= most
    if units(label) <= most:
        assert short == label
    else:
        bare = short.rstrip("\u2069")
        assert bare.endswith("…")
        assert label.replace("\u2069", "").startswith(bare[:-1])
