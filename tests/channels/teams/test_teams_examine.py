"""`oz0 doctor` on Teams: each thing that can be set wrong is named, with how to mend it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest

from channels.contract import Finding
from channels.teams import examine as doctor
from channels.teams.channel import CHANNEL
from channels.teams.settings import Settings
from channels.testing.teams import Teams

NOBODY = "00000000-0000-0000-0000-000000000000"


async def wrong(teams: Teams, **changed: Any) -> list[Finding]:
    """What is found wrong with those settings changed."""
    settings = Settings(**{**teams.settings(), **changed})
    return [one for one in await CHANNEL.examine(settings) if not one.fine]


async def test_nothing_is_wrong_with_what_is_right() -> None:
    """Everything is looked at, and nothing needs mending."""
    async with Teams() as teams:
        found = await CHANNEL.examine(Settings(**teams.settings()))
    assert len(found) == 6
    assert all(one.fine and not one.mend for one in found)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"app_id": NOBODY}, "No app has this app_id"),
        ({"app_id": "my bot"}, "app_id looks like"),
        ({"app_password": "wrong"}, "put its value, not its id"),
        ({"tenant": NOBODY}, "There is no such tenant"),
        ({"tenant": "example.org"}, "tenant looks like"),
        ({"scope": "https://graph.microsoft.com/.default"}, "Take scope out"),
        ({"login_url": "http://127.0.0.1:9"}, "can this machine reach login_url?"),
        ({"service_url": "http://127.0.0.1:9"}, "can this machine reach service_url?"),
        ({"keys_url": "http://127.0.0.1:9"}, "can this machine reach keys_url?"),
    ],
)
async def test_settings_that_are_wrong_are_named(changed: dict[str, str], said: str) -> None:
    """Each by the key that has to change."""
    async with Teams() as teams:
        found = await wrong(teams, **changed)
    assert any(said in one.mend for one in found)


@pytest.mark.parametrize(
    ("set_wrong", "said"),
    [
        (lambda teams: setattr(teams, "registered", False), "Register the bot"),
        (lambda teams: setattr(teams, "disabled_by_admin", True), "An admin of the tenant"),
        (lambda teams: teams.fail("createConversation", status=503), "checked just now"),
        (lambda teams: teams.fail("keys", status=200, body={"keys": 5}), "keys_url is not"),
        (lambda teams: teams.fail("openid", status=200, body=[]), "keys_url is not"),
        (lambda teams: teams.fail("token", status=503, body={}), "checked just now (HTTP 503)"),
    ],
)
async def test_a_bot_that_is_set_up_wrong_is_named(
    set_wrong: Callable[[Teams], None], said: str
) -> None:
    """What Microsoft knows of it, or does not."""
    async with Teams() as teams:
        set_wrong(teams)
        found = await wrong(teams)
    assert [said in one.mend for one in found] == [True]


def test_a_clock_that_is_off_is_named() -> None:
    """By how much; a service that tells no time says nothing of ours."""
    past = format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)
    (found,) = doctor._clock(past)
    assert "Set it by NTP" in found.mend
    assert doctor._clock("") == ()


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("app_id", " ", "Copy it from the bot's registration"),
        ("app_password", "", "Copy the client secret's value"),
        ("login_url", "login.microsoftonline.com", "Write the whole address"),
        ("service_url", "http://[", "Write the whole address"),
    ],
)
def test_a_setting_that_cannot_be_right_is_refused(key: str, value: str, said: str) -> None:
    """In words that say what to write."""
    given = {"app_id": NOBODY, "app_password": "x", "tenant": NOBODY, key: value}
    with pytest.raises(ValueError, match=said):
        Settings(**given)


def test_a_secret_is_not_shown() -> None:
    """Settings may be logged or printed by mistake."""
    given: dict[str, Any] = {"app_id": NOBODY, "app_password": "hush", "tenant": NOBODY}
    assert "hush" not in repr(Settings(**given))
