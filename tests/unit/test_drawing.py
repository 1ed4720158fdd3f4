"""What one post shows: all of its ask however long, and its end without losing anything."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from channels.capabilities import PLAIN, Capabilities
from channels.catalogue import Reader
from channels.discord.render import CAPABILITIES as DISCORD
from channels.drawing import ROOM, Drawing, draw
from channels.plan import Way, plan
from channels.present import numbered, view
from channels.shown import MARK, line
from channels.slack.render import CAPABILITIES as SLACK
from channels.teams.render import CAPABILITIES as TEAMS
from channels.telegram.render import CAPABILITIES as TELEGRAM
from gateway.ask import Ask, AskRecord, Status
from gateway.question import Kind
from tests.endings import NOW, an_ask, settled
from tests.strategies import record_of
from tests.strategies_reply import any_ask, ask_of, choice, field

READER = Reader()
UNSEEING = replace(READER, sees=False)
CHATS = (SLACK, TEAMS, DISCORD, TELEGRAM)
PLATFORMS = st.sampled_from((*CHATS, PLAIN))
ABOVE = "The question stands above."
LONG = "x " * 3_000
"""Longer than a message of three of the four."""


def drawn(
    record: AskRecord, platform: Capabilities, reader: Reader = READER, **more: Any
) -> Drawing:
    given: dict[str, Any] = {"code": "K7", "waits_for": "operators of acme", "now": NOW} | more
    return draw(reader, record, platform, **given)


def whole(drawing: Drawing) -> str:
    """All that people read, the messages before the post first."""
    return "\n".join((*drawing.leading, drawing.text))


def ink(text: str) -> str:
    return regex.sub(r"\s", "", text)


# While it waits


@given(any_ask(), PLATFORMS)
def test_the_whole_numbered_text_is_in_it(ask: Ask, platform: Capabilities) -> None:
    """With every option; the invitation to press stands before the hint, and no more differs."""
    drawing = drawn(record_of(ask), platform)
    for part in numbered(view(READER, record_of(ask), "K7", "", NOW)).splitlines():
        assert ink(part) in ink(whole(drawing))
    assert platform.measure(drawing.text) <= platform.text
    assert all(platform.measure(one) <= platform.text for one in drawing.leading)


@given(any_ask(), PLATFORMS)
def test_it_has_to_press_what_the_plan_says(ask: Ask, platform: Capabilities) -> None:
    """And the form itself where that stands on the post."""
    drawing = drawn(record_of(ask), platform)
    assert drawing.presentation == plan(READER, ask, platform)
    assert (drawing.form is not None) is (drawing.presentation.way is Way.CARD)


@pytest.mark.parametrize("platform", CHATS, ids=lambda one: one.channel)
def test_a_question_too_long_for_one_message_comes_before_its_post(platform: Capabilities) -> None:
    """The post, which is drawn anew, has what changes: how to answer, code and deadline."""
    prompt = f"{'x ' * platform.text}end of it"
    ask = ask_of(choice("Staging", "Production"), prompt=prompt)
    drawing = drawn(record_of(ask), platform)
    assert len(drawing.leading) >= 2
    assert ink("".join(drawing.leading)) == ink(f"asker asks {prompt} 1. Staging 2. Production")
    assert drawing.text.startswith(f"{ABOVE}\n")
    assert drawing.text.splitlines()[-1].startswith("K7 · ")
    assert "Staging" not in drawing.text


def test_a_question_that_leaves_room_stands_in_its_post() -> None:
    """One message is easier to read than two."""
    prompt = "x" * (DISCORD.text - ROOM - 60)
    drawing = drawn(record_of(ask_of(choice("Staging"), prompt=prompt)), DISCORD)
    assert drawing.leading == ()
    assert prompt in drawing.text


def test_the_way_into_oz_stands_where_there_is_a_console() -> None:
    """On every post, also one that says nothing of the question, and after the end."""
    record = record_of(an_ask())
    address = "https://oz.example.com/asks/a-1"
    for one in (
        drawn(record, SLACK, link=address),
        drawn(record, SLACK, UNSEEING, link=address),
        drawn(settled(an_ask(), status=Status.CANCELLED), SLACK, link=address),
    ):
        assert (one.link, one.link_label) == (address, "Open in OZ")
    assert (drawn(record, SLACK).link, drawn(record, SLACK).link_label) == (None, "")


# Where nobody may see it


@given(any_ask(), PLATFORMS)
def test_a_place_that_may_not_see_reads_only_that_somebody_is_asked(
    ask: Ask, platform: Capabilities
) -> None:
    """Not the prompt, no option, nothing to press."""
    drawing = drawn(record_of(ask), platform, UNSEEING)
    assert drawing.presentation is None
    assert drawing.form is None
    assert drawing.leading == ()
    said = f"{line(ask.agent)} waits for an answer from operators of acme. K7"
    assert drawing.text.partition(" · until ")[0] == said
    assert drawing.view == replace(drawing.view, question="", sections=(), heading="", foot="")


def test_many_people_it_waits_for_are_all_named() -> None:
    """A text without content may be too long for a message as well, and loses nothing."""
    names = ", ".join(f"Person {n}" for n in range(400))
    drawing = drawn(record_of(an_ask()), DISCORD, UNSEEING, waits_for=names)
    assert len(drawing.leading) >= 1
    assert ink(whole(drawing)) == ink(f"asker waits for an answer from {names}. K7")


# Once it has ended


def answered(words: str, prompt: str = "Which?") -> AskRecord:
    """A question in words, answered so."""
    ask = an_ask(field(Kind.TEXT, "pick"), prompt=prompt)
    return settled(ask, status=Status.ANSWERED, values={"pick": words})


@given(any_ask(), PLATFORMS, st.sampled_from((Status.CANCELLED, Status.EXPIRED, Status.DECLINED)))
def test_the_end_has_nothing_to_press(ask: Ask, platform: Capabilities, status: Status) -> None:
    """And the text of the post alone says how it ended: what came before it is not drawn anew."""
    drawing = drawn(settled(ask, status=status), platform)
    assert drawing.presentation is None
    assert drawing.form is None
    assert drawing.view.hint is drawing.view.way_out is None
    assert drawing.view.outcome is not None
    assert drawing.view.outcome in drawing.text
    assert platform.measure(drawing.text) <= platform.text


@given(any_ask(), PLATFORMS)
def test_drawn_again_it_is_the_same(ask: Ask, platform: Capabilities) -> None:
    """Pending or ended, so that a look too many changes nothing."""
    for record in (record_of(ask), settled(ask, status=Status.CANCELLED)):
        assert drawn(record, platform) == drawn(record, platform)


@pytest.mark.parametrize("platform", CHATS, ids=lambda one: one.channel)
@pytest.mark.parametrize("words", [30, 500, 16_000])
@pytest.mark.parametrize("room", [-10_000, -ROOM - 1, -ROOM + 1, *range(-300, 20, 20), 2_000])
def test_what_was_in_the_post_is_in_it_at_the_end(
    platform: Capabilities, words: int, room: int
) -> None:
    """However long question and answer are: a question that stood in the post still does, with the
    beginning of the answer, and who gave it.
    """
    prompt = "x" * max(10, platform.text + room)
    record = answered("y" * words, prompt)
    waits = drawn(record_of(record.ask), platform)
    ends = drawn(record, platform)
    assert platform.measure(ends.text) <= platform.text
    assert (prompt in ends.text) is (prompt in waits.text)
    assert "Answered: yyy" in ends.text
    assert "Kevin, 12:02, in Slack." in ends.text
    if prompt not in waits.text:
        assert ends.text.startswith(ABOVE)


def test_an_answer_that_fits_is_whole_and_a_longer_one_is_marked() -> None:
    """As much of it as there is room for by halves; the whole of it stands in OZ."""
    assert f"Answered: {'y' * 1_500}. Kevin" in drawn(answered("y" * 1_500), DISCORD).text
    shortened = drawn(answered("y" * 3_000), DISCORD).text
    assert f"y{MARK} Kevin, 12:02, in Slack." in shortened
    assert "y" * 900 in shortened


@pytest.mark.parametrize(
    ("status", "begins"),
    [(Status.DECLINED, "Declined: no no"), (Status.CANCELLED, "No longer needed: no no")],
)
def test_a_reason_without_end_is_shortened_too(status: Status, begins: str) -> None:
    """Whatever people write is at most the rest of the message."""
    text = drawn(settled(an_ask(), status=status, reason="no " * 1_300), DISCORD).text
    assert begins in text
    assert MARK in text
    assert len(text) <= DISCORD.text


def test_times_count_as_long_as_they_are_written() -> None:
    """A platform may write a time longer than it reads: measured so, the text still fits."""
    reader = replace(READER, stamps=True)
    record = replace(record_of(an_ask(prompt="x" * 1_190)), deadline=NOW + timedelta(days=9))
    measured = replace(DISCORD, measure=lambda text: len(text) + 700 * text.count("\ufdd0"))
    drawing = drawn(record, measured, reader)
    assert measured.measure(drawing.text) <= measured.text
    assert drawing.leading != ()
