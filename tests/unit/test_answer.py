"""Answers, checked against their question."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.answer import Picked, as_text, check, from_json, from_plain, plain, to_json
from gateway.errors import InvalidAnswer, Problem
from gateway.question import Field, Kind, Option, Question
from tests.strategies import answers_to, any_json, any_text, questions

COLOURS = (Option(id="o1", label="red"), Option(id="o2", label="Blue (Recommended)"))


def asked(kind: Kind, **attributes: Any) -> Question:
    """A plain question of one required field."""
    options = COLOURS if kind in (Kind.CHOICE, Kind.MULTI_CHOICE) else ()
    field = Field(name="answer", kind=kind, required=True, options=options, **attributes)
    return Question(prompt="Which?", fields=(field,))


def problem_of(question: Question, answer: object, zone: str | None = None) -> Problem:
    """The one problem of an answer that is refused."""
    with pytest.raises(InvalidAnswer) as refused:
        from_plain(question, answer, zone)
    assert len(refused.value.problems) == 1
    return refused.value.problems[0]


@given(st.data())
def test_a_fitting_answer_is_kept_as_it_is(data: st.DataObject) -> None:
    """Checking changes nothing that fits, in whatever order it came."""
    question = data.draw(questions())
    values = data.draw(answers_to(question))
    assert check(question, dict(reversed(list(values.items())))) == values
    assert list(check(question, values)) == [f.name for f in question.fields if f.name in values]


@given(st.data())
def test_an_answer_comes_back_from_the_store_as_it_was(data: st.DataObject) -> None:
    """The store keeps JSON, and every digit and letter survives it."""
    question = data.draw(questions())
    values = data.draw(answers_to(question))
    assert from_json(question, json.loads(json.dumps(to_json(values)))) == values


@given(st.data())
def test_what_readers_see_can_be_sent_as_the_answer(data: st.DataObject) -> None:
    """Labels and values as shown name the same answer again."""
    question = data.draw(questions())
    values = data.draw(answers_to(question))
    assert from_plain(question, plain(question, values)) == values


@given(questions(), any_json())
def test_any_json_is_an_answer_or_refused_with_problems(question: Question, answer: object) -> None:
    """Nothing else happens, and what is taken fits."""
    try:
        values = from_plain(question, answer)
    except InvalidAnswer as refused:
        assert refused.problems
    else:
        assert check(question, values) == values
        assert json.dumps(to_json(values))


@given(st.dictionaries(st.sampled_from(["one", "many"]) | any_text(8), any_json()), st.booleans())
def test_a_refusal_never_lists_the_choices(answer: dict[str, Any], own: bool) -> None:
    """Decision 13: the choices are the job's content."""
    fields = tuple(
        Field(name=name, kind=kind, required=True, options=COLOURS, write_in=own, max_length=3)
        for name, kind in (("one", Kind.CHOICE), ("many", Kind.MULTI_CHOICE))
    )
    with pytest.raises(InvalidAnswer) as refused:
        from_plain(Question(prompt="Which?", fields=fields), {**answer, "no such field": 1})
    told = [refused.value.message, *(problem.message for problem in refused.value.problems)]
    assert not any(option.label in message for option in COLOURS for message in told)


def test_all_faulty_fields_are_told_at_once() -> None:
    """A person mends a form once, not once a field."""
    fields = (
        Field(name="on", kind=Kind.DATE, label="Send on", required=True),
        Field(name="copies", kind=Kind.NUMBER, integer=True, min=1, max=9),
        Field(name="colour", kind=Kind.CHOICE, options=COLOURS),
        Field(name="note", kind=Kind.TEXT, max_length=3),
    )
    question = Question(prompt="When?", fields=fields, typed=True)
    answer = {"copies": 12, "colour": "green", "note": "long", "size": 1}
    with pytest.raises(InvalidAnswer) as refused:
        from_plain(question, answer)
    assert [(p.path, p.code, p.limit) for p in refused.value.problems] == [
        ("size", "unknown_field", None),
        ("on", "missing", None),
        ("copies", "out_of_range", 9),
        ("colour", "not_an_option", None),
        ("note", "too_long", 3),
    ]
    assert refused.value.problems[1].message == "Send on is needed."
    assert refused.value.problems[2].message == "copies goes from 1 to 9."


@pytest.mark.parametrize(
    "answer", ["Blue (Recommended)", "blue (recommended)", " ＢＬＵＥ ", "blue", ["Blue"]]
)
def test_a_choice_is_its_whole_label(answer: object) -> None:
    """Case, width and the recommended mark aside."""
    assert from_plain(asked(Kind.CHOICE), answer) == {"answer": Picked(("o2",))}


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("2", "not_an_option"),  # numbers pick in chats only
        ("o2", "not_an_option"),
        ("bl", "not_an_option"),
        ("", "not_an_option"),
        (2, "wrong_type"),
        (None, "wrong_type"),
        (["red", "blue"], "one_only"),
        ([], "missing"),
        ([["red"]], "wrong_type"),
    ],
)
def test_what_is_no_label_is_no_pick(answer: object, code: str) -> None:
    """Without a write-in there is nothing else to answer with."""
    assert problem_of(asked(Kind.CHOICE), answer).code == code


