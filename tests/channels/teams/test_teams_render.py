"""Any ask, as a card and as a form: taken by Teams, nothing lost, everything reachable."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import unpack
from channels.catalogue import Reader
from channels.contract import (
    AskReason,
    Pick,
    PickToggle,
    PressApprove,
)
from channels.drawing import draw
from channels.plan import Way
from channels.teams import render
from channels.teams.render import CAPABILITIES, DATA
from channels.testing.teams.cards import draw as draw_card
from gateway.answer import check
from gateway.ask import Ask, Outcome, Status
from gateway.question import Kind
from tests.channels.teams.drawings import (
    NOW,
    card,
    controls,
    drawn,
    filled,
    flat,
    messages,
    options,
    seen,
    submitted,
)
from tests.strategies import answers_to, any_text, approval, asks, record_of
from tests.strategies_reply import ask_of, choice, field

# Posts


@given(asks())
def test_any_ask_is_taken_and_nothing_is_lost(ask: Ask) -> None:
    """The whole question and every option stand in the text; each control names this ask."""
    drawing = drawn(ask)
    text = flat(seen(drawing))
    assert flat(ask.question.prompt) in text
    for option in options(ask):
        assert flat(option.label) in text
    for action in card(messages(drawing)[-1]).actions:
        found = unpack(action.node["data"][DATA])
        assert found is not None
        assert found[0] == ask.id


@given(st.data(), asks())
def test_any_answer_can_be_filled_in_on_the_card(data: st.DataObject, ask: Ask) -> None:
    """What a person puts into the inputs comes back as that very answer."""
    message = messages(drawn(ask))[-1]
    shown = card(message)
    given_values = dict(data.draw(answers_to(ask.question)))
    if not shown.inputs:
        assert controls(message)
        return
    put: dict[str, Any] = {}
    for name, value in given_values.items():
        one = ask.question.field(name)
        assert one is not None
        put |= filled(value, one)
    found = submitted(shown, put)
    assert found.ask_id == ask.id
    for name, value in given_values.items():
        one = ask.question.field(name)
        assert one is not None
        if f"n:{name}" in put and name in found.texts:
            # A client rounds it, so it is none to us.
            assert "e" in found.texts[name]
        elif one.kind is Kind.NUMBER and name in found.texts:
            assert int(found.texts[name]) == value
        elif one.kind is Kind.DATE and one.date_time:
            assert isinstance(value, str)
            assert found.values[name] == value[:16]
        else:
            assert found.values[name] == value
    plain = [one for one in ask.question.fields if one.name not in found.texts]
    page = ask.question.model_copy(update={"fields": tuple(plain)})
    if not any(one.date_time for one in plain):
        check(page, found.values)


@given(st.integers(1, 100), st.booleans())
def test_every_option_of_a_choice_can_be_pressed_or_chosen(count: int, write_in: bool) -> None:
    """By buttons where they are few, else in a list on the card."""
    labels = [f"Option {n}" for n in range(1, count + 1)]
    ask = ask_of(choice(*labels, write_in=write_in))
    message = messages(drawn(ask, link="https://oz.example/a"))[-1]
    picks = [one for one in controls(message) if isinstance(one, Pick)]
    shown = card(message)
    listed = [one["value"] for node in shown.inputs for one in node.get("choices", [])]
    wanted = [option.id for option in options(ask)]
    assert [one.option for one in picks] == wanted or listed == wanted
    assert any(node["id"].startswith("w:") for node in shown.inputs) == write_in


@given(st.lists(any_text(60), min_size=1, max_size=12), any_text(3000))
def test_hostile_words_are_shown_and_do_nothing(labels: list[str], prompt: str) -> None:
    """Whatever an agent writes is taken by Teams; no mention, link or date is made of it."""
    names = [f"{label} {number}" for number, label in enumerate(labels, 1)]
    ask = ask_of(choice(*names, write_in=True), prompt=prompt or "x")
    for message in messages(drawn(ask)):
        body = message["attachments"][0]["content"]["body"]
        assert {one["type"] for one in body} <= {
            "RichTextBlock",
            "Input.ChoiceSet",
            "Input.Text",
        }


@pytest.mark.parametrize(
    "prompt",
    [
        "**bold** [x](https://e.example) <at>Ana</at> &amp; \\*",
        "two  blanks\n    indented\n\n\nand a gap",
        "{{DATE(2026-10-20T09:00:00Z, SHORT)}}",
    ],
)
def test_what_was_written_reads_to_the_letter(prompt: str) -> None:
    """Marks, blanks and line breaks stand as they were written."""
    shown = seen(drawn(ask_of(field(Kind.TEXT), prompt=prompt))).replace("\u00a0", " ")
    for line in filter(None, prompt.split("\n")):
        assert line in shown.split("\n")


def test_a_date_written_by_an_agent_is_no_date_for_clients() -> None:
    """The two braces that clients look for never stand in one run."""
    for node in messages(drawn(ask_of(field(Kind.TEXT), prompt="{{DATE(2026-10-20T09:00:00Z)}}")))[
        0
    ]["attachments"][0]["content"]["body"]:
        runs = [run if isinstance(run, str) else run["text"] for run in node.get("inlines", [])]
        assert not any("{{" in run for run in runs)


def test_a_card_stays_below_the_limit_and_nothing_is_cut() -> None:
    """A long question goes before its card, in messages of their own, whole."""
    prompt = "\n".join(f"{number} {'word ' * 30}" for number in range(400))
    ask = ask_of(choice("red", "blue", write_in=False), prompt=prompt)
    drawing = drawn(ask)
    assert len(messages(drawing)) > 2
    assert flat(prompt) in flat(seen(drawing))
    assert len([one for one in controls(messages(drawing)[-1]) if isinstance(one, Pick)]) == 2


def test_long_options_leave_the_card_before_its_inputs_do() -> None:
    """Where text and list together are too much for one card, the list stays on it."""
    labels = [f"{number} {'é' * 70}" for number in range(100)]
    ask = ask_of(choice(*labels, write_in=False))
    sent = messages(drawn(ask))
    assert len(sent) > 1
    (node,) = card(sent[-1]).inputs
    assert len(node["choices"]) == 100
    text = flat(seen(drawn(ask)))
    assert all(flat(label) in text for label in labels)


def test_an_approval_has_its_two_answers_and_a_way_to_say_why() -> None:
    """Approve is pressed; Deny asks for a reason in a dialog."""
    (message,) = messages(drawn(approval(), link="https://oz.example/a"))
    assert controls(message) == [PressApprove(), AskReason()]
    deny = card(message).action("Deny")
    assert deny.node["data"]["msteams"] == {"type": "task/fetch"}
    assert card(message).actions[-1].node["url"] == "https://oz.example/a"
    assert message["channelData"] == {"notification": {"alert": True}}


def test_one_toggle_is_two_buttons_and_one_of_several_has_no_silent_no() -> None:
    """An untouched toggle on a card is neither yes nor no."""
    (alone,) = messages(drawn(ask_of(field(Kind.TOGGLE, "loud"))))
    assert controls(alone)[:2] == [PickToggle(yes=True), PickToggle(yes=False)]
    (both,) = messages(drawn(ask_of(field(Kind.TOGGLE, "loud"), field(Kind.TEXT, "why"))))
    found = submitted(card(both), {"t:why": "so"})
    assert found.values == {"why": "so"}
    assert submitted(card(both), {"y:loud": "No"}).values == {"loud": False}


@given(asks(), st.sampled_from(Status))
def test_an_ask_that_ended_has_nothing_to_press(ask: Ask, status: Status) -> None:
    """The question stays, with how it ended; drawn twice, it is the same."""
    if status is Status.PENDING:
        return
    outcome = Outcome(status=status, by="user:kevin", name="Kevin", surface="teams")
    drawing = drawn(ask, outcome)
    sent = messages(drawing)
    assert all(not card(one).actions and not card(one).inputs for one in sent)
    assert flat(ask.question.prompt) in flat(seen(drawing))
    assert "channelData" not in sent[-1]
    assert render.update(drawing) == sent[-1]


def test_a_place_that_may_not_see_has_no_word_of_it() -> None:
    """Neither on the card nor in the note that says it has come."""
    record = record_of(ask_of(choice("red", "blue", write_in=False)))
    drawing = draw(
        Reader(sees=False, shared=True),
        record,
        CAPABILITIES,
        code="K7",
        waits_for="operators of acme",
        now=NOW,
    )
    (message,) = messages(drawing)
    assert "red" not in str(message)
    assert record.ask.question.prompt not in str(message)


def test_a_card_is_asked_for_anew_unless_something_is_written_on_it() -> None:
    """Drawing it anew would empty its inputs; what has ended does not change any more."""
    pressed, filled_in = ask_of(choice("a", "b", write_in=False)), ask_of(field(Kind.TEXT, "why"))
    ended = Outcome(status=Status.DECLINED, by="user:kevin", name="Kevin", surface="teams")
    shown = [drawn(pressed), drawn(filled_in), drawn(pressed, ended)]
    cards = [messages(one)[-1]["attachments"][0]["content"] for one in shown]
    assert ["refresh" in one for one in cards] == [True, False, False]


def test_an_older_client_can_press_everything() -> None:
    """Each action has a submit in its place, with the same data."""
    ask = ask_of(choice("red", "blue", write_in=False))
    content = messages(drawn(ask))[-1]["attachments"][0]["content"]
    new, old = draw_card(content), draw_card(content, execute=False)
    assert [one.label for one in new.actions] == [one.label for one in old.actions]
    assert [one.node["data"] for one in new.actions] == [one.node["data"] for one in old.actions]


def test_the_plan_says_card_for_what_has_to_be_filled_in() -> None:
    """Few options are buttons; all else stands on the card."""
    few = ask_of(choice("a", "b", write_in=False))
    many = ask_of(choice(*"abcdefg", write_in=False))
    ways = [drawn(one).presentation for one in (few, many, ask_of(field(Kind.DATE, "day")))]
    assert [one.way for one in ways if one] == [Way.BUTTONS, Way.CARD, Way.CARD]
