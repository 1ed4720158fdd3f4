"""What holds for all three contracts alike."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from gateway.answer import Values, as_text, plain, to_json
from gateway.ask import Ask, Contract, OnQuestion, Outcome, Status
from gateway.contracts import (
    CONTRACTS,
    Asked,
    Defaults,
    guidance,
    pending_input_context,
    pending_input_schema,
    read_input,
    refusal,
    result,
    rules_of,
    rules_of_tool,
    tools,
)
from gateway.errors import AskInFlight, InvalidAnswer, InvalidQuestion
from gateway.question import Kind
from gateway.visible import visible
from tests.strategies import (
    answers_to,
    any_json,
    any_text,
    asks,
    asks_through,
    calls,
    record_of,
)


@st.composite
def nearly(draw: st.DrawFn, valid: Any) -> Any:
    """Valid JSON with one value somewhere in it replaced, dropped or added."""
    if isinstance(valid, dict) and valid and draw(st.booleans()):
        key = draw(st.sampled_from(sorted(valid)))
        return {**valid, key: draw(nearly(valid[key]))}
    if isinstance(valid, list) and valid and draw(st.booleans()):
        index = draw(st.integers(0, len(valid) - 1))
        return [*valid[:index], draw(nearly(valid[index])), *valid[index + 1 :]]
    match valid:
        case dict():
            key = draw(st.sampled_from([*sorted(valid), "more"]))
            kept = {name: value for name, value in valid.items() if name != key}
            return draw(st.just(kept) | any_json().map(lambda value: {**valid, key: value}))
        case list():
            return draw(st.sampled_from([valid[1:], [*valid, *valid], []]))
        case _:
            return draw(any_json() | any_text())


def input_for(ask: Ask, values: Values) -> dict[str, Any]:
    """The `resume` input that gives these values, written by hand for each shape."""
    question, shown = ask.question, plain(ask.question, values)
    field = question.answer_field
    if ask.contract is Contract.ASK_USER:
        lists = {name: [was] if isinstance(was, str) else was for name, was in shown.items()}
        return {"answers": lists}
    human = ask.contract in (None, Contract.ASK_A_HUMAN)
    if not human or field is None or field.kind not in (Kind.CHOICE, Kind.TEXT):
        return shown
    text = shown.get(field.name)
    if field.kind is Kind.TEXT:
        return {"kind": "free_form", "text": text}
    for option in field.options:
        if option.label == text:
            return {"kind": "multiple_choice", "option_id": option.id}
    return {"kind": "multiple_choice", "option_id": "other", "other_text": text}


def ordinary(value: Any) -> bool:
    """Whether JSON holds no hidden characters, of which the patterns of JSON Schema know little."""
    shown = repr(value)
    return "\\" not in shown and visible(shown) == shown


@given(st.sampled_from(Contract), any_json())
def test_any_json_is_an_ask_or_refused_with_problems(contract: Contract, arguments: object) -> None:
    """Nothing else happens, whatever a model sends."""
    try:
        CONTRACTS[contract].read(arguments, Defaults())
    except InvalidQuestion as refused:
        assert refused.problems
        assert refused.message


@given(st.data())
def test_nearly_valid_calls_are_asks_or_refused_with_problems(data: st.DataObject) -> None:
    """And what is taken fits the schema the model was shown."""
    contract, call = data.draw(calls())
    rules = CONTRACTS[contract]
    arguments = data.draw(nearly(call))
    try:
        asked = rules.read(arguments, Defaults())
    except InvalidQuestion as refused:
        assert refused.problems
    else:
        assert asked.question.model_dump_json()
        assume(ordinary(arguments))
        assert jsonschema_rs.validator_for(rules.tool()["parameters"]).is_valid(arguments)


@given(calls())
def test_a_valid_call_fits_the_schema_the_model_sees(call: tuple[Contract, dict[str, Any]]) -> None:
    """The schema refuses nothing that we take."""
    contract, arguments = call
    assert isinstance(CONTRACTS[contract].read(arguments, Defaults()), Asked)
    jsonschema_rs.validate(CONTRACTS[contract].tool()["parameters"], arguments)


@pytest.mark.parametrize("contract", Contract)
def test_a_tool_is_offered_with_our_guidance(contract: Contract) -> None:
    """When to ask, how to write it, and what to do when no answer comes."""
    rules = CONTRACTS[contract]
    tool = rules.tool()
    jsonschema_rs.meta.validate(tool["parameters"])
    assert tool["name"] == rules.names[0]
    assert tool["parameters"]["additionalProperties"] is False
    told = (guidance.WHEN, guidance.HOW, guidance.ONE, guidance.OPTIONS, guidance.AFTERWARDS)
    assert all(sentence in tool["description"] for sentence in told)
    assert "Other" in tool["description"]


def test_a_sub_run_is_not_offered_what_main_runs_alone_may_call() -> None:
    """`ask_user` belongs to main runs."""
    assert [tool["name"] for tool in tools()] == ["oz__ask_user", "ask_user", "ask_a_human"]
    assert [tool["name"] for tool in tools(main_run=False)] == ["oz__ask_user", "ask_a_human"]


def test_a_tool_is_known_by_each_of_its_names_and_no_other() -> None:
    """The first is what the model calls."""
    for rules in CONTRACTS.values():
        assert all(rules_of_tool(name) is rules for name in rules.names)
        assert rules_of(rules.contract) is rules
    assert rules_of_tool("ask_human") is None


@pytest.mark.parametrize("contract", Contract)
def test_a_run_that_pauses_always_asks(contract: Contract) -> None:
    """There is no result without a person."""
    with pytest.raises(ValueError, match="asks people"):
        CONTRACTS[contract].not_asked(OnQuestion.PAUSE)


@given(asks(), st.data())
def test_every_answer_has_a_result_and_an_input(ask: Ask, data: st.DataObject) -> None:
    """What people see, `resume` takes; what it takes, the agent reads."""
    values = data.draw(answers_to(ask.question))
    if ask.question.answer_field and not values:
        return
    body = input_for(ask, values)
    jsonschema_rs.validate(pending_input_schema(ask), body, validate_formats=True)
    assert read_input(ask, body) == values
    told = result(record_of(ask, Outcome(status=Status.ANSWERED, values=to_json(values))))
    if ask.contract is Contract.OZ_ASK_USER:
        assert told == f"The answer: {as_text(ask.question, values)}"
    else:
        assert isinstance(told, dict)


@given(asks(), st.data())
def test_an_input_that_the_schema_takes_is_taken(ask: Ask, data: st.DataObject) -> None:
    """A program that checks against `pending_input_schema` is not refused afterwards."""
    values = data.draw(answers_to(ask.question))
    body = data.draw(nearly(input_for(ask, values)))
    try:
        read_input(ask, body)
    except InvalidAnswer as refused:
        assert refused.problems
        assume(ordinary(body))
        schema = pending_input_schema(ask)
        assert not jsonschema_rs.validator_for(schema, validate_formats=True).is_valid(body)


@given(asks_through(Contract.ASK_A_HUMAN), st.data())
def test_an_input_to_a_human_question_outside_the_schema_is_refused(
    ask: Ask, data: st.DataObject
) -> None:
    """The third original: what violates the schema leaves the run paused."""
    values = data.draw(answers_to(ask.question))
    body = data.draw(nearly(input_for(ask, values)))
    assume(ordinary(body))
    if not jsonschema_rs.validator_for(pending_input_schema(ask)).is_valid(body):
        with pytest.raises(InvalidAnswer):
            read_input(ask, body)


@given(asks())
def test_a_waiting_run_shows_the_question(ask: Ask) -> None:
    """`pending_input_context` holds it whole, options included."""
    shown = str(pending_input_context(ask))
    labels = [option.label for field in ask.question.fields for option in field.options]
    assert all(label in shown for label in labels)
    assert str(ask.question.prompt) in shown


def test_a_refusal_is_data_for_the_model() -> None:
    """A code, one sentence, and one entry per fault with its bound."""
    with pytest.raises(InvalidQuestion) as refused:
        CONTRACTS[Contract.ASK_A_HUMAN].read({"question": "x", "options": ["a"]}, Defaults())
    assert refusal(refused.value) == {
        "error": "invalid_argument",
        "message": "options: Needs at least 2; this has 1.",
        "problems": [
            {
                "path": "options",
                "message": "Needs at least 2; this has 1.",
                "code": "too_few",
                "limit": 2,
            }
        ],
    }


def test_a_second_ask_in_flight_is_told_the_first() -> None:
    """The third original's `ask_in_flight`."""
    told = refusal(AskInFlight("a-75eaf712473f"))
    assert (told["error"], told["ask_id"], told["problems"]) == (
        "ask_in_flight",
        "a-75eaf712473f",
        [],
    )
