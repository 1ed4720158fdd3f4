"""Teams from end to end: tokens, presses, forms and words, between a real gateway and the fake."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest
import redis

from channels.contract import Response
from channels.teams.render import ADAPTIVE
from channels.testing.platform import Call
from channels.testing.teams import WRONG, Teams
from gateway.ask import AskKind, Status
from gateway.errors import Unavailable
from gateway.question import Kind
from tests.channels.gatewayed import Gatewayed
from tests.channels.teams.rooms import (
    ANA,
    BEN,
    GROUP,
    HOOK,
    posted,
    running,
    texts,
)
from tests.strategies_reply import choice, field, several

COLOURS = choice("red", "blue", write_in=False)


@pytest.fixture
async def both(redis_url: str, tmp_path: Path) -> AsyncGenerator[tuple[Teams, Gatewayed], None]:
    """The two, with a route to the group chat, whose members may see."""
    async with running(redis_url, tmp_path) as made:
        yield made


# Who is let in


@pytest.mark.parametrize("kind", WRONG)
async def test_a_request_that_is_not_the_services_is_refused(
    both: tuple[Teams, Gatewayed], kind: str
) -> None:
    """SE-05: whatever is wrong with its token, it is 401, and the ask goes on waiting."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    await teams.press(BEN, post, "2. blue")
    press = {**teams.bot.sent[-1], "id": "f:other", "from": teams.rooms.person(ANA).account}
    header = teams.identity.wrong(kind, teams.service_url)
    answer = await teams.deliver(press, authorization=header)
    assert answer.status == 401
    assert (await gate.record(ask)).pending
    assert (await teams.deliver(press)).status == 200
    assert not (await gate.record(ask)).pending


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"5",
        b'{"type": "message"}',
        b'{"serviceUrl": "https://x/", "conversation": {"id": "a:1"}, "channelId": "webchat"}',
    ],
)
async def test_what_is_no_activity_of_teams_is_refused(
    both: tuple[Teams, Gatewayed], body: bytes
) -> None:
    """Before a token is looked at."""
    teams, gate = both
    headers = {"Authorization": teams.identity.bearer(teams.service_url)}
    async with (
        aiohttp.ClientSession() as session,
        session.post(gate.hooks + HOOK, data=body, headers=headers) as answer,
    ):
        assert answer.status == 400


async def test_a_new_key_of_the_service_is_fetched_once(both: tuple[Teams, Gatewayed]) -> None:
    """It is let in at once; keys nobody has do not have them fetched again and again."""
    teams, gate = both
    await gate.ask(COLOURS)
    post = await posted(teams)
    await teams.press(BEN, post, "2. blue")
    teams.identity.rotate()
    await teams.press(ANA, post, "2. blue")
    assert teams.told(ANA) == ["Got it: blue."]
    press = teams.bot.sent[-1]
    for _ in range(3):
        header = teams.identity.wrong("unknown key", teams.service_url)
        assert (await teams.deliver(press, authorization=header)).status == 401
    assert teams.count("keys") == 2


async def test_keys_that_cannot_be_had_are_no_refusal(both: tuple[Teams, Gatewayed]) -> None:
    """503, so that it comes again; and nothing else of the process waits for them."""
    teams, gate = both
    teams.fail("keys", lost=True, delay_s=0.3)
    waited = asyncio.create_task(teams.type(ANA, teams.chat(ANA), "help"))
    turns = 0
    while not [one for one in teams.calls if one.method == "acknowledge"]:
        await asyncio.sleep(0.01)
        turns += 1
    await waited
    assert teams.calls[-1].refused == "503"
    # The loop that serves everybody went round all the while.
    assert turns > 15
    await teams.again(teams.bot.sent[-1]["id"])
    await teams.until(lambda: texts(teams, teams.chat(ANA))[1:])
    assert gate.hooks


# Presses


async def test_a_press_settles_and_the_post_shows_it(both: tuple[Teams, Gatewayed]) -> None:
    """Receipted to the presser alone, and drawn without controls for everybody."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    assert "Which colour should the report use?" in post.text
    await teams.press(ANA, post, "2. blue")
    assert (teams.told(ANA), teams.told(BEN)) == (["Got it: blue."], [])
    await gate.closed(ask)
    (shown,) = teams.messages(GROUP)
    assert (shown.id, shown.controls) == (post.id, ())
    assert "Answered: blue. Ana" in shown.text


async def test_somebody_else_is_told_so_alone(both: tuple[Teams, Gatewayed]) -> None:
    """With the account that an admin can connect; the ask goes on waiting."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    await teams.press(BEN, await posted(teams), "2. blue")
    (said,) = teams.told(BEN)
    assert "can't answer" in said
    assert f"teams:{teams.rooms.person(BEN).aad}" in said
    assert (await gate.record(ask)).pending
    assert len(teams.messages(GROUP)) == 1


