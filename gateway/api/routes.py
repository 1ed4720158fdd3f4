"""Every address of the API, in one table: the routes and the OpenAPI document come from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gateway.api import agents, approvals_rpc, asks, dead, health, listings, runs, shapes, tokens
from gateway.api import tries as end
from gateway.api.bodies import (
    AnswerBody,
    CommentBody,
    DecideApprovalBody,
    EndBody,
    GrantBody,
    ListApprovalsBody,
    Nothing,
    OpenBody,
    PageQuery,
    ReasonBody,
    ResumeBody,
    RunBody,
    ToolsQuery,
    WaitQuery,
)
from gateway.api.endpoints import Endpoint
from gateway.api.events import follow_run
from gateway.api.parts import RPC_PREFIX

if TYPE_CHECKING:
    from aiohttp import web

AGENT_PREFIXES = ("/v1", "/api/platform/v1")
"""Where `agents/…` stands: ours, and the third original's."""

STREAM = "text/event-stream"
PLAIN = "text/plain"


@dataclass(frozen=True, slots=True)
class Open:
    """An address that asks for no token: `reply` is a shape, or another type of content."""

    path: str
    handle: Callable[[web.Request], Awaitable[web.StreamResponse]]
    reply: type[shapes.Health] | str
    refuses: tuple[int, ...] = ()


OPEN = (
    Open("/healthz", health.healthz, shapes.Health),
    Open("/readyz", health.readyz, shapes.Health, (503,)),
    Open("/metrics", health.metrics, PLAIN),
)


def _ending(
    name: str, handle: Callable[[Any], Awaitable[web.StreamResponse]], body: type[Any]
) -> Endpoint[Nothing, Any]:
    return Endpoint(
        "POST",
        f"/v1/asks/{{ask_id}}/{name}",
        handle,
        Nothing,
        body,
        {200: shapes.OneAsk},
        (404, 409),
        keyed=name != "cancel",
    )


def _agents(prefix: str) -> tuple[Endpoint[Any, Any], ...]:
    path, reply = f"{prefix}/agents/{{run_id}}", {200: shapes.AgentRunShape}
    return (
        Endpoint("GET", path, agents.read_agent_run, Nothing, Nothing, reply, (404,)),
        Endpoint(
            "POST",
            f"{path}/resume",
            agents.resume,
            Nothing,
            ResumeBody,
            reply,
            (404, 409),
            keyed=True,
        ),
    )


def _rpc(
    name: str,
    handle: Callable[[Any], Awaitable[web.StreamResponse]],
    body: type[Any],
    reply: type[Any],
) -> Endpoint[Nothing, Any]:
    path = f"{RPC_PREFIX}Approvals/{name}"
    keyed = body is DecideApprovalBody
    return Endpoint("POST", path, handle, Nothing, body, {200: reply}, (404, 409), keyed=keyed)


ENDPOINTS: tuple[Endpoint[Any, Any], ...] = (
    Endpoint(
        "POST",
        "/v1/runs",
        runs.create_run,
        Nothing,
        RunBody,
        {201: shapes.RunShape, 200: shapes.RunShape},
        (404, 409),
        keyed=True,
    ),
    Endpoint(
        "GET", "/v1/runs/{run_id}", runs.read_run, Nothing, Nothing, {200: shapes.RunShape}, (404,)
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run_id}/end",
        runs.end_run,
        Nothing,
        EndBody,
        {200: shapes.RunShape},
        (404,),
    ),
    Endpoint(
        "GET",
        "/v1/runs/{run_id}/history",
        runs.read_history,
        Nothing,
        Nothing,
        {200: shapes.History},
        (404,),
    ),
    Endpoint(
        "GET",
        "/v1/runs/{run_id}/events",
        follow_run,
        Nothing,
        Nothing,
        {200: STREAM, 204: None},
        (404,),
    ),
    Endpoint(
        "GET",
        "/v1/runs/{run_id}/chat",
        runs.read_chat,
        Nothing,
        Nothing,
        {200: shapes.ChatShape},
        (404,),
    ),
    Endpoint(
        "POST",
        "/v1/runs/{run_id}/asks",
        asks.open_ask,
        WaitQuery,
        OpenBody,
        {201: shapes.StandingShape, 200: shapes.StandingShape},
        (404, 409, 429),
        keyed=True,
    ),
    Endpoint("GET", "/v1/asks", asks.list_asks, PageQuery, Nothing, {200: shapes.AskPage}, (404,)),
    Endpoint(
        "GET", "/v1/asks/{ask_id}", asks.read_ask, Nothing, Nothing, {200: shapes.OneAsk}, (404,)
    ),
    Endpoint(
        "GET",
        "/v1/asks/{ask_id}/result",
        asks.read_result,
        WaitQuery,
        Nothing,
        {200: shapes.StandingShape},
        (404,),
    ),
    _ending("answer", end.answer_ask, AnswerBody),
    _ending("approve", end.approve_ask, CommentBody),
    _ending("deny", end.deny_ask, CommentBody),
    _ending("decline", end.decline_ask, ReasonBody),
    _ending("skip", end.skip_ask, Nothing),
    _ending("cancel", end.cancel_ask, ReasonBody),
    *(endpoint for prefix in AGENT_PREFIXES for endpoint in _agents(prefix)),
    Endpoint(
        "GET", "/v1/tools", listings.list_tools, ToolsQuery, Nothing, {200: shapes.ToolList}, (404,)
    ),
    Endpoint("GET", "/v1/people", listings.list_people, Nothing, Nothing, {200: shapes.PersonList}),
    Endpoint("GET", "/v1/tokens", tokens.list_tokens, Nothing, Nothing, {200: shapes.TokenList}),
    Endpoint(
        "POST",
        "/v1/tokens",
        tokens.make_token,
        Nothing,
        GrantBody,
        {201: shapes.NewToken},
        (409, 429),
    ),
    Endpoint(
        "DELETE",
        "/v1/tokens/{token_id}",
        tokens.revoke_token,
        Nothing,
        Nothing,
        {204: None},
        (404,),
    ),
    Endpoint(
        "GET",
        "/v1/dead/{group}",
        dead.list_dead,
        Nothing,
        Nothing,
        {200: shapes.LetterList},
        (404,),
    ),
    Endpoint(
        "POST",
        "/v1/dead/{group}/{letter_id}/redrive",
        dead.redrive,
        Nothing,
        Nothing,
        {200: shapes.OneLetter},
        (404,),
    ),
    _rpc(
        "ListApprovals",
        approvals_rpc.list_approvals,
        ListApprovalsBody,
        shapes.ListApprovalsReply,
    ),
    _rpc(
        "DecideApproval",
        approvals_rpc.decide_approval,
        DecideApprovalBody,
        shapes.DecideApprovalReply,
    ),
)
