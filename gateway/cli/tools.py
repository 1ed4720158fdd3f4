"""`oz0 tools`: the three tools as a model is offered them."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli.output import AsJson, say_json


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
    say_json(offered, indent=None if as_json else 2)
