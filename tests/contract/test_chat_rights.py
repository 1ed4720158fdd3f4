"""Who may answer in a chat, when it is too late, and many at once."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from channels.contract import (
    Destination,
    PressDecline,
    Send,
    Sender,
)
from gateway.answer import Picked
from gateway.broker import Try
from gateway.people import as_caller
from gateway.routes import Route
from tests.chats import (
    ANA,
    BLIND,
    CHANNEL,
    KEVIN,
    THREAD,
    U3,
    U4,
    U5,
    U9,
    Chats,
    public,
    texts,
)
from tests.strategies_reply import WHERE, choice, several

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.store import Store


# Who may


async def test_ia_03_what_a_payload_claims_is_no_identity(chats: Chats) -> None:
    """IA-03: the platform's own id decides; the refusal is private, recorded, and says for whom."""
    ask = await chats.open(audience=("kevin",))
    response = await ask.press("o1", by=Sender("T1/U2", "Kevin"))
    assert texts(response) == ["You can't answer this one: it waits for Kevin."]
    assert public(response) == []
    assert await ask.status() == "pending"
    assert [event.note for event in await ask.refusals()] == ["user:ana"]


async def test_ia_05_a_shown_name_moves_no_right(chats: Chats) -> None:
    """IA-05: two people who show as one name are two; a rename changes nothing."""
    ask = await chats.open(audience=("kevin",))
    assert "can't answer" in texts(await ask.press("o1", by=Sender("T1/U2", "Pat Example")))[0]
    assert texts(await ask.press("o1", by=Sender("T1/U1", "Someone Else"))) == ["Got it: Staging."]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert outcome.by == "user:kevin"


async def test_ia_10_a_route_lets_a_conversations_members_answer_in_its_threads(
    store: Store,
) -> None:
    """IA-10: a thread belongs to its conversation; the record holds the account's own id."""
    granted = Route(conversation="slack:C1", tenant="acme", content=True, answer=True)
    chats = Chats(store, [granted])
    ask = await chats.open(where=THREAD)
    assert texts(await chats.reply("2", U9, where=THREAD)) == ["Got it: Production."]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert (outcome.by, outcome.name) == ("slack:T1/U9", "U9")
    elsewhere = await chats.open(where=Destination("slack", "C2", "T1"))
    await chats.reply("2", U9, where=elsewhere.where)
    assert await elsewhere.status() == "pending"


@pytest.mark.parametrize("sender", [U4, U5, U9])
async def test_readers_other_tenants_and_strangers_are_refused(
    chats: Chats, sender: Sender
) -> None:
    """A press is answered privately; typed words in a group are not, and both are recorded."""
    ask = await chats.open(where=THREAD)
    response = await ask.press("o1", by=sender)
    assert "it waits for operators of acme." in texts(response)[0]
    assert public(response) == []
    assert (await chats.reply("2", sender, where=THREAD)).tells == ()
    assert await ask.status() == "pending"
    assert len(await ask.refusals()) == 2


async def test_whoever_may_not_answer_is_told_nothing_of_the_choices_by_a_wrong_one(
    chats: Chats,
) -> None:
    """SE-13: a reply that would not fit is refused for its author, and not for its words."""
    ask = await chats.open(where=THREAD)
    for text in ("7", "1 or 2", "back"):
        assert (await chats.reply(text, U9, THREAD, addressed=True)).tells == ()
    mine = await chats.open(audience=("ana",))
    (said,) = texts(await chats.reply("7"))
    assert said == "You can't answer this one: it waits for Ana."
    assert (await ask.status(), await mine.status()) == ("pending", "pending")


async def test_people_talking_beside_an_ask_are_not_recorded(chats: Chats) -> None:
    """A refusal is of an answer; a sentence in the thread is none."""
    ask = await chats.open(choice(*WHERE, write_in=False), where=THREAD)
    await chats.reply("has anybody seen the build?", U9, where=THREAD)
    assert await ask.refusals() == []


async def test_whoever_may_not_see_may_decline_and_not_answer(chats: Chats) -> None:
    """An operator without the sight of content learns which of the two is theirs."""
    ask = await chats.open()
    assert BLIND.content is False
    assert texts(await ask.press("o1", by=U3)) == [
        "You can decline this one; to answer, you would need the right to see it."
    ]
    response = await ask.press(PressDecline(), by=U3)
    assert texts(response) == ["Got it: declined."]


async def test_se_13_a_refused_press_names_no_choice(chats: Chats) -> None:
    """SE-13: somebody who may not read the choices does not hear them in the refusal."""
    ask = await chats.open(choice("Customer 17", "Customer 23"))
    response = await ask.press("o1", by=U9)
    assert "Customer" not in " ".join(texts(response))


async def test_an_author_whom_the_platform_hides_is_told_once_for_each_ask(chats: Chats) -> None:
    """IA-12: their reply to the post is no answer, and no silence either."""
    group = Destination("telegram", "G1")
    ask = await chats.open(where=group)
    hidden = Sender("1087968824", "Group", hidden=True)
    said = [public(await chats.reply("1", hidden, group, reply_to=ask.post)) for _ in range(2)]
    assert said == [["The chat hides who you are. Please write under your own name."], []]
    assert (await chats.reply("1", hidden, group)).tells == ()
    assert await ask.status() == "pending"


