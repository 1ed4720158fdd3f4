"""The README says what is so: its walk-through is run, its table is held to the code."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import typer

from gateway import durations
from gateway.cli.app import app, run
from gateway.cli.chats import installed_channels
from gateway.cli.client import Client
from gateway.cli.connection import Connection
from gateway.config import ENVIRON, Bind, Settings, load
from tests.cli.running import OZ0, PATIENCE_S, plain_environ, short_folder, wait_until
from tests.ports import kept_port

README = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
PORT = "127.0.0.1:8337"


def blocks(kind: str, section: str = "") -> list[str]:
    """The fenced blocks of a language, in the order they stand, of the whole or of one section."""
    text = README.split(f"\n## {section}\n")[1].split("\n## ")[0] if section else README
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for found, block in fenced if found == kind]


@contextmanager
def machine() -> Iterator[tuple[dict[str, str], str]]:
    """A home of somebody's own with `oz0` on the path, and an address nobody else has."""
    with short_folder() as home:
        address = f"127.0.0.1:{kept_port()}"
        # Not `oz0` itself may be there: then the module is what the script would run.
        tool = Path(home) / "bin" / "oz0"
        tool.parent.mkdir()
        tool.write_text(f'#!/bin/sh\nexec {shlex.join(OZ0)} "$@"\n', "utf-8")
        tool.chmod(0o755)
        environ = plain_environ(HOME=home, OZ_BIND=address)
        environ["PATH"] = f"{tool.parent}:{environ['PATH']}"
        environ.pop("XDG_DATA_HOME", None)
        yield environ, address


def test_the_walk_through_works_to_the_letter() -> None:
    """Up, ask by curl, answer in another terminal, the waiting curl returns; the port aside."""
    up, ask, answer, history, *_ = blocks("sh", "A question, from start to end")
    told, transcript = blocks("", "A question, from start to end")
    with machine() as (environ, address):

        def terminal(block: str) -> subprocess.Popen[str]:
            return subprocess.Popen(
                ["sh", "-ec", block.replace(PORT, address)],
                env=environ,
                cwd=environ["HOME"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )

        def run(block: str) -> str:
            done = terminal(block)
            said, _ = done.communicate(timeout=PATIENCE_S)
            assert done.returncode == 0, said
            return said

        gateway = terminal(f"exec {up}")
        try:
            assert gateway.stdout is not None
            assert f"serves http://{address};" in gateway.stdout.readline()
            waiting = terminal(ask)
            token = Path(environ["HOME"], ".local/share/oz-gateway/token").read_text("utf-8")
            with Client(Connection(f"http://{address}", token.strip())) as client:
                wait_until(lambda: client.get("/v1/asks")["asks"], "the question")
            listed, *rest = run(answer).partition("Got it: blue.\n")
            assert rest[0]
            [command] = re.findall(r'^  (oz0 approval answer .*) "\.\.\."', listed, re.MULTILINE)
            assert f"{command} blue\n" in answer
            said, _ = waiting.communicate(timeout=PATIENCE_S)
            _, end = json.JSONDecoder().raw_decode(said)  # the run; the ask follows
            result = json.loads(said[end:])
            assert result.pop("ask")["id"] == "a-b2f03f09e5b1"
            assert result == json.loads(told.replace('"ask":{…},', ""))
            assert run(history) == transcript
            for tokens in blocks("sh", "Tokens"):
                assert "front-desk" in run(tokens)
        finally:
            gateway.terminate()
            gateway.communicate(timeout=PATIENCE_S)
        assert gateway.returncode == 0


def test_the_table_of_settings_has_every_setting() -> None:
    """Each key with its variable and its default, and none that is not there."""
    rows = re.findall(r"^\| `(\w+)` \| (?:`(\w+)` )?\| (?:`(.+?)`|none) \|", README, re.MULTILINE)
    variables = {key: name for name, key in ENVIRON.items()}
    assert {key: name for key, name, _ in rows} == {
        key: variables.get(key, "") for key in Settings.model_fields
    }
    for key, _, default in rows:
        value = Settings.model_fields[key].default
        match value:
            case Bind():
                assert default == f"{value.host}:{value.port}"
            case timedelta():
                assert durations.parse(default) == value
            case bool():
                assert default == str(value).lower()
            case None | ():
                assert default == ""
            case int() | str():
                assert default == str(value)
            case _:
                assert key == "data"
    home = load("", {"HOME": "/home/ana"}, folder=Path("/"))
    assert f"`{str(home.gateway.data).replace('/home/ana', '~')}`" in README


def test_the_settings_shown_can_be_used() -> None:
    """The example file reads, with its tenant and its person."""
    chats, text = blocks("toml")
    models = {name: channel.settings for name, channel in installed_channels().items()}
    whole = chats.replace("123456:…", "123456:" + "A" * 35) + text
    config = load(whole, {"HOME": "/home/ana"}, folder=Path("/"), channels=lambda: models)
    assert config.people[0].tenant == config.tenants[0].id == "acme"
    assert set(tomllib.loads(whole)) == {"gateway", "tenant", "person", "route", "channel"}


def test_every_command_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    """`oz0 …` in the text is a command of `oz0`."""
    groups = {"approval", "token", "job", "dead"}
    named = [words.split() for words in re.findall(r"oz0 ([a-z]+(?: [a-z]+)?)", README)]
    for words in named:
        command = words[: 2 if words[0] in groups else 1]
        assert run([*command, "--help"]) == 0, command
    assert "Usage: oz0 up" in capsys.readouterr().out


def test_the_source_archive_has_what_its_pages_speak_of() -> None:
    """The deploy pages, the scripts of CI, and what the tests and the Makefile read."""
    root = Path(__file__).parents[2]
    build = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    for name in (".ci", "Makefile", "bench", "constraints.txt", "deploy", "schemathesis.toml"):
        assert (root / name).exists()
        assert f"/{name}" in build["targets"]["sdist"]["include"]


def _commands(group: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def test_every_command_but_the_demo_takes_json() -> None:
    """As the README says."""
    assert "Every command but `demo` takes `--json`" in " ".join(README.split())
    without = {
        name
        for name, command in _commands(typer.main.get_command(app))
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    assert without == {"demo"}
