"""What every handler works with, made in `cli` and put into the application once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from gateway.person import Caller

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gateway.broker import Broker
    from gateway.config import Settings
    from gateway.metrics import Metrics
    from gateway.people import People
    from gateway.person import Tenant
    from gateway.posts import Posts
    from gateway.routes import Route
    from gateway.store import Store
    from gateway.tokens import Tokens
    from gateway.waiting import Waiters

RPC_PREFIX = "/oz.v1."
"""Paths that speak Connect: its codes, its statuses."""


@dataclass(frozen=True, slots=True)
class Parts:
    """`tenants` are by id."""

    broker: Broker
    store: Store
    people: People
    tenants: Mapping[str, Tenant]
    tokens: Tokens
    waiters: Waiters
    metrics: Metrics
    settings: Settings
    posts: Posts
    routes: Sequence[Route] = ()


PARTS = web.AppKey("parts", Parts)
CALLER = web.RequestKey("caller", Caller)


def zone_of(parts: Parts, caller: Caller) -> str | None:
    """The answerer's time zone: their own, else their tenant's."""
    if caller.person is not None and caller.person.zone is not None:
        return caller.person.zone
    tenant = parts.tenants.get(caller.tenant)
    return tenant.zone if tenant else None
