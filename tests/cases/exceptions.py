"""What is not played here, and why: steps that are not the runner's, and what comes later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.cases.platforms import READERS, is_own_form
from tests.cases.reading import RUNS

if TYPE_CHECKING:
    from tests.cases.reading import Part

_OTHER_WORKSPACE = re.compile(r"T\d+:")


def reason_to_skip(part: Part) -> str | None:
    """Why the part is not played; None where it is."""
    steps = sorted({str(step["t"]) for step in part.steps} - RUNS)
    if steps:
        return f"needs the step {', '.join(steps)}"
    if any(ask["shape"] == "none" for ask in part.asks):
        return "its ask is made by an API step"
    if any(map(is_own_form, part.steps)) and part.platform not in READERS:
        return f"written as a platform writes it, and none of {', '.join(READERS)}"
    if any(_OTHER_WORKSPACE.match(who) for ask in part.asks for who in ask["may_answer"]):
        return "later: members of other workspaces"
    return None
