"""What the fake sends, held to Slack's own samples where the folder with them is there."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.slack import Slack
from channels.testing.slack.payloads import typed
from channels.testing.slack.reading import marked_up, words

Json = dict[str, Any]
SPECS = os.environ.get("OZ_SPECS")
FREE = {"blocks", "values", "metadata", "event_payload", "actions", "placeholder", "retry_reason"}
"""Keys below which a sample has no shape of its own."""
NEWER = {
    "blocks",
    "context_team_id",
    "context_enterprise_id",
    "hash",
    "response_url",
    "state",
    "response_urls",
    "previous_message",
    "bot_profile/user_id",
    "message/team",
}
"""Keys that Slack's documents name and its samples leave out."""

BUTTON = {
    "type": "button",
    "text": {"type": "plain_text", "text": "Yes"},
    "action_id": "yes",
    "value": "1",
}
VIEW = {
    "type": "modal",
    "title": {"type": "plain_text", "text": "Answer"},
    "blocks": [{"type": "actions", "elements": [BUTTON]}],
    "notify_on_close": True,
}


@pytest.fixture
async def chat() -> AsyncIterator[Slack]:
    """A workspace with Ana in it, and nobody who acknowledges anything."""
    async with Slack(ack_s=0.01, retries_s=()) as made:
        made.person("U1", "Ana", email="ana@example.com")
        made.channel("C1", ("U1",))
        yield made


def strange(made: Any, sample: Any, at: str = "") -> Iterator[str]:
    """Keys of `made` that the sample does not know."""
    if isinstance(made, list) and isinstance(sample, list) and sample:
        for one in made:
            yield from strange(one, sample[0], at)
    elif isinstance(made, dict) and isinstance(sample, dict):
        for key, value in made.items():
            if key in NEWER or f"{at}/{key}" in NEWER:
                continue
            if key not in sample:
                yield f"{at}/{key}"
            elif key not in FREE:
                yield from strange(value, sample[key], f"{at}/{key}".strip("/") if not at else key)


def sample(name: str) -> Any:
    """One of Slack's own samples."""
    folder = Path(SPECS or "") / "slack" / "java-slack-sdk-json-samples"
    return json.loads((folder / f"{name}.json").read_text())


async def everything(chat: Slack) -> dict[str, Json]:
    """One payload of each kind that the fake brings, by the name of its sample."""
    client = AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])
    blocks = [{"type": "actions", "elements": [BUTTON]}]
    posted = await client.chat_postMessage(channel="C1", text="x", blocks=blocks)
    post = chat.messages("C1")[0]
    ts = await chat.type("U1", "C1", "@OZ hi", thread=posted["ts"])
    await chat.edit("U1", "C1", ts, "ho")
    await chat.delete("C1", ts)
    await chat.open_home("U1")
    await client.views_publish(user_id="U1", view={"type": "home", "blocks": blocks})
    await chat.open_home("U1")
    await chat.press("U1", post, "Yes")
    await chat.command("U1", "C1", "help")
    await client.views_open(trigger_id=chat.space.trigger("U1"), view=VIEW)
    await chat.press_in_form("U1", "Yes")
    await chat.submit("U1", {})
    await chat.close_form("U1")
    await chat.until(lambda: all(one.answer for one in chat.deliveries))
    names = {
        "message": "events/MessagePayload",
        "message_changed": "events/MessageChangedPayload",
        "message_deleted": "events/MessageDeletedPayload",
        "app_mention": "events/AppMentionPayload",
        "app_home_opened": "events/AppHomeOpenedPayload",
        "block_actions": "app-backend/interactive-components/BlockActionPayload",
        "view_submission": "app-backend/views/ViewSubmissionPayload",
        "view_closed": "app-backend/views/ViewClosedPayload",
        "command": "app-backend/slash-commands/SlashCommandPayload",
    }
    found = {}
    for one in chat.deliveries:
        event = one.payload.get("event", one.payload)
        found[names[event.get("subtype") or event.get("type", "command")]] = one.payload
    assert len(found) == len(names)
    return found


@pytest.mark.skipif(not SPECS, reason="OZ_SPECS names no folder of the platforms' own samples")
async def test_what_is_brought_has_the_keys_that_slack_sends(chat: Slack) -> None:
    """No key that Slack does not send."""
    for name, payload in (await everything(chat)).items():
        assert list(strange(payload, sample(name))) == [], name


async def test_what_is_brought_has_the_keys_that_apps_read(chat: Slack) -> None:
    """Those that Slack's documents promise for each."""
    found = await everything(chat)
    for name, payload in found.items():
        if name.startswith("events/"):
            assert payload.keys() >= {
                "token", "team_id", "api_app_id", "event", "type", "event_id", "event_time",
                "authorizations", "is_ext_shared_channel",
            }  # fmt: skip
        elif "slash" not in name:
            assert payload.keys() >= {"type", "user", "team", "api_app_id", "enterprise"}
            assert payload["user"].keys() == {"id", "username", "name", "team_id"}
    message = found["events/MessagePayload"]["event"]
    assert message.keys() >= {"type", "user", "text", "ts", "channel", "event_ts", "channel_type"}
    submitted = found["app-backend/views/ViewSubmissionPayload"]
    assert submitted["view"].keys() >= {"id", "hash", "state", "private_metadata", "callback_id"}
    assert "channel" not in submitted


