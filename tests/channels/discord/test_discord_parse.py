"""Discord's events as interactions: what people did, and nothing else."""

from __future__ import annotations

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
    Send,
    Sender,
    Submitted,
    Typed,
)
from channels.discord import parse
from channels.discord.parse import Command, Known, Stale, Withheld
from gateway.answer import Picked
from tests.strategies import any_json

ASK = "a-75eaf712473f"
ME = "1000"
ANA = {"id": "7", "username": "ana", "global_name": "Ana"}
MESSAGE = {
    "id": "1576984226681585664",
    "type": 0,
    "channel_id": "600",
    "guild_id": "500",
    "author": ANA,
    "content": "<@1000> blue",
    "mentions": [{"id": ME, "username": "oz", "bot": True}],
    "edited_timestamp": None,
    "flags": 0,
}
PRESS = {
    "id": "1576984226681585665",
    "application_id": ME,
    "token": "tok",
    "type": 3,
    "channel_id": "600",
    "guild_id": "500",
    "channel": {"id": "600", "type": 0, "parent_id": "9"},
    "member": {"user": ANA, "nick": "Ana B."},
    "message": {"id": "42", "flags": 0},
    "data": {"component_type": 2, "custom_id": pack(ASK, Pick("o2"))},
}
KNOWN = Known(me=ME, parents={"700": "600"})
CHANNEL = Destination("discord", "600")
THREAD = Destination("discord", "600", "700")
DIRECT = Destination("discord", "800", account="7")


def typed(**change: Any) -> Any:
    return parse.message(MESSAGE | change, KNOWN)


def pressed(**change: Any) -> Any:
    return parse.interaction(PRESS | change)


def test_a_message_is_read_with_all_it_says() -> None:
    """Who, where, when, and whether it speaks to us."""
    found = typed()
    assert found == Typed(
        where=CHANNEL,
        sender=Sender("7", "Ana"),
        at=parse.moment("1576984226681585664"),
        message="1576984226681585664",
        text="<@1000> blue",
        addressed=True,
        mention=("<@1000>", "<@!1000>"),
    )


def test_places_are_told_apart() -> None:
    """A channel, a thread in one, and a chat of one person with us."""
    assert typed().where == CHANNEL
    assert typed(channel_id="700").where == THREAD
    assert typed(channel_id="800", guild_id=None).where == DIRECT
    thread = {"id": "700", "type": 11, "parent_id": "600"}
    assert pressed(channel_id="700", channel=thread).where == THREAD
    direct = {"id": "800", "type": 1}
    one = pressed(channel_id="800", guild_id=None, channel=direct, member=None, user=ANA)
    assert one.where == DIRECT
    group = pressed(channel_id="800", guild_id=None, channel={"id": "800", "type": 3}, user=ANA)
    assert group.where == Destination("discord", "800")


def test_history_names_no_server() -> None:
    """Whoever reads it back knows what the place is."""
    bare = {key: value for key, value in MESSAGE.items() if key != "guild_id"}
    for shared, where in ((True, CHANNEL), (False, Destination("discord", "600", account="7"))):
        found = parse.message(bare, KNOWN, shared=shared)
        assert isinstance(found, Typed)
        assert found.where == where


def test_a_reply_names_its_message_and_a_forward_none() -> None:
    """Only a reply belongs to what it replies to."""
    assert typed(type=19, message_reference={"message_id": "41", "type": 0}).reply_to == "41"
    assert typed(message_reference={"message_id": "41", "type": 1}).reply_to is None


def test_our_role_is_us() -> None:
    """Each server has one that is named like the bot; others are not ours."""
    known = Known(me=ME)
    roles = [{"id": "31", "tags": {"bot_id": ME}}, {"id": "32", "tags": {"bot_id": "9"}}]
    parse.learn(known, "GUILD_CREATE", {"roles": [*roles, {"id": "500"}]})
    found = parse.message(MESSAGE | {"mentions": [], "mention_roles": ["31", "32"]}, known)
    assert isinstance(found, Typed)
    assert found.addressed
    assert found.mention[-1] == "<@&31>"
    other = parse.message(MESSAGE | {"mentions": [], "mention_roles": ["32"]}, known)
    assert isinstance(other, Typed)
    assert not other.addressed


