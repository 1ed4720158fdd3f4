"""The six kinds of question as every channel's suite asks them, and one good answer to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gateway.question import Field, Kind, Option


def options(*labels: str) -> tuple[Option, ...]:
    return tuple(Option(id=f"o{n}", label=label) for n, label in enumerate(labels, 1))


@dataclass(frozen=True, slots=True)
class Shape:
    """A question, what a form's entry is filled with, texts that all mean that, and the outcome."""

    name: str
    fields: tuple[Field, ...]
    filled: dict[str, Any]
    texts: tuple[str, ...]
    values: dict[str, Any]
    typed: bool = False

    def __str__(self) -> str:
        return self.name


COLOURS = options("red", "blue, the house colour", "green")
CHECKS = options("Lint", "Tests", "Types")
ANSWER = "Your answer"

CHOICE = Shape(
    "choice",
    (Field(name="answer", kind=Kind.CHOICE, required=True, options=COLOURS, write_in=True),),
    {ANSWER: "blue, the house colour"},
    ("2", "blue, the house colour", "2. blue, the house colour"),
    {"answer": {"options": ["o2"], "write_in": None}},
)
OWN_WORDS = Shape(
    "own words",
    (Field(name="answer", kind=Kind.CHOICE, required=True, options=COLOURS, write_in=True),),
    {},
    ("other: plum",),
    {"answer": {"options": [], "write_in": "plum"}},
)
MULTI = Shape(
    "multi-choice",
    (Field(name="answer", kind=Kind.MULTI_CHOICE, required=True, options=CHECKS),),
    {ANSWER: ["Lint", "Types"]},
    ("1, 3", "Lint and Types", "1 3"),
    {"answer": {"options": ["o1", "o3"], "write_in": None}},
)
TEXT = Shape(
    "text",
    (Field(name="answer", kind=Kind.TEXT, required=True, multiline=True),),
    {ANSWER: "Refund it"},
    ("Refund it",),
    {"answer": "Refund it"},
)
NUMBER = Shape(
    "number",
    (Field(name="answer", kind=Kind.NUMBER, required=True, integer=True, min=1, max=9),),
    {ANSWER: "3"},
    ("3", "3!"),
    {"answer": 3},
)
DATE = Shape(
    "date",
    (Field(name="answer", kind=Kind.DATE, required=True),),
    {ANSWER: "2027-01-20"},
    ("2027-01-20", "20 January 2027"),
    {"answer": "2027-01-20"},
)
TOGGLE = Shape(
    "toggle",
    (Field(name="answer", kind=Kind.TOGGLE, required=True),),
    {ANSWER: True},
    ("yes",),
    {"answer": True},
)
SEVERAL = Shape(
    "several fields",
    (
        Field(name="on", kind=Kind.DATE, label="Send on", required=True),
        Field(name="copies", kind=Kind.NUMBER, integer=True, min=1, max=9, required=True),
        Field(name="colour", kind=Kind.CHOICE, options=COLOURS, required=True),
        Field(name="note", kind=Kind.TEXT),
        Field(name="rush", kind=Kind.TOGGLE, required=True),
        Field(name="checks", kind=Kind.MULTI_CHOICE, options=CHECKS, required=True),
    ),
    {
        "Send on": "2027-01-20",
        "copies": "2",
        "colour": "green",
        "rush": True,
        "checks": ["Lint", "Tests"],
    },
    ("on: 2027-01-20\ncopies: 2\ncolour: green\nnote: -\nrush: yes\nchecks: 1, 2",),
    {
        "on": "2027-01-20",
        "copies": 2,
        "colour": {"options": ["o3"], "write_in": None},
        "rush": True,
        "checks": {"options": ["o1", "o2"], "write_in": None},
    },
    typed=True,
)

KINDS = (TEXT, NUMBER, CHOICE, MULTI, DATE, TOGGLE)
SHAPES = (*KINDS, SEVERAL)
