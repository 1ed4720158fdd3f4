"""How long a text is, and that no text takes long to measure."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.fold import fold
from gateway.text import MARKS_IN_A_ROW, characters

WRITING = st.text(
    st.sampled_from("ab \u1100\u1161\u0301\u0316\u0344\u0958é"), max_size=MARKS_IN_A_ROW
)
HEAP = st.text(st.sampled_from("\u0301\u0316\u0344\u0345\u0f71"), min_size=2 * MARKS_IN_A_ROW)


@given(WRITING)
def test_a_text_is_as_long_as_its_composed_form(text: str) -> None:
    """In code points after NFC, as the contracts count."""
    assert characters(text) == len(unicodedata.normalize("NFC", text))


@given(st.text("ab", max_size=3), HEAP, st.text("ab", max_size=3))
def test_folding_a_heap_again_changes_nothing(before: str, heap: str, after: str) -> None:
    """Whatever its marks are made of; and it counts in full."""
    once = fold(f"{before}{heap}{after}")
    assert fold(once) == once
    assert characters(heap) >= len(heap)


@pytest.mark.parametrize("measure", [characters, fold])
@pytest.mark.parametrize("marks", ["\u0301\u0316", "\u0316\u0301", "\u0344\u0316"])
def test_a_heap_of_marks_is_measured_in_no_time(
    measure: Callable[[str], object], marks: str
) -> None:
    """Python puts marks in order in the square of their number: here that would be seconds."""
    text = "a" + marks * 32_000
    began = time.process_time()
    measure(text)
    assert time.process_time() - began < 1
