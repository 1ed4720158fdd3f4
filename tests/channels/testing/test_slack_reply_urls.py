"""The real webhook client against the fake workspace: answers by `response_url`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from channels.testing.slack import Slack
from tests.channels.testing.slack_client import BLOCKS, client_of, workspace


@pytest.fixture
async def chat() -> AsyncIterator[Slack]:
    """A workspace with two people, a channel and a private one."""
    async with workspace() as made:
        yield made


@pytest.fixture
def client(chat: Slack, monkeypatch: pytest.MonkeyPatch) -> AsyncWebClient:
    """The SDK's client with the app's token, trying once."""
    return client_of(chat, monkeypatch)


def reply_url(chat: Slack, ts: str | None = None) -> str:
    """A `response_url` of Ana's in C1, for the message of that ts."""
    return f"{chat.url}/reply/{chat.space.reply_url('U1', 'C1', ts, None)}"


async def test_a_response_url_answers_five_times(chat: Slack) -> None:
    """To them alone, or for all; the sixth is refused."""
    hook = AsyncWebhookClient(reply_url(chat))
    for number in range(4):
        assert (await hook.send(text=str(number))).status_code == 200
    await hook.send(text="all", response_type="in_channel")
    answer = await hook.send(text="late")
    assert (answer.status_code, "used_url" in answer.body) == (404, True)
    assert chat.told("U1") == ["0", "1", "2", "3"]
    assert [one.text for one in chat.messages("C1")] == ["all"]


async def test_a_response_url_replaces_and_deletes_what_was_acted_on(
    chat: Slack, client: AsyncWebClient
) -> None:
    """Both a message that all see and one that only they do."""
    ts = (await client.chat_postMessage(channel="C1", text="x", blocks=BLOCKS))["ts"]
    hook = AsyncWebhookClient(reply_url(chat, ts))
    await hook.send(text="new", replace_original=True)
    assert [one.text for one in chat.messages("C1")] == ["new"]
    assert (await hook.send(delete_original=True)).status_code == 200
    assert chat.messages("C1") == []
    ts = (await client.chat_postEphemeral(channel="C1", user="U1", text="x"))["message_ts"]
    hook = AsyncWebhookClient(reply_url(chat, ts))
    await hook.send(text="newer", replace_original=True)
    assert [one.text for one in chat.messages("C1", account="U1")] == ["newer"]
    await hook.send(delete_original=True)
    assert chat.messages("C1", account="U1") == []
    assert chat.told("U1") == ["x", "newer"]


async def test_a_response_url_that_is_refused_says_why(chat: Slack) -> None:
    """Nothing to say, blocks it does not take, an address that nobody gave."""
    answer = await AsyncWebhookClient(reply_url(chat)).send(text="")
    assert (answer.status_code, "no_text" in answer.body) == (400, True)
    answer = await AsyncWebhookClient(reply_url(chat)).send(text="x", blocks=[{"type": "poem"}])
    assert "invalid_blocks" in answer.body
    answer = await AsyncWebhookClient(f"{chat.url}/reply/other").send(text="x")
    assert (answer.status_code, "invalid_url" in answer.body) == (404, True)


async def test_a_response_url_expires() -> None:
    """After its time it is good for nothing."""
    async with Slack(reply_url_s=0.0) as chat:
        chat.person("U1", "Ana")
        chat.channel("C1", ("U1",))
        answer = await AsyncWebhookClient(reply_url(chat)).send(text="x")
        assert (answer.status_code, "expired_url" in answer.body) == (404, True)
