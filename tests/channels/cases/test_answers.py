"""Given cases on timeouts, concurrency and the contract (TE, CC, AC, RP) that need a post."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from gateway.ask import Status
from gateway.store import EventType
from tests.channels.cases.scenes import FOUR, Scene, scene
from tests.channels.gatewayed import AGENT
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.discord import Discord
    from channels.testing.platform import Message
    from channels.testing.teams import Teams
    from channels.testing.telegram import Telegram
    from channels.testing.town import Place

UPDATE = {
    "slack": ("chat.update", {"ok": False, "error": "message_not_found"}, 200),
    "teams": ("updateActivity", {"error": {"code": "ActivityNotFoundInConversation"}}, 404),
    "discord": ("edit_message", {"code": 10008, "message": "Unknown Message"}, 404),
    "telegram": (
        "editMessageText",
        {"ok": False, "error_code": 400, "description": "Bad Request: message to edit not found"},
        400,
    ),
}
"""The call that draws anew, and what each platform answers where the message is gone."""


async def test_te_03_a_post_that_takes_longer_than_the_wait_is_shown_as_ended(
    redis_url: str, tmp_path: Path
) -> None:
    """TE-03: the wait counts from the opening; one outcome, told as shown too late."""
    async with scene(redis_url, tmp_path, "telegram") as made:
        telegram: Telegram = made.place.platform
        telegram.fail("sendMessage", delay_s=1.0)
        ask = await made.ask(waits=timedelta(seconds=30))
        await until(lambda: not telegram.faults, "the post is on its way")
        made.pass_time(timedelta(seconds=40))
        record = await made.made.ended(ask)
        assert record.status is Status.EXPIRED
        await telegram.until(made.place.posts)
        shown = made.place.posts()[0]
        await made.made.closed(ask)
        made.pass_time(timedelta(seconds=10))
        if shown.controls:
            await made.pick("Ana", shown, "Staging")
            await made.reads("Ana", "Nobody answered")
        assert "Nobody answered" in made.place.posts()[0].text
        assert not made.place.posts()[0].controls
        assert await made.endings(record) == 1
        assert (await made.made.record(ask)).outcome == record.outcome


@pytest.mark.parametrize("name", ["discord", "slack"])
async def test_te_04_a_post_answers_for_as_long_as_its_ask_waits(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """TE-04: a thousand seconds on, its buttons do what they did at first."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask(waits=timedelta(hours=1))
        post = await made.post()
        made.pass_time(timedelta(seconds=1_000))
        if name == "discord":
            made.place.platform.pass_time(1_000)
        else:
            made.place.platform.space._clock = lambda: time.time() + 1_000
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        await made.reads("Ana", "Got it")


