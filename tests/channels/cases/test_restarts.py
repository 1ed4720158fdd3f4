"""Given cases on restarts and failover (RF) that need a post."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
import redis.asyncio

from tests.channels.cases.scenes import FOUR, Scene, in_private, scene

if TYPE_CHECKING:
    from pathlib import Path

    from channels.testing.discord import Discord
    from channels.testing.platform import Message
    from channels.testing.slack import Slack


@pytest.mark.parametrize("name", FOUR)
async def test_rf_01_a_post_from_before_a_restart_answers_its_press(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """RF-01: nothing pending was in a memory: nobody reads that it is unknown or has ended."""
    async with scene(redis_url, tmp_path, name, routes=in_private) as made:
        ask = await made.ask(waits=timedelta(minutes=15))
        post = await made.private_post()
        await made.restart()
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)
        await made.reads("Ana", "Got it: Staging.")
        assert len([one for one in made.place.posts(post.conversation) if "41" in one.text]) == 1


@pytest.mark.parametrize("name", FOUR)
async def test_rf_03_the_first_press_after_a_restart_counts_and_the_second_adds_nothing(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """RF-03: pressed twice within a second, confirmed once."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        post = await made.post()
        await made.restart()
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.reads("Ana", "Got it: Staging.")
        before = made.seen("Ana").count("Got it: Staging.")
        await _again(made, post)
        await made.restart()  # whatever was still to be said has been said
        assert before == 1
        assert made.seen("Ana").count("Got it: Staging.") == 1
        assert await made.answer(ask) == "Staging"


async def _again(made: Scene, post: Message) -> None:
    """The press a second time, as from a screen that still shows the button."""
    platform = made.place.platform
    match made.place.name:
        case "slack":
            # What we posted meanwhile is brought back to us too.
            pressed = next(one for one in reversed(platform.deliveries) if "actions" in one.payload)
            action = pressed.payload["actions"][0] | {"action_ts": platform.space.ts()}
            await platform.carrier.once(pressed.kind, pressed.payload | {"actions": [action]})
        case "teams":
            pressed = next(one for one in reversed(platform.bot.sent) if one["type"] == "invoke")
            assert (await platform.deliver({**pressed, "id": "f:again"})).status == 200
        case "discord":
            turn = list(platform.turns.values())[-1]
            name = next(one.name for one in post.controls if one.label.endswith("Staging"))
            data = {"component_type": 2, "custom_id": name, "id": 1}
            await platform.begin(turn.kind, turn.person, turn.place, data, turn.source)
        case _:
            pressed = platform.presses[-1]
            chat = platform.world.chat(pressed.chat)
            platform.people.press(pressed.account, chat.find(pressed.message), pressed.data)
            await platform.until(lambda: not platform.spinning())


async def test_rf_05_groups_that_are_gone_are_made_again_and_nothing_is_skipped(
    redis_url: str, tmp_path: Path
) -> None:
    """RF-05: what was opened while there was no group is posted, and its press answers."""
    async with scene(redis_url, tmp_path, "telegram") as made:
        await made.ask(prompt="Which branch?")
        await made.post()
        async with redis.asyncio.Redis.from_url(redis_url) as client:
            destroyed = 0
            async for key in client.scan_iter(_type="stream"):
                for group in await client.xinfo_groups(key):
                    destroyed += await client.xgroup_destroy(key, group["name"])
            assert destroyed
        ask = await made.ask()
        post = await made.post(count=2)
        assert "Where should build 41 go?" in post.text
        await made.pick("Ana", post, "Staging")
        assert await made.answer(ask) == "Staging"
        await made.made.closed(ask)


@pytest.mark.parametrize("name", ["slack", "discord"])
async def test_rf_14_a_socket_that_was_cut_hears_again_after_a_failed_try(
    redis_url: str, tmp_path: Path, name: str
) -> None:
    """RF-14: cut, refused once, connected: what is said then is heard."""
    async with scene(redis_url, tmp_path, name) as made:
        ask = await made.ask()
        post = await made.post()
        if name == "slack":
            slack: Slack = made.place.platform
            await slack.until(lambda: slack.connections)
            slack.fail("apps.connections.open", status=500)
            slack.drop()
            await slack.until(lambda: not slack.connections)
            await slack.until(lambda: slack.connections)
            assert not slack.faults
        else:
            discord: Discord = made.place.platform
            for _ in range(2):
                discord.gateway.cut()
                await discord.until(lambda: not _heard(discord))
                await discord.until(lambda: _heard(discord))
        await made.reply("Ana", post, "1")
        assert await made.answer(ask) == "Staging"


def _heard(discord: Discord) -> bool:
    return any(one.wire is not None for one in discord.gateway.sessions.values())
