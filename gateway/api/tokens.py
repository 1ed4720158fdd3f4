"""Tokens: made, listed and revoked by admins and owners, over the API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiohttp import web

from gateway.api.endpoints import Call, reply
from gateway.api.shapes import NewToken, TokenList, TokenShape
from gateway.tokens import Grant

if TYPE_CHECKING:
    from gateway.api.bodies import GrantBody, Nothing
    from gateway.tokens import Token


async def make_token(call: Call[Nothing, GrantBody]) -> web.StreamResponse:
    """Makes a token; its secret is told this once."""
    body, caller = call.body, call.caller
    grant = Grant(
        name=body.name,
        role=body.role,
        content=body.content,
        answer=body.answer,
        agent=body.agent,
        person=body.person,
    )
    token, secret = await call.parts.tokens.make(caller.tenant, grant, caller)
    return reply(201, NewToken(token=_shape(token), secret=secret))


async def list_tokens(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """The tenant's tokens, by name; no secret is kept that could be told."""
    tokens = await call.parts.tokens.list(call.caller.tenant, call.caller)
    return reply(200, TokenList(tokens=tuple(_shape(token) for token in tokens)))


async def revoke_token(call: Call[Nothing, Nothing]) -> web.StreamResponse:
    """Ends a token."""
    token_id = call.request.match_info["token_id"]
    await call.parts.tokens.revoke(call.caller.tenant, token_id, call.caller)
    return web.Response(status=204)


def _shape(token: Token) -> TokenShape:
    grant = token.grant
    return TokenShape(
        id=token.id,
        name=grant.name,
        role=grant.role,
        content=grant.content,
        answer=grant.answer,
        agent=grant.agent,
        person=grant.person,
        made_at=token.made_at,
        made_by=token.made_by,
    )
