"""Lines that begin with a name or a number: which field each is for, and when nobody can say."""

from __future__ import annotations

from typing import Any

import pytest

from gateway.answer import Picked, Values
from gateway.ask import Ask
from gateway.question import Kind
from gateway.reply import Answered, Draft, NotAnAnswer, Partial, Refusal, Refused, Reply, parse
from tests.strategies_reply import ask_of, choice, field, place

CITY = choice("Oslo", "Bergen", name="city", write_in=False)
TRIP = ask_of(CITY, field(Kind.TEXT, "budget"))
REPORT = ask_of(
    field(Kind.DATE, "on", label="Send on"),
    field(Kind.NUMBER, "copies", required=False, integer=True, min=1, max=9),
)


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


ENV = choice("Staging", "Production", name="env", label="Env")
WHEN = choice("Now", "Later", name="when", label="When")
RELEASE = ask_of(ENV, WHEN)
STRICT = ask_of(CITY, choice("Now", "Later", name="when", write_in=False))
LEG = ask_of(
    choice("Oslo", "Bergen", "Rome", name="from", write_in=False),
    choice("Oslo", "Bergen", "Rome", name="to", write_in=False),
)


@pytest.mark.parametrize("mark", [".", ")", ":"])
@pytest.mark.parametrize(
    ("asked", "lines", "fields"),
    [
        (RELEASE, ("2{} Production", "1{} Now"), ("env", "when")),
        (LEG, ("2{} Bergen", "1{} Oslo"), ("from", "to")),
        (RELEASE, ("2{} Production",), ("env", "when")),
    ],
)
def test_lines_of_the_lists_that_also_name_fields_are_refused(
    mark: str, asked: Ask, lines: tuple[str, ...], fields: tuple[str, ...]
) -> None:
    """Copied in the fields' order they answer other fields than by their numbers."""
    text = "\n".join(lines).format(mark, mark)
    assert reply(text, asked) == Refused(Refusal.AMBIGUOUS_LINE, {"fields": fields})


def test_lines_that_mean_the_same_either_way_are_taken() -> None:
    """First option first, second option second."""
    found = answer(reply("1. Oslo\n2. Bergen", LEG))
    assert found == {"from": Picked(("o1",)), "to": Picked(("o2",))}


def test_numbered_values_that_read_by_number_alone_are_taken() -> None:
    """A number behind a number is no copied line."""
    assert answer(reply("2: 2\n1: 1", LEG)) == {"from": Picked(("o1",)), "to": Picked(("o2",))}
    assert answer(reply("2. Later\n1. Production", RELEASE)) == {
        "env": Picked(("o2",)),
        "when": Picked(("o2",)),
    }


@pytest.mark.parametrize(
    ("text", "kept", "found"),
    [
        ("2. Bergen", {}, {"city": Picked(("o2",))}),
        ("2. Bergen\n1. Now", {}, {"city": Picked(("o2",)), "when": Picked(("o1",))}),
        ("1. Oslo\n1. Now", {}, {"city": Picked(("o1",)), "when": Picked(("o1",))}),
        ("1. Now", {"city": "o1"}, {"city": Picked(("o1",)), "when": Picked(("o1",))}),
    ],
)
def test_lines_of_the_lists_that_read_in_order_alone_are_taken(
    text: str, kept: dict[str, str], found: Values
) -> None:
    """The other field takes no such value, and is not blamed for it."""
    draft = Draft()
    for name, option in kept.items():
        draft = draft.fill(name, Picked((option,)))
    then = reply(text, STRICT, draft=draft)
    if isinstance(then, Partial):
        assert then.problems == ()
        assert then.draft.values == found
    else:
        assert answer(then) == found


def test_own_words_behind_a_number_are_not_taken_in_order() -> None:
    """`2. foo` is a wrong value of the second field, and nobody's words for the first."""
    asked = ask_of(ENV, choice("Now", "Later", name="when", write_in=False))
    found = partial(reply("2. foo", asked))
    assert found.draft == Draft()
    assert [problem.field for problem in found.problems] == ["when"]


TITLE, OWNER = field(Kind.TEXT, "title"), field(Kind.TEXT, "owner")
NOTE = ask_of(TITLE, OWNER, field(Kind.TEXT, "body", multiline=True))
KEPT = Draft().fill("title", "Release").fill("owner", "Ana")
MILK = "1. buy milk\n2. eggs\n3. bread"


def test_a_list_typed_as_a_text_overwrites_nothing() -> None:
    """It may be the text, or other words for the first fields: which, is the person's to say."""
    refused = Refused(Refusal.AMBIGUOUS_LINE, {"fields": ("body", "title")})
    assert reply(MILK, NOTE, draft=KEPT) == refused
    refused = Refused(Refusal.AMBIGUOUS_LINE, {"fields": ("body", "owner")})
    assert reply("2. eggs", NOTE, draft=KEPT) == refused
    assert answer(reply(f"body: {MILK}", NOTE, draft=KEPT))["body"] == MILK


def test_a_list_typed_among_people_is_talk() -> None:
    """A text would take any line there."""
    assert reply(MILK, NOTE, draft=KEPT, shared=True) == NotAnAnswer()


def test_kept_fields_named_by_number_again_are_taken_with_the_text() -> None:
    """The same value, or another pick, is no line of a text."""
    draft = Draft().fill("city", Picked(("o1",)))
    assert answer(reply("1. Oslo\n2. 1500", TRIP, draft=draft))["city"] == Picked(("o1",))
    assert answer(reply("1. Bergen\n2. 1500", TRIP, draft=draft))["city"] == Picked(("o2",))


def test_beside_names_a_number_stands_for_an_open_field_only() -> None:
    """`2. eggs` behind `title:` is no other owner."""
    draft = Draft().fill("owner", "Ana")
    found = partial(reply("title: milk\n2. eggs", NOTE, draft=draft))
    assert found.draft.values == {"owner": "Ana", "title": "milk"}
    assert [problem.code for problem in found.problems] == [Refusal.LINE_WITHOUT_FIELD]
    assert partial(reply("title: milk\n2. Bob", NOTE)).draft.values["owner"] == "Bob"


def test_a_plain_line_beside_keyed_ones_hears_which_field_is_open() -> None:
    """The words can say how to begin it."""
    found = partial(reply("on: 2026-10-20\n3", REPORT))
    assert found.problems == (
        Refused(Refusal.LINE_WITHOUT_FIELD, {"typed": "3", "fields": ("copies",)}),
    )


@pytest.mark.parametrize("title", ["Env: prod", "a=b", "Really: which = one?"])
def test_a_label_that_holds_a_mark_names_its_field(title: str) -> None:
    """The post says to begin the line with it."""
    asked = ask_of(TITLE, choice("Now", "Later", name="when", label=title))
    assert partial(reply(f"{title}: 2", asked)).draft.values == {"when": Picked(("o2",))}
    assert partial(reply(f"{title} = Now", asked)).draft.values == {"when": Picked(("o1",))}
