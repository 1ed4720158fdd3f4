"""One suite for four channels: every shape of question, answered by press and by text."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest

from channels.testing.town import Town
from gateway.ask import AskKind
from tests.channels.acting import by_text, natively, posted
from tests.channels.gatewayed import Gatewayed, gateway, settings
from tests.channels.shapes import CHOICE, KINDS, OWN_WORDS, SHAPES, Shape

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from channels.testing.town import Place

NAMES = ("slack", "teams", "discord", "telegram")


def people(town: Town, *names: str) -> str:
    """The TOML of operators with an account on each platform."""
    return "\n".join(
        f'[[person]]\nid = "{name.lower()}"\nname = "{name}"\nrole = "operator"\ncontent = true\n'
        f"identities = {town.identities(name)}"
        for name in names
    )


def routes(*places: Place) -> str:
    """The TOML of routes that post to each room, whose members may answer."""
    return "\n".join(
        f'[[route]]\nconversation = "{place.conversation}"\ncontent = true' for place in places
    )


@pytest.fixture(params=NAMES)
async def town(request: pytest.FixtureRequest) -> AsyncIterator[Town]:
    """One platform, with Ana and Ben in its room."""
    async with Town(names=(request.param,)) as made:
        yield made


@pytest.fixture
def place(town: Town) -> Place:
    (only,) = town.places.values()
    return only


@pytest.fixture
async def made(
    town: Town, place: Place, redis_url: str, tmp_path: Path
) -> AsyncIterator[Gatewayed]:
    """A gateway that posts to the room; Ana and Ben are operators."""
    config = settings(town.tables(), people(town, "Ana", "Ben"), routes(place), tmp_path)
    async with gateway(config, redis_url) as one:
        town.connect(one.hooks)
        yield one


@pytest.mark.parametrize("shape", SHAPES, ids=str)
async def test_a_question_is_answered_natively(made: Gatewayed, place: Place, shape: Shape) -> None:
    """By buttons, menu, form, inputs on the card or step by step; then nothing can be pressed."""
    ask_id = await made.ask(*shape.fields, typed=shape.typed)
    post = await posted(place)
    record = await made.record(ask_id)
    await natively(place, "Ana", post, record.ask, shape)
    ended = await made.ended(ask_id)
    assert ended.outcome is not None
    assert ended.outcome.values == shape.values
    assert ended.outcome.by == "user:ana"
    assert ended.outcome.surface == place.name
    await made.closed(ask_id)
    last = next(one for one in place.posts() if one.id == post.id)
    assert "Ana" in last.text
    assert not [one for one in last.controls if one.kind != "link"]


@pytest.mark.parametrize(
    ("shape", "text"),
    [(shape, text) for shape in (*SHAPES, OWN_WORDS) for text in shape.texts],
    ids=lambda value: str(value).split("\n")[0],
)
async def test_a_question_is_answered_by_text(
    made: Gatewayed, place: Place, shape: Shape, text: str
) -> None:
    """By number, by label, in own words: a reply to the post."""
    ask_id = await made.ask(*shape.fields, typed=shape.typed)
    post = await posted(place)
    await by_text(place, "Ben", post, text)
    ended = await made.ended(ask_id)
    assert ended.outcome is not None
    assert ended.outcome.values == shape.values
    assert ended.outcome.by == "user:ben"
    await made.closed(ask_id)


async def test_an_approval_is_approved_and_denied(made: Gatewayed, place: Place) -> None:
    """One press approves; a denial may say why."""
    first = await made.ask(prompt="Delete the backups?", kind=AskKind.APPROVAL)
    post = await posted(place)
    await place.platform.press(place.accounts["Ana"], post, "Approve")
    assert (await made.ended(first)).outcome is not None
    await made.closed(first)
    second = await made.ask(prompt="Delete the rest?", kind=AskKind.APPROVAL)
    post = await posted(place)
    await by_text(place, "Ben", post, "deny: they are the last ones")
    outcome = (await made.ended(second)).outcome
    assert outcome is not None
    assert outcome.reason == "they are the last ones"


async def test_a_bad_reply_is_refused_in_words_and_the_ask_waits(
    made: Gatewayed, place: Place
) -> None:
    """The person is told how to write a good one, where they are."""
    ask_id = await made.ask(*CHOICE.fields)
    post = await posted(place)
    await by_text(place, "Ana", post, "7")

    def refused() -> bool:
        account = place.accounts["Ana"]
        said = [one.text for one in place.platform.messages(place.room, account=account)]
        return any(
            "There is no option 7" in text for text in (*said, *place.platform.told(account))
        )

    await place.platform.until(refused)
    assert (await made.record(ask_id)).pending


async def test_after_a_restart_the_post_still_answers(
    town: Town, place: Place, redis_url: str, tmp_path: Path
) -> None:
    """The gateway that posted is gone; another takes the press and draws the post."""
    config = settings(town.tables(), people(town, "Ana"), routes(place), tmp_path)
    async with gateway(config, redis_url) as before:
        ask_id = await before.ask(*CHOICE.fields)
        post = await posted(place)
    async with gateway(config, redis_url, "w2") as after:
        town.connect(after.hooks)
        await place.platform.listened_to()
        record = await after.record(ask_id)
        await natively(place, "Ana", post, record.ask, CHOICE)
        await after.ended(ask_id)
        await after.closed(ask_id)
    assert len([one for one in place.posts() if "Which colour" in one.text]) == 1


async def test_two_replicas_make_one_post_and_one_outcome(
    town: Town, place: Place, redis_url: str, tmp_path: Path
) -> None:
    """Both hear of it, and of the press; one post, one outcome, drawn once as it ended."""
    config = settings(town.tables(), people(town, "Ana", "Ben"), routes(place), tmp_path)
    async with AsyncExitStack() as stack:
        one = await stack.enter_async_context(gateway(config, redis_url, "w1"))
        two = await stack.enter_async_context(gateway(config, redis_url, "w2"))
        town.connect(two.hooks)
        ask_id = await one.ask(*CHOICE.fields)
        post = await posted(place)
        record = await one.record(ask_id)
        await natively(place, "Ana", post, record.ask, CHOICE)
        await two.ended(ask_id)
        await one.closed(ask_id)
    assert len([m for m in place.posts() if "Which colour" in m.text]) == 1


async def test_somebody_who_may_not_answer_is_told_so(
    town: Town, place: Place, redis_url: str, tmp_path: Path
) -> None:
    """Ben is nobody's account here: his press changes nothing, and he reads why."""
    config = settings(town.tables(), people(town, "Ana"), routes(place), tmp_path)
    async with gateway(config, redis_url) as made:
        town.connect(made.hooks)
        ask_id = await made.ask(*KINDS[-1].fields)
        post = await posted(place)
        await place.platform.press(place.accounts["Ben"], post, "Yes")
        account = place.accounts["Ben"]
        await place.platform.until(
            lambda: any(
                "You can't answer this one" in said for said in place.platform.told(account)
            )
        )
        assert (await made.record(ask_id)).pending


