"""Where the gateway is and with which token: `OZ_URL` and `OZ_TOKEN`, else what one that runs on
this machine has left in its data folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

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
    """How to reach the gateway. Raises: Failure, there is no token to show it."""
    url, token = environ.get("OZ_URL"), environ.get("OZ_TOKEN")
    if url and token:
        return Connection(url.rstrip("/"), token)
    folder = data_folder(environ)
    running = _line(folder / ADDRESS_FILE)
    if not token and url and url != running and not _is_loopback(url):
        # The first token opens everything; it is not shown to whatever OZ_URL names.
        raise Failure(
            "OZ_URL names another machine, and OZ_TOKEN is not set.",
            "`oz0 token make`, run there, makes one.",
            exit_code=WRONG_USE,
        )
    token = token or _line(folder / TOKEN_FILE)
    if not token:
        raise Failure(
            "There is no token to show the gateway.",
            "Start one on this machine with `oz0 up`, or set OZ_URL and OZ_TOKEN.",
            exit_code=WRONG_USE,
        )
    return Connection((url or running or DEFAULT_URL).rstrip("/"), token)


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name, or no address at all
        return False


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
