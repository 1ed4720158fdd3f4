"""The small parts: settings, what errors mean, the pace of posts, and what the doctor finds."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from pydantic import ValidationError

from channels.contract import (
    Finding,
    Later,
    Missing,
    PostError,
    Shut,
    Unfit,
    Unreachable,
    Unsure,
)
from channels.slack.channel import CHANNEL
from channels.slack.errors import post_error
from channels.slack.pace import Pace
from channels.slack.settings import API_URL, PATH, Settings
from channels.testing.slack import Slack
from gateway.routes import Target
from tests.channels.slack.rooms import without_proxy

SOCKET = {"bot_token": "xoxb-1", "app_token": "xapp-1"}
HTTP = {"bot_token": "xoxb-1", "mode": "http", "signing_secret": "s"}


# Settings


def test_settings_are_slacks_own_unless_told_otherwise() -> None:
    """Two tokens do; a request URL needs the secret instead."""
    settings = Settings.model_validate(SOCKET)
    assert (settings.mode, settings.api_url, settings.path) == ("socket", API_URL, PATH)
    assert Settings.model_validate(HTTP | {"api_url": "http://x"}).api_url == "http://x/"
    assert "xoxb" not in repr(settings)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (SOCKET | {"bot_token": "xapp-1"}, "begins with xoxb-"),
        (SOCKET | {"app_token": "xoxb-1"}, "begins with xapp-"),
        ({"bot_token": "xoxb-1"}, "mode socket needs app_token"),
        ({"bot_token": "xoxb-1", "mode": "http"}, "mode http needs signing_secret"),
        (HTTP | {"signing_secret": " "}, "Signing Secret"),
        (HTTP | {"path": "slack"}, "begins with /"),
        (SOCKET | {"api_url": "slack.com"}, "begins with https://"),
    ],
)
def test_settings_that_cannot_work_say_so(given: dict[str, Any], says: str) -> None:
    """In words that name what is wanted; no secret is in them."""
    with pytest.raises(ValidationError, match=says):
        Settings.model_validate(given)


# Errors


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("ratelimited", 429, Later),
        ("http_429", 429, Later),
        ("internal_error", 200, Unsure),
        ("http_503", 503, Unsure),
        ("message_not_found", 200, Missing),
        ("token_revoked", 200, Shut),
        ("missing_scope", 200, Shut),
        ("channel_not_found", 200, Unreachable),
        ("is_archived", 200, Unreachable),
        ("messages_tab_disabled", 200, Unreachable),
        ("restricted_action_read_only_channel", 200, Unreachable),
        ("invalid_blocks", 200, Unfit),
        ("msg_blocks_too_long", 200, Unfit),
        ("edit_window_closed", 200, Unfit),
        ("something_new", 200, Unfit),
    ],
)
def test_slacks_codes_mean_something(code: str, status: int, kind: type[PostError]) -> None:
    """Each of the kinds that the worker knows."""
    error = post_error(code, status, 7.0)
    assert type(error) is kind
    assert error.code == code
    assert getattr(error, "after_s", 7.0) == 7.0


# Pace


class Clock:
    """A clock that a test sets."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_a_first_post_goes_at_once_and_the_next_waits() -> None:
    """In each conversation by itself."""
    clock = Clock()
    pace = Pace(1.0, clock)
    await pace.turn("C1", "a")
    await pace.turn("C2", "b")
    with pytest.raises(Later) as late:
        await pace.turn("C1", "c", patience_s=0.0)
    assert late.value.after_s == 1.0
    clock.now += 1.0
    await pace.turn("C1", "c", patience_s=0.0)


async def test_a_turn_is_kept_for_whoever_was_told_to_come_again() -> None:
    """Those behind it stand behind it."""
    clock = Clock()
    pace = Pace(1.0, clock)
    await pace.turn("C1", "a")
    waits = []
    for key in ("b", "c", "b", "c"):
        with pytest.raises(Later) as late:
            await pace.turn("C1", key, patience_s=0.0)
        waits.append(late.value.after_s)
    assert waits == [1.0, 2.0, 1.0, 2.0]


async def test_a_rate_limit_holds_for_all() -> None:
    """Nobody's turn is before its end."""
    clock = Clock()
    pace = Pace(1.0, clock)
    pace.rest("C1", 30.0)
    with pytest.raises(Later) as late:
        await pace.turn("C1", "a")
    assert late.value.after_s == 30.0


async def test_a_short_wait_is_waited() -> None:
    """Without another word."""
    pace = Pace(0.05)
    began = asyncio.get_running_loop().time()
    await pace.turn("C1", "a")
    await pace.turn("C1", "b")
    assert asyncio.get_running_loop().time() - began >= 0.05


# Doctor


