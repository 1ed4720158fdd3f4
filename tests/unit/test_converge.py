"""What a post needs, from nothing but what is: looking again is always right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from channels.converge import Need, need
from gateway.ask import AskRecord, Status
from gateway.posts import Post, PostState, anew
from tests.endings import an_ask, settled
from tests.strategies import record_of

WAITS = record_of(an_ask())
ENDED = replace(settled(an_ask(), status=Status.CANCELLED), version=2)
POST = Post("slack", "C1", message="17.1")


def drawn(record: AskRecord) -> Post:
    """A post that shows the ask as it stands."""
    return replace(POST, state=PostState.SHOWN, version=record.version)


@pytest.mark.parametrize(
    ("state", "waits", "ended"),
    [
        (None, Need.POST, Need.NOTHING),
        (PostState.POSTING, Need.POST, Need.FORGET),
        (PostState.SHUT, Need.POST, Need.NOTHING),
        (PostState.FAILED, Need.NOTHING, Need.NOTHING),
        (PostState.CLOSED, Need.NOTHING, Need.NOTHING),
        (PostState.SHOWN, Need.REDRAW, Need.REDRAW),
    ],
)
def test_each_state_has_its_need(state: PostState | None, waits: Need, ended: Need) -> None:
    """While the ask waits, and once it has ended; the post shows no version of it yet."""
    post = None if state is None else replace(POST, state=state)
    assert need(WAITS, post) is waits
    assert need(ENDED, post) is ended


@pytest.mark.parametrize("record", [WAITS, ENDED])
def test_a_post_that_shows_the_ask_as_it_stands_needs_nothing(record: AskRecord) -> None:
    """Drawn once more it would look the same."""
    assert need(record, drawn(record)) is Need.NOTHING


def test_a_post_that_shows_what_was_is_drawn_anew() -> None:
    """It still invites to an ask that has ended."""
    assert need(ENDED, drawn(WAITS)) is Need.REDRAW


def test_what_a_deleted_post_needs_is_a_new_one_while_the_ask_waits() -> None:
    """Under another key; and an extra one, or one of an ask that has ended, nothing more."""
    gone = anew(drawn(WAITS))
    assert need(WAITS, gone) is Need.POST
    assert need(ENDED, gone) is Need.FORGET
    assert (gone.message, gone.lost) == (None, 1)
    assert anew(gone).lost == 2
    assert need(WAITS, anew(replace(drawn(WAITS), extra=True))) is Need.NOTHING


def test_posts_of_one_ask_are_told_apart_by_place() -> None:
    """A thread is a place of its own, and so is one message too many."""
    places = [
        Post("slack", "C1").place,
        Post("slack", "C2").place,
        Post("teams", "C1").place,
        Post("slack", "C1", thread="17.1").place,
        Post("slack", "C1", message="17.1", extra=True).place,
        Post("slack", "C1", message="17.2", extra=True).place,
    ]
    assert len(set(places)) == len(places)
    assert Post("slack", "C1", message="17.9", version=2).place == places[0]


def test_a_chat_that_could_not_be_opened_is_no_place_to_post_to() -> None:
    """It stands for one, so that its failure is on record."""
    nobody = Post.to_nobody("slack", "U1")
    assert nobody.unopened
    assert nobody.place == "slack:@U1"
    assert not Post("slack", "D1", account="U1").unopened
    assert not Post("telegram", "1001", account="1001").unopened
