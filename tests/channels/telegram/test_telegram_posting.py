"""What goes out to Telegram: posts, at our own pace, each refusal read for what it means."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from channels.contract import (
    Destination,
    Later,
    Missing,
    Moved,
    PostError,
    Shut,
    Unfit,
    Unreachable,
    Unsure,
)
from channels.telegram.pacing import ALL, CHAT, FOR_REDRAWS, Pacer
from channels.telegram.pacing import GROUP as GROUP_PACE
from channels.telegram.settings import Settings
from channels.telegram.transport import TelegramTransport
from channels.testing.telegram import Telegram
from tests.channels.telegram.doors import (
    ALONE,
    PLACE,
    Trio,
    drawing,
    listening,
    open_transport,
)
from tests.channels.telegram.rooms import (
    ANA,
    BASIC,
    BEN,
    FORUM,
    GROUP,
    platform,
)


@pytest.fixture
async def pair() -> AsyncIterator[Trio]:
    """A platform and a listening transport."""
    async with listening() as made:
        yield made


async def test_a_post_is_found_and_drawn_anew(pair: Trio) -> None:
    """By its id; its time is the platform's. RE-04: an edit that changes nothing is none."""
    chat, transport, _ = pair
    message, at_ms = await transport.post(PLACE, drawing(), "k")
    assert [one.id for one in chat.messages(GROUP)] == [message]
    assert at_ms == chat.messages(GROUP)[0].raw["date"] * 1000
    await transport.update(PLACE, message, drawing("Answered."))
    await transport.update(PLACE, message, drawing("Answered."))
    assert [one.text for one in chat.messages(GROUP)] == ["Answered."]
    await transport.note(PLACE, message, "Still waiting.")
    assert chat.messages(GROUP)[1].raw["reply_to_message"]["text"] == "Answered."
    assert await transport.direct(ANA) == ANA


async def test_what_is_said_only_under_a_post_is_not_said_where_it_is_gone(pair: Trio) -> None:
    """Telegram tells of no deletion; a closing note is said all the same."""
    chat, transport, _ = pair
    message, _ = await transport.post(PLACE, drawing(), "k")
    chat.delete(GROUP, message)
    with pytest.raises(Missing):
        await transport.note(PLACE, message, "Still waiting.", only_under=True)
    await transport.note(PLACE, message, "Answered.")
    assert [one.text for one in chat.messages(GROUP)] == ["Answered."]


async def test_a_long_post_that_broke_off_goes_on_where_it_was(pair: Trio) -> None:
    """Its first parts are not said twice."""
    chat, transport, _ = pair
    long = drawing("last", "one", "two")

    chat.fail("sendMessage", delay_s=0.001)
    chat.limit("sendMessage")
    with pytest.raises(Later):
        await transport.post(PLACE, long, "k")
    await transport.post(PLACE, long, "k")
    assert [one.text for one in chat.messages(GROUP)] == ["one", "two", "last"]


async def gone(chat: Telegram) -> None:
    chat.remove_bot(GROUP)


async def upgraded(chat: Telegram) -> None:
    chat.migrate(BASIC)


async def blocked(chat: Telegram) -> None:
    chat.block(ANA)


async def revoked(chat: Telegram) -> None:
    chat.revoke()


async def limited(chat: Telegram) -> None:
    chat.limit("sendMessage", retry_after=7)


async def broken(chat: Telegram) -> None:
    chat.fail("sendMessage", status=502)


async def lost(chat: Telegram) -> None:
    chat.fail("sendMessage", lost=True)


async def muted(chat: Telegram) -> None:
    chat.mute(GROUP)


async def closed(chat: Telegram) -> None:
    chat.close_topic(FORUM, chat.topic(FORUM, "Deploys"))


async def odd(chat: Telegram) -> None:
    chat.fail("sendMessage", status=400)


