"""The log: one JSON line an event, and nothing in it that readers of logs may not see."""

from __future__ import annotations

import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.errors import Unavailable
from gateway.log import FIELDS, WITHHELD, Fields, JsonLines, event

SECRET = "let me check with Ana"


class Lines:
    """What a logger with our formatter wrote, as values."""

    def __init__(self) -> None:
        self._text = io.StringIO()
        self.logger = logging.getLogger("tests.log")
        self.handler = logging.StreamHandler(self._text)
        self.handler.setFormatter(JsonLines())

    @property
    def text(self) -> str:
        return self._text.getvalue()

    def all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def lines() -> Iterator[Lines]:
    """A logger of this test's own."""
    written = Lines()
    written.logger.setLevel(logging.INFO)
    written.logger.addHandler(written.handler)
    written.logger.propagate = False
    yield written
    written.logger.removeHandler(written.handler)


def test_an_event_is_one_json_line(lines: Lines) -> None:
    """Its time in UTC, its level, its name, its logger, and its fields by name."""
    event(lines.logger, "ask.opened", ask_id="a-75eaf712473f", count=2, elapsed_ms=1.5)
    [line] = lines.all()
    assert line.pop("at").endswith("+00:00")
    assert line == {
        "level": "info",
        "event": "ask.opened",
        "logger": "tests.log",
        "ask_id": "a-75eaf712473f",
        "count": 2,
        "elapsed_ms": 1.5,
    }


@pytest.mark.parametrize(
    "name", ["question", "prompt", "answer", "comment", "name", "reason", "url"]
)
def test_a_field_that_could_hold_content_is_refused(lines: Lines, name: str) -> None:
    """What is not on the list may not be logged, whatever its value."""
    unlisted: Any = {name: "x"}
    with pytest.raises(TypeError, match=f"{name}: not a field that may be logged"):
        event(lines.logger, "ask.opened", **unlisted)
    assert lines.text == ""


def test_an_event_has_an_events_name(lines: Lines) -> None:
    """A sentence is no name, so content cannot come in by it."""
    for name in (SECRET, "opened", "Ask.opened", "ask.opened blue"):
        with pytest.raises(TypeError, match="called like"):
            event(lines.logger, name)
    assert lines.text == ""


@given(st.sampled_from(sorted(FIELDS)), st.tuples(st.text(), st.text()).map(" ".join))
def test_words_in_an_id_are_withheld(field: str, words: str) -> None:
    """A value that does not look like an id or a code is not written, in any field."""
    written = Lines()
    values: Any = {field: words}
    record = logging.makeLogRecord({"msg": "ask.opened", "fields": values})
    line = json.loads(written.handler.format(record))
    assert line[field] == WITHHELD


def test_values_of_other_types_are_withheld(lines: Lines) -> None:
    """A list or a mapping could hold anything."""
    fields: Any = {"code": [SECRET], "kind": {SECRET: 1}, "status": None}
    event(lines.logger, "ask.opened", **fields)
    [line] = lines.all()
    assert (line["code"], line["kind"], line["status"]) == (WITHHELD, WITHHELD, None)


def test_an_error_is_its_classes_and_places_without_its_words(lines: Lines) -> None:
    """An exception's text may hold the answer it choked on; where it came from helps as much."""
    try:
        try:
            raise ValueError(SECRET)
        except ValueError as cause:
            raise Unavailable(SECRET) from cause
    except Unavailable as error:
        event(lines.logger, "store.failed", level=logging.ERROR, error=error)
    [line] = lines.all()
    assert line["level"] == "error"
    assert line["error"] == ["Unavailable", "ValueError"]
    [place] = line["trace"]
    assert place.startswith("unit/test_log.py:")
    assert place.endswith(" test_an_error_is_its_classes_and_places_without_its_words")
    assert "Ana" not in lines.text


def test_a_group_of_errors_names_its_members(lines: Lines) -> None:
    """A task group's failure says what failed in it."""
    group = ExceptionGroup(SECRET, [ValueError(SECRET), KeyError(SECRET)])
    event(lines.logger, "worker.failed", error=group)
    [line] = lines.all()
    assert line["error"] == ["ExceptionGroup", "ValueError", "KeyError"]
    assert "Ana" not in lines.text


def test_a_librarys_record_keeps_its_place_and_loses_its_words(lines: Lines) -> None:
    """A message that we did not write may hold anything."""
    try:
        raise ValueError(SECRET)
    except ValueError:
        lines.logger.exception("while handling %s", SECRET)
    [line] = lines.all()
    assert line["event"] == "library.logged"
    assert line["source"].startswith("test_log:")
    assert line["error"] == ["ValueError"]
    assert "Ana" not in lines.text


def test_everything_goes_to_standard_error_once() -> None:
    """Standard output is the program's own; other handlers of the root are gone."""
    program = """
import logging
from gateway.log import event, to_stderr
logging.basicConfig()
to_stderr(); to_stderr()
event(logging.getLogger("one"), "ask.opened", ask_id="a-1")
logging.getLogger("two").debug("not shown")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == ""
    [line] = [json.loads(line) for line in done.stderr.splitlines()]
    assert line["ask_id"] == "a-1"


def test_no_listed_field_is_one_for_content() -> None:
    """The list itself stays free of the words that content goes by."""
    content = {
        "prompt",
        "question",
        "answer",
        "values",
        "comment",
        "reason",
        "name",
        "label",
        "text",
    }
    assert FIELDS.isdisjoint(content)
    assert frozenset(Fields.__annotations__) == FIELDS
