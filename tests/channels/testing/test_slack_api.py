"""The real Web API client against the fake workspace: what is taken, what refused, and how."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from channels.testing.slack import Slack
from tests.channels.testing.slack_client import BLOCKS, BUTTON, client_of, refused, workspace

pytestmark = pytest.mark.filterwarnings("ignore:The top-level `text` argument:UserWarning")


@pytest.fixture
async def chat() -> AsyncIterator[Slack]:
    """A workspace with two people, a channel and a private one."""
    async with workspace() as made:
        yield made


@pytest.fixture
def client(chat: Slack, monkeypatch: pytest.MonkeyPatch) -> AsyncWebClient:
    """The SDK's client with the app's token, trying once."""
    return client_of(chat, monkeypatch)


async def test_a_post_stands_in_the_channel(chat: Slack, client: AsyncWebClient) -> None:
    """What is posted is what people see, and the answer names it."""
    answer = await client.chat_postMessage(channel="C1", text="Ship it?", blocks=BLOCKS)
    (message,) = chat.messages("C1")
    assert (answer["channel"], answer["ts"]) == ("C1", message.id)
    assert message.text == "Ship <it>?"
    assert [(one.label, one.name, one.kind) for one in message.controls] == [
        ("Yes", "yes", "button")
    ]
    assert answer["message"]["blocks"][1]["block_id"]
    assert message.author == "UOZ"


async def test_a_post_to_a_person_lands_in_their_own_conversation(
    chat: Slack, client: AsyncWebClient
) -> None:
    """A person's id is taken as a channel; the answer names the conversation with them."""
    answer = await client.chat_postMessage(channel="U1", text="Hello")
    assert answer["channel"] == chat.dm("U1") == "D1"
    opened = await client.conversations_open(users="U1")
    assert opened["channel"]["id"] == "D1"
    assert await refused(client.chat_update(channel="U1", ts=answer["ts"], text="x")) == (
        "channel_not_found"
    )
    await client.chat_update(channel="D1", ts=answer["ts"], text="Bye")
    assert [(one.text, one.edited) for one in chat.messages("D1")] == [("Bye", True)]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"channel": "C9", "text": "x"}, "channel_not_found"),
        ({"channel": "U9", "text": "x"}, "channel_not_found"),
        ({"channel": "C1"}, "no_text"),
        ({"channel": "C1", "text": " "}, "no_text"),
        ({"channel": "C1", "text": "x", "blocks": "["}, "invalid_blocks_format"),
        ({"channel": "C1", "text": "x", "blocks": [{"type": "poem"}]}, "invalid_blocks"),
        ({"channel": "C1", "text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        (
            {"channel": "C1", "text": "x", "metadata": {"event_type": "e"}},
            "invalid_metadata_format",
        ),
        ({"channel": "C1", "text": "x", "markdown_text": "x"}, "markdown_text_conflict"),
        ({"channel": "C1", "text": "x", "attachments": [{}] * 101}, "too_many_attachments"),
        ({"channel": "C1", "text": "x", "client_msg_id": "no uuid"}, "invalid_arguments"),
        (
            {
                "channel": "C1",
                "text": "x",
                "blocks": [{"type": "section", "text": {"type": "plain_text", "text": "&" * 2650}}],
            },
            "msg_blocks_too_long",
        ),
    ],
)
async def test_a_post_that_slack_refuses_is_refused(
    chat: Slack, client: AsyncWebClient, arguments: dict[str, Any], code: str
) -> None:
    """Each with Slack's own code, and nothing stands anywhere."""
    assert await refused(client.chat_postMessage(**arguments)) == code
    assert chat.messages("C1") == []
    assert chat.calls[-1].refused == code


async def test_what_is_wrong_with_blocks_is_told(client: AsyncWebClient) -> None:
    """The answer points at the very place."""
    blocks = [*BLOCKS, {"type": "actions", "elements": [dict(BUTTON, action_id="b")] * 26}]
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C1", text="x", blocks=blocks)
    said = "no more than 25 items allowed [json-pointer:/blocks/2/elements]"
    assert caught.value.response["errors"] == [said]
    assert caught.value.response["response_metadata"]["messages"] == [f"[ERROR] {said}"]


async def test_a_text_past_the_limit_is_cut_with_a_warning(
    chat: Slack, client: AsyncWebClient
) -> None:
    """40,000 characters stand; the rest is gone, and the answer says so."""
    answer = await client.chat_postMessage(channel="C1", text="a" * 40_001)
    assert answer["warning"] == "message_truncated"
    assert len(chat.messages("C1")[0].text) == 40_000


