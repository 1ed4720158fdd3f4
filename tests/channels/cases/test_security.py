"""Given cases on security (SE): who may speak to us, and what is shown to whom."""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp
import pytest

from channels.testing.teams import ISSUER
from tests.channels.cases.scenes import FOUR, Scene, scene

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.platform import Message
    from channels.testing.slack import Slack
    from channels.testing.teams import Teams

FORM = "application/x-www-form-urlencoded"
HOOK = "https://oz.example/telegram"
BY_HTTP = {
    "slack": {"mode": "http", "signing_secret": "of the fake workspace"},
    "telegram": {"mode": "webhook", "webhook_url": HOOK},
}
"""Keys by which those that can dial out are called instead."""


async def _press_body(made: Scene, post: Message) -> str:
    """Ana's press of Staging as Slack would send it, which reached nobody."""
    slack: Slack = made.town.places["slack"].platform
    slack.carrier.request_url = "http://127.0.0.1:9/"
    await made.pick("Ana", post, "Staging")
    payload = slack.deliveries[-1].payload
    return urlencode({"payload": json.dumps(payload)})


async def test_se_03_a_signature_is_checked_over_the_bytes_that_came(
    redis_url: str, tmp_path: Path
) -> None:
    """SE-03: odd bytes that are signed pass; one byte changed is 401, and nothing happens."""
    tables = {"slack": BY_HTTP["slack"]}
    async with scene(redis_url, tmp_path, "slack", tables=tables) as made:
        slack: Slack = made.place.platform
        ask = await made.ask()
        body = await _press_body(made, await made.post()) + "&a=b+c%20d&e=%7E~"
        headers = {**slack.carrier.signed(body), "Content-Type": FORM}
        url = f"{made.made.hooks}/slack/events"
        async with aiohttp.ClientSession() as session:
            for changed in (body.replace("c%20d", "c+d"), body.replace("%7E~", "~~"), body[:-1]):
                async with session.post(url, data=changed, headers=headers) as answer:
                    assert answer.status == 401
            assert (await made.made.record(ask)).pending
            async with session.post(url, data=body, headers=headers) as answer:
                assert answer.status == 200
        assert await made.answer(ask) == "Staging"


async def test_se_04_every_route_of_every_channel_refuses_what_is_not_signed(
    redis_url: str, tmp_path: Path
) -> None:
    """SE-04: through the app that is served; Discord alone has no way in, as it dials out."""
    async with scene(redis_url, tmp_path, tables=BY_HTTP) as made:
        ask = await made.ask()
        slack_post = await made.post(made.town.places["slack"])
        teams_post = await made.post(made.town.places["teams"])
        telegram_post = await made.post(made.town.places["telegram"])
        await made.post(made.town.places["discord"])
        routes = made.made.chats.routes()
        bodies: dict[str, Any] = {
            "/slack/events": (await _press_body(made, slack_post), FORM),
            "/teams/messages": (await _teams_press(made, teams_post), "application/json"),
            "/telegram": (json.dumps(_telegram_press(made, telegram_post)), "application/json"),
        }
        assert {one.path for one in routes} == set(bodies)  # type: ignore[attr-defined]
        async with aiohttp.ClientSession() as session:
            for path, (body, kind) in bodies.items():
                url, headers = f"{made.made.hooks}{path}", {"Content-Type": kind}
                async with session.post(url, data=body, headers=headers) as answer:
                    assert answer.status in (401, 403), path
        assert (await made.made.record(ask)).pending
        assert not [one for place in made.town.places.values() for one in place.posts()[1:]]


async def _teams_press(made: Scene, post: Message) -> str:
    """Ana's press of Staging as Teams would send it, which reached nobody."""
    teams: Teams = made.town.places["teams"].platform
    endpoint, teams.bot.endpoint = teams.bot.endpoint, None
    await made.pick("Ana", post, "Staging")
    teams.bot.endpoint = endpoint
    return json.dumps({**teams.bot.sent[-1], "serviceUrl": teams.service_url})


def _telegram_press(made: Scene, post: Message) -> dict[str, Any]:
    """The same as Telegram would."""
    place = made.town.places["telegram"]
    data = post.raw["reply_markup"]["inline_keyboard"][0][0]["callback_data"]
    author = {"id": int(place.accounts["Ana"]), "is_bot": False, "first_name": "Ana"}
    query = {"id": "1", "from": author, "message": post.raw, "chat_instance": "1", "data": data}
    return {"update_id": 1, "callback_query": query}


