"""Standard input and output as commands use them; what cannot be read or written is a `Failure`."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from gateway.cli.failure import WRONG_USE, Failure


class Unwritten(Failure):
    """Standard output took no more. `hung_up`: whoever read it has gone, and knows (`| head`)."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"Cannot write the output: {error.strerror}.")
        self.hung_up = isinstance(error, BrokenPipeError)


class Output(TextIOWrapper):
    """Standard output; its methods raise `Unwritten`."""

    def __init__(self, plain: TextIOWrapper) -> None:
        super().__init__(
            plain.detach(),
            encoding=plain.encoding,
            # A terminal without Unicode shows ▶ as \u25b6; it does not end the command.
            errors="backslashreplace",
            line_buffering=plain.line_buffering,
            write_through=plain.write_through,
        )

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError as error:
            raise Unwritten(error) from error

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise Unwritten(error) from error


def prepare_output() -> None:
    """Makes the streams of this process those of a command."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout = Output(sys.stdout)
    if isinstance(sys.stderr, TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


def drop_output() -> None:
    """What could not be written is not tried again when Python ends."""
    if isinstance(sys.stdout, Output):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def read_input() -> str:
    """All of standard input, which is UTF-8 whatever the terminal's locale. Raises: Failure."""
    try:
        return sys.stdin.buffer.read().decode()
    except UnicodeDecodeError as error:
        raise not_utf8(f"Standard input is not UTF-8 (at byte {error.start}).") from None


def not_utf8(words: str) -> Failure:
    return Failure(words, "Write it in UTF-8, the one encoding taken here.", exit_code=WRONG_USE)
