"""What Slack sends, as what people did; whatever it sends, nothing breaks."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import pack
from channels.contract import (
    Destination,
    OpenForm,
    Pick,
    PressDecline,
    Pressed,
    Send,
    Sender,
    Submitted,
    Typed,
)
from channels.slack import modal, parse, returned
from channels.slack.render import TELL
from gateway.answer import Picked
from tests.strategies import any_json

Json = dict[str, Any]
US = parse.Us("T1", "UOZ", "BOZ")
ASK = "a-00c0ffee0001"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
AT = datetime.fromtimestamp(1_800_000_000.5, UTC)
TS = "1800000000.500000"


def said(text: str = "yes", **more: Any) -> Json:
    """An event with somebody's message."""
    inner = {
        "type": "message",
        "channel": "C1",
        "channel_type": "channel",
        "user": "U1",
        "team": "T1",
        "ts": TS,
        "text": text,
        "client_msg_id": "m",
    }
    return {"type": "event_callback", "event": inner | more, "team_id": "T1"}


def typed(body: Json) -> Typed:
    """The message of an event."""
    found = parse.event(body, US)
    assert isinstance(found, Typed)
    return found


def pressed(action: Json | None = None, **more: Any) -> Json:
    """A press on a post."""
    return {
        "type": "block_actions",
        "user": {"id": "U1", "name": "ana", "team_id": "T1"},
        "container": {"type": "message", "message_ts": "1.000001", "channel_id": "C1"},
        "actions": [
            {"value": pack(ASK, Pick("o2")), "action_ts": TS, "block_id": "x"} | (action or {})
        ],
        **more,
    }


def sent(view: Json | None = None, **more: Any) -> Json:
    """A modal that was sent."""
    where = Destination("slack", "C1", "1.000000")
    opened = modal.Opened(ASK, where, "1.000001", 0, 2)
    values = {"v:copies": {"in v:copies": {"type": "number_input", "value": "2"}}}
    shown = {
        "id": "V1",
        "callback_id": modal.FORM,
        "private_metadata": opened.packed(),
        "state": {"values": values},
    }
    user = {"id": "U1", "name": "ana", "team_id": "T1"}
    return {"type": "view_submission", "user": user, "view": shown | (view or {}), **more}


# Messages


def test_a_message_is_what_its_author_typed() -> None:
    """With place, time and id; the thread's root is in no thread."""
    assert typed(said()) == Typed(
        Destination("slack", "C1"), Sender("T1/U1"), AT, TS, "yes", markup=True
    )
    assert typed(said(thread_ts="1.000001")).where.thread == "1.000001"
    assert typed(said(thread_ts=TS)).where.thread is None
    assert typed(said(subtype="thread_broadcast", thread_ts="1.000001")).where.thread is not None
    assert typed(said(subtype="file_share", text="")).text == ""


def test_a_direct_message_is_in_that_persons_own_chat() -> None:
    """By the kind of conversation."""
    where = typed(said(channel="D1", channel_type="im")).where
    assert where == Destination("slack", "D1", account="T1/U1")


def test_a_mention_speaks_to_us() -> None:
    """However it is spelled; others' are names."""
    found = typed(said("<@UOZ|oz> ask <@U2>, <@U3|cem>, <#C9|ops>, <!here>, <!subteam^S1|@ops>"))
    assert found.addressed
    assert found.mention == ("<@UOZ|oz>",)
    assert dict(found.names) == {
        "<@U2>": "@U2",
        "<@U3|cem>": "@cem",
        "<#C9|ops>": "#ops",
        "<!here>": "@here",
        "<!subteam^S1|@ops>": "@ops",
    }
    assert parse.person_of("<@U2>") == "U2"
    assert parse.person_of("<@U3|cem>") is None
    assert typed(said(type="app_mention")).addressed
    assert typed(said("see <https://a.example|a> and <!date^1^{time}|9:00>")).names == (
        ("<!date^1^{time}|9:00>", "9:00"),
    )


@pytest.mark.parametrize(
    "more",
    [
        {"bot_id": "B1"},
        {"user": "UOZ"},
        {"subtype": "bot_message"},
        {"subtype": "channel_join"},
        {"subtype": "channel_topic"},
        {"user": None},
        {"ts": "soon"},
        {"ts": None},
        {"type": "reaction_added"},
    ],
)
def test_what_nobody_typed_is_nothing(more: Json) -> None:
    """Bots, our own echoes, Slack's notes, and what is no message."""
    assert parse.event(said(**more), US) is None


