"""An update is read for what was done and by whom; whatever comes, nothing is raised."""

from __future__ import annotations

import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.callback import pack
from channels.contract import (
    Destination,
    Drop,
    Pick,
    Pressed,
    Sender,
    Step,
    StepAct,
    Typed,
)
from channels.telegram.parse import Command, Me, Migrated, Press, Said, Stray, parse
from channels.telegram.pastes import goes_on, joined, may_go_on
from channels.telegram.render import begin_word, units
from channels.testing.telegram.people import split
from tests.strategies import any_json

NOW = datetime(2026, 10, 20, 9, 5, tzinfo=UTC)
ME = Me(5000001, "oz_test_bot")
ASK = "a-75eaf712473f"
ANA = {"id": 7, "is_bot": False, "first_name": "Ana", "last_name": "M", "username": "ana_m"}
BOT = {"id": ME.id, "is_bot": True, "first_name": "OZ", "username": ME.username}
GROUP = {"id": -1001, "type": "supergroup", "title": "Ops"}
ALONE = {"id": 7, "type": "private", "first_name": "Ana"}


def message(text: str | None = "2", chat: Any = GROUP, **more: Any) -> dict[str, Any]:
    """A message of Ana's."""
    given: dict[str, Any] = {"message_id": 41, "date": 1_790_000_000, "from": ANA, "chat": chat}
    return given | ({} if text is None else {"text": text}) | more


def read(kind: str = "message", /, **body: Any) -> Any:
    """What an update of that kind is."""
    return parse({"update_id": 1, kind: body}, ME, NOW)


def typed(*args: Any, kind: str = "message", **more: Any) -> Typed:
    """The message in it."""
    found = read(kind, **message(*args, **more))
    assert isinstance(found, Said)
    return found.typed


def mark(kind: str, text: str, word: str, **more: Any) -> dict[str, Any]:
    """The entity of a word in a text."""
    at = units(text[: text.index(word)])
    return {"type": kind, "offset": at, "length": units(word), **more}


@given(any_json())
def test_any_json_is_read_or_let_go(update: Any) -> None:
    """As a whole update, and as the body of each kind."""
    parse(update, ME, NOW)
    for kind in ("message", "edited_message", "channel_post", "callback_query"):
        parse({"update_id": 1, kind: update}, ME, NOW)


