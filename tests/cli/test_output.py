"""What the command line prints: tables on terminals of any width, and JSON in any encoding."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.text import Text

from gateway.cli.output import say, say_json, table

IDS = ("tok-0123456789ab", "slack:T0123456789/U0123456789")
WORDS = "The platform said that the conversation is archived, and takes no more posts."


class Terminal(StringIO):
    """A terminal, which keeps what is printed."""

    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, columns: int, *, terminal: bool = True) -> list[str]:
    """The lines of a table of ids and words."""
    out = Terminal() if terminal else StringIO()
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setenv("COLUMNS", str(columns))
    rows: Sequence[Sequence[str]] = [(*IDS, WORDS), (IDS[0], "-", "so")]
    say(table(("id", "account", "why"), rows, prose=("why",)))
    return [Text.from_ansi(line).plain for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("columns", [1, 20, 60, 74, 80, 120, 200])
def test_no_id_is_ever_broken(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    """At no width of a terminal: an id that is copied is whole."""
    lines = printed(monkeypatch, columns)
    assert any(IDS[0] in line and IDS[1] in line for line in lines)
    assert " ".join(" ".join(lines).split()).count("tok-0123456789ab") == 2


def test_words_are_folded_where_there_is_room_for_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And nothing stands beyond the terminal's edge."""
    lines = printed(monkeypatch, 80)
    assert len(lines) > 4
    assert max(map(len, lines)) <= 80


def test_a_narrow_terminal_gets_what_a_pipe_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line for each row, which the terminal itself folds."""
    narrow = printed(monkeypatch, 20)
    piped = printed(monkeypatch, 20, terminal=False)
    assert [line.rstrip() for line in narrow] == [line.rstrip() for line in piped]
    assert len(narrow) == 3
    assert WORDS in narrow[1]


@pytest.mark.parametrize("encoding", ["utf-8", "UTF8", "ascii", "latin-1", "cp1252"])
def test_json_is_json_in_every_encoding(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    """Letters that the output cannot hold are written as JSON writes them."""
    held = BytesIO()
    monkeypatch.setattr(
        "sys.stdout", TextIOWrapper(held, encoding=encoding, errors="backslashreplace")
    )
    value = {"answer": "blå \U0001f600 ▶ \ud800"}
    say_json(value)
    assert json.loads(held.getvalue().decode(encoding)) == value
    assert ("▶".encode() in held.getvalue()) is encoding.lower().startswith("utf")
