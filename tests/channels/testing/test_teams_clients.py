"""What people do with cards in the fake Teams, and what they see of a real SDK bot's answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from botbuilder.core import InvokeResponse
from botbuilder.schema import Activity

from channels.testing.platform import Message
from channels.testing.teams import Teams
from tests.channels.testing.teams_sdk import SdkBot, listening

ANA, BO, OLD = "29:ana", "29:bo", "29:old"
GROUP = "19:g@thread.v2"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
ADAPTIVE = "application/vnd.microsoft.card.adaptive"
CARD, TOAST, ERROR = (
    ADAPTIVE,
    "application/vnd.microsoft.activity.message",
    "application/vnd.microsoft.error",
)

QUESTION: dict[str, Any] = {
    "type": "AdaptiveCard",
    "version": "1.5",
    "body": [
        {"type": "TextBlock", "text": "Which *colour*?"},
        {
            "type": "Input.Text",
            "id": "why",
            "label": "Why",
            "isRequired": True,
            "errorMessage": "Say why",
            "regex": "^[a-z ]+$",
            "maxLength": 9,
        },
        {"type": "Input.Number", "id": "copies", "label": "Copies", "min": 1, "max": 9, "value": 1},
        {"type": "Input.Number", "id": "invoice", "label": "Invoice"},
        {"type": "Input.Date", "id": "day", "label": "Day", "min": "2026-11-30"},
        {"type": "Input.Toggle", "id": "loud", "title": "Loud"},
        {
            "type": "Input.ChoiceSet",
            "id": "pick",
            "label": "Pick",
            "isMultiSelect": True,
            "choices": [{"title": "Red", "value": "o1"}, {"title": "Blue", "value": "o2"}],
        },
    ],
    "actions": [
        {
            "type": "Action.Execute",
            "title": "Send",
            "verb": "send",
            "data": {"k": "a1", "why": "?"},
            "fallback": {"type": "Action.Submit", "title": "Send", "data": {"k": "old"}},
        },
        {"type": "Action.Submit", "title": "Skip", "data": {"k": "s"}, "associatedInputs": "none"},
        {
            "type": "Action.ShowCard",
            "title": "Decline",
            "card": {
                "type": "AdaptiveCard",
                "body": [{"type": "Input.Text", "id": "reason", "label": "Reason"}],
                "actions": [{"type": "Action.Submit", "title": "Really", "data": {"k": "d"}}],
            },
        },
    ],
}


@pytest.fixture
async def teams() -> AsyncGenerator[Teams, None]:
    """Three people in a group chat, one of them with an old client, at noon."""
    async with Teams(now=lambda: NOON) as found:
        found.person(ANA, "Ana Lee")
        found.person(BO, "Bo")
        found.person(OLD, "Olga", old_client=True)
        found.group(GROUP, members=[ANA, BO, OLD])
        yield found


@pytest.fixture
async def bot(teams: Teams) -> AsyncGenerator[SdkBot, None]:
    """A bot of the real SDK that says "Got it" to every press."""
    async with listening(teams) as found:
        found.answer = says({"statusCode": 200, "type": TOAST, "value": "Got it"})
        yield found


def says(body: Any) -> InvokeResponse:
    """An answer to an invoke."""
    return InvokeResponse(status=200, body=body)


async def post(bot: SdkBot, card: dict[str, Any]) -> str:
    """Sends a card to the group; its id."""
    return await bot.send(GROUP, attachments=[{"contentType": ADAPTIVE, "content": card}])


def seen(teams: Teams, account: str = ANA) -> Message:
    """The newest message, as somebody sees it."""
    return teams.messages(GROUP, account=account)[-1]


GOOD = {
    "Why": "as is",
    "Copies": 2,
    "day": "2026-12-01",
    "Loud": True,
    "Pick": ["Blue", "Red"],
}


async def test_a_filled_card_is_sent_as_strings(teams: Teams, bot: SdkBot) -> None:
    """Inputs join the action's data and win over it; several choices are joined with commas."""
    message = await post(bot, QUESTION)
    assert seen(teams).text == "Which colour?"
    await teams.submit(ANA, GOOD)
    activity = bot.heard[-1]
    assert (activity.type, activity.name) == ("invoke", "adaptiveCard/action")
    assert activity.reply_to_id == message
    assert activity.channel_data["legacy"]["replyToId"] == message
    assert activity.value["trigger"] == "manual"
    assert activity.value["action"]["verb"] == "send"
    assert activity.value["action"]["data"] == {
        "k": "a1",
        "why": "as is",
        "copies": "2",
        "day": "2026-12-01",
        "loud": "true",
        "pick": "o2,o1",
    }
    assert teams.told(ANA) == ["Got it"]
    assert teams.told(BO) == []


