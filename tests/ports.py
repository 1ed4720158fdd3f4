"""Ports for servers that a test stops and starts again, and nobody else is given meanwhile."""

from __future__ import annotations

import random
import socket

BELOW_EPHEMERAL = range(20_000, 30_000)
"""What systems hand out by themselves begins at 32,768 (Linux) or 49,152 (macOS); redis-cluster's
second port, 10,000 higher, is not of these servers.
"""


def kept_port() -> int:
    """A free port of the loopback interface that is handed to nobody who asks for any."""
    for port in random.sample(BELOW_EPHEMERAL, len(BELOW_EPHEMERAL)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no port is free")
