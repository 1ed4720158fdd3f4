"""`oz0 people`: whom this tenant knows, from the settings."""

from __future__ import annotations

import typer

from gateway.cli.output import AsJson, say, say_json, table


def register(app: typer.Typer) -> None:
    app.command()(people)


def people(*, as_json: AsJson = False) -> None:
    """List the people of this tenant."""
    from gateway.cli.client import Client
    from gateway.visible import one_line

    with Client() as client:
        told = client.get("/v1/people")
    if as_json:
        say_json(told)
        return
    if not told["people"]:
        typer.echo("Nobody yet; name people in the settings file, each in a [[person]].")
        return
    rows = [
        (
            person["id"],
            one_line(person["name"]),
            person["role"],
            "content" if person["content"] else "-",
            " ".join(person.get("identities") or ()) or "-",
        )
        for person in told["people"]
    ]
    say(table(("id", "name", "role", "may see", "accounts"), rows, prose=("name",)))
