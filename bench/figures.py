"""One figure a line, `name value unit`, as soon as it is known."""

from __future__ import annotations

import sys
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


class Figures:
    """The figures of one run, printed as they come and kept for those made of others."""

    def __init__(self) -> None:
        self._values: dict[str, float] = {}

    def add(self, name: str, value: float, unit: str) -> None:
        self._values[name] = value
        digits = 0 if abs(value) >= 100 else 3
        print(f"{name} {value:.{digits}f} {unit}", flush=True)

    def median(self, name: str, values: Sequence[float], unit: str) -> float:
        """Adds the median of several runs, and returns it."""
        value = median(values)
        self.add(name, value, unit)
        return value

    def __getitem__(self, name: str) -> float:
        return self._values[name]


def say(text: str) -> None:
    """What goes on meanwhile; not a figure."""
    print(f"# {text}", file=sys.stderr, flush=True)


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which that share of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
