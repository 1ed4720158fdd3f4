"""A port that cannot be had, in words."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from gateway.cli.failure import Failure

if TYPE_CHECKING:
    from gateway.config import Bind

ADVISED = 8339
"""Ours: neither the API's default nor the hooks' (`gateway.config`)."""


def cannot_serve(bind: Bind, error: OSError, option: str) -> Failure:
    """What to say; `option` is what chooses another address, as it is written before one."""
    # A server's own words repeat the address; those of a name that does not resolve have no number.
    number = error.errno or 0
    reason = os.strerror(number) if number > 0 else error.strerror
    return Failure(
        f"Cannot serve on {bind.host}:{bind.port}: {reason}.",
        f"Another gateway may be there; or choose another address: {option}127.0.0.1:{ADVISED}.",
    )
