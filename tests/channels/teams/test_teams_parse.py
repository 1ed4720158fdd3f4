"""What Teams sends, read: any JSON without an exception, and each of its events for what it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import pack
from channels.contract import (
    AskReason,
    Destination,
    Drop,
    OpenForm,
    Pick,
    PressDecline,
    Pressed,
    Sender,
    Submitted,
    Typed,
)
from channels.teams.parse import AskedLink, Did, Looked, Way, parse, service_url
from channels.testing.teams.rooms import CHANNEL, GROUP, PERSONAL, Person, Post, Room, Rooms
from gateway.answer import Picked
from gateway.question import Question
from gateway.reply.place import Place
from gateway.reply.trim import own_text
from tests.strategies import any_json, any_text

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
ASK = "a-75eaf712473f"
ANA = Person("29:ana", "Ana", "aad-ana")
PAT = Person("29:pat", "Pat", "aad-pat")
TALKS = {
    "chat": Room("a:1", PERSONAL, members=["29:ana"]),
    "group": Room("19:g@thread.v2", GROUP, members=["29:ana", "29:pat"]),
    "channel": Room("19:c@thread.tacv2", CHANNEL, members=["29:ana", "29:pat"]),
}


def rooms() -> Rooms:
    """The fake's own writer of activities."""
    found = Rooms("28:bot", "AskBot", "tenant", lambda: NOW)
    found.people = {ANA.id: ANA, PAT.id: PAT}
    return found


def typed(
    words: str, /, room: str = "chat", thread: str | None = None, **parts: Any
) -> dict[str, Any]:
    """A message as the service sends it."""
    found, _ = rooms().typed(TALKS[room], words, None)
    return rooms().activity(
        ANA, TALKS[room], "message", thread, **{"id": "1796052452333", **found, **parts}
    )


def pressed(
    data: dict[str, Any], name: str = "adaptiveCard/action", **parts: Any
) -> dict[str, Any]:
    """A press on a card, as an invoke."""
    value = {"action": {"data": data}} if name == "adaptiveCard/action" else {"data": data}
    given = {"name": name, "value": value, "replyToId": "17", **parts}
    return rooms().activity(ANA, TALKS["group"], "invoke", None, **given)


def did(activity: Any) -> Did:
    found = parse(activity, NOW)
    assert isinstance(found, Did)
    return found


def said(activity: Any) -> Typed:
    interaction = did(activity).interaction
    assert isinstance(interaction, Typed)
    return interaction


def own(activity: Any) -> str:
    """What the reply grammar takes for the person's words."""
    found = said(activity)
    place = Place(now=NOW, mention=found.mention, names=found.names, markup=found.markup)
    return own_text(found.text, Question(prompt="Where to?"), place)


# Any JSON


@given(any_json())
def test_any_json_is_read_without_an_exception(value: Any) -> None:
    """Whatever arrives, something or nothing follows from it."""
    parse(value, NOW)
    service_url(value)


PARTS = st.sampled_from(
    ("type", "from", "conversation", "recipient", "id", "value", "name", "text", "entities",
     "attachments", "timestamp", "channelData", "replyToId")
)  # fmt: skip


@given(
    st.sampled_from(
        (
            lambda: typed("@AskBot 2", "channel", "17"),
            lambda: typed("2") | {"type": "messageUpdate"},
            lambda: pressed({"oz": pack(ASK, OpenForm()), "c:pick": "o1"}),
            lambda: pressed({"oz": pack(ASK, AskReason())}, "task/submit"),
        )
    ),
    st.dictionaries(PARTS, any_json(), max_size=4),
)
def test_an_event_with_any_parts_replaced_is_read(
    make: Callable[[], dict[str, Any]], parts: dict[str, Any]
) -> None:
    """One part of another shape breaks nothing."""
    parse(make() | parts, NOW)


@given(st.dictionaries(any_text(8) | st.sampled_from("tnxdhycmw").map("{}:f".format), any_json()))
def test_a_card_with_any_data_is_read(data: dict[str, Any]) -> None:
    """Inputs may hold anything."""
    parse(pressed({**data, "oz": pack(ASK, OpenForm())}), NOW)


