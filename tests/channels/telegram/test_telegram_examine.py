"""`oz0 doctor` on Telegram: what its facts say of now, and what only of some day in the past."""

from __future__ import annotations

import time

import pytest

from channels.contract import Finding
from channels.telegram.channel import CHANNEL
from channels.telegram.settings import Settings
from tests.channels.telegram.rooms import platform

HOOK = "https://oz.example/telegram"


@pytest.mark.parametrize(("ago_s", "fine"), [(60, False), (3 * 3600, True)])
async def test_an_error_of_the_webhook_is_told_while_it_is_new(ago_s: int, *, fine: bool) -> None:
    """Telegram tells of the last one for good, whatever it could post since."""
    async with platform() as chat:
        chat.updates.set_webhook({"url": HOOK})
        assert chat.updates.webhook is not None
        chat.updates.webhook.error = (int(time.time()) - ago_s, "Wrong response: 502")
        told = Settings.model_validate(chat.settings() | {"mode": "webhook", "webhook_url": HOOK})
        last: Finding = (await CHANNEL.examine(told))[-1]
    assert last.fine is fine
