"""Any ask, as a post and as forms: taken by Discord, nothing lost, everything reachable."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import MOST_BYTES, unpack
from channels.catalogue import Reader
from channels.contract import (
    AskReason,
    Button,
    OpenForm,
    Pick,
    PickToggle,
    PressApprove,
    PressOther,
    PressSkip,
    Send,
    Tell,
)
from channels.discord import render
from channels.discord.render import CAPABILITIES, EPHEMERAL, Voice
from channels.drawing import Drawing, draw
from channels.plan import Way
from channels.testing.discord import client
from channels.testing.discord.bodies import check_message
from channels.testing.discord.components import walk
from channels.testing.discord.markup import plain
from gateway.answer import Picked, to_json
from gateway.ask import Ask, Outcome, Status
from gateway.question import Field, Kind, Option
from tests.strategies import any_text, approval, asks, record_of
from tests.strategies_reply import ask_of, choice, field

NOW = datetime(2026, 10, 20, 9, 5, tzinfo=UTC)
READER = Reader(buttons=True, stamps=True)


def drawn(ask: Ask, outcome: Outcome | None = None, link: str | None = None) -> Drawing:
    """The post in a place that sees everything."""
    record = record_of(ask, outcome)
    return draw(READER, record, CAPABILITIES, code="K7", waits_for="acme", now=NOW, link=link)


def messages(drawing: Drawing) -> list[dict[str, Any]]:
    """All that is sent for it, found good by the platform."""
    sent = [*render.leading(drawing), render.post(drawing)]
    for one in sent:
        check_message(one, v2=False)
        assert one["content"].strip()
        assert one["allowed_mentions"]["parse"] == []
    return sent


def seen(drawing: Drawing) -> str:
    """Its words as people read them."""
    return "\n".join(plain(one["content"], {"7": "Ana"}) for one in messages(drawing))


def controls(payload: dict[str, Any]) -> list[Any]:
    """What can be pressed or chosen, as it comes back."""
    found = []
    for _, part in walk(payload.get("components", [])):
        ids = [one["value"] for one in part.get("options", [])]
        if part["type"] == 2 and "custom_id" in part:
            ids = [part["custom_id"]]
        for name in ids:
            assert len(name.encode("ascii")) <= MOST_BYTES
            back = unpack(name)
            assert back is not None
            found.append(back[1])
    return found


def options(ask: Ask) -> list[Option]:
    return [option for one in ask.question.fields for option in one.options]


def flat(text: str) -> str:
    """Without what only moves words about."""
    return "".join(text.replace("\u2068", "").replace("\u2069", "").split())


@given(asks())
def test_any_ask_is_taken_and_nothing_is_lost(ask: Ask) -> None:
    """The whole question and every option stand in the text; each control names this ask."""
    drawing = drawn(ask)
    text = flat(seen(drawing))
    assert flat(ask.question.prompt) in text
    for option in options(ask):
        assert flat(option.label) in text
    post = render.post(drawing)
    for _, part in walk(post["components"]):
        if part["type"] == 2:
            found = unpack(part["custom_id"])
            assert found is not None
            assert found[0] == ask.id


@given(st.integers(1, 100), st.booleans())
def test_every_option_of_a_choice_can_be_pressed_or_chosen(count: int, write_in: bool) -> None:
    """By buttons up to ten, by menus up to a hundred."""
    ask = ask_of(choice(*(f"Option {n}" for n in range(1, count + 1)), write_in=write_in))
    post = render.post(drawn(ask, link="https://oz.example/a"))
    check_message(post, v2=False)
    found = controls(post)
    assert [one for one in found if isinstance(one, Pick)] == [
        Pick(option.id) for option in options(ask)
    ]
    assert (PressOther() in found) == write_in


@given(st.lists(any_text(60), min_size=1, max_size=12), any_text(3000))
def test_hostile_words_are_shown_and_do_nothing(labels: list[str], prompt: str) -> None:
    """Whatever an agent writes is taken by Discord and reads as it was written."""
    made = tuple(
        Option(id=f"o{number}", label=f"{number}{label}") for number, label in enumerate(labels, 1)
    )
    asked = Field(name="pick", kind=Kind.CHOICE, options=made)
    ask = ask_of(asked, prompt=f"Q{prompt}")
    drawing = drawn(ask)
    text = flat(seen(drawing))
    for row in drawing.view.sections[0].rows:
        assert flat(row.text) in text
    assert flat(drawing.view.question) in text


def test_a_long_question_comes_in_pieces_and_its_controls_last() -> None:
    """Each piece is a message of its own; the last holds what changes."""
    ask = ask_of(choice("a", "b"), prompt="word " * 2000)
    drawing = drawn(ask)
    sent = messages(drawing)
    assert len(sent) > 4
    assert all("components" not in one for one in sent[:-1])
    assert controls(sent[-1])
    assert flat("word " * 2000) in flat(seen(drawing))


def test_each_kind_has_its_way() -> None:
    """Buttons for a few options, for yes or no and for an approval; a form for the rest."""
    ways: dict[Kind, list[Any]] = {
        Kind.CHOICE: [Pick("o1"), Pick("o2")],
        Kind.TOGGLE: [PickToggle(yes=True), PickToggle(yes=False)],
        Kind.TEXT: [OpenForm()],
        Kind.NUMBER: [OpenForm()],
        Kind.DATE: [OpenForm()],
        Kind.MULTI_CHOICE: [OpenForm()],
    }
    for kind, wanted in ways.items():
        one = field(kind, options=choice("a", "b").options if "choice" in kind.value else ())
        found = controls(render.post(drawn(ask_of(one))))
        assert found[: len(wanted)] == wanted
    assert controls(render.post(drawn(approval()))) == [PressApprove(), AskReason()]


def test_ways_out_and_the_link_stand_last() -> None:
    """Decline is red, the link opens the ask in OZ."""
    post = render.post(drawn(approval(), link="https://oz.example/asks/a-75eaf712473f"))
    *_, last = post["components"]
    assert [one["style"] for one in last["components"]] == [render.DANGER, render.LINK]
    assert last["components"][-1]["url"] == "https://oz.example/asks/a-75eaf712473f"


def test_an_ended_ask_has_nothing_to_press() -> None:
    """Question and outcome stay."""
    values = to_json({"pick": Picked(("o2",))})
    ended = Outcome(status=Status.ANSWERED, values=values, by="user:kevin", surface="discord")
    drawing = drawn(ask_of(choice("red", "blue")), ended)
    [post] = messages(drawing)
    assert post["components"] == []
    assert "blue" in seen(drawing)
    assert drawing.presentation is None


def test_drawing_twice_is_the_same() -> None:
    """An update with nothing new changes nothing."""
    ask = ask_of(choice("red", "blue"))
    assert render.post(drawn(ask)) == render.post(drawn(ask))


def test_a_short_question_stands_out_and_the_last_line_is_small() -> None:
    """By Discord's own marks, outside what was written."""
    content = render.post(drawn(ask_of(choice("red", "blue"), prompt="Which *one*?")))["content"]
    assert "**Which \\*one\\*?**" in content
    assert content.splitlines()[-1].startswith("-# K7")
    long = render.post(drawn(ask_of(choice("red", "blue"), prompt="x" * 300)))["content"]
    assert "**" not in long


