"""What holds for any reply to any ask."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gateway.answer import Picked, check
from gateway.ask import Ask, AskKind
from gateway.question import Field, Kind
from gateway.reply import (
    Answered,
    Confirm,
    Draft,
    NotAnAnswer,
    Partial,
    Refused,
    Reply,
    option_keys,
    parse,
)
from tests.strategies import any_text, labels, readable
from tests.strategies_reply import (
    LOCALES,
    UNHURRIED,
    any_ask,
    ask_of,
    choice,
    field,
    place,
    places,
    replies,
    several,
    value_of,
)

TAGS = st.sampled_from(LOCALES)


def options(least: int = 2) -> Any:
    """Labels that a contract would let through, none of them an acting word."""
    return labels(least, 6)


@settings(UNHURRIED, max_examples=200)
@given(st.data())
def test_any_text_is_a_reply_to_any_ask(data: st.DataObject) -> None:
    """The parser is total, says something of its closed union, and says the same again."""
    ask = data.draw(any_ask())
    text, where = data.draw(replies(ask)), data.draw(places(ask))
    found = parse(text, ask, where)
    assert isinstance(found, get_args(Reply))
    assert parse(text, ask, where) == found


@UNHURRIED
@given(st.data())
def test_an_answer_fits_its_question(data: st.DataObject) -> None:
    """Whatever settles passes the check that every surface passes."""
    ask = data.draw(any_ask().filter(lambda one: one.kind is AskKind.QUESTION))
    found = parse(data.draw(replies(ask)), ask, data.draw(places(ask)))
    meant = found.then if isinstance(found, Confirm) else found
    if isinstance(meant, Answered):
        assert check(ask.question, meant.values) == meant.values
    if isinstance(meant, Partial):
        kept = Draft.from_dict(ask.question, meant.draft.to_dict())
        assert kept == meant.draft


@UNHURRIED
@given(st.data(), options(), TAGS, st.booleans(), st.sampled_from((choice, several)))
def test_a_label_always_answers_itself(
    data: st.DataObject, names: list[str], locale: str | None, shared: bool, kind: Any
) -> None:
    """In any language, alone or among people, in any case."""
    at = data.draw(st.integers(0, len(names) - 1))
    label = names[at]
    text = data.draw(
        st.sampled_from((label, label.upper(), label.title(), f"  {label}. ", f'"{label}"'))
    )
    found = parse(text, ask_of(kind(*names)), place(locale=locale, shared=shared))
    assert found == Answered({"pick": Picked((f"o{at + 1}",))})


@UNHURRIED
@given(st.data(), st.lists(any_text(10).filter(str.strip), min_size=1, max_size=5, unique=True))
def test_any_key_picks_its_option_whatever_the_labels(
    data: st.DataObject, names: list[str]
) -> None:
    """Also where labels are numbers, letters, or nothing but punctuation."""
    asked = choice(*names)
    at = data.draw(st.integers(0, len(names) - 1))
    key = option_keys(asked)[at]
    assume(parse(key, ask_of(asked), place()) == parse(key.lower(), ask_of(asked), place()))
    assert value_of(parse(key, ask_of(asked), place())) == [f"o{at + 1}"]


@UNHURRIED
@given(st.data(), options(), TAGS, st.sampled_from((choice, several)))
def test_a_line_of_the_list_picks_its_option(
    data: st.DataObject, names: list[str], locale: str | None, kind: Any
) -> None:
    """Copied from the post as it is drawn."""
    asked = kind(*names)
    at = data.draw(st.integers(0, len(names) - 1))
    mark = data.draw(st.sampled_from(("{}. {}", "{}) {}", "{} - {}", "{} {}", "#{} {}")))
    text = mark.format(option_keys(asked)[at], names[at])
    assert value_of(parse(text, ask_of(asked), place(locale=locale))) == [f"o{at + 1}"]


@UNHURRIED
@given(options(), st.integers(0, 10**6), st.booleans(), TAGS)
def test_a_number_picks_that_option_or_nothing(
    names: list[str], number: int, own: bool, locale: str | None
) -> None:
    """Out of range it is refused, with own words allowed or not."""
    found = parse(str(number), ask_of(choice(*names, write_in=own)), place(locale=locale))
    if 1 <= number <= len(names):
        assert value_of(found) == [f"o{number}"]
    else:
        assert isinstance(found, Refused)


@UNHURRIED
@given(st.data(), options(), readable(12), readable(12), st.sampled_from((choice, several)))
def test_nothing_is_picked_out_of_a_sentence(
    data: st.DataObject, names: list[str], before: str, after: str, kind: Any
) -> None:
    """A label or a number between other words leaves all of it own words, or refused."""
    known = st.sampled_from((*names, "1", "option 2"))
    text = f"perhaps {before} {data.draw(known)} or so {after} later"
    found = parse(text, ask_of(kind(*names)), place())
    if isinstance(found, Answered):
        assert found.values == {"pick": Picked(write_in=text.strip())}
    else:
        assert isinstance(found, Refused)


@UNHURRIED
@given(readable(60), st.sampled_from((None, "en-US", "de-DE", "id")))
def test_own_words_are_sent_as_typed(text: str, locale: str | None) -> None:
    """To the letter, with or without the mark."""
    asked = ask_of(choice("Yes, all of it at once", "Not before the summer is over"))
    where = place(locale=locale)
    for sent in (text, f"other: {text}"):
        found = parse(sent, asked, where)
        meant = found.then if isinstance(found, Confirm) else found
        if isinstance(meant, Answered):
            value = meant.values["pick"]
            assert isinstance(value, Picked)
            assert value.options or value.write_in == text.strip()


@settings(UNHURRIED, max_examples=50)  # drawing any ask is slow
@given(st.data())
def test_what_is_confirmed_is_what_would_settle_in_a_direct_chat(data: st.DataObject) -> None:
    """The one press does what the words would have done there."""
    ask = data.draw(any_ask())
    text = data.draw(replies(ask))
    among = parse(text, ask, place(shared=True))
    if isinstance(among, Confirm):
        assert parse(text, ask, place()) in (among.then, among)


@settings(UNHURRIED, max_examples=50)  # drawing any ask is slow
@given(st.data())
def test_what_settles_among_people_settles_in_a_direct_chat(data: st.DataObject) -> None:
    """A shared place is only ever more careful."""
    ask = data.draw(any_ask())
    text = data.draw(replies(ask))
    among = parse(text, ask, place(shared=True))
    if not isinstance(among, Confirm | NotAnAnswer):
        assert parse(text, ask, place()) == among


@UNHURRIED
@given(readable(40))
def test_a_text_among_people_never_settles_by_itself(text: str) -> None:
    """Unless it is marked as the person's own words."""
    assume(":" not in text)
    found = parse(text, ask_of(field(Kind.TEXT)), place(shared=True))
    assert not isinstance(found, Answered)


