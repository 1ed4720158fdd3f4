"""The standard field set, as models pass it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.contracts.faults import MAX_PROBLEMS, Faults
from gateway.contracts.fields import MAX_FIELDS_BYTES, field_json, read_fields
from gateway.errors import InvalidQuestion
from gateway.question import Field, Kind, Option
from tests.strategies import any_json, field_calls, names


def faults_of(fields: object) -> list[tuple[str, str]]:
    """Path and code of every fault, in order."""
    faults = Faults()
    read_fields(faults, fields)
    return [(problem.path, problem.code) for problem in faults.problems]


def padded(fields: list[dict[str, Any]], size: int) -> list[dict[str, Any]]:
    """The fields, the last one's description as long as makes them `size` bytes of compact JSON."""
    last = {**fields[-1], "description": ""}
    spare = size - len(json.dumps([*fields[:-1], last], separators=(",", ":")))
    return [*fields[:-1], {**last, "description": "x" * spare}]


@given(st.lists(names(), min_size=1, max_size=20, unique=True), st.data())
def test_fields_read_as_they_were_given(taken: list[str], data: st.DataObject) -> None:
    """And can be passed again: nothing is lost, nothing added."""
    calls = [data.draw(field_calls(name)) for name in taken]
    faults = Faults()
    fields = read_fields(faults, calls)
    assert faults.problems == []
    assert [field.name for field in fields] == taken
    assert read_fields(faults, [field_json(field) for field in fields]) == fields
    for call, field in zip(calls, fields, strict=True):
        shown = field_json(field)
        assert {key: value for key, value in call.items() if value is not False} == shown


