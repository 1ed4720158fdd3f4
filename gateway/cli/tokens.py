"""`oz0 token`: who may call this gateway, and in whose name."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from gateway.cli.output import AsJson, note, say, say_json, table

app = typer.Typer(name="token", help="API tokens: make, list, revoke.")


@app.command()
def make(
    name: Annotated[str, typer.Argument(help="How records call it, beside its role.")],
    role: Annotated[
        str, typer.Option(help="agent, reader, operator, admin or owner.")
    ] = "operator",
    *,
    content: Annotated[bool, typer.Option(help="May see questions and answers.")] = False,
    answer: Annotated[bool, typer.Option(help="An agent's may answer its own runs.")] = False,
    agent: Annotated[str | None, typer.Option(help="The agent of an agent's token.")] = None,
    person: Annotated[str | None, typer.Option(help="Acts in this person's name.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a token.

    Its secret is printed this once, alone on standard output.
    """
    from gateway.cli.client import Client

    body: dict[str, object] = {"name": name, "role": role, "content": content, "answer": answer}
    body |= {key: value for key, value in (("agent", agent), ("person", person)) if value}
    with Client() as client:
        made = client.post("/v1/tokens", body)
    if as_json:
        say_json(made)
        return
    # Alone, so that OZ_TOKEN=$(oz0 token make …) works.
    note(f"{made['token']['id']} is made; nobody is shown it again.")
    typer.echo(made["secret"])


@app.command("list")
def list_(*, as_json: AsJson = False) -> None:
    """List the tokens of this tenant, without their secrets."""
    from gateway.cli.client import Client

    with Client() as client:
        told = client.get("/v1/tokens")
    if as_json:
        say_json(told)
        return
    columns = ("id", "name", "role", "may", "for", "made")
    rows = [
        (
            token["id"],
            token["name"],
            token["role"],
            ", ".join(word for word in ("content", "answer") if token[word]) or "-",
            token["agent"] or token["person"] or "-",
            token["made_at"][:10],
        )
        for token in told["tokens"]
    ]
    say(table(columns, rows))


@app.command()
def revoke(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="Its id: tok-…")],
    *,
    as_json: AsJson = False,
) -> None:
    """End a token."""
    from rich.text import Text

    from gateway.cli.client import Client

    with Client() as client:
        client.delete(f"/v1/tokens/{quote(token, safe='')}")
    if as_json:
        say_json({"revoked": token})
    else:
        say(Text(f"{token} is revoked; within seconds no gateway takes it."))