def test_a_label_to_the_letter_wins_over_one_that_folds_alike() -> None:
    """A question made without a contract may hold both."""
    options = (Option(id="o1", label="a"), Option(id="o2", label="A"), Option(id="o3", label="b"))
    field = Field(name="answer", kind=Kind.CHOICE, options=options)
    question = Question(prompt="?", fields=(field,))
    assert from_plain(question, "A") == {"answer": Picked(("o2",))}
    assert problem_of(question, "ａ").code == "not_an_option"


def test_own_words_answer_a_choice_where_they_are_allowed() -> None:
    """A label still wins over the same words; blank words are none."""
    question = asked(Kind.CHOICE, write_in=True, max_length=5)
    assert from_plain(question, "2") == {"answer": Picked((), "2")}
    assert from_plain(question, "RED") == {"answer": Picked(("o1",))}
    assert problem_of(question, " \u200b").code == "empty"
    assert problem_of(question, "orange").code == "too_long"


def test_several_picks_come_in_the_order_of_the_options_with_own_words_last() -> None:
    """A repeated pick counts once."""
    question = asked(Kind.MULTI_CHOICE, write_in=True)
    values = from_plain(question, ["blue", "pink", "red", "blue"])
    assert values == {"answer": Picked(("o1", "o2"), "pink")}
    assert plain(question, values) == {"answer": ["red", "Blue (Recommended)", "pink"]}
    assert problem_of(question, ["pink", "grey"]).code == "one_only"
    assert problem_of(question, []).code == "missing"
    assert from_plain(question, "red") == {"answer": Picked(("o1",))}


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (Picked(("o9",)), "not_an_option"),
        (Picked(("o1", "o2")), "one_only"),
        (Picked(("o1",), "pink"), "one_only"),
        (Picked((), "pink"), "no_write_in"),
        (Picked(), "missing"),
        ("o1", "wrong_type"),
    ],
)
def test_a_pick_names_one_option_of_its_question(value: object, code: str) -> None:
    """What a button or a form hands in is checked like anything else."""
    with pytest.raises(InvalidAnswer) as refused:
        check(asked(Kind.CHOICE), {"answer": value})
    assert [problem.code for problem in refused.value.problems] == [code]


@pytest.mark.parametrize(
    ("attributes", "answer", "code"),
    [
        ({}, "3", "wrong_type"),
        ({}, True, "wrong_type"),
        ({}, float("nan"), "not_finite"),
        ({}, json.loads("1e400"), "not_finite"),
        ({}, 10**1000, "too_long"),
        ({"integer": True}, 2.5, "not_whole"),
        ({"min": 1, "max": 9}, 0.99, "out_of_range"),
        ({"min": 1, "max": 9}, 10, "out_of_range"),
        ({"max": 2**53}, 2**53 + 1, "out_of_range"),  # equal to it as a float
    ],
)
def test_a_number_is_a_finite_json_number_within_its_bounds(
    attributes: dict[str, Any], answer: object, code: str
) -> None:
    """A string of digits, a truth value and infinity are none."""
    assert problem_of(asked(Kind.NUMBER, **attributes), answer).code == code


def test_bounds_are_included_and_every_digit_is_kept() -> None:
    """Whole numbers past 2^53 are not rounded on the way; `2.0` is a whole number."""
    bounded = asked(Kind.NUMBER, min=1, max=9)
    assert from_plain(bounded, 1) == {"answer": 1}
    assert from_plain(bounded, 9) == {"answer": 9}
    big = from_plain(asked(Kind.NUMBER, integer=True), 9007199254740993)
    assert json.dumps(to_json(big)) == '{"answer": 9007199254740993}'
    two = from_plain(asked(Kind.NUMBER, integer=True), 2.0)["answer"]
    assert (two, type(two)) == (2, int)


@pytest.mark.parametrize("answer", ["20 Oct", "20261020", "2026-W43-2", "2026-02-30", "٢٠٢٦-10-20"])
def test_a_date_reads_one_way(answer: str) -> None:
    """Programs send `YYYY-MM-DD` that exists; people's ways of writing are the chats' business."""
    assert problem_of(asked(Kind.DATE), answer).code == "not_a_date"
    assert from_plain(asked(Kind.DATE), "2026-10-20") == {"answer": "2026-10-20"}


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("2026-10-20T09:00:00+02:00", "2026-10-20T09:00:00+02:00"),
        ("2026-10-20t09:00:00z", "2026-10-20T09:00:00+00:00"),
        ("2026-10-20 09:00:00.5-03:30", "2026-10-20T09:00:00.500000-03:30"),
        ("2026-10-20T09:00", "2026-10-20T09:00:00+02:00"),
        ("2026-12-20T09:00", "2026-12-20T09:00:00+01:00"),
    ],
)
def test_a_time_carries_its_offset(answer: str, kept: str) -> None:
    """A time without one is in the answerer's zone, and the offset is written out."""
    question = asked(Kind.DATE, date_time=True)
    assert from_plain(question, answer, "Europe/Berlin") == {"answer": kept}


