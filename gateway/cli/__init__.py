"""`oz0`: the command line, and the only place that puts the gateway's concrete parts together.

Commands import what they need when they run, so that `oz0 --help` is there at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Runs one command and ends the process with its exit code."""
    from gateway.cli.app import run
    from gateway.cli.streams import prepare_output

    prepare_output()

    sys.exit(run(sys.argv[1:]))