@settings(UNHURRIED, max_examples=50)  # drawing any ask is slow
@given(st.data())
def test_a_refusal_suggests_nothing_to_those_who_may_not_see(data: st.DataObject) -> None:
    """A near label is content."""
    ask = data.draw(any_ask())
    found = parse(data.draw(replies(ask)), ask, place(may_see=False))
    if isinstance(found, Refused):
        assert "nearest" not in found.data


def adversaries() -> list[tuple[str, Ask]]:
    """Long replies that a careless pattern would walk again and again."""
    units = (
        *("1", ",", "1,", " ", "\n", "- ", "> x\n", "and ", "?", "!", "~", "(", "'", "please "),
        *("ok ", "٢", "\u200b", "②", "1\u200b", "other: ", "f0: x\n", "On 1 wrote:\n", "&amp;"),
        *("<at></at>", "@oz ", "=", "\ufdfa", "-- \n", "opt 1, x, ", "\n,", "a b "),
    )
    many = [f"opt {number}, x" for number in range(98)]
    asks = (
        ask_of(several("Red, white and blue", "a" * 1900, *many)),
        ask_of(choice(*many, write_in=False)),
        ask_of(field(Kind.NUMBER)),
        ask_of(field(Kind.DATE, date_time=True)),
        ask_of(*(Field(name=f"f{number}", kind=Kind.TEXT) for number in range(20))),
    )
    return [((unit * 65_536)[:65_536], ask) for unit in units for ask in asks]


@pytest.mark.timeout(120)
def test_no_reply_takes_long() -> None:
    """The longest replies of the worst kinds, all of them within the test's time."""
    for text, ask in adversaries():
        where = place(mention=("@oz",), markup=True, locale="es")
        assert isinstance(parse(text, ask, where), get_args(Reply))
