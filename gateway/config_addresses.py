"""Addresses and names of hosts as an operator writes them, checked before anything uses them. Pure.

No refusal repeats what was written: an address may hold a password.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlsplit

REDIS_SCHEMES = (
    "redis",
    "redis+cluster",
    "redis+sentinel",
    "rediss",
    "rediss+cluster",
    "unix",
)
"""What the Redis store opens (`gateway.redis_store.client.connect`)."""

_DATABASE = re.compile(r"(/[0-9]*)?")
_NAME = re.compile(r"[\w.-]+")
_SERVICE = re.compile(r"(/[^/@]*(/[0-9]*)?)?")


def check_redis(address: str) -> None:
    """Raises: ValueError, it is none of what the store opens."""
    scheme, found, _ = address.partition("://")
    if not found or scheme not in REDIS_SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in REDIS_SCHEMES)
        raise ValueError(f"A Redis address begins with one of {known}.")
    try:
        reads = _reads(scheme, address)
    except ValueError:
        reads = False
    if not reads:
        # A password with one of these in it cuts the address where none of its parts ends.
        raise ValueError(
            "Write it as redis://user:password@host:port/0, or unix:///path; in a user's name or "
            "password / ? # [ ] % @ are written %2F %3F %23 %5B %5D %25 %40."
        )


def _reads(scheme: str, address: str) -> bool:
    """Raises: ValueError, as False."""
    parts = urlsplit(address)
    if parts.query:
        parse_qsl(parts.query, strict_parsing=True)
    hosts = parts.netloc.rpartition("@")[2]
    if scheme == "unix":
        return not hosts and bool(parts.path) and not parts.fragment
    several = scheme == "redis+sentinel"
    path = _SERVICE if several else _DATABASE
    servers = hosts.split(",") if several else [hosts]
    return (
        all(_is_server(server) for server in servers)
        and path.fullmatch(parts.path) is not None
        and not parts.fragment
    )


def _is_server(text: str) -> bool:
    """Raises: ValueError, as False."""
    server = urlsplit(f"//{text}")
    return bool(server.hostname) and server.port != 0


def check_console(address: str) -> None:
    """Raises: ValueError, it is not the whole address of a page."""
    try:
        parts = urlsplit(address)
        whole = (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and not parts.username
            and parts.port != 0
        )
    except ValueError:
        whole = False
    if not whole:
        raise ValueError("Write the whole address, for example https://oz.example.com.")


def check_host(name: str) -> None:
    """Raises: ValueError for what no address and no `Host` can bear: a port, a scheme, a star."""
    if _NAME.fullmatch(name):
        return
    try:
        ip_address(name)
    except ValueError:
        raise ValueError(
            "Write names alone, without https:// or a port: oz.example.com, 10.0.0.7 or ::1."
        ) from None
