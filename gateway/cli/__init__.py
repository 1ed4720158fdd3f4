"""`oz0`: the command line, and the only place that puts the gateway's concrete parts together.

Commands import what they need when they run, so that `oz0 --help` is there at once.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper


def main() -> None:
    """Runs one command and ends the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal without Unicode shows ▶ as \u25b6; it does not end the command.
            stream.reconfigure(errors="backslashreplace")
    from gateway.cli.app import run

    sys.exit(run(sys.argv[1:]))
