"""Which conversations' members may answer, and see, which asks. Pure; the routes are the config's.

Only a route grants a right to a place: being in a chat where a question stands gives none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from gateway.question import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gateway.ask import Ask


class Route(Frozen):
    """A grant to one conversation's members, for the asks of one tenant, perhaps of some agents.

    `conversation` is `channel:conversation` (`discord:C1`), threads in it included. `content` is
    the sight of question and outcome; `answer` needs it. No `agents` means all.
    """

    conversation: str
    tenant: str
    agents: tuple[str, ...] = ()
    content: bool = False
    answer: bool = False

    @model_validator(mode="after")
    def _sees_what_it_answers(self) -> Self:
        if self.answer and not self.content:
            raise ValueError("A route that lets members answer must let them see: content = true.")
        return self


@dataclass(frozen=True, slots=True)
class Grant:
    """What the members of a conversation may do with one ask."""

    content: bool = False
    answer: bool = False


def grant(routes: Iterable[Route], conversation: str, ask: Ask) -> Grant:
    """All that the routes together give to the members of that conversation."""
    fitting = [
        route
        for route in routes
        if route.conversation == conversation
        and route.tenant == ask.tenant
        and (not route.agents or ask.agent in route.agents)
    ]
    return Grant(any(r.content for r in fitting), any(r.answer for r in fitting))
