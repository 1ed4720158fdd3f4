"""`oz0 dead`: what failed for good and waits for somebody to look, by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from gateway.cli.failure import WRONG_USE, Failure
from gateway.cli.output import AsJson, say, say_json, table

if TYPE_CHECKING:
    from gateway.cli.client import Client

app = typer.Typer(name="dead", help="Deliveries that failed for good: list, redrive.")

GROUPS = ("deliver", "resume", "notify", "redraw", "clock")
"""`gateway.store.Group`, without its imports."""


@app.command("list")
def list_(
    group: Annotated[str | None, typer.Argument(help=f"One of {', '.join(GROUPS)}.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List them; without a group, all of them."""
    from gateway.cli.client import Client

    with Client() as client:
        letters = [letter for one in _groups(group) for letter in _letters(client, one)]
    if as_json:
        say_json({"letters": letters})
        return
    if not letters:
        typer.echo("Nothing has failed for good.")
        return
    from gateway.visible import one_line

    rows = [
        (letter["group"], letter["id"], letter["subject"] or "-", one_line(letter["reason"]))
        for letter in letters
    ]
    say(table(("group", "id", "of", "why"), rows, prose=("why",)))


@app.command()
def redrive(
    group: Annotated[str, typer.Argument(help=f"One of {', '.join(GROUPS)}.")],
    letter: Annotated[str | None, typer.Argument(metavar="ID", help="As listed.")] = None,
    *,
    all_: Annotated[bool, typer.Option("--all", help="Every one of the group.")] = False,
    as_json: AsJson = False,
) -> None:
    """Try one again, or all of a group."""
    if (letter is None) is not all_:
        raise Failure("Name one by its id, or say --all.", exit_code=WRONG_USE)
    from gateway.cli.client import Client

    with Client() as client:
        ids = [letter] if letter else [one["id"] for one in _letters(client, group)]
        for one in ids:
            client.post(f"/v1/dead/{quote(group, safe='')}/{quote(one, safe='')}/redrive", {})
    if as_json:
        say_json({"redriven": ids})
    else:
        typer.echo(f"{len(ids)} will be tried again.")


def _groups(group: str | None) -> tuple[str, ...]:
    return GROUPS if group is None else (group,)


def _letters(client: Client, group: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"/v1/dead/{quote(group, safe='')}")["letters"]
    return found
