"""`oz0 up` and `oz0 serve`: the gateway, whole in one process or in parts over several."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.connection import ADDRESS_FILE
from gateway.cli.failure import WRONG_USE, Failure
from gateway.cli.output import AsJson, note, say, say_json
from gateway.cli.roles import Role

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

    from gateway.cli.compose import Ready
    from gateway.config import Config, Settings

Bind = Annotated[str | None, typer.Option(help="host:port to listen on (OZ_BIND).")]
Data = Annotated[str | None, typer.Option(help="The data folder (OZ_DATA).")]
ConfigFile = Annotated[str | None, typer.Option("--config", help="Settings, TOML (OZ_CONFIG).")]
NewToken = Annotated[
    bool, typer.Option("--new-token", help="Make the first token anew: the old one is lost.")
]
Level = Annotated[str, typer.Option("--log", help="debug, info, warning or error.")]

_log = logging.getLogger("gateway.cli")

ALL = tuple(Role)


def register(app: typer.Typer) -> None:
    app.command()(up)
    app.command()(serve)


def up(
    bind: Bind = None,
    data: Data = None,
    config: ConfigFile = None,
    log: Level = "warning",  # a person sits here; `serve` runs where logs are collected
    *,
    new_token: NewToken = False,
    as_json: AsJson = False,
) -> None:
    """Run the whole gateway.

    All of it in this process, with a Redis of its own where OZ_REDIS_URL names none.
    """
    from gateway.cli.settings import read_config

    settings = read_config(os.environ, OZ_BIND=bind, OZ_DATA=data, OZ_CONFIG=config)
    _run(settings, ALL, log, ADDRESS_FILE, new_tokens=new_token, as_json=as_json)


def serve(
    roles: Annotated[str, typer.Option(help=f"Of {', '.join(ALL)}, with commas.")] = ",".join(ALL),
    bind: Bind = None,
    data: Data = None,
    config: ConfigFile = None,
    log: Level = "info",
    *,
    new_token: NewToken = False,
    as_json: AsJson = False,
) -> None:
    """Run a part of a gateway.

    Its processes, however many, share the Redis of OZ_REDIS_URL.
    """
    named = [role.strip() for role in roles.split(",")]
    if strange := [role for role in named if role not in ALL]:
        raise Failure(
            f"There is no role {strange[0]!r}.",
            f"Roles are {', '.join(ALL)}, with commas between them.",
            exit_code=WRONG_USE,
        )
    from gateway.cli.settings import read_config

    settings = read_config(os.environ, OZ_BIND=bind, OZ_DATA=data, OZ_CONFIG=config)
    if settings.gateway.redis is None:
        raise Failure(
            "`serve` needs a Redis that all its processes share: OZ_REDIS_URL.",
            "`oz0 up` runs everything in one process, with a Redis of its own.",
            exit_code=WRONG_USE,
        )
    _run(settings, named, log, None, new_tokens=new_token, as_json=as_json)


def _run(
    settings: Config,
    roles: Sequence[str],
    log: str,
    address_file: str | None,
    *,
    new_tokens: bool,
    as_json: bool,
) -> None:
    """Runs until told to stop. Raises: Failure."""
    import asyncio

    from gateway.cli import process
    from gateway.errors import GatewayError
    from gateway.log import event as log_event
    from gateway.log import to_stderr

    to_stderr(_level(log))
    path = settings.gateway.data / address_file if address_file else None
    written: list[Path] = []

    def announce(ready: Ready) -> None:
        if path is not None and ready.address is not None:
            _leave(path, ready.address)
            written.append(path)
        _announce(ready, settings.gateway, as_json=as_json)

    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            working = process.run(
                settings, frozenset(map(Role, roles)), announce, new_tokens=new_tokens
            )
            runner.run(working)
    except GatewayError as error:
        raise Failure(error.message) from error
    except ExceptionGroup as group:
        broken = list(_leaves(group))
        if failure := next((one for one in broken if isinstance(one, Failure)), None):
            raise failure from group
        for one in broken:
            # One line each: a group's own trace says nothing of where its parts broke.
            log_event(_log, "gateway.failed", level=logging.ERROR, error=one)
        raise Failure(
            "The gateway stopped because a part of it broke; its log says more."
        ) from group
    finally:
        # Only what this process wrote: another gateway may serve from the same folder.
        for file in written:
            with suppress(OSError):
                file.unlink()


def _leave(path: Path, address: str) -> None:
    """Leaves the address where this machine's commands look for it. Raises: Failure."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(f"{address}\n", "utf-8")
    except OSError as error:
        raise Failure(f"Cannot write {path}: {error.strerror}.") from error


def _level(name: str) -> int:
    level = logging.getLevelNamesMapping().get(name.upper())
    if level is None:
        raise Failure(
            f"There is no log level {name!r}.",
            "debug, info, warning or error.",
            exit_code=WRONG_USE,
        )
    return level


def _loop_factory() -> Callable[[], AbstractEventLoop] | None:
    """The loop of uvloop where that is installed: twice the lifecycles of asyncio's own."""
    try:
        import uvloop
    except ImportError:  # not for this Python, or this system
        return None
    return uvloop.new_event_loop


def _leaves(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _announce(ready: Ready, settings: Settings, *, as_json: bool) -> None:
    """What a person, or a script, needs to know of a gateway that is ready."""
    from rich.text import Text

    from gateway import __version__

    warnings = list(ready.warnings)
    if ready.address is not None and not settings.bind.loopback:
        warnings.append(
            f"Other machines reach {settings.bind.host}; put a proxy with TLS before it."
        )
    for warning in warnings:
        note(f"warning: {warning}")
    if as_json:
        say_json(
            {
                "address": ready.address,
                "data": str(settings.data),
                "version": __version__,
                "warnings": warnings,
                "tokens": [
                    {"tenant": first.tenant, "file": str(first.path), "secret": first.secret}
                    for first in ready.first_tokens
                ],
            }
        )
        return
    where = f"serves {ready.address}" if ready.address else "works"
    keeps = (
        f"everything is kept in {settings.data}"
        if ready.embedded
        else "on the Redis of OZ_REDIS_URL"
    )
    say(Text.assemble(("OZ gateway", "bold"), f" {__version__} {where}; {keeps}"))
    for first in ready.first_tokens:
        say(
            Text(f"The first token of {first.tenant}, shown this once and kept in {first.path}:"),
            Text(first.secret, style="bold"),
        )
    say(Text("Stop with Ctrl-C."))
