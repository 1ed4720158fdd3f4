"""`python -m tests.cases.runner FILE`: plays a file of scenarios against the real broker and Redis.

Each variant is a part of its own. What cannot be played is listed with the reason; the last line
counts. Exit 1 when a part failed.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import sys
import tempfile
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import redis.asyncio

from gateway.embedded_redis import EmbeddedRedis
from tests.cases.exceptions import reason_to_skip
from tests.cases.play import play
from tests.cases.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.cases.reading import Part

PART_WITHIN_S = 60.0
"""Ours: a part takes tens of milliseconds; one that hangs is a failure."""


@dataclass
class Report:
    """What came of each part."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def summary(self) -> str:
        counts = len(self.passed), len(self.failed), len(self.skipped)
        return "{} passed, {} failed, {} skipped".format(*counts)


async def run(parts: Sequence[Part]) -> Report:
    """Plays every part that can be, each over an emptied Redis of our own."""
    report = Report()
    # Not the system's own folder for such: a socket's path must be short, and macOS's is not.
    folder = Path(tempfile.mkdtemp(prefix="oz-cases-", dir="/tmp"))
    try:
        async with EmbeddedRedis(folder, fsync="everysec") as engine:
            for part in parts:
                reason = reason_to_skip(part)
                if reason is not None:
                    report.skipped[part.name] = reason
                elif faults := await _played(engine, part):
                    report.failed[part.name] = faults
                else:
                    report.passed.append(part.name)
    finally:
        shutil.rmtree(folder)
    return report


async def _played(engine: EmbeddedRedis, part: Part) -> list[str]:
    """What went wrong with one part. One that breaks is a failure, and the next is played."""
    try:
        async with redis.asyncio.Redis.from_url(engine.url) as client:
            await client.flushall()
        async with asyncio.timeout(PART_WITHIN_S):
            return await play(engine, part)
    except Exception:  # noqa: BLE001  # whatever it is, it is this part's failure
        return [traceback.format_exc()]


def show(report: Report) -> None:
    """Prints what failed and what was skipped, and the counts last."""
    for name, reason in report.skipped.items():
        print(f"skipped {name}: {reason}")
    for name, faults in report.failed.items():
        print(f"FAILED {name}")
        for fault in faults:
            print("  " + fault.rstrip().replace("\n", "\n  "))
    print(report.summary())


def main(arguments: Sequence[str]) -> int:
    """The exit code: 0, 1 when a part failed, 2 for wrong use."""
    if len(arguments) != 1:
        print("use: python -m tests.cases.runner FILE", file=sys.stderr)
        return 2
    try:
        parts = read(Path(arguments[0]).read_text("utf-8"))
    except (OSError, ValueError, KeyError) as error:
        print(f"{arguments[0]}: not a file of cases: {error}", file=sys.stderr)
        return 2
    # The gateway's own log is not the report; a restarted engine is an error to it.
    logging.getLogger("gateway").addHandler(logging.NullHandler())
    report = asyncio.run(run(parts))
    show(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