def test_the_originals_example_reads() -> None:
    """A date and a whole number from 1 to 9."""
    fields = read_fields(
        Faults(),
        [
            {"name": "on", "kind": "date", "label": "Send on", "required": True},
            {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
        ],
    )
    assert fields == (
        Field(name="on", kind=Kind.DATE, label="Send on", required=True),
        Field(name="copies", kind=Kind.NUMBER, integer=True, min=1, max=9),
    )


@pytest.mark.parametrize(
    ("field", "path", "code"),
    [
        ({"kind": "text"}, "name", "missing"),
        ({"name": "a"}, "kind", "missing"),
        ({"name": "Copies", "kind": "number"}, "name", "bad_name"),
        ({"name": "", "kind": "number"}, "name", "bad_name"),
        ({"name": "é", "kind": "number"}, "name", "bad_name"),
        ({"name": "a\n", "kind": "number"}, "name", "bad_name"),
        ({"name": "a" * 65, "kind": "number"}, "name", "too_long"),
        ({"name": 1, "kind": "text"}, "name", "wrong_type"),
        ({"name": "a", "kind": "colour"}, "kind", "unknown_kind"),
        ({"name": "a", "kind": ["text"]}, "kind", "unknown_kind"),
        ({"name": "a", "kind": "text", "label": " "}, "label", "empty"),
        ({"name": "a", "kind": "text", "label": None}, "label", "wrong_type"),
        ({"name": "a", "kind": "text", "description": 1}, "description", "wrong_type"),
        ({"name": "a", "kind": "text", "required": "yes"}, "required", "wrong_type"),
        ({"name": "a", "kind": "text", "max_length": 0}, "max_length", "out_of_range"),
        ({"name": "a", "kind": "text", "max_length": 2.5}, "max_length", "not_whole"),
        ({"name": "a", "kind": "text", "max_length": True}, "max_length", "wrong_type"),
        ({"name": "a", "kind": "text", "min": 1}, "min", "not_for_kind"),
        ({"name": "a", "kind": "text", "options": ["x"]}, "options", "not_for_kind"),
        ({"name": "a", "kind": "number", "max_length": 1}, "max_length", "not_for_kind"),
        ({"name": "a", "kind": "toggle", "date_time": True}, "date_time", "not_for_kind"),
        ({"name": "a", "kind": "date", "integer": True}, "integer", "not_for_kind"),
        ({"name": "a", "kind": "number", "min": "1"}, "min", "wrong_type"),
        ({"name": "a", "kind": "number", "max": float("inf")}, "max", "not_finite"),
        ({"name": "a", "kind": "number", "max": 10**1000}, "max", "not_finite"),
        ({"name": "a", "kind": "number", "min": 9, "max": 1}, "min", "out_of_range"),
        (
            {"name": "a", "kind": "number", "integer": True, "min": 1.2, "max": 1.8},
            "min",
            "out_of_range",
        ),
        ({"name": "a", "kind": "choice"}, "options", "missing"),
        ({"name": "a", "kind": "multi-choice"}, "options", "missing"),
        ({"name": "a", "kind": "choice", "options": []}, "options", "too_few"),
        ({"name": "a", "kind": "choice", "options": "red"}, "options", "wrong_type"),
        ({"name": "a", "kind": "choice", "options": ["x", "X "]}, "options[1]", "duplicate"),
        (
            {"name": "a", "kind": "choice", "options": ["Delete", "D\u0435lete"]},
            "options[1]",
            "look_alike",
        ),
        (
            {"name": "a", "kind": "choice", "options": ["x", {"label": "y"}]},
            "options[1]",
            "wrong_type",
        ),
        ({"name": "a", "kind": "choice", "options": ["x" * 2001]}, "options[0]", "too_long"),
        ({"name": "a", "kind": "choice", "options": ["x", "\u200b"]}, "options[1]", "empty"),
        ({"name": "a", "kind": "text", "colour": "red"}, "colour", "unknown"),
    ],
)
def test_a_faulty_field_is_refused_where_it_is_wrong(
    field: dict[str, Any], path: str, code: str
) -> None:
    """AC-07: contradictions are found when asking, not when drawing."""
    good = {"name": "first", "kind": "text"}
    assert faults_of([good, field]) == [(f"fields[1].{path}", code)]


def test_all_faults_of_all_fields_come_at_once() -> None:
    """A faulty field hides no other, nor its own other faults."""
    faulty = [
        {"name": "A", "kind": "number", "min": 9, "max": 1, "options": []},
        {"name": "on", "kind": "choice"},
        {"name": "on", "kind": "date", "label": 1},
        7,
    ]
    assert faults_of(faulty) == [
        ("fields[0].name", "bad_name"),
        ("fields[0].options", "too_few"),
        ("fields[0].options", "not_for_kind"),
        ("fields[0].min", "out_of_range"),
        ("fields[1].options", "missing"),
        ("fields[2].label", "wrong_type"),
        ("fields[3]", "wrong_type"),
        ("fields[2].name", "duplicate"),
    ]


def test_fields_have_names_and_titles_of_their_own() -> None:
    """AC-07: two fields named `on`, and two that people would call the same."""
    text = {"kind": "text"}
    assert faults_of([{"name": "on", **text}, {"name": "on", **text}]) == [
        ("fields[1].name", "duplicate")
    ]
    assert faults_of(
        [{"name": "copies", **text}, {"name": "count", "label": "Copies", **text}]
    ) == [("fields[1].label", "duplicate")]


@pytest.mark.parametrize(
    ("first", "second", "faults"),
    [
        ("End", "Start", [("fields[0].label", "duplicate"), ("fields[1].label", "duplicate")]),
        ("END ", "Finish", [("fields[0].label", "duplicate")]),
        ("\u0435nd", "Finish", [("fields[0].label", "duplicate")]),
        ("Start", "End", []),
        ("The end", "The start", []),
    ],
)
def test_no_label_is_another_fields_name(
    first: str, second: str, faults: list[tuple[str, str]]
) -> None:
    """A line that begins with it would be read for the other field."""
    fields = [
        {"name": "start", "kind": "text", "label": first},
        {"name": "end", "kind": "text", "label": second},
    ]
    assert faults_of(fields) == faults


def test_there_are_one_to_twenty_fields() -> None:
    """AC-07: the twenty-first is refused, and none is no question."""
    fields = [{"name": f"f{number}", "kind": "text"} for number in range(21)]
    assert faults_of(fields[:20]) == []
    assert faults_of(fields) == [("fields", "too_many")]
    assert faults_of([]) == [("fields", "too_few")]
    assert faults_of({}) == [("fields", "wrong_type")]


def test_fields_take_at_most_16_kib_of_compact_utf8_json() -> None:
    """AC-07: 16,384 bytes are taken, one more is not; letters count as they are encoded."""
    fields: list[dict[str, Any]] = [{"name": f"f{number}", "kind": "text"} for number in range(20)]
    assert faults_of(padded(fields, MAX_FIELDS_BYTES)) == []
    assert faults_of(padded(fields, MAX_FIELDS_BYTES + 1)) == [("fields", "too_large")]
    accented = padded(fields, MAX_FIELDS_BYTES)
    spare = accented[-1]["description"][2:]
    accented[-1]["description"] = f"é{spare}"
    assert faults_of(accented) == []
    accented[-1]["description"] = f"éx{spare}"
    assert faults_of(accented) == [("fields", "too_large")]


@given(st.lists(any_json(), max_size=3) | any_json())
@example([{f"key {number}": 1 for number in range(100)}, {}])  # past the cap of faults told
def test_any_json_is_fields_or_faults(fields: object) -> None:
    """Nothing else happens, whatever a model sends."""
    faults = Faults()
    read = read_fields(faults, fields)
    assert faults.problems or read
    json.dumps([field_json(field) for field in read]).encode()


def test_nesting_without_end_is_a_fault_like_another() -> None:
    """Depth takes no reader down."""
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert faults_of([{"name": "a", "kind": "text", "label": deep}]) == [
        ("fields[0].label", "wrong_type")
    ]


def test_a_flood_of_faults_is_told_in_part() -> None:
    """A hundred are more than anyone mends one by one."""
    faults = Faults()
    read_fields(faults, [{f"key {number}": 1 for number in range(10_000)}])
    with pytest.raises(InvalidQuestion, match=r"^This call has 10003 faults") as refused:
        faults.refuse_if_any()
    assert len(refused.value.problems) == MAX_PROBLEMS


def test_a_choice_with_a_write_in_shows_its_options_alone() -> None:
    """What bounds own words is no attribute of the field set."""
    options = (Option(id="o1", label="red"),)
    field = Field(name="a", kind=Kind.CHOICE, options=options, write_in=True, max_length=4_000)
    assert field_json(field) == {"name": "a", "kind": "choice", "options": ["red"]}