def test_people_of_another_workspace_are_nobody_of_ours() -> None:
    """Their id is theirs with their team; where no team is named in a shared channel, nobody is."""
    assert typed(said(user_team="T2")).sender == Sender("T2/U1")
    assert typed(said(team="T2")).sender == Sender("T2/U1")
    assert typed(said(team=None)).sender == Sender("T1/U1")
    shared = {**said(team=None), "is_ext_shared_channel": True}
    assert typed(shared).sender.hidden
    assert typed({**said(), "is_ext_shared_channel": True}).sender == Sender("T1/U1")
    assert parse.user_of("T2/U1") == "U1"


def edited(**more: Any) -> Json:
    """A message that was changed."""
    now = {"type": "message", "user": "U1", "team": "T1", "ts": TS, "text": "no"}
    inner = {
        "type": "message",
        "subtype": "message_changed",
        "channel": "C1",
        "channel_type": "channel",
        "ts": "1800000009.000000",
        "message": {**now, "edited": {"user": "U1", "ts": "1800000008.000000"}} | more,
        "previous_message": {**now, "text": "yes"},
    }
    return {"type": "event_callback", "event": inner}


def test_an_edit_keeps_its_messages_id_and_time() -> None:
    """And is told from the message, and from other edits."""
    found = typed(edited())
    assert (found.message, found.at, found.text, found.edit) == (
        TS,
        AT,
        "no",
        "1800000008.000000",
    )


@pytest.mark.parametrize(
    "more", [{"text": "yes"}, {"edited": None}, {"bot_id": "B1"}, {"subtype": "bot_message"}]
)
def test_a_change_that_nobody_made_is_nothing(more: Json) -> None:
    """A preview below it, or a bot's own."""
    assert parse.event(edited(**more), US) is None


def test_a_deleted_post_of_ours_is_heard_of() -> None:
    """Other people's messages are their own."""
    inner = {
        "type": "message",
        "subtype": "message_deleted",
        "channel": "C1",
        "deleted_ts": "1.000001",
        "previous_message": {"user": "UOZ", "thread_ts": "1.000000"},
    }
    where = Destination("slack", "C1", "1.000000")
    assert parse.event({"event": inner}, US) == parse.Deleted(where, "1.000001")
    theirs = {**inner, "previous_message": {"user": "U1"}}
    assert parse.event({"event": theirs}, US) is None


def test_home_and_the_end_are_heard_of() -> None:
    """The Home tab only; our own token only."""
    looked = {"type": "app_home_opened", "tab": "home", "user": "U1", "channel": "D1"}
    where = Destination("slack", "D1", account="T1/U1")
    assert parse.event({"event": looked}, US) == parse.Homed(where, Sender("T1/U1"))
    assert parse.event({"event": {**looked, "tab": "messages"}}, US) is None
    assert parse.event({"event": {"type": "app_uninstalled"}}, US) == parse.Revoked()
    for bots, found in ((["UOZ"], parse.Revoked()), (["U9"], None)):
        revoked = {"type": "tokens_revoked", "tokens": {"bot": bots}}
        assert parse.event({"event": revoked}, US) == found


# Presses


def test_a_press_names_its_ask_and_its_presser() -> None:
    """By ids alone; the name is only shown."""
    assert parse.interaction(pressed(), US, NOW) == Pressed(
        Destination("slack", "C1"),
        Sender("T1/U1", "ana"),
        AT,
        f"T1/U1:{TS}:{pack(ASK, Pick('o2'))}",
        ASK,
        Pick("o2"),
        "1.000001",
    )


def test_a_choice_in_a_menu_is_a_press() -> None:
    """Its option has the data."""
    action = {"value": None, "selected_option": {"value": pack(ASK, Pick("o42"))}}
    found = parse.interaction(pressed(action), US, NOW)
    assert isinstance(found, Pressed)
    assert found.control == Pick("o42")


def test_a_press_in_a_thread_or_alone_with_us_is_there() -> None:
    """A post that has replies is in no thread itself."""
    container = {"type": "message", "message_ts": "2.000001", "channel_id": "C1"}
    for thread, found in (("1.000001", "1.000001"), ("2.000001", None), (None, None)):
        body = pressed(container={**container, "thread_ts": thread})
        made = parse.interaction(body, US, NOW)
        assert made is not None
        assert made.where.thread == found
    alone = parse.interaction(pressed(container={**container, "channel_id": "D1"}), US, NOW)
    assert alone is not None
    assert alone.where.account == "T1/U1"


@pytest.mark.parametrize(
    "body",
    [
        pressed({"value": pack(ASK, Send("0123456789")), "block_id": TELL}),
        pressed(
            container={
                "type": "message",
                "message_ts": "1.000001",
                "channel_id": "C1",
                "is_ephemeral": True,
            }
        ),
    ],
)
def test_what_was_said_back_is_no_post(body: Json) -> None:
    """Its press counts, and it is not taken for a post of the ask."""
    found = parse.interaction(body, US, NOW)
    assert found is not None
    assert found.message is None


