"""Slack's forms, there and back: what is shown, what comes of what was filled in."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.forms import form, reason
from channels.slack import modal, returned
from channels.slack.render import CAPABILITIES
from channels.testing.slack.limits import too_large, view_problems
from channels.testing.slack.reading import filled, state, words
from gateway.answer import Picked, Value
from gateway.ask import Ask
from gateway.question import Field, Kind, Question
from gateway.reply.draft import Draft
from tests.channels.slack.drawings import HERE, SEES, Json
from tests.strategies import asks, questions
from tests.strategies_reply import ask_of, choice, field, several


@given(ask=asks(), page=st.integers(0, 3))
def test_slack_takes_any_form(ask: Ask, page: int) -> None:
    """Every field has its input, every option is in it, and nothing is lost."""
    if not ask.question.fields:
        return
    shown = form(SEES, ask, Draft(), page=page, per_page=CAPABILITIES.form)
    view = modal.form(shown, HERE, "1.000002")
    assert view_problems(view, "modal") == []
    assert not too_large(view)
    names = {one["block_id"] for one in view["blocks"] if one["type"] == "input"}
    assert {f"v:{one.name}" for one in ask.question.fields} <= names
    for one in ask.question.fields:
        if one.is_choice:
            block = next(b for b in view["blocks"] if b.get("block_id") == f"v:{one.name}")
            assert [o["value"] for o in block["element"]["options"]] == [o.id for o in one.options]
    assert view_problems(modal.reason(reason(SEES, ask), HERE, None), "modal") == []


def submitted(view: Json, values: Json) -> Json:
    """`state.values` once those blocks were filled in."""
    held = state(view["blocks"], {})
    for name, value in values.items():
        block = next(one for one in view["blocks"] if one.get("block_id") == name)
        held[name][block["element"]["action_id"]] = filled(block["element"], value)
    return held


def filled_form(*fields: Field, draft: Draft | None = None) -> Json:
    """The modal of those fields."""
    shown = form(SEES, ask_of(*fields), draft or Draft(), per_page=20)
    return modal.form(shown, HERE, "1.000002")


def test_a_form_comes_back_as_it_was_filled_in() -> None:
    """Each kind as its own value, own words beside picks, and what is empty is absent."""
    view = filled_form(
        field(Kind.TEXT, "why"),
        field(Kind.NUMBER, "copies", integer=True),
        field(Kind.NUMBER, "weight"),
        choice("red", "blue", name="colour"),
        several("bow", "card", name="extras"),
        field(Kind.DATE, "day"),
        field(Kind.DATE, "at", date_time=True),
        field(Kind.TOGGLE, "sure"),
        field(Kind.TOGGLE, "loud", required=False),
        choice("a", "b", name="letter"),
    )
    values = {
        "v:why": "fun",
        "v:copies": 2,
        "v:weight": "1.5",
        "v:colour": "2. blue",
        "v:extras": ["1. bow"],
        "w:extras": "ribbon",
        "v:day": "2026-12-24",
        "v:at": 1_800_000_000,
        "v:sure": "No",
        "w:letter": "c",
    }
    assert returned.filled_in(submitted(view, values)).values == {
        "why": "fun",
        "copies": 2,
        "weight": 1.5,
        "colour": Picked(("o2",)),
        "extras": Picked(("o1",), "ribbon"),
        "day": "2026-12-24",
        "at": "2027-01-15T08:00:00+00:00",
        "sure": False,
        "letter": Picked((), "c"),
    }


def test_what_was_kept_is_filled_in_again() -> None:
    """A form that is opened again shows what its person had."""
    fields = (
        field(Kind.TEXT, "why"),
        field(Kind.NUMBER, "weight"),
        choice("red", "blue", name="colour"),
        several("bow", "card", name="extras"),
        field(Kind.DATE, "day"),
        field(Kind.DATE, "at", date_time=True),
        field(Kind.TOGGLE, "sure"),
    )
    kept: dict[str, Value] = {
        "why": "fun",
        "weight": 1e-07,
        "colour": Picked((), "green"),
        "extras": Picked(("o2",)),
        "day": "2026-12-24",
        "at": "2027-01-15T09:00:00+01:00",
        "sure": True,
    }
    draft = Draft(kept, order=tuple(kept))
    view = filled_form(*fields, draft=draft)
    assert view_problems(view, "modal") == []
    back = returned.filled_in(state(view["blocks"], {})).values
    assert back == {**kept, "at": "2027-01-15T08:00:00+00:00"}


@given(question=questions())
def test_a_form_that_is_sent_untouched_says_nothing(question: Question) -> None:
    """No field has a value that nobody chose, and each had its input."""
    if not question.fields:
        return
    shown = form(SEES, ask_of(*question.fields), Draft(), per_page=20)
    view = modal.form(shown, HERE, None)
    names = frozenset(one.name for one in question.fields)
    assert returned.filled_in(state(view["blocks"], {})) == returned.FilledIn({}, shown=names)


def test_what_an_input_cannot_hold_has_none_and_is_said_to_be_kept() -> None:
    """Shown empty, it would come back empty; in its place stands that it is kept."""
    fields = (
        field(Kind.TEXT, "notes"),
        choice("red", "blue", name="colour"),
        field(Kind.DATE, "at", date_time=True),
        field(Kind.NUMBER, "copies"),
    )
    kept: dict[str, Value] = {
        "notes": "n" * 3_001,
        "colour": Picked((), "c" * 3_001),
        "at": "1999-01-01T09:00:00+00:00",
        "copies": 2,
    }
    view = filled_form(*fields, draft=Draft(kept, order=tuple(kept)))
    assert view_problems(view, "modal") == []
    said = words(view["blocks"], "", str)
    for name in ("notes", "colour", "at"):
        assert f"{name}: kept as you wrote it. To change it, reply in words." in said
    back = returned.filled_in(state(view["blocks"], {}))
    assert back == returned.FilledIn({"copies": 2}, shown=frozenset(("copies",)))


def test_a_long_option_stands_whole_above_its_menu() -> None:
    """The menu has its beginning, by the same number."""
    long = "blue as the sea " * 10
    view = filled_form(choice("red", long, name="colour"))
    texts = words(view["blocks"], "", str)
    assert f"2. {long.strip()}" in texts
    block = next(one for one in view["blocks"] if one.get("block_id") == "v:colour")
    assert block["element"]["options"][1]["text"]["text"].startswith("2. blue as the sea")


def test_many_options_are_a_menu_in_a_form_too() -> None:
    """Radio buttons and checkboxes take ten."""
    many = [f"n{n}" for n in range(11)]
    view = filled_form(
        choice(*many, name="one"), several(*many, name="some"), choice(*many[:10], name="few")
    )
    kinds = {one["block_id"]: one["element"]["type"] for one in view["blocks"] if "element" in one}
    assert (kinds["v:one"], kinds["v:some"], kinds["v:few"]) == (
        "static_select",
        "multi_static_select",
        "radio_buttons",
    )


def test_bounds_are_checked_before_anything_is_sent() -> None:
    """By Slack's own client."""
    view = filled_form(
        field(Kind.NUMBER, "copies", min=1, max=10**20, integer=True),
        field(Kind.TEXT, "why", max_length=5, required=False),
        field(Kind.TEXT, "all"),
    )
    number, text, long = (one["element"] for one in view["blocks"] if "element" in one)
    assert (number["min_value"], number["max_value"]) == ("1", "100000000000000000000")
    assert number["is_decimal_allowed"] is False
    assert (text["max_length"], text["multiline"]) == (5, False)
    assert (long["max_length"], long["multiline"]) == (3000, True)
    assert [one["optional"] for one in view["blocks"] if "element" in one] == [False, True, False]
    either = filled_form(choice("red", "blue", required=True))
    assert [one["optional"] for one in either["blocks"] if "element" in one] == [True, True]
    must = filled_form(choice("red", "blue", required=True, write_in=False))
    assert [one["optional"] for one in must["blocks"] if "element" in one] == [False]


