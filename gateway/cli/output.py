"""What the command line prints. Colours stand on a terminal only, and never alone carry a meaning.

Whatever came from people or agents passes through `Text`, so that none of it is read as markup, and
has been made visible (`gateway.visible`) before: a terminal obeys control characters.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from gateway.cli.failure import Failure

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

UNBOUNDED = 100_000
"""Ours: the width of a table that goes to a file or a pipe, where nothing may be cut or folded."""


def console(*, stderr: bool = False) -> Console:
    """A console for this run: plain unless it is a terminal; NO_COLOR is heeded."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else UNBOUNDED
    return Console(
        stderr=stderr,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,  # ids and commands are copied: the terminal may fold them, we may not
        width=width,
    )


def say(*lines: RenderableType) -> None:
    """Prints lines to standard output, at once."""
    out = console()
    for line in lines:
        out.print(line)
    sys.stdout.flush()


def say_json(value: Any) -> None:
    """Prints one JSON value on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def note(line: str) -> None:
    """One line beside the output: progress, a warning."""
    sys.stderr.write(f"oz0: {line}\n")


def fail(failure: Failure, *, as_json: bool) -> None:
    """The failure in words on standard error; with `--json` its JSON on standard output too."""
    if as_json:
        say_json(failure.body)
    lines = [f"oz0: {failure.message}", *(f"  {problem}" for problem in failure.problems)]
    if failure.how:
        lines.append(failure.how)
    text = "\n".join(lines) + "\n"
    if sys.stderr.isatty():
        import typer

        typer.secho(text, fg="red", nl=False, err=True)
    else:
        sys.stderr.write(text)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RenderableType:
    """A plain table; cells are text as it is."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(box=box.SIMPLE_HEAD if sys.stdout.isatty() else None, pad_edge=False)
    for column in columns:
        made.add_column(column, overflow="fold")
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made
