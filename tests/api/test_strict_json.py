"""JSON from outside and back: every digit kept, nothing read that JSON does not have."""

from __future__ import annotations

import json
import math
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.api import strict_json
from gateway.api.limits import JSON_DEPTH
from gateway.errors import BadRequest
from tests.strategies import any_json, any_text


def fits(value: Any, level: int = 1) -> bool:
    """Whether JSON has such a value, no deeper than allowed and without halves of characters."""
    match value:
        case float():
            return math.isfinite(value)
        case dict():
            inside = [*value, *value.values()]
        case list():
            inside = value
        case _:
            return True
    return level <= JSON_DEPTH and all(fits(part, level + 1) for part in inside)


@given(any_json().filter(fits))
def test_what_is_written_reads_back(value: Any) -> None:
    """The same value, integers of a thousand digits included."""
    assert strict_json.read(strict_json.write(value)) == value


@given(st.binary(max_size=60) | any_text().map(lambda text: text.encode("utf-8", "replace")))
def test_reading_is_total(raw: bytes) -> None:
    """Any bytes are a value, or are refused as a bad request."""
    try:
        value = strict_json.read(raw)
    except BadRequest:
        return
    assert json.loads(raw) == value


@given(any_json())
def test_a_value_json_does_not_have_is_never_written(value: Any) -> None:
    """NaN and infinities raise; everything else is UTF-8 that any reader takes."""
    try:
        raw = strict_json.write(value)
    except ValueError:
        assert "NaN" in json.dumps(value) or "Infinity" in json.dumps(value)
    else:
        json.loads(raw.decode())


@given(st.integers(1, 2 * JSON_DEPTH), st.sampled_from(["[]", "{}", "[{"]))
def test_depth_is_counted_outside_strings(levels: int, kind: str) -> None:
    """So many levels are read, one more is refused; brackets in a string are no levels."""
    opening, closing = ('{"a":', "}") if kind == "{}" else ("[", "]")
    raw = (opening * levels + '"[[[[{{{{\\"[["' + closing * levels).encode()
    if levels <= JSON_DEPTH:
        strict_json.read(raw)
    else:
        with pytest.raises(BadRequest, match="deeper"):
            strict_json.read(raw)


KEYS = b",".join(b'"%d":0' % n for n in range(90_000))


@pytest.mark.parametrize(
    "raw",
    [
        b"[]" * 17 + b'"' + b'\\"' * 300_000,
        b"[" * 1_000_000,
        b'{"a":' * 200_000,
        b"{" + KEYS + b',"89999":0}',
    ],
    ids=["quotes", "lists", "objects", "keys"],
)
def test_a_hostile_body_is_refused_in_no_time(raw: bytes) -> None:
    """A megabyte made to be slow is read once over, not once for each of its quotes."""
    began = time.perf_counter()
    with pytest.raises(BadRequest):
        strict_json.read(raw)
    assert time.perf_counter() - began < 5


def test_a_key_given_twice_is_named() -> None:
    """Wherever it stands, whatever it holds."""
    with pytest.raises(BadRequest) as refused:
        strict_json.read(b'{"a": [{"answer": 1, "answer": 1}]}')
    assert [problem.path for problem in refused.value.problems] == ["answer"]
