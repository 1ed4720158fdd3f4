"""`ask_user`, to the letter of its original."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.answer import Picked, to_json
from gateway.ask import Ask, AskRecord, Contract, OnQuestion, OnTimeout, Outcome, Status
from gateway.contracts import Defaults, result
from gateway.contracts.ask_user import RULES, input_context, read
from gateway.errors import InvalidAnswer, InvalidQuestion
from gateway.question import Kind, Question
from tests.strategies import answers_to, ask_user_calls, record_of

DEPLOY: dict[str, Any] = {
    "id": "deploy_target",
    "header": "Deploy",
    "question": "Where should build 41 go?",
    "options": [
        {"label": "Staging (Recommended)"},
        {"label": "Production", "description": "Customers see it at once."},
    ],
}


def asked(*questions: dict[str, Any]) -> Ask:
    """The ask a call of these questions opens."""
    found = read({"questions": list(questions)}, Defaults())
    return Ask(
        id="a-75eaf712473f",
        run_id="job-0a9dc2d1-75ea-4f71-8000-000000000000",
        tenant="acme",
        agent="asker",
        contract=Contract.ASK_USER,
        call_id="call-1",
        question=found.question,
        timeout_s=found.timeout_s,
    )


def faults_of(arguments: object) -> list[tuple[str, str]]:
    """Path and code of every fault of a call."""
    with pytest.raises(InvalidQuestion) as refused:
        read(arguments, Defaults())
    return [(problem.path, problem.code) for problem in refused.value.problems]


def one(**changes: object) -> dict[str, Any]:
    """A call with one question, changed."""
    return {"questions": [{**DEPLOY, **changes}]}


@given(ask_user_calls())
def test_a_valid_call_reads_back_as_it_was_made(call: dict[str, Any]) -> None:
    """Labels exactly as authored; only headers are cut."""
    shown = input_context(read(call, Defaults()).question)
    for question in call["questions"]:
        question["header"] = question["header"].strip()[:12]
        question.setdefault("multiSelect", False)
    assert shown == {"questions": call["questions"]}


def test_each_question_is_a_required_choice_with_a_write_in() -> None:
    """One question is the prompt; several are each their field's description."""
    single = asked(DEPLOY).question
    assert (single.prompt, single.fields[0].description) == (DEPLOY["question"], None)
    region = {**DEPLOY, "id": "region", "multiSelect": True, "question": "Which regions?"}
    several = asked(DEPLOY, region).question
    assert several.prompt == ""
    assert [(f.name, f.kind, f.label, f.description) for f in several.fields] == [
        ("deploy_target", Kind.CHOICE, "Deploy", "Where should build 41 go?"),
        ("region", Kind.MULTI_CHOICE, "Deploy 2", "Which regions?"),
    ]
    assert all(field.required and field.write_in for field in several.fields)


@pytest.mark.parametrize(
    ("given_seconds", "waits"),
    [
        (5, 30),
        (0, 30),
        (-1, 30),
        (30, 30),
        (900.0, 900),
        (3600, 3600),
        (99_999, 3600),
        (10**30, 3600),
    ],
)
def test_the_wait_is_clamped(given_seconds: float, waits: int) -> None:
    """TE-11: zero is not forever, and a huge wait pins no run."""
    found = read(
        {"questions": [DEPLOY], "timeoutSeconds": given_seconds}, Defaults(7, OnTimeout.FAIL)
    )
    assert (found.timeout_s, found.on_timeout) == (waits, OnTimeout.CONTINUE)


def test_the_wait_is_900_seconds_whatever_the_run_says() -> None:
    """The contract has a default of its own."""
    assert read({"questions": [DEPLOY]}, Defaults(14_400)).timeout_s == 900


