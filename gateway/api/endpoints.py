"""One address of the API: what it takes and answers, and the way from a request to its handler.

The table in `routes` is made of these; routing and the OpenAPI document both come from it, so that
they cannot differ.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, RootModel, ValidationError

from gateway.api import strict_json
from gateway.api.bodies import ASK_ID, RUN_ID, Nothing
from gateway.api.errors import HttpRefusal, answer
from gateway.api.incoming import read_body
from gateway.api.limits import MAX_KEY
from gateway.api.parts import CALLER, PARTS
from gateway.contracts.faults import MAX_PROBLEMS
from gateway.errors import BadRequest, NotFound, Problem, Unauthenticated

if TYPE_CHECKING:
    from aiohttp import web

    from gateway.api.parts import Parts
    from gateway.person import Caller

Q = TypeVar("Q", bound=BaseModel)
B = TypeVar("B", bound=BaseModel)

JSON = "application/json"
BEARER = "bearer "
KEY_HEADER = "Idempotency-Key"
_RUN_ID, _ASK_ID = re.compile(RUN_ID), re.compile(ASK_ID)


@dataclass(frozen=True, slots=True)
class Call(Generic[Q, B]):
    """One request, read: who calls, with which query and body."""

    parts: Parts
    request: web.Request
    caller: Caller
    query: Q
    body: B

    @property
    def run_id(self) -> str:
        """The run in the path. Raises: NotFound for what is no run's id."""
        return self._id("run_id", _RUN_ID, "run")

    @property
    def ask_id(self) -> str:
        """The ask in the path. Raises: NotFound for what is no ask's id."""
        return self._id("ask_id", _ASK_ID, "ask")

    @property
    def key(self) -> str | None:
        """The Idempotency-Key. Raises: BadRequest."""
        keys = self.request.headers.getall(KEY_HEADER, [])
        if not keys:
            return None
        key = keys[0].strip()
        if (
            len(keys) > 1
            or not 0 < len(key) <= MAX_KEY
            or not key.isascii()
            or not key.isprintable()
        ):
            raise BadRequest(f"{KEY_HEADER} takes 1 to {MAX_KEY} printable ASCII characters, once.")
        return key

    @property
    def surface(self) -> str:
        """Where this came from, as an outcome records it."""
        return "cli" if self.request.headers.get("User-Agent", "").startswith("oz0/") else "api"

    async def caller_now(self) -> Caller:
        """Who calls, after a wait: the token may have been revoked meanwhile.

        Raises: Unauthenticated, Unavailable.
        """
        return await caller_of(self.parts, self.request)

    def _id(self, name: str, pattern: re.Pattern[str], what: str) -> str:
        found = self.request.match_info[name]
        if not pattern.fullmatch(found):
            raise NotFound(f"There is no such {what}.")
        return found


@dataclass(frozen=True, slots=True)
class Endpoint(Generic[Q, B]):
    """`replies` are the shapes of success by status; `refuses` the statuses of refusals beyond
    those that every address has. `keyed` ones take an Idempotency-Key.
    """

    method: str
    path: str
    handle: Callable[[Call[Q, B]], Awaitable[web.StreamResponse]]
    query: type[Q]
    body: type[B]
    replies: Mapping[int, type[BaseModel] | str | None]
    refuses: tuple[int, ...] = ()
    keyed: bool = False

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """The handler's answer. Raises: GatewayError, for `errors.one_shape`."""
        parts = request.app[PARTS]
        caller = request[CALLER] = await caller_of(parts, request)
        query = _fit(self.query, _query_of(request), "query")
        body = Nothing() if self.method == "GET" else await _body_of(request, self.body)
        return await self.handle(Call(parts, request, caller, query, body))  # type: ignore[arg-type]


def reply(status: int, shape: BaseModel) -> web.Response:
    """A shape as JSON; keys that were not set are left out."""
    return answer(status, shape.model_dump(mode="json", exclude_unset=True))


async def caller_of(parts: Parts, request: web.Request) -> Caller:
    """Who calls. Raises: Unauthenticated, Unavailable."""
    sent = request.headers.getall("Authorization", [])
    if len(sent) != 1 or not sent[0].lower().startswith(BEARER):
        raise Unauthenticated("Send one Authorization header: Bearer, and a token of this gateway.")
    return await parts.tokens.caller_of(sent[0][len(BEARER) :].strip())


def _query_of(request: web.Request) -> dict[str, str]:
    given: dict[str, str] = {}
    for name, value in request.query.items():
        if name in given:
            raise BadRequest(
                "The query gives a name twice.",
                [Problem(strict_json.shown(name), "Is given twice.", "duplicate")],
            )
        given[name] = value
    return given


async def _body_of(request: web.Request, model: type[B]) -> B:
    raw = await read_body(request)
    if not raw:
        return _fit(model, {}, "body")
    if request.content_type != JSON or (request.charset or "utf-8").lower() not in (
        "utf-8",
        "utf8",
    ):
        raise HttpRefusal("invalid_argument", f"Send {JSON}, in UTF-8.", 415)
    return _fit(model, strict_json.read(raw), "body")


def _fit(model: type[B], value: object, what: str) -> B:
    """Raises: BadRequest, with every fault and no value."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        # The first part of a union's place is which of its branches was read.
        skip = 1 if issubclass(model, RootModel) else 0
        problems = [_problem(fault, skip) for fault in faults[:MAX_PROBLEMS]]
    first = problems[0]
    message = f"{first.path}: {first.message}" if first.path else first.message
    if len(problems) > 1:
        message = f"The {what} has {len(problems)} faults, of which the first is {message}"
    raise BadRequest(message, problems)


_WORDS = {
    "extra_forbidden": "Is not taken here.",
    "missing": "Is needed.",
    "model_type": "Must be an object.",
    "model_attributes_type": "Must be an object.",
    "tuple_type": "Must be a list.",
    "string_unicode": "Holds half of a surrogate pair, which is no character.",
}
"""Where pydantic's own words speak of Python."""


_BOUNDS = ("le", "ge", "lt", "gt", "max_length", "min_length")
"""Where pydantic keeps the bound that was broken."""


def _problem(fault: Mapping[str, Any], skip: int) -> Problem:
    said = fault["msg"].removeprefix("Value error, ").rstrip(".") + "."
    told = fault.get("ctx", {})
    limit = next((told[bound] for bound in _BOUNDS if bound in told), None)
    path = _path(fault["loc"][skip:])
    return Problem(path, _WORDS.get(fault["type"], said), fault["type"], limit)


def _path(place: tuple[str | int, ...]) -> str:
    """As `ladder[0].after`."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{strict_json.shown(part)}" if text else strict_json.shown(part)
    return text
