"""Which ask a message belongs to: one rule after another, and never a guess."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from channels.contract import Destination, Sender, Typed
from channels.inbound.belonging import (
    Chat,
    belonging,
    is_named,
    leading_name,
    sort,
    without_name,
)
from gateway.ask import Outcome, Status
from gateway.conversations import Bound, Waiting, codes
from tests.strategies import any_text, approval, record_of

NOW = datetime(2026, 10, 20, 12, tzinfo=UTC)
DIRECT = Destination("slack", "D1", account="U1")
CHANNEL = Destination("slack", "C1")
THREAD = Destination("slack", "C1", "T1")
NOBODY = Bound()


def waiting(code: str, thread: str | None = None, ended: datetime | None = None) -> Waiting:
    """An ask called by that code; its id is made of it."""
    ask = approval().model_copy(update={"id": ask_id(code)})
    record = record_of(ask, Outcome(status=Status.ANSWERED, by="user:kevin") if ended else None)
    return Waiting(code, replace(record, settled_at=ended), thread)


def ask_id(code: str) -> str:
    return f"a-{code.encode().hex():0>12}"


def one(code: str) -> Bound:
    return Bound((ask_id(code),))


def several(*asks: str) -> Bound:
    return Bound(tuple(map(ask_id, asks)), sure=False)


def typed(text: str = "2", where: Destination = DIRECT, **more: Any) -> Typed:
    return Typed(where, Sender("U1"), NOW, "m1", text, **more)


K7, M3 = waiting("K7"), waiting("M3")
IN_T1, IN_T2 = waiting("K7", "T1"), waiting("M3", "T2")
ENDED = waiting("P4", ended=NOW - timedelta(seconds=5))


@pytest.mark.parametrize(
    ("message", "chat", "belongs"),
    [
        # a code or an id comes first, behind a mention too
        (typed("K7 blue"), Chat([K7, M3]), one("K7")),
        (typed("m3: blue"), Chat([K7, M3]), one("M3")),
        (typed(f"{ask_id('M3')} blue"), Chat([K7, M3]), one("M3")),
        (typed("@oz K7 blue", mention=("@oz",)), Chat([K7, M3]), one("K7")),
        (typed("K7"), Chat([K7, M3]), one("K7")),
        (typed("K7x blue"), Chat([K7, M3]), several("K7", "M3")),
        (typed("Z9 blue"), Chat([K7]), one("K7")),
        (typed("P4 blue"), Chat([K7], [ENDED]), one("P4")),
        # then a reply mark, pending or not; on another message of ours it names nothing
        (typed(where=CHANNEL, reply_to="p"), Chat([K7], replied=ask_id("M3")), one("M3")),
        (typed(where=CHANNEL, reply_to="x"), Chat([K7]), NOBODY),
        # then the thread
        (typed(where=THREAD), Chat([IN_T1, IN_T2]), one("K7")),
        (typed(where=THREAD), Chat([K7], root=ask_id("K7")), one("K7")),
        (typed(where=THREAD), Chat([IN_T2]), NOBODY),
        (typed(where=THREAD, addressed=True), Chat([K7, IN_T2]), NOBODY),
        (typed(where=THREAD), Chat([IN_T1, waiting("P4", "T1")]), several("K7", "P4")),
        # then a direct chat, or a mention at the top
        (typed(), Chat([K7]), one("K7")),
        (typed(), Chat([K7, M3]), several("K7", "M3")),
        (typed(where=replace(DIRECT, thread="T9")), Chat([K7]), one("K7")),
        (typed(where=CHANNEL, addressed=True), Chat([K7, IN_T2]), one("K7")),
        (typed(where=CHANNEL, addressed=True), Chat([IN_T2]), several("M3")),
        (typed(where=CHANNEL), Chat([K7]), NOBODY),
        (typed(), Chat(), NOBODY),
        # and of several the one that their next words were said to be for
        (typed(), Chat([K7, M3], meant=ask_id("M3")), one("M3")),
        (typed("K7 blue"), Chat([K7, M3], meant=ask_id("M3")), one("K7")),
        (typed(where=CHANNEL), Chat([K7, M3], meant=ask_id("M3")), NOBODY),
        # what other people may end is theirs, and the only one of it is recorded
        (typed(where=THREAD), Chat(others=[IN_T1]), one("K7")),
        (typed(where=THREAD), Chat(others=[IN_T1, waiting("P4", "T1")]), NOBODY),
        (typed(where=THREAD), Chat([waiting("P4", "T1")], others=[IN_T1]), one("P4")),
        # what ended meanwhile, or a moment ago
        (typed(), Chat([waiting("K7", ended=NOW)]), one("K7")),
        (typed(), Chat([waiting("K7", ended=NOW), M3]), several("M3")),
        (typed(), Chat(ended=[ENDED]), one("P4")),
        (typed(), Chat([K7], [ENDED]), one("K7")),
        # and never what came later
        (typed(), Chat(later=[K7]), NOBODY),
        (typed("K7 blue"), Chat([M3], later=[K7]), one("M3")),
    ],
)
def test_a_message_belongs_by_the_first_rule_that_applies(
    message: Typed, chat: Chat, belongs: Bound
) -> None:
    """Named, marked, threaded, alone: in this order, and otherwise to nobody."""
    assert belonging(message, chat) == belongs


def test_the_conversation_is_sorted_by_what_was_when_the_message_was_written() -> None:
    """What appeared later, ended before, or is other people's, is told apart."""
    second = timedelta(seconds=1)
    asks = [
        (waiting("A2"), NOW - second),
        (waiting("C2"), NOW),
        (waiting("D2"), NOW + second),
        (waiting("E2", ended=NOW + second), NOW - second),
        (waiting("F2", ended=NOW - second), NOW - second),
        (waiting("G2", ended=NOW - 60 * second), NOW - second),
        (waiting("X2"), NOW - second),
        (waiting("Y2"), NOW + second),
    ]
    chat = sort(typed(), asks, lambda w: w.code not in ("X2", "Y2"), None, None)
    assert [
        [w.code for w in part] for part in (chat.mine, chat.ended, chat.later, chat.others)
    ] == [
        ["A2", "C2", "E2"],
        ["F2"],
        ["D2"],
        ["X2"],
    ]
    assert [w.code for w in chat.pending] == ["A2", "C2"]


