"""The message catalogue itself: whole, extractable, and in any language; and forms' faults."""

from __future__ import annotations

import ast
import string
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_dir

import channels
from channels.catalogue import Language, Reader
from channels.words import told
from channels.words.faults import FAULTS, faults
from gateway.answer import Picked, check
from gateway.ask import Status
from gateway.conversations import Waiting
from gateway.errors import InvalidAnswer
from gateway.question import Kind
from tests.endings import COPIES, NOW, READER, an_ask, settled
from tests.strategies_reply import choice, field

ROOT = Path(channels.__file__).parent


# Forms


@pytest.mark.parametrize(
    ("asked", "value", "words"),
    [
        (COPIES, 12, "It goes from 1 to 9."),
        (COPIES, 1.5, "It takes a whole number."),
        (field(Kind.NUMBER, "copies", min=1), 0, "It is at least 1."),
        (field(Kind.NUMBER, "copies", max=1), 2, "It is at most 1."),
        (
            field(Kind.TEXT, "copies", max_length=2000),
            "e" * 2001,
            "At most 2,000 characters. Nothing was cut or sent.",
        ),
        (field(Kind.DATE, "copies"), "tomorrow", "It takes a date, like 2026-10-20."),
        (choice("a1", "b1", name="copies"), Picked(("o9",)), "This is none of the options."),
        (
            choice("a1", name="copies", write_in=False),
            Picked(write_in="x"),
            "It takes no words of your own.",
        ),
        (COPIES, "12", "This does not fit here."),
    ],
)
def test_a_forms_fault_stands_beside_its_field(asked: Any, value: Any, words: str) -> None:
    """What is wrong with one field, in words, by its name."""
    ask = an_ask(asked)
    with pytest.raises(InvalidAnswer) as wrong:
        check(ask.question, {"copies": value})
    assert faults(READER, ask, wrong.value.problems) == {"copies": words}


def test_every_fault_that_answers_can_have_has_words() -> None:
    """Each code that the checks use is in the table: none falls back to a general sentence."""
    used: set[str] = set()
    gateway_ = ROOT.parent / "gateway"
    for name in ("answer.py", "scalars.py"):
        for node in ast.walk(ast.parse((gateway_ / name).read_text("utf-8"))):
            match node:
                case ast.Call(
                    func=ast.Name(id="Problem"), args=[_, _, ast.Constant(str(code)), *_]
                ):
                    used.add(code)
                case ast.Call(func=ast.Name(id="_problem"), args=[*_, ast.Constant(str(code))]):
                    used.add(code)
    assert used
    assert used <= set(FAULTS)


# The catalogue


def messages() -> list[tuple[str, ...]]:
    """Every message of the channels, as Babel's extractor finds them."""
    keywords: Any = {"say": None, "message": None, "count": (1, 2)}
    found = extract_from_dir(ROOT, keywords=keywords)
    return [
        (message,) if isinstance(message, str) else tuple(message) for _, _, message, _, _ in found
    ]


def test_the_catalogue_can_be_extracted_whole() -> None:
    """Translators get every sentence from `pybabel extract`; places are named, never numbered."""
    found = messages()
    assert len(found) > 150
    for texts in found:
        for text in texts:
            names = [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]
            assert all(name.isidentifier() for name in names), text


def test_no_message_is_said_but_through_the_catalogue() -> None:
    """Every call of `say` and `count` has its message as a text, or takes it from a table."""
    tables = {
        "HINTS",
        "INVITATIONS",
        "WANTED",
        "STANDS",
        "FOR_ALL",
        "WITH_CONTENT",
        "WHERE",
        "REPLY",
        "WRITE",
        "FAULTS",
        "NOT_TAKEN",
        "table",
    }
    for path in ROOT.glob("words/*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute)):
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name == "say":
                first = node.args[0]
                known = {one.id for one in ast.walk(first) if isinstance(one, ast.Name)} & tables
                assert isinstance(first, ast.Constant) or known, ast.unparse(node)


POLISH = """
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n>=2 && n<=4 ? 1 : 2);\\n"

msgid "Got it: declined."
msgstr "Przyjęto: odmowa."

msgid "{n} question waits here:"
msgid_plural "{n} questions wait here:"
msgstr[0] "Czeka {n} pytanie:"
msgstr[1] "Czekają {n} pytania:"
msgstr[2] "Czeka {n} pytań:"
"""


def test_another_language_is_one_file(tmp_path: Path) -> None:
    """Its sentences and its own plural rule are used; what it lacks stays English."""
    folder = tmp_path / "pl" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "messages.po").write_text(POLISH, "utf-8")
    reader = Reader(Language("pl-PL", tmp_path))
    declined = settled(an_ask(), status=Status.DECLINED)
    assert told.receipt(reader, declined) == "Przyjęto: odmowa."
    counted = [
        told.pending(reader, [(reader, Waiting("K7", declined))] * n, NOW) for n in (1, 3, 5)
    ]
    assert [one.split("\n")[0] for one in counted] == [
        "Czeka 1 pytanie:",
        "Czekają 3 pytania:",
        "Czeka 5 pytań:",
    ]
    assert told.dropped(reader) == "Nothing was sent."


@pytest.mark.parametrize(
    "number",
    [
        *(10**25, -(10**27) - 1, 10**1_000 - 1, 1e25, -1.5e300, 1.7976931348623157e308),
        *(5e-324, 123456.789, Decimal("1" + "0" * 40 + "." + "0" * 40 + "1")),
    ],
    ids=lambda number: str(number)[:9],
)
def test_every_digit_of_a_number_is_written_however_long_it_is(number: float | Decimal) -> None:
    """A question with such a bound, or such an answer, is drawn like any other."""
    written = Language("en").number(number)
    assert Decimal(written.replace(",", "")) == Decimal(str(number))


@pytest.mark.parametrize(
    ("tag", "number", "day"),
    [
        (None, "1,234.5", "20 October 2026"),
        ("en", "1,234.5", "20 October 2026"),
        ("en-US", "1,234.5", "October 20, 2026"),
        ("de-DE", "1.234,5", "20. Oktober 2026"),
        ("id", "1.234,5", "20 Oktober 2026"),
        ("es-ES", "1.234,5", "20 de octubre de 2026"),
        ("no such tag", "1,234.5", "20 October 2026"),
    ],
)
def test_numbers_and_dates_are_written_as_the_reader_does(
    tag: str | None, number: str, day: str
) -> None:
    """By the reader's locale, whatever language its sentences are in."""
    language = Language(tag)
    assert language.number(Decimal("1234.5")) == number
    assert language.day(NOW.date()) == day
