"""The escalation ladder: who hears of a question that nobody answers, and when. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field as Bound

from gateway.question import Frozen

OPEN_ENDED = timedelta(hours=24)
"""A ladder without a deadline is climbed as if the wait were this (contracts, decision 14)."""

MAX_RUNGS = 10
"""Ours: a ladder is a few reminders, not a schedule."""


class Audience(StrEnum):
    ANSWERERS = "answerers"
    OWNER = "owner"
    ADMINS = "admins"
    PERSON = "person"


class RungEvent(StrEnum):
    WAITING = "question.waiting"
    ESCALATED = "approval.escalated"


class Rung(Frozen):
    """One step: after a share of the wait (`0.25`) or a fixed time (seconds, when above 1)."""

    share: Annotated[float, Bound(gt=0, lt=1)] | None = None
    after_s: Annotated[int, Bound(gt=0)] | None = None
    to: Audience = Audience.ANSWERERS
    person: str | None = None
    event: RungEvent = RungEvent.WAITING

    @property
    def note(self) -> str:
        """Whom it is for, as its event says."""
        return f"{self.to.value}:{self.person}" if self.person else self.to.value


DEFAULT_LADDER: tuple[Rung, ...] = (
    Rung(share=0.25, to=Audience.ANSWERERS, event=RungEvent.WAITING),
    Rung(share=0.5, to=Audience.OWNER, event=RungEvent.ESCALATED),
    Rung(share=0.75, to=Audience.ADMINS, event=RungEvent.ESCALATED),
)


@dataclass(frozen=True, slots=True)
class Step:
    """A rung with its absolute time."""

    at: datetime
    rung: Rung


def climb(
    ladder: tuple[Rung, ...], opened: datetime, deadline: datetime | None
) -> tuple[Step, ...]:
    """The rungs in order of time, those at or past the deadline left out."""
    wait = (deadline - opened) if deadline else OPEN_ENDED
    steps = [Step(opened + _after(rung, wait), rung) for rung in ladder]
    return tuple(
        sorted((s for s in steps if deadline is None or s.at < deadline), key=lambda s: s.at)
    )


def _after(rung: Rung, wait: timedelta) -> timedelta:
    return wait * rung.share if rung.share is not None else timedelta(seconds=rung.after_s or 0)