@pytest.mark.parametrize(
    "body",
    [
        pressed({"value": "other"}),
        pressed({"value": None}),
        pressed({"action_ts": None}),
        pressed(actions=[]),
        pressed(user=None),
        pressed(container={"type": "view", "view_id": "V1"}),
        sent({"private_metadata": "{}"}),
        sent({"callback_id": "other"}),
        sent({"id": None}),
        sent(user={}),
        {"type": "view_closed"},
    ],
)
def test_what_is_not_ours_is_nothing(body: Json) -> None:
    """Other apps' data, and what has no author."""
    assert parse.interaction(body, US, NOW) is None


# Forms


def test_a_sent_form_is_its_values_where_it_was_opened() -> None:
    """With its page; another press of Send with the same values is the same event."""
    found = parse.interaction(sent(), US, NOW)
    assert isinstance(found, Submitted)
    assert found.where == Destination("slack", "C1", "1.000000")
    assert (found.ask_id, found.message, found.page, found.pages) == (ASK, "1.000001", 0, 2)
    assert (found.values, found.at) == ({"copies": 2}, NOW)
    again = parse.interaction(sent(), US, NOW)
    assert again is not None
    assert again.event == found.event
    values = {"v:colour": {"x": {"selected_option": {"value": "o1"}}}}
    other = parse.interaction(sent({"state": {"values": values}}), US, NOW)
    assert isinstance(other, Submitted)
    assert other.event != found.event
    assert other.values == {"colour": Picked(("o1",))}


def test_a_sent_reason_declines() -> None:
    """With its words, or without."""
    for text, why in (("later", "later"), (None, None)):
        values = {modal.WHY: {"x": {"type": "plain_text_input", "value": text}}}
        view = {"callback_id": modal.REASON, "state": {"values": values}}
        found = parse.interaction(sent(view), US, NOW)
        assert isinstance(found, Pressed)
        assert found.control == PressDecline(why)


def test_a_command_is_given_by_somebody_somewhere() -> None:
    """In private or among others."""
    body = {
        "command": "/oz",
        "text": " pending ",
        "user_id": "U1",
        "user_name": "ana",
        "team_id": "T1",
        "channel_id": "D1",
        "trigger_id": "1.2",
    }
    where = Destination("slack", "D1", account="T1/U1")
    expected = parse.Commanded(where, Sender("T1/U1", "ana"), "pending", "1.2")
    assert parse.command(body, US) == expected
    shared = parse.command({**body, "channel_id": "C1", "text": None}, US)
    assert shared is not None
    assert (shared.where.direct, shared.text) == (False, "")
    assert parse.command({"command": "/oz"}, US) is None


# Anything


def everywhere(body: Any) -> None:
    """Reads a body in all ways."""
    parse.event(body, US)
    parse.interaction(body, US, NOW)
    parse.command(body, US)


@given(body=any_json())
def test_any_json_is_read_without_an_error(body: Any) -> None:
    """And at the top, it is hardly ever something."""
    everywhere(body)


SHAPES = [said(), said("<@UOZ> <@U2>"), edited(), pressed(), sent()]


def spoiled(body: Any, path: list[int], value: Any) -> Any:
    """The body with something else at the place where the path ends."""
    if not path or not isinstance(body, dict | list) or not body:
        return value
    step, *rest = path
    if isinstance(body, dict):
        key = list(body)[step % len(body)]
        return {**body, key: spoiled(body[key], rest, value)}
    at = step % len(body)
    return [*body[:at], spoiled(body[at], rest, value), *body[at + 1 :]]


@given(
    body=st.sampled_from(SHAPES),
    path=st.lists(st.integers(0, 12), min_size=1, max_size=5),
    value=any_json(),
)
def test_a_spoiled_body_is_read_without_an_error(body: Json, path: list[int], value: Any) -> None:
    """Whatever stands in any one place."""
    everywhere(spoiled(body, path, value))


@given(values=any_json())
def test_any_state_of_a_form_is_read_without_an_error(values: Any) -> None:
    """Also as the state of a field."""
    returned.filled_in(values)
    returned.filled_in({"v:a": {"x": values}, "w:b": values})
    returned.errors(values, {"a": "x"})
    modal.Opened.unpacked(values)


def test_a_press_of_answer_opens_a_form() -> None:
    """The page it names."""
    found = parse.interaction(pressed({"value": pack(ASK, OpenForm(1))}), US, NOW)
    assert isinstance(found, Pressed)
    assert found.control == OpenForm(1)
