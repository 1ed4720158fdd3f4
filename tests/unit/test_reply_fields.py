"""Several fields, in one reply or in many, and the draft between them."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.answer import Picked, Values
from gateway.ask import Ask, Contract
from gateway.question import Kind
from gateway.reply import (
    Answered,
    Command,
    CommandName,
    Confirm,
    Draft,
    NotAnAnswer,
    Partial,
    Refusal,
    Refused,
    Reply,
    missing,
    parse,
)
from tests.strategies_reply import CHECKS, ask_of, choice, field, place, several

CITY = choice("Oslo", "Bergen", name="city", write_in=False)
BUDGET = field(Kind.TEXT, "budget")
TRIP = ask_of(CITY, BUDGET, contract=Contract.OZ_ASK_USER)

ON = field(Kind.DATE, "on", label="Send on")
COPIES = field(Kind.NUMBER, "copies", required=False, integer=True, min=1, max=9)
REPORT = ask_of(ON, COPIES, contract=Contract.OZ_ASK_USER)


def reply(text: str, ask: Ask, **where: Any) -> Reply:
    """What the text means for the ask."""
    return parse(text, ask, place(**where))


def answer(found: Reply) -> Any:
    """The values of a complete answer."""
    assert isinstance(found, Answered), found
    return found.values


def partial(found: Reply) -> Partial:
    """The reply as a partial one."""
    assert isinstance(found, Partial), found
    return found


@pytest.mark.parametrize(
    "text",
    [
        "on = 2026-10-20\ncopies: 2",
        "on: 2026-10-20\ncopies=2",
        "Send on: 20 Oct 2026\nCOPIES : 2",
        "1: 2026-10-20\n2: 2",
        "1. 2026-10-20\n2. 2",
        "1) 20 Oct\n2) 2",
        "(1) 20 Oct\n(2) 2 copies",
        "copies: 2\n\non: 2026-10-20",
        "2026-10-20\n2",
        "20 Oct\n\n2 copies",
        "１．2026-10-20\n２．2",
    ],
)
def test_keyed_lines_or_lines_in_order_fill_the_fields(text: str) -> None:
    """By name, label or number, in any order; or plain, in the fields' order."""
    assert answer(reply(text, REPORT)) == {"on": "2026-10-20", "copies": 2}


def test_fewer_lines_than_fields_fill_the_first_ones() -> None:
    """The rest is missing, and what is good is kept."""
    found = partial(reply("2026-10-20", REPORT))
    assert found.draft.values == {"on": "2026-10-20"}
    assert found.missing == ("copies",)
    assert found.problems == ()


def test_a_reply_fills_the_fields_that_are_still_missing() -> None:
    """The draft says which."""
    draft = Draft().fill("on", "2026-10-20")
    assert answer(reply("2", REPORT, draft=draft)) == {"on": "2026-10-20", "copies": 2}


def test_a_time_and_a_negative_number_are_values_and_no_keys() -> None:
    """A number's mark is followed by a space; `copies -2` has no mark."""
    day = field(Kind.DATE, "at", date_time=True)
    asked = ask_of(day, field(Kind.NUMBER, "copies"))
    draft = Draft().fill("at", "2026-10-20T09:00:00+02:00")
    assert answer(reply("copies -2", asked, draft=draft))["copies"] == -2
    found = partial(reply("1:30", asked))
    assert [(one.code, one.field) for one in found.problems] == [(Refusal.NEEDS_DATE, "at")]


def test_good_values_are_kept_beside_wrong_ones() -> None:
    """The problem names its field and its bounds."""
    found = partial(reply("copies: 12\non: 2026-10-20", REPORT))
    assert found.draft.values == {"on": "2026-10-20"}
    assert found.missing == ("copies",)
    assert found.problems == (
        Refused(Refusal.OUT_OF_RANGE, {"typed": "12", "min": 1, "max": 9}, "copies"),
    )


def test_a_wrong_line_leaves_the_right_one_behind_it() -> None:
    """Each line is its own."""
    found = partial(reply("Rome\n1500", TRIP))
    assert found.draft.values == {"budget": "1500"}
    assert [problem.field for problem in found.problems] == ["city"]


def test_a_value_given_again_replaces_the_earlier_one() -> None:
    """People correct themselves by naming the field."""
    draft = Draft().fill("on", "2026-10-20")
    found = partial(reply("on: 2026-10-21", REPORT, draft=draft))
    assert found.draft.values == {"on": "2026-10-21"}


def test_a_wrong_correction_keeps_what_was_there() -> None:
    """The reply is told; the draft is not emptied."""
    draft = Draft().fill("on", "2026-10-20")
    found = partial(reply("on: soon", REPORT, draft=draft))
    assert found.draft.values == {"on": "2026-10-20"}
    assert found.problems[0].field == "on"