@pytest.mark.parametrize(
    ("header", "cut"),
    [
        ("Deploy", "Deploy"),
        ("Deployment target", "Deployment t"),
        ("  Deploy  ", "Deploy"),
        ("👨\u200d👩\u200d👧" * 13, "👨\u200d👩\u200d👧" * 12),
        ("e\u0301" * 13, "e\u0301" * 12),
        ("🇩🇪" * 7, "🇩🇪" * 7),
    ],
)
def test_a_header_is_cut_to_12_visible_characters(header: str, cut: str) -> None:
    """Never through an emoji, a flag or an accent."""
    assert read(one(header=header), Defaults()).question.fields[0].label == cut


@pytest.mark.parametrize(
    ("arguments", "faults"),
    [
        ({}, [("questions", "missing")]),
        ({"questions": []}, [("questions", "too_few")]),
        (
            {"questions": [{**DEPLOY, "id": f"q{n}"} for n in range(4)]},
            [("questions", "too_many")],
        ),
        (
            {"questions": [DEPLOY, {**DEPLOY, "header": "Again"}]},
            [("questions[1].id", "duplicate")],
        ),
        (one(id="deployTarget"), [("questions[0].id", "bad_name")]),
        (one(id="1st"), [("questions[0].id", "bad_name")]),
        (one(id=""), [("questions[0].id", "empty")]),
        (one(header=""), [("questions[0].header", "empty")]),
        (one(header=None), [("questions[0].header", "wrong_type")]),
        (one(multiSelect="yes"), [("questions[0].multiSelect", "wrong_type")]),
        (one(options=DEPLOY["options"][:1]), [("questions[0].options", "too_few")]),
        (
            one(options=[{"label": letter} for letter in "abcde"]),
            [("questions[0].options", "too_many")],
        ),
        (one(options=["a", "b"]), [(f"questions[0].options[{n}]", "wrong_type") for n in (0, 1)]),
        (
            one(options=[{"label": "a", "key": "a"}, {"description": "b"}]),
            [
                ("questions[0].options[0].key", "unknown"),
                ("questions[0].options[1].label", "missing"),
            ],
        ),
        (
            one(options=[{"label": "a"}, {"label": "A "}]),
            [("questions[0].options[1].label", "duplicate")],
        ),
        (
            one(options=[{"label": "a"}, {"label": "b", "description": ""}]),
            [("questions[0].options[1].description", "empty")],
        ),
        (one(colour="red"), [("questions[0].colour", "unknown")]),
        (
            {"questions": [DEPLOY], "timeoutSeconds": 1.5},
            [("timeoutSeconds", "not_whole")],
        ),
        ({"questions": [DEPLOY], "timeoutSeconds": True}, [("timeoutSeconds", "wrong_type")]),
        ({"questions": [DEPLOY], "timeoutSeconds": None}, [("timeoutSeconds", "wrong_type")]),
        (
            {
                "questions": [
                    {
                        "id": "q",
                        "header": "h",
                        "question": "",
                        "options": [{"label": "A"}, {"label": "B"}],
                    }
                ],
                "timeoutSeconds": "soon",
            },
            [("questions[0].question", "empty"), ("timeoutSeconds", "wrong_type")],
        ),
    ],
)
def test_a_call_that_does_not_fit_is_refused_with_every_fault(
    arguments: object, faults: list[tuple[str, str]]
) -> None:
    """AC-04: one entry a fault, with its path."""
    assert faults_of(arguments) == faults


@pytest.mark.parametrize("other", ["Other", "other", " OTHER… ", "Other...", "Ｏther."])
def test_an_authored_other_is_refused(other: str) -> None:
    """The write-in is always there; a second one would be a trap."""
    call = one(options=[{"label": "a"}, {"label": "b"}, {"label": other}])
    assert faults_of(call) == [("questions[0].options[2].label", "authored_other")]


@pytest.mark.parametrize("other", ["\u041ether", "\u041ether…", "OTH\u0415R. "])
def test_an_other_in_foreign_letters_is_refused(other: str) -> None:
    """SE-10: beside the Other that is added, nobody could tell them apart."""
    call = one(options=[{"label": "a"}, {"label": other}])
    assert faults_of(call) == [("questions[0].options[1].label", "look_alike")]
    kept = one(options=[{"label": "a"}, {"label": "Other region"}])
    assert read(kept, Defaults()).question.fields[0].options[1].label == "Other region"


