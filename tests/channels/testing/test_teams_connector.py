"""What the real SDK may post through the fake connector, and what it is refused for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
import requests
from botbuilder.schema import Activity, ChannelAccount, ErrorResponseException, Mention
from msrest.exceptions import ClientRequestError

from channels.testing.teams import SCOPE, Teams
from tests.channels.testing.teams_sdk import SdkBot, listening

ANA, BO, CY = "29:ana", "29:bo", "29:cy"
GROUP, CHANNEL = "19:g@thread.v2", "19:c@thread.tacv2"
ADAPTIVE = "application/vnd.microsoft.card.adaptive"


@pytest.fixture
async def teams() -> AsyncGenerator[Teams, None]:
    """Three people, a group chat and a channel with two of them."""
    async with Teams() as found:
        found.person(ANA, "Ana Lee")
        found.person(BO, "Bo")
        found.person(CY, "Cy", installed=False)
        found.group(GROUP, members=[ANA, BO])
        found.channel(CHANNEL, members=[ANA, BO], name="General")
        yield found


@pytest.fixture
async def bot(teams: Teams) -> AsyncGenerator[SdkBot, None]:
    """A bot of the real SDK that the fake knows of."""
    async with listening(teams) as found:
        yield found


def card(*body: dict[str, Any], version: str = "1.5", **more: Any) -> dict[str, Any]:
    """An attachment with an Adaptive Card."""
    content = {"type": "AdaptiveCard", "version": version, "body": list(body), **more}
    return {"contentType": ADAPTIVE, "content": content}


def code(error: ErrorResponseException) -> tuple[int, str]:
    """The status and the code, as the SDK's own error has them."""
    return error.response.status_code, error.error.error.code


async def refused(bot: SdkBot, conversation: str, **parts: Any) -> tuple[int, str]:
    """How a message is refused."""
    with pytest.raises(ErrorResponseException) as found:
        await bot.send(conversation, **parts)
    return code(found.value)


# What is taken


async def test_a_message_is_posted_replaced_and_deleted(teams: Teams, bot: SdkBot) -> None:
    """Each step shows in the chat, under the id that the SDK was given."""
    chat = teams.chat(ANA)
    message = await bot.send(chat, text="Which **one**?")
    assert [(one.id, one.text, one.edited) for one in teams.messages(chat)] == [
        (message, "Which one?", False)
    ]
    client = await bot.client()
    await client.conversations.update_activity(chat, message, Activity(type="message", text="Two"))
    assert [(one.text, one.edited) for one in teams.messages(chat)] == [("Two", True)]
    await client.conversations.delete_activity(chat, message)
    assert teams.messages(chat) == []
    assert [one.method for one in teams.calls] == [
        "token",
        "sendToConversation",
        "updateActivity",
        "deleteActivity",
    ]


async def test_a_reply_to_an_id_nobody_knows_is_taken(teams: Teams, bot: SdkBot) -> None:
    """The SDK replies to random ids when it continues a conversation."""
    client = await bot.client()
    activity = Activity(type="message", text="hello")
    await client.conversations.reply_to_activity(teams.chat(ANA), "no-such-id", activity)
    assert teams.count("replyToActivity") == 1
    assert [one.text for one in teams.messages(teams.chat(ANA))] == ["hello"]


async def test_text_and_a_card_become_two_messages(teams: Teams, bot: SdkBot) -> None:
    """The id that comes back is the text's, so the card can no longer be told."""
    chat = teams.chat(ANA)
    block = {"type": "TextBlock", "text": "in the card"}
    message = await bot.send(chat, text="words", attachments=[card(block)])
    first, second = teams.messages(chat)
    assert (first.id, first.text, second.text) == (message, "words", "in the card")


async def test_a_channel_is_written_to_in_a_thread_or_opens_one(teams: Teams, bot: SdkBot) -> None:
    """Without a thread a message opens one; with it, it stands inside."""
    root = await bot.send(CHANNEL, text="first")
    inside = await bot.send(teams.thread(CHANNEL, root), text="second")
    assert [(one.id, one.thread) for one in teams.messages(CHANNEL)] == [
        (root, None),
        (inside, root),
    ]
    client = await bot.client()
    changed = Activity(type="message", text="changed")
    with pytest.raises(ErrorResponseException) as found:
        await client.conversations.update_activity(CHANNEL, inside, changed)
    assert code(found.value) == (404, "ActivityNotFoundInConversation")
    await client.conversations.update_activity(teams.thread(CHANNEL, root), inside, changed)
    assert teams.messages(CHANNEL)[1].text == "changed"