@pytest.mark.parametrize(
    "text", ["<" * 90_000, "<blockquote " * 8_000, "&nbsp;" * 15_000, "\u00a0 " * 40_000]
)
def test_long_markup_is_read_in_no_time(text: str) -> None:
    """What is as long as a message can be, and made to be slow, is read at once."""
    began = time.process_time()
    attachment = {"contentType": "text/html", "content": text}
    mention = {"type": "mention", "text": text, "mentioned": {"id": "28:bot"}}
    parse(typed("x", attachments=[attachment], text=text, entities=[mention]), NOW)
    assert time.process_time() - began < 1


# Who and where


def test_a_message_in_the_personal_chat() -> None:
    """The account is the Entra id; the chat is that one person's."""
    assert said(typed("2")) == Typed(
        where=Destination("teams", "a:1", account="aad-ana"),
        sender=Sender("aad-ana", "Ana"),
        at=NOW,
        message="1796052452333",
        text="2",
        markup=True,
    )


def test_somebody_without_an_entra_id_is_their_account() -> None:
    """Guests of a meeting have none."""
    activity = typed("2") | {"from": {"id": "8:guest", "name": "G"}}
    assert said(activity).sender == Sender("8:guest", "G")


def test_threads_are_those_of_their_channel() -> None:
    """A reply is in its thread; a thread's first message, and a press on it, is at the top."""
    where = Destination("teams", "19:c@thread.tacv2")
    assert said(typed("x", "channel", "1796052452333")).where == where
    reply = typed("x", "channel", "17", replyToId="17")
    assert said(reply).where == Destination("teams", "19:c@thread.tacv2", "17")
    assert said(reply).reply_to is None
    data = {"oz": pack(ASK, Pick("o1"))}
    for root, thread in (("17", None), ("16", "16")):
        talk = {"id": f"19:c@thread.tacv2;messageid={root}", "conversationType": "channel"}
        interaction = did(pressed(data, conversation=talk)).interaction
        assert interaction.where == Destination("teams", "19:c@thread.tacv2", thread)


@pytest.mark.parametrize(
    "parts",
    [
        {"from": {"id": "28:other", "name": "Other bot"}},
        {"from": {"id": "29:x", "role": "bot"}},
        {"from": None},
        {"conversation": {}},
        {"id": None},
        {"type": "typing"},
        {"type": "conversationUpdate"},
        {"type": "messageUpdate", "channelData": {"eventType": "undeleteMessage"}},
        {"type": "messageDelete", "channelData": {"eventType": "softDeleteMessage"}},
    ],
)
def test_what_no_person_wrote_is_nothing(parts: dict[str, Any]) -> None:
    """Bots, half activities, and events that say nothing."""
    assert parse(typed("2") | parts, NOW) is None


def test_an_address_is_told_with_its_conversation() -> None:
    """Without its thread, and without the slash at its end."""
    activity = typed("2", "channel", "17", serviceUrl="https://smba.example/emea/")
    assert service_url(activity) == ("19:c@thread.tacv2", "https://smba.example/emea")


# Words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<at>AskBot</at> 2", "2"),
        ("<at>AskBot</at>&nbsp;2\r\n", "2"),
        ("\r\n<at>AskBot</at> Production\r\n", "Production"),
        ("2 <at>AskBot</at>", "2"),
        ("<at>AskBot</at> AskBot is a name", "AskBot is a name"),
        ("<at>AskBot</at> a &lt; b &amp; c", "a < b & c"),
    ],
)
def test_a_mention_of_us_is_no_part_of_the_answer(text: str, words: str) -> None:
    """RP-23: only the piece that the service names is taken out, and only at the ends."""
    mention = {"type": "mention", "text": "<at>AskBot</at>", "mentioned": {"id": "28:bot"}}
    activity = typed("x", "channel", "17", text=text, entities=[mention])
    assert own(activity) == words
    assert said(activity).addressed


def test_a_mention_of_somebody_else_is_their_name() -> None:
    """RP-24: the very name may be the answer."""
    activity = typed("@AskBot @Pat", "group")
    assert own(activity) == "Pat"
    assert said(activity).names == (("<at>Pat</at>", "Pat"),)
    assert not said(typed("@Pat look", "group")).addressed


