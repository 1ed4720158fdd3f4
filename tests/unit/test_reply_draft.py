"""What is kept between replies to an ask with several fields."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.answer import Picked
from gateway.question import Kind, Question
from gateway.reply import Draft
from tests.strategies import answers_to, any_json, questions
from tests.strategies_reply import UNHURRIED, choice, field

ASKED = Question(prompt="?", fields=(choice("a1", "a2"), field(Kind.NUMBER, "n")))


def test_an_entry_made_again_is_the_last_one() -> None:
    """Its earlier value is gone, so that `back` undoes it once."""
    draft = Draft().fill("pick", Picked(("o1",))).fill("n", 1).fill("pick", Picked(("o2",)))
    assert draft.order == ("n", "pick")
    assert draft.back().values == {"n": 1}


def test_a_field_is_filled_or_left_out_but_never_both() -> None:
    """The later entry counts."""
    assert Draft().fill("n", 1).leave("n") == Draft({}, frozenset({"n"}), ("n",))
    assert Draft().leave("n").fill("n", 1) == Draft({"n": 1}, frozenset(), ("n",))


def test_going_back_past_the_first_entry_changes_nothing() -> None:
    """There is nothing to undo."""
    assert Draft().back() == Draft()


@UNHURRIED
@given(st.data())
def test_a_draft_survives_being_kept_as_json(data: st.DataObject) -> None:
    """Values of every kind, with every digit."""
    question = data.draw(questions())
    draft = Draft()
    for name, value in data.draw(answers_to(question)).items():
        draft = draft.leave(name) if data.draw(st.booleans()) else draft.fill(name, value)
    kept = json.loads(json.dumps(draft.to_dict()))
    assert Draft.from_dict(question, kept) == draft


@pytest.mark.parametrize(
    "kept",
    [
        {"values": {"n": 1}, "left": [], "order": []},
        {"values": {"n": 1}, "left": [], "order": ["n", "n"]},
        {"values": {"x": 1}, "left": [], "order": ["x"]},
        {"values": {}, "left": ["x"], "order": ["x"]},
        {"values": {}, "left": [7], "order": [7]},
        {"values": {"pick": 1}, "left": [], "order": ["pick"]},
        {"values": {"pick": {"options": "o1"}}, "left": [], "order": ["pick"]},
        {"values": {}, "left": []},
        None,
    ],
)
def test_what_is_no_draft_of_the_question_is_refused(kept: Any) -> None:
    """A draft is kept by us, so anything else is a fault."""
    with pytest.raises(ValueError, match="draft"):
        Draft.from_dict(ASKED, kept)


@UNHURRIED
@given(any_json())
def test_any_json_is_a_draft_or_refused(kept: Any) -> None:
    """With one error only."""
    try:
        Draft.from_dict(ASKED, kept)
    except ValueError:
        return
    assert set(kept) >= {"values", "left", "order"}


def test_drafts_are_the_same_whatever_was_entered_first() -> None:
    """The order is for `back` alone."""
    first = Draft().fill("a", "1").leave("b")
    assert first.same_as(Draft().leave("b").fill("a", "1"))
    assert not first.same_as(Draft().fill("a", "1"))
    assert not first.same_as(Draft().fill("a", "2").leave("b"))
