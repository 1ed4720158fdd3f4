"""On Telegram an ask is answered by a press, by words, and step by step; its posts show the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from channels.testing.telegram import Telegram
from gateway.ask import AskKind, Status
from gateway.question import Kind
from tests.channels.gatewayed import Gatewayed
from tests.channels.telegram.rooms import (
    ANA,
    BEN,
    CLEO,
    FORUM,
    GROUP,
    TO_ANA,
    TO_GROUP,
    posted,
    room,
    shows,
    to,
)
from tests.strategies_reply import choice, field, several


async def test_a_press_answers_and_the_post_shows_it(redis_url: str, tmp_path: Path) -> None:
    """In a private chat: the press is answered, the controls go, question and answer stay."""
    async with room(redis_url, tmp_path) as (chat, oz):
        ask = await oz.ask(choice("red", "blue"))
        post = await posted(chat, ANA)
        assert "1. red" in post.text
        await chat.press(ANA, post, "2. blue")
        record = await oz.ended(ask)
        assert record.outcome is not None
        assert record.outcome.values == {"pick": {"options": ["o2"], "write_in": None}}
        shown = await shows(chat, ANA, "Answered: blue")
        assert shown.id == post.id
        assert shown.controls == ()
        assert "1. red" in shown.text
        await chat.until(lambda: not chat.spinning())
        assert chat.told(ANA) == ["Got it: blue."]


async def test_an_answer_that_comes_too_late_for_the_platform_loses_nothing(
    redis_url: str, tmp_path: Path
) -> None:
    """TE-14: the press counts, whatever Telegram says of our answer to it."""
    async with room(redis_url, tmp_path, query_s=0.0) as (chat, oz):
        ask = await oz.ask(choice("red", "blue"))
        await chat.press(ANA, await posted(chat, ANA), "1. red")
        assert (await oz.ended(ask)).status is Status.ANSWERED
        await shows(chat, ANA, "Answered: red")
        late = "query is too old"
        await chat.until(lambda: any(late in (one.refused or "") for one in chat.calls))


async def test_an_approval_has_two_buttons_side_by_side(redis_url: str, tmp_path: Path) -> None:
    """Approve and Deny, in green and red."""
    async with room(redis_url, tmp_path) as (chat, oz):
        ask = await oz.ask(kind=AskKind.APPROVAL, prompt="Deploy build 41?")
        post = await posted(chat, ANA)
        [row] = post.raw["reply_markup"]["inline_keyboard"]
        assert [(one["text"], one["style"]) for one in row] == [
            ("Approve", "success"),
            ("Deny", "danger"),
        ]
        await chat.press(ANA, post, "Deny")
        assert (await oz.ended(ask)).status is Status.DECLINED


async def test_words_answer_in_private_and_as_a_reply_in_a_group(
    redis_url: str, tmp_path: Path
) -> None:
    """RE-10: in a group only what replies to the post, or speaks to us, reaches us at all."""
    routes = TO_ANA + 'tags = ["own"]\n' + TO_GROUP + 'tags = ["all"]\n'
    async with room(redis_url, tmp_path, routes) as (chat, oz):
        first = await oz.ask(choice("red", "blue"), tags=["all"])
        post = await posted(chat, GROUP)
        await chat.type(ANA, GROUP, "2")
        await chat.type(ANA, GROUP, "2", reply_to=post.id)
        record = await oz.ended(first)
        assert record.outcome is not None
        assert record.outcome.by == "user:ana"
        assert (await shows(chat, GROUP, "Got it: blue.")).raw["reply_to_message"]["text"] == "2"
        second = await oz.ask(choice("red", "blue"), tags=["own"])
        await posted(chat, ANA)
        await chat.type(ANA, ANA, "red")
        assert (await oz.ended(second)).status is Status.ANSWERED
        await shows(chat, ANA, "Got it: red.")


async def test_a_press_by_somebody_else_is_refused_in_private(
    redis_url: str, tmp_path: Path
) -> None:
    """They are told why; nobody else reads it; the ask waits."""
    async with room(redis_url, tmp_path, TO_GROUP) as (chat, oz):
        ask = await oz.ask(choice("red", "blue"))
        post = await posted(chat, GROUP)
        await chat.press(CLEO, post, "1. red")
        [said] = await chat.until(lambda: chat.told(CLEO))
        assert "You can't answer this one" in said
        assert chat.presses[0].alert
        assert len(chat.messages(GROUP)) == 1
        assert (await oz.record(ask)).pending


SIX = (
    field(Kind.TEXT, name="why"),
    field(Kind.NUMBER, name="copies", integer=True, min=1, max=9),
    choice("red", "blue", name="colour"),
    several("lint", "tests", "docs", name="checks"),
    field(Kind.DATE, name="day"),
    field(Kind.TOGGLE, name="urgent"),
)


async def walk_six(chat: Telegram, oz: Gatewayed, ask: str) -> None:
    """Ana goes through all six kinds in her own chat."""
    step = await shows(chat, ANA, "1 of 6")
    await chat.type(ANA, ANA, "because")
    await shows(chat, ANA, "2 of 6")
    await chat.type(ANA, ANA, "12")
    await shows(chat, ANA, "to 9")
    await chat.type(ANA, ANA, "3")
    step = await shows(chat, ANA, "3 of 6")
    await chat.press(ANA, step, "2. blue")
    step = await shows(chat, ANA, "4 of 6")
    await chat.press(ANA, step, "1. lint")
    step = await shows(chat, ANA, "\u2611 1. lint")
    await chat.press(ANA, step, "3. docs")
    step = await shows(chat, ANA, "\u2611 3. docs")
    await chat.press(ANA, step, "Done")
    step = await shows(chat, ANA, "5 of 6")
    await chat.press(ANA, step, "Tomorrow")
    step = await shows(chat, ANA, "6 of 6")
    await chat.press(ANA, step, "Back")
    step = await shows(chat, ANA, "5 of 6")
    await chat.press(ANA, step, "Tomorrow")
    step = await shows(chat, ANA, "6 of 6")
    await chat.press(ANA, step, "Yes")
    step = await shows(chat, ANA, "Is this right?")
    assert (await oz.record(ask)).pending
    await chat.press(ANA, step, "Send")
    record = await oz.ended(ask)
    assert record.outcome is not None
    values = dict(record.outcome.values or {})
    assert values.pop("day")
    assert values == {
        "why": "because",
        "copies": 3,
        "colour": {"options": ["o2"], "write_in": None},
        "checks": {"options": ["o1", "o3"], "write_in": None},
        "urgent": True,
    }


async def test_a_form_is_gone_through_in_private(redis_url: str, tmp_path: Path) -> None:
    """All six kinds, by pressing and by typing, looked over before they are sent."""
    async with room(redis_url, tmp_path) as (chat, oz):
        ask = await oz.ask(*SIX, prompt="Order")
        post = await posted(chat, ANA)
        await chat.press(ANA, post, "Answer")
        await walk_six(chat, oz, ask)
        await oz.closed(ask)
        await chat.until(lambda: not chat.spinning())
        assert all(not one.controls for one in chat.messages(ANA))


async def test_a_form_asked_for_in_a_group_moves_to_the_private_chat(
    redis_url: str, tmp_path: Path
) -> None:
    """The press opens it there, for those who may answer there."""
    async with room(redis_url, tmp_path, TO_GROUP) as (chat, oz):
        ask = await oz.ask(*SIX, prompt="Order")
        post = await posted(chat, GROUP)
        await chat.press(ANA, post, "Answer")
        [press] = await chat.until(lambda: [one for one in chat.presses if one.answered])
        await chat.follow(press)
        await walk_six(chat, oz, ask)
        await oz.closed(ask)
        assert len(chat.messages(GROUP)) == 1


REGIONS = tuple(f"Restart the payment service in region {n}" for n in range(60))


async def test_what_a_step_shortens_is_said_in_full_before_it(
    redis_url: str, tmp_path: Path
) -> None:
    """Begun from a group, the post is not at hand: each option is read whole, above its buttons."""
    async with room(redis_url, tmp_path, TO_GROUP) as (chat, oz):
        why = "why now? " * 90
        await oz.ask(field(Kind.TEXT, name="why"), choice(*REGIONS, name="where"), prompt=why)
        await chat.press(ANA, await posted(chat, GROUP, 2), "Answer")
        [press] = await chat.until(lambda: [one for one in chat.presses if one.answered])
        await chat.follow(press)
        first = await shows(chat, ANA, "1 of 2")
        await chat.type(ANA, ANA, "because")
        await shows(chat, ANA, "2 of 2")
        _, prompt, _, _, listed, step = chat.messages(ANA)
        assert prompt.text == why.strip()
        assert [line.partition(". ")[2] for line in listed.text.splitlines()] == [*REGIONS]
        assert [one.label for one in step.controls][:60] == [str(n) for n in range(1, 61)]
        await chat.until(lambda: not chat.messages(ANA)[2].controls)
        assert chat.messages(ANA)[2].id == first.id


async def test_a_step_below_its_post_repeats_nothing(redis_url: str, tmp_path: Path) -> None:
    """There the whole list stands above it."""
    async with room(redis_url, tmp_path) as (chat, oz):
        await oz.ask(field(Kind.DATE, name="day"), choice(*REGIONS, name="where"))
        await chat.press(ANA, await posted(chat, ANA), "Answer")
        await chat.press(ANA, await shows(chat, ANA, "1 of 2"), "Today")
        await shows(chat, ANA, "2 of 2")
        assert len(chat.messages(ANA)) == 2


async def test_a_form_that_is_open_shows_how_its_ask_ended(redis_url: str, tmp_path: Path) -> None:
    """Answered elsewhere meanwhile: nothing is left to press on it."""
    async with room(redis_url, tmp_path, TO_ANA + TO_GROUP) as (chat, oz):
        ask = await oz.ask(*SIX, prompt="Order")
        await chat.press(ANA, await posted(chat, ANA), "Answer")
        step = await shows(chat, ANA, "1 of 6")
        await chat.type(BEN, GROUP, "decline: not now", reply_to=(await posted(chat, GROUP)).id)
        await oz.ended(ask)
        await oz.closed(ask)
        ended = await chat.until(
            lambda: [one for one in chat.messages(ANA) if one.id == step.id and not one.controls]
        )
        assert ended[0].text.startswith("Declined: not now.")


async def test_an_ask_in_a_topic_is_answered_there(redis_url: str, tmp_path: Path) -> None:
    """The post stands in the topic; talk there is no answer, a reply is, and so is its receipt."""
    async with room(redis_url, tmp_path, to(FORUM, 'thread = "2"')) as (chat, oz):
        assert chat.topic(FORUM, "Deploys") == "2"
        chat.world.privacy = False
        chat.remove_bot(FORUM)
        chat.add_bot(FORUM)
        ask = await oz.ask(field(Kind.TEXT), prompt="Which build?")
        post = await posted(chat, FORUM)
        assert post.thread == "2"
        await chat.type(BEN, FORUM, "lunch anyone?", thread="2")
        await chat.type(ANA, FORUM, "build 41", reply_to=post.id)
        record = await oz.ended(ask)
        assert record.outcome is not None
        assert record.outcome.by == "user:ana"
        assert (await shows(chat, FORUM, "Got it: build 41.")).thread == "2"


@pytest.mark.parametrize("word", ["/pending", "/help"])
async def test_commands_are_answered(redis_url: str, tmp_path: Path, word: str) -> None:
    """With nothing asked, and with something."""
    async with room(redis_url, tmp_path) as (chat, oz):
        await chat.type(ANA, ANA, word)
        said = await posted(chat, ANA)
        assert "waits for you" in said.text
        await oz.ask(choice("red", "blue"))
        await posted(chat, ANA, 2)
        await chat.type(ANA, ANA, word)
        assert "1 question" in (await posted(chat, ANA, 3)).text or word == "/help"


async def test_an_account_learns_what_it_is_called(redis_url: str, tmp_path: Path) -> None:
    """In private even where it asked in a group."""
    async with room(redis_url, tmp_path) as (chat, _):
        await chat.type(CLEO, GROUP, "/link")
        said = (await posted(chat, CLEO)).text
        assert "Your account here is telegram:9." in said
        assert f"That chat is telegram:{GROUP}." in said
        assert [one.text for one in chat.messages(GROUP)] == ["/link"]