@pytest.mark.skipif(not SPECS, reason="OZ_SPECS names no folder of the platforms' own samples")
async def test_what_calls_answer_has_the_keys_that_slack_answers(chat: Slack) -> None:
    """No key that Slack does not answer."""
    client = AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])
    chat.rules.scopes |= {"channels:read"}
    post = await client.chat_postMessage(channel="C1", text="x")
    ts = post["ts"]
    answers = {
        "chat.postMessage": post,
        "auth.test": await client.auth_test(),
        "bots.info": await client.bots_info(bot="BOZ"),
        "chat.update": await client.chat_update(channel="C1", ts=ts, text="y"),
        "chat.postEphemeral": await client.chat_postEphemeral(channel="C1", user="U1", text="x"),
        "chat.getPermalink": await client.chat_getPermalink(channel="C1", message_ts=ts),
        "users.info": await client.users_info(user="U1", include_locale=True),
        "users.lookupByEmail": await client.users_lookupByEmail(email="ana@example.com"),
        "conversations.open": await client.conversations_open(users="U1", return_im=True),
        "conversations.info": await client.conversations_info(channel="C1"),
        "conversations.members": await client.conversations_members(channel="C1"),
        "conversations.history": await client.conversations_history(channel="C1"),
        "views.open": await client.views_open(trigger_id=chat.space.trigger("U1"), view=VIEW),
        "apps.connections.open": await client.apps_connections_open(app_token="xapp-oz"),
        "chat.delete": await client.chat_delete(channel="C1", ts=ts),
    }
    for name, answer in answers.items():
        assert list(strange(answer.data, sample(f"api/{name}"))) == [], name


# What people read


@pytest.mark.parametrize(
    ("wire", "read"),
    [
        ("*bold* _it_ ~no~ `code`", "bold it no code"),
        ("2*3*4 a_b_c", "2*3*4 a_b_c"),
        ("&lt;@U1&gt; &amp;amp;", "<@U1> &amp;"),
        ("<@U1> <#C1> <#C1|ops> <!here>", "@Ana #general #ops @here"),
        ("<https://a.example|here> <https://a.example>", "here https://a.example"),
        ("<!date^1800000000^{date} at {time}|15 Jan 2027>", "15 Jan 2027"),
    ],
)
def test_markup_is_read_as_people_read_it(wire: str, read: str) -> None:
    """Tokens become names, escapes characters, emphasis nothing."""
    assert marked_up(wire, {"U1": "Ana", "C1": "general"}.__getitem__) == read


def test_blocks_are_read_in_order() -> None:
    """Header, sections with fields, context, markdown and rich text, a paragraph each."""
    line = {
        "type": "rich_text_section",
        "elements": [
            {"type": "text", "text": "a*"},
            {"type": "user", "user_id": "U1"},
            {"type": "emoji", "name": "x"},
            {"type": "broadcast", "range": "here"},
            {"type": "link", "url": "https://a.example"},
        ],
    }
    listed = {"type": "rich_text_list", "style": "bullet", "elements": [line, line]}
    blocks: list[Json] = [
        {"type": "header", "text": {"type": "plain_text", "text": "*H*"}},
        {
            "type": "section",
            "text": {"type": "mrkdwn", "text": "*T*"},
            "fields": [{"type": "plain_text", "text": "F"}],
        },
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "_C_"}]},
        {"type": "divider"},
        {"type": "markdown", "text": "M"},
        {"type": "rich_text", "elements": [listed]},
    ]
    rich = "a*@U1:x:@herehttps://a.example"
    assert words(blocks, "never", str).split("\n") == ["*H*", "T", "F", "C", "M", rich, rich]
    assert words([], "*only*", str) == "only"


async def test_a_conversation_can_be_looked_at_as_a_page(chat: Slack) -> None:
    """Names, bold words, controls, threads and whispers; and nothing in it is markup."""
    client = AsyncWebClient("xoxb-oz", base_url=chat.api_url, retry_handlers=[])
    line = [{"type": "text", "text": "<b>", "style": {"bold": True}}]
    rich = {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": line}]}
    go = {**BUTTON, "style": "primary", "action_id": "go"}
    menu = {
        "type": "static_select",
        "placeholder": {"type": "plain_text", "text": "Pick"},
        "options": [{"text": {"type": "plain_text", "text": "A"}, "value": "a"}],
    }
    small = {"type": "context", "elements": [{"type": "mrkdwn", "text": "_small_"}]}
    blocks: list[Json] = [rich, {"type": "actions", "elements": [BUTTON, go, menu]}, small]
    post = await client.chat_postMessage(channel="C1", text="x", blocks=blocks)
    await chat.type("U1", "C1", "a < b", thread=post["ts"])
    await client.chat_postEphemeral(channel="C1", user="U1", text="Psst")
    page = chat.html("C1", account="U1")
    assert "<b>OZ</b><p><b>&lt;b&gt;</b></p>" in page
    assert '<span class="button">Yes</span><span class="button primary">Yes</span>' in page
    assert '<span class="menu">Pick</span>' in page
    assert "<small>small</small>" in page
    assert '<article class="reply"><b>Ana</b><p>a &lt; b</p></article>' in page
    assert "Only visible to you" in page
    assert "Psst" not in chat.html("C1")


def test_what_is_typed_is_rich_text_as_well() -> None:
    """Each part as its own element."""
    wire, (block,) = typed("@here @Ana Lee <https://a.example/?a=1&b=2>", {"Ana Lee": "U2"})
    assert wire == "<!here> <@U2> &lt;<https://a.example/?a=1&amp;b=2>&gt;"
    kinds = [one["type"] for one in block["elements"][0]["elements"]]
    assert kinds == ["broadcast", "text", "user", "text", "link", "text"]
    assert typed("", {}) == ("", [])
