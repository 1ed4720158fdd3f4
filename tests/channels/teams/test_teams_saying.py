"""What people are told, and in which order what they write takes effect, when things are slow."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from channels.contract import Response
from channels.teams import lines, presses
from channels.teams.lines import Lines
from channels.testing.teams import Teams
from gateway.ask import AskKind
from gateway.errors import Unavailable
from gateway.question import Kind
from tests.channels.gatewayed import Gatewayed
from tests.channels.slow_redis import slow_redis
from tests.channels.teams.rooms import ANA, BEN, CHANNEL, DIRECT, GROUP, posted, running, texts
from tests.strategies_reply import choice, field

COLOURS = choice("red", "blue", write_in=False)


@pytest.fixture
async def both(redis_url: str, tmp_path: Path) -> AsyncGenerator[tuple[Teams, Gatewayed], None]:
    """The two, with a route to the group chat and one to Ana herself."""
    async with running(redis_url, tmp_path) as made:
        yield made


# In order


async def test_lines_sent_in_quick_succession_are_all_kept(redis_url: str, tmp_path: Path) -> None:
    """Each finds what the one before it said, however slow the store is."""
    async with (
        slow_redis(redis_url) as slow,
        running(slow.url, tmp_path, (DIRECT,)) as (teams, gate),
    ):
        names = [f"line{number}" for number in range(4)]
        ask = await gate.ask(*(field(Kind.TEXT, name) for name in names))
        chat = teams.chat(ANA)
        await posted(teams, chat)
        slow.delay_s = 0.05
        await asyncio.gather(*(teams.type(ANA, chat, f"{name}: {name}") for name in names))
        record = await gate.ended(ask, within_s=30)
        assert record.outcome is not None
        assert record.outcome.values == {name: name for name in names}


async def test_a_line_that_stands_still_takes_nobody_in(
    both: tuple[Teams, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes behind a message without end is not confirmed, and holds no other place up."""
    teams, gate = both
    monkeypatch.setattr(lines, "IN_LINE_S", 0.1)
    desk: Any = gate.chats.transports["teams"]._desk  # type: ignore[attr-defined]
    handle, stuck, going = desk.handle, asyncio.Event(), asyncio.Event()

    async def slow(interaction: Any) -> Response:
        if "first" in interaction.text:
            stuck.set()
            await going.wait()
        response: Response = await handle(interaction)
        return response

    monkeypatch.setattr(desk, "handle", slow)
    first = asyncio.create_task(teams.type(ANA, GROUP, "@AskBot first"))
    await stuck.wait()
    await teams.type(ANA, CHANNEL, "@AskBot help")
    await teams.until(lambda: len(texts(teams, CHANNEL)) == 2)
    await teams.type(BEN, GROUP, "@AskBot second")
    await teams.until(lambda: any(one.refused == "503" for one in teams.calls))
    going.set()
    await first
    await teams.again(teams.bot.sent[-1]["id"])
    assert teams.calls[-1].refused is None


async def test_a_line_is_taken_in_the_order_it_formed() -> None:
    """And is forgotten once nobody stands in it."""
    line, order, here = Lines(), list[int](), asyncio.Event()

    async def stand(number: int) -> None:
        async with line.turn("c"):
            await here.wait()
            order.append(number)

    waiting = [asyncio.create_task(stand(number)) for number in range(5)]
    await asyncio.sleep(0)
    here.set()
    await asyncio.gather(*waiting)
    assert order == list(range(5))
    assert not line._locks


async def test_a_line_tells_who_waits_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one before goes on, and whoever comes after it is let in again."""
    monkeypatch.setattr(lines, "IN_LINE_S", 0.01)
    line = Lines()
    async with line.turn("c"):
        with pytest.raises(Unavailable):
            async with line.turn("c"):
                pytest.fail("two at once")
    async with line.turn("c"):
        pass


# Said in the end


@pytest.mark.parametrize("after_s", [1, None])
async def test_a_refusal_that_is_put_off_is_told_later(
    redis_url: str, tmp_path: Path, after_s: int | None
) -> None:
    """Whether Teams says how long or not; and once."""
    async with running(redis_url, tmp_path, (DIRECT,)) as (teams, gate):
        ask = await gate.ask(COLOURS)
        chat = teams.chat(ANA)
        await posted(teams, chat)
        teams.throttle("sendToConversation", retry_after_s=after_s, times=2)
        await teams.type(ANA, chat, "7")
        await teams.until(lambda: any("no option 7" in text for text in texts(teams, chat)))
        assert len(texts(teams, chat)) == 3
        assert (await gate.record(ask)).pending


async def test_a_refusal_waits_for_the_chat_that_it_is_told_in(
    both: tuple[Teams, Gatewayed],
) -> None:
    """Opening it may be put off too."""
    teams, gate = both
    teams.rooms.person(BEN).old_client = True
    await gate.ask(COLOURS)
    post = await posted(teams, account=BEN)
    teams.throttle("createConversation", retry_after_s=None)
    await teams.press(BEN, post, "2. blue")
    await teams.until(lambda: texts(teams, teams.chat(BEN)))
    assert "can't answer" in texts(teams, teams.chat(BEN))[0]


async def test_what_may_have_been_said_is_not_said_again(redis_url: str, tmp_path: Path) -> None:
    """A lost answer is no delay: twice is worse than once unseen."""
    async with running(redis_url, tmp_path, (DIRECT,)) as (teams, gate):
        await gate.ask(COLOURS)
        chat = teams.chat(ANA)
        await posted(teams, chat)
        teams.fail("sendToConversation", lost=True)
        await teams.type(ANA, chat, "7")
        await teams.until(lambda: len(texts(teams, chat)) == 3)
        await teams.type(ANA, chat, "8")
        await teams.until(lambda: len(texts(teams, chat)) == 5)
        assert len([text for text in texts(teams, chat) if "no option 7" in text]) == 1


@pytest.mark.parametrize("kind", AskKind)
async def test_a_dialog_that_opens_too_late_is_to_be_pressed_again(
    both: tuple[Teams, Gatewayed], monkeypatch: pytest.MonkeyPatch, kind: AskKind
) -> None:
    """Nothing was declined, so nothing is said of how it ends."""
    teams, gate = both
    monkeypatch.setattr(presses, "FORM_S", 0.05)
    label = "Deny" if kind is AskKind.APPROVAL else "Decline"
    fields = () if kind is AskKind.APPROVAL else (COLOURS,)
    ask = await gate.ask(*fields, kind=kind)
    post = await posted(teams)
    desk: Any = gate.chats.transports["teams"]._desk  # type: ignore[attr-defined]
    handle, going = desk.handle, asyncio.Event()

    async def slow(interaction: Any) -> Response:
        await going.wait()
        response: Response = await handle(interaction)
        return response

    with monkeypatch.context() as patched:
        patched.setattr(desk, "handle", slow)
        await teams.press(ANA, post, label)
        (said,) = teams.told(ANA)
        assert "try again" in said
        assert "how it ended" not in said
        going.set()
    assert (await gate.record(ask)).pending
    monkeypatch.setattr(presses, "FORM_S", 5.0)
    await teams.press(ANA, post, label)
    form = teams.form(ANA)
    assert form is not None
    assert form.title == label
