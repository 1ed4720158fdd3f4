"""The OpenAPI 3.1 document, made from the table of addresses and the shapes themselves. Pure."""

from __future__ import annotations

import re
from inspect import getdoc
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from gateway import __version__
from gateway.api.bodies import ASK_ID, RUN_ID, UUID, Nothing
from gateway.api.endpoints import KEY_HEADER
from gateway.api.events import LAST_EVENT_ID
from gateway.api.limits import MAX_KEY
from gateway.api.parts import RPC_PREFIX
from gateway.api.routes import ENDPOINTS, OPEN, STREAM
from gateway.api.shapes import ErrorShape, EventShape
from gateway.store import EventType, Group

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pydantic import BaseModel
    from pydantic.json_schema import JsonSchemaMode

    from gateway.api.endpoints import Endpoint

    Refs = Mapping[Any, dict[str, Any]]  # by model and mode

EVERYWHERE = (400, 401, 403, 408, 413, 415, 421, 500, 503)
"""Refusals that any address with a token can answer with."""

EVERYWHERE_RPC = (400, 401, 403, 415, 421, 429, 500, 503, 504)
"""The same in Connect's statuses (`errors.CONNECT`)."""

_WORDS = {
    200: "Done.",
    201: "Made.",
    204: "Done; nothing to tell.",
    400: "Not taken as it stands; `problems` says what is wrong.",
    401: "No token, or none that is known.",
    403: "This token may not.",
    404: "Not there, or not yours to know.",
    408: "The body did not arrive in time.",
    409: "It stands otherwise by now.",
    413: "Too large.",
    415: "Not JSON, or packed.",
    421: "Not a name of this gateway.",
    429: "Too many, or too large.",
    500: "A fault of the gateway.",
    503: "The store is away; nothing was recorded. Try again.",
    504: "The body did not arrive in time.",
}
_PATH_SCHEMAS: dict[str, dict[str, Any]] = {
    "run_id": {"type": "string", "pattern": RUN_ID},
    "ask_id": {"type": "string", "pattern": ASK_ID},
    "token_id": {"type": "string", "pattern": "^tok-[0-9a-f]{12}$"},
    "group": {"type": "string", "enum": list(Group)},
    "letter_id": {
        "type": "string",
        "pattern": f"^[0-9]+-[0-9]+([.](a-[0-9a-f]{{12}}|job-{UUID}))?$",
    },
}
_LINKS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "create_run": (
        "run_id",
        "$response.body#/id",
        ("open_ask", "read_run", "read_history", "read_chat", "follow_run", "end_run"),
    ),
    "open_ask": (
        "ask_id",
        "$response.body#/ask/id",
        ("read_ask", "read_result", "answer_ask", "decline_ask", "skip_ask", "cancel_ask"),
    ),
    "make_token": ("token_id", "$response.body#/token/id", ("revoke_token",)),
}
"""What an answer is good for: a parameter, where in the answer it stands, and who takes it."""

_TEMPLATE = "#/components/schemas/{model}"
_EVENT = {
    "type": "object",
    "description": "One event of the stream.",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+-[0-9]+$"},
        "event": {"enum": list(EventType)},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": _TEMPLATE.format(model=EventShape.__name__)},
        },
    },
}