async def test_an_author_whom_the_platform_hides_has_no_right_by_a_route(store: Store) -> None:
    """It lets the members of a place answer; whether this is one, nobody can say."""
    group = Destination("telegram", "G1")
    granted = Route(conversation="telegram:G1", tenant="acme", content=True, answer=True)
    chats = Chats(store, [granted])
    hidden = Sender("1087968824", "Group", hidden=True)
    first, second = await chats.open(where=group), await chats.open(where=group)
    (refused,) = (await first.press("o1", by=hidden)).tells
    assert refused.text.startswith("You can't answer this one")
    assert (await chats.reply("1", hidden, group, addressed=True)).tells == ()
    assert (await first.status(), await second.status()) == ("pending", "pending")
    await first.press("o1", by=Sender("1002"))
    assert await first.status() == "answered"


@pytest.mark.parametrize(
    "sender", [Sender("1001", "Kevin", hidden=True), Sender("1087968824", "Group")]
)
async def test_an_account_that_may_be_anybodys_is_nobodys(store: Store, sender: Sender) -> None:
    """Hidden by the platform, or known to be shared: nobody of the config is meant by it."""
    group = Destination("telegram", "G1")
    admins = KEVIN.model_copy(update={"identities": ("telegram:1001", "telegram:1087968824")})
    chats = Chats(store, people=(admins,))
    ask = await chats.open(where=group)
    (refused,) = (await ask.press("o1", by=sender)).tells
    assert refused.text.startswith("You can't answer this one")
    assert await ask.status() == "pending"
    await ask.press("o1", by=Sender("1001", "Kevin"))
    assert await ask.status() == "answered"


async def test_a_button_of_another_ask_or_maker_answers_nothing(chats: Chats) -> None:
    """Unknown options, controls the contract lacks, asks that are gone: told, and nothing done."""
    ask = await chats.open()
    assert texts(await ask.press("o9")) == ["This is no longer kept here. Nothing was sent."]
    assert texts(await ask.press(Send("0123456789"))) == [
        "This is no longer kept here. Nothing was sent."
    ]
    press = replace(await ask.pressed("o1"), ask_id="a-000000000000")
    assert texts(await chats.hand(press)) == ["This is no longer kept here. Nothing was sent."]
    assert await ask.status() == "pending"


# Time, and many at once


async def test_a_reply_after_the_deadline_hears_that_it_came_too_late(
    chats: Chats, advance: Callable[[timedelta], None]
) -> None:
    """The clock comes first, even before a refusal: silence was the outcome."""
    for text in ("2", "99"):
        ask = await chats.open(waits=timedelta(seconds=60))
        advance(timedelta(seconds=61))
        (said,) = texts(await chats.reply(f"{ask.code} {text}"))
        assert said.startswith("This ended at ")
        assert said.endswith("and was not used.")
        assert await ask.status() == "expired"


async def test_fifty_people_by_text_at_once_have_one_winner(store: Store) -> None:
    """One answer stands; each of the others is told whose, and when."""
    granted = Route(conversation="slack:C1", tenant="acme", content=True, answer=True)
    replicas = [Chats(store, [granted]) for _ in range(5)]
    ask = await replicas[0].open(where=THREAD)
    replies = [
        replicas[n % 5].reply(str(1 + n % 3), Sender(f"T1/M{n}", f"M{n}"), THREAD)
        for n in range(50)
    ]
    said = [texts(response)[0] for response in await asyncio.gather(*replies)]
    winners = [one for one in said if one.startswith("Got it: ")]
    outcome = (await ask.record()).outcome
    assert outcome is not None
    assert len(winners) == 1
    assert len([one for one in said if one.startswith(f"{outcome.name} answered at ")]) == 49


async def test_cc_01_a_press_answers_the_ask_it_names(chats: Chats) -> None:
    """CC-01: of two in one chat, the pressed one ends and the older waits."""
    first, second = await chats.open(where=THREAD), await chats.open(where=THREAD)
    await second.press("o1")
    assert (await first.status(), await second.status()) == ("pending", "answered")


async def test_cc_03_three_asks_of_one_chat_are_three(chats: Chats) -> None:
    """CC-03: each answer goes to its own ask, in any order."""
    asks = [await chats.open(where=THREAD) for _ in range(3)]
    for n, option in ((1, "o1"), (0, "o3"), (2, "o2")):
        await asks[n].press(option)
    found: list[Any] = [await ask.values() for ask in asks]
    assert [one["pick"]["options"] for one in found] == [["o3"], ["o1"], ["o2"]]


async def test_an_ask_answered_elsewhere_tells_its_chat_so(chats: Chats) -> None:
    """CC-09: a press on a post that is still alive hears who was first."""
    ask = await chats.open(several("Lint", "Tests"))
    record = await ask.record()
    await chats.broker.answer(
        as_caller(ANA), record.ask.id, {"pick": Picked(("o1",))}, Try("t", "console")
    )
    response = await ask.press(PressDecline())
    assert texts(response)[0].startswith("Ana answered at ")
    assert response.settled is not None


async def test_what_nobody_else_sees_is_answered_whoever_wrote_it(chats: Chats) -> None:
    """A command is answered in private, so that a refusal embarrasses nobody."""
    nothing = await chats.reply("2", by=U4, where=CHANNEL, addressed=True, private=True)
    assert texts(nothing) == ["Nothing waits for you here."]
    ask = await chats.open(where=CHANNEL)
    assert texts(await chats.reply("2", by=U4, where=CHANNEL, addressed=True)) == []
    (refused,) = (await chats.reply("2", by=U4, where=CHANNEL, addressed=True, private=True)).tells
    assert refused.text.startswith("You can't answer this one: it waits for")
    assert refused.public is None
    assert len(await ask.refusals()) == 2
    await chats.open(where=CHANNEL)
    several = await chats.reply("2", by=U4, where=CHANNEL, addressed=True, private=True)
    assert texts(several) == ["Nothing waits for you here."]
