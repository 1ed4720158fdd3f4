"""`oz0 lint`: what is wrong with agents' files, one line a fault."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.failure import REFUSED, Failure
from gateway.cli.output import AsJson, say_json


def register(app: typer.Typer) -> None:
    app.command()(lint)


def lint(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Agents' files (YAML).")],
    *,
    as_json: AsJson = False,
) -> None:
    """Check agents' files.

    One line a fault, file:line:column, and exit code 1 if there is any.
    """
    from gateway.agent_file import check
    from gateway.visible import one_line

    found = [(path, fault) for path in files for fault in check(_read(path))]
    if as_json:
        say_json([{"file": str(path)} | asdict(fault) for path, fault in found])
    else:
        for path, fault in found:
            # Written bare: editors jump to file:line:column.
            typer.echo(f"{path}:{fault.line}:{fault.column}: {one_line(fault.message)}")
    if found:
        raise typer.Exit(REFUSED)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}.") from None
    except UnicodeError:
        raise Failure(f"{path} is not UTF-8.") from None
