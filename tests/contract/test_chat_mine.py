"""What waits for one person, wherever it was asked: all of it is counted, and the oldest listed."""

from __future__ import annotations

import pytest

import channels.inbound.mine
from channels.inbound.mine import MOST, Mine
from tests.chats import CHANNEL, DIRECT, U1, U9, Chats

LAST = f"These are the oldest {MOST}."


async def listed(chats: Chats) -> list[str]:
    """The lines that Kevin reads."""
    mine = Mine(chats.broker, chats.conversations, chats.everyone)
    return (await mine.listed(U1, DIRECT)).split("\n")


@pytest.mark.parametrize("many", [1, MOST, MOST + 5])
async def test_the_count_is_of_all_that_waits(chats: Chats, many: int) -> None:
    """Also where not all of it is listed; and then that is said."""
    asks = [await chats.open() for _ in range(many)]
    head, *lines = await listed(chats)
    assert head == ("1 question waits here:" if many == 1 else f"{many} questions wait here:")
    found = {line.split()[0] for line in lines[:MOST]}
    assert len(found) == min(many, MOST)
    assert found <= {ask.id for ask in asks}
    assert lines[MOST:] == ([LAST] if many > MOST else [])


async def test_what_waits_behind_many_for_others_is_found(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page after page, until there are no more."""
    monkeypatch.setattr(channels.inbound.mine, "PAGE", 5)
    for _ in range(12):
        await chats.open(where=CHANNEL, audience=("ana",))
    ask = await chats.open(audience=("kevin",))
    head, line = await listed(chats)
    assert head == "1 question waits here:"
    assert line.startswith(ask.id)


async def test_no_more_pages_are_read_than_are_needed(
    chats: Chats, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of thousands it is enough to know that they are more than are listed."""
    monkeypatch.setattr(channels.inbound.mine, "PAGE", 5)
    for _ in range(MOST + 10):
        await chats.open()
    head, *lines = await listed(chats)
    assert head == f"At least {MOST + 5} questions wait here:"
    assert lines[-1] == LAST


async def test_an_account_that_is_nobodys_hears_of_nothing(chats: Chats) -> None:
    """Whatever waits."""
    await chats.open()
    mine = Mine(chats.broker, chats.conversations, chats.everyone)
    assert await mine.listed(U9, DIRECT) == "Nothing waits for you here."
