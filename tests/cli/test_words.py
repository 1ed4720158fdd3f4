"""What the command line says of an ask and of itself: pure parts, and the shape of its errors."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.cli import asking
from gateway.cli.ask_page import page
from gateway.cli.connection import connection
from gateway.cli.events import ServerEvent, read_events
from gateway.cli.failure import Failure
from gateway.cli.transcript import lines
from tests.cli.running import OZ0, oz0, plain_environ

NOW = datetime(2026, 10, 20, 14, 0, tzinfo=timezone(timedelta(hours=2)))
JOB = "job-0a9dc2d1-0000-0000-0000-000000000000"


def ask(**parts: Any) -> dict[str, Any]:
    """An ask as the API tells it."""
    return {
        "id": "a-75eaf712473f",
        "run_id": JOB,
        "agent": "asker",
        "kind": "question",
        "contract": "oz.ask_user",
        "status": "pending",
        "deadline": None,
        "audience": [],
        "can_decline": True,
        "can_skip": False,
        "may_see_content": True,
        "outcome": None,
        "shape": "text",
        "prompt": "Which?",
        "fields": [{"name": "answer", "kind": "text", "required": True}],
    } | parts


def field(kind: str, **parts: Any) -> dict[str, Any]:
    """A field as the API tells it."""
    return {"name": kind.replace("-", "_"), "kind": kind, "required": True} | parts


OPTIONS = [{"id": "o1", "label": "red"}, {"id": "o2", "label": "blue"}]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({}, "Which?"),
        ({"shape": "choice", "fields": [field("choice", options=OPTIONS)]}, "Which? [red / blue]"),
        (
            {"shape": "choice", "fields": [field("choice", options=OPTIONS, write_in=True)]},
            "Which? [red / blue / your own words]",
        ),
        (
            {"shape": "multi-choice", "fields": [field("multi-choice", options=OPTIONS)]},
            "Which? [red / blue] (several)",
        ),
        (
            {"shape": "fields", "fields": [field("date"), field("number")]},
            "Which? {date: date, number: number}",
        ),
        (
            {"shape": "fields", "prompt": "", "fields": [field("toggle"), field("text")]},
            "2 questions {toggle: toggle, text: text}",
        ),
        ({"prompt": "One\nline\x1b[2J"}, "One line⟨U+001B⟩[2J"),
        ({"may_see_content": False, "prompt": None}, "(you may not see the question)"),
    ],
)
def test_a_question_and_what_it_takes_stand_on_one_line(parts: dict[str, Any], said: str) -> None:
    """As the original writes them."""
    assert asking.sentence(ask(**parts)) == said


@pytest.mark.parametrize(
    ("parts", "command"),
    [
        ({}, 'answer {ids} "..."   (or deny)'),
        ({"can_decline": False}, 'answer {ids} "..."'),
        ({"can_decline": False, "can_skip": True}, 'answer {ids} "..."   (or skip)'),
        ({"kind": "approval", "shape": "approval", "fields": []}, "approve {ids}   (or deny)"),
        ({"may_see_content": False}, "deny {ids}"),
        (
            {"shape": "fields", "fields": [field("date", date_time=True), field("text")]},
            """answer {ids} '{{"date": "YYYY-MM-DDThh:mm", "text": "..."}}'   (or deny)""",
        ),
    ],
)
def test_the_command_that_answers_is_ready_to_be_filled_in(
    parts: dict[str, Any], command: str
) -> None:
    """With both ids, in the original's words."""
    shown = command.format(ids=f"{JOB} a-75eaf712473f")
    assert asking.command(ask(**parts)) == f"oz0 approval {shown}"
    unseen = asking.command(ask(may_see_content=False, can_decline=False))
    assert unseen == ""


