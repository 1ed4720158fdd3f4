"""What comes in from Telegram: nothing confirmed before it is safe, every press answered."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from channels.contract import (
    Button,
    Destination,
    Interaction,
    Pick,
    Pressed,
    Response,
    Tell,
    Typed,
)
from channels.forms import Walk
from channels.shown import stamp
from channels.telegram.render import begin_word
from channels.telegram.transport import TelegramTransport
from channels.testing.platform import Call
from channels.testing.telegram import Telegram
from gateway.errors import Unavailable
from tests.channels.telegram.doors import (
    ALONE,
    ASK,
    PLACE,
    Trio,
    drawing,
    listening,
    open_transport,
)
from tests.channels.telegram.rooms import (
    ANA,
    BEN,
    CLEO,
    GROUP,
    platform,
    shows,
)
from tests.contract.backends import InMemory

AT_ONCE_S = 2.0
"""Twice what is promised, as other tests share the processors; what would be late takes four."""


@pytest.fixture
async def pair() -> AsyncIterator[Trio]:
    """A platform and a listening transport."""
    async with listening() as made:
        yield made


async def test_a_message_is_confirmed_only_once_it_is_taken(pair: Trio) -> None:
    """DD-08: until then it stays with Telegram, and what comes after it is handled meanwhile."""
    chat, _, door = pair
    hold = asyncio.Event()

    async def slowly(interaction: Interaction) -> Response:
        if isinstance(interaction, Typed) and interaction.text == "slow":
            await hold.wait()
        return Response()

    door.answers = slowly
    await chat.type(ANA, ANA, "slow")
    await chat.type(CLEO, CLEO, "quick")
    await chat.until(lambda: door.words == ["slow", "quick"])
    await chat.until(lambda: sum(call.method == "getUpdates" for call in chat.calls) > 4)
    assert [one.body["message"]["text"] for one in chat.updates.pending] == ["slow", "quick"]
    hold.set()
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == ["slow", "quick"]


async def test_a_message_waits_while_the_store_is_away(pair: Trio) -> None:
    """It is tried again until it is kept, and those of its chat wait behind it."""
    chat, _, door = pair
    away = 2

    async def fails(interaction: Interaction) -> Response:
        nonlocal away
        if isinstance(interaction, Typed) and interaction.text == "one" and away:
            away -= 1
            raise Unavailable("away")
        return Response()

    door.answers = fails
    await chat.type(ANA, ANA, "one")
    await chat.type(ANA, ANA, "two")
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == ["one", "one", "one", "two"]


async def test_what_fails_stops_nothing_behind_it(pair: Trio) -> None:
    """A fault of ours ends one message, or one press, alone."""
    chat, transport, door = pair

    async def fails(interaction: Interaction) -> Response:
        if isinstance(interaction, Pressed) or interaction.text == "one":  # type: ignore[union-attr]
            raise RuntimeError("a fault")
        return Response()

    door.answers = fails
    await transport.post(ALONE, drawing(), "k")
    await chat.type(ANA, ANA, "one")
    await chat.type(ANA, ANA, "two")
    await chat.until(lambda: door.words == ["one", "two"])
    await chat.until(lambda: not chat.updates.pending)


async def press(
    chat: Telegram, transport: TelegramTransport, where: Destination = PLACE, by: str = ANA
) -> None:
    """Ana, or whoever it is by, presses a button on a post of ours."""
    from channels.callback import pack

    row = [{"text": "Red", "callback_data": pack(ASK, Pick("o1"))}]
    payload = {
        "text": "Which?",
        "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": True},
        "reply_markup": {"inline_keyboard": [row]},
    }
    await transport._api.send(where.conversation, payload)
    await chat.press(by, chat.messages(where.conversation)[-1], "Red")


async def test_a_press_is_answered_within_a_second_however_slow_we_are(pair: Trio) -> None:
    """RE-05: and what comes later goes to the presser's own chat."""
    chat, transport, door = pair
    hold = asyncio.Event()

    async def slowly(_: Interaction) -> Response:
        await hold.wait()
        return Response((Tell("Only you may read this.", "Somebody may not."),))

    door.answers = slowly
    chat.fail("answerCallbackQuery", delay_s=2.0)
    at = asyncio.get_running_loop().time()
    await press(chat, transport)
    await chat.until(lambda: not chat.spinning())
    [call] = [one for one in chat.calls if one.method == "answerCallbackQuery"]
    assert call.at - at < AT_ONCE_S
    assert chat.told(ANA) == ["This takes a moment."]
    hold.set()
    assert (await shows(chat, ANA, "Only you")).private_to is None
    assert len(chat.messages(GROUP)) == 1
    await chat.until(lambda: not chat.updates.pending)
    assert len([one for one in chat.calls if one.method == "answerCallbackQuery"]) == 1


