"""A headless Chromium of our own, told what to do over its debugging pipe.

Without a Chromium, tests that need one are skipped on a laptop and red in CI.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NoReturn

import pytest

from gateway.cli.demo_chat import CHROMIUM, FLAGS

OURS = (
    *FLAGS,
    "--disable-dev-shm-usage",  # a container's is 64 MB
    "--remote-debugging-pipe",
)

PIPES = 'exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null'
"""Chromium reads commands from descriptor 3 and answers on 4; closed, it ends itself."""

END_S = 10.0
"""Ours: what Chromium gets to end; it takes a tenth of a second."""


def missing(what: str) -> NoReturn:
    """Ends the test: something of the machine is not there."""
    if os.environ.get("CI"):
        pytest.fail(what)
    pytest.skip(what)


class Page:
    """An empty page."""

    def __init__(self, commands: IO[bytes], answers: IO[bytes], log: Path) -> None:
        self._commands, self._answers, self._log = commands, answers, log
        self._numbers = itertools.count(1)
        self._unread = b""
        target = self._call("Target.createTarget", url="about:blank")
        attached = self._call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session: str = attached["sessionId"]
        # It answers once the page is the new one; a target is told of before it is what it opens.
        self._call("Page.navigate", self._session, url="data:text/html,<!doctype html>")

    def run(self, script: str) -> None:
        """What a script tag would do. Raises: AssertionError with what it threw."""
        self._evaluate(script, by_value=False)

    def ask(self, function: str, *given: Any) -> Any:
        """What a JavaScript function returns, awaited. Raises: AssertionError with what it threw.

        What is given and what comes back is JSON.
        """
        # JSON is JavaScript, so nothing of it can end the call.
        call = f"({function})({', '.join(map(json.dumps, given))})"
        return self._evaluate(call, by_value=True).get("value")

    def _evaluate(self, expression: str, *, by_value: bool) -> dict[str, Any]:
        answer = self._call(
            "Runtime.evaluate",
            self._session,
            expression=expression,
            returnByValue=by_value,
            awaitPromise=True,
        )
        thrown = answer.get("exceptionDetails")
        assert thrown is None, thrown.get("exception", thrown)
        found: dict[str, Any] = answer["result"]
        return found

    def _call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        command = {"id": number, "method": method, "params": params}
        command |= {"sessionId": session} if session else {}
        self._commands.write(json.dumps(command).encode() + b"\0")
        self._commands.flush()
        while True:
            answer = json.loads(self._answer())
            # Events and what other pages say have no number of ours.
            if answer.get("id") == number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                found: dict[str, Any] = answer["result"]
                return found

    def _answer(self) -> bytes:
        while b"\0" not in self._unread:
            more = os.read(self._answers.fileno(), 1 << 16)
            assert more, f"Chromium ended: {self._log.read_text('utf-8', 'replace')[-2000:]}"
            self._unread += more
        found, _, self._unread = self._unread.partition(b"\0")
        return found


@contextmanager
def page() -> Iterator[Page]:
    """A page in a Chromium that nobody else uses, and that keeps nothing."""
    binary = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if binary is None:
        missing(f"none of {', '.join(CHROMIUM)} is on the path")
    with (
        tempfile.TemporaryDirectory(prefix="oz-chromium-", ignore_cleanup_errors=True) as folder,
        Path(folder, "log").open("wb") as log,
    ):
        command = ["sh", "-c", PIPES, binary, *OURS, f"--user-data-dir={folder}/profile"]
        with subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                yield Page(process.stdin, process.stdout, Path(log.name))
            finally:
                process.stdin.close()
                try:
                    process.wait(END_S)
                except subprocess.TimeoutExpired:
                    process.kill()
