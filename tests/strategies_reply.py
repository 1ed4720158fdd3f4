"""Questions as replies meet them, a place to reply from, and Hypothesis strategies for both."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st

from gateway.answer import Picked
from gateway.ask import Ask, AskKind, Contract
from gateway.question import Field, Kind, Option, Question
from gateway.reply import Answered, Draft, Place, Refusal, Refused, Reply, parse
from tests.strategies import answers_to, any_text, approval, asks

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

UNHURRIED = settings(deadline=None)
"""The first reply in a language reads that language's data, which may take longer than a test."""

NOW = datetime(2026, 1, 15, 9, tzinfo=UTC)
"""A Thursday."""

WHERE = ("Staging", "Production", "Cancel")
CHECKS = ("Lint", "Tests", "Docs", "Release")


def choice(*labels: str, name: str = "pick", **more: Any) -> Field:
    """One choice of these labels; own words are allowed unless said otherwise."""
    given: dict[str, Any] = {"kind": Kind.CHOICE, "required": True, "write_in": True} | more
    options = tuple(Option(id=f"o{at}", label=label) for at, label in enumerate(labels, 1))
    return Field(name=name, options=options, **given)


def several(*labels: str, name: str = "pick", **more: Any) -> Field:
    """A choice of several of these labels."""
    return choice(*labels, name=name, kind=Kind.MULTI_CHOICE, **more)


def field(kind: Kind, name: str = "value", **more: Any) -> Field:
    """A required field of that kind."""
    return Field(name=name, kind=kind, **({"required": True} | more))


def ask_of(*fields: Field, contract: Contract | None = None, prompt: str = "Where to?") -> Ask:
    """An ask with these fields; straight on the model, so that it can be declined."""
    question = Question(prompt=prompt, fields=fields)
    return approval().model_copy(
        update={"kind": AskKind.QUESTION, "contract": contract, "question": question}
    )


def place(**more: Any) -> Place:
    """A direct chat on a Thursday morning in Berlin; the person's language is not known."""
    given: dict[str, Any] = {"now": NOW, "zone": "Europe/Berlin"} | more
    return Place(**given)


def said(text: str, *fields: Field, **more: Any) -> Reply:
    """What the text means as a reply to these fields."""
    return parse(text, ask_of(*fields), place(**more))


def value_of(reply: Reply) -> Any:
    """The only value of an answer: labels' ids, own words, or the value itself."""
    assert isinstance(reply, Answered), reply
    (value,) = reply.values.values()
    if isinstance(value, Picked):
        return value.write_in if not value.options else list(value.options)
    return value


def refusal(reply: Reply) -> Refusal:
    """Why the reply was refused."""
    assert isinstance(reply, Refused), reply
    return reply.code


def any_ask() -> SearchStrategy[Ask]:
    """Any question of any contract, or an approval."""
    return st.one_of(asks(), st.just(approval()), _odd_choices())


def _odd_choices() -> SearchStrategy[Ask]:
    """Choices no contract lets through, labels that are numbers, words or invisible among them."""
    words = st.sampled_from(
        ("1", "2.", "No. 3", "skip", "all", "other", "and", "…", "-1", "3?", "")
    )
    made = st.lists(words | any_text(12), min_size=1, max_size=6).flatmap(
        lambda labels: st.sampled_from((choice(*labels), several(*labels)))
    )
    return made.map(ask_of)


LOCALES = (None, "en", "en-US", "en-GB", "de", "de-DE", "es", "es-MX", "id", "fr-FR", "ar-EG", "-")


@st.composite
def places(draw: DrawFn, ask: Ask) -> Place:
    """Any circumstances in which a reply to that ask may come."""
    names = [one.name for one in ask.question.fields]
    draft = None
    if len(names) > 1 and draw(st.booleans()):
        draft = Draft()
        for name, value in draw(answers_to(ask.question)).items():
            draft = draft.fill(name, value)
    return Place(
        now=NOW + timedelta(hours=draw(st.integers(0, 50_000))),
        zone=draw(st.sampled_from((None, "Europe/Berlin", "America/New_York", "No/Where", "\0"))),
        locale=draw(st.sampled_from(LOCALES) | any_text(8)),
        shared=draw(st.booleans()),
        addressed=draw(st.booleans()),
        thread=draw(st.booleans()),
        pressed_other=draw(st.booleans()),
        other_field=draw(st.none() | st.sampled_from(names)) if names else None,
        draft=draft,
        may_see=draw(st.booleans()),
        mention=tuple(draw(st.lists(any_text(6), max_size=2))),
        names=tuple(draw(st.lists(st.tuples(any_text(6), any_text(6)), max_size=2))),
        markup=draw(st.booleans()),
    )


PIECES = (
    *(
        "1",
        "2.",
        "(3)",
        "#2",
        "option two",
        "1,3",
        "1 and 3",
        "2-4",
        "7",
        "0",
        "-1",
        "2?",
        "①②",
        "２",
    ),
    *("other", "other: 7", "text: skip", "all", "none", "skip", "decline: ask Ana", "help", "done"),
    *(
        "yes",
        "nein",
        "ok",
        "thanks!",
        "2026-10-20",
        "20 Oct",
        "03/04/2026",
        "next Friday",
        "29 Feb",
    ),
    *(
        "tomorrow 3pm",
        "1.234,56",
        "1e400",
        "2 copies",
        "on: 2026-10-20\ncopies: 2",
        "-",
        "\n",
        ", ",
    ),
    *(
        "> Where?\n2",
        "x\n-- \nKevin",
        "On 3 Mar 2026, OZ wrote:\n> z",
        "<at></at> 2",
        "&amp;",
        " or ",
    ),
)


@st.composite
def replies(draw: DrawFn, ask: Ask) -> str:
    """Any text, most often one that is put together from what replies are made of."""
    labels = [one.label for each in ask.question.fields for one in each.options]
    titles = [one.title for one in ask.question.fields]
    known = st.sampled_from((*PIECES, *labels, *titles))
    parts = st.lists(known | any_text(6), max_size=5).map("".join)
    return draw(st.one_of(known, parts, any_text(80)))
