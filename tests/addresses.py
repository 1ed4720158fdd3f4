"""Where names lead, for tests of what is done about that; no name server is asked."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest


def leads_to(monkeypatch: pytest.MonkeyPatch, addresses: list[str]) -> None:
    """Every name has these addresses, for the machine's own resolver."""

    def answer(_: str, port: int, *_args: Any, **_kwargs: Any) -> list[Any]:
        return [
            (socket.AF_INET6, socket.SOCK_STREAM, 6, "", (one, port, 0, 0))
            if ":" in one
            else (socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port))
            for one in addresses
        ]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
