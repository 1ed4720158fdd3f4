"""The first token of each tenant: made once, kept in the data folder for this user alone.

It is remembered as made only once it is safely in its file, so that a gateway killed in between
makes another instead of locking everybody out.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from gateway.cli.connection import TOKEN_FILE
from gateway.cli.failure import Failure
from gateway.person import Role
from gateway.tokens import Grant

if TYPE_CHECKING:
    from gateway.person import Tenant
    from gateway.store import Index
    from gateway.tokens import Tokens

NAME = "admin"
"""What records call it: `owner:admin`."""

TURN = timedelta(seconds=30)
"""Ours: gateways that start together on a new store take turns; one that died gives its turn up."""


@dataclass(frozen=True, slots=True)
class FirstToken:
    """A token that was just made; nobody is shown its secret again."""

    tenant: str
    path: Path
    secret: str = field(repr=False)


async def make_first_tokens(
    index: Index, tokens: Tokens, tenants: Sequence[Tenant], folder: Path, *, anew: bool = False
) -> tuple[FirstToken, ...]:
    """Those made now: () from the second start on, unless they are to be made anew; the ones before
    them end then.

    Raises: Failure, Unavailable.
    """
    made = []
    for n, tenant in enumerate(tenants):
        done = f"first-token:{tenant.id}"
        if not anew and not await _is_our_turn(index, done):
            continue
        secret = await _make(tokens, tenant.id)
        path = folder / (TOKEN_FILE if n == 0 else f"{TOKEN_FILE}-{tenant.id}")
        _keep(path, secret)
        await index.put(done, "made")
        made.append(FirstToken(tenant.id, path, secret))
    return tuple(made)


async def _is_our_turn(index: Index, done: str) -> bool:
    if await index.look(done) is not None:
        return False
    mine = secrets.token_hex(8)
    return await index.bind(f"{done}:turn", mine, TURN) == mine


async def _make(tokens: Tokens, tenant: str) -> str:
    """The secret of a new owner's token; one that a killed gateway left unkept goes."""
    for token in await tokens.list(tenant):
        if token.made_by is None and (token.grant.role, token.grant.name) == (Role.OWNER, NAME):
            await tokens.revoke(tenant, token.id)
    _, secret = await tokens.make(tenant, Grant(name=NAME, role=Role.OWNER, content=True))
    return secret


def _keep(path: Path, secret: str) -> None:
    """Writes the file whole or not at all, readable by this user only."""
    new = path.with_name(f"{path.name}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:  # noqa: PTH123
            file.write(f"{secret}\n")
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError as error:
        raise Failure(f"Cannot keep the first token in {path}: {error.strerror}.") from error
