"""What the fake Teams tells a bot, heard by the real SDK."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from botbuilder.core import InvokeResponse

from channels.testing.teams import WRONG, Teams
from tests.channels.testing.teams_sdk import SdkBot, listening

ANA, BO = "29:ana", "29:bo"
GROUP, CHANNEL = "19:g@thread.v2", "19:c@thread.tacv2"


@pytest.fixture
async def teams() -> AsyncGenerator[Teams, None]:
    """Two people, a group chat and a channel."""
    async with Teams() as found:
        found.person(ANA, "Ana Lee")
        found.person(BO, "Bo")
        found.group(GROUP, members=[ANA, BO])
        found.channel(CHANNEL, members=[ANA, BO])
        yield found


@pytest.fixture
async def bot(teams: Teams) -> AsyncGenerator[SdkBot, None]:
    """A bot of the real SDK that the fake knows of."""
    async with listening(teams) as found:
        yield found


def raw(teams: Teams) -> dict[str, Any]:
    """The activity that was sent last, as it stood on the wire."""
    return teams.bot.sent[-1]


async def heard(teams: Teams, bot: SdkBot, count: int) -> None:
    """Waits until the bot has heard that many activities."""
    await teams.until(lambda: len(bot.heard) >= count and teams.count("acknowledge") >= count)


async def test_a_message_in_the_personal_chat_reaches_the_bot(teams: Teams, bot: SdkBot) -> None:
    """Who, where, when and what are the SDK's own fields, and the text is escaped as in Teams."""
    message = await teams.type(ANA, teams.chat(ANA), "a < b & 2")
    await heard(teams, bot, 1)
    activity = bot.heard[0]
    assert (activity.type, activity.id, activity.channel_id) == ("message", message, "msteams")
    assert activity.text == "a &lt; b &amp; 2"
    assert activity.from_property.id == ANA
    assert activity.from_property.aad_object_id == teams.rooms.person(ANA).aad
    assert activity.recipient.id == f"28:{teams.app_id}"
    assert activity.conversation.id == teams.chat(ANA)
    assert raw(teams)["conversation"]["tenantId"] == teams.tenant
    # The SDK's model loses the tenant here: it reads another key.
    assert activity.conversation.tenant_id is None


async def test_a_group_hears_only_what_mentions_the_bot(teams: Teams, bot: SdkBot) -> None:
    """What does not name the bot stays with people, unless it was consented to read all."""
    await teams.type(ANA, GROUP, "just talking")
    await teams.type(ANA, GROUP, "@AskBot 2, says @Bo now")
    await heard(teams, bot, 1)
    activity = raw(teams)
    assert activity["text"] == "<at>AskBot</at>&nbsp;2, says <at>Bo</at>&nbsp;now\n"
    mentions = [one for one in activity["entities"] if one["type"] == "mention"]
    assert [one["mentioned"]["id"] for one in mentions] == [f"28:{teams.app_id}", BO]
    assert [one["text"] for one in mentions] == ["<at>AskBot</at>", "<at>Bo</at>"]
    teams.rooms.rooms[GROUP].hears_all = True
    await teams.type(BO, GROUP, "talking on")
    await heard(teams, bot, 2)
    assert [one.text for one in bot.heard[1:]] == ["talking on"]


async def test_a_thread_of_a_channel_is_in_the_conversation_id(teams: Teams, bot: SdkBot) -> None:
    """A first message opens a thread under its own id, and a reply stands in that thread."""
    root = await teams.type(ANA, CHANNEL, "@AskBot hello")
    await heard(teams, bot, 1)
    assert bot.heard[0].conversation.id == f"{CHANNEL};messageid={root}"
    reply = await teams.type(BO, CHANNEL, "@AskBot 2", thread=root)
    await heard(teams, bot, 2)
    assert bot.heard[1].conversation.id == f"{CHANNEL};messageid={root}"
    assert raw(teams)["channelData"]["teamsChannelId"] == CHANNEL
    inside = teams.messages(teams.thread(CHANNEL, root))
    assert [(one.id, one.thread, one.text) for one in inside] == [
        (root, None, "AskBot hello"),
        (reply, root, "AskBot 2"),
    ]


