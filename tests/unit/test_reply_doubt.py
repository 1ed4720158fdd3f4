"""What looks like a pick and may not be meant as one: `no. 1`, `thanks !1`, `1 or`, two thumbs."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.reply import Answered, Refusal, Refused
from tests.strategies_reply import WHERE, choice, refusal, said, several, value_of

DEFAULT = choice(*WHERE)


@pytest.mark.parametrize("text", ["No. 1", "no. one", "No. 1 Yes", "no.1", "No. 1, please"])
@pytest.mark.parametrize("kind", [choice, several])
@pytest.mark.parametrize("labels", [("Yes", "No"), ("Yes", "No, keep them"), ("Go", "Not now")])
def test_no_before_a_number_is_no_pick_where_no_is_an_answer(
    text: str, kind: Any, labels: tuple[str, ...]
) -> None:
    """It may be the first option, or a refusal and the beginning of its reason."""
    text = text.replace("Yes", labels[0])
    assert refusal(said(text, kind(*labels))) is Refusal.NEGATED


def test_no_before_a_number_is_read_alike_in_every_language_and_over_lines() -> None:
    """`no.` is an option word in Spanish as in English, and a line may break behind it."""
    assert refusal(said("No.\n1", choice("Yes", "No"))) is Refusal.NEGATED
    assert refusal(said("no. Uno", choice("S\u00ed", "No"), locale="es-ES")) is Refusal.NEGATED


@pytest.mark.parametrize("text", ["option no. 1", "number 1", "nr. 1", "1", "Yes"])
def test_other_ways_to_pick_stay_where_no_is_an_answer(text: str) -> None:
    """Only a leading `no.` says two things."""
    assert value_of(said(text, choice("Yes", "No"))) == ["o1"]


@pytest.mark.parametrize("text", ["please !1", "thanks !Staging", "\U0001f64f !1", "thanks, !1"])
def test_a_negated_pick_behind_thanks_is_refused(text: str) -> None:
    """Only the mark right behind the polite word is politeness."""
    assert refusal(said(text, DEFAULT)) is Refusal.NEGATED


@pytest.mark.parametrize("text", ["thanks! 1", "please!! Staging", "Thanks!, 1"])
def test_an_exclamation_mark_behind_thanks_is_part_of_them(text: str) -> None:
    """As it is without a pick."""
    assert value_of(said(text, DEFAULT)) == ["o1"]


@pytest.mark.parametrize("text", ["1 or", "Staging or", "or 1", "and 1", "& Staging", "1 +", "+1"])
def test_a_pick_joined_to_nothing_is_refused(text: str) -> None:
    """The other half may have been lost."""
    assert refusal(said(text, DEFAULT)) is Refusal.ONLY_ONE


THUMBS = ("\U0001f44d", "\U0001f44e")


@pytest.mark.parametrize("kind", [choice, several])
@pytest.mark.parametrize("text", ["".join(THUMBS), "".join(reversed(THUMBS))])
def test_a_thumb_that_is_a_label_is_no_politeness(text: str, kind: Any) -> None:
    """Two labels are two picks, also without a blank between them."""
    assert not isinstance(said(text, kind(*THUMBS)), Answered)


def test_a_number_beside_a_label_that_is_polite_elsewhere_must_agree() -> None:
    """`2 \U0001f44d` names two options where the thumb is one."""
    assert refusal(said(f"2 {THUMBS[0]}", choice(*THUMBS))) is Refusal.LABEL_DIFFERS
    assert value_of(said(f"1 {THUMBS[0]}", choice(*THUMBS))) == ["o1"]
    assert refusal(said("2, thanks", choice("Thanks", "Go"))) is Refusal.LABEL_DIFFERS


@pytest.mark.parametrize("text", ["1-3?", "1 3?", "Staging Production?"])
def test_several_picks_with_a_question_mark_are_unsure(text: str) -> None:
    """What is asked is not answered, however many are picked."""
    assert refusal(said(text, DEFAULT)) is Refusal.UNSURE


@pytest.mark.parametrize("text", ["3 5", "3, 5"])
def test_two_labels_that_are_numbers_are_two_picks(text: str) -> None:
    """There is an option 3, by its label."""
    found = said(text, choice("3", "5", "7"))
    assert isinstance(found, Refused)
    assert found.data["picks"] == ("A", "B")
