"""What Slack is given of any ask: taken by Slack's own limits, whole, and with nothing armed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import unpack
from channels.catalogue import Reader
from channels.contract import Button, Destination, Drop, OpenForm, Pick, Send, Tell
from channels.drawing import draw
from channels.forms import form, reason
from channels.shown import stamp, unstamped
from channels.slack import modal, render
from channels.slack.markup import MOST_ELEMENT, clip, measure, plain, rich, small, wire
from channels.slack.render import CAPABILITIES
from channels.testing.slack.limits import block_problems, too_large, view_problems, weight
from channels.testing.slack.reading import filled, marked_up, state, words
from gateway.answer import Picked, Value
from gateway.ask import Ask, AskRecord, Outcome, Status
from gateway.question import Field, Kind, Question
from gateway.reply.draft import Draft
from tests.strategies import any_text, approval, asks, questions
from tests.strategies_reply import ask_of, choice, field, several

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HERE = Destination("slack", "C1", "1.000001")
SEES = Reader(shared=True, buttons=True, stamps=True)
Json = dict[str, Any]


def record(ask: Ask) -> AskRecord:
    """The ask as it waits."""
    return AskRecord(
        ask=ask, status=Status.PENDING, version=1, opened_at=NOW, deadline=NOW + timedelta(hours=4)
    )


def ended(ask: Ask) -> AskRecord:
    """The ask, declined."""
    outcome = Outcome(
        status=Status.DECLINED, by="user:ana", name="Ana", surface="slack", reason="later"
    )
    return replace(record(ask), status=Status.DECLINED, outcome=outcome, settled_at=NOW, version=2)


def drawn(one: AskRecord, **more: Any) -> Any:
    """The drawing for a place that sees it."""
    return draw(SEES, one, CAPABILITIES, code="K7", waits_for="people", now=NOW, **more)


def messages(one: AskRecord, **more: Any) -> tuple[Json, ...]:
    """The messages of its post."""
    return render.post(drawn(one, **more))


def refused(message: Json) -> list[str]:
    """What Slack would not take of a message, as a post and as an update."""
    problems = block_problems(message["blocks"], "message")
    if not problems and weight(message["blocks"]) > 13_200:
        problems.append("msg_blocks_too_long")
    if len(message["text"].encode("utf-8", "surrogatepass")) > 4_000:
        problems.append("msg_too_long")
    return problems


def read(message: Json) -> str:
    """What people read of it."""
    return words(message["blocks"], message["text"], str)


def elements(message: Json) -> list[Json]:
    """What can be pressed on it."""
    rows = [block["elements"] for block in message["blocks"] if block["type"] == "actions"]
    return [one for row in rows for one in row]


def data(message: Json) -> list[str]:
    """The data of all that can be pressed or chosen."""
    found = []
    for one in elements(message):
        found += [option["value"] for option in one.get("options", [])]
        found += [one["value"]] if "value" in one else []
    return found


# Any ask


@given(ask=asks(), link=st.none() | st.just("https://oz.example/asks/1"))
def test_slack_takes_any_post(ask: Ask, link: str | None) -> None:
    """Waiting and ended, with and without a link."""
    for one in (record(ask), ended(ask)):
        for message in messages(one, link=link):
            assert refused(message) == []


@given(ask=asks())
def test_every_text_is_whole(ask: Ask) -> None:
    """All that the drawing says is read, in the blocks and in the text beside them."""
    for one in (record(ask), ended(ask)):
        drawing = drawn(one)
        texts = [*drawing.leading, drawing.text]
        for text, message in zip(texts, render.post(drawing), strict=True):
            assert read(message).split() == unstamped(text).split()
            assert message["text"] == wire(text)


@given(ask=asks())
def test_every_option_can_be_reached(ask: Ask) -> None:
    """By a button, a menu or the form; and only while it waits."""
    *_, post = messages(record(ask))
    found = [unpack(one) for one in data(post)]
    assert None not in found
    named = {one[0] for one in found if one}
    assert named <= {ask.id}
    reached = {one[1] for one in found if one}
    only = ask.question.single
    if only is not None and only.kind is Kind.CHOICE and OpenForm() not in reached:
        assert {Pick(option.id) for option in only.options} <= reached
    *_, last = messages(ended(ask))
    assert data(last) == []


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


@given(text=any_text(), label=any_text())
def test_slack_takes_whatever_is_said(text: str, label: str) -> None:
    """Tells with buttons, notes, and a home, of any text that has ink."""
    if not text.strip():
        return
    buttons = (
        Button(label, label, "a-000000000001", Send("0123456789")),
        Button("No", "no", "a-000000000001", Drop("0123456789")),
    )
    for message in (*render.tell(Tell(text, buttons=buttons), text), render.note(text)):
        assert block_problems(message["blocks"], "message") == []
    assert view_problems(render.home(text), "home") == []


# Markup


@given(text=st.text(st.sampled_from("<>&@!#*_~`|ab \n"), max_size=60))
def test_nothing_in_a_text_is_armed(text: str) -> None:
    """Escaped, it holds no token; read back it is what it was."""
    assert "<" not in wire(text)
    assert ">" not in wire(text)
    block = rich((text, False)) if text else None
    if block is not None:
        assert {one["type"] for one in block["elements"][0]["elements"]} == {"text"}
        assert read({"text": "", "blocks": [block]}) == text


def test_addresses_can_be_followed_and_read_as_they_are() -> None:
    """The link's text is its address, whatever stands beside it."""
    (line,) = rich(("See (https://a.example/x?y=1&z), please.", False))["elements"]
    assert line["elements"] == [
        {"type": "text", "text": "See ("},
        {"type": "link", "url": "https://a.example/x?y=1&z"},
        {"type": "text", "text": "), please."},
    ]


