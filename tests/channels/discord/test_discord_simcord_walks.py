"""People in another's Discord answer our asks: its clicks and forms, our transport and gateway."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from gateway.ask import AskKind, Status
from gateway.question import Field
from tests.channels.discord.simulated import Room, room
from tests.channels.gatewayed import Gatewayed, gateway, settings
from tests.channels.shapes import SEVERAL
from tests.strategies_reply import choice
from tests.waiting import until

OPEN = 'conversation = "discord:{}"\ncontent = true'
DIRECT = 'person = "ana"'


@asynccontextmanager
async def working(
    url: str, folder: Path, monkeypatch: pytest.MonkeyPatch, route: str = OPEN
) -> AsyncIterator[tuple[Room, Gatewayed]]:
    """The room with a whole gateway behind its bot; Ana may answer, Ben may not."""
    async with room() as here:
        here.serves(monkeypatch)
        people = f"""
[[person]]
id = "ana"
name = "Ana"
role = "operator"
content = true
identities = ["discord:{here.ana.id}"]
"""
        leads = f"[[route]]\n{route.format(here.place.id)}\n"
        config = settings({"discord": {"token": "t"}}, people, leads, folder)
        async with gateway(config, url) as gate:
            await until(lambda: here.takers, "our transport listens")
            yield here, gate


async def asked(here: Room, gate: Gatewayed, *fields: Field, **how: Any) -> tuple[str, Any]:
    """An ask, and its post once it stands."""
    ask = await gate.ask(*fields, **how)
    await until(lambda: here.place.last_message is not None, "it is posted")
    return ask, here.place.last_message


async def test_a_press_settles_and_the_post_shows_it(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else is refused alone; the one who may reads a receipt alone."""
    async with working(redis_url, tmp_path, monkeypatch) as (here, gate):
        ask, post = await asked(here, gate, choice("red", "blue"))
        refused = await here.ben.click(post, label="2. blue")
        assert ["can't answer" in one.content for one in refused.followups] == [True]
        assert (await gate.record(ask)).pending
        told = await here.ana.click(post, label="2. blue")
        assert [one.content for one in told.followups] == ["Got it: blue."]
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert record.outcome.by == "user:ana"
        assert record.outcome.values == {"pick": {"options": ["o2"], "write_in": None}}
        await gate.closed(ask)
        [shown] = here.seen_by(here.ana)[:1]
        assert shown.components == []
        assert "blue" in shown.content
        assert [one.content for one in here.seen_by(here.ben)[1:]] == [refused.followups[0].content]


async def test_a_form_is_filled_in_over_two_pages(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All six kinds; what was wrong is told, and stands there when the form opens again."""
    first = {"l:on": "2027-01-20", "l:copies": "12", "c:colour": "o3", "b:rush": "yes"}
    async with working(redis_url, tmp_path, monkeypatch) as (here, gate):
        ask, post = await asked(here, gate, *SEVERAL.fields)
        shown = await here.ana.click(post, label="Answer")
        sent = await here.ana.submit_modal(shown, first)
        [wrong] = sent.followups
        assert "copies" in wrong.content
        again = await here.ana.click(wrong, label="Answer")
        assert again.modal is not None
        kept = [part["component"].get("value") for part in again.modal["components"]]
        assert kept[:2] == ["2027-01-20", "12"]
        sent = await here.ana.submit_modal(again, first | {"l:copies": "2"})
        [offer] = sent.followups
        second = await here.ana.click(offer, label="Continue")
        await here.ana.submit_modal(second, {"m:checks": ["o1", "o2"]})
        record = await gate.ended(ask)
        assert record.outcome is not None
        assert record.outcome.values == SEVERAL.values
        await gate.closed(ask)


async def test_a_decline_says_why(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a form of one line."""
    async with working(redis_url, tmp_path, monkeypatch) as (here, gate):
        ask, post = await asked(here, gate, kind=AskKind.APPROVAL, prompt="Refund 20 EUR?")
        shown = await here.ana.click(post, label="Deny")
        await here.ana.submit_modal(shown, {"reason": "ask Ben"})
        record = await gate.ended(ask)
        assert record.status is Status.DECLINED
        assert record.outcome is not None
        assert record.outcome.reason == "ask Ben"


async def test_words_answer_and_are_answered(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message with our mention, whose words Discord lets us read; one without says nothing."""
    async with working(redis_url, tmp_path, monkeypatch) as (here, gate):
        ask, post = await asked(here, gate, choice("red", "blue"))
        await here.ana.send(here.place, "2")
        assert (await gate.record(ask)).pending
        assert here.bot.user is not None
        await here.ana.send(here.place, f"{here.bot.user.mention} 2", reply_to=post)
        assert (await gate.ended(ask)).status is Status.ANSWERED
        await until(
            lambda: here.seen_by(here.ben)[-1].content == "Got it: blue.", "everybody reads it"
        )


async def test_commands_are_known_and_answered(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each to its caller alone."""
    wanted = {"oz pending": "Which colour", "oz help": "Reply with a number", "oz link": "discord:"}
    async with working(redis_url, tmp_path, monkeypatch) as (here, gate):
        await asked(here, gate, choice("red", "blue"))
        for command, words in wanted.items():
            told = await here.ana.slash(here.place, command)
            assert told.response is not None
            assert told.response.ephemeral
            assert words in told.response.content


async def test_a_private_chat_is_opened_and_answers(
    redis_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The question goes to its person alone, who presses there."""
    async with working(redis_url, tmp_path, monkeypatch, DIRECT) as (here, gate):
        private = here.ana.user.dm_channel
        ask = await gate.ask(choice("red", "blue"))
        await until(lambda: private.last_message is not None, "it is posted")
        post = private.last_message
        assert post is not None
        await here.ana.user.click(post, label="1. red")
        assert (await gate.ended(ask)).status is Status.ANSWERED
        await gate.closed(ask)
        assert here.place.history() == []