async def away(*_: Any) -> None:
    raise Unavailable("away")


async def test_a_press_is_confirmed_only_once_it_is_safe(
    pair: Trio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DD-08: a button's, or that of a link; both are answered, and held up nothing behind them."""
    chat, transport, door = pair
    monkeypatch.setattr(door.facts, "keep", away)
    hold = asyncio.Event()

    async def slowly(interaction: Interaction) -> Response:
        if isinstance(interaction, Pressed):
            await hold.wait()
        return Response()

    door.answers = slowly
    await chat.start(ANA, begin_word(ASK))
    await press(chat, transport)
    await chat.type(CLEO, CLEO, "quick")
    await chat.until(lambda: len(door.heard) == 3 and not chat.spinning())
    asked = chat.count("getUpdates")
    await chat.until(lambda: chat.count("getUpdates") > asked + 2)
    assert [next(iter({*one.body} - {"update_id"})) for one in chat.updates.pending] == [
        *("message", "callback_query", "message")
    ]
    hold.set()
    await chat.until(lambda: not chat.updates.pending)
    assert len(door.heard) == 3


@pytest.mark.parametrize("kept", [False, True])
async def test_a_press_whose_handling_is_broken_off_is_handled_by_the_next(
    monkeypatch: pytest.MonkeyPatch, *, kept: bool
) -> None:
    """It was never confirmed; or it was kept, and then it was. What came of it is said in private,
    as the press was answered once.
    """
    monkeypatch.setattr("channels.telegram.held.LEFT", timedelta(0))
    monkeypatch.setattr("channels.telegram.transport.SWEEP_S", 0.05)
    monkeypatch.setattr("channels.telegram.polling.STAND_BACK_S", (0.2, 0.2))
    made = InMemory()

    async def never(_: Interaction) -> Response:
        await asyncio.Event().wait()
        return Response()

    async def refuses(_: Interaction) -> Response:
        return Response((Tell("You can't answer this one."),))

    async with platform() as chat:
        async with open_transport(chat, store=made, answers=never) as (transport, door):
            if not kept:
                monkeypatch.setattr(door.facts, "keep", away)
            await press(chat, transport)
            await chat.until(lambda: not chat.spinning())
            await chat.until(lambda: bool(chat.updates.pending) is not kept)
        async with open_transport(chat, store=made, answers=refuses) as (_, door):
            await shows(chat, ANA, "You can't answer this one.")
            await chat.until(lambda: not chat.updates.pending)
            assert len(door.heard) == 1
    await made.store.aclose()


async def test_more_presses_than_may_wait_are_heard(pair: Trio) -> None:
    """Of what is not confirmed Telegram tells a hundred: one that takes long waits elsewhere."""
    chat, transport, door = pair
    hold = asyncio.Event()

    async def slowly(_: Interaction) -> Response:
        await hold.wait()
        return Response()

    door.answers = slowly
    for account in range(100, 250):
        chat.person(str(account))
        chat.join(GROUP, str(account))
    await chat.until(lambda: not chat.updates.pending)
    await press(chat, transport)
    post = chat.messages(GROUP)[-1]
    for account in range(100, 250):
        await chat.press(str(account), post, "Red")
    await chat.until(lambda: len(door.heard) == 151 and not chat.spinning())
    hold.set()
    await chat.until(lambda: not chat.updates.pending)


async def test_fifty_presses_a_second_are_each_answered_within_one(pair: Trio) -> None:
    """While the store takes seconds for each, and so does Telegram for each answer."""
    chat, transport, door = pair

    async def slowly(_: Interaction) -> Response:
        await asyncio.sleep(4.0)
        return Response()

    door.answers = slowly
    for account in range(100, 150):
        chat.person(str(account))
        chat.join(GROUP, str(account))
    await chat.until(lambda: not chat.updates.pending)
    await press(chat, transport)
    post = chat.messages(GROUP)[-1]
    chat.fail("answerCallbackQuery", times=51, delay_s=4.0)
    for account in range(100, 150):
        await chat.press(str(account), post, "Red")
        await asyncio.sleep(0.02)
    await chat.until(lambda: len(_answers(chat)) == 51)
    late = [call.at - _pressed(chat, call) for call in _answers(chat)]
    assert max(late) < AT_ONCE_S
    assert not chat.spinning()


def _answers(chat: Telegram) -> list[Call]:
    return [one for one in chat.calls if one.method == "answerCallbackQuery"]


def _pressed(chat: Telegram, call: Call) -> float:
    query = call.payload["callback_query_id"]
    return next(one.at for one in chat.presses if one.id == query)


async def test_words_too_long_for_a_toast_go_to_the_own_chat_or_into_the_open(pair: Trio) -> None:
    """In the open only what everyone may read, where the own chat is closed."""
    chat, transport, door = pair

    async def long(_: Interaction) -> Response:
        return Response((Tell("x" * 201, "in the open"),))

    door.answers = long
    await press(chat, transport)
    await shows(chat, ANA, "x" * 201)
    chat.block(ANA)
    await press(chat, transport)
    assert (await shows(chat, GROUP, "in the open")).raw["reply_to_message"]["text"] == "Which?"
    await chat.until(lambda: not chat.spinning())


async def test_who_cannot_be_told_in_private_is_told_where_to_look(pair: Trio) -> None:
    """A refusal that came late, to one who never pressed Start: nothing of it, and once."""
    chat, transport, door = pair

    async def refuses(_: Interaction) -> Response:
        await chat.until(lambda: not chat.spinning())
        return Response((Tell("You can't answer this one."),))

    door.answers = refuses
    await press(chat, transport, by=BEN)
    said = await shows(chat, GROUP, "for you alone")
    assert said.raw["reply_to_message"]["text"] == "Which?"
    assert "can't" not in said.text
    await press(chat, transport, by=BEN)
    await press(chat, transport)
    await shows(chat, ANA, "You can't answer this one.")
    assert sum("for you alone" in one.text for one in chat.messages(GROUP)) == 1


async def test_a_time_in_a_toast_is_in_words(pair: Trio) -> None:
    """There are no entities in it."""
    chat, transport, door = pair

    async def timed(_: Interaction) -> Response:
        return Response((Tell(f"Until {stamp(datetime(2026, 10, 20, tzinfo=UTC), '02:00')}."),))

    door.answers = timed
    await press(chat, transport)
    assert await chat.until(lambda: chat.told(ANA)) == ["Until 02:00."]


async def test_an_answer_that_was_lost_or_put_off_is_given_again(pair: Trio) -> None:
    """So that nothing spins, and a step that was put off is drawn."""
    chat, transport, door = pair
    step = Walk(ASK, "2 of 3", ())

    async def steps(_: Interaction) -> Response:
        return Response(step=step)

    door.answers = steps
    chat.limit("answerCallbackQuery")
    chat.fail("editMessageText", status=429)
    await press(chat, transport, ALONE)
    await chat.until(lambda: not chat.spinning())
    await shows(chat, ANA, "2 of 3")
    chat.fail("answerCallbackQuery", lost=True)
    await press(chat, transport, ALONE)
    await chat.until(lambda: len(_answers(chat)) == 4)


async def test_quick_presses_are_drawn_once_as_they_stand_at_the_end(pair: Trio) -> None:
    """In their order; what the next press draws anyway is left out."""
    chat, transport, door = pair
    count = 0

    async def steps(_: Interaction) -> Response:
        nonlocal count
        count += 1
        return Response(step=Walk(ASK, f"step {count}", ()))

    door.answers = steps
    await press(chat, transport, ALONE)
    await shows(chat, ANA, "step 1")
    before = chat.count("editMessageText")
    chat.fail("editMessageText", delay_s=0.3)
    await press(chat, transport, ALONE)
    post = chat.messages(ANA)[-1]
    for _ in range(5):
        await chat.press(ANA, post, "Red")
    await shows(chat, ANA, "step 7")
    assert chat.count("editMessageText") - before < 6
    await chat.until(lambda: not chat.spinning())


async def test_a_fault_while_answering_leaves_nothing_spinning(pair: Trio) -> None:
    """The presser is told that nothing was kept."""
    chat, transport, door = pair

    async def odd(_: Interaction) -> Response:
        return Response((Tell("x" * 500, buttons=(Button("Go", "go", "odd", Pick("o1")),)),))

    door.answers = odd
    await press(chat, transport, ALONE)
    await chat.until(lambda: not chat.spinning())


async def test_who_presses_while_the_store_is_away_is_told(pair: Trio) -> None:
    """And may press again."""
    chat, transport, door = pair

    async def away(_: Interaction) -> Response:
        raise Unavailable("away")

    door.answers = away
    await press(chat, transport)
    assert await chat.until(lambda: chat.told(ANA)) == ["Not saved just now."]


async def test_a_press_on_nothing_of_ours_is_answered(pair: Trio) -> None:
    """Its button was drawn by somebody else, or long ago."""
    chat, transport, door = pair
    await press(chat, transport)
    await chat.until(lambda: not chat.spinning())
    message = chat.messages(GROUP)[0]
    chat.people.press(int(ANA), chat._kept(GROUP, message.id), "nonsense")
    assert await chat.until(lambda: chat.told(ANA))
    assert len(door.heard) == 1