@pytest.mark.parametrize(
    ("status", "parts", "said"),
    [
        ("answered", {"by": "operator:admin", "answer": "blue"}, "operator:admin answered: blue"),
        ("answered", {"by": "user:kevin"}, "user:kevin answered"),
        ("answered", {"by": "x", "answer": {"on": "ü", "n": 2}}, 'x answered: {"on": "ü", "n": 2}'),
        ("declined", {"by": "user:kevin", "reason": "ask Ana"}, "user:kevin declined: ask Ana"),
        ("declined", {"by": "user:kevin", "skipped": True}, "user:kevin skipped it"),
        ("expired", {}, "Nobody answered in time"),
        ("cancelled", {"reason": "too late"}, "The question was withdrawn: too late"),
    ],
)
def test_an_ending_says_who_and_what(status: str, parts: dict[str, Any], said: str) -> None:
    """Who first; what only where it is told."""
    whole = {"status": status, "by": None, "skipped": False} | parts
    assert asking.ended(ask(outcome=whole)) == said


def test_times_have_their_day_when_it_is_not_today() -> None:
    """In the terminal's zone."""
    assert asking.moment("2026-10-20T16:40:00Z", NOW) == "18:40"
    assert asking.moment("2026-10-20T22:30:00Z", NOW) == "2026-10-21 00:30"


def test_a_page_shows_every_option_whole() -> None:
    """No number stands before an option: on the command line a number picks nothing."""
    options = [{"id": "o1", "label": "eu", "description": "Frankfurt\nand Paris"}, OPTIONS[0]]
    shown = ask(shape="choice", fields=[field("choice", options=options)], audience=["kevin"])
    text = "\n".join(str(line) for line in page(shown, NOW))
    assert "  - eu: Frankfurt\nand Paris\n  - red\n" in text
    assert "waits for kevin only\nwaits until it is answered\noz0 approval answer " in text


def test_a_transcript_shows_every_kind_of_event() -> None:
    """Whatever happens to a run has its line; the sign of a webhook's due time alone has none."""
    told = {
        "run.created": {"run_id": JOB},
        "run.ended": {"run_id": JOB, "status": "finished"},
        "ask.not_asked": {"mode": "auto"},
        "ask.refused": {"by": "user:eve"},
        "question.waiting": {"to": "answerers"},
        "approval.escalated": {"to": "owner"},
        "webhook.dead": {},
        "something.newer": {},
    }
    for kind, parts in told.items():
        [line] = lines("asker", {"type": kind, "ask_id": "a-1", **parts}, lambda _: None)
        assert line.mark == "·"
        assert line.text.startswith("asker · ")
    assert list(lines("asker", {"type": "webhook.due"}, lambda _: None)) == []
    [gone] = lines("asker", {"type": "ask.opened", "ask_id": "a-1"}, lambda _: None)
    assert gone.text == "asker · ask.opened a-1"


def test_a_stream_is_read_as_its_standard_says() -> None:
    """Ids last, comments are nothing, data is joined, what the end cuts off is dropped."""
    sent = [
        *(b": alive\n", b"\n", b"retry: 10\n", b"id: 1-0\n", b"event: run.created\n"),
        *(b"data: {\n", b"data:}\r\n", b"\n", b"data: x\n", b"\n", b"id: 2\0\n", b"data\n", b"\n"),
        *(b"event: cut\n", b"data: off\n"),
    ]
    assert list(read_events(sent)) == [
        ServerEvent("1-0", "run.created", "{\n}"),
        ServerEvent("1-0", "message", "x"),
        ServerEvent("1-0", "message", ""),
    ]


@given(st.lists(st.binary(max_size=12)))
def test_any_bytes_whatever_are_read_as_a_stream(sent: list[bytes]) -> None:
    """It is total: a broken line may bring anything."""
    for event in read_events(sent):
        assert isinstance(event.data, str)


def test_the_first_token_is_not_shown_to_another_machine(tmp_path: Any) -> None:
    """OZ_URL without OZ_TOKEN takes the local token to this machine only."""
    (tmp_path / "token").write_text("oz_first\n", "utf-8")
    local = {"OZ_DATA": str(tmp_path)}
    assert connection(local).token == "oz_first"
    assert connection(local).url == "http://127.0.0.1:8337"
    assert connection(local | {"OZ_URL": "http://localhost:9/"}).url == "http://localhost:9"
    with pytest.raises(Failure, match="another machine"):
        connection(local | {"OZ_URL": "https://oz.example.com"})
    far = connection({"OZ_URL": "https://oz.example.com", "OZ_TOKEN": "oz_far"})
    assert (far.url, far.token) == ("https://oz.example.com", "oz_far")
    assert "oz_far" not in repr(far)
    (tmp_path / "address").write_text("http://192.0.2.7:9\n", "utf-8")
    assert connection(local).url == "http://192.0.2.7:9"
    with pytest.raises(Failure, match="no token"):
        connection({"OZ_DATA": str(tmp_path / "nothing")})


