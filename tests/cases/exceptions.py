"""What is not played here, and why: steps that are not the runner's, and a platform's own forms.

The forms come with the channels, which read them; played without one, they would be read by us.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.cases.reading import RUNS

if TYPE_CHECKING:
    from tests.cases.reading import Json, Part

WITH_THE_CHANNELS = {
    "entities": "mentions as the platform marks them",
    "html": "a quote as the platform writes it",
    "content_withheld": "text that the platform withholds",
    "raw_note": "a form's value as the client sent it",
}
"""Keys of a step that only a channel's own reading can do justice to."""

_MENTION = re.compile(r"<@|<at\b")
_OWN_CONVERSATION = re.compile(r";messageid=")
_OTHER_WORKSPACE = re.compile(r"T\d+:")


def reason_to_skip(part: Part) -> str | None:
    """Why the part is not played; None where it is."""
    steps = sorted({str(step["t"]) for step in part.steps} - RUNS)
    if steps:
        return f"needs the step {', '.join(steps)}"
    if any(ask["shape"] == "none" for ask in part.asks):
        return "its ask is made by an API step"
    found = [reason for step in part.steps if (reason := _form(step))]
    if any(_OWN_CONVERSATION.search(ask["where"]) for ask in part.asks):
        found.append("a conversation's id as the platform writes it")
    if found:
        return f"with the channels: {found[0]}"
    if any(_OTHER_WORKSPACE.match(who) for ask in part.asks for who in ask["may_answer"]):
        return "later: members of other workspaces"
    return None


def _form(step: Json) -> str | None:
    marked = next((why for key, why in WITH_THE_CHANNELS.items() if key in step), None)
    if marked is None and _MENTION.search(str(step.get("text", ""))):
        return "a mention as the platform writes it"
    return marked
