"""Where asks are posted, and which places' members may see or answer them. Pure; routes are config.

Only a route brings an ask to a place, and only a route grants a right to one: being in a chat where
a question stands gives none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from gateway.question import Frozen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gateway.ask import Ask, Run
    from gateway.people import People


class Route(Frozen):
    """Posts the asks of one tenant to a conversation, or to a person wherever they have an account.

    `conversation` is `channel:conversation` (`discord:C1`), perhaps with a `thread` in it; `person`
    is a person's id. `agents` and `tags` narrow it: no `agents` means all, no `tags` any. With
    `own` only asks of runs that began in that conversation are posted; with `fallback` only asks
    that no other route could post, whatever destinations they name. `content` lets the
    conversation's members see question and outcome of what it carries, threads included; `answer`
    needs it.
    """

    conversation: str | None = None
    person: str | None = None
    tenant: str
    thread: str | None = None
    agents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    own: bool = False
    fallback: bool = False
    content: bool = False
    answer: bool = False

    @model_validator(mode="after")
    def _sees_what_it_answers(self) -> Self:
        if self.answer and not self.content:
            raise ValueError("A route that lets members answer must let them see: content = true.")
        return self

    @model_validator(mode="after")
    def _goes_to_one(self) -> Self:
        if (self.conversation is None) == (self.person is None):
            raise ValueError("A route names a conversation or a person, one of the two.")
        if self.conversation is not None and not all(self.conversation.partition(":")):
            raise ValueError("A conversation is named with its channel: slack:C0123.")
        if self.person is not None and (self.thread or self.own or self.content):
            raise ValueError("thread, own, content and answer are for conversations.")
        return self

    def fits(self, ask: Ask | Run) -> bool:
        """Whether it is for that ask, or for the asks of that run."""
        return (
            self.tenant == ask.tenant
            and (not self.agents or ask.agent in self.agents)
            and (not self.tags or not set(self.tags).isdisjoint(ask.tags))
            and (not self.own or self.conversation == ask.conversation)
        )

    def carries(self, ask: Ask) -> bool:
        """Whether it may bring that ask to its place; if not, it gives no right to it either."""
        named = not ask.destinations or self.name in ask.destinations
        return self.fits(ask) and (named or self.fallback)

    @property
    def name(self) -> str:
        """What an ask names it by among its destinations: `slack:C1`, `person:kevin`."""
        return self.conversation or f"person:{self.person}"


@dataclass(frozen=True, slots=True)
class Grant:
    """What the members of a conversation may do with one ask."""

    content: bool = False
    answer: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """Where to post: a conversation, or with `direct` the account to write to in private."""

    channel: str
    conversation: str
    thread: str | None = None
    direct: bool = False


def grant(routes: Iterable[Route], conversation: str, ask: Ask) -> Grant:
    """All that the routes together give to the members of that conversation."""
    there = [route for route in routes if route.conversation == conversation and route.carries(ask)]
    return Grant(any(route.content for route in there), any(route.answer for route in there))


def addressed(routes: Iterable[Route], ask: Ask) -> bool:
    """Whether somebody means it to be posted; if not, it is answered in OZ, unmissed in chats."""
    return bool(ask.destinations) or any(route.carries(ask) for route in routes)


def targets(
    routes: Sequence[Route], people: People, ask: Ask, *, fallback: bool = False
) -> tuple[Target, ...]:
    """Where that ask goes, its run's own conversation first; or with `fallback`, where it goes when
    none of those took it.
    """
    carrying = [route for route in routes if route.fallback == fallback and route.carries(ask)]
    own_first = sorted(carrying, key=lambda route: route.conversation != ask.conversation)
    found = [target for route in own_first for target in targets_of(route, people)]
    return tuple(dict.fromkeys(found))


def may_name(routes: Iterable[Route], run: Run) -> frozenset[str]:
    """The destinations that asks of that run may name."""
    return frozenset(route.name for route in routes if route.fits(run))


def targets_of(route: Route, people: People) -> list[Target]:
    """Where one route leads; of a person, wherever they have an account."""
    if route.conversation is not None:
        channel, _, conversation = route.conversation.partition(":")
        return [Target(channel, conversation, route.thread)]
    person = people.person(route.tenant, route.person or "")
    identities = person.identities if person else ()
    pairs = (identity.partition(":") for identity in identities)
    return [Target(channel, account, direct=True) for channel, _, account in pairs]