@pytest.mark.parametrize(
    ("arguments", "code", "first", "how"),
    [
        (["approval", "answer"], 2, "oz0: Missing argument 'JOB'.", "`oz0 approval answer --help`"),
        (["aproval", "list"], 2, "oz0: No such command 'aproval'. Did you mean", "`oz0 --help`"),
        (["approval", "list", "--limit", "many"], 2, "oz0: Invalid value for '--limit'", "`oz0 "),
        (["approval", "list"], 2, "oz0: There is no token to show the gateway.", "Start one"),
        (["approval"], 2, "oz0: Missing command.", "`oz0 approval --help`"),
    ],
)
def test_an_error_is_one_line_and_how_to_go_on(
    tmp_path: Any, arguments: list[str], code: int, first: str, how: str
) -> None:
    """On standard error, without colours; wrong use is 2."""
    done = oz0(*arguments, environ=plain_environ(OZ_DATA=str(tmp_path)))
    assert (done.returncode, done.stdout) == (code, "")
    one, two = done.stderr.splitlines()
    assert one.startswith(first)
    assert two.startswith(how)


def test_a_gateway_that_is_away_is_refused_with_1(tmp_path: Any) -> None:
    """With `--json` the error is JSON on standard output too."""
    environ = plain_environ(OZ_DATA=str(tmp_path), OZ_URL="http://127.0.0.1:1", OZ_TOKEN="oz_x")
    done = oz0("approval", "list", "--json", environ=environ)
    assert done.returncode == 1
    assert json.loads(done.stdout)["code"] == "unreachable"
    assert done.stderr.startswith("oz0: No gateway answers at http://127.0.0.1:1.\nStart one")
    odd = oz0("approval", "list", environ=environ | {"OZ_URL": "127.0.0.1"})
    assert odd.returncode == 2


def test_help_is_there_at_once() -> None:
    """In under 0.4 s of work, Python's own start included; waiting for a busy machine is not it."""
    took, said = [], ""
    for _ in range(5):
        before = os.times()
        said = subprocess.check_output([*OZ0, "--help"], text=True)
        after = os.times()
        took.append(sum(after[2:4]) - sum(before[2:4]))
    assert min(took) < 0.4
    words = ("up", "serve", "demo", "approval", "job", "token", "dead", "lint", "tools", "people")
    assert all(f"\n  {word} " in said for word in words)
    assert subprocess.check_output(OZ0, text=True) == said


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: str) -> None:
    """With what the shell would send, the commands that begin so come back."""
    typed = "oz0 approval an"
    asked = {"COMP_WORDS": typed, "COMP_CWORD": "2", "_TYPER_COMPLETE_ARGS": typed}
    asked |= {"_OZ0_COMPLETE": f"complete_{shell}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "answer" in oz0(environ=plain_environ(**asked)).stdout


def test_colours_stand_on_a_terminal_only() -> None:
    """Piped, the output is plain; on a terminal it is coloured, unless NO_COLOR says no."""
    code = "from rich.text import Text; from gateway.cli.output import *; say(Text('x', 'red'))"
    run = [sys.executable, "-c", code]
    assert subprocess.check_output(run, env=plain_environ()) == b"x\n"
    for environ, coloured in ((plain_environ(), True), (plain_environ(NO_COLOR="1"), False)):
        ours, theirs = pty.openpty()
        subprocess.check_call(run, env=environ | {"TERM": "xterm-256color"}, stdout=theirs)
        os.close(theirs)
        assert (b"\x1b[31m" in os.read(ours, 1000)) is coloured
        os.close(ours)


def test_a_time_in_another_zone_is_the_same_moment() -> None:
    """UTC's midnight is shown as what the wall says here."""
    assert asking.moment("2026-10-20T00:00:00+00:00", NOW.astimezone(UTC)) == "00:00"
