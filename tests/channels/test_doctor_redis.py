"""`oz0 doctor` against a Redis set wrong: the setting is named, and to what it has to change."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from redis.backoff import ConstantBackoff, NoBackoff
from redis.retry import Retry

from gateway.cli.doctor import _examine
from gateway.embedded_redis import find_server
from tests.channels.gatewayed import settings


@pytest.fixture(scope="module")
def own_redis() -> Iterator[str]:
    """The URL of a server whose settings a test may change: durable, and full of nothing."""
    # Not pytest's own folder: a socket's path must be short, and macOS's is not.
    folder = Path(tempfile.mkdtemp(prefix="oz-doctor-", dir="/tmp"))
    socket = folder / "redis.sock"
    process = subprocess.Popen(
        [
            *(str(find_server()), "--port", "0", "--unixsocket", str(socket)),
            *("--dir", str(folder), "--save", "", "--appendonly", "yes"),
        ],
        stdout=subprocess.DEVNULL,
    )
    url = f"unix://{socket}"
    patient = Retry(ConstantBackoff(0.05), 400)
    try:
        with redis.Redis.from_url(url, retry=patient) as client:
            client.ping()
        yield url
    finally:
        # Not by a signal: Redis takes no SIGTERM while `appendonly yes` still rewrites its file,
        # and SIGKILL leaves the child that rewrites it behind.
        with redis.Redis.from_url(url, retry=Retry(NoBackoff(), 0)) as client:
            client.shutdown(nosave=True, now=True, force=True)
        process.wait()
        shutil.rmtree(folder)


async def about_redis(url: str, folder: Path) -> list[str]:
    """What is wrong with that server, in words."""
    config = settings({}, "", f'[gateway]\nredis = "{url}"', folder)
    found = await _examine(config, None)
    return [f"{one.what}: {one.mend}" for of, one in found if of == "redis" and not one.fine]


async def test_a_durable_redis_needs_no_mending(own_redis: str, tmp_path: Path) -> None:
    """Append-only, and it drops nothing."""
    assert await about_redis(own_redis, tmp_path) == []


@pytest.mark.parametrize(
    ("setting", "wrong", "right", "said"),
    [
        ("appendonly", "no", "yes", "Set `appendonly yes`."),
        ("appendfsync", "no", "everysec", "Set `appendfsync everysec` or `always`."),
        ("maxmemory-policy", "allkeys-lru", "noeviction", "Set `maxmemory-policy noeviction`."),
    ],
)
async def test_a_redis_that_forgets_is_named(
    own_redis: str, tmp_path: Path, setting: str, wrong: str, right: str, said: str
) -> None:
    """By the setting that has to change, and to what."""
    assert await about_redis(own_redis, tmp_path) == []
    with redis.Redis.from_url(own_redis) as client:
        client.config_set(setting, wrong)
        try:
            (fault,) = await about_redis(own_redis, tmp_path)
        finally:
            client.config_set(setting, right)
    assert said in fault


async def test_a_redis_that_is_a_replica_is_named(own_redis: str, tmp_path: Path) -> None:
    """It takes no writes."""
    assert await about_redis(own_redis, tmp_path) == []
    with redis.Redis.from_url(own_redis) as client:
        client.replicaof("127.0.0.1", "9")
        try:
            faults = await about_redis(own_redis, tmp_path)
        finally:
            client.replicaof("NO", "ONE")
    assert ["does a primary run there, not a replica?" in one for one in faults] == [True]


async def test_a_redis_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With where its address is set."""
    config = settings({}, "", f'[gateway]\nredis = "unix://{tmp_path}/none.sock"', tmp_path)
    (fault,) = [one for _, one in await _examine(config, None) if not one.fine]
    assert "Is the address of OZ_REDIS_URL right" in fault.mend


async def test_a_store_of_other_partitions_is_named(own_redis: str, tmp_path: Path) -> None:
    """With the number it was made with."""
    assert await about_redis(own_redis, tmp_path) == []
    toml = f'[gateway]\nredis = "{own_redis}"\npartitions = 32'
    found = await _examine(settings({}, "", toml, tmp_path), None)
    assert [one.mend for _, one in found if not one.fine] == [
        "This store was made with 16 partitions, not 32."
    ]
