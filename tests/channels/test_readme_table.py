"""The README's table of what is answered how, made from what the suite has people do."""

from __future__ import annotations

from pathlib import Path

from channels.catalogue import Reader
from channels.plan import Way, plan
from gateway.ask import Ask
from gateway.cli.chats import installed_channels
from gateway.question import Question
from tests.channels.shapes import KINDS, SEVERAL, Shape
from tests.channels.test_four_chats import NAMES

README = Path(__file__).parents[2] / "README.md"

WAYS = {
    Way.BUTTONS: "buttons",
    Way.MENU: "menu",
    Way.FORM: "form",
    Way.CARD: "inputs on the card",
    Way.STEPS: "step by step",
    Way.TEXT: "a reply",
}
BY_TEXT = {
    "choice": "number, label, own words",
    "multi-choice": "numbers, labels",
    "text": "own words",
    "number": "the number",
    "date": "the date, in figures or words",
    "toggle": "yes or no",
    "several fields": "a line each, by name or in order",
}


def cell(shape: Shape, name: str) -> str:
    """How the suite answers that shape there."""
    question = Question(prompt="Which?", fields=shape.fields, typed=shape.typed)
    ask = Ask(
        id="a-0123456789ab", run_id="job-1", tenant="t", agent="a", call_id="c", question=question
    )
    chosen = plan(Reader(), ask, installed_channels()[name].capabilities)
    pages = f" in {chosen.pages} pages" if chosen.way is Way.FORM and chosen.pages > 1 else ""
    return WAYS[chosen.way] + pages


def table() -> str:
    rows = [
        ["", *(name.capitalize() for name in NAMES), "by text, on all four"],
        ["---"] * (len(NAMES) + 2),
    ]
    rows += [
        [shape.name, *(cell(shape, name) for name in NAMES), BY_TEXT[shape.name]]
        for shape in (*KINDS, SEVERAL)
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def test_the_readme_says_how_each_kind_is_answered_on_each_platform() -> None:
    """Every cell is a test of `test_four_chats`; the table is drawn from the same shapes."""
    assert table() in README.read_text("utf-8"), f"the README lacks this table:\n{table()}"
