"""`python -m gateway.cli`: the same as `oz0`, where its script is not on the path."""

from __future__ import annotations

from gateway.cli import main

main()