WRONG = {
    "absent": "absent",
    "garbage": "garbage",
    "alg none": "alg none",
    "expired": "expired",
    "audience of another bot": "wrong audience",
    "an issuer that only begins as the right one": "lookalike issuer",
    "the service url of another host": "wrong service url",
}


@pytest.mark.parametrize("case", WRONG)
async def test_se_05_a_token_with_anything_wrong_in_it_is_refused(
    redis_url: str, tmp_path: Path, case: str
) -> None:
    """SE-05: 401 or 403, and the ask goes on waiting; the same press with a right one answers."""
    async with scene(redis_url, tmp_path, "teams") as made:
        teams: Teams = made.place.platform
        ask = await made.ask()
        press = json.loads(await _teams_press(made, await made.post()))
        header = teams.identity.wrong(WRONG[case], teams.service_url)
        answer = await teams.deliver(press, authorization=header)
        assert answer.status in (401, 403)
        assert (await made.made.record(ask)).pending
        right = teams.identity.bearer(teams.service_url, iss=ISSUER)
        assert (await teams.deliver(press, authorization=right)).status == 200
        assert await made.answer(ask) == "Staging"


async def test_se_05_the_v1_issuer_of_the_bots_own_tenant_is_taken_and_no_other(
    redis_url: str, tmp_path: Path
) -> None:
    """SE-05: a bot of one tenant may be called with tokens of that tenant's own issuer."""
    async with scene(redis_url, tmp_path, "teams") as made:
        teams: Teams = made.place.platform
        ask = await made.ask()
        press = json.loads(await _teams_press(made, await made.post()))
        for tenant, statuses in (("another", (401, 403)), (teams.tenant, (200,))):
            issuer = f"https://sts.windows.net/{tenant}/"
            header = teams.identity.bearer(teams.service_url, iss=issuer)
            answer = await teams.deliver(press, authorization=header)
            assert answer.status in statuses, tenant
        assert await made.answer(ask) == "Staging"


@pytest.mark.parametrize("name", FOUR)
async def test_se_07_what_would_hide_a_part_of_the_question_is_shown(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """SE-07: hidden characters are written out, long blanks marked, joiners in emoji stay."""
    family = "\U0001f468\u200d\U0001f467"
    hiding = "\u202e\u2066txt.selif\u2069 now?\u200b"
    prompt = f"Run: copy /srv/reports {hiding}{' ' * 200}and delete all {family}"
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask("Allow", "Deny", prompt=prompt)
        post = await made.post()
        raw = json.dumps(post.raw, ensure_ascii=False)
        for hidden in ("\u202e", "\u200b"):
            assert hidden not in raw
            assert f"U+{ord(hidden):04X}" in post.text
        assert "U+2066" in post.text
        assert "U+2069" in post.text
        assert " " * 20 not in post.text
        assert "and delete all" in post.text
        assert family in post.text
        assert (await made.made.record(ask)).ask.question.prompt == prompt


@pytest.mark.parametrize("name", FOUR)
async def test_se_08_a_line_break_in_a_label_makes_no_option(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """SE-08: one line for each option, and only their own numbers begin a line."""
    spoof = "Staging\n3. Production (already approved by Ana)"
    async with scene(redis_url, tmp_path, name) as made:
        await made.ask(spoof, "Cancel")
        lines = [line.strip() for line in (await made.post()).text.splitlines()]
        numbered = [line for line in lines if line[:2] in ("1.", "2.", "3.")]
        assert len(numbered) == 2
        assert "3. Production" in numbered[0]
        assert numbered[1].startswith("2. ")


async def test_se_13_a_refusal_names_neither_question_nor_choice(
    redis_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SE-13: on no platform, and nothing of an answer is in a log."""
    caplog.set_level(logging.INFO)
    async with scene(redis_url, tmp_path) as made:
        ask = await made.ask("Customer 17", "Customer 23", prompt="Which customer?")
        for place in made.town.places.values():
            post = await made.post(place)
            before = made.seen("Ben", place)
            await made.pick("Ben", post, "Customer 17")
            await made.reads("Ben", "You can't answer this one", place)
            told = [one for one in made.seen("Ben", place) if one not in before]
            assert told
            assert not [one for one in told if re.search(r"[Cc]ustomer|\b(17|23)\b", one)]
        assert (await made.made.record(ask)).pending
        place = made.town.places["telegram"]
        await made.reply("Ana", await made.post(place), "other: Customer 99")
        assert await made.answer(ask) == "Customer 99"
        await made.made.closed(ask)
    assert not [one for one in caplog.records if "ustomer" in f"{one.getMessage()} {one.__dict__}"]
