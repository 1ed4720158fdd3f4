"""A form as values: every field on some page, filled with what is kept."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from channels.catalogue import Reader
from channels.forms import form, reason
from channels.present import option_rows
from channels.shown import line
from gateway.answer import Picked
from gateway.ask import Ask
from gateway.question import Field, Kind
from gateway.reply.draft import Draft
from tests.endings import an_ask
from tests.strategies import approval
from tests.strategies_reply import any_ask, ask_of, choice, field, several

READER = Reader()
NOTHING = Draft()


def numbered(count: int) -> tuple[Field, ...]:
    return tuple(field(Kind.TEXT, f"f{n}", label=f"Field {n}") for n in range(count))


@given(any_ask(), st.integers(0, 6))
def test_every_field_stands_on_one_page_in_order(ask: Ask, per_page: int) -> None:
    """No more of them than a page takes, and each page knows where it begins."""
    first = form(READER, ask, NOTHING, per_page=per_page)
    pages = [form(READER, ask, NOTHING, page=n, per_page=per_page) for n in range(first.pages)]
    assert [entry.field for page in pages for entry in page.entries] == [*ask.question.fields]
    at = 0
    for number, page in enumerate(pages):
        assert (page.page, page.pages, page.first) == (number, len(pages), at)
        assert not per_page or len(page.entries) <= per_page
        at += len(page.entries)
    assert all(page.entries for page in pages) or not ask.question.fields


@given(any_ask())
def test_options_are_the_posts_own(ask: Ask) -> None:
    """By the same key and in the same words, so that nobody has to look twice."""
    for entry in form(READER, ask, NOTHING).entries:
        assert entry.rows == option_rows(entry.field)
        assert "\n" not in entry.label
        assert entry.hint


def test_pages_are_called_by_number_and_the_last_one_sends() -> None:
    """The others go on to the next."""
    ask = ask_of(*numbered(12))
    pages = [form(READER, ask, NOTHING, page=n, per_page=5) for n in range(3)]
    assert [page.title for page in pages] == [
        "asker asks, 1 of 3",
        "asker asks, 2 of 3",
        "asker asks, 3 of 3",
    ]
    assert [page.send for page in pages] == ["Continue", "Continue", "Send"]
    assert [len(page.entries) for page in pages] == [5, 5, 2]
    assert form(READER, ask, NOTHING).title == "asker asks"


def test_a_page_past_the_last_is_the_last() -> None:
    """A button of another drawing opens something that is there."""
    ask = ask_of(*numbered(6))
    assert form(READER, ask, NOTHING, page=9, per_page=5).page == 1


def test_what_was_filled_in_before_stands_there_again() -> None:
    """Opened again, on this page or another, nothing has to be typed twice."""
    ask = ask_of(choice("red", "blue"), field(Kind.NUMBER, "copies"), field(Kind.TEXT, "why"))
    draft = NOTHING.fill("pick", Picked(("o2",))).fill("copies", 3)
    entries = form(READER, ask, draft).entries
    assert [entry.value for entry in entries] == [Picked(("o2",)), 3, None]


def test_an_only_field_is_called_the_answer() -> None:
    """Its name is the contract's, and says nothing to people; one of several has its title."""
    (only,) = form(READER, an_ask(field(Kind.TEXT, "answer")), NOTHING).entries
    assert only.label == "Your answer"
    several_fields = form(READER, ask_of(*numbered(2)), NOTHING)
    assert [entry.label for entry in several_fields.entries] == ["Field 0", "Field 1"]


def test_a_hint_says_what_a_field_is_and_what_it_takes() -> None:
    """The agent's words first, ours in brackets."""
    described = field(Kind.NUMBER, "copies", integer=True, min=1, max=9, description="For the desk")
    plain, told = form(READER, ask_of(field(Kind.DATE, "on"), described), NOTHING).entries
    assert plain.hint == "a date, needed"
    assert told.hint == "For the desk (a whole number, 1 to 9, needed)"


def test_own_words_and_a_toggle_have_their_words() -> None:
    """A choice invites to own words only where it takes them; a toggle has two answers."""
    closed = choice("red", "blue", name="shade", write_in=False)
    ask = ask_of(choice("red", "blue"), closed, several("a", "b", name="many"))
    assert [bool(entry.other) for entry in form(READER, ask, NOTHING).entries] == [
        True,
        False,
        True,
    ]
    (toggle,) = form(READER, ask_of(field(Kind.TOGGLE)), NOTHING).entries
    assert (toggle.yes, toggle.no) == ("Yes", "No")


def test_hidden_characters_of_an_agent_are_shown_in_a_form_too() -> None:
    """Nobody is led to another answer by what cannot be seen."""
    ask = ask_of(field(Kind.TEXT, "a", label="Na\u202eme"), field(Kind.TEXT, "b"), prompt="Go\x1b?")
    page = form(READER, ask, NOTHING)
    assert page.question == "Go⟨U+001B⟩?"
    assert page.entries[0].label == line("Na⟨U+202E⟩me")


def test_a_reason_may_stay_empty_and_is_sent_by_its_own_name() -> None:
    """Decline for a question, Deny for an approval."""
    asked, denied = reason(READER, ask_of(choice("red"))), reason(READER, approval())
    assert (asked.title, asked.send, asked.label) == (
        "Decline",
        "Decline",
        "Why? (may be left out)",
    )
    assert (denied.title, denied.send) == ("Deny", "Deny")