def test_a_modal_knows_where_it_was_opened() -> None:
    """There and back; anything else is nothing."""
    opened = modal.Opened("a-000000000001", HERE, "1.000002", 1, 3)
    assert modal.Opened.unpacked(opened.packed()) == opened
    for other in (None, 1, "", "{", "[]", "{}", json.dumps({"ask": 1})):
        assert modal.Opened.unpacked(other) is None


def test_faults_stand_at_their_fields() -> None:
    """Of fields that are not there, at the first; without inputs, nowhere."""
    view = filled_form(field(Kind.TEXT, "why"), choice("red", "blue", name="colour"))
    faults = {"colour": "One only.", "other": "What?", "why": "Too long."}
    assert returned.errors(view, faults) == {
        "v:colour": "One only.",
        "v:why": "What? Too long.",
    }
    assert returned.errors(view, {}) == {}
    assert returned.errors({"blocks": None}, faults) == {}
    assert returned.errors(None, faults) == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-0.5", -0.5),
        (".5", 0.5),
        ("3.", 3.0),
        ("1_000", "1_000"),
        ("x", "x"),
        ("9" * 5000, "9" * 5000),
        ("1e5", "1e5"),
        ("nan", "nan"),
        ("-", "-"),
    ],
)
def test_a_number_is_read_to_the_digit(text: str, value: object) -> None:
    """What is none stays text, which the answer's check refuses."""
    state_values = {"v:copies": {"in v:copies": {"type": "number_input", "value": text}}}
    assert returned.filled_in(state_values).values == {"copies": value}