def test_a_quoted_question_is_no_part_of_the_answer() -> None:
    """RP-29: the quote says what it replies to, wherever its words stand."""
    question = "Where should build 41 go? 1. Staging 2. Production"
    post = Post("1796", "28:bot", {"text": question}, NOW)
    found, _ = rooms().typed(TALKS["chat"], "2", post)
    activity = typed("2", **found)
    assert (said(activity).reply_to, said(activity).text) == ("1796", "2")
    spelled = typed("2", **{**found, "text": f"AskBot\r\n{question}\r\n\r\n2"})
    quoted = spelled["attachments"][0]["content"].replace("></strong>", ">AskBot</strong>")
    spelled["attachments"][0]["content"] = quoted
    assert (said(spelled).reply_to, said(spelled).text) == ("1796", "2")
    markup = (
        '<blockquote itemtype="http://schema.skype.com/Reply" itemid="M1"><p>x</p></blockquote>'
    )
    other = {"contentType": "text/html", "content": markup}
    assert said(typed("2", attachments=[other])).reply_to == "M1"


def test_an_edit_has_the_time_of_its_message() -> None:
    """And its own, which tells it from other edits."""
    activity = typed("3") | {"type": "messageUpdate"}
    activity["channelData"] = {"eventType": "editMessage"}
    found = said(activity)
    assert found.at == datetime.fromtimestamp(1796052452.333, UTC)
    assert found.edit == "2026-11-30T12:00:00.000Z"


def test_a_time_that_cannot_be_read_is_now() -> None:
    """Fractions of any length are read; words are not."""
    assert said(typed("2", timestamp="soon")).at == NOW
    found = said(typed("2", timestamp="2022-10-28T17:19:39.4615413Z")).at
    assert found == datetime(2022, 10, 28, 17, 19, 39, 461541, UTC)


def test_a_picture_has_no_words() -> None:
    """It is a message all the same."""
    assert said(typed("")).text == ""


@pytest.mark.parametrize("text", ["oz pending", "/oz  Help", "@AskBot oz pending"])
def test_commands_are_said_to_us(text: str) -> None:
    """What waits, and help, are words that the reply grammar knows."""
    found = said(typed(text, "group"))
    assert found.text.casefold() in ("pending", "help")
    assert found.addressed


def test_asking_for_a_link_is_an_event_of_its_own() -> None:
    """It is no answer to anything."""
    where = Destination("teams", "a:1", account="aad-ana")
    assert parse(typed("/oz link"), NOW) == AskedLink(
        Sender("aad-ana", "Ana"), where, "1796052452333"
    )
    assert isinstance(parse(typed("link"), NOW), Did)


# Presses


@pytest.mark.parametrize(
    ("name", "way"),
    [("adaptiveCard/action", Way.EXECUTE), ("task/fetch", Way.FETCH), ("task/submit", Way.DIALOG)],
)
def test_a_press_names_its_ask_and_its_post(name: str, way: Way) -> None:
    """However it came; the service's id of it tells it from others."""
    activity = pressed({"oz": pack(ASK, Pick("o2"))}, name)
    found = did(activity)
    assert found.way is way
    assert found.interaction == Pressed(
        where=Destination("teams", "19:g@thread.v2"),
        sender=Sender("aad-ana", "Ana"),
        at=NOW,
        event=activity["id"],
        ask_id=ASK,
        control=Pick("o2"),
        message="17",
    )


def test_a_press_of_an_older_client_comes_as_a_message() -> None:
    """AC-15, AC-16: without a text, and with parts that nobody knows."""
    activity = typed("x", "group", value={"oz": pack(ASK, Pick("o2"))}, text=None, replyToId="17")
    activity["channelData"] = {"tabContext": "", "unknown": [1]}
    found = did(activity)
    assert found.way is Way.SUBMIT
    assert isinstance(found.interaction, Pressed)
    assert found.interaction.control == Pick("o2")