async def test_what_is_empty_is_not_sent(teams: Teams, bot: SdkBot) -> None:
    """Only a toggle has a value untouched; a client that sends empty values can be asked for."""
    await post(bot, QUESTION)
    await teams.submit(ANA, {"Why": "so"})
    sent = bot.heard[-1].value["action"]["data"]
    assert sent == {"k": "a1", "why": "so", "copies": "1", "loud": "false"}
    teams.send_empty = True
    await teams.submit(ANA, {"Why": "so"})
    sent = bot.heard[-1].value["action"]["data"]
    assert (sent["invoice"], sent["day"], sent["pick"]) == ("", "", "")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("12.50", "12.5"),
        ("1e3", "1000"),
        ("12345678901234567890", "12345678901234567000"),
        ("1e21", "1e+21"),
        ("0.0000001", "1e-7"),
    ],
)
async def test_a_number_is_sent_as_the_client_has_it(
    teams: Teams, bot: SdkBot, typed: str, kept: str
) -> None:
    """As JavaScript writes it, which has 53 bits for it."""
    await post(bot, QUESTION)
    await teams.submit(ANA, {"Why": "so", "Invoice": typed})
    assert bot.heard[-1].value["action"]["data"]["invoice"] == kept


@pytest.mark.parametrize(
    "wrong",
    [
        *({"Why": ""}, {"Why": "UPPER"}, {"Day": "2026-11-29"}),
        *({"Copies": 10}, {"Copies": "0"}, {"Copies": ""}),  # not needed, and not to be left out
    ],
)
async def test_the_client_holds_back_what_is_not_valid(
    teams: Teams, bot: SdkBot, wrong: dict[str, Any]
) -> None:
    """Nothing reaches the bot, unless the client is one that does not check."""
    await post(bot, QUESTION)
    with pytest.raises(ValueError, match=r"Say why|not valid"):
        await teams.submit(ANA, {**GOOD, **wrong})
    assert bot.heard == []
    teams.client_checks = False
    await teams.submit(ANA, {**GOOD, **wrong})
    assert len(bot.heard) == 1


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"Why": "ten letters"}, ValueError),
        ({"Copies": "two"}, ValueError),
        ({"Pick": "Green"}, LookupError),
        ({"Colour": "Red"}, LookupError),
    ],
)
async def test_nothing_is_filled_in_that_the_card_does_not_offer(
    teams: Teams, bot: SdkBot, values: dict[str, Any], error: type[Exception]
) -> None:
    """Too long a text, letters in a number, a choice or an input that is not there."""
    await post(bot, QUESTION)
    with pytest.raises(error):
        teams.fill(ANA, seen(teams), values)


async def test_the_form_shows_entries_and_what_stands_in_them(teams: Teams, bot: SdkBot) -> None:
    """Kinds, options and whether they are needed are read from the card; choosing sends nothing."""
    await post(bot, QUESTION)
    await teams.choose(ANA, seen(teams), "Pick", ["Red"])
    form = teams.form(ANA)
    assert form is not None
    assert [(one.label, one.kind, one.required) for one in form.entries] == [
        ("Why", "text", True),
        ("Copies", "number", False),
        ("Invoice", "number", False),
        ("Day", "date", False),
        ("Loud", "toggle", False),
        ("Pick", "choices", False),
    ]
    assert form.entries[-1].options == ("Red", "Blue")
    assert form.entries[-1].value == "o1"
    other = teams.form(BO)
    assert other is not None
    assert other.entries[-1].value == ""
    assert bot.heard == []