def test_a_field_given_twice_in_one_reply_is_refused() -> None:
    """Which of the two is meant is not guessed."""
    found = partial(reply("city: Oslo\ncity: Bergen\nbudget: 5", TRIP))
    assert found.draft.values == {"budget": "5"}
    assert found.problems == (Refused(Refusal.GIVEN_TWICE, {}, "city"),)


@pytest.mark.parametrize("text", ["Oslo\n1500\nand more", "budget: 1500\ncity: Oslo\nand more"])
def test_a_line_that_is_no_fields_keeps_the_answer_from_being_sent(text: str) -> None:
    """It may have been meant for a field, or be a mistake."""
    found = partial(reply(text, TRIP))
    assert found.missing == ()
    assert set(found.draft.values) == {"city", "budget"}
    assert found.problems == (Refused(Refusal.LINE_WITHOUT_FIELD, {"typed": "and more"}),)


def test_what_was_kept_is_sent_with_done() -> None:
    """Also when nothing is missing any more."""
    found = partial(reply("Oslo\n1500\nand more", TRIP))
    assert answer(reply("done", TRIP, draft=found.draft))["budget"] == "1500"


def test_words_over_several_lines_belong_to_a_field_that_takes_them() -> None:
    """Lines behind its key are its own, blank ones too, until the next key."""
    asked = ask_of(field(Kind.TEXT, "notes", multiline=True), COPIES)
    found = answer(reply("notes: one\n\n  two\ncopies: 2", asked))
    assert found == {"notes": "one\n\n  two", "copies": 2}


def test_the_last_open_field_takes_the_whole_reply() -> None:
    """A text with line breaks, or a list of picks with one a line."""
    draft = Draft().fill("city", Picked(("o1",)))
    assert answer(reply("a lot\nof money", TRIP, draft=draft))["budget"] == "a lot\nof money"
    asked = ask_of(BUDGET, several(*CHECKS))
    draft = Draft().fill("budget", "5")
    assert answer(reply("1\n3", asked, draft=draft))["pick"] == Picked(("o1", "o3"))


def test_a_numbered_line_that_also_is_a_pick_is_refused_with_both_fields() -> None:
    """`2. Bergen` may be the second field's value, or option 2 of the first."""
    found = reply("2. Bergen", TRIP)
    assert found == Refused(Refusal.AMBIGUOUS_LINE, {"fields": ("city", "budget")})


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("1. Oslo", "city", Picked(("o1",))),
        ("2. 1500", "budget", "1500"),
        ("2", "city", Picked(("o2",))),
        ("2.", "city", Picked(("o2",))),
        ("city: 2", "city", Picked(("o2",))),
        ("budget: Bergen", "budget", "Bergen"),
    ],
)
def test_a_line_with_one_reading_fills_its_field(text: str, name: str, value: Any) -> None:
    """Nothing is refused that can mean one thing only."""
    assert partial(reply(text, TRIP)).draft.values == {name: value}


def test_a_dash_leaves_a_field_out_and_its_key_is_absent() -> None:
    """In order or by name; a needed field cannot be left."""
    assert answer(reply("2026-10-20\n-", REPORT)) == {"on": "2026-10-20"}
    assert answer(reply("copies: —\non: 2026-10-20", REPORT)) == {"on": "2026-10-20"}
    found = partial(reply("on: -", REPORT))
    assert found.problems == (Refused(Refusal.NEEDED, {}, "on"),)


def test_done_leaves_out_what_is_open_and_not_needed() -> None:
    """The answer goes if nothing needed is open."""
    draft = Draft().fill("on", "2026-10-20")
    assert answer(reply("Done.", REPORT, draft=draft)) == {"on": "2026-10-20"}
    found = partial(reply("done", REPORT))
    assert found.missing == ("on",)
    assert found.draft.left == {"copies"}


def test_back_undoes_the_last_value() -> None:
    """Values and left-out fields alike, one at a time."""
    draft = Draft().fill("on", "2026-10-20").leave("copies")
    found = reply("back", REPORT, draft=draft)
    assert found == Command(CommandName.BACK, draft=Draft().fill("on", "2026-10-20"))
    assert reply("back", REPORT) == Command(CommandName.BACK, draft=Draft())


def test_clear_drops_the_draft() -> None:
    """All of it."""
    draft = Draft().fill("on", "2026-10-20")
    assert reply("clear", REPORT, draft=draft) == Command(CommandName.CLEAR, draft=Draft())


@pytest.mark.parametrize(
    ("locale", "text", "name"),
    [
        *[("de", "zurück", CommandName.BACK), ("de", "neu anfangen", CommandName.CLEAR)],
        *[("es", "atrás", CommandName.BACK), ("es", "empezar de nuevo", CommandName.CLEAR)],
        *[("id", "kembali", CommandName.BACK), ("id", "mulai dari awal", CommandName.CLEAR)],
    ],
)
def test_the_words_for_drafts_are_each_languages(locale: str, text: str, name: CommandName) -> None:
    """English ones work beside them."""
    found = reply(text, REPORT, locale=locale)
    assert isinstance(found, Command)
    assert found.name is name