def record(ask: Ask, outcome: Outcome) -> AskRecord:
    """The ask, ended so."""
    return record_of(ask, outcome)


def test_the_agent_reads_labels_as_authored_in_lists_by_id() -> None:
    """The original's example, to the letter."""
    values = to_json({"deploy_target": Picked(("o1",))})
    outcome = Outcome(status=Status.ANSWERED, values=values)
    assert result(record(asked(DEPLOY), outcome)) == {
        "status": "answered",
        "answers": {"answers": {"deploy_target": ["Staging (Recommended)"]}},
    }


def test_own_words_stand_beside_picks() -> None:
    """Several picks come in the options' order, the person's own text last."""
    region = {**DEPLOY, "id": "region", "multiSelect": True}
    values = to_json(
        {"deploy_target": Picked((), "the lab"), "region": Picked(("o1", "o2"), "and Oslo")}
    )
    told = result(record(asked(DEPLOY, region), Outcome(status=Status.ANSWERED, values=values)))
    assert told == {
        "status": "answered",
        "answers": {
            "answers": {
                "deploy_target": ["the lab"],
                "region": ["Staging (Recommended)", "Production", "and Oslo"],
            }
        },
    }


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(status=Status.EXPIRED),
        Outcome(status=Status.CANCELLED, reason="withdrawn"),
        Outcome(status=Status.DECLINED, skipped=True, by="user:kevin"),
    ],
)
def test_every_other_ending_is_no_answer(outcome: Outcome) -> None:
    """Expired, withdrawn or skipped: the agent goes on by its best judgment."""
    assert result(record(asked(DEPLOY), outcome)) == {"status": "no_answer"}


def test_a_run_that_asks_nobody_reads_no_answer() -> None:
    """Under both modes."""
    assert RULES.not_asked(OnQuestion.AUTO) == {"status": "no_answer"}
    assert RULES.not_asked(OnQuestion.NONE) == {"status": "no_answer"}


def test_it_is_for_main_runs_and_one_at_a_time() -> None:
    """Sub-runs are not offered it."""
    assert (RULES.main_runs_only, RULES.one_at_a_time, RULES.names) == (True, True, ("ask_user",))


@given(st.data())
def test_the_input_is_what_the_agent_will_read(data: st.DataObject) -> None:
    """Lists of labels by id."""
    question: Question = read(data.draw(ask_user_calls()), Defaults()).question
    values = data.draw(answers_to(question))
    ask = asked(DEPLOY).model_copy(update={"question": question})
    told = result(record(ask, Outcome(status=Status.ANSWERED, values=to_json(values))))
    assert isinstance(told, dict)
    assert RULES.read_input(question, told["answers"], None) == values


@pytest.mark.parametrize(
    ("body", "paths"),
    [
        (None, [""]),
        ({}, ["answers"]),
        ({"answers": {}}, ["deploy_target"]),
        ({"answers": {"deploy_target": "Production"}}, ["deploy_target"]),
        ({"answers": {"deploy_target": []}}, ["deploy_target"]),
        ({"answers": {"deploy_target": ["Production", "my own"]}}, ["deploy_target"]),
        ({"answers": {"deploy_target": [" "]}}, ["deploy_target"]),
        ({"answers": {"deploy_target": ["Production"]}, "note": 1}, ["note"]),
        ({"answers": {"deploy_target": ["Production"], "region": ["EU"]}}, ["region"]),
    ],
)
def test_an_input_that_does_not_fit_is_refused(body: object, paths: list[str]) -> None:
    """And says where."""
    with pytest.raises(InvalidAnswer) as refused:
        RULES.read_input(asked(DEPLOY).question, body, None)
    assert [problem.path for problem in refused.value.problems] == paths
