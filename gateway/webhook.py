"""Posts one signed outcome to one address, and never to a private one unless that is allowed.

The address is checked when the socket is made, so that a name cannot change its mind in between.
"""

from __future__ import annotations

import json
import re
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Any, Self

import aiohttp
from standardwebhooks.webhooks import Webhook as Signer
from yarl import URL

from gateway.contracts import rules_of
from gateway.errors import BadRequest, Problem

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from gateway.ask import AskRecord, Webhook

TIMEOUT_S = 20.0
"""Standard Webhooks: 15 to 30 s for a receiver to answer."""

GONE = 410
"""Standard Webhooks: the receiver wants no more of these."""

NAME = re.compile(r"([\w-]{1,63}\.)*[\w-]{1,63}\.?", re.ASCII)
"""RFC 1123, 2.1, as names go over the wire, with the underscore that private ones have."""

PROTOCOLS_ONLY = IPv4Network("192.0.0.0/24")
"""RFC 6890, 2.1: for protocols, and a cloud's metadata; older Pythons call most of it global."""

UNICAST = IPv6Network("2000::/3")
"""IANA's registry: of IPv6, only this was ever given out. What is outside leads to this network:
site-local (RFC 3879), multicast, IPv4-compatible (RFC 4291), NAT64 of one's own (RFC 8215)."""

LEADING_TO_IPV4 = (
    (IPv6Network("::ffff:0:0/96"), 0),  # IPv4-mapped: RFC 4291, 2.5.5.2
    (IPv6Network("64:ff9b::/96"), 0),  # NAT64: RFC 6052, 2.1
    (IPv6Network("2002::/16"), 80),  # 6to4: RFC 3056, 2
)
"""Addresses that stand for an IPv4 one, and how many bits from the right it stands in them."""


class PrivateAddress(OSError):
    """The target's address is private, and this gateway does not allow such.

    An OSError, as a connection that fails: with any other a name's further addresses go untried.
    """


class Gone(Exception):
    """The receiver wants no more."""


class Refused(Exception):
    """The receiver answered, and not with 2xx; `status` says what."""

    def __init__(self, status: int) -> None:
        super().__init__(f"status {status}")
        self.status = status


def check_webhook(webhook: Webhook) -> None:
    """Raises: BadRequest for a target or secret that can never work."""
    problems = []
    try:
        url = URL(webhook.url)
    except ValueError:  # a port that is none, a bracket that does not close
        url = URL()
    if url.scheme not in ("http", "https") or not _can_be_reached(url):
        problems.append(Problem("webhook.url", "must be an http or https address", "invalid"))
    if url.user or url.password:
        problems.append(Problem("webhook.url", "must not hold a name or password", "invalid"))
    try:
        Signer(webhook.secret)
    except Exception:  # noqa: BLE001  # the library raises whatever base64 does
        problems.append(
            Problem(
                "webhook.secret", "must be a Standard Webhooks secret, whsec_ and base64", "invalid"
            )
        )
    if problems:
        raise BadRequest("The webhook cannot be used.", problems)


def _can_be_reached(url: URL) -> bool:
    host = url.raw_host or ""
    return bool(url.port) and (":" in host or NAME.fullmatch(host) is not None)


def host_of(webhook: Webhook) -> str:
    """The host it leads to, in lower case; empty for what is no address."""
    try:
        return URL(webhook.url).host or ""
    except ValueError:
        return ""


def is_public(address: str) -> bool:
    """Whether an IP address is out on the internet. Raises: ValueError for what is none."""
    return _is_public(ip_address(address.partition("%")[0]))


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if isinstance(ip, IPv4Address):
        return ip.is_global and not ip.is_multicast and ip not in PROTOCOLS_ONLY
    for network, bits in LEADING_TO_IPV4:
        if ip in network:
            return _is_public(IPv4Address(int(ip) >> bits & 0xFFFF_FFFF))
    return ip in UNICAST and ip.is_global


def payload(record: AskRecord) -> dict[str, Any]:
    """What a run's webhook is told: ids, the ending, and what the agent reads."""
    ask = record.ask
    return {
        "type": f"ask.{record.status.value}",
        "timestamp": (record.settled_at or record.opened_at).isoformat(),
        "data": {
            "outcome_id": record.outcome_id,
            "ask_id": ask.id,
            "run_id": ask.run_id,
            "call_id": ask.call_id,
            "status": record.status.value,
            "by": record.outcome.by if record.outcome else None,
            "result": rules_of(ask.contract).result(record),
        },
    }


class Poster:
    """Posts outcomes. Open with `async with`.

    `may_reach_private(host)` says for which hosts a private or loopback address is allowed.
    """

    def __init__(self, may_reach_private: Callable[[str], bool] = lambda _: False) -> None:
        self._may_reach_private = may_reach_private
        self._sessions: dict[bool, aiohttp.ClientSession] = {}

    async def __aenter__(self) -> Self:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
        for private in (False, True):
            connector = aiohttp.TCPConnector(
                limit=0,  # who may post is the caller's to say; waiting here would cost its time
                resolver=None if private else _PublicFirst(),
                socket_factory=None if private else _public_socket,
            )
            # One receiver's cookies are not another run's to carry.
            self._sessions[private] = aiohttp.ClientSession(
                connector=connector, timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()
            )
        return self

    async def __aexit__(self, *_: object) -> None:
        for session in self._sessions.values():
            await session.close()

    async def post(self, webhook: Webhook, record: AskRecord, now: datetime) -> None:
        """Returns once the receiver has said 2xx.

        Raises: PrivateAddress, Gone, Refused, aiohttp.ClientError, TimeoutError.
        """
        body = json.dumps(payload(record), ensure_ascii=False)
        headers = {
            "content-type": "application/json",
            "webhook-id": record.outcome_id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": Signer(webhook.secret).sign(record.outcome_id, now, body),
        }
        session = self._sessions[self._may_reach_private(host_of(webhook))]
        try:
            async with session.post(
                webhook.url, data=body.encode(), headers=headers, allow_redirects=False
            ) as response:
                if response.status == GONE:
                    raise Gone
                if not 200 <= response.status < 300:
                    raise Refused(response.status)
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, PrivateAddress):
                raise error.os_error from None
            raise


class _PublicFirst(aiohttp.ThreadedResolver):
    """A name's public addresses; its private ones, to be refused, only where it has no other.

    aiohttp tells the failure of the address it tried last: that must not be of a private one while
    a public one is merely down.
    """

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[aiohttp.abc.ResolveResult]:
        found = await super().resolve(host, port, family)
        return [one for one in found if is_public(one["host"])] or found


def _public_socket(info: aiohttp.AddrInfoType) -> socket.socket:
    """A socket for an address that was just resolved. Raises: PrivateAddress."""
    family, kind, protocol, _, address = info
    if not is_public(str(address[0])):
        raise PrivateAddress
    return socket.socket(family=family, type=kind, proto=protocol)
