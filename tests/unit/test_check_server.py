"""The warnings about a Redis that somebody else runs."""

from __future__ import annotations

import pytest
from redis import Redis

from gateway.embedded_redis import check_server

GOOD = {
    "redis_version": "7.2.4",
    "role": "master",
    "aof_enabled": 1,
    "maxmemory_policy": "noeviction",
    "appendfsync": "always",
}


def test_a_fit_server_is_passed_in_silence() -> None:
    """Append-only file, no eviction, new enough: nothing to say."""
    assert check_server(GOOD) == []
    assert check_server(GOOD | {"redis_version": "6.2.0", "appendfsync": "everysec"}) == []
    assert check_server({k: v for k, v in GOOD.items() if k != "appendfsync"}) == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"aof_enabled": 0}, "no append-only file"),
        ({"appendfsync": "no"}, "a power cut can lose minutes"),
        ({"maxmemory_policy": "allkeys-lru"}, "(allkeys-lru)"),
        ({"maxmemory_policy": "volatile-ttl"}, "(volatile-ttl)"),
        ({"redis_version": "6.0.16"}, "6.0.16; 6.2 is needed"),
        ({"redis_version": "5"}, "6.2 is needed"),
        ({"redis_version": ""}, "unknown version"),
        ({"role": "slave"}, "takes no writes"),
    ],
)
def test_each_fault_is_one_warning(fault: dict[str, object], said: str) -> None:
    """Each says what can happen and what to set."""
    [warning] = check_server(GOOD | fault)
    assert said in warning


def test_a_real_servers_own_figures_are_understood(redis_url: str) -> None:
    """INFO of the tests' server, which keeps no append-only file and evicts nothing."""
    with Redis.from_url(redis_url) as client:
        info = dict(client.info())
    [warning] = check_server(info)
    assert "no append-only file" in warning