def test_a_client_asking_for_a_card_presses_nothing() -> None:
    """It names the ask and the post it is about."""
    data = {"oz": pack(ASK, OpenForm())}
    value = {"action": {"verb": "look", "data": data}, "trigger": "automatic"}
    where = Destination("teams", "19:g@thread.v2")
    assert parse(pressed(data, value=value), NOW) == Looked(where, "17", ASK)
    assert parse(pressed(data, value=value, replyToId=None), NOW) is None


@pytest.mark.parametrize("data", [{}, {"oz": 1}, {"oz": "x"}, {"oz": "pAAAAAAAA"}, {"ask": "A1"}])
def test_a_card_that_is_none_of_ours_is_nothing(data: dict[str, Any]) -> None:
    """Nor is one of another bot."""
    assert parse(pressed(data), NOW) is None


def test_a_reason_comes_with_the_decline() -> None:
    """From the dialog that asked for it; blank, it is none. Opening it declines nothing."""
    data = {"oz": pack(ASK, AskReason())}
    for reason, found in (("ask Ana", "ask Ana"), (" ", None), (5, None)):
        interaction = did(pressed({**data, "reason": reason}, "task/submit")).interaction
        assert isinstance(interaction, Pressed)
        assert interaction.control == PressDecline(found)
    opened = did(pressed(data, "task/fetch")).interaction
    assert isinstance(opened, Pressed)
    assert opened.control == AskReason()


def test_what_stands_on_a_kept_message_shows_no_ask() -> None:
    """Its buttons are not the ask's post."""
    interaction = did(pressed({"oz": pack(ASK, Drop("0123456789"))})).interaction
    assert isinstance(interaction, Pressed)
    assert interaction.message is None


def filled(**data: Any) -> Submitted:
    named = {key.replace("_", ":", 1): value for key, value in data.items()}
    interaction = did(pressed({**named, "oz": pack(ASK, OpenForm())})).interaction
    assert isinstance(interaction, Submitted)
    return interaction


@pytest.mark.parametrize(
    ("data", "values", "texts"),
    [
        ({"m_pick": ",o2"}, {"pick": Picked(("o2",))}, {}),
        ({"m_pick": "o1,,o3,o1", "w_pick": "mine"}, {"pick": Picked(("o1", "o3"), "mine")}, {}),
        ({"c_pick": "o1"}, {"pick": Picked(("o1",))}, {}),
        ({"w_pick": " my own "}, {"pick": Picked((), " my own ")}, {}),
        ({"c_pick": "x", "t_note": ""}, {"pick": Picked()}, {}),
        ({"n_n": "2"}, {"n": 2}, {}),
        ({"n_n": 2.0}, {"n": 2}, {}),
        ({"n_n": "2.50"}, {"n": 2.5}, {}),
        ({"n_n": "two"}, {}, {"n": "two"}),
        # Rounded by the client to what it has: no number any more.
        ({"n_n": "1" * 20}, {}, {"n": "1.111111e+19"}),
        ({"n_n": "9007199254740991"}, {"n": 2**53 - 1}, {}),
        ({"x_n": "12345678901234567890"}, {}, {"n": "12345678901234567890"}),
        ({"d_on": "2026-10-20"}, {"on": "2026-10-20"}, {}),
        ({"d_on": "tomorrow"}, {}, {"on": "tomorrow"}),
        ({"d_on": "2026-10-20", "h_on": "9:05"}, {"on": "2026-10-20T09:05"}, {}),
        ({"h_on": "9:05"}, {}, {"on": "9:05"}),
        ({"y_loud": "y", "y_soft": "n"}, {"loud": True, "soft": False}, {}),
        ({"y_loud": True}, {"loud": True}, {}),
        ({"t_note": " as typed "}, {"note": " as typed "}, {}),
        ({"t_note": "   ", "unknown": "x", "z_z": "x"}, {}, {}),
    ],
)
def test_inputs_are_read_as_clients_send_them(
    data: dict[str, Any], values: dict[str, Any], texts: dict[str, str]
) -> None:
    """Strings mostly, lists with commas, empty ones left out (RP-20)."""
    found = filled(**data)
    assert (found.values, found.texts) == (values, texts)