async def examined(chat: Slack, mode: str = "socket", **more: Any) -> list[Finding]:
    """What is found in a workspace."""
    settings = Settings.model_validate(chat.settings(mode) | more)
    return list(await CHANNEL.examine(settings))


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    without_proxy(monkeypatch)


async def test_all_is_well_in_a_workspace_that_is_set_up() -> None:
    """Nothing to mend, and all was seen."""
    async with Slack() as chat:
        found = await examined(chat)
        assert [one for one in found if one.fine is not True] == []
        assert len(found) == 9


async def test_whether_requests_arrive_is_said_to_be_not_checked() -> None:
    """Slack shows no signing secret, and not whether its address leads here: nothing is fine."""
    async with Slack() as chat:
        chat.carrier.request_url = f"https://oz.example.com{PATH}"
        (unseen,) = [one for one in await examined(chat, "http") if one.fine is not True]
        assert (unseen.fine, unseen.passing) == (None, False)
        assert "signed with signing_secret" in unseen.what
        assert "oz0 doctor --send" in unseen.mend


async def test_what_only_the_apps_owner_is_shown_is_said_to_be_not_checked() -> None:
    """Without a configuration token nobody can see subscriptions, tabs and addresses."""
    async with Slack() as chat:
        (unseen,) = [one for one in await examined(chat, config_token=None) if not one.fine]
        assert (unseen.fine, unseen.passing) == (None, False)
        assert "the Messages tab" in unseen.what
        assert "OZ_SLACK_CONFIG_TOKEN" in unseen.mend


async def test_an_archive_that_cannot_be_seen_is_said_to_be_not_checked() -> None:
    """An app from before the scope was asked for goes on without it."""
    async with Slack() as chat:
        chat.channel("C1")
        chat.rules.scopes -= {"channels:read", "groups:read"}
        settings = Settings.model_validate(chat.settings())
        found = await CHANNEL.examine(settings, [Target("slack", "C1")])
        (unseen,) = [one for one in found if one.fine is not True]
        assert unseen.fine is None
        assert unseen.what == "conversation C1: whether it is archived"
        assert "Add channels:read" in unseen.mend


async def wrong(chat: Slack, **more: Any) -> Finding:
    """The one thing that is wrong."""
    (found,) = [one for one in await examined(chat, **more) if one.fine is False]
    return found


async def test_a_wrong_bot_token_is_named() -> None:
    """With where to find the right one."""
    async with Slack() as chat:
        found = await wrong(chat, bot_token="xoxb-other")
        assert "invalid_auth" in found.what
        assert "OAuth & Permissions" in found.mend


@pytest.mark.parametrize(
    ("code", "mend"),
    [
        ("token_revoked", "Install the app again"),
        ("account_inactive", "Install the app in the workspace again"),
        ("token_expired", "token rotation"),
    ],
)
async def test_a_token_that_is_no_longer_good_is_named(code: str, mend: str) -> None:
    """Each with its own mending."""
    async with Slack() as chat:
        chat.rules.dead = code
        found = await wrong(chat)
        assert code in found.what
        assert mend in found.mend


async def test_missing_scopes_are_named_with_what_they_are_for() -> None:
    """All of them at once."""
    async with Slack() as chat:
        chat.rules.scopes -= {"chat:write", "im:history"}
        found = await wrong(chat)
        assert found.what == "scopes: chat:write, im:history missing"
        assert "chat:write for posts; im:history for replies in direct messages" in found.mend


async def test_a_wrong_app_token_is_named() -> None:
    """Not known, of the wrong kind, without its scope."""
    async with Slack() as chat:
        assert "Socket Mode" in (await wrong(chat, app_token="xapp-other")).mend
        chat.rules.app_scopes.clear()
        assert "connections:write" in (await wrong(chat)).mend


async def test_a_slack_that_does_not_answer_is_named() -> None:
    """Away, and overloaded."""
    async with Slack() as chat:
        async with chat.outage():
            found = await examined(chat)
            assert f"can this machine reach {chat.api_url}?" in found[0].mend
        chat.fail("auth.test", status=503, body="down")
        (away,) = [one for one in await examined(chat) if not one.fine]
        assert away.passing
        assert away.mend == "It could not be checked just now (HTTP 503). Try again."


async def test_a_clock_that_is_off_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signatures would be refused."""
    async with Slack() as chat:
        really = time.time

        class Ahead:
            @staticmethod
            def now(zone: Any) -> Any:
                from datetime import datetime

                return datetime.fromtimestamp(really() + 600, zone)

        monkeypatch.setattr("channels.examining.datetime", Ahead)
        found = await wrong(chat)
        assert found.what.startswith("clock: +")
        assert "NTP" in found.mend