@pytest.mark.parametrize("name", ["discord", "telegram"])
async def test_te_14_an_answer_to_a_press_that_came_too_late_takes_nothing_back(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """TE-14: the platform refuses the acknowledgement; the answer stands, and the post shows it."""
    late = {
        "discord": ("interaction_callback", 404, {"code": 10062, "message": "Unknown interaction"}),
        "telegram": (
            "answerCallbackQuery",
            400,
            {"ok": False, "error_code": 400, "description": "Bad Request: query is too old"},
        ),
    }
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        post = await made.post()
        method, status, body = late[name]
        made.place.platform.fail(method, status=status, body=body, times=3)
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        refused = [call.method for call in made.place.platform.calls if call.refused]
        assert refused
        assert set(refused) == {method}
        (shown,) = [one for one in made.place.posts() if one.id == post.id]
        assert "Answered: Staging. Ana" in shown.text
        assert not shown.controls


async def test_cc_01_a_press_on_the_second_of_two_answers_the_second(
    redis_url: str, tmp_path: Path
) -> None:
    """CC-01: two asks of one chat with the same options; the first waits on."""
    async with scene(redis_url, tmp_path, "slack") as made:
        first = await made.ask("Allow", "Deny", prompt="Run command one?")
        await made.post()
        second = await made.ask("Allow", "Deny", prompt="Run command two?")
        await made.pick("Ana", await made.post(count=2), "Allow")
        assert await made.answer(second) == "Allow"
        record = await made.made.record(first)
        assert record.pending
        assert await made.endings(record) == 0


async def test_cc_03_three_asks_of_one_chat_are_three_posts_each_with_its_own_answer(
    redis_url: str, tmp_path: Path
) -> None:
    """CC-03: opened at once, pressed in another order."""
    async with scene(redis_url, tmp_path, "slack") as made:
        asks = [await made.ask(prompt=f"Which of {number}?") for number in range(3)]
        await made.place.platform.until(lambda: len(made.place.posts()) == len(asks))
        for number, label in ((1, "Staging"), (0, "Cancel"), (2, "Production")):
            post = next(one for one in made.place.posts() if f"of {number}?" in one.text)
            await made.pick("Ana", post, label)
            assert await made.answer(asks[number]) == label


async def test_cc_09_answered_elsewhere_every_post_shows_it(redis_url: str, tmp_path: Path) -> None:
    """CC-09: mirrored; Ben answers in Slack, Ana's late press in Telegram is told who did."""
    names, who = ("slack", "telegram"), ("Ana", "Ben")
    async with scene(redis_url, tmp_path, *names, answering=who) as made:
        ask = await made.ask()
        posts = {name: await made.post(place) for name, place in made.town.places.items()}
        telegram = made.town.places["telegram"]
        async with telegram.platform.held():
            await made.pick("Ana", posts["telegram"], "Cancel")
            await made.pick("Ben", posts["slack"], "Staging")
            assert await made.answer(ask) == "Staging"
            await made.made.closed(ask)
        await made.reads("Ana", "Ben answered", telegram)
        for place in made.town.places.values():
            (shown,) = [one for one in place.posts() if one.controls or "41" in one.text]
            assert "Answered: Staging. Ben" in shown.text
            assert not shown.controls
        assert await made.answer(ask) == "Staging"


@pytest.mark.parametrize("name", FOUR)
async def test_cc_10_where_a_post_cannot_be_closed_a_note_says_so_once(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """CC-10: the message is gone for the platform; the answer stands, and is told in its place."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        post = await made.post()
        method, body, status = UPDATE[name]
        made.place.platform.fail(method, status=status, body=body, times=5)
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        notes = [one for one in made.place.posts() if "Answered: Staging. Ana" in one.text]
        assert len(notes) == 1
        assert notes[0].id != post.id
        await made.restart()
        made.made.chats.worker.hurry(ask)
        await made.made.closed(ask)
        assert sum(call.method == method for call in made.place.platform.calls) == 1
        assert await made.answer(ask) == "Staging"


@pytest.mark.parametrize("name", FOUR)
async def test_cc_10_the_end_of_an_ask_whose_post_was_deleted_is_told_where_it_stood(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """CC-10: the message is gone, and with it, on Slack, the thread that a note would stand in."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        post = await made.post()
        _lose(made.place, post.id)
        await made.made.broker.cancel(AGENT, ask, None)
        await made.made.closed(ask)
        (note,) = made.place.posts()
        assert note.text == "No longer needed: the question was withdrawn."


def _lose(place: Place, message: str) -> None:
    """The message is deleted, and nobody is told."""
    platform = place.platform
    match place.name:
        case "slack":
            del platform.space.conversation(place.room).messages[message]
        case "teams":
            platform.rooms.rooms[place.room].posts[message].deleted = True
        case "discord":
            del platform.channels[place.room].posts[message]
        case _:
            platform.delete(place.room, message)


async def test_ac_13_where_the_bot_is_no_member_the_run_is_told_within_seconds(
    redis_url: str, tmp_path: Path
) -> None:
    """AC-13: nobody could be asked, and the run need not wait for the deadline to hear it."""

    def elsewhere(_: Place) -> str:
        return '[[route]]\nconversation = "slack:C99999999"\ncontent = true'

    async with scene(redis_url, tmp_path, "slack", routes=elsewhere) as made:
        ask = await made.ask()
        record = await made.made.record(ask)

        async def told() -> bool:
            history = await made.made.store.history(record.ask.run_id)
            return EventType.ASK_UNDELIVERED in [one.type for one in history]

        await until(told, "the run is told", within_s=5.0)
        assert set((await made.made.where(ask)).values()) == {"failed"}
        assert record.pending


async def test_ac_15_a_press_that_comes_as_a_message_without_text_answers(
    redis_url: str, tmp_path: Path
) -> None:
    """AC-15: an older Teams client's; and a Telegram post too old to be shown with its words."""
    async with scene(redis_url, tmp_path, "teams", "telegram") as made:
        teams: Teams = made.town.places["teams"].platform
        ask = await made.ask()
        press = await _submitted(made, await made.post(made.town.places["teams"]))
        assert (await teams.deliver({**press, "text": None})).status == 200
        assert await made.answer(ask) == "Production"
        await made.made.closed(ask)
        ask = await made.ask()
        place = made.town.places["telegram"]
        post = await made.post(place, count=2)
        place.platform.out_of_reach(place.room, post.id)
        await made.pick("Ana", post, "Production")
        assert await made.answer(ask) == "Production"


@pytest.mark.parametrize(
    "odd",
    [
        {"tabContext": "", "unknown": [1]},
        {"tenant": "", "channel": "", "team": [], "settings": "", "legacy": ""},
        "",
        None,
    ],
    ids=["empty texts", "everywhere", "a text", "nothing"],
)
async def test_ac_16_odd_fields_of_a_new_client_break_no_press(
    redis_url: str, tmp_path: Path, odd: Any
) -> None:
    """AC-16: whatever stands in the channel's data, the press is understood, and never a 5xx."""
    async with scene(redis_url, tmp_path, "teams") as made:
        teams: Teams = made.place.platform
        ask = await made.ask()
        press = await _submitted(made, await made.post())
        answer = await teams.deliver({**press, "text": None, "channelData": odd, "entities": ""})
        assert answer.status == 200
        assert await made.answer(ask) == "Production"


async def _submitted(made: Scene, post: Message) -> dict[str, Any]:
    """Ana's choice of Production as an older client sends it, which reached nobody."""
    place = made.town.places["teams"]
    teams: Teams = place.platform
    teams.rooms.person(place.accounts["Ana"]).old_client = True
    endpoint, teams.bot.endpoint = teams.bot.endpoint, None
    (shown,) = [
        one
        for one in teams.messages(place.room, account=place.accounts["Ana"])
        if one.id == post.id
    ]
    await made.pick("Ana", shown, "Production")
    teams.bot.endpoint = endpoint
    pressed = teams.bot.sent[-1]
    assert pressed["type"] == "message"
    return pressed


async def test_rp_43_words_that_discord_keeps_from_us_are_no_empty_answer(
    redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """RP-43: whoever wrote is told how to reach us; a mention makes the words readable."""
    async with scene(redis_url, tmp_path, "discord") as made:
        discord: Discord = made.place.platform
        ask = await made.ask()
        post = await made.post()
        ana, room = made.place.accounts["Ana"], made.place.room
        await discord.type(ana, room, "2", reply_to=post.id, ping=False)
        await made.reads("Ana", "mention")
        assert (await made.made.record(ask)).pending
        assert not [one for one in made.seen("Ana") if "empty" in one]
        await discord.type(ana, room, f"<@{discord.bot.id}> 2", reply_to=post.id, ping=False)
        assert await made.answer(ask) == "Production"
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]