async def test_a_chat_is_opened_with_the_tenant_in_its_data(teams: Teams, bot: SdkBot) -> None:
    """The SDK writes the tenant under a key the service does not read; `channelData` mends it."""
    who = {"members": [ChannelAccount(id=ANA)], "bot": ChannelAccount(id=f"28:{teams.app_id}")}
    with pytest.raises(ErrorResponseException) as found:
        await bot.create(**who, tenant_id=teams.tenant)
    assert code(found.value) == (403, "Forbidden")
    tenant = {"tenant": {"id": teams.tenant}}
    opened = await bot.create(**who, channel_data=tenant)
    assert opened.id == teams.chat(ANA)
    entra = {"members": [ChannelAccount(id=teams.rooms.person(ANA).aad)]}
    assert (await bot.create(**entra, channel_data=tenant)).id == opened.id


async def test_a_thread_is_created_with_its_first_message(teams: Teams, bot: SdkBot) -> None:
    """The answer names the thread's conversation and the message in it."""
    activity = Activity(type="message", text="first")
    made = await bot.create(
        is_group=True, activity=activity, channel_data={"channel": {"id": CHANNEL}}
    )
    assert made.id == teams.thread(CHANNEL, made.activity_id)
    assert [one.text for one in teams.messages(made.id)] == ["first"]


async def test_rosters_are_read_in_pages(teams: Teams, bot: SdkBot) -> None:
    """Members come with their Entra id, a page at a time, or one by one."""
    client = await bot.client()
    page = await client.conversations.get_conversation_paged_members(GROUP, page_size=1)
    assert [one.id for one in page.members] == [ANA]
    rest = await client.conversations.get_conversation_paged_members(
        GROUP, page_size=1, continuation_token=page.continuation_token
    )
    assert ([one.id for one in rest.members], rest.continuation_token) == ([BO], None)
    everybody = await client.conversations.get_conversation_members(GROUP)
    assert [one.id for one in everybody] == [ANA, BO]
    one = await client.conversations.get_conversation_member(GROUP, teams.rooms.person(BO).aad)
    assert one.name == "Bo"
    with pytest.raises(ErrorResponseException) as found:
        await client.conversations.get_conversation_member(GROUP, "29:nobody")
    assert code(found.value) == (404, "MemberNotFoundInConversation")


async def test_a_targeted_message_is_seen_by_one_member(teams: Teams, bot: SdkBot) -> None:
    """It is private to its recipient, is not for chats of two, and is replaced as what it is."""
    token = bot.credentials.get_access_token()
    sent = {"type": "message", "text": "psst", "recipient": {"id": BO}}

    def post(conversation: str, body: dict[str, Any]) -> requests.Response:
        url = f"{teams.service_url}v3/conversations/{conversation}/activities"
        headers = {"Authorization": f"Bearer {token}"}
        query = {"isTargetedActivity": "true"}
        return requests.post(url, json=body, headers=headers, params=query, timeout=5)

    answer = await asyncio.to_thread(post, GROUP, sent)
    assert answer.status_code == 201
    assert teams.messages(GROUP) == teams.messages(GROUP, account=ANA) == []
    assert [one.private_to for one in teams.messages(GROUP, account=BO)] == [BO]
    for conversation, body in ((teams.chat(ANA), sent), (GROUP, {**sent, "recipient": None})):
        assert (await asyncio.to_thread(post, conversation, body)).status_code == 400


# What is refused


async def test_unknown_places_and_messages_are_not_found(teams: Teams, bot: SdkBot) -> None:
    """Unknown conversations, threads and messages are 404, each with its own code."""
    assert await refused(bot, "19:x@thread.v2", text="x") == (404, "ConversationNotFound")
    unknown = teams.thread(CHANNEL, "1")
    assert await refused(bot, unknown, text="x") == (404, "ConversationNotFound")
    client = await bot.client()
    with pytest.raises(ErrorResponseException) as found:
        await client.conversations.delete_activity(GROUP, "1")
    assert code(found.value) == (404, "ActivityNotFoundInConversation")
    theirs = await teams.type(ANA, GROUP, "mine")
    with pytest.raises(ErrorResponseException) as found:
        await client.conversations.delete_activity(GROUP, theirs)
    assert code(found.value) == (400, "BadArgument")


