"""Where the gateway is and with which token: `OZ_URL` and `OZ_TOKEN`, else what one that runs on
this machine has left in its data folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gateway.cli.failure import WRONG_USE, Failure

DEFAULT_URL = "http://127.0.0.1:8337"
"""`gateway.config.Bind`'s own defaults, without its imports."""

ADDRESS_FILE = "address"
"""In the data folder while a gateway serves from it: its base address, one line."""

TOKEN_FILE = "token"  # noqa: S105 - a file's name
"""In the data folder, 0600: the first token of the first tenant; others are `token-<tenant>`."""


@dataclass(frozen=True, slots=True)
class Connection:
    """A gateway's base address, without a slash at its end, and the token to show it."""

    url: str
    token: str = field(repr=False)


def connection(environ: Mapping[str, str] = os.environ) -> Connection:
    """How to reach the gateway. Raises: Failure, no token is to be found."""
    url, token = environ.get("OZ_URL"), environ.get("OZ_TOKEN")
    if url is None or not token:
        folder = data_folder(environ)
        url = url or _line(folder / ADDRESS_FILE) or DEFAULT_URL
        token = token or _line(folder / TOKEN_FILE)
        if not token:
            raise Failure(
                "No token to show the gateway.",
                "Start one on this machine with `oz0 up`, or set OZ_URL and OZ_TOKEN.",
                exit_code=WRONG_USE,
            )
    return Connection(url.rstrip("/"), token)


def data_folder(environ: Mapping[str, str]) -> Path:
    """The data folder that a gateway with this environment uses. Raises: Failure."""
    if given := environ.get("OZ_DATA"):
        return Path(given).expanduser().absolute()
    # Reading the settings costs a quarter of a second, so it is done only where they may say more.
    from gateway.cli.settings import read_config

    return read_config(environ).gateway.data


def _line(path: Path) -> str | None:
    """The file's text, trimmed; None where there is none that this user may read."""
    try:
        return path.read_text("utf-8").strip() or None
    except OSError:
        return None
