"""API tokens: made, listed, revoked, and who stands behind one.

The secret is told once and kept nowhere: the store has its SHA-256, and what the token may do.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import OrderedDict
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING

from pydantic import ValidationError

from gateway.errors import (
    BadRequest,
    Conflict,
    NotAllowed,
    NotFound,
    Problem,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from gateway.person import Caller, Role
from gateway.question import Frozen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from gateway.people import People
    from gateway.person import Person
    from gateway.store import Store

PREFIX = "oz_"
"""What every secret begins with, so that scanners for leaked secrets can know one."""

SECRET_BYTES = 32
"""Ours: 256 bits, as the digest; guessing is out of the question, so a plain hash will do."""

MAX_SECRET = 128
"""Ours: characters; ours have 46, and what is longer is not looked up."""

CACHE_S = 5.0
"""Ours: how long a process goes on taking a token that was revoked through another one."""

CACHED = 10_000
"""Ours: tokens a process remembers, about 5 MB."""

NAMING = timedelta(seconds=30)
"""Ours: making a token takes a few round trips; a process that died gives the name free."""

MAX_TOKENS = 1_000
"""Ours: tokens of one tenant; the list is read whole."""

RANKS = (Role.AGENT, Role.READER, Role.OPERATOR, Role.ADMIN, Role.OWNER)
"""From least to most. An agent stands below a reader: it sees its own runs only."""

MANAGING = frozenset({Role.ADMIN, Role.OWNER})
"""Who makes, lists and revokes tokens."""


class Grant(Frozen):
    """What a token is to be.

    `name` is how records call it (`operator:admin` is an operator's token named `admin`). `agent`
    belongs to the role `agent`, as does the grant to `answer`. A token bound to a `person` acts in
    that person's name, and never beyond what the person may.
    """

    name: str
    role: Role
    content: bool = False
    answer: bool = False
    agent: str | None = None
    person: str | None = None


class Token(Frozen):
    """A token as it is kept. `id` names it without being it."""

    id: str
    tenant: str
    grant: Grant
    made_at: datetime
    made_by: str | None = None


class Tokens:
    """All tokens of all tenants, in the store's index."""

    def __init__(
        self, store: Store, people: People, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self._people = people
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, Token]] = OrderedDict()

    async def make(self, tenant: str, grant: Grant, by: Caller | None = None) -> tuple[Token, str]:
        """The token and its secret. `by` is None for whoever holds the machine itself.

        Raises: BadRequest, Conflict (the name is taken), NotAllowed, NotFound, TooLarge.
        """
        if by is not None:
            _check_may_manage(by, tenant)
        person = self._check(tenant, grant)
        if by is not None:
            _check_not_above(by, grant, person)
        async with self._naming(tenant, grant):
            return await self._make(tenant, grant, by)

    @asynccontextmanager
    async def _naming(self, tenant: str, grant: Grant) -> AsyncIterator[None]:
        """Holds the name while a token of it is made. Raises: Conflict, TooLarge."""
        taken = Conflict(f"There is a token {grant.role.value}:{grant.name} already.")
        turn, mine = f"token-name:{tenant}:{grant.role.value}:{grant.name}", secrets.token_hex(8)
        if await self._store.bind(turn, mine, NAMING) != mine:
            raise taken
        try:
            others = await self.list(tenant)
            if len(others) >= MAX_TOKENS:
                raise TooLarge(f"A tenant has at most {MAX_TOKENS:,} tokens; revoke one first.")
            if any((t.grant.role, t.grant.name) == (grant.role, grant.name) for t in others):
                raise taken
            yield
        finally:
            with suppress(Unavailable):  # its time frees the name as well
                await self._store.drop(turn)

    async def _make(self, tenant: str, grant: Grant, by: Caller | None) -> tuple[Token, str]:
        secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
        token = Token(
            id=f"tok-{secrets.token_hex(6)}",
            tenant=tenant,
            grant=grant,
            made_at=await self._store.now(),
            made_by=by.name if by else None,
        )
        digest = _digest(secret)
        # Listed before it works: a token that works can always be found and revoked.
        await self._store.add(_of_tenant(tenant), f"{token.id} {digest}")
        await self._store.put(_key(digest), token.model_dump_json(exclude_defaults=True))
        return token, secret

    async def list(self, tenant: str, by: Caller | None = None) -> list[Token]:
        """The tenant's tokens, by name. Raises: NotAllowed, NotFound."""
        if by is not None:
            _check_may_manage(by, tenant)
        members = await self._store.members(_of_tenant(tenant))
        found = await asyncio.gather(*(self._load(member.split()[1]) for member in members))
        return sorted(
            (token for token in found if token is not None),
            key=lambda token: (token.grant.name, token.id),
        )

    async def revoke(self, tenant: str, token_id: str, by: Caller | None = None) -> None:
        """Ends a token, here at once and elsewhere within `CACHE_S`.

        Raises: NotAllowed (it stands above the caller), NotFound.
        """
        if by is not None:
            _check_may_manage(by, tenant)
        for member in await self._store.members(_of_tenant(tenant)):
            found, digest = member.split()
            if found != token_id:
                continue
            token = await self._load(digest)
            if by is not None and token is not None and _rank(token.grant.role) > _rank(by.role):
                raise NotAllowed("This token stands above yours.")
            await self._store.drop(_key(digest))
            await self._store.remove(_of_tenant(tenant), member)
            self._known.pop(digest, None)
            if token is not None:
                return
        raise NotFound("There is no such token.")

    async def caller_of(self, secret: str) -> Caller:
        """Who stands behind a secret. Raises: Unauthenticated, Unavailable."""
        token = await self._token(secret)
        caller = self._caller(token) if token is not None else None
        if caller is None:
            raise Unauthenticated("This token is not known here, or was revoked.")
        return caller

    async def _token(self, secret: str) -> Token | None:
        if not secret.startswith(PREFIX) or len(secret) > MAX_SECRET or not secret.isascii():
            return None
        digest = _digest(secret)
        now = self._clock()
        known = self._known.get(digest)
        if known is not None and now - known[0] < CACHE_S:
            return known[1]
        token = await self._load(digest)
        if token is None:
            self._known.pop(digest, None)
            return None
        self._known[digest] = (now, token)
        self._known.move_to_end(digest)
        if len(self._known) > CACHED:
            self._known.popitem(last=False)
        return token

    async def _load(self, digest: str) -> Token | None:
        kept = await self._store.look(_key(digest))
        try:
            return None if kept is None else Token.model_validate_json(kept)
        except ValidationError:
            return None  # what does not read opens no door

    def _caller(self, token: Token) -> Caller | None:
        grant = token.grant
        if grant.person is None:
            return Caller(
                tenant=token.tenant,
                role=grant.role,
                name=f"{grant.role.value}:{grant.name}",
                content=grant.content,
                answer=grant.answer,
                token_id=token.id,
                agent=grant.agent,
            )
        person = self._people.person(token.tenant, grant.person)
        if person is None:
            return None  # gone from the config, and their tokens with them
        return Caller(
            tenant=token.tenant,
            role=min(grant.role, person.role, key=_rank),
            name=f"user:{person.id}",
            content=grant.content and person.content,
            token_id=token.id,
            person=person,
        )

    def _check(self, tenant: str, grant: Grant) -> Person | None:
        """The person it is bound to. Raises: BadRequest, with every fault."""
        is_agent = grant.role is Role.AGENT
        person = self._people.person(tenant, grant.person) if grant.person else None
        faults = [
            (is_agent and not grant.agent, "agent", "An agent's token names its agent.", "missing"),
            (bool(grant.agent) and not is_agent, "agent", "Goes with the role agent only.", ""),
            (grant.answer and not is_agent, "answer", "Goes with the role agent only.", ""),
            (grant.content and is_agent, "content", "An agent sees its own asks as it is.", ""),
            (bool(grant.person) and is_agent, "person", "An agent is nobody's token.", ""),
            (bool(grant.person) and person is None, "person", "There is no such person.", ""),
        ]
        problems = [
            Problem(path, message, code or "invalid") for bad, path, message, code in faults if bad
        ]
        if person is not None and not is_agent:
            if _rank(grant.role) > _rank(person.role):
                problems.append(Problem("role", f"{person.id} is {person.role.value} only."))
            if grant.content and not person.content:
                problems.append(Problem("content", f"{person.id} may not see content."))
        if problems:
            raise BadRequest("No such token can be made.", problems)
        return person


def _check_may_manage(caller: Caller, tenant: str) -> None:
    if caller.tenant != tenant:
        raise NotFound("There is no such tenant.")
    if caller.role not in MANAGING:
        raise NotAllowed("Admins and owners manage tokens.")


def _check_not_above(by: Caller, grant: Grant, person: Person | None) -> None:
    """Nobody hands out what they do not have."""
    role = max(grant.role, person.role, key=_rank) if person else grant.role
    if _rank(role) > _rank(by.role):
        raise NotAllowed("Nobody makes a token above their own role.")
    # An agent's token reads everything its agent asks.
    if (grant.content or grant.role is Role.AGENT) and not by.content:
        raise NotAllowed("Who may not see content cannot grant the sight of it.")


def _rank(role: Role) -> int:
    return RANKS.index(role)


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _key(digest: str) -> str:
    return f"token:{digest}"


def _of_tenant(tenant: str) -> str:
    return f"tokens:{tenant}"
