"""Given cases on rendering (RE): what people see after they acted, and where it stands."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from channels.testing.telegram.methods import NOT_MODIFIED
from tests.channels.cases.scenes import FOUR, Scene, in_private, in_room, scene
from tests.strategies_reply import several
from tests.waiting import until

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.platform import Message
    from channels.testing.teams import Teams
    from channels.testing.telegram import Telegram
    from channels.testing.town import Place, Town

ACKNOWLEDGED_WITHIN_S, CLOSED_WITHIN_S = 2.0, 4.0
"""Twice what is promised: other tests share the processors."""
"""Ours: of a press, and of its post."""

FIRST, POP = "\u2068", "\u2069"
"""What isolates a text of its own direction (UAX 9)."""


async def test_re_04_an_edit_that_changes_nothing_is_no_failure(
    redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """RE-04: the second press and a refused edit alarm nobody, and nothing is tried for ever."""
    async with scene(redis_url, tmp_path, "telegram") as made:
        telegram: Telegram = made.place.platform
        ask = await made.ask()
        post = await made.post()
        said = len(made.place.posts())
        body = {"ok": False, "error_code": 400, "description": f"Bad Request: {NOT_MODIFIED}"}
        telegram.fail("editMessageText", status=400, body=body, times=10)
        await made.pick("Ana", post, "Staging")
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        await telegram.until(lambda: not telegram.spinning())
        assert sum(call.method == "editMessageText" for call in telegram.calls) <= 2
        assert len(made.place.posts()) == said
        # The same press twice is one: the second stops spinning, and is told nothing more.
        assert [press.text for press in telegram.presses] == ["Got it: Staging.", ""]
    assert not [one for one in caplog.records if one.levelno >= logging.ERROR]


@pytest.mark.parametrize("name", FOUR)
async def test_re_05_a_press_is_acknowledged_at_once_and_its_post_closed_soon(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """RE-05: whatever the run does then; it is not waited for."""
    async with scene(redis_url, tmp_path, name) as made:
        platform: Any = made.place.platform
        ask = await made.ask()
        post = await made.post()
        started = _now()
        await made.pick("Ana", post, "Staging")
        await made.reads("Ana", "Got it: Staging.")
        acknowledged = _now() - started
        await made.made.closed(ask)
        assert acknowledged < ACKNOWLEDGED_WITHIN_S
        assert _now() - started < CLOSED_WITHIN_S
        assert not [one for one in platform.told(made.place.accounts["Ana"]) if "ailed" in one]
        (shown,) = [one for one in made.place.posts() if one.id == post.id]
        assert "Answered: Staging. Ana" in shown.text
        assert not [one for one in shown.controls if one.kind != "link"]


def _now() -> float:
    return asyncio.get_running_loop().time()


@pytest.mark.parametrize("name", ["teams", "slack", "discord"])
async def test_re_08_all_of_an_ask_stays_in_its_thread(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """RE-08: ask, reminder and what closes it, an hour later, by another process."""
    roots: dict[str, str] = {}

    async def begin(town: Town) -> None:
        (place,) = town.places.values()
        roots["root"] = await _thread(place)

    def to_thread(place: Place) -> str:
        return f'{in_room(place)}\nthread = "{roots["root"]}"'

    async with scene(redis_url, tmp_path, name, routes=to_thread, before=begin) as made:
        ask = await made.ask(waits=timedelta(hours=4))
        post = await made.post()
        assert post.thread == roots["root"]
        made.pass_time(timedelta(hours=1))
        await made.reads("Ana", "Still waiting")
        await made.restart()
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        await made.reads("Ana", "Got it")
        ours = [one for one in _all(made, "Ana") if one.author not in _people(made)]
        assert len(ours) >= 2
        assert {one.thread for one in ours} == {roots["root"]}


async def _thread(place: Place) -> str:
    """A thread in the room, begun by Ben; what a route calls it."""
    platform, ben = place.platform, place.accounts["Ben"]
    first: str = await platform.type(ben, place.room, "Build 41 is there")
    return str(platform.thread(place.room, first)) if place.name == "discord" else first


def _all(made: Scene, person: str) -> list[Message]:
    account = made.place.accounts[person]
    found: list[Message] = made.place.platform.messages(made.place.room, account=account)
    return found


def _people(made: Scene) -> set[str]:
    return set(made.place.accounts.values())


async def test_re_09_a_press_that_names_another_message_closes_the_asks_own(
    redis_url: str, tmp_path: Path
) -> None:
    """RE-09: the ask's post is the one that was recorded; another ask's stays as it is."""
    async with scene(redis_url, tmp_path, "teams", routes=in_private) as made:
        teams: Teams = made.place.platform
        other = await made.ask(prompt="Which branch?")
        first = await made.private_post()
        ask = await made.ask()
        post = await made.private_post(count=2)
        endpoint, teams.bot.endpoint = teams.bot.endpoint, None
        await made.pick("Ana", post, "Staging")  # reaches nobody
        teams.bot.endpoint = endpoint
        for number, named in enumerate((first.id, "1700000000777")):
            press = {**teams.bot.sent[-1], "id": f"f:{number}", "replyToId": named}
            assert (await teams.deliver(press)).status == 200
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        await until(lambda: _asked_about(teams, "1700000000777"), "the other is looked at")
        shown = {one.id: one for one in made.place.posts(post.conversation)}
        assert "Answered: Staging. Ana" in shown[post.id].text
        assert shown[first.id].text == first.text
        assert shown[first.id].controls == first.controls
        assert (await made.made.record(other)).pending


def _asked_about(teams: Teams, message: str) -> bool:
    """Whether we tried to draw that message."""
    return any(message in str(call.payload) for call in teams.calls if call.refused)


async def test_re_10_where_only_replies_are_heard_the_post_asks_for_one(
    redis_url: str, tmp_path: Path
) -> None:
    """RE-10: in a group with privacy mode on the post says how, and a reply with numbers picks."""
    async with scene(redis_url, tmp_path, "telegram") as made:
        asked = several("Lint", "Tests", "Docs")
        ask = await made.asks(asked, prompt="Which checks?")
        post = await made.post()
        assert "Reply to the question's message." in post.text
        account = made.place.accounts["Ana"]
        await made.place.platform.type(account, made.place.room, "1,3")
        assert not made.place.platform.updates.pending
        assert (await made.made.record(ask)).pending
        await made.reply("Ana", post, "1,3")
        assert await made.answer(ask) == ["Lint", "Docs"]


@pytest.mark.parametrize("name", FOUR)
async def test_re_12_right_to_left_labels_keep_their_numbers(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """RE-12: each label is isolated in its line; the stored one holds no marks."""
    labels = ("ייצור 2", "Staging (בדיקה)", "ביטול")
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask(*labels, prompt="לאן?")
        post = await made.post()
        for number, label in enumerate(labels, 1):
            assert f"{number}. {FIRST}{label}{POP}" in post.text
        await made.reply("Ana", post, "2")
        assert await made.answer(ask) == labels[1]
