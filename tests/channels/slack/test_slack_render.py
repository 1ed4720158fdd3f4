"""What Slack is given of any ask: taken by Slack's own limits, whole, and with nothing armed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from channels.callback import unpack
from channels.contract import Button, Drop, OpenForm, Pick, Send, Tell
from channels.drawing import draw
from channels.shown import stamp, unstamped
from channels.slack import render
from channels.slack.markup import MOST_ELEMENT, clip, measure, plain, rich, small, wire
from channels.slack.render import CAPABILITIES
from channels.testing.slack.limits import block_problems, too_large, view_problems
from channels.testing.slack.reading import marked_up, words
from gateway.ask import Ask
from gateway.question import Kind
from tests.channels.slack.drawings import (
    NOW,
    SEES,
    data,
    drawn,
    elements,
    ended,
    messages,
    read,
    record,
    refused,
)
from tests.strategies import any_text, approval, asks
from tests.strategies_reply import ask_of, choice

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


@given(text=any_text(), label=any_text())
def test_slack_takes_whatever_is_said(text: str, label: str) -> None:
    """Tells with buttons, notes, and a home, of any text that has ink."""
    if not text.strip():
        return
    buttons = (
        Button(label, label, "a-000000000001", Send("0123456789")),
        Button("No", "no", "a-000000000001", Drop("0123456789")),
    )
    for message in (*render.tell(Tell(text, buttons=buttons), text), *render.note(text)):
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


@given(head=st.integers(0, 12))
def test_a_long_text_is_cut_between_visible_characters(head: int) -> None:
    """Every element is whole, and all of them together are the text."""
    text = "a" * head + "👩‍🚀" * 2_500
    (section,) = rich((text, False))["elements"]
    parts = [one["text"] for one in section["elements"]]
    assert "".join(parts) == text
    assert all(len(part) <= MOST_ELEMENT for part in parts)
    assert not any(part.startswith(("\u200d", "🚀")) for part in parts)


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