def document() -> dict[str, Any]:
    """The whole document, as JSON values."""
    refs, definitions = models_json_schema(_models(), ref_template=_TEMPLATE)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in ENDPOINTS:
        operation = _operation(endpoint, refs)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    for place in OPEN:
        paths[place.path] = {
            "get": {
                "operationId": place.handle.__name__,
                "summary": getdoc(place.handle),
                "security": [],
                "responses": {
                    "200": _response(200, place.reply, refs),
                    **{str(code): _refused(code, refs) for code in (*place.refuses, 415, 421)},
                },
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "OZ gateway",
            "version": __version__,
            "description": (
                "Asks people questions for agents. Errors have one shape everywhere. What is asked "
                "and answered is there for callers who may see content."
            ),
        },
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": definitions["$defs"],
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _models() -> list[tuple[type[BaseModel], JsonSchemaMode]]:
    models: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {
        (ErrorShape, "serialization"): None
    }
    for endpoint in ENDPOINTS:
        models[endpoint.body, "validation"] = None
        models |= {
            (reply, "serialization"): None
            for reply in endpoint.replies.values()
            if isinstance(reply, type)
        }
    models |= {
        (place.reply, "serialization"): None for place in OPEN if isinstance(place.reply, type)
    }
    return list(models)


def _operation(endpoint: Endpoint[Any, Any], refs: Refs) -> dict[str, Any]:
    named = endpoint.handle.__name__
    everywhere = EVERYWHERE_RPC if endpoint.path.startswith(RPC_PREFIX) else EVERYWHERE
    operation: dict[str, Any] = {
        "operationId": named if endpoint.path.startswith(("/v1", "/oz")) else f"platform_{named}",
        "summary": getdoc(endpoint.handle),
        "parameters": [*_in_path(endpoint), *_in_query(endpoint), *_in_head(endpoint)],
        "responses": {
            **{str(code): _response(code, shape, refs) for code, shape in endpoint.replies.items()},
            **{str(code): _refused(code, refs) for code in (*everywhere, *endpoint.refuses)},
        },
    }
    _add_links(operation)
    if endpoint.method == "POST":
        fields = endpoint.body.model_fields.values()
        operation["requestBody"] = {
            "required": any(field.is_required() for field in fields),
            "content": {"application/json": {"schema": refs[endpoint.body, "validation"]}},
        }
    return operation


def _add_links(operation: dict[str, Any]) -> None:
    if operation["operationId"] not in _LINKS:
        return
    parameter, place, takers = _LINKS[operation["operationId"]]
    links = {name: {"operationId": name, "parameters": {parameter: place}} for name in takers}
    for code, response in operation["responses"].items():
        if code.startswith("2"):
            response["links"] = links


def _in_path(endpoint: Endpoint[Any, Any]) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", endpoint.path):
        yield {"name": name, "in": "path", "required": True, "schema": _PATH_SCHEMAS[name]}


def _in_query(endpoint: Endpoint[Any, Any]) -> Iterable[dict[str, Any]]:
    if endpoint.query is Nothing:
        return
    for name, schema in endpoint.query.model_json_schema()["properties"].items():
        # An address has no null: what is left out is not there.
        kinds = [kind for kind in schema.pop("anyOf", []) if kind.get("type") != "null"]
        schema.pop("default", None)
        yield {"name": name, "in": "query", "schema": {**schema, **(kinds[0] if kinds else {})}}


def _in_head(endpoint: Endpoint[Any, Any]) -> Iterable[dict[str, Any]]:
    if endpoint.keyed:
        yield {
            "name": KEY_HEADER,
            "in": "header",
            "description": "The id of this try: the same try again is the same call.",
            "schema": {"type": "string", "pattern": f"^[!-~]{{1,{MAX_KEY}}}$"},
        }
    if STREAM in endpoint.replies.values():
        yield {
            "name": LAST_EVENT_ID,
            "in": "header",
            "description": "The last event seen; those after it are told.",
            "schema": {"type": "string", "pattern": "^[0-9]{1,20}(-[0-9]{1,20})?$"},
        }


def _response(code: int, shape: type[BaseModel] | str | None, refs: Refs) -> dict[str, Any]:
    told: dict[str, Any] = {"description": _WORDS[code]}
    if shape == STREAM:
        told["content"] = {STREAM: {"schema": _EVENT}}
    elif isinstance(shape, str):
        told["content"] = {shape: {"schema": {"type": "string"}}}
    elif shape is not None:
        told["content"] = {"application/json": {"schema": refs[shape, "serialization"]}}
    return told


def _refused(code: int, refs: Refs) -> dict[str, Any]:
    return _response(code, ErrorShape, refs)
