"""In the processes of one test: packages that are installed here are not, as far as they can tell.

Python imports this by itself where its folder stands on the path. What was asked for in vain is
written down, since whoever asked may go on without it.
"""

from __future__ import annotations

import os
import sys
from importlib.abc import MetaPathFinder
from typing import NoReturn

ABSENT = frozenset(os.environ["TESTS_ABSENT"].split())
ASKED = os.environ["TESTS_ASKED"]


class Absent(MetaPathFinder):
    """Comes before the finders that would find them."""

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        if name.partition(".")[0] in ABSENT:
            self._refuse(name)

    @staticmethod
    def _refuse(name: str) -> NoReturn:
        with open(ASKED, "a", encoding="utf-8") as asked:  # noqa: PTH123 - nothing more is imported
            asked.write(f"{name}\n")
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Absent())