async def test_the_same_press_again_is_answered_and_does_nothing(
    both: tuple[Teams, Gatewayed],
) -> None:
    """Delivered twice, or pressed twice on a picture that was not drawn anew."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    await teams.press(ANA, post, "2. blue")
    assert (await teams.again(teams.bot.sent[-1]["id"])).status == 200
    await teams.press(ANA, post, "1. red")
    assert len(teams.told(ANA)) == 2
    assert "blue" in teams.told(ANA)[-1]
    outcome = (await gate.record(ask)).outcome
    assert outcome is not None
    assert outcome.values == {"pick": {"options": ["o2"], "write_in": None}}


async def test_a_press_of_an_older_client_is_told_what_came_of_it(
    both: tuple[Teams, Gatewayed],
) -> None:
    """Its answer shows nothing, so words follow: for all to read, or in the chat with them."""
    teams, gate = both
    for account in (ANA, BEN):
        teams.rooms.person(account).old_client = True
    ask = await gate.ask(COLOURS)
    post = await posted(teams, account=BEN)
    await teams.press(BEN, post, "2. blue")
    await teams.until(lambda: texts(teams, teams.chat(BEN)))
    assert "can't answer" in texts(teams, teams.chat(BEN))[0]
    assert len(teams.messages(GROUP)) == 1
    await teams.press(ANA, post, "2. blue")
    await gate.closed(ask)
    await teams.until(lambda: "Got it: blue." in texts(teams))


async def test_a_press_is_answered_in_time_while_the_store_is_slow(
    both: tuple[Teams, Gatewayed], redis_url: str
) -> None:
    """The store is not waited for; what came of it is seen on the post."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    with redis.Redis.from_url(redis_url) as client:
        client.client_pause(4000)
    began = asyncio.get_running_loop().time()
    await teams.press(ANA, post, "2. blue")
    assert asyncio.get_running_loop().time() - began < 3.0
    assert "takes a moment" in teams.told(ANA)[0]
    await gate.closed(ask)
    assert "Answered: blue. Ana" in texts(teams)[0]


async def test_an_old_copy_of_a_card_is_shown_as_it_stands(both: tuple[Teams, Gatewayed]) -> None:
    """Opening the chat later asks for it; nothing is settled by that."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    teams.rooms.now = lambda: datetime.now(UTC) + timedelta(minutes=2)
    await teams.open(ANA, GROUP)
    assert [one.payload["body"]["type"] for one in answers(teams)] == [ADAPTIVE]
    assert teams.messages(GROUP, account=ANA)[0].text == post.text
    teams.fail("updateActivity", status=503, times=50)
    await teams.press(BEN, post, "2. blue")
    await teams.press(ANA, post, "2. blue")
    await gate.ended(ask)
    await teams.open(BEN, GROUP)
    assert "Answered: blue. Ana" in teams.messages(GROUP, account=BEN)[0].text
    assert "Answered" not in teams.messages(GROUP)[0].text
    assert teams.told(BEN)[1:] == []


async def test_a_card_that_nobody_keeps_is_left_as_it_is(both: tuple[Teams, Gatewayed]) -> None:
    """Whoever asks for one by another message's id gets nothing."""
    teams, gate = both
    await gate.ask(COLOURS)
    await posted(teams)
    teams.rooms.now = lambda: datetime.now(UTC) + timedelta(minutes=2)
    await teams.open(ANA, GROUP)
    for message in ("1", ""):
        answer = await teams.deliver({**teams.bot.sent[-1], "replyToId": message})
        assert answer.body is None or answer.body["statusCode"] == 400


def answers(teams: Teams) -> list[Call]:
    """What the bot answered to invokes."""
    return [one for one in teams.calls if one.method == "invokeResponse"]