async def test_where_the_bot_is_not_it_can_post_in_public_alone(
    chat: Slack, client: AsyncWebClient
) -> None:
    """`chat:write.public` opens public channels; private ones are not even seen."""
    chat.remove_bot("C1")
    chat.remove_bot("G1")
    await client.chat_postMessage(channel="C1", text="x")
    assert await refused(client.chat_postMessage(channel="G1", text="x")) == "channel_not_found"
    chat.rules.scopes.discard("chat:write.public")
    assert await refused(client.chat_postMessage(channel="C1", text="x")) == "not_in_channel"
    chat.archive("C1")
    assert await refused(client.chat_postMessage(channel="C1", text="x")) == "is_archived"
    chat.delete_conversation("C1")
    assert await refused(client.chat_postMessage(channel="C1", text="x")) == "channel_not_found"
    chat.rules.messages_tab = False
    assert await refused(client.chat_postMessage(channel="U1", text="x")) == (
        "messages_tab_disabled"
    )


async def test_tokens_are_checked(chat: Slack, client: AsyncWebClient) -> None:
    """Missing, wrong, of the wrong kind, revoked, and without the scope: each its own code."""
    async with aiohttp.ClientSession() as session, session.post(f"{chat.api_url}auth.test") as said:
        assert (await said.json())["error"] == "not_authed"
    others = {"xoxb-other": "invalid_auth", "xapp-oz": "not_allowed_token_type"}
    for token, code in others.items():
        other = AsyncWebClient(token, base_url=chat.api_url)
        assert await refused(other.auth_test()) == code
    assert await refused(client.apps_connections_open(app_token="xoxb-oz")) == (
        "not_allowed_token_type"
    )
    assert await refused(client.apps_connections_open(app_token="xapp-no")) == "invalid_auth"
    assert await refused(client.api_call("nothing.here")) == "unknown_method"
    chat.rules.scopes.discard("chat:write")
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C1", text="x")
    assert caught.value.response["needed"] == "chat:write"
    assert "im:write" in caught.value.response["provided"]
    chat.revoke("account_inactive")
    assert await refused(client.auth_test()) == "account_inactive"


async def test_who_the_bot_is_and_what_it_may_is_told(client: AsyncWebClient) -> None:
    """`auth.test` names bot, app and team; every answer's headers name the scopes."""
    answer = await client.auth_test()
    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == ("UOZ", "BOZ", "T0001")
    assert "chat:write" in answer.headers["x-oauth-scopes"].split(",")
    bot = await client.bots_info(bot="BOZ")
    assert (bot["bot"]["app_id"], bot["bot"]["user_id"]) == ("A0001", "UOZ")


async def test_people_can_be_looked_up(chat: Slack, client: AsyncWebClient) -> None:
    """An address is shown with its scope only."""
    assert (await client.users_info(user="U1"))["user"]["profile"]["email"] == "ana@example.com"
    assert (await client.users_lookupByEmail(email="ana@example.com"))["user"]["id"] == "U1"
    assert await refused(client.users_info(user="U9")) == "user_not_found"
    assert await refused(client.users_lookupByEmail(email="no@example.com")) == "users_not_found"
    chat.rules.scopes.discard("users:read.email")
    assert "email" not in (await client.users_info(user="U1"))["user"]["profile"]


async def test_conversations_can_be_looked_at(chat: Slack, client: AsyncWebClient) -> None:
    """With the scope; history holds what everybody sees, replies hold a thread."""
    parent = await client.chat_postMessage(channel="C1", text="One")
    await client.chat_postMessage(channel="C1", text="Two", thread_ts=parent["ts"])
    await client.chat_postEphemeral(channel="C1", user="U1", text="Psst")
    history = await client.conversations_history(channel="C1")
    assert [one["text"] for one in history["messages"]] == ["One"]
    replies = await client.conversations_replies(channel="C1", ts=parent["ts"])
    assert [one["text"] for one in replies["messages"]] == ["One", "Two"]
    chat.rules.scopes -= {"channels:read", "groups:read"}
    assert await refused(client.conversations_info(channel="C1")) == "missing_scope"
    chat.rules.scopes.add("channels:read")
    assert (await client.conversations_info(channel="C1"))["channel"]["num_members"] == 3
    assert (await client.conversations_members(channel="C1"))["members"] == ["U1", "U2", "UOZ"]
    both = await client.conversations_open(users=["U1", "U2"])
    assert chat.space.conversations[both["channel"]["id"]].kind == "mpim"


