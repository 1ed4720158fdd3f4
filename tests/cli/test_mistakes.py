"""Plain mistakes on the command line: one line, then how to go on, and never a traceback."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from gateway.cli.connection import connection
from gateway.cli.failure import WRONG_USE, Failure
from tests.cli.running import OZ0, PATIENCE_S, oz0, plain_environ

NOBODY = "http://127.0.0.1:1"


def in_words(complained: str) -> bool:
    """Whether it is a refusal, of two lines at most."""
    lines = complained.splitlines()
    return 1 <= len(lines) <= 2 and lines[0].startswith("oz0: ")


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1",
        "ftp://h",
        "http://",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:x",
        "http://[::1",
        "http://a..b",
        f"http://{'a' * 64}.example",
        "http://h/ü",
        "http://h/a b",
        "http://h?s3cret",
        "http://me:s3cret@h",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    """Before anything is sent, and nothing of it is repeated."""
    with pytest.raises(Failure, match="OZ_URL is not an address") as refused:
        connection({"OZ_URL": url, "OZ_TOKEN": "oz_x"})
    assert refused.value.exit_code == WRONG_USE
    assert "s3cret" not in f"{refused.value} {refused.value.how}"


@pytest.mark.parametrize("token", ["tökenĀ", "oz_s3cret\nX: y", "oz_ s3cret", "oz_s3cret\x00"])
def test_a_token_that_no_header_can_bear_is_refused(token: str, tmp_path: Path) -> None:
    """Wherever it comes from; nothing of it is repeated."""
    with pytest.raises(Failure, match="OZ_TOKEN is not a token") as refused:
        connection({"OZ_URL": NOBODY, "OZ_TOKEN": token})
    (tmp_path / "token").write_text(token, "utf-8")
    with pytest.raises(Failure, match="is not a token") as kept:
        connection({"OZ_DATA": str(tmp_path)})
    for failure in (refused.value, kept.value):
        assert "s3cret" not in f"{failure} {failure.how}"


def test_the_line_ends_of_windows_are_no_part_of_an_address_or_a_token() -> None:
    """A file of variables leaves one on each."""
    found = connection({"OZ_URL": f"{NOBODY}/\r", "OZ_TOKEN": "oz_s3cret\r\n"})
    assert (found.url, found.token) == (NOBODY, "oz_s3cret")


def test_a_token_file_that_is_no_text_is_none(tmp_path: Path) -> None:
    """As if it were not there."""
    (tmp_path / "token").write_bytes(b"\xff\xfe")
    with pytest.raises(Failure, match="no token"):
        connection({"OZ_DATA": str(tmp_path)})


@pytest.mark.parametrize("variable", ["OZ_DATA", "OZ_CONFIG"])
def test_a_home_folder_of_nobody_is_refused(variable: str) -> None:
    """As a shell would leave it: a user who is not there has no folder."""
    with pytest.raises(Failure, match="no home folder"):
        connection({variable: "~nobody-of-that-name/oz"})


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    """In an argument and on standard input."""
    environ = plain_environ(OZ_URL=NOBODY, OZ_TOKEN="oz_x")
    argument = oz0("job", "history", "job-\udcff", environ=environ)
    answer = subprocess.run(
        [*OZ0, "approval", "answer", "J", "A", "-"],
        input=b"bl\xe5",
        env=environ,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    for code, complained in (
        (argument.returncode, argument.stderr),
        (answer.returncode, answer.stderr.decode()),
    ):
        assert code == WRONG_USE
        assert in_words(complained)
        assert "not UTF-8" in complained


@pytest.mark.parametrize("arguments", [["tools"], ["tools", "--json"], ["--help"], ["--version"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_cannot_be_written_is_said_once(arguments: list[str], unbuffered: str) -> None:
    """A full disk is a failure in words; a reader that has gone needs none."""
    environ = plain_environ(PYTHONUNBUFFERED=unbuffered)
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*OZ0, *arguments], env=environ, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert in_words(done.stderr.decode())
    assert b"No space left" in done.stderr
    gone = subprocess.Popen(
        [*OZ0, *arguments], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert gone.stdout is not None
    gone.stdout.close()
    _, complained = gone.communicate(timeout=PATIENCE_S)
    assert (gone.returncode, complained) == (1, b"")


def test_a_job_is_not_watched_where_no_gateway_answers() -> None:
    """With --json too, which needs no other call before."""
    environ = plain_environ(OZ_URL=NOBODY, OZ_TOKEN="oz_x")
    for options in ((), ("--json",)):
        done = oz0("job", "watch", "job-1", *options, environ=environ)
        assert done.returncode == 1
        assert in_words(done.stderr)
        assert "No gateway answers" in done.stderr
