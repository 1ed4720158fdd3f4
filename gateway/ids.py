"""Ids and digests. An ask's id is made from its run and call, and carries its run's partition byte.

Pure: random ids come from the caller's own source.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from hashlib import blake2b

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode

ASK_HEX = 12
"""`a-` and 12 hex digits, as the first original shows them."""


def partition_byte(run_id: str) -> int:
    """0 to 255; a back end with P partitions takes it modulo P."""
    return blake2b(run_id.encode(), digest_size=1).digest()[0]


def ask_byte(ask_id: str) -> int | None:
    """The partition byte an ask's id carries; None where that is no ask's id."""
    digits = ask_id[2:]
    if (
        not ask_id.startswith("a-")
        or len(digits) != ASK_HEX
        or set(digits) - set("0123456789abcdef")
    ):
        return None
    return int(digits[:2], 16)


def ask_id(run_id: str, call_id: str, salt: int = 0) -> str:
    """The id of that run's call; a collision with another call's is made again with a salt."""
    made = blake2b(f"{run_id}\0{call_id}\0{salt}".encode(), digest_size=5).hexdigest()
    return f"a-{partition_byte(run_id):02x}{made}"


def digest(value: object) -> str:
    """15 characters that tell two JSON values apart, whatever the order of their keys.

    11 bytes and not more, as base64url: every pending ask and run keeps some of them.
    """
    return digest_text(_encode(value))


def digest_text(text: str) -> str:
    """15 characters that tell two texts apart."""
    made = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=11).digest()
    return urlsafe_b64encode(made).rstrip(b"=").decode()