def paths(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every part of a value."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        return [here, *(way for key, part in inner for way in paths(part, (*here, key)))]
    return [here]


def bent(value: Any) -> st.SearchStrategy[Any]:
    """The value with one part of it, anywhere, replaced by any JSON."""

    def put(changed: tuple[tuple[Any, ...], Any]) -> Any:
        way, other = changed
        if not way:
            return other
        whole = copy.deepcopy(value)
        inner = whole
        for key in way[:-1]:
            inner = inner[key]
        inner[way[-1]] = other
        return whole

    return st.tuples(st.sampled_from(paths(value)), any_json()).map(put)


WHOLE = message(
    "/help@oz_test_bot 😀 @oz_test_bot",
    entities=[
        {"type": "bot_command", "offset": 0, "length": 17},
        {"type": "mention", "offset": 21, "length": 12},
        {"type": "text_mention", "offset": 18, "length": 2, "user": BOT},
    ],
    reply_to_message=message("?", **{"from": BOT}),
    message_thread_id=5,
    is_topic_message=True,
    edit_date=1_790_000_001,
    sender_chat=GROUP,
)
PRESS = {
    "id": "9",
    "from": ANA,
    "message": WHOLE,
    "chat_instance": "1",
    "data": pack(ASK, Pick("o1")),
}


@given(bent(WHOLE), bent(PRESS))
def test_updates_with_anything_wrong_in_them_are_read_or_let_go(said: Any, press: Any) -> None:
    """Shaped like real ones, and broken in one place or another."""
    for kind in ("message", "edited_message", "channel_post"):
        parse({"update_id": 1, kind: said}, ME, NOW)
    parse({"update_id": 1, "callback_query": press}, ME, NOW)


def test_a_message_is_read_with_who_and_where() -> None:
    """By the platform's ids and clock."""
    assert typed() == Typed(
        Destination("telegram", "-1001"),
        Sender("7", "Ana M"),
        datetime.fromtimestamp(1_790_000_000, UTC),
        "41",
        "2",
    )
    assert typed(chat=ALONE).where == Destination("telegram", "7", account="7")


def test_a_mention_of_us_addresses_and_one_of_others_does_not() -> None:
    """By the entity, in any case, behind an emoji too."""
    text = "😀 @OZ_test_bot 2"
    said = typed(text, entities=[mark("mention", text, "@OZ_test_bot")])
    assert (said.addressed, said.mention) == (True, ("@OZ_test_bot",))
    said = typed("@ana_m 2", entities=[mark("mention", "@ana_m", "@ana_m")])
    assert (said.addressed, said.mention) == (False, ())
    assert not typed("@oz_test_bot 2").addressed


def test_a_reply_names_its_message_and_a_topics_first_is_none() -> None:
    """All that is written in a topic hangs on the message that made it."""
    ours = message("?", message_id=40, **{"from": BOT})
    assert typed(reply_to_message=ours).reply_to == "40"
    made = message(None, message_id=5, forum_topic_created={"name": "x", "icon_color": 1})
    within = typed(reply_to_message=made, message_thread_id=5, is_topic_message=True)
    assert (within.reply_to, within.where.thread) == (None, None)


def test_talk_in_a_topic_is_not_under_the_ask_and_replies_to_us_are() -> None:
    """A topic is a place; a supergroup's thread of replies is none at all."""
    inside: dict[str, Any] = {"message_thread_id": 5, "is_topic_message": True}
    ours, theirs = message("?", **{"from": BOT}), message("?")
    assert typed(reply_to_message=ours, **inside).where.thread == "5"
    assert typed(reply_to_message=theirs, **inside).where.thread is None
    assert typed(reply_to_message=ours, message_thread_id=40).where.thread is None


@pytest.mark.parametrize(
    "more",
    [
        {"from": BOT},
        {"from": {"id": 6, "is_bot": True, "first_name": "Relay"}},
        {"is_automatic_forward": True},
        {"text": None, "new_chat_members": [ANA]},
        {"text": None, "pinned_message": {}},
        {"date": 0},
        {"date": 10**15},
        {"message_id": "41"},
        {"chat": None},
    ],
)
def test_what_no_person_said_is_let_go(more: dict[str, Any]) -> None:
    """Bots, echoes of channels, news of the chat, and what names no message."""
    assert read(**message(**more)) is None


def test_pictures_have_no_words_or_their_caption() -> None:
    """So that whoever sends one is told."""
    assert typed(None, photo=[]).text == ""
    assert typed(None, photo=[], caption="red").text == "red"


def test_anonymous_admins_and_channels_are_hidden() -> None:
    """IA-12: the shared id names nobody."""
    shared: dict[str, Any] = {"from": {"id": 1087968824, "is_bot": True, "first_name": "Group"}}
    assert typed(sender_chat=GROUP, **shared).sender == Sender("1087968824", hidden=True)
    news = {"id": -1009, "type": "channel", "title": "News"}
    post = message("2", chat=news, sender_chat=news)
    del post["from"]
    found = read("channel_post", **post)
    assert isinstance(found, Said)
    assert found.typed.sender.hidden


def test_edits_are_told_apart_within_a_second() -> None:
    """By their words."""
    edits = [typed(text, kind="edited_message", edit_date=5).edit for text in ("2", "3", "2")]
    assert edits[0] == edits[2] != edits[1]
    assert typed().edit is None


def test_half_a_surrogate_pair_becomes_a_sign_that_can_be_kept() -> None:
    """Whatever is stored is text."""
    assert typed("a\ud83d").text == "a\ufffd"


def command(text: str, **more: Any) -> Any:
    """What a command is."""
    word = text.split(maxsplit=1)[0]
    return read(**message(text, entities=[mark("bot_command", text, word)], **more))


def test_our_commands_are_ours_and_others_are_not() -> None:
    """`/help@other_bot` is not for us, and neither is a path in somebody's answer."""
    found = command("/help@oz_test_bot")
    assert isinstance(found, Said)
    assert (found.typed.text, found.typed.addressed) == ("help", True)
    assert command("/help@other_bot") is None
    assert isinstance(command("/link"), Command)
    assert isinstance(command("/pending", chat=ALONE), Command)
    assert isinstance(command("/pending"), Said)
    found = command("/etc/hosts", chat=ALONE)
    assert isinstance(found, Said)
    assert found.typed.text == "/etc/hosts"
    found = command("/skip@oz_test_bot not now")
    assert isinstance(found, Said)
    assert (found.typed.text, found.typed.addressed) == ("skip not now", True)


def test_start_helps_or_begins_a_form() -> None:
    """By what its link carried; anything else is a greeting."""
    found = command("/start", chat=ALONE)
    assert isinstance(found, Said)
    assert found.typed.text == "help"
    found = command(f"/start {begin_word(ASK)}", chat=ALONE)
    assert isinstance(found, Press)
    assert (found.query, found.pressed.ask_id) == (None, ASK)
    assert found.pressed.control == Step(StepAct.START)
    assert isinstance(command("/start f!!!!!!!!", chat=ALONE), Said)


def test_a_press_names_its_ask_and_its_post() -> None:
    """Its time is ours: Telegram tells none."""
    query = PRESS | {"message": message("?", **{"from": BOT})}
    found = read("callback_query", **query)
    assert isinstance(found, Press)
    assert found.query == "9"
    where = Destination("telegram", "-1001")
    assert found.pressed == Pressed(where, Sender("7", "Ana M"), NOW, "9", ASK, Pick("o1"), "41")


@pytest.mark.parametrize("control", [Step(StepAct.PICK), Drop("0123456789")])
def test_what_does_not_show_the_ask_is_no_post_of_it(control: Any) -> None:
    """Steps and what was said back: they must not be drawn as posts are."""
    query = PRESS | {"data": pack(ASK, control), "message": message("?", **{"from": BOT})}
    found = read("callback_query", **query)
    assert isinstance(found, Press)
    assert (found.pressed.message, found.message) == (None, 41)


@pytest.mark.parametrize(
    "more", [{"data": "nonsense"}, {"data": None}, {"message": None}, {"message": {"chat": 1}}]
)
def test_a_press_that_is_none_of_ours_is_answered_all_the_same(more: dict[str, Any]) -> None:
    """It is nobody's ask, and still it spins."""
    found = read("callback_query", **(PRESS | more))
    assert isinstance(found, Stray)
    assert found.query == "9"


def test_an_inaccessible_message_still_says_where() -> None:
    """Of one too old for the bot only chat and number are left."""
    gone = {"chat": ALONE, "message_id": 41, "date": 0}
    found = read("callback_query", **(PRESS | {"message": gone}))
    assert isinstance(found, Press)
    assert found.pressed.where.account == "7"


def test_an_upgraded_group_is_heard_of_from_both_sides() -> None:
    """IA-14: the old id and the new one."""
    basic = {"id": -55, "type": "group", "title": "Ops"}
    moved = Migrated(Destination("telegram", "-55"), Destination("telegram", "-1001"))
    assert read(**message(None, chat=basic, migrate_to_chat_id=-1001)) == moved
    assert read(**message(None, migrate_from_chat_id=-55)) == moved


def test_an_edit_without_words_is_nothing() -> None:
    """A live location moves, a picture is exchanged: whoever sent it heard what it lacks."""
    where = {"latitude": 1.0, "longitude": 2.0, "live_period": 900}
    assert typed(None, location=where).text == ""
    assert read("edited_message", **message(None, location=where, edit_date=1_790_000_009)) is None
    assert typed(None, kind="edited_message", photo=[{}], caption="2", edit_date=1).text == "2"


# Pastes


def parts_of(text: str, *, desktop: bool = False) -> list[Typed]:
    """A text as a client sends it."""
    first = typed()
    return [
        replace(first, text=part, message=str(41 + n), at=first.at + timedelta(seconds=n // 3))
        for n, part in enumerate(split(text, desktop=desktop))
    ]


@given(st.text(alphabet=st.sampled_from("aé😀 "), min_size=1, max_size=12_000))
def test_a_paste_is_joined_as_it_was(text: str) -> None:
    """But for the blanks that its client took away where it cut."""
    parts = parts_of(text)
    if not parts:
        return
    for before, after in pairwise(parts):
        assert goes_on(before, after)
    whole = joined(parts)
    assert "".join(whole.text.split()) == "".join(text.split())
    assert (whole.message, whole.at) == (parts[0].message, parts[0].at)


BLANKS = (" ", ", ", ". ", "\n", ".\n", "\n\n")


@given(st.lists(st.tuples(st.integers(1, 400), st.sampled_from(BLANKS)), min_size=20, max_size=90))
def test_a_paste_from_a_desktop_is_joined_with_such_blanks(
    words: list[tuple[int, str]],
) -> None:
    """Telegram Desktop cuts far before a message is full, wherever the text has its best break."""
    text = "".join("x" * size + blank for size, blank in words).strip()
    parts = parts_of(text, desktop=True)
    for before, after in pairwise(parts):
        assert goes_on(before, after)
    whole = joined(parts).text
    assert whole.split() == text.split()
    assert parts_of(whole, desktop=True) == parts


def test_lines_stay_lines_where_a_paste_was_cut() -> None:
    """One of lines is cut at a line, one of words at a word."""
    lines = "\n".join(f"line {n}" for n in range(2000))
    assert joined(parts_of(lines)).text == lines
    words = " ".join(f"word{n}" for n in range(2000))
    assert joined(parts_of(words)).text == words
    solid = "x" * 9000
    assert joined(parts_of(solid)).text == solid


def test_only_the_rest_of_the_same_paste_goes_on() -> None:
    """Same author and place, at once, after a part that is full."""
    full, rest = parts_of("x" * 5000)
    assert may_go_on(full)
    assert not may_go_on(rest)
    assert goes_on(full, rest)
    for other in (
        replace(rest, sender=Sender("8")),
        replace(rest, where=Destination("telegram", "-1002")),
        replace(rest, at=rest.at + timedelta(seconds=9)),
        replace(rest, reply_to="1"),
        replace(rest, edit="1"),
        replace(rest, text=""),
    ):
        assert not goes_on(full, other)
