"""Hypothesis strategies: any JSON, any valid call of a tool, any question, ask and fitting answer.

Valid things are made valid by construction, not by asking the code under test; only questions and
asks of a contract are read by it, since that is what such a question is.
"""

from __future__ import annotations

import string
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from gateway.answer import Picked, Value
from gateway.ask import Ask, AskKind, AskRecord, Contract, Outcome, Status
from gateway.contracts import CONTRACTS, Defaults
from gateway.question import Field, Kind, Option, Question

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hypothesis.strategies import DrawFn, SearchStrategy

TRICKY = (
    "\0\t\n\r\x1b\x7f\x85\u00ad\u00b2\u0301\u061c\u0660\u0967\u115f\u1160\u180b\u180e"
    "\u200b\u200c\u200d\u200e\u200f\u2028\u202e\u2060\u2066\u2069\u20e3\u2460\u2800\u3000\u3164"
    "\ufe0e\ufe0f\ufeff\uff12\ufffe\U0001f3f4\U0001f3fb\U0001f468\U0001f680\u2764\U000e0067\U000e007f"
    "\u0435\u0412\u05d0\u0645\u0915\u094d\u1820\u4e00\u0e01\u2019\u201c…"
)
"""Characters that folding and showing treat apart, beside those that stay as they are."""

SPOKEN = string.ascii_letters + string.digits + " -(),.'?äßéñçŁøи日本ไทย한국"
"""What labels are made of mostly."""


def any_text(max_size: int = 40) -> SearchStrategy[str]:
    """Any string of Python's, lone surrogates and invisible characters included."""
    tricky = st.text(TRICKY + SPOKEN, max_size=max_size)
    return tricky | st.text(st.characters(), max_size=max_size)


def any_json() -> SearchStrategy[Any]:
    """Whatever `json.loads` may return, NaN and half surrogate pairs included."""
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.integers(min_value=10**300, max_value=10**1200),
        st.floats(),
        any_text(),
    )
    return st.recursive(
        leaves,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(any_text(12), inner, max_size=4)
        ),
        max_leaves=12,
    )


def readable(max_size: int = 30) -> SearchStrategy[str]:
    """Text that something in it can be read of, and that can be kept."""
    inside = st.text(SPOKEN, max_size=max_size - 1)
    return st.builds("{}{}".format, st.sampled_from(string.ascii_letters), inside)


def labels(min_size: int, max_size: int) -> SearchStrategy[list[str]]:
    """Labels that nobody could mix up: each ends in its own number."""
    stems = st.lists(readable(20), min_size=min_size, max_size=max_size)
    return stems.map(lambda found: [f"{stem} {number}" for number, stem in enumerate(found, 1)])


def names() -> SearchStrategy[str]:
    """Field names and question ids: snake_case."""
    return st.from_regex(r"[a-z][a-z0-9_]{0,6}", fullmatch=True)


@st.composite
def field_calls(draw: DrawFn, name: str = "value") -> dict[str, Any]:
    """One entry of `fields`, as a model passes it; its label is unique where its name is."""
    kind = draw(st.sampled_from(Kind))
    optional: dict[str, SearchStrategy[Any]] = {
        "label": readable(20).map(lambda text: f"{text} {name}"),
        "description": readable(),
        "required": st.booleans(),
    }
    call: dict[str, Any] = {"name": name, "kind": kind.value}
    match kind:
        case Kind.TEXT:
            optional["max_length"] = st.integers(1, 200)
            optional["multiline"] = st.booleans()
        case Kind.NUMBER:
            optional["integer"] = st.booleans()
            low, high = sorted(draw(st.tuples(*[st.integers(-(10**20), 10**20)] * 2)))
            call |= draw(
                st.sampled_from(({}, {"min": low}, {"max": high}, {"min": low, "max": high}))
            )
        case Kind.DATE:
            optional["date_time"] = st.booleans()
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            call["options"] = draw(labels(1, 5))
        case Kind.TOGGLE:
            pass
    return call | draw(st.fixed_dictionaries({}, optional=optional))


@st.composite
def oz_calls(draw: DrawFn) -> dict[str, Any]:
    """Arguments of `oz.ask_user`: in words, with choices, or as fields."""
    call: dict[str, Any] = {"question": draw(readable(80))}
    match draw(st.sampled_from(("words", "choices", "fields"))):
        case "choices":
            call["choices"] = draw(labels(1, 8))
        case "fields":
            taken = draw(st.lists(names(), min_size=1, max_size=6, unique=True))
            call["fields"] = [draw(field_calls(name)) for name in taken]
    return call


@st.composite
def ask_user_calls(draw: DrawFn) -> dict[str, Any]:
    """Arguments of `ask_user`."""
    option = st.fixed_dictionaries({}, optional={"description": readable()})
    call: dict[str, Any] = {"questions": []}
    for name in draw(st.lists(names(), min_size=1, max_size=3, unique=True)):
        options = [{"label": label, **draw(option)} for label in draw(labels(2, 4))]
        question = {
            "id": name,
            "header": f"{name} {draw(readable())}",
            "question": draw(readable(80)),
            "options": options,
        }
        several = st.fixed_dictionaries({}, optional={"multiSelect": st.booleans()})
        call["questions"].append(question | draw(several))
    return call | draw(st.fixed_dictionaries({}, optional={"timeoutSeconds": st.integers()}))


