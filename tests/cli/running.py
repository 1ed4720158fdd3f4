"""Real gateways and real `oz0` commands, each in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from gateway.cli.app import run

PATIENCE_S = 30.0
"""Ours: what a gateway may take to be there or to end, on a busy machine."""

SCRIPT = Path(sys.executable).with_name("oz0")
OZ0 = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "gateway.cli"]

COLOURS = {"question": "Which colour should the report use?", "choices": ["red", "blue"]}
TYPED = {
    "question": "When should I send the report, and how many copies?",
    "fields": [
        {"name": "on", "kind": "date", "label": "Send on", "required": True},
        {"name": "copies", "kind": "number", "integer": True, "min": 1, "max": 9},
    ],
}


def plain_environ(**ours: str) -> dict[str, str]:
    """This process's environment without anything of ours but what is given."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("OZ_")}
    return kept | {"NO_PROXY": "*", "COLUMNS": "80"} | ours


def oz0(
    *arguments: str,
    stdin: str = "",
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """One command, run to its end."""
    return subprocess.run(
        [*OZ0, *arguments],
        input=stdin,
        env=plain_environ() if environ is None else dict(environ),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@dataclass
class Reply:
    """A status and the JSON that came with it."""

    status: int
    body: Any


@dataclass
class Done:
    """How a command ended, in `subprocess`'s words."""

    returncode: int
    stdout: str
    stderr: str


@dataclass
class Gateway:
    """A gateway that runs, and how to reach it."""

    process: subprocess.Popen[str]
    address: str
    token: str = field(repr=False)
    environ: dict[str, str] = field(repr=False)
    told: dict[str, Any] = field(repr=False)

    def oz0(
        self, *arguments: str, stdin: str = "", **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """One command to this gateway."""
        return oz0(*arguments, stdin=stdin, environ=self.environ | environ)

    def here(self, *arguments: str, stdin: str = "", **environ: str) -> Done:
        """The same command in this process, which spares Python's start."""
        said, complained = StringIO(), StringIO()
        with (
            patch.dict(os.environ, self.environ | environ, clear=True),
            patch.object(sys, "stdin", TextIOWrapper(BytesIO(stdin.encode()))),
            redirect_stdout(said),
            redirect_stderr(complained),
        ):
            code = run(arguments)
        return Done(code, said.getvalue(), complained.getvalue())

    def json(self, *arguments: str, **environ: str) -> Any:
        """What a command that succeeds prints with `--json`."""
        done = self.here(*arguments, "--json", **environ)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def call(
        self, method: str, path: str, body: Any = None, *, token: str = "", key: str = ""
    ) -> Reply:
        """One HTTP call."""
        headers = {"Authorization": f"Bearer {token or self.token}"}
        headers |= {"Idempotency-Key": key} if key else {}
        payload = None if body is None else json.dumps(body).encode()
        headers |= {"Content-Type": "application/json"} if payload else {}
        request = Request(self.address + path, payload, headers, method=method)  # noqa: S310
        try:
            with urlopen(request, timeout=PATIENCE_S) as response:  # noqa: S310
                return Reply(response.status, json.loads(response.read() or b"null"))
        except HTTPError as error:
            return Reply(error.code, json.loads(error.read()))

    def run(self, agent: str = "asker", **wanted: Any) -> str:
        """A new run's id."""
        made = self.call("POST", "/v1/runs", {"agent": agent, **wanted})
        assert made.status == 201, made
        run_id: str = made.body["id"]
        return run_id

    def ask(self, job: str, arguments: Any, tool: str = "oz.ask_user", call_id: str = "c1") -> str:
        """A new ask's id."""
        body = {"tool": tool, "arguments": arguments, "call_id": call_id}
        made = self.call("POST", f"/v1/runs/{job}/asks", body)
        assert made.status == 201, made
        ask_id: str = made.body["ask"]["id"]
        return ask_id

    def result(self, ask_id: str) -> Any:
        """What the agent reads; None while it waits."""
        return self.call("GET", f"/v1/asks/{ask_id}/result").body.get("result")

    def kill(self) -> None:
        """Ends it outright, as a machine that fails would."""
        self.process.kill()
        self._end()

    def stop(self) -> int:
        """Asks it to end; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._end()

    def _end(self) -> int:
        code = self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


@contextmanager
def gateway(*command: str, **environ: str) -> Iterator[Gateway]:
    """`oz0 up`, or another command that serves, ready; stopped in the end."""
    found = start(*command, **environ)
    try:
        yield found
    finally:
        if found.process.poll() is None:
            found.stop()


def start(*command: str, **environ: str) -> Gateway:
    """Starts a gateway and returns once it says that it is ready."""
    ours = plain_environ(OZ_BIND="127.0.0.1:0") | environ
    log = Path(ours["OZ_DATA"]).parent / "gateway.log"
    with log.open("ab") as errors:
        process = subprocess.Popen(
            [*OZ0, *(command or ("up",)), "--json"],
            env=ours,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line or "address" not in line:
        process.kill()
        raise AssertionError(f"it did not start: {line}{log.read_text('utf-8')[-2000:]}")
    told = json.loads(line)
    token = (Path(ours["OZ_DATA"]) / "token").read_text("utf-8").strip()
    if command:  # `up` leaves its address in the data folder, `serve` does not
        ours["OZ_URL"] = told["address"] or ""
    return Gateway(process, told["address"], token, ours, told)


def short_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder whose path leaves room for a socket's name in it."""
    return tempfile.TemporaryDirectory(prefix="oz-", dir="/tmp")


class Reading:
    """A command that goes on, and the lines it has printed so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.lines: list[str] = []
        self._came = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._came:
                self.lines.append(line.rstrip("\n"))
                self._came.notify_all()

    def until(self, said: str) -> str:
        """The first line that holds those words, once it came."""

        def found() -> str | None:
            return next((line for line in self.lines if said in line), None)

        with self._came:
            assert self._came.wait_for(found, PATIENCE_S), f"no {said!r} in {self.lines}"
            line = found()
        assert line is not None
        return line

    def end(self) -> int:
        """Waits for its end; its exit code."""
        code = self.process.wait(PATIENCE_S)
        self._reader.join(PATIENCE_S)
        return code


@contextmanager
def reading(gateway: Gateway, *arguments: str) -> Iterator[Reading]:
    """A command to this gateway that goes on, such as `job watch`."""
    process = subprocess.Popen(
        [*OZ0, *arguments],
        env=gateway.environ | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    found = Reading(process)
    try:
        yield found
    finally:
        if process.poll() is None:
            process.kill()
        found.end()
        assert process.stdout is not None
        process.stdout.close()


def wait_until(holds: Any, what: str) -> None:
    """Returns once `holds()` is true."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, f"still not: {what}"
        time.sleep(0.02)
