"""Telegram's updates as they come: pastes, other pollers, outages, and ids that begin anew."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from channels.contract import Shut
from tests.channels.telegram.doors import (
    Trio,
    listening,
    open_transport,
)
from tests.channels.telegram.rooms import (
    ANA,
    platform,
)


@pytest.fixture
async def pair() -> AsyncIterator[Trio]:
    """A platform and a listening transport."""
    async with listening() as made:
        yield made


async def test_a_long_paste_is_one_message(pair: Trio) -> None:
    """However its parts arrive, and what follows it is another."""
    chat, _, door = pair
    text = " ".join(f"word{n}" for n in range(2000))
    async with chat.held():
        await chat.type(ANA, ANA, text)
        await chat.type(ANA, ANA, "and this")
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == [text, "and this"]


async def test_a_paste_from_a_desktop_is_one_message(pair: Trio) -> None:
    """Cut at its one blank line, with more than a thousand units to spare."""
    chat, _, door = pair
    text = "a word " * 340 + "end\n\n" + "\n".join(["b word"] * 300)
    await chat.type(ANA, ANA, text, desktop=True)
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == [text]


async def test_a_short_message_waits_for_no_other(
    pair: Trio, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No client cuts in the first half, so nothing can follow it."""
    monkeypatch.setattr("channels.telegram.intake.PASTE_S", 600.0)
    chat, _, door = pair
    await chat.type(ANA, ANA, "y" * 2047)
    await chat.until(lambda: not chat.updates.pending)
    assert len(door.words) == 1


async def test_a_long_message_alone_is_read_after_a_moment(pair: Trio) -> None:
    """Nothing follows that could be the rest of it."""
    chat, _, door = pair
    await chat.type(ANA, ANA, "y" * 4000)
    await chat.until(lambda: not chat.updates.pending)
    assert door.words == ["y" * 4000]


async def test_a_second_poller_makes_us_stand_back_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Two replicas: one asks, the other waits, and takes over when the first is gone."""
    monkeypatch.setattr("channels.telegram.polling.STAND_BACK_S", (0.2, 0.2))
    async with platform() as chat, open_transport(chat) as (_, first):
        async with open_transport(chat) as (_, second):
            refused = "Conflict: terminated by other getUpdates request"
            await chat.until(
                lambda: any((one.refused or "").startswith(refused) for one in chat.calls)
            )
            await chat.type(ANA, ANA, "one")
            await chat.until(lambda: first.words + second.words)
        await chat.type(ANA, ANA, "two")
        await chat.until(lambda: "two" in first.words)
        await chat.until(lambda: not chat.updates.pending)


async def test_ids_that_begin_anew_and_lower_are_heard_and_confirmed(pair: Trio) -> None:
    """After a quiet week Telegram counts from anywhere, and takes no confirmation from the future:
    more than one batch comes through, and nothing is asked for over and over.
    """
    chat, _, door = pair
    await chat.type(ANA, ANA, "first")
    await chat.until(lambda: door.words == ["first"] and not chat.updates.pending)
    chat.count_anew(5_000)
    async with chat.held():
        for n in range(250):
            await chat.type(ANA, ANA, f"m{n}")
    await chat.until(lambda: len(door.words) == 251)
    await chat.until(lambda: not chat.updates.pending)
    await chat.until(lambda: chat.polling)
    assert chat.count("getUpdates") < 60


async def test_an_outage_is_waited_out(pair: Trio) -> None:
    """What people did meanwhile comes then."""
    chat, _, door = pair
    async with chat.outage():
        await chat.type(ANA, ANA, "one")
    await chat.until(lambda: door.words == ["one"])


async def test_a_token_that_was_taken_back_ends_the_listening() -> None:
    """There is nothing to wait for."""
    async with platform() as chat, open_transport(chat, listening=False) as (transport, _):
        chat.revoke()
        with pytest.raises(Shut):
            await transport.run()
