"""The channel as its entry point names it: settings in words, no library until it is opened, and
what `oz0 doctor` finds.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from pydantic import ValidationError

from channels.contract import Finding
from channels.telegram.channel import CHANNEL
from channels.telegram.settings import Settings
from channels.testing.telegram import TOKEN, Telegram
from tests.channels.telegram.rooms import platform

HOOK = "https://oz.example/telegram"


def test_nothing_of_the_library_is_imported_before_it_is_opened() -> None:
    """Channel, render and parse are plain Python."""
    code = (
        "import sys, channels.telegram.channel, channels.telegram.parse, channels.telegram.intake\n"
        "sys.exit('telegram' in sys.modules or 'httpx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"token": "110201543"}, "takes the token that @BotFather gave"),
        ({"mode": "webhook"}, 'mode = "webhook" needs webhook_url.'),
        ({"webhook_url": "http://oz.example/t"}, "begins with https://, on port 443"),
        ({"webhook_url": "https://oz.example:8337/t"}, "on port 443, 80, 88, 8443"),
        ({"webhook_url": "https://oz.example:x/t"}, "on port 443, 80, 88, 8443"),
        ({"secret": "two words"}, "takes 1 to 256 letters, digits, _ or -"),
        ({"api_url": "api.telegram.org"}, "takes an address that begins with https://"),
        ({"mode": "sometimes"}, "'polling' or 'webhook'"),
    ],
)
def test_a_setting_that_does_not_fit_is_said_in_words(given: dict[str, Any], said: str) -> None:
    """What it takes, not what a parser thought of it."""
    with pytest.raises(ValidationError) as refused:
        Settings.model_validate({"token": TOKEN} | given)
    assert said in str(refused.value)


def test_what_is_not_set_is_telegrams_own() -> None:
    """One secret for all replicas of a bot, from its token; the path from the address."""
    one = Settings.model_validate({"token": f" {TOKEN} "})
    assert (one.api_url, one.mode) == ("https://api.telegram.org", "polling")
    assert one.token.get_secret_value() == TOKEN
    hooked = Settings.model_validate({"token": TOKEN, "mode": "webhook", "webhook_url": HOOK})
    assert hooked.webhook_path == "/telegram"
    assert hooked.webhook_secret == one.webhook_secret
    assert TOKEN not in hooked.webhook_secret
    own = Settings.model_validate({"token": TOKEN, "secret": "mine"})
    assert own.webhook_secret == "mine"
    assert TOKEN not in repr(own)


async def found(chat: Telegram, **more: Any) -> dict[str, Finding]:
    """What is found, by what was looked at."""
    settings = Settings.model_validate(chat.settings() | more)
    return {one.what: one for one in await CHANNEL.examine(settings)}


async def test_all_is_well_where_it_is() -> None:
    """Polling, with privacy mode on."""
    async with platform() as chat:
        assert all(one.fine and not one.mend for one in (await found(chat)).values())
        assert "the token is @oz_test_bot's" in await found(chat)


async def test_each_fault_is_named_with_how_to_mend_it() -> None:
    """Token, network, privacy, webhook: one at a time."""
    async with platform() as chat:
        wrong = await found(chat, token="5000001:AAsome-other-token-than-ours-000")
        assert "/token to @BotFather" in wrong["the token"].mend
        away = await found(chat, api_url="http://127.0.0.1:1")
        assert "can this machine reach http://127.0.0.1:1?" in away["Telegram answers"].mend
        chat.world.privacy = False
        assert "/setprivacy" in (await found(chat))["privacy mode"].mend


async def test_a_webhook_is_looked_at_from_both_sides() -> None:
    """One that is set and not wanted, wanted and not set, elsewhere, or not reached."""
    hooked = {"mode": "webhook", "webhook_url": HOOK}
    async with platform(retry_s=0.01) as chat:
        assert "posts to nowhere" in (await found(chat, **hooked))["the webhook"].mend
        chat.updates.set_webhook({"url": HOOK})
        assert "Telegram posts to webhook_url" in await found(chat, **hooked)
        assert "A webhook is set" in (await found(chat))["updates"].mend
        other = hooked | {"webhook_url": "https://oz.example/other"}
        assert HOOK in (await found(chat, **other))["the webhook"].mend
        chat.lead(HOOK, "http://127.0.0.1:1/telegram")
        await chat.type("7", "7", "hello")
        hook = chat.updates.webhook
        assert hook is not None
        await chat.until(lambda: hook.error)
        assert "by HTTPS" in (await found(chat, **hooked))["the webhook is reached"].mend


async def test_looking_changes_nothing() -> None:
    """No call that sets, sends or takes."""
    async with platform() as chat:
        await found(chat)
        assert {one.method for one in chat.calls} == {"getMe", "getWebhookInfo"}