@pytest.mark.parametrize(
    ("answer", "zone", "code", "limit"),
    [
        ("2026-10-20", None, "not_a_date", None),
        ("2026-10-20T25:00:00Z", None, "not_a_date", None),
        ("2026-10-20T09:00:00+24:00", None, "not_a_date", None),
        ("2026-10-20T09:00:00", None, "needs_offset", None),
        ("1850-01-01T09:00:00", "Europe/Berlin", "needs_offset", None),  # +00:53:28 then
        ("2026-03-29T02:30:00", "Europe/Berlin", "ambiguous_time", "+01:00 or +02:00"),
        ("2026-10-25T02:30:00", "Europe/Berlin", "ambiguous_time", "+02:00 or +01:00"),
    ],
)
def test_a_time_that_clocks_skip_or_double_needs_its_offset(
    answer: str, zone: str | None, code: str, limit: str | None
) -> None:
    """It is refused with both offsets rather than guessed."""
    problem = problem_of(asked(Kind.DATE, date_time=True), answer, zone)
    assert (problem.code, problem.limit) == (code, limit)
    if "03-29" in answer:
        assert "does not exist" in problem.message
    if "10-25" in answer:
        assert "comes twice" in problem.message


@given(any_text(), st.sampled_from(["Europe/Berlin", "Asia/Jakarta", "America/St_Johns", None]))
def test_any_text_is_a_time_or_refused(text: str, zone: str | None) -> None:
    """Whatever stands in a date field, and at either end of the calendar."""
    question = asked(Kind.DATE, date_time=True)
    for answer in (text, "0001-01-01T00:00", "9999-12-31T23:59:59", "0001-01-01T00:00+14:00"):
        try:
            kept = from_plain(question, answer, zone)
        except InvalidAnswer as refused:
            assert len(refused.problems) == 1
        else:
            assert check(question, kept) == kept


@pytest.mark.parametrize("answer", ["true", 1, 0, "yes", None])
def test_a_toggle_is_true_or_false(answer: object) -> None:
    """Nothing that merely counts as one."""
    assert problem_of(asked(Kind.TOGGLE), answer).code == "wrong_type"
    assert from_plain(asked(Kind.TOGGLE), answer=False) == {"answer": False}


def test_a_text_over_its_cap_is_refused_with_the_number_and_never_cut() -> None:
    """Characters are code points after NFC, so an accent typed apart counts once."""
    question = asked(Kind.TEXT)
    assert from_plain(question, "e\u0301" * 16_384)["answer"] == "e\u0301" * 16_384
    problem = problem_of(question, "a" * 16_385)
    assert (problem.code, problem.limit) == ("too_long", 16_384)
    assert problem.message == (
        "The answer takes at most 16,384 characters; this has 16,385. Nothing was cut."
    )


@pytest.mark.parametrize(
    ("answer", "code"),
    [("a\0b", "not_text"), ("a\ud800", "not_text"), ("  \n", "missing"), (7, "wrong_type")],
)
def test_a_text_is_characters_that_can_be_kept(answer: object, code: str) -> None:
    """NUL and half a surrogate pair are no text, and blanks are no answer."""
    assert problem_of(asked(Kind.TEXT), answer).code == code


def test_a_field_left_blank_is_left_out() -> None:
    """An optional field without a value has no key."""
    fields = (
        Field(name="note", kind=Kind.TEXT),
        Field(name="on", kind=Kind.DATE),
        Field(name="tags", kind=Kind.MULTI_CHOICE, options=COLOURS),
        Field(name="copies", kind=Kind.NUMBER),
    )
    question = Question(prompt="?", fields=fields)
    assert from_plain(question, {"note": " ", "on": "", "tags": [], "copies": 0}) == {"copies": 0}


def test_a_question_asked_as_fields_takes_one_object() -> None:
    """Even with one field, since the agent reads an object too."""
    field = Field(name="copies", kind=Kind.NUMBER)
    typed = Question(prompt="How many?", fields=(field,), typed=True)
    assert problem_of(typed, 2) == Problem(
        "", "The answer must be one object of the fields' values.", "wrong_type"
    )
    assert as_text(typed, from_plain(typed, {"copies": 2})) == '{"copies": 2}'
    assert as_text(Question(prompt="How many?", fields=(field,)), {"copies": 2}) == "2"


def test_an_answer_as_text_is_its_words_or_json() -> None:
    """`, ` and `: `, the fields' order, letters of every script as they are."""
    fields = (Field(name="on", kind=Kind.DATE), Field(name="city", kind=Kind.TEXT))
    question = Question(prompt="?", fields=fields, typed=True)
    values = check(question, {"city": "Malmö 东", "on": "2026-10-20"})
    assert as_text(question, values) == '{"on": "2026-10-20", "city": "Malmö 东"}'
    assert as_text(asked(Kind.CHOICE), {"answer": Picked(("o2",))}) == "Blue (Recommended)"
