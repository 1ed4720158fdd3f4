"""Every error in one shape, and what HTTP and Connect call it.

The shape is `{"code", "message", "problems"?, …}`. A message never holds content; what stands
beside it passes the filter in `views`.
"""

from __future__ import annotations

import logging
import secrets
from typing import TYPE_CHECKING, Any

from aiohttp import web

from gateway.api import strict_json
from gateway.api.parts import CALLER, PARTS, RPC_PREFIX
from gateway.api.views import outcome_view
from gateway.errors import (
    AlreadySettled,
    AnswerError,
    AskInFlight,
    GatewayError,
    Problem,
    TooLarge,
    Unavailable,
)
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from gateway.person import Caller

STATUSES: Mapping[str, int] = {
    "invalid_argument": 400,
    "failed_precondition": 400,
    "unauthenticated": 401,
    "permission_denied": 403,
    "not_available": 403,
    "not_found": 404,
    "unimplemented": 405,
    "deadline_exceeded": 408,
    "conflict": 409,
    "ask_in_flight": 409,
    "already_settled": 409,
    "resource_exhausted": 413,
    "misdirected": 421,
    "internal": 500,
    "unavailable": 503,
}
"""The codes of `/v1`, and the HTTP status of each where nothing says otherwise."""

TOO_MANY = 429
"""A bound on how many, as against a body that is too large (413)."""

CONNECT: Mapping[str, tuple[str, int]] = {
    "already_settled": ("failed_precondition", 400),
    "conflict": ("aborted", 409),
    "ask_in_flight": ("failed_precondition", 400),
    "not_available": ("failed_precondition", 400),
    "resource_exhausted": ("resource_exhausted", 429),
    "deadline_exceeded": ("deadline_exceeded", 504),
}
"""Where Connect's codes and statuses differ from ours (Connect protocol, Error codes)."""

RETRY_AFTER_S = 1
"""Ours: a failover takes a second or two."""

_OF_HTTP = {404: "not_found", 405: "unimplemented"}

_log = logging.getLogger("gateway.api")


class HttpRefusal(GatewayError):
    """A request refused for its form. `status` where it is not the code's own."""

    def __init__(self, code: str, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.of_code = code
        self.status = STATUSES[code] if status is None else status


@web.middleware
async def one_shape(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    """Whatever is raised below leaves in the one shape."""
    try:
        return await handler(request)
    except GatewayError as error:
        _count(request, error)
        return refusal(error, request.get(CALLER), rpc=request.path.startswith(RPC_PREFIX))
    except web.HTTPException as error:
        return _of_http(error)
    except ConnectionError:
        raise  # the caller is gone, and nobody reads an answer
    except Exception as error:  # noqa: BLE001 - the last place that can keep it from the caller
        return _incident(request, error)


def refusal(error: GatewayError, caller: Caller | None, *, rpc: bool = False) -> web.Response:
    """The answer to a call that was refused."""
    code, status = _code_and_status(error, rpc=rpc)
    body: dict[str, Any] = {"code": code, "message": error.message}
    if error.problems:
        body["problems"] = [problem_json(problem) for problem in error.problems]
    if isinstance(error, AskInFlight):
        body["ask_id"] = error.ask_id
    if isinstance(error, AlreadySettled) and caller is not None:
        outcome = outcome_view(error.record, caller)
        body["ask_id"] = error.record.ask.id
        body["outcome"] = outcome and outcome.model_dump(mode="json", exclude_unset=True)
    response = answer(status, body)
    if code == "unauthenticated":
        response.headers["WWW-Authenticate"] = "Bearer"
    if code == "unavailable":
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    return response


def problem_json(problem: Problem) -> dict[str, Any]:
    """One fault; `limit` where a bound was broken."""
    told = {"path": problem.path, "message": problem.message, "code": problem.code}
    return told if problem.limit is None else {**told, "limit": problem.limit}


def answer(status: int, body: Any) -> web.Response:
    """A JSON response."""
    return web.Response(
        status=status, body=strict_json.write(body), content_type="application/json"
    )


def _count(request: web.Request, error: GatewayError) -> None:
    parts = request.app.get(PARTS)
    if parts is None:
        return  # the port of the platforms: nobody answers there in the API's words
    if isinstance(error, Unavailable):
        parts.metrics.unavailable.inc()
    elif isinstance(error, AnswerError):
        parts.metrics.refused.labels(error.code).inc()


def _code_and_status(error: GatewayError, *, rpc: bool) -> tuple[str, int]:
    if isinstance(error, HttpRefusal):
        code, status = error.of_code, error.status
    else:
        code = error.code
        status = TOO_MANY if isinstance(error, TooLarge) else STATUSES[code]
    return CONNECT.get(code, (code, status)) if rpc else (code, status)


def _of_http(error: web.HTTPException) -> web.Response:
    """Aiohttp's own refusals: no such route, no such method."""
    code = _OF_HTTP.get(error.status, "invalid_argument")
    words = {
        404: "There is nothing at this address; /openapi.json lists what there is.",
        405: "This address takes another method; see Allow.",
    }
    message = words.get(error.status, f"{error.reason}.")
    response = answer(error.status, {"code": code, "message": message})
    if "Allow" in error.headers:
        response.headers["Allow"] = error.headers["Allow"]
    return response


def _incident(request: web.Request, error: Exception) -> web.Response:
    """A fault of ours: the log has where, the caller a number to ask for it by."""
    incident = f"inc-{secrets.token_hex(6)}"
    route = request.match_info.route.resource
    event(
        _log,
        "api.failed",
        level=logging.ERROR,
        error=error,
        incident_id=incident,
        method=request.method,
        route=route.canonical if route else "",
    )
    message = f"Something is wrong in the gateway; its log has more under {incident}."
    return answer(500, {"code": "internal", "message": message, "incident_id": incident})