@pytest.mark.parametrize(
    ("happens", "where", "error"),
    [
        (gone, PLACE, Unreachable),
        (muted, PLACE, Unreachable),
        (blocked, ALONE, Unreachable),
        (upgraded, Destination("telegram", BASIC), Moved),
        (revoked, PLACE, Shut),
        (limited, PLACE, Later),
        (broken, PLACE, Unsure),
        (lost, PLACE, Unsure),
        (odd, PLACE, Unfit),
        (closed, Destination("telegram", FORUM, "2"), Unreachable),
        (closed, Destination("telegram", FORUM, "77"), Unreachable),
        (closed, Destination("telegram", FORUM, "general"), Unreachable),
        (closed, Destination("telegram", "4711"), Unreachable),
        (closed, Destination("telegram", BEN, account=BEN), Unreachable),
    ],
)
async def test_each_refusal_is_read_for_what_it_means(
    happens: Callable[[Telegram], Awaitable[None]], where: Destination, error: type[PostError]
) -> None:
    """By the platform's own words and codes."""
    async with platform() as chat, open_transport(chat, listening=False) as (transport, _):
        await happens(chat)
        with pytest.raises(error) as found:
            await transport.post(where, drawing(), "k")
        if isinstance(found.value, Later):
            assert found.value.after_s == 7
        if isinstance(found.value, Moved):
            assert found.value.conversation == "-10055"


async def test_a_platform_that_is_away_is_asked_later(pair: Trio) -> None:
    """A connection that was never made has posted nothing."""
    _, _, door = pair
    settings_ = Settings.model_validate(
        {"token": "5000001:AAfake-token-of-the-fake-telegram-0", "api_url": "http://127.0.0.1:1"}
    )
    transport = TelegramTransport(settings_, door)  # type: ignore[arg-type]
    try:
        with pytest.raises(Later):
            await transport.post(PLACE, drawing(), "k")
    finally:
        await transport.aclose()


async def test_a_post_that_is_gone_or_not_ours_is_missing(pair: Trio) -> None:
    """So that it is made anew; an id that is none of Telegram's is no place."""
    chat, transport, _ = pair
    message, _ = await transport.post(PLACE, drawing(), "k")
    theirs = await chat.type(ANA, GROUP, "hello")
    chat.delete(GROUP, message)
    for one in (message, theirs):
        with pytest.raises(Missing):
            await transport.update(PLACE, one, drawing("!"))
    with pytest.raises(Unreachable):
        await transport.update(PLACE, "a1", drawing("!"))


async def test_our_own_pace_keeps_us_within_the_platforms_limits() -> None:
    """Twenty a minute in a group, five of them for outcomes; no 429 is ever seen."""
    async with platform(rates=True) as chat, open_transport(chat, listening=False) as (out, _):
        posts = [(await out.post(PLACE, drawing(str(n)), str(n)))[0] for n in range(15)]
        with pytest.raises(Later) as later:
            await out.post(PLACE, drawing("more"), "more")
        assert later.value.after_s is not None
        assert 30 < later.value.after_s <= 61
        for n, post in enumerate(posts[:5]):
            await out.update(PLACE, post, drawing(f"Answered {n}"))
        assert [one for one in chat.calls if one.refused] == []


def test_the_pacer_waits_as_long_as_the_limits_say() -> None:
    """In a chat, in a group, in all; a group keeps some for redraws."""
    pacer = Pacer()
    assert [pacer.turn("7", 0.0, new=True) for _ in range(CHAT[0])] == [0.0] * CHAT[0]
    assert CHAT[1] <= pacer.wait_s("7", 0.0, new=True) < CHAT[1] + 1
    assert pacer.wait_s("8", 0.0, new=True) == 0
    pacer = Pacer()
    for n in range(GROUP_PACE[0] - FOR_REDRAWS):
        assert pacer.turn("-5", float(n * 2), new=True) == 0
    assert pacer.wait_s("-5", 30.0, new=True) > 25
    assert pacer.wait_s("-5", 30.0, new=False) == 0
    pacer = Pacer()
    waits = [pacer.turn(str(n), 0.0, new=True) for n in range(ALL[0] + 1)]
    assert waits[:-1] == [0.0] * ALL[0]
    assert waits[-1] >= ALL[1]
