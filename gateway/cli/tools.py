"""`oz0 tools`: the three tools as a model is offered them."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gateway.cli.output import AsJson  # noqa: TC001 - typer reads it


def register(app: typer.Typer) -> None:
    app.command()(tools)


def tools(
    *,
    sub_run: Annotated[bool, typer.Option(help="Only what a sub-run is offered.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the three tools as a model sees them.

    It is JSON either way; with --json on one line.
    """
    from gateway import contracts

    offered = contracts.tools(main_run=not sub_run)
    typer.echo(json.dumps(offered, ensure_ascii=False, indent=None if as_json else 2))