async def test_replies_go_to_the_parent_of_a_thread(chat: Slack, client: AsyncWebClient) -> None:
    """A reply names the thread; a reply to a reply is refused."""
    parent = await client.chat_postMessage(channel="C1", text="One")
    reply = await client.chat_postMessage(channel="C1", text="Two", thread_ts=parent["ts"])
    assert reply["message"]["thread_ts"] == parent["ts"]
    assert [one.thread for one in chat.messages("C1")] == [None, parent["ts"]]
    third = client.chat_postMessage(channel="C1", text="Three", thread_ts=reply["ts"])
    assert await refused(third) == "cannot_reply_to_message"


async def test_an_update_changes_what_stands(chat: Slack, client: AsyncWebClient) -> None:
    """Text alone takes the blocks away and marks it edited; blocks are no edit to people."""
    ts = (await client.chat_postMessage(channel="C1", text="x", blocks=BLOCKS))["ts"]
    await client.chat_update(channel="C1", ts=ts, text="y", blocks=BLOCKS[:1])
    (message,) = chat.messages("C1")
    assert (message.controls, message.edited) == ((), False)
    await client.chat_update(channel="C1", ts=ts, text="Done")
    (message,) = chat.messages("C1")
    assert (message.text, message.edited, message.raw["blocks"]) == ("Done", True, [])


async def test_an_update_that_slack_refuses_is_refused(chat: Slack, client: AsyncWebClient) -> None:
    """Gone, other people's and ephemeral messages, and a text of too many bytes."""
    ts = (await client.chat_postMessage(channel="C1", text="x"))["ts"]
    theirs = await chat.type("U1", "C1", "mine")
    whisper = (await client.chat_postEphemeral(channel="C1", user="U1", text="x"))["message_ts"]
    for changed, code in {
        "1.000001": "message_not_found",
        whisper: "message_not_found",
        theirs: "cant_update_message",
    }.items():
        assert await refused(client.chat_update(channel="C1", ts=changed, text="y")) == code
    assert await refused(client.chat_update(channel="C1", ts=ts, text="é" * 2001)) == "msg_too_long"
    assert await refused(client.chat_update(channel="C1", ts=ts, text="")) == "no_text"
    assert await refused(client.chat_delete(channel="C1", ts=theirs)) == "cant_delete_message"
    await client.chat_delete(channel="C1", ts=ts)
    assert await refused(client.chat_update(channel="C1", ts=ts, text="y")) == "message_not_found"
    assert await refused(client.chat_getPermalink(channel="C1", message_ts=ts)) == (
        "message_not_found"
    )


async def test_a_whisper_is_for_one_person(chat: Slack, client: AsyncWebClient) -> None:
    """Only they see it, and only where both they and the bot are."""
    await client.chat_postEphemeral(channel="C1", user="U1", text="Psst &amp; shh")
    assert chat.told("U1") == ["Psst & shh"]
    assert (chat.messages("C1"), chat.told("U2")) == ([], [])
    assert len(chat.messages("C1", account="U1")) == 1
    outside = client.chat_postEphemeral(channel="G1", user="U2", text="x")
    assert await refused(outside) == "user_not_in_channel"
    chat.remove_bot("C1")
    without = client.chat_postEphemeral(channel="C1", user="U1", text="x")
    assert await refused(without) == "not_in_channel"


async def test_a_repeated_client_msg_id_makes_no_second_message(
    chat: Slack, client: AsyncWebClient
) -> None:
    """Unless Slack is told to forget it; of a deleted message it is refused."""
    key = str(uuid4())

    async def post() -> str:
        answer = await client.chat_postMessage(channel="C1", text="x", client_msg_id=key)
        return str(answer["ts"])

    first = await post()
    assert await post() == first
    chat.rules.remembers_client_msg_id = False
    assert await post() != first
    assert len(chat.messages("C1")) == 2
    chat.rules.remembers_client_msg_id = True
    await client.chat_delete(channel="C1", ts=first)
    again = client.chat_postMessage(channel="C1", text="x", client_msg_id=key)
    assert await refused(again) == "duplicate_message_not_found"