def ask_a_human_calls() -> SearchStrategy[dict[str, Any]]:
    """Arguments of `ask_a_human`."""
    return st.fixed_dictionaries({"question": readable(80)}, optional={"options": labels(2, 6)})


CALLS_OF = {
    Contract.OZ_ASK_USER: oz_calls(),
    Contract.ASK_USER: ask_user_calls(),
    Contract.ASK_A_HUMAN: ask_a_human_calls(),
}


def calls() -> SearchStrategy[tuple[Contract, dict[str, Any]]]:
    """A valid call of any tool, with its contract."""
    return st.one_of([st.tuples(st.just(contract), call) for contract, call in CALLS_OF.items()])


@st.composite
def fields(draw: DrawFn, name: str = "value") -> Field:
    """Any field: what models may ask for, and write-ins, which they may not."""
    call = draw(field_calls(name))
    options = tuple(
        Option(id=f"o{number}", label=label)
        for number, label in enumerate(call.pop("options", ()), 1)
    )
    return Field(**call, options=options, write_in=bool(options) and draw(st.booleans()))


@st.composite
def questions(draw: DrawFn) -> Question:
    """Any question: one field or several, asked as fields or not."""
    taken = draw(st.lists(names(), min_size=1, max_size=5, unique=True))
    asked = tuple([draw(fields(name)) for name in taken])
    return Question(prompt=draw(readable(80)), fields=asked, typed=draw(st.booleans()))


@st.composite
def asks_through(draw: DrawFn, contract: Contract | None) -> Ask:
    """A question asked through this tool, or straight on the model."""
    if contract is None:
        question, wait = draw(questions()), draw(st.none() | st.integers(1, 10**6))
    else:
        asked = CONTRACTS[contract].read(draw(CALLS_OF[contract]), Defaults())
        question, wait = asked.question, asked.timeout_s
    return Ask(
        id=f"a-{draw(st.integers(0, 16**12 - 1)):012x}",
        run_id="job-0a9dc2d1-75ea-4f71-8000-000000000000",
        tenant="acme",
        agent="asker",
        contract=contract,
        call_id="call-1",
        question=question,
        timeout_s=wait,
    )


def asks() -> SearchStrategy[Ask]:
    """A question asked through one of the tools, or straight on the model."""
    return st.one_of([asks_through(contract) for contract in (None, *Contract)])


def values_for(field: Field) -> SearchStrategy[Value]:
    """A value that fits the field, as it is kept."""
    match field.kind:
        case Kind.TEXT:
            return readable(min(field.max_length or 60, 60))
        case Kind.NUMBER:
            low = -(10**25) if field.min is None else int(field.min)
            high = 10**25 if field.max is None else int(field.max)
            return st.integers(min(low, high), max(low, high))
        case Kind.DATE if field.date_time:
            minutes = st.integers(-14 * 60, 14 * 60)
            zones = minutes.map(lambda number: timezone(timedelta(minutes=number)))
            return st.datetimes(timezones=zones).map(datetime.isoformat)
        case Kind.DATE:
            return st.dates().map(date.isoformat)
        case Kind.TOGGLE:
            return st.booleans()
        case Kind.CHOICE | Kind.MULTI_CHOICE:
            return picks_for(field)


@st.composite
def picks_for(draw: DrawFn, field: Field) -> Picked:
    """One pick or, for a multi-choice, at least one; own words where they are allowed."""
    ids = [option.id for option in field.options]
    words = draw(st.none() | readable(40).map("my own: {}".format)) if field.write_in else None
    if field.kind is Kind.CHOICE:
        return Picked((), words) if words else Picked((draw(st.sampled_from(ids)),))
    taken = draw(st.sets(st.sampled_from(ids), min_size=0 if words else 1))
    return Picked(tuple(option for option in ids if option in taken), words)


@st.composite
def answers_to(draw: DrawFn, question: Question) -> Mapping[str, Value]:
    """An answer that fits, as it is kept; fields that are not required may be left out."""
    return {
        field.name: draw(values_for(field))
        for field in question.fields
        if field.required or draw(st.booleans())
    }


def record_of(ask: Ask, outcome: Outcome | None = None) -> AskRecord:
    """The ask as a store would have it, opened at a fixed time; pending without an outcome."""
    opened = datetime(2026, 10, 20, 9, tzinfo=UTC)
    deadline = None if ask.timeout_s is None else opened + timedelta(seconds=ask.timeout_s)
    status = outcome.status if outcome else Status.PENDING
    return AskRecord(ask=ask, status=status, opened_at=opened, deadline=deadline, outcome=outcome)


def approval(prompt: str = "Refund 20 EUR?") -> Ask:
    """An approval, which has a prompt and no field."""
    return Ask(
        id="a-75eaf712473f",
        run_id="job-0a9dc2d1-75ea-4f71-8000-000000000000",
        tenant="acme",
        agent="asker",
        kind=AskKind.APPROVAL,
        call_id="call-1",
        question=Question(prompt=prompt),
    )
