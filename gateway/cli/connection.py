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
    """How to reach the gateway. Raises: Failure, an address or a token is none, or is missing."""
    # Stripped: a file of variables with Windows' line ends leaves one on each.
    url, token = (environ.get(name, "").strip() for name in ("OZ_URL", "OZ_TOKEN"))
    if url:
        _check_address(url)
    if token:
        _check_token("OZ_TOKEN", token)
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
    if not token and (token := _line(folder / TOKEN_FILE) or ""):
        _check_token(str(folder / TOKEN_FILE), token)
    if not token:
        raise Failure(
            "There is no token to show the gateway.",
            "Start one on this machine with `oz0 up`, with --new-token if its first token is "
            "lost; or set OZ_URL and OZ_TOKEN.",
            exit_code=WRONG_USE,
        )
    return Connection((url or running or DEFAULT_URL).rstrip("/"), token)


def _check_address(url: str) -> None:
    """Raises: Failure. Nothing is repeated: an address may hold a password."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        whole = parts.scheme in ("http", "https") and host and parts.port != 0
        plain = parts.username is None and not parts.query and not parts.fragment
        reads = whole and plain and parts.path.isascii() and " " not in parts.path
    except ValueError:  # a port, a bracket or a name that cannot be
        reads = False
    if not reads:
        raise Failure(
            "OZ_URL is not an address.",
            f"Write it whole, for example {DEFAULT_URL}.",
            exit_code=WRONG_USE,
        )


def _check_token(place: str, token: str) -> None:
    """Raises: Failure, for what no header can bear; nothing of it is repeated."""
    if not (token.isascii() and token.isprintable() and " " not in token):
        raise Failure(
            f"{place} is not a token.",
            "A token is one word, oz_…, as `oz0 token make` prints it.",
            exit_code=WRONG_USE,
        )


def _is_loopback(url: str) -> bool:
    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name, or no address at all
        return False


def data_folder(environ: Mapping[str, str]) -> Path:
    """The data folder that a gateway with this environment uses. Raises: Failure."""
    if given := environ.get("OZ_DATA"):
        return shell_path(given)
    # Reading the settings costs a quarter of a second, so it is done only where they may say more.
    from gateway.cli.settings import read_config

    return read_config(environ).gateway.data


def shell_path(text: str) -> Path:
    """A path as a shell reads it, absolute. Raises: Failure."""
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:
        raise Failure(f"There is no home folder for {text}.", exit_code=WRONG_USE) from None


def _line(path: Path) -> str | None:
    """The file's text, trimmed; None where there is none that this user may read."""
    try:
        return path.read_text("utf-8").strip() or None
    except (OSError, UnicodeError):
        return None
