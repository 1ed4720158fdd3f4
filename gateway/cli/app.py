"""The commands by name, and how each of them ends: done, refused in one line, or used wrongly."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gateway import __version__
from gateway.cli import approvals, dead, doctor, jobs, lint, people, plan, tokens, tools, up
from gateway.cli.failure import INTERRUPTED, WRONG_USE, Failure
from gateway.cli.output import fail
from gateway.cli.streams import Unwritten, drop_output, not_utf8

# Help without rich's panels: importing them takes longer than everything else together.
app = typer.Typer(
    name="oz0",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
up.register(app)
app.add_typer(approvals.app)
app.add_typer(jobs.app)
people.register(app)
app.add_typer(tokens.app)
app.add_typer(dead.app)
lint.register(app)
tools.register(app)
plan.register(app)
doctor.register(app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"oz0 {__version__}")
        raise typer.Exit


@app.callback()
def oz0(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_version, is_eager=True),
    ] = False,
) -> None:
    """OZ gateway asks people questions for agents, and keeps them until somebody answers."""


@app.command()
def demo(
    *,
    chat: Annotated[
        bool, typer.Option("--chat", help="Four chat platforms, made here, instead of you.")
    ] = False,
    pictures: Annotated[
        Path | None, typer.Option(help="Where --chat puts its pictures.", show_default=False)
    ] = None,
) -> None:
    """An agent asks in this terminal, and you answer.

    With --chat it asks on four made-up chat platforms, and somebody taps there.
    """
    if chat:
        from gateway.cli.demo_chat import main as main_chat

        raise typer.Exit(main_chat(pictures))
    from gateway.cli.demo import main

    raise typer.Exit(main())


def run(arguments: Sequence[str]) -> int:
    """Runs one command; its exit code."""
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except Unwritten as failure:
        drop_output()
        if not failure.hung_up:
            fail(failure, as_json=False)
        return failure.exit_code
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        _check_utf8(arguments)
        code = app(args=list(arguments) or ["--help"], prog_name="oz0", standalone_mode=False)
    except Unwritten:
        raise
    except Failure as failure:
        fail(failure, as_json="--json" in arguments)
        return failure.exit_code
    except typer.TyperException as error:
        fail(_wrong_use(error), as_json="--json" in arguments)
        return WRONG_USE
    except (typer.Abort, KeyboardInterrupt):
        return INTERRUPTED
    return code if isinstance(code, int) else 0


def _check_utf8(arguments: Sequence[str]) -> None:
    """Raises: Failure. Python hands on a byte that is no UTF-8 as half of a surrogate pair."""
    for n, argument in enumerate(arguments, 1):
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise not_utf8(f"Argument {n} is not UTF-8.") from None


def _wrong_use(error: typer.TyperException) -> Failure:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "oz0"
    words = error.format_message().strip()
    words = words if words.endswith((".", "?", "!")) else f"{words}."
    return Failure(
        words,
        f"`{command} --help` says how it is used.",
        exit_code=WRONG_USE,
        body={"code": "wrong_use", "message": words},
    )