def test_what_is_said_back_is_whispered() -> None:
    """In as many messages as it takes, with its buttons on the last; in public without."""
    buttons = tuple(Button(f"K{n}", f"K{n}", "a-75eaf712473f", Send("0" * 10)) for n in range(1))
    said = Tell("word " * 600, "for all", buttons)
    whispered = render.tell(said, Voice.WHISPER)
    assert len(whispered) == 2
    assert all(one["flags"] & EPHEMERAL for one in whispered)
    assert controls(whispered[-1]) == [Send("0" * 10)]
    [public] = render.tell(said, Voice.PUBLIC)
    assert public["content"] == "for all"
    assert not public["flags"] & EPHEMERAL
    assert render.tell(Tell("only mine"), Voice.PUBLIC) == []


@pytest.mark.parametrize("count", [1, 5, 25, 26, 60])
def test_many_buttons_stand_on_as_many_messages_as_they_need(count: int) -> None:
    """None is dropped."""
    buttons = tuple(Button(f"K{n}", f"K{n}", f"a-{n:012x}", PressSkip()) for n in range(count))
    sent = render.tell(Tell("Which?", None, buttons), Voice.DIRECT)
    for one in sent:
        check_message(one, v2=False)
    labels = [control.label for one in sent for control in client.controls(one["components"])]
    assert labels == [f"K{n}" for n in range(count)]


def test_a_question_without_content_is_one_text() -> None:
    """A place that may not see is told no more."""
    blind = Reader(sees=False, shared=True, buttons=True)
    ask = ask_of(choice("red", "blue"), prompt="Secret")
    record = record_of(ask)
    drawing = draw(blind, record, CAPABILITIES, code="K7", waits_for="acme", now=NOW)
    assert drawing.presentation is None
    assert "Secret" not in seen(drawing)
    assert render.post(drawing)["components"] == []


def test_the_way_says_why() -> None:
    """What the planner chose is what was drawn."""
    drawing = drawn(ask_of(field(Kind.TEXT)))
    assert drawing.presentation is not None
    assert drawing.presentation.way is Way.FORM