async def test_posts_can_be_paced(chat: Slack, client: AsyncWebClient) -> None:
    """A second post to a channel within the pace meets 429 and `Retry-After`; another does not."""
    chat.rules.post_every_s = 60.0
    await client.chat_postMessage(channel="C1", text="x")
    await client.chat_postMessage(channel="G1", text="x")
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C1", text="y")
    assert caught.value.response.status_code == 429
    assert caught.value.response["error"] == "ratelimited"
    assert caught.value.response.headers["Retry-After"] == "60"
    assert len(chat.messages("C1")) == 1


async def test_mentions_and_previews_are_kept_count_of(chat: Slack, client: AsyncWebClient) -> None:
    """Whom a message called, and what was fetched for it; disarmed text calls nobody."""
    rich = {"type": "user", "user_id": "U2"}
    line = {"type": "rich_text_section", "elements": [rich]}
    blocks: list[dict[str, Any]] = [
        {"type": "section", "text": {"type": "plain_text", "text": "<!here> <@U1>"}},
        {"type": "rich_text", "elements": [line]},
    ]
    answer = await client.chat_postMessage(
        channel="C1", text="<!channel> &lt;@U1&gt; @everyone", blocks=blocks
    )
    assert chat.pings == [("C1", "channel"), ("C1", "U2")]
    chat.pings.clear()
    await client.chat_update(channel="C1", ts=answer["ts"], text="@everyone", parse="none")
    assert chat.pings == []
    await client.chat_update(channel="C1", ts=answer["ts"], text="@everyone")
    assert chat.pings == [("C1", "everyone")]
    await client.chat_postMessage(channel="C1", text="https://a.example/x", unfurl_media=False)
    assert chat.previews == []
    await client.chat_postMessage(channel="C1", text="https://a.example/x")
    assert chat.previews == [("C1", "https://a.example/x")]


async def test_faults_come_as_they_were_asked_for(chat: Slack, client: AsyncWebClient) -> None:
    """429, 5xx, a refusal that only Slack can think of, a lost answer, a cut connection."""
    chat.fail("chat.postMessage", status=429, headers={"Retry-After": "7"})
    with pytest.raises(SlackApiError) as caught:
        await client.chat_postMessage(channel="C1", text="x")
    assert caught.value.response.headers["Retry-After"] == "7"
    chat.fail("*", status=503, body="down")
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel="C1", text="x")
    chat.fail("chat.update", status=200, body={"ok": False, "error": "edit_window_closed"})
    closed = client.chat_update(channel="C1", ts="1.000001", text="x")
    assert await refused(closed) == "edit_window_closed"
    chat.fail("chat.postMessage", lost=True)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel="C1", text="lost")
    assert [one.text for one in chat.messages("C1")] == ["lost"]
    async with chat.outage():
        with pytest.raises(aiohttp.ClientError):
            await client.auth_test()
    assert (await client.auth_test())["ok"]
    assert chat.count("chat.postMessage") == 1


async def test_every_call_is_remembered(chat: Slack, client: AsyncWebClient) -> None:
    """With its arguments, its time and the code it was refused with."""
    await client.chat_postMessage(channel="C1", text="x", unfurl_links=False)
    await refused(client.chat_postMessage(channel="C9", text="x"))
    first, second = chat.calls
    assert (first.method, first.refused) == ("chat.postMessage", None)
    assert first.payload == {"channel": "C1", "text": "x", "unfurl_links": False}
    assert second.refused == "channel_not_found"
    assert first.at <= second.at


async def test_how_the_app_is_set_up_is_told_to_its_owner_alone(
    chat: Slack, client: AsyncWebClient
) -> None:
    """By a token of its own kind, for its own app; and what is told is what holds."""
    app = (await client.bots_info(bot="BOZ"))["bot"]["app_id"]
    export = client.apps_manifest_export
    assert await refused(export(app_id=app)) == "not_allowed_token_type"
    assert await refused(export(app_id=app, token="xoxe.other")) == "invalid_auth"
    token = chat.rules.config_token
    assert await refused(export(app_id="A404", token=token)) == "invalid_app_id"
    chat.rules.events = {"message.im"}
    chat.rules.messages_tab = False
    told = (await export(app_id=app, token=token))["manifest"]
    assert told["settings"]["event_subscriptions"] == {"bot_events": ["message.im"]}
    assert told["settings"]["socket_mode_enabled"] is True
    assert told["features"]["app_home"]["messages_tab_enabled"] is False
    chat.carrier.request_url = "https://oz.example.com/slack/events"
    told = (await export(app_id=app, token=token))["manifest"]
    assert told["settings"]["socket_mode_enabled"] is False
    assert told["settings"]["interactivity"]["request_url"] == chat.carrier.request_url
