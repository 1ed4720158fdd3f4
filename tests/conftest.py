"""One private Redis for the whole session, empty at the start of each test that asks for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
import redis

import gateway.embedded_redis
from gateway.embedded_redis import EngineError, find_server

hypothesis.settings.register_profile(
    "oz",
    # How long an example takes is the machine's business; a busy one is no falsification.
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
    # In CI the same examples each time: what is new is found, and kept, where somebody looks. More
    # of what never changes would show nothing more.
    derandomize=bool(os.environ.get("CI")),
    max_examples=25 if os.environ.get("CI") else 100,
)
hypothesis.settings.load_profile("oz")

START_S = 20.0
"""Ours: an empty server is ready in 0.05 s; a busy machine gets its time."""


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a server of this session's own. Without one: skipped on a laptop, red in CI."""
    try:
        binary = find_server()
    except EngineError as error:
        if os.environ.get("CI"):
            pytest.fail(error.message)
        pytest.skip(error.message)
    # Not pytest's own folder: a socket's path must be short, and macOS's is not.
    folder = Path(tempfile.mkdtemp(prefix="oz-tests-", dir="/tmp"))
    socket = folder / "redis.sock"
    # Through the launcher, so that an aborted session leaves no server behind.
    launcher = Path(gateway.embedded_redis.__file__).with_name("launch.py")
    way = "signal" if sys.platform == "linux" else "pipe"
    process = subprocess.Popen(
        [
            *(sys.executable, "-I", "-S", str(launcher), str(os.getpid()), way, str(binary)),
            *("--port", "0", "--unixsocket", str(socket), "--dir", str(folder)),
            *("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    try:
        url = f"unix://{socket}"
        with redis.Redis.from_url(url) as client:
            _wait_for(client, process)
        yield url
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(folder)


@pytest.fixture
def redis_url(redis_server: str) -> str:
    """That server's URL, every key gone."""
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
        client.script_flush()
    return redis_server


def _wait_for(client: redis.Redis, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            client.ping()
        except redis.ConnectionError:
            assert process.poll() is None, "the tests' redis-server ended while it started"
            assert time.monotonic() < end, "the tests' redis-server does not answer"
            time.sleep(0.01)
        else:
            return
