"""Posts one signed outcome to one address, and never to a private one unless that is allowed.

The address is checked when the socket is made, so that a name cannot change its mind in between.
"""

from __future__ import annotations

import ipaddress
import json
import socket
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import aiohttp
from standardwebhooks.webhooks import Webhook as Signer

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


class PrivateAddress(Exception):
    """The target's address is private, and this gateway does not allow such."""


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
    url = urlsplit(webhook.url)
    if url.scheme not in ("http", "https") or not url.hostname:
        problems.append(Problem("webhook.url", "must be an http or https address", "invalid"))
    if url.username or url.password:
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
        for private, factory in ((False, _public_socket), (True, None)):
            connector = aiohttp.TCPConnector(socket_factory=factory)
            self._sessions[private] = aiohttp.ClientSession(connector=connector, timeout=timeout)
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
        host = urlsplit(webhook.url).hostname or ""
        async with self._sessions[self._may_reach_private(host)].post(
            webhook.url, data=body.encode(), headers=headers, allow_redirects=False
        ) as response:
            if response.status == GONE:
                raise Gone
            if not 200 <= response.status < 300:
                raise Refused(response.status)


def _public_socket(info: aiohttp.AddrInfoType) -> socket.socket:
    """A socket for an address that was just resolved. Raises: PrivateAddress."""
    family, kind, protocol, _, address = info
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_global:
        raise PrivateAddress
    return socket.socket(family=family, type=kind, proto=protocol)
