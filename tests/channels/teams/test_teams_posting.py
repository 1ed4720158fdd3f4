"""Posts of several messages: each goes out once, in its place, and says what is true there."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from channels.contract import Destination, Later, PickToggle, Unfit
from channels.drawing import Drawing
from channels.plan import Way
from channels.teams import render
from channels.testing.platform import Fault
from channels.testing.teams import Teams
from channels.testing.teams.cards import Drawn
from gateway.ask import Outcome, Status
from gateway.question import Field, Kind
from tests.channels.gatewayed import Gatewayed
from tests.channels.teams.drawings import card, controls, drawn, flat, messages, seen, submitted
from tests.channels.teams.rooms import CHANNEL, GROUP, IN_CHANNEL, IN_GROUP, running, texts
from tests.strategies_reply import ask_of, choice, field
from tests.waiting import until

LABELS = [f"{number} {'x' * 1900}" for number in range(20)]
LONG = choice(*LABELS)
"""Options that take three messages beside the post."""

WORDS = "Which colour should the report use?"


@pytest.fixture
async def both(redis_url: str, tmp_path: Path) -> AsyncGenerator[tuple[Teams, Gatewayed], None]:
    """The platform, and a gateway with no route to it."""
    async with running(redis_url, tmp_path, ()) as made:
        yield made


def put_off(teams: Teams, monkeypatch: pytest.MonkeyPatch, *which: int) -> None:
    """Those of the sends that follow are throttled, counted from 1."""
    take, sends = teams.take, iter(range(1, 1000))

    def taken(method: str) -> Fault | None:
        if method == "sendToConversation" and next(sends) in which:
            teams.throttle(method, retry_after_s=0)
        return take(method)

    monkeypatch.setattr(teams, "take", taken)


@pytest.mark.parametrize("room", [CHANNEL, GROUP])
async def test_a_post_that_is_put_off_half_way_goes_on_there(
    both: tuple[Teams, Gatewayed], monkeypatch: pytest.MonkeyPatch, room: str
) -> None:
    """However often: each of its messages stands once, and the post is the one with controls."""
    teams, gate = both
    transport = gate.chats.transports["teams"]
    drawing, where = drawn(ask_of(LONG)), Destination("teams", room)
    put_off(teams, monkeypatch, 2, 4, 6)
    for _ in range(3):
        with pytest.raises(Later):
            await transport.post(where, drawing, "k")
    message, _ = await transport.post(where, drawing, "k")
    shown = teams.messages(room)
    assert len(shown) == len(render.post(drawing)) > 3
    assert [one.id for one in shown if one.controls] == [message]
    root = message if room == CHANNEL else None
    assert {one.thread for one in shown if one.id != message} == {root}


@pytest.mark.parametrize(("room", "route"), [(CHANNEL, IN_CHANNEL), (GROUP, IN_GROUP)])
async def test_a_throttled_conversation_gets_one_post(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: str, route: str
) -> None:
    """From end to end: the one that is recorded, with all of its question."""
    async with running(redis_url, tmp_path, (route,)) as (teams, gate):
        put_off(teams, monkeypatch, 2, 4)
        ask = await gate.ask(LONG)

        async def stands() -> bool:
            return list((await gate.where(ask)).values()) == ["shown"]

        await until(stands, "the post is recorded", within_s=20)
        assert len([one for one in teams.messages(room) if one.controls]) == 1
        assert len(texts(teams, room)) == len(set(texts(teams, room)))
        read = flat("".join(texts(teams, room)))
        assert all(read.count(flat(f"{n}. {label}")) == 1 for n, label in enumerate(LABELS, 1))


# What they say


def top(drawing: Drawing) -> Drawn:
    """The post at the top of a channel, where the rest follows in its thread."""
    return card(render.update(drawing, opens_thread=True))


def test_the_post_of_a_channel_does_not_point_above_itself() -> None:
    """It begins the thread that the question stands in; waiting and ended it says what it asks."""
    ended = Outcome(status=Status.DECLINED, by="user:kevin", name="Kevin", surface="teams")
    long = "\n".join(f"{number} {'word ' * 30}" for number in range(400))
    for ask in (ask_of(LONG, prompt=WORDS), ask_of(LONG, prompt=long)):
        for outcome in (None, ended):
            words = top(drawn(ask, outcome)).words
            assert "asks" in words[0] or "asked" in words[0]
            assert ask.question.prompt[:20] in words[1]
            assert "above" not in "".join(words)
    assert "above" in seen(drawn(ask_of(LONG, prompt=long)))


def test_a_place_that_may_not_see_opens_a_thread_without_content() -> None:
    """What is sealed stays sealed at the top of a channel."""
    drawing = drawn(ask_of(LONG, prompt=WORDS))
    sealed = replace(drawing, view=replace(drawing.view, sealed="asker waits"))
    assert top(sealed).words == ["asker waits"]


def wide() -> list[Field]:
    """As many fields as a question has, their labels and options as long as text."""
    labels = [f"{number} {'é' * 300}" for number in range(2)]
    return [
        choice(*labels, name=f"f{n}").model_copy(update={"label": f"{n} {'é' * 900}"})
        for n in range(20)
    ]


MANY = [f"{number} {'é' * 80}" for number in range(40)]
"""Options that, in each of fifteen fields, take more than a card however they are shortened."""


def test_inputs_too_large_for_a_card_are_shortened_and_the_text_is_whole() -> None:
    """Each with its number, which tells it from the others; it can be filled in all the same."""
    for fields in ([LONG], wide()):
        ask = ask_of(*fields)
        shown = card(messages(drawn(ask))[-1])
        titles = [one["title"] for node in shown.inputs for one in node.get("choices", [])]
        assert titles[1].startswith("2. 1 ")
        assert all(len(title) < 60 for title in titles)
        text = flat(seen(drawn(ask)))
        for one in fields:
            assert flat(one.title) in text or len(fields) == 1
            assert all(flat(option.label) in text for option in one.options)
        one = fields[0]
        found = submitted(shown, {f"c:{one.name}": one.options[1].id})
        assert found.values[one.name].options == (one.options[1].id,)  # type: ignore[union-attr]


def test_inputs_too_large_for_any_card_are_no_card() -> None:
    """The post is drawn in plain text then, which does not invite to fill anything in."""
    with pytest.raises(Unfit):
        render.post(drawn(ask_of(*(choice(*MANY, name=f"f{n}") for n in range(15)))))


async def test_a_question_too_large_for_any_card_is_posted_as_text(
    redis_url: str, tmp_path: Path
) -> None:
    """All of it, and its words name what works there."""
    async with running(redis_url, tmp_path) as (teams, gate):
        await gate.ask(*(choice(*MANY, name=f"f{n}") for n in range(15)))
        await teams.until(lambda: any("decline: why" in text for text in texts(teams)), within_s=30)
        words = "\n".join(texts(teams))
        assert "Fill it in" not in words
        assert not any(one.controls for one in teams.messages(GROUP))
        assert all(words.count(f"{n}. {label}") == 15 for n, label in enumerate(MANY, 1))


def test_a_post_that_fits_is_the_same_at_the_top_of_a_channel() -> None:
    """Only where the question follows in the thread is it told from others."""
    drawing = drawn(ask_of(field(Kind.TOGGLE, "sure")))
    assert render.post(drawing, opens_thread=True) == messages(drawing)
    assert controls(messages(drawing)[0])[0] == PickToggle(yes=True)
    assert drawing.presentation is not None
    assert drawing.presentation.way is Way.BUTTONS
