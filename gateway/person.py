"""Who acts: people, API tokens, and what each role may do. Values and plain functions, no I/O."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from gateway.question import Frozen


class Role(StrEnum):
    """`agent` is a token's role only; the others are people's too."""

    AGENT = "agent"
    READER = "reader"
    OPERATOR = "operator"
    ADMIN = "admin"
    OWNER = "owner"


ANSWERING = frozenset({Role.OPERATOR, Role.ADMIN, Role.OWNER})
"""Operators and above answer (design, People)."""


class Tenant(Frozen):
    """One organisation. `locale` and `zone` are for its people who have none of their own."""

    id: str
    name: str
    locale: str = "en"
    zone: str = "UTC"


class Person(Frozen):
    """One person of one tenant, from the config.

    `identities` are platform ids as `channel:account` (`slack:T1/U1`); names and addresses shown in
    a chat are never identity, nor is `email`, which is only where notices go. `locale` is a BCP 47
    tag, `zone` an IANA name.
    """

    id: str
    tenant: str
    name: str
    role: Role
    content: bool = False
    email: str | None = None
    locale: str | None = None
    zone: str | None = None
    identities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever stands behind one request, once known.

    `name` is how records and transcripts call them: `user:kevin` for a person, `operator:admin` for
    a token (role, token name). `content` is the right to see questions and answers; `answer` the
    grant that lets an agent's token answer its own runs. `agent` is an agent token's agent.
    `person` is the person a token is bound to, or the person in a chat.
    """

    tenant: str
    role: Role
    name: str
    content: bool = False
    answer: bool = False
    token_id: str | None = None
    agent: str | None = None
    person: Person | None = None