async def test_an_ask_mirrored_on_four_chats_is_closed_on_all(
    redis_url: str, tmp_path: Path
) -> None:
    """One tap on one of them; every copy shows who answered, and none can be pressed."""
    async with Town() as town:
        everywhere = tuple(town.places.values())
        config = settings(town.tables(), people(town, "Ana", "Ben"), routes(*everywhere), tmp_path)
        async with gateway(config, redis_url) as made:
            town.connect(made.hooks)
            ask_id = await made.ask(*CHOICE.fields)
            posts = await asyncio.gather(*(posted(one) for one in everywhere))
            record = await made.record(ask_id)
            telegram = town.places["telegram"]
            post = posts[everywhere.index(telegram)]
            await natively(telegram, "Ana", post, record.ask, CHOICE)
            await made.ended(ask_id)
            await made.closed(ask_id)
            for one in everywhere:
                (last,) = [m for m in one.posts() if "Which colour" in m.text]
                assert "Answered: blue, the house colour. Ana" in last.text
                assert not [c for c in last.controls if c.kind != "link"]


async def test_fifty_at_once_on_four_chats_leave_one_winner(redis_url: str, tmp_path: Path) -> None:
    """Whoever presses, one outcome; each copy shows that one."""
    names = tuple(f"P{n}" for n in range(50))
    async with Town(people=names) as town:
        everywhere = tuple(town.places.values())
        config = settings(town.tables(), people(town, *names), routes(*everywhere), tmp_path)
        async with gateway(config, redis_url) as made:
            town.connect(made.hooks)
            ask_id = await made.ask(*KINDS[-1].fields)
            posts = await asyncio.gather(*(posted(one) for one in everywhere))

            async def press(number: int, name: str) -> None:
                one = everywhere[number % len(everywhere)]
                post = posts[number % len(everywhere)]
                label = "Yes" if number % 3 else "No"
                try:
                    await one.platform.press(one.accounts[name], post, label)
                except LookupError:
                    return  # drawn anew before they could press

            await asyncio.gather(*(press(n, name) for n, name in enumerate(names)))
            ended = await made.ended(ask_id)
            await made.closed(ask_id)
            assert ended.outcome is not None
            for one in everywhere:
                last = next(m for m in one.posts() if "Which colour" in m.text)
                assert str(ended.outcome.name) in last.text
