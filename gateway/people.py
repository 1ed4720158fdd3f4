"""Who people are, and who may see, answer and decide. Pure; what it knows comes from the config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.ask import Ask, AskKind, Run
from gateway.errors import BadRequest, NotAllowed, Problem
from gateway.person import ANSWERING, Caller, Person, Role

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SHARED_IDENTITIES = {
    "telegram:1087968824": "every anonymous group admin writes under it",
    "telegram:136817688": "every channel writes under it",
    "telegram:777000": "Telegram itself writes under it",
}
"""Ids many people share, so that they name nobody (Telegram Bot API, sender_chat)."""


class People:
    """The people of all tenants."""

    def __init__(self, people: Iterable[Person] = ()) -> None:
        self._people = {(person.tenant, person.id): person for person in people}
        self._identities = {
            identity: person for person in self._people.values() for identity in person.identities
        }

    def person(self, tenant: str, person_id: str) -> Person | None:
        return self._people.get((tenant, person_id))

    def of_tenant(self, tenant: str) -> list[Person]:
        """The tenant's people, in the config's order."""
        return [person for person in self._people.values() if person.tenant == tenant]

    def by_identity(self, identity: str) -> Person | None:
        """The person behind a platform's id, as `channel:account`."""
        return self._identities.get(identity)


def as_caller(person: Person) -> Caller:
    """What that person may do, wherever they act."""
    return Caller(
        tenant=person.tenant,
        role=person.role,
        name=f"user:{person.id}",
        content=person.content,
        person=person,
    )


def owns(caller: Caller, run: Run) -> bool:
    """Whether a token's own runs include this one; people and other tokens own their tenant's."""
    return caller.tenant == run.tenant and (
        caller.role is not Role.AGENT or caller.agent == run.agent
    )


def check_may_ask(caller: Caller) -> None:
    """Raises: NotAllowed for those who only read: they start, end and withdraw nothing."""
    if caller.role is Role.READER:
        raise NotAllowed("Readers only read.")


def may_see(caller: Caller, ask: Ask) -> bool:
    """Whether they see the question, its options and its answer. An agent sees what it asked."""
    return caller.content or (caller.role is Role.AGENT and caller.agent == ask.agent)


def check_may_settle(caller: Caller, ask: Ask, *, declining: bool) -> None:
    """Raises: NotAllowed with why; who does not see a question may decline it, not answer it."""
    if caller.role is Role.AGENT:
        if ask.kind is AskKind.APPROVAL:
            raise NotAllowed("An agent's token cannot decide an approval.")
        if not caller.answer:
            raise NotAllowed("This agent's token has no grant to answer.")
    elif caller.role not in ANSWERING:
        raise NotAllowed("Readers cannot answer; operators, admins and owners can.")
    if ask.audience and not _in_audience(caller, ask.audience):
        raise NotAllowed("This one waits for somebody else.")
    if not declining and not may_see(caller, ask):
        raise NotAllowed("Answering needs the right to see the question; declining does not.")


def check_audience(audience: Sequence[str]) -> None:
    """Raises: BadRequest for an entry that names nobody in particular."""
    if not audience:
        return
    problems = [
        Problem(
            f"audience[{n}]", f"{entry} is shared: {SHARED_IDENTITIES[entry]}.", "shared_identity"
        )
        for n, entry in enumerate(audience)
        if entry in SHARED_IDENTITIES
    ]
    if problems:
        raise BadRequest("An id that many people share cannot be the one to answer.", problems)


def _in_audience(caller: Caller, audience: tuple[str, ...]) -> bool:
    """Entries are person ids, or platform ids as `channel:account`."""
    person = caller.person
    return person is not None and not {person.id, *person.identities}.isdisjoint(audience)