async def test_an_action_may_leave_the_inputs_alone(teams: Teams, bot: SdkBot) -> None:
    """A submit arrives as a message with a value and no text, naming the card's message."""
    message = await post(bot, QUESTION)
    await teams.press(ANA, seen(teams), "Skip")
    activity = bot.heard[-1]
    assert (activity.type, activity.value, activity.text) == ("message", {"k": "s"}, None)
    assert activity.reply_to_id == message
    assert teams.told(ANA) == []
    bot.status = 500
    await teams.press(ANA, seen(teams), "Skip")
    assert teams.told(ANA) == ["Something went wrong. Please try again."]


async def test_a_card_inside_an_action_opens_first(teams: Teams, bot: SdkBot) -> None:
    """What it holds is not there until it is opened, and then only for who opened it."""
    await post(bot, QUESTION)
    with pytest.raises(LookupError):
        await teams.press(ANA, seen(teams), "Really")
    await teams.press(ANA, seen(teams), "Decline")
    assert seen(teams, BO).controls != seen(teams).controls
    teams.fill(ANA, seen(teams), {"Why": "so", "Reason": "no time"})
    await teams.press(ANA, seen(teams), "Really")
    inputs = {"why": "so", "copies": "1", "loud": "false", "reason": "no time"}
    assert bot.heard[-1].value == {"k": "d", **inputs}


async def test_an_old_client_uses_the_fallback(teams: Teams, bot: SdkBot) -> None:
    """A client that does not know Action.Execute sends the submit that stands in for it."""
    await post(bot, QUESTION)
    await teams.submit(OLD, {"Why": "so"})
    assert (bot.heard[-1].type, bot.heard[-1].value["k"]) == ("message", "old")


async def test_a_card_as_answer_is_seen_by_the_presser_until_it_is_replaced(
    teams: Teams, bot: SdkBot
) -> None:
    """Others keep the old card; replacing the message replaces it for everybody."""
    message = await post(bot, QUESTION)
    done = {
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{"type": "TextBlock", "text": "Thanks"}],
    }
    bot.answer = says({"statusCode": 200, "type": CARD, "value": done})
    await teams.submit(ANA, {"Why": "so"})
    assert (seen(teams).text, seen(teams, BO).text) == ("Thanks", "Which colour?")
    client = await bot.client()
    closed = {**done, "body": [{"type": "TextBlock", "text": "Answered"}]}
    attachment = {"contentType": ADAPTIVE, "content": closed}
    activity = Activity(type="message", attachments=[attachment])
    await client.conversations.update_activity(GROUP, message, activity)
    assert (seen(teams).text, seen(teams, BO).text) == ("Answered", "Answered")


@pytest.mark.parametrize(
    ("body", "told", "refused"),
    [
        ({"statusCode": 200, "type": TOAST, "value": "Yes"}, "Yes", None),
        (
            {"statusCode": 400, "type": ERROR, "value": {"code": "x", "message": "No"}},
            "No",
            None,
        ),
        ({"statusCode": 200, "type": ERROR, "value": {"code": "x", "message": "No"}}, None, True),
        ({"statusCode": 200, "type": TOAST, "value": {"text": "Yes"}}, None, True),
        ({"statusCode": 200, "type": CARD, "value": {"type": "AdaptiveCard"}}, None, True),
        ({"statusCode": 200, "type": "application/vnd.microsoft.adaptive.card"}, None, True),
        ({"value": "Yes"}, None, True),
        (None, None, True),
    ],
)
async def test_answers_to_a_press_are_checked(
    teams: Teams, bot: SdkBot, body: Any, told: str | None, refused: bool | None
) -> None:
    """Only a whole answer whose type, status and value belong together is shown."""
    await post(bot, QUESTION)
    bot.answer = says(body)
    await teams.submit(ANA, {"Why": "so"})
    assert teams.told(ANA) == [told or "Something went wrong. Please try again."]
    assert (teams.calls[-1].refused == "BadInvokeResponse") is bool(refused)


async def test_a_press_that_is_not_answered_in_time_says_so(teams: Teams, bot: SdkBot) -> None:
    """The client gives up, tells the presser, and does not send the press again."""
    await post(bot, QUESTION)
    bot.gate.clear()
    teams.bot._gives_up_s = 0.05
    await teams.submit(ANA, {"Why": "so"})
    bot.gate.set()
    assert teams.told(ANA) == ["Unable to reach app. Please try again."]
    assert (teams.calls[-1].method, teams.calls[-1].refused) == ("invokeResponse", "Timeout")
    assert len(bot.heard) == 1


