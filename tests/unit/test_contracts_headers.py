"""Headers of `ask_user`, which people see cut and begin their lines with."""

from __future__ import annotations

from typing import Any

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from gateway.answer import Picked
from gateway.ask import Ask, Contract
from gateway.contracts import Defaults
from gateway.contracts.ask_user import read
from gateway.contracts.headers import HEADER_CHARS
from gateway.errors import InvalidQuestion
from gateway.fold import clash
from gateway.reply import Partial, parse
from tests.strategies import readable
from tests.strategies_reply import ask_of, place


def question(number: int, header: str) -> dict[str, Any]:
    """One entry of a call."""
    options = [{"label": "Staging"}, {"label": "Production"}]
    return {"id": f"q{number}", "header": header, "question": "Where to?", "options": options}


def asked(*headers: str) -> Ask:
    """The ask of one question for each header."""
    calls = [question(number, header) for number, header in enumerate(headers)]
    fields = read({"questions": calls}, Defaults()).question.fields
    return ask_of(*fields, contract=Contract.ASK_USER)


@pytest.mark.parametrize(
    ("headers", "titles"),
    [
        (("Deploy target A", "Deploy target B"), ["Deploy targe", "Deploy tar 2"]),
        (("Env", "ENV ", "Env"), ["Env", "ENV 2", "Env 3"]),
        (
            ("Deploy tar 2", "Deploy target", "Deploy targets"),
            ["Deploy tar 2", "Deploy targe", "Deploy tar 3"],
        ),
        (("\u2705" * 13, "\u2705" * 14), ["\u2705" * 12, "\u2705" * 10 + " 2"]),
        (("Delete", "D\u0435lete"), ["Delete", "D\u0435lete 2"]),
    ],
)
def test_headers_that_read_alike_once_cut_end_in_a_number(
    headers: tuple[str, ...], titles: list[str]
) -> None:
    """People begin their lines with them, so each names one question."""
    ask = asked(*headers)
    assert [field.title for field in ask.question.fields] == titles
    reply = parse(f"{titles[1]}: 2", ask, place())
    assert isinstance(reply, Partial)
    assert reply.draft.values == {"q1": Picked(("o2",))}


@given(st.lists(readable(20), min_size=1, max_size=3))
def test_no_two_headers_read_alike_and_none_is_longer_than_twelve(headers: list[str]) -> None:
    """Whatever they were before the cut."""
    titles = [field.title for field in asked(*headers).question.fields]
    assert clash(titles) is None
    assert all(len(regex.findall(r"\X", title)) <= HEADER_CHARS for title in titles)


def test_a_header_that_is_another_questions_id_is_refused() -> None:
    """A line that begins with it would be read for the other one."""
    region = {**question(0, "Zone"), "id": "region"}
    with pytest.raises(InvalidQuestion) as refused:
        read({"questions": [question(1, "Region"), region]}, Defaults())
    assert [(problem.path, problem.code) for problem in refused.value.problems] == [
        ("questions[0].header", "duplicate")
    ]
