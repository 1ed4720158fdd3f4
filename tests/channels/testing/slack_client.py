"""The real Web API client of a small fake workspace, and what a call of it is refused with."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.slack import Slack

BUTTON = {"type": "button", "text": {"type": "plain_text", "text": "Yes"}, "action_id": "yes"}
BLOCKS: list[dict[str, Any]] = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "*Ship* &lt;it&gt;?"}},
    {"type": "actions", "elements": [BUTTON]},
]


@asynccontextmanager
async def workspace() -> AsyncIterator[Slack]:
    """A workspace with two people, a channel and a private one."""
    async with Slack() as made:
        made.person("U1", "Ana", email="ana@example.com")
        made.person("U2", "Ben")
        made.channel("C1", ("U1", "U2"), name="ops")
        made.group("G1", ("U1",))
        yield made


def client_of(chat: Slack, monkeypatch: pytest.MonkeyPatch) -> AsyncWebClient:
    """The SDK's client with the app's token, trying once."""
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)
    return AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])


async def refused(call: Awaitable[Any]) -> str:
    """The code a call is refused with, as the SDK has it."""
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])