def test_times_are_in_each_readers_own_zone() -> None:
    """In rich text, in small print and in the text beside them; the words are the fallback."""
    at = datetime(2026, 12, 1, 18, 40, tzinfo=UTC)
    text = f"K7 · waits until {stamp(at, '18:40')} · job-1"
    seconds = int(at.timestamp())
    assert wire(text) == (
        f"K7 · waits until <!date^{seconds}^{{date_short_pretty}}, {{time}}|18:40> · job-1"
    )
    assert marked_up(wire(text), str) == "K7 · waits until 18:40 · job-1"
    date = next(one for one in rich((text, False))["elements"][0]["elements"] if "format" in one)
    assert (date["timestamp"], date["fallback"]) == (seconds, "18:40")
    line = small(text)
    assert line is not None
    assert words([line], "", str) == "K7 · waits until 18:40 · job-1"


def test_length_is_what_goes_over_the_wire() -> None:
    """Bytes of UTF-8 behind the escapes."""
    assert (measure("&"), measure("é"), measure("🚀")) == (5, 2, 4)


@given(text=any_text(200), most=st.integers(2, 80))
def test_a_clipped_label_fits_and_ends_whole(text: str, most: int) -> None:
    """It is the text, or its beginning with a mark."""
    cut = clip(text, most)
    assert len(cut) <= most
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))
    assert clip("👩‍🚀" * 10, 9) == "👩‍🚀👩‍🚀…"
    assert plain(text, most)["text"]


# The shape of a post


def test_a_post_is_heading_question_controls_and_a_small_line() -> None:
    """In this order."""
    (post,) = messages(record(ask_of(choice("red", "blue"))))
    kinds = [one["type"] for one in post["blocks"]]
    assert kinds == ["rich_text", "actions", "context"]
    first = post["blocks"][0]["elements"][0]["elements"][0]
    assert (first["text"].endswith("asks"), first["style"]) == (True, {"bold": True})
    assert [one["text"]["text"] for one in elements(post)] == [
        "1. red",
        "2. blue",
        "Other…",
        "Decline",
    ]


def test_approve_stands_out() -> None:
    """And deny does not."""
    (post,) = messages(record(approval()))
    assert [one.get("style") for one in elements(post)] == ["primary", None]


def test_an_outcome_is_bold_and_leaves_nothing_to_press() -> None:
    """The question stays above it."""
    (post,) = messages(ended(ask_of(choice("red", "blue"), prompt="Which?")))
    bold = [
        one.get("text")
        for one in post["blocks"][0]["elements"][0]["elements"]
        if one.get("style") == {"bold": True}
    ]
    assert any(one and one.startswith("Declined") for one in bold)
    assert "Which?" in read(post)
    assert elements(post) == []


def test_a_long_question_takes_several_messages() -> None:
    """The last one has the controls, and is the only one that changes."""
    ask = ask_of(choice("red", "blue"), prompt="Long. " * 1300)
    *before, post = messages(record(ask))
    assert len(before) >= 2
    assert all(elements(one) == [] for one in before)
    assert "The question stands above." in read(post)
    assert data(post)


def test_a_menu_has_every_option() -> None:
    """A hundred in one."""
    (*_, post) = messages(record(ask_of(choice(*(f"n{n}" for n in range(100))))))
    (menu, *_) = elements(post)
    assert (menu["type"], len(menu["options"])) == ("static_select", 100)


def test_oz_is_opened_by_a_button() -> None:
    """Also where the content may not be seen."""
    one = record(ask_of(choice("red", "blue")))
    (post,) = messages(one, link="https://oz.example/1")
    assert elements(post)[-1]["url"] == "https://oz.example/1"
    unseeing = replace(SEES, sees=False)
    sealed = draw(
        unseeing,
        one,
        CAPABILITIES,
        code="K7",
        waits_for="Ana",
        now=NOW,
        link="https://oz.example/1",
    )
    (post,) = render.post(sealed)
    assert [one["action_id"] for one in elements(post)] == ["link"]
    assert "red" not in json.dumps(post)


def test_a_long_home_is_cut_where_slack_would_refuse_it() -> None:
    """A view has at most a hundred blocks and 250 KB."""
    view = render.home("\n".join(f"{n} " + "é" * MOST_ELEMENT for n in range(120)))
    assert view_problems(view, "home") == []
    assert not too_large(view)
    assert len(view["blocks"]) > 30


# Forms, there and back


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
    assert modal.filled_in(submitted(view, values)).values == {
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
    back = modal.filled_in(state(view["blocks"], {})).values
    assert back == {**kept, "at": "2027-01-15T08:00:00+00:00"}


@given(question=questions())
def test_a_form_that_is_sent_untouched_says_nothing(question: Question) -> None:
    """No field has a value that nobody chose."""
    if not question.fields:
        return
    shown = form(SEES, ask_of(*question.fields), Draft(), per_page=20)
    view = modal.form(shown, HERE, None)
    assert modal.filled_in(state(view["blocks"], {})) == modal.FilledIn({})


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
    assert modal.errors(view, faults) == {
        "v:colour": "One only.",
        "v:why": "What? Too long.",
    }
    assert modal.errors(view, {}) == {}
    assert modal.errors({"blocks": None}, faults) == {}
    assert modal.errors(None, faults) == {}


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
    assert modal.filled_in(state_values).values == {"copies": value}
