"""What there is: the tools a model is offered, and the tenant's people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gateway import contracts
from gateway.api.endpoints import Call, reply
from gateway.api.shapes import PersonList, PersonShape, ToolList, ToolShape
from gateway.errors import NotAllowed
from gateway.person import Role
from gateway.tokens import MANAGING

if TYPE_CHECKING:
    from aiohttp import web

    from gateway.api.bodies import Nothing, ToolsQuery
    from gateway.person import Caller, Person


async def list_tools(call: Call[ToolsQuery, Nothing]) -> web.StreamResponse:
    """The tools' names, descriptions and schemas; for a run, those it is offered."""
    main_run = True
    if call.query.run_id is not None:
        main_run = (await call.parts.broker.run(call.caller, call.query.run_id)).run.parent is None
    offered = contracts.tools(main_run=main_run)
    return reply(200, ToolList(tools=tuple(ToolShape(**tool) for tool in offered)))


async def list_people(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """The tenant's people and what they may do."""
    if call.caller.role is Role.AGENT:
        raise NotAllowed("An agent's token does not list people.")
    people = call.parts.people.of_tenant(call.caller.tenant)
    return reply(200, PersonList(people=tuple(_shape(person, call.caller) for person in people)))


def _shape(person: Person, caller: Caller) -> PersonShape:
    private: dict[str, Any] = {}
    if caller.role in MANAGING:
        private = {"email": person.email, "identities": person.identities}
    return PersonShape(
        id=person.id,
        name=person.name,
        role=person.role,
        content=person.content,
        zone=person.zone,
        locale=person.locale,
        **private,
    )