@pytest.mark.parametrize("text", ["back", "clear", "done"])
def test_a_label_of_the_next_field_wins_over_such_a_word(text: str) -> None:
    """Labels come first."""
    asked = ask_of(choice("Back", "Clear", "Done"), BUDGET)
    assert "pick" in partial(reply(text, asked)).draft.values


@pytest.mark.parametrize("text", ["back", "clear", "done"])
def test_one_field_alone_has_no_draft_to_act_on(text: str) -> None:
    """There these are only words."""
    assert answer(reply(text, ask_of(BUDGET))) == {"budget": text}


def test_words_that_act_on_the_ask_act_between_fields_too() -> None:
    """Decline and help are the ask's, not a field's."""
    assert reply("help", TRIP) == Command(CommandName.HELP)
    assert reply("skip", TRIP) == Refused(Refusal.NO_SKIP, {"can_decline": True})


def test_a_field_of_that_name_is_named_by_its_key() -> None:
    """Where a field is called `text`, `text: x` is its value."""
    asked = ask_of(field(Kind.NUMBER, "n"), field(Kind.TEXT, "text"))
    assert partial(reply("text: hello", asked)).draft.values == {"text": "hello"}


def test_a_label_of_two_fields_names_neither() -> None:
    """Their names do."""
    asked = ask_of(field(Kind.TEXT, "a", label="Name"), field(Kind.TEXT, "b", label="name"))
    assert partial(reply("name: x", asked)).draft.values == {"a": "name: x"}
    assert partial(reply("b: x", asked)).draft.values == {"b": "x"}


def test_mere_assent_for_a_text_field_is_confirmed_with_the_rest() -> None:
    """The confirmation holds all that would be kept."""
    found = reply("Oslo\nok", TRIP)
    values: Values = {"city": Picked(("o1",)), "budget": "ok"}
    assert found == Confirm(Answered(values))


def test_a_bare_other_asks_for_that_fields_words() -> None:
    """The command names the field that waits for them."""
    asked = ask_of(choice("a1", "a2", name="first"), BUDGET)
    assert reply("other", asked) == Command(CommandName.OTHER, field="first")


def test_words_after_other_was_pressed_go_to_that_field() -> None:
    """Whatever comes first in order; and picks of other fields stay picks."""
    asked = ask_of(choice("a1", "a2", name="first"), choice("b1", "b2", name="second"))
    pressed = {"pressed_other": True, "other_field": "second"}
    found = partial(reply("my own", asked, **pressed))
    assert found.draft.values == {"second": Picked(write_in="my own")}
    refused = partial(reply("2", asked, **pressed)).problems
    assert [problem.code for problem in refused] == [Refusal.PICK_AFTER_OTHER]
    both = answer(reply("first: 2\nsecond: other: x", asked, **pressed))
    assert both == {"first": Picked(("o2",)), "second": Picked(write_in="x")}


def test_picks_settle_a_form_in_a_shared_place_and_words_are_confirmed() -> None:
    """Each value counts as it would alone."""
    shared = {"shared": True}
    assert isinstance(reply("2026-10-20\n2", REPORT, **shared), Answered)
    assert isinstance(reply("tomorrow\n2", REPORT, **shared), Confirm)
    assert isinstance(reply("Oslo\n1500", TRIP, **shared), Confirm)
    assert isinstance(reply("Oslo\n1500", TRIP, addressed=True, **shared), Answered)


@pytest.mark.parametrize("text", ["let me look", "back", "clear", "help", "/done"])
def test_talk_in_a_shared_place_changes_no_draft(text: str) -> None:
    """Nor is anything said to it."""
    draft = Draft().fill("city", Picked(("o1",)))
    asked = ask_of(CITY, ON, contract=Contract.OZ_ASK_USER)
    assert reply(text, asked, shared=True, draft=draft) == NotAnAnswer()


def test_done_in_a_shared_place_is_confirmed() -> None:
    """It would send the answer."""
    draft = Draft().fill("on", "2026-10-20")
    found = reply("done", REPORT, shared=True, draft=draft)
    assert found == Confirm(Answered({"on": "2026-10-20"}))


def test_a_failed_pick_in_a_shared_place_is_told() -> None:
    """It was meant for us, and nothing is taken."""
    found = partial(reply("7", TRIP, shared=True))
    assert found.draft == Draft()
    assert [problem.code for problem in found.problems] == [Refusal.NO_SUCH_OPTION]


def test_answers_come_in_the_fields_order() -> None:
    """However they were typed."""
    found = answer(reply("copies: 2\non: 2026-10-20", REPORT))
    assert list(found) == ["on", "copies"]


def test_missing_names_the_open_fields_in_order() -> None:
    """Neither filled nor left out."""
    assert missing(Draft(), REPORT.question) == ("on", "copies")
    assert missing(Draft().leave("copies"), REPORT.question) == ("on",)