async def test_a_bot_that_may_not_write_is_told_why(teams: Teams, bot: SdkBot) -> None:
    """Not installed, blocked, disabled, unregistered, another region: each has its own code."""
    roster = (403, "BotNotInConversationRoster")
    await teams.uninstall(GROUP, by=ANA)
    assert await refused(bot, GROUP, text="x") == roster
    assert await refused(bot, teams.chat(CY), text="x") == roster
    with pytest.raises(ErrorResponseException) as found:
        await bot.create(
            members=[ChannelAccount(id=CY)], channel_data={"tenant": {"id": teams.tenant}}
        )
    assert code(found.value) == roster
    teams.block(ANA)
    assert await refused(bot, teams.chat(ANA), text="x") == (403, "MessageWritesBlocked")
    teams.disabled_by_admin = True
    assert await refused(bot, CHANNEL, text="x") == (403, "BotDisabledByAdmin")
    teams.disabled_by_admin = False
    client = await bot.client()
    teams.region = "amer"
    with pytest.raises(ErrorResponseException) as found:
        await client.conversations.send_to_conversation(CHANNEL, Activity(type="message", text="x"))
    assert code(found.value) == (403, "InvalidBotApiHost")
    teams.registered = False
    assert await refused(bot, CHANNEL, text="x") == (401, "BotNotRegistered")


async def test_access_tokens_are_checked(teams: Teams, bot: SdkBot) -> None:
    """A revoked token is refused by the gate, whose body is not the connector's."""
    await bot.send(GROUP, text="x")
    teams.identity.revoke()
    with pytest.raises(ErrorResponseException) as found:
        await bot.send(GROUP, text="x")
    assert found.value.response.status_code == 401
    assert found.value.error.error is None
    bot.credentials.get_access_token(force_refresh=True)
    await bot.send(GROUP, text="x")


@pytest.mark.parametrize(
    ("change", "status", "error"),
    [
        ({"client_secret": "wrong"}, 401, "invalid_client"),
        ({"client_id": "other"}, 400, "unauthorized_client"),
        ({"scope": "https://graph.microsoft.com/.default"}, 400, "invalid_scope"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
    ],
)
async def test_tokens_are_given_to_the_bot_alone(
    teams: Teams, change: dict[str, str], status: int, error: str
) -> None:
    """Entra's own errors, and the secret is not kept among the calls."""
    form = {
        "grant_type": "client_credentials",
        "client_id": teams.app_id,
        "client_secret": teams.identity.password,
        "scope": SCOPE,
    }

    async def ask(url: str, data: dict[str, str]) -> requests.Response:
        return await asyncio.to_thread(requests.post, url, data=data, timeout=5)

    answer = await ask(teams.identity.login_url, {**form, **change})
    assert (answer.status_code, answer.json()["error"]) == (status, error)
    assert "client_secret" not in teams.calls[-1].payload
    elsewhere = teams.identity.login_url.replace(teams.tenant, "other")
    assert (await ask(elsewhere, form)).json()["error"] == "invalid_request"
    assert (await ask(teams.identity.login_url, form)).json()["expires_in"] == 3599


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({}, (400, "BadSyntax")),
        ({"text": ""}, (400, "BadSyntax")),
        ({"text": "half \ud83d"}, (400, "BadSyntax")),
        ({"text": "x", "text_format": "html"}, (400, "BadArgument")),
        ({"text": "é" * 51_200}, (413, "MessageSizeTooBig")),
        ({"attachments": [card({"type": "TextBlock", "text": "x" * 28_700})]}, (413,)),
        ({"attachments": [{"contentType": "text/csv", "content": {}}]}, (400, "BadArgument")),
        ({"attachments": [card(version="1.6")]}, (400, "BadArgument")),
        (
            {
                "attachments": [
                    {
                        "contentType": "application/vnd.microsoft.card.hero",
                        "content": {"buttons": [{"type": "imBack"}] * 7},
                    }
                ]
            },
            (400, "BadArgument"),
        ),
    ],
)
async def test_messages_teams_does_not_take_are_refused(
    teams: Teams, bot: SdkBot, parts: dict[str, Any], why: tuple[Any, ...]
) -> None:
    """Empty, too big, or not what it says it is; nothing is posted."""
    found = await refused(bot, GROUP, **parts)
    assert found[: len(why)] == why
    assert teams.messages(GROUP) == []


