"""What the command line prints. Colours stand on a terminal only, and never alone carry a meaning.

Whatever came from people or agents passes through `Text`, so that none of it is read as markup, and
has been made visible (`gateway.visible`) before: a terminal obeys control characters.
"""

from __future__ import annotations

import codecs
import json
import sys
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from gateway.cli.failure import Failure

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

UNBOUNDED = 100_000
"""Ours: the width of a table that goes to a file or a pipe, where nothing may be cut or folded."""

PROSE, GAP = 20, 2
"""Ours: the least width of a column of words; what stands between two columns."""


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


def say_json(value: Any, *, indent: int | None = None) -> None:
    """Prints one JSON value, on one line unless it is indented."""
    # Elsewhere the stream would write letters as Python does, which is no JSON.
    is_utf8 = codecs.lookup(sys.stdout.encoding or "utf-8").name == "utf-8"
    sys.stdout.write(json.dumps(value, ensure_ascii=not is_utf8, indent=indent) + "\n")
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


def table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], *, prose: Container[str] = ()
) -> RenderableType:
    """A plain table; cells are text as it is.

    Only columns of `prose` are folded, as ids are copied: on a terminal too narrow for the others
    it is printed as into a pipe.
    """
    from rich import box
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    out = console()
    widths = [max(map(cell_len, column)) for column in zip(columns, *rows, strict=True)]
    folded = [
        min(width, PROSE) if name in prose else width
        for name, width in zip(columns, widths, strict=True)
    ]
    fits = sys.stdout.isatty() and sum(folded) + GAP * len(columns) <= out.width
    made = Table(box=box.SIMPLE_HEAD if fits else None, pad_edge=False)
    for name, width in zip(columns, folded if fits else widths, strict=True):
        made.add_column(name, min_width=width, no_wrap=not (fits and name in prose))
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    if not fits:
        unbounded = out.options.update(max_width=UNBOUNDED)
        made.width = out.measure(made, options=unbounded).maximum
    return made
