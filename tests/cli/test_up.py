"""`oz0 up` and `oz0 serve`: how they start, what they say, and how they end."""

from __future__ import annotations

import json
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.cli.ports import ADVISED
from gateway.config import Bind, Settings
from tests.cli.running import (
    COLOURS,
    OZ0,
    PATIENCE_S,
    gateway,
    oz0,
    plain_environ,
    short_folder,
    wait_until,
)


@pytest.fixture
def root() -> Iterator[str]:
    """A folder of this test's own."""
    with short_folder() as folder:
        yield folder


def test_the_first_start_makes_one_token_for_this_user_alone(root: str) -> None:
    """Shown once, in a file of mode 0600, an owner's; the second start shows none."""
    with gateway(OZ_DATA=f"{root}/data") as first:
        [made] = first.told["tokens"]
        assert (made["tenant"], made["secret"]) == ("default", first.token)
        path = Path(made["file"])
        assert path == Path(root) / "data" / "token"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        [token] = first.json("token", "list")["tokens"]
        assert (token["role"], token["content"], token["made_by"]) == ("owner", True, None)
    with gateway(OZ_DATA=f"{root}/data") as second:
        assert second.told["tokens"] == []
        assert second.json("token", "list")["tokens"] == [token]


def test_every_tenant_gets_a_first_token(root: str) -> None:
    """Each opens its own tenant; one that is added later gets its token then."""
    settings = Path(root) / "settings.toml"
    environ = {"OZ_DATA": f"{root}/data", "OZ_CONFIG": str(settings)}
    settings.write_text('[[tenant]]\nid = "acme"\nname = "Acme"\n', "utf-8")
    with gateway(**environ) as one:
        assert [made["tenant"] for made in one.told["tokens"]] == ["acme"]
    with settings.open("a") as file:
        file.write('[[tenant]]\nid = "umbra"\nname = "Umbra"\n')
    with gateway(**environ) as two:
        [made] = two.told["tokens"]
        assert made["file"] == f"{root}/data/token-umbra"
        job = two.run()
        assert two.call("GET", f"/v1/runs/{job}", token=made["secret"]).status == 404


def test_the_console_says_where_it_serves(root: str) -> None:
    """Without `--json`: the address, the data folder, the token and how to stop."""
    process = subprocess.Popen(
        [*OZ0, "up", "--bind", "127.0.0.1:0", "--data", f"{root}/data", "--log", "error"],
        env=plain_environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(4)]
    process.send_signal(signal.SIGINT)
    _, complained = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0
    assert complained == ""
    address = lines[0].split(" serves ")[1].split(";")[0]
    assert address.startswith("http://127.0.0.1:")
    assert f"everything is kept in {root}/data" in lines[0]
    assert lines[2].strip() == (Path(root) / "data" / "token").read_text("utf-8").strip()
    assert lines[3] == "Stop with Ctrl-C.\n"


def test_stopping_ends_within_seconds_though_callers_wait(root: str) -> None:
    """A long poll is told how its ask stands; engine and address are gone, the ask is not."""
    with gateway(OZ_DATA=f"{root}/data") as up:
        job = up.run()
        ask = up.ask(job, COLOURS)
        waiting = subprocess.Popen(
            [
                *("curl", "-s", "-H", f"Authorization: Bearer {up.token}"),
                f"{up.address}/v1/asks/{ask}/result?wait=60",
            ],
            stdout=subprocess.PIPE,
        )
        wait_until(lambda: connected(up.process.pid) > 0, "the long poll")
        began = time.monotonic()
        assert up.stop() == 0
        assert time.monotonic() - began < 8
        told, _ = waiting.communicate(timeout=PATIENCE_S)
        assert json.loads(told)["status"] == "pending"
        assert not (Path(root) / "data" / "address").exists()
        assert not (Path(root) / "data" / "engine.sock").exists()
    with gateway(OZ_DATA=f"{root}/data") as again:
        assert again.call("GET", f"/v1/asks/{ask}").body["ask"]["status"] == "pending"


def connected(pid: int) -> int:
    """How many TCP connections that process has open, as the kernel counts them."""
    files = Path(f"/proc/{pid}/fd")
    held = {str(file.readlink()) for file in files.iterdir()}
    table = Path(f"/proc/{pid}/net/tcp").read_text("ascii").splitlines()[1:]
    rows = [line.split() for line in table]
    return sum(row[3] == "01" and f"socket:[{row[9]}]" in held for row in rows)


def test_a_second_gateway_on_the_same_folder_is_refused_in_one_line(root: str) -> None:
    """It says which folder, and leaves the first one and its address file alone."""
    with gateway(OZ_DATA=f"{root}/data") as first:
        second = oz0("up", "--log", "error", environ=first.environ)
        assert second.returncode == 1
        assert second.stderr.startswith(f"oz0: Another gateway (process {first.process.pid}) uses ")
        assert len(second.stderr.splitlines()) == 1
        assert first.json("approval", "list")["asks"] == []


