"""Gateway and engine killed while a caller waits: the same call finds the same ask."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import redis

from tests.cli.running import COLOURS, PATIENCE_S, Gateway, short_folder, start, wait_until
from tests.ports import kept_port


def test_the_same_curl_gets_the_same_ask_and_the_answer_after_everything_was_killed() -> None:
    """`kill -9` of both; the second start has the ask, and the repeated call its answer."""
    port = kept_port()
    with short_folder() as root:
        environ = {"OZ_DATA": f"{root}/data", "OZ_BIND": f"127.0.0.1:{port}"}
        first = start(**environ)
        try:
            job = first.run()
            waiting = curl(first, job)
            wait_until(lambda: pending(first), "the ask")
            [ask] = pending(first)
            kill_engine(Path(root) / "data" / "engine.sock")
            first.kill()
            waiting.communicate(timeout=PATIENCE_S)
            assert waiting.returncode != 0
            second = start(**environ)
            assert pending(second) == [ask]
            again = curl(second, job)
            done = second.oz0("approval", "answer", job, ask, "blue")
            assert done.returncode == 0, done.stderr
            said, _ = again.communicate(timeout=PATIENCE_S)
            told = json.loads(said)
            assert (told["ask"]["id"], told["status"]) == (ask, "answered")
            assert told["result"] == "The answer: blue"
            assert second.stop() == 0
        finally:
            first.kill()


def test_an_engine_killed_alone_comes_back_under_the_same_gateway() -> None:
    """The caller goes on waiting, the answer is taken, and nothing that was told is gone."""
    with short_folder() as root:
        up = start(OZ_DATA=f"{root}/data")
        try:
            job = up.run()
            waiting = curl(up, job)
            wait_until(lambda: pending(up), "the ask")
            [ask] = pending(up)
            kill_engine(Path(root) / "data" / "engine.sock")
            done = up.oz0("approval", "answer", job, ask, "red")
            assert done.returncode == 0, done.stderr
            said, _ = waiting.communicate(timeout=PATIENCE_S)
            told = json.loads(said) if waiting.returncode == 0 else {}
            if told.get("code") == "unavailable" or not told:
                said, _ = curl(up, job).communicate(timeout=PATIENCE_S)
                told = json.loads(said)
            assert (told["ask"]["id"], told["result"]) == (ask, "The answer: red")
            assert up.process.poll() is None
            assert up.stop() == 0
        finally:
            up.kill()


def curl(up: Gateway, job: str) -> subprocess.Popen[str]:
    """Asks and waits, as an agent without a library would; the same call each time."""
    body = {"tool": "oz.ask_user", "arguments": COLOURS, "call_id": "call-1"}
    return subprocess.Popen(
        [
            *("curl", "-sS", "--fail-with-body", "-H", "Content-Type: application/json"),
            *("-H", f"Authorization: Bearer {up.token}", "-d", json.dumps(body)),
            f"{up.address}/v1/runs/{job}/asks?wait=60",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def pending(up: Gateway) -> list[str]:
    """The ids of what waits."""
    return [ask["id"] for ask in up.call("GET", "/v1/asks").body["asks"]]


def kill_engine(path: Path) -> None:
    """Kills the server that listens there, without a word of warning."""
    with redis.Redis.from_url(f"unix://{path}") as client:
        pid = client.info("server")["process_id"]
    os.kill(int(pid), signal.SIGKILL)