async def test_edits_and_deletions_are_told_under_the_same_id(teams: Teams, bot: SdkBot) -> None:
    """Each says in `channelData` what it is, and the chat shows what stands there now."""
    chat = teams.chat(ANA)
    message = await teams.type(ANA, chat, "1")
    await heard(teams, bot, 1)
    await teams.edit(ANA, chat, message, "2")
    await heard(teams, bot, 2)
    assert [one.text for one in teams.messages(chat)] == ["2"]
    await teams.delete(ANA, chat, message)
    await heard(teams, bot, 3)
    assert [(one.type, one.id) for one in bot.heard] == [
        ("message", message),
        ("messageUpdate", message),
        ("messageDelete", message),
    ]
    assert bot.heard[1].channel_data["eventType"] == "editMessage"
    assert bot.heard[2].channel_data["eventType"] == "softDeleteMessage"
    assert teams.messages(chat) == []


async def test_a_reply_quotes_in_its_markup_alone(teams: Teams, bot: SdkBot) -> None:
    """The text is the new words; what was replied to stands in the HTML beside it."""
    chat = teams.chat(ANA)
    first = await bot.send(chat, text="Where to? 1. Staging")
    await teams.type(ANA, chat, "2", reply_to=first)
    await heard(teams, bot, 1)
    assert bot.heard[0].text == "2"
    quoted = bot.heard[0].attachments[0].content
    assert f'itemid="{first}"' in quoted
    assert "Where to? 1. Staging" in quoted


async def test_a_picture_has_no_text(teams: Teams, bot: SdkBot) -> None:
    """The message arrives without a text, with an image beside it."""
    await teams.type(ANA, teams.chat(ANA), "")
    await heard(teams, bot, 1)
    assert bot.heard[0].text is None
    assert bot.heard[0].attachments[0].content_type == "image/*"


async def test_the_bot_is_told_where_it_is_added_and_removed(teams: Teams, bot: SdkBot) -> None:
    """Both the members' change and the installation are told, and who comes and goes."""
    await teams.uninstall(CHANNEL, by=ANA)
    await heard(teams, bot, 2)
    await teams.install(CHANNEL, by=ANA)
    await heard(teams, bot, 4)
    await teams.leave(BO, GROUP)
    await heard(teams, bot, 5)
    kinds = sorted((one.type, one.action or "") for one in bot.heard)
    assert kinds == [
        ("conversationUpdate", ""),
        ("conversationUpdate", ""),
        ("conversationUpdate", ""),
        ("installationUpdate", "add"),
        ("installationUpdate", "remove"),
    ]
    added = [one for one in bot.heard if one.members_added]
    assert [one.members_added[0].id for one in added] == [f"28:{teams.app_id}"]


@pytest.mark.parametrize("kind", WRONG)
async def test_wrong_tokens_do_not_pass_the_sdk(teams: Teams, bot: SdkBot, kind: str) -> None:
    """Each token that a service of Microsoft's would not have made is refused, by the SDK."""
    activity = teams.rooms.activity(
        teams.rooms.person(ANA), teams.rooms.personal(ANA), "message", text="1"
    )
    header = teams.identity.wrong(kind, teams.service_url)
    answer = await teams.deliver(activity, authorization=header)
    assert answer.status == 401
    assert bot.heard == []
    assert (await teams.deliver(activity)).status == 201


async def test_keys_are_fetched_while_the_loop_is_blocked(teams: Teams, bot: SdkBot) -> None:
    """The SDK blocks the loop of this test for both documents, and is answered."""
    await teams.type(ANA, teams.chat(ANA), "1")
    await heard(teams, bot, 1)
    assert [one.method for one in teams.calls[:2]] == ["openid", "keys"]


