"""Which addresses a webhook may be posted to, where private ones are not allowed."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.webhook import _PublicFirst, is_public
from tests.addresses import leads_to

if TYPE_CHECKING:
    from aiohttp.abc import ResolveResult


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.192",
        "224.0.0.1",
        "255.255.255.255",
        "0.0.0.0",  # noqa: S104 - nothing listens here
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "fd00::1",
        "fec0::1",
        "ff02::1",
        "ff0e::1",
        "2001:db8::1",
        "2001:0:a00:1::1",
        "::7f00:1",
        "::808:808",
        "::ffff:10.0.0.1",
        "::ffff:0:10.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2002:a00:1::1",
        "2002:7f00:1::",
    ],
)
def test_what_leads_inside_is_not_public(address: str) -> None:
    """Also where the inside address stands in another one."""
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "8.8.8.8",
        "2001:4860:4860::8888",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::1",
    ],
)
def test_what_is_out_on_the_internet_is_public(address: str) -> None:
    """Also by way of a translator, as networks without IPv4 have it."""
    assert is_public(address)


@given(st.ip_addresses(v=4))
def test_an_address_is_judged_alike_however_it_is_written(ip: IPv4Address) -> None:
    """By itself, mapped, behind NAT64 and behind 6to4."""
    number = int(ip)
    written = [
        IPv6Address((0xFFFF << 32) + number),
        IPv6Address((0x64_FF9B << 96) + number),
        IPv6Address((0x2002 << 112) + (number << 80) + 1),
    ]
    assert {is_public(str(one)) for one in written} == {is_public(str(ip))}


@given(st.ip_addresses(v=6))
def test_nothing_is_public_that_python_calls_private(ip: IPv6Address) -> None:
    """Ours only ever refuses more."""
    assert ip.is_global or ip.ipv4_mapped or not is_public(str(ip))


@pytest.mark.parametrize(
    ("found", "tried"),
    [
        (["10.0.0.1", "8.8.8.8"], ["8.8.8.8"]),
        (["8.8.8.8", "fd00::1"], ["8.8.8.8"]),
        (["::1", "127.0.0.1"], ["::1", "127.0.0.1"]),
    ],
)
async def test_a_names_private_addresses_are_tried_only_where_it_has_no_other(
    monkeypatch: pytest.MonkeyPatch, found: list[str], tried: list[str]
) -> None:
    """And are refused then, as ever."""
    leads_to(monkeypatch, found)
    resolved: list[ResolveResult] = await _PublicFirst().resolve("hooks.example", 443)
    assert [one["host"] for one in resolved] == tried