async def test_a_message_of_just_the_size_is_taken(teams: Teams, bot: SdkBot) -> None:
    """The whole message may have 100 KB in UTF-16, what is around the text included."""
    # {"type":"message","text":"…"} has 28 characters around the text.
    await bot.send(GROUP, text="é" * (51_200 - 28))
    assert await refused(bot, GROUP, text="é" * (51_200 - 27)) == (413, "MessageSizeTooBig")


async def test_a_mention_has_to_stand_in_the_text(teams: Teams, bot: SdkBot) -> None:
    """A mention of a member whose words are there is taken; others are not."""

    async def send(text: str, who: str) -> None:
        account = ChannelAccount(id=who, name="Bo")
        mention = Mention(mentioned=account, text="<at>Bo</at>", type="mention")
        await bot.send(GROUP, text=text, entities=[mention])

    await send("hello <at>Bo</at>", BO)
    assert [one.text for one in teams.messages(GROUP)] == ["hello Bo"]
    for text, who in (("hello Bo", BO), ("hello <at>Bo</at>", CY)):
        with pytest.raises(ErrorResponseException) as found:
            await send(text, who)
        assert code(found.value) == (400, "BadArgument")


async def test_an_update_is_one_message(teams: Teams, bot: SdkBot) -> None:
    """Text and a card cannot replace a single message."""
    message = await bot.send(GROUP, text="x")
    client = await bot.client()
    both = Activity(type="message", text="y", attachments=[card()])
    with pytest.raises(ErrorResponseException) as found:
        await client.conversations.update_activity(GROUP, message, both)
    assert code(found.value) == (400, "BadSyntax")


# Faults


async def test_too_many_calls_are_told_how_long_to_wait(teams: Teams, bot: SdkBot) -> None:
    """429 with Retry-After, or without it; the SDK does not try a POST again."""
    teams.throttle("sendToConversation", retry_after_s=7)
    with pytest.raises(ErrorResponseException) as found:
        await bot.send(GROUP, text="x")
    assert code(found.value) == (429, "Throttled")
    assert found.value.response.headers["Retry-After"] == "7"
    teams.throttle("sendToConversation", retry_after_s=None)
    with pytest.raises(ErrorResponseException) as found:
        await bot.send(GROUP, text="x")
    assert "Retry-After" not in found.value.response.headers
    await bot.send(GROUP, text="x")
    assert [one.refused for one in teams.calls[1:]] == ["Throttled", "Throttled", None]


async def test_rates_are_counted_where_that_is_asked_for(teams: Teams, bot: SdkBot) -> None:
    """The eighth message in a second in one conversation is too many; elsewhere it is not."""
    teams.rate_limits = True
    for number in range(7):
        await bot.send(GROUP, text=str(number))
    assert await refused(bot, GROUP, text="7") == (429, "Throttled")
    await bot.send(CHANNEL, text="7")


async def test_an_answer_can_be_lost_after_its_effect(teams: Teams, bot: SdkBot) -> None:
    """The message stands there, and the SDK has an error of its connection."""
    teams.fail("sendToConversation", lost=True)
    with pytest.raises(ClientRequestError):
        await bot.send(GROUP, text="x")
    assert [one.text for one in teams.messages(GROUP)] == ["x"]


async def test_an_outage_closes_every_connection(teams: Teams, bot: SdkBot) -> None:
    """Tokens and the connector are away together, and come back."""
    async with teams.outage():
        with pytest.raises(requests.ConnectionError):
            await bot.send(GROUP, text="x")
    await bot.send(GROUP, text="x")
    async with teams.outage():
        with pytest.raises(ClientRequestError):
            await bot.send(GROUP, text="x")


async def test_an_update_is_tried_again_by_the_sdk(teams: Teams, bot: SdkBot) -> None:
    """A PUT that meets 502 is repeated by the SDK's own connection."""
    message = await bot.send(GROUP, text="x")
    client = await bot.client()
    client.config.retry_policy.backoff_factor = 0
    teams.fail("updateActivity", status=502)
    await client.conversations.update_activity(GROUP, message, Activity(type="message", text="y"))
    assert [one.refused for one in teams.calls[-2:]] == ["BadGateway", None]