async def test_a_store_that_is_away_is_told_and_nothing_is_taken(
    both: tuple[Teams, Gatewayed], monkeypatch: pytest.MonkeyPatch
) -> None:
    """To whoever pressed, in words; a message is not confirmed, and counts once it comes again."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)

    async def away(*_: object) -> Response:
        raise Unavailable("away")

    with monkeypatch.context() as patched:
        patched.setattr(gate.chats.transports["teams"]._desk, "handle", away)  # type: ignore[attr-defined]
        await teams.press(ANA, post, "2. blue")
        assert "Not saved just now" in teams.told(ANA)[0]
        await teams.press(ANA, post, "Decline")
        assert "Not saved just now" in teams.told(ANA)[1]
        message = await teams.type(ANA, GROUP, "@AskBot 2")
        await teams.until(lambda: teams.calls[-1].refused == "503")
    assert (await gate.record(ask)).pending
    await teams.again(message)
    await gate.closed(ask)


# Forms


FORM = (
    field(Kind.TEXT, "why"),
    field(Kind.NUMBER, "copies", min=1, max=9, integer=True),
    choice("red", "blue", name="colour", write_in=False),
    several("mon", "tue", "wed", name="days"),
    field(Kind.DATE, "due"),
    field(Kind.TOGGLE, "sure"),
)
FILLED = {"why": "because", "copies": "2", "colour": "blue", "due": "2026-12-24", "sure": "Yes"}


async def test_a_form_is_filled_in_on_the_card(both: tuple[Teams, Gatewayed]) -> None:
    """All six kinds, own words among them."""
    teams, gate = both
    ask = await gate.ask(*FORM)
    await posted(teams)
    await teams.submit(ANA, {**FILLED, "m:days": ["mon", "wed"], "w:days": "any"})
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values == {
        "why": "because",
        "copies": 2,
        "colour": {"options": ["o2"], "write_in": None},
        "days": {"options": ["o1", "o3"], "write_in": "any"},
        "due": "2026-12-24",
        "sure": True,
    }


async def test_the_client_holds_back_what_cannot_be_right(both: tuple[Teams, Gatewayed]) -> None:
    """With what is wanted, in the words of the question; nothing is sent."""
    teams, gate = both
    ask = await gate.ask(*FORM)
    await posted(teams)
    with pytest.raises(ValueError, match="1 to 9"):
        await teams.submit(ANA, {**FILLED, "copies": "12", "m:days": ["mon"]})
    assert (await gate.record(ask)).pending
    assert teams.bot.sent == []


async def test_what_is_wrong_is_shown_in_the_form_with_the_rest_kept(
    both: tuple[Teams, Gatewayed],
) -> None:
    """A client that does not check: the form comes back to its person alone, and can be sent."""
    teams, gate = both
    teams.client_checks = False
    ask = await gate.ask(*FORM)
    before = await posted(teams)
    await teams.submit(ANA, {**FILLED, "copies": "12", "m:days": ["mon"]})
    form = teams.form(ANA)
    assert form is not None
    assert "1 to 9" in form.text
    values = {entry.name: entry.value for entry in form.entries}
    assert (values["t:why"], values["c:colour"], values["m:days"]) == ("because", "o2", "o1")
    assert teams.messages(GROUP)[0].controls == before.controls
    assert (await gate.record(ask)).pending
    await teams.submit(ANA, {"copies": "3"})
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert record.outcome.values is not None
    assert record.outcome.values["copies"] == 3
    await gate.closed(ask)
    assert "Answered" in teams.messages(GROUP, account=ANA)[0].text


async def test_a_decline_asks_why(both: tuple[Teams, Gatewayed]) -> None:
    """In a dialog of the presser's own; somebody who may not is refused there."""
    teams, gate = both
    ask = await gate.ask(COLOURS)
    post = await posted(teams)
    await teams.press(BEN, post, "Decline")
    assert teams.form(BEN) is None or teams.form(BEN).title != "Decline"  # type: ignore[union-attr]
    assert "can't answer" in teams.told(BEN)[0]
    await teams.press(ANA, post, "Decline")
    form = teams.form(ANA)
    assert form is not None
    assert form.title == "Decline"
    assert (await gate.record(ask)).pending
    await teams.submit(ANA, {"reason": "ask Ben"})
    record = await gate.ended(ask)
    assert record.outcome is not None
    assert (record.status, record.outcome.reason) == (Status.DECLINED, "ask Ben")
    assert teams.told(ANA) == ["Got it: declined."]


async def test_an_approval_is_approved_or_denied(both: tuple[Teams, Gatewayed]) -> None:
    """One press, or a dialog for the reason, which may stay empty."""
    teams, gate = both
    ask = await gate.ask(kind=AskKind.APPROVAL, prompt="Delete it?")
    await teams.press(ANA, await posted(teams), "Approve")
    await gate.closed(ask)
    ask = await gate.ask(kind=AskKind.APPROVAL, prompt="Delete that?")
    await teams.press(ANA, await posted(teams), "Deny")
    await teams.submit(ANA, {})
    record = await gate.ended(ask)
    assert record.status is Status.DECLINED


def test_the_sdk_is_not_imported_before_it_is_opened() -> None:
    """Nor by whatever only draws or reads."""
    code = (
        "import sys; import channels.teams.channel, channels.teams.parse, channels.teams.render;"
        "print([n for n in sys.modules if n.startswith(('botbuilder', 'botframework', 'msrest'))])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