async def test_an_old_picture_of_a_message_can_still_be_pressed(teams: Teams, bot: SdkBot) -> None:
    """Somebody whose client has not redrawn sends what it drew; a deleted message is gone."""
    message = await post(bot, QUESTION)
    old = seen(teams)
    client = await bot.client()
    await client.conversations.update_activity(
        GROUP, message, Activity(type="message", text="Done")
    )
    with pytest.raises(LookupError):
        await teams.press(ANA, seen(teams), "Skip")
    await teams.press(ANA, old, "Skip")
    assert bot.heard[-1].value == {"k": "s"}
    await client.conversations.delete_activity(GROUP, message)
    with pytest.raises(LookupError):
        await teams.press(ANA, old, "Skip")


async def test_a_card_is_refreshed_where_a_copy_is_old(teams: Teams, bot: SdkBot) -> None:
    """Opening the chat asks after a minute, for the users named; a replaced card is asked anew."""
    refresh = {"action": {"type": "Action.Execute", "verb": "refresh"}, "userIds": [ANA]}
    message = await post(bot, {**QUESTION, "refresh": refresh})
    own = {**QUESTION, "body": [{"type": "TextBlock", "text": "For you"}], "refresh": refresh}
    bot.answer = says({"statusCode": 200, "type": CARD, "value": own})
    await teams.open(ANA, GROUP)
    assert bot.heard == []
    teams.rooms.now = lambda: NOON + timedelta(minutes=1)
    for account in (ANA, BO, OLD):
        await teams.open(account, GROUP)
    assert [one.from_property.id for one in bot.heard] == [ANA]
    assert bot.heard[0].value["trigger"] == "automatic"
    assert (seen(teams).text, seen(teams, BO).text) == ("For you", "Which colour?")
    client = await bot.client()
    attachment = {"contentType": ADAPTIVE, "content": {**QUESTION, "refresh": refresh}}
    activity = Activity(type="message", attachments=[attachment])
    await client.conversations.update_activity(GROUP, message, activity)
    await teams.until(lambda: len(bot.heard) == 2)
    assert await teams.until(lambda: seen(teams).text == "For you")


async def test_a_dialog_opens_shows_errors_and_closes(teams: Teams, bot: SdkBot) -> None:
    """`task/fetch` opens it, an answer may put another in its place, and words close it."""
    fetch = {"k": "a1", "msteams": {"type": "task/fetch"}}
    card = {**QUESTION, "body": [], "actions": []}
    opener = {"type": "Action.Submit", "title": "Open", "data": fetch}
    await post(bot, {**card, "actions": [opener]})

    def dialog(title: str) -> InvokeResponse:
        attachment = {"contentType": ADAPTIVE, "content": QUESTION}
        value = {"title": title, "card": attachment}
        return says({"task": {"type": "continue", "value": value}})

    bot.answer = dialog("Answer")
    await teams.press(ANA, seen(teams), "Open")
    assert (bot.heard[-1].name, bot.heard[-1].value["data"]["k"]) == ("task/fetch", "a1")
    form = teams.form(ANA)
    assert form is not None
    assert form.title == "Answer"
    bot.answer = dialog("Once more")
    await teams.submit(ANA, {"Why": "so"})
    assert bot.heard[-1].name == "task/submit"
    assert bot.heard[-1].value["data"]["why"] == "so"
    form = teams.form(ANA)
    assert form is not None
    assert form.title == "Once more"
    bot.answer = says({"task": {"type": "message", "value": "Thanks"}})
    await teams.submit(ANA, {"Why": "so"})
    assert (teams.form(ANA), teams.told(ANA)) == (None, ["Thanks"])


async def test_the_chat_can_be_looked_at_as_a_page(teams: Teams, bot: SdkBot) -> None:
    """The page holds every word and every control."""
    await post(bot, QUESTION)
    page = teams.html(GROUP, account=ANA)
    for word in ("Which colour?", "Send", "Skip", "Decline", "Pick"):
        assert word in page