def test_others_mentions_carry_their_shown_names() -> None:
    """Ours carries none; a name is only shown."""
    found = typed(mentions=[ANA, {"id": ME}, {"id": "8", "username": "ben"}])
    assert dict(found.names) == {
        "<@7>": "@Ana",
        "<@!7>": "@Ana",
        "<@8>": "@ben",
        "<@!8>": "@ben",
    }


@pytest.mark.parametrize(
    "change",
    [
        {"author": ANA | {"bot": True}},
        {"author": ANA | {"id": ME, "bot": True}},
        {"author": ANA | {"system": True}},
        {"webhook_id": "3"},
        {"type": 7},
        {"type": 20},
        {"flags": 64},
        {"id": "x"},
        {"id": "-1"},
        {"id": "9" * 30},
        {"author": None},
        {"channel_id": None},
    ],
)
def test_what_nobody_wrote_is_nothing(change: dict[str, Any]) -> None:
    """Bots, hooks, whispers, Discord's own messages, and what is no message."""
    assert typed(**change) is None


def test_an_edit_is_one_only_with_its_time() -> None:
    """A preview that is added changes no word; the time tells edits apart."""
    assert parse.message(MESSAGE, KNOWN, edited=True) is None
    changed = MESSAGE | {"edited_timestamp": "2026-11-30T12:00:00.123000+00:00"}
    found = parse.message(changed, KNOWN, edited=True)
    assert isinstance(found, Typed)
    assert found.edit == "20261130T1200001230000000"
    assert found.at == typed().at
    assert parse.message(changed, KNOWN).edit is None  # type: ignore[union-attr]


def test_words_that_are_kept_from_us_are_told_from_none() -> None:
    """A reply to ours without its ping is hidden; talk among others is nothing to us."""
    ours = {"message_reference": {"message_id": "41"}, "referenced_message": {"author": {"id": ME}}}
    theirs = {"message_reference": {"message_id": "41"}, "referenced_message": {"author": ANA}}
    hidden = {"content": "", "mentions": [], "type": 19}
    found = typed(**hidden, **ours)
    assert isinstance(found, Withheld)
    assert found.to_us
    in_thread = typed(content="", mentions=[], channel_id="700")
    assert isinstance(in_thread, Withheld)
    assert not in_thread.to_us
    assert typed(**hidden, **theirs) is None
    assert typed(content="", mentions=[]) is None
    photo = typed(content="", mentions=[], attachments=[{"id": "1"}], **ours)
    assert isinstance(photo, Typed)
    assert photo.text == ""
    direct = typed(content="", mentions=[], guild_id=None)
    assert isinstance(direct, Typed)


def test_half_a_character_becomes_a_mark() -> None:
    """What cannot be kept is not lost silently."""
    assert typed(content="a\ud800b").text == "a\ufffdb"


def test_a_press_names_its_ask_and_the_post() -> None:
    """By the data we packed; the presser by the platform's id."""
    assert pressed() == Pressed(
        where=CHANNEL,
        sender=Sender("7", "Ana B."),
        at=parse.moment("1576984226681585665"),
        event="1576984226681585665",
        ask_id=ASK,
        control=Pick("o2"),
        message="42",
    )


def test_a_choice_is_a_press_of_its_option() -> None:
    """The menu's own id says nothing."""
    chosen = {"component_type": 3, "custom_id": "menu0", "values": [pack(ASK, Pick("o7"))]}
    assert pressed(data=chosen).control == Pick("o7")


def test_what_only_the_presser_saw_is_no_post() -> None:
    """Nor is what was said back with buttons to send or drop a message."""
    assert pressed(message={"id": "42", "flags": 64}).message is None
    for control in (Send("0" * 10), Drop("0" * 10)):
        assert pressed(data={"custom_id": pack(ASK, control)}).message is None


@pytest.mark.parametrize(
    "data", [{"custom_id": "other"}, {"custom_id": "menu0", "values": ["x"]}, {}, None]
)
def test_what_no_post_of_ours_has_is_stale(data: Any) -> None:
    """Whoever pressed it is told."""
    assert pressed(data=data) == Stale(CHANNEL, Sender("7", "Ana B."))