def test_a_name_is_taken_off_the_words_and_nothing_else() -> None:
    """What stays is as it was typed."""
    assert without_name(typed("@oz K7:  blue, K7", mention=("@oz",)), K7) == "blue, K7"
    assert without_name(typed("K7"), K7) == ""
    assert without_name(typed("M3 blue"), K7) == "M3 blue"
    assert leading_name(typed("7 K7")) is None


def test_speaking_to_us_is_a_mention_a_mark_or_a_code() -> None:
    """Only these make a message addressed."""
    chat = Chat([K7], replied=ask_id("M3"))
    assert is_named(typed(addressed=True), chat, ask_id("P4"))
    assert is_named(typed(), chat, ask_id("M3"))
    assert is_named(typed("K7 blue"), chat, ask_id("K7"))
    assert not is_named(typed(), chat, ask_id("K7"))


PLACES = (DIRECT, CHANNEL, THREAD, replace(DIRECT, thread="T1"))


@given(
    any_text(),
    st.sampled_from(PLACES),
    st.booleans(),
    st.lists(st.sampled_from([K7, M3, IN_T1, IN_T2]), unique_by=lambda w: w.code),
    st.booleans(),
)
def test_any_text_belongs_to_something_that_is_there_or_to_nobody(
    text: str, where: Destination, addressed: bool, mine: list[Waiting], mention: bool
) -> None:
    """Total; several are never sure, and a group's unaddressed top belongs to nobody."""
    message = typed(text, where, addressed=addressed, mention=("@oz",) if mention else ())
    found = belonging(message, Chat(mine))
    assert set(found.ask_ids) <= {one.record.ask.id for one in mine}
    assert len(found.ask_ids) <= 1 or not found.sure
    if where == CHANNEL and not addressed and leading_name(message) is None:
        assert found == NOBODY
    assert Bound.read(str(found)) == found


def test_codes_are_short_stable_and_hold_no_look_alikes() -> None:
    """A letter and a digit first, the same on every replica, longer when those are taken."""
    drawn = list(codes("a-75eaf712473f"))
    assert drawn == list(codes("a-75eaf712473f"))
    assert [len(code) for code in drawn] == sorted(len(code) for code in drawn)
    assert {len(code) for code in drawn[:24]} == {2}
    assert not set("".join(drawn)) & set("BIOQSZ015")
    assert drawn[0] != next(codes("a-000000000000"))