async def test_a_new_signing_key_is_not_known_until_it_is_fetched(
    teams: Teams, bot: SdkBot
) -> None:
    """After the service has changed keys, the SDK refuses what it signs, as it keeps keys a day."""
    await teams.type(ANA, teams.chat(ANA), "1")
    await heard(teams, bot, 1)
    teams.identity.rotate()
    answer = await teams.again(teams.bot.sent[0]["id"])
    assert answer.status == 401
    assert bot.refusals == ["IndexError"]


async def test_keys_that_cannot_be_fetched_are_an_error_of_the_bot(
    teams: Teams, bot: SdkBot
) -> None:
    """A fault of the key server reaches the SDK as a connection error, and is gone after."""
    teams.fail("keys", lost=True)
    activity = teams.rooms.activity(
        teams.rooms.person(ANA), teams.rooms.personal(ANA), "message", text="1"
    )
    assert (await teams.deliver(activity)).status == 401
    assert bot.refusals == ["ConnectionError"]
    assert (await teams.deliver(activity)).status == 201


async def test_something_delivered_twice_is_the_same_both_times(teams: Teams, bot: SdkBot) -> None:
    """A duplicate has the same id, time and text."""
    message = await teams.type(ANA, teams.chat(ANA), "1")
    await heard(teams, bot, 1)
    await teams.again(message)
    assert teams.bot.sent[0] == teams.bot.sent[1]
    assert [one.id for one in bot.heard] == [message, message]


async def test_messages_held_back_arrive_in_another_order(teams: Teams, bot: SdkBot) -> None:
    """What was written first can reach the bot last."""
    chat = teams.chat(ANA)
    teams.hold()
    written = [await teams.type(ANA, chat, text) for text in ("1", "2", "3")]
    await teams.release(lambda found: found[::-1])
    assert [one.id for one in bot.heard] == written[::-1]


async def test_a_slow_bot_is_told_again(bot: SdkBot, teams: Teams) -> None:
    """A message that is not acknowledged in time is posted a second time, and then no more."""
    bot.gate.clear()
    teams.bot._gives_up_s = 0.05
    message = await teams.type(ANA, teams.chat(ANA), "1")
    await teams.until(lambda: [one for one in teams.calls if one.refused == "Timeout"][1:])
    bot.gate.set()
    assert [one.id for one in bot.heard] == [message, message]


async def test_a_bot_that_refuses_is_not_told_again(teams: Teams, bot: SdkBot) -> None:
    """A 503 is noted with its time, and that is all."""
    bot.status = 503
    await teams.type(ANA, teams.chat(ANA), "1")
    call = await teams.until(lambda: [one for one in teams.calls if one.refused == "503"])
    assert call[0].method == "acknowledge"
    assert call[0].at <= asyncio.get_running_loop().time()
    assert len(bot.heard) == 1


async def test_nobody_is_told_while_the_bot_has_no_endpoint(teams: Teams) -> None:
    """What people write before a bot listens is noted as not delivered."""
    await teams.type(ANA, teams.chat(ANA), "1")
    calls = await teams.until(lambda: teams.calls)
    assert calls[0].refused == "NoEndpoint"


async def test_an_unknown_invoke_is_answered_not_implemented(teams: Teams, bot: SdkBot) -> None:
    """The SDK's own 501 is seen, with the words that the client shows."""
    card = {
        "type": "AdaptiveCard",
        "version": "1.4",
        "actions": [{"type": "Action.Execute", "title": "Go"}],
    }
    chat = teams.chat(ANA)
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    await bot.send(chat, attachments=[attachment])
    await teams.press(ANA, teams.messages(chat)[0], "Go")
    assert teams.calls[-1].refused == "501"
    assert teams.told(ANA) == ["Something went wrong. Please try again."]
    bot.answer = InvokeResponse(status=200, body={"nothing": "of use"})
    await teams.press(ANA, teams.messages(chat)[0], "Go")
    assert teams.calls[-1].refused == "BadInvokeResponse"