def test_forms_say_what_was_filled_in() -> None:
    """Values by field; a reason declines."""
    parts = [
        {"type": 18, "component": {"type": 4, "custom_id": "t:why", "value": "because"}},
        {"type": 18, "component": {"type": 4, "custom_id": "l:copies", "value": "2"}},
        {"type": 18, "component": {"type": 22, "custom_id": "m:of", "values": ["o1", "o3"]}},
        {"type": 18, "component": {"type": 21, "custom_id": "b:sure", "value": "no"}},
        {"type": 18, "component": {"type": 21, "custom_id": "c:one", "value": None}},
        {"type": 10, "id": 5},
    ]
    name = f"{pack(ASK, OpenForm(1))}:3"
    found = pressed(type=5, data={"custom_id": name, "components": parts})
    assert isinstance(found, Submitted)
    assert found.values == {"why": "because", "of": Picked(("o1", "o3")), "sure": False}
    assert found.texts == {"copies": "2"}
    assert (found.page, found.pages, found.message) == (1, 3, "42")
    said = [{"type": 18, "component": {"type": 4, "custom_id": "reason", "value": " ask Ana "}}]
    declined = pressed(type=5, data={"custom_id": pack(ASK, AskReason()), "components": said})
    assert declined.control == PressDecline("ask Ana")
    blank = pressed(type=5, data={"custom_id": pack(ASK, AskReason()), "components": []})
    assert blank.control == PressDecline(None)


def test_commands_are_known_by_name() -> None:
    """Three of them; any other is none of ours."""
    for name in ("pending", "help", "link"):
        data = {"name": "oz", "options": [{"type": 1, "name": name}]}
        found = pressed(type=2, data=data)
        assert isinstance(found, Command)
        assert found.name == name
    assert isinstance(pressed(type=2, data={"name": "other"}), Stale)


def test_threads_are_learned_from_events() -> None:
    """Wherever Discord tells of them."""
    known = Known()
    parse.learn(known, "READY", {"user": {"id": ME}})
    thread = {"id": "700", "type": 11, "parent_id": "600"}
    channels = [{"id": "600", "type": 0, "parent_id": "9"}]
    parse.learn(known, "GUILD_CREATE", {"channels": channels, "threads": [thread]})
    parse.learn(known, "THREAD_CREATE", thread | {"id": "701"})
    parse.learn(known, "THREAD_LIST_SYNC", {"threads": [thread | {"id": "702"}]})
    parents = {"700": "600", "701": "600", "702": "600"}
    assert known == Known(me=ME, parents=parents, channels={"600"})
    assert known.place("600")
    assert not known.place("601")


def test_deleted_messages_are_named_with_their_place() -> None:
    """One or several; threads by their channel."""
    gone = parse.deleted({"id": "41", "channel_id": "600"}, KNOWN)
    assert list(gone) == [(CHANNEL, "41")]
    several = parse.deleted({"ids": ["41", "x", "42"], "channel_id": "700"}, KNOWN)
    assert list(several) == [(THREAD, "41"), (THREAD, "42")]


def test_ids_can_be_made_of_times() -> None:
    """The lowest of that millisecond."""
    at = parse.moment("1576984226681585664")
    assert parse.moment(parse.snowflake(at)) == at
    assert int(parse.snowflake(at)) <= 1576984226681585664


def test_a_ticket_is_what_an_answer_needs() -> None:
    """Without a token there is nothing to answer with."""
    ticket = parse.ticket(PRESS)
    assert ticket == parse.Ticket(PRESS["id"], "tok", ME, on_message=True)  # type: ignore[arg-type]
    assert parse.ticket(PRESS | {"token": None}) is None


@given(any_json(), any_json(), st.sampled_from(sorted(MESSAGE | PRESS)))
def test_any_json_reads_without_an_error(data: Any, part: Any, key: str) -> None:
    """Whole, or in place of any part of a true event."""
    for event in (data, MESSAGE | {key: part}, PRESS | {key: part}, PRESS | {"data": {key: part}}):
        known = Known()
        for name in (
            "READY",
            "GUILD_CREATE",
            "THREAD_CREATE",
            "THREAD_LIST_SYNC",
            "MESSAGE_CREATE",
        ):
            parse.learn(known, name, event)
        parse.message(event, KNOWN)
        parse.message(event, KNOWN, edited=True)
        acted = parse.interaction(event)
        parse.ticket(event)
        parse.kept(event)
        parse.conversation_of(event)
        list(parse.deleted(event, KNOWN))
        if acted is not None:
            parse.opens_a_form(acted)