def test_an_address_in_use_is_refused_before_anything_starts(root: str) -> None:
    """At once, with another address to try; no data folder is made."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        environ = plain_environ(OZ_DATA=f"{root}/data", OZ_BIND=f"127.0.0.1:{port}")
        done = oz0("up", environ=environ)
    assert done.returncode == 1
    first, how = done.stderr.splitlines()
    assert first == f"oz0: Cannot serve on 127.0.0.1:{port}: Address already in use."
    assert "--bind" in how
    assert not (Path(root) / "data").exists()


def test_a_hooks_port_in_use_is_refused_by_its_name(root: str) -> None:
    """The port of the platforms that call us: which it is, and how to choose another."""
    settings = Path(root) / "settings.toml"
    settings.write_text(
        '[channel.slack]\nmode = "http"\nbot_token = "xoxb-1"\nsigning_secret = "none"\n', "utf-8"
    )
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        hooks = f"127.0.0.1:{taken.getsockname()[1]}"
        environ = plain_environ(
            OZ_DATA=f"{root}/data", OZ_CONFIG=str(settings), OZ_BIND="127.0.0.1:0", OZ_HOOKS=hooks
        )
        done = oz0("up", "--log", "error", environ=environ)
    assert done.returncode == 1
    first, how = done.stderr.splitlines()
    assert first == f"oz0: Cannot serve on {hooks}: Address already in use."
    assert "OZ_HOOKS" in how


def test_no_address_that_is_advised_is_a_default(root: str) -> None:
    """Neither the API's own nor the hooks'."""
    assert ADVISED not in {Bind().port, Settings(data=Path(root)).hooks.port}


def test_a_lost_first_token_is_made_anew_on_demand(root: str) -> None:
    """By whoever may start the gateway; the lost one opens nothing from then on."""
    token = Path(root) / "data" / "token"
    with gateway(OZ_DATA=f"{root}/data") as first:
        lost = first.token
        other = first.json("token", "make", "desk")["secret"]
        token.unlink()
        shut = first.here("token", "list")
        assert (shut.returncode, "--new-token" in shut.stderr) == (2, True)
    with gateway("up", "--new-token", OZ_DATA=f"{root}/data") as again:
        [made] = again.told["tokens"]
        assert token.read_text("utf-8").strip() == made["secret"] != lost
        assert again.call("GET", "/v1/asks", token=lost).status == 401
        assert again.call("GET", "/v1/asks", token=other).status == 200
        assert {one["name"] for one in again.json("token", "list")["tokens"]} == {"admin", "desk"}


def test_faulty_settings_are_refused_with_every_fault(root: str) -> None:
    """All at once, each with its place; a value is never repeated."""
    settings = Path(root) / "settings.toml"
    settings.write_text('[gateway]\nfsynk = "always"\npartitions = 0\n', "utf-8")
    environ = plain_environ(OZ_DATA=root, OZ_CONFIG=str(settings), OZ_BINDD="secret-word")
    done = oz0("up", environ=environ)
    assert done.returncode == 1
    assert "Did you mean fsync?" in done.stderr
    assert "gateway.partitions" in done.stderr
    assert "Did you mean OZ_BIND?" in done.stderr
    assert "secret-word" not in done.stderr


def test_serving_needs_a_redis_that_processes_share(root: str) -> None:
    """`serve` brings no engine of its own; wrong use says what to do instead."""
    done = oz0("serve", environ=plain_environ(OZ_DATA=root))
    assert done.returncode == 2
    assert "OZ_REDIS_URL" in done.stderr
    assert oz0("serve", "--roles", "api,cook", environ=plain_environ()).returncode == 2
    away = plain_environ(
        OZ_DATA=root, OZ_REDIS_URL="redis://:hush@127.0.0.1:1", OZ_BIND="127.0.0.1:0"
    )
    refused = oz0("serve", environ=away)
    assert refused.returncode == 1
    assert "hush" not in refused.stderr


def test_replicas_share_one_redis_and_one_first_token(root: str, redis_url: str) -> None:
    """Both serve the same asks, and each warns at its start of a Redis that may forget."""
    one, two = Path(root) / "one", Path(root) / "two"
    two.mkdir()
    with gateway("serve", OZ_DATA=str(one), OZ_REDIS_URL=redis_url) as first:
        (two / "token").write_text(first.token, "utf-8")
        with gateway("serve", "--roles", "api", OZ_DATA=str(two), OZ_REDIS_URL=redis_url) as second:
            assert second.told["tokens"] == []
            for found in (first, second):
                assert any("append-only" in warning for warning in found.told["warnings"])
                assert found.call("GET", "/readyz").status == 200
            job = first.run()
            ask = second.ask(job, COLOURS)
            assert first.here("approval", "answer", job, ask, "red").returncode == 0
            assert second.result(ask) == "The answer: red"


def test_a_process_without_the_api_role_listens_nowhere(root: str, redis_url: str) -> None:
    """Workers alone have no address."""
    Path(root, "token").write_text("none", "utf-8")
    with gateway(
        "serve", "--roles", "clock,resume", OZ_DATA=root, OZ_REDIS_URL=redis_url
    ) as workers:
        assert workers.told["address"] is None


def test_an_address_that_others_reach_is_warned_about(root: str) -> None:
    """Loopback is the default; anything else is a decision, and is told what it lacks."""
    with gateway(OZ_DATA=f"{root}/data", OZ_BIND="0.0.0.0:0") as found:
        assert found.told["warnings"] == [
            "Other machines reach 0.0.0.0; put a proxy with TLS before it."
        ]
        assert found.address.startswith("http://127.0.0.1:")
        assert found.json("approval", "list")["asks"] == []
