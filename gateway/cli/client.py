"""Calls the gateway's HTTP API, one call at a time.

On the standard library: a command makes two or three calls, and importing aiohttp would take twice
as long as all of them.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from gateway import __version__
from gateway.cli.connection import Connection, connection
from gateway.cli.events import ServerEvent, read_events
from gateway.cli.failure import Failure

TIMEOUT_S = 30.0
"""Ours: longer than any call without `wait` takes, Redis's own 5 s included."""

SILENCE_S = 90.0
"""Ours: three of the stream's signs of life; after that the line is dead."""

TRIES = 4
PAUSES_S = (0.2, 0.8, 2.0)
"""Ours: a failover takes a second or two. Only what may be done twice is tried again: reading, and
what carries an Idempotency-Key."""

UNAUTHORIZED, UNAVAILABLE = 401, 503


class Client:
    """One gateway, by one token. Use with `with`."""

    def __init__(self, to: Connection | None = None) -> None:
        self._to = to or connection()
        parts = urlsplit(self._to.url)
        self._secure, self._port = parts.scheme == "https", parts.port
        self._host = parts.hostname or ""
        self._base = parts.path
        self._line: HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._line is not None:
            self._line.close()

    def get(self, path: str, **query: str | int | None) -> Any:
        """The answer's JSON. Raises: Failure."""
        told = {name: value for name, value in query.items() if value is not None}
        return self._call("GET", f"{path}?{urlencode(told)}" if told else path)

    def post(self, path: str, body: Mapping[str, Any] | str, *, key: str | None = None) -> Any:
        """The answer's JSON. Raises: Failure.

        Args:
            path: from the base address on.
            body: what to send; a text is JSON already.
            key: makes the call safe to repeat.
        """
        payload = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        headers = {"Idempotency-Key": key} if key else {}
        return self._call("POST", path, payload.encode("utf-8", "surrogatepass"), headers)

    def delete(self, path: str) -> Any:
        """The answer's JSON, None where there is none. Raises: Failure."""
        return self._call("DELETE", path)

    def events(self, path: str, after: str | None) -> Iterator[ServerEvent]:
        """The stream's events from just after that id, until the server ends it.

        Raises: Failure for a refusal; ConnectionError where the line broke, to be opened again.
        """
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": after} if after else {})
        with closing(self._open(SILENCE_S)) as line:
            try:
                response = self._send(line, "GET", path, None, headers)
                if response.status >= 400:
                    raise _refusal(response.status, response.read())
                yield from read_events(response)
            except (OSError, HTTPException) as error:
                raise ConnectionError(str(error)) from error

    def _call(
        self,
        method: str,
        path: str,
        payload: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        tries = TRIES if method == "GET" or headers else 1
        for left in reversed(range(tries)):
            try:
                self._line = self._line or self._open(TIMEOUT_S)
                response = self._send(self._line, method, path, payload, headers or {})
                answer = response.read()
            except (OSError, HTTPException) as error:
                self._hang_up()
                # Nobody listens there: that does not pass in a second, unlike a broken line.
                if isinstance(error, ConnectionRefusedError | socket.gaierror) or not left:
                    raise self.unreachable() from error
            else:
                if response.status != UNAVAILABLE or not left:
                    return _read(response.status, answer)
            time.sleep(PAUSES_S[tries - 1 - left])
        raise AssertionError("the last try returns or raises")

    def _open(self, timeout: float) -> HTTPConnection:
        kind = HTTPSConnection if self._secure else HTTPConnection
        return kind(self._host, self._port, timeout=timeout)

    def _send(
        self,
        line: HTTPConnection,
        method: str,
        path: str,
        payload: bytes | None,
        headers: Mapping[str, str],
    ) -> HTTPResponse:
        sent = {
            "Authorization": f"Bearer {self._to.token}",
            "Accept": "application/json",
            "User-Agent": f"oz0/{__version__}",  # by which the API knows this surface
        }
        if payload is not None:
            sent["Content-Type"] = "application/json"
        line.request(method, self._base + path, payload, sent | dict(headers))
        return line.getresponse()

    def _hang_up(self) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None

    def unreachable(self) -> Failure:
        """What to say where nobody answers."""
        return Failure(
            f"No gateway answers at {self._to.url}.",
            "Start one with `oz0 up`, or say where it is: OZ_URL.",
            body={"code": "unreachable", "message": f"No gateway answers at {self._to.url}."},
        )


def _read(status: int, answer: bytes) -> Any:
    if status >= 400:
        raise _refusal(status, answer)
    if not answer:
        return None
    body = _json(answer)
    if body is None:
        raise Failure("Whatever answers there is not a gateway.", "Look at OZ_URL.")
    return body


def _json(answer: bytes) -> Any:
    """What was answered; None for what is no JSON (the API never answers null)."""
    try:
        return json.loads(answer)
    except ValueError:
        return None


def _refusal(status: int, answer: bytes) -> Failure:
    """The API's error in words; something in between (a proxy) may have answered instead."""
    body = _json(answer)
    if not isinstance(body, dict) or not all(
        isinstance(body.get(name), str) for name in ("code", "message")
    ):
        return Failure(f"The gateway, or a proxy before it, answered {status}.", "Look at OZ_URL.")
    message, problems = body["message"], body.get("problems") or ()
    lines = tuple(
        f"{problem['path']}: {problem['message']}" if problem.get("path") else problem["message"]
        for problem in problems
        if problem["message"] not in message  # of one fault, the message often is that fault
    )
    how = ""
    if status == UNAUTHORIZED:
        how = (
            "Look at OZ_TOKEN; `oz0 token make` makes another, with an owner's or admin's token, "
            "and `oz0 up --new-token` where none is left."
        )
    elif status == UNAVAILABLE:
        how = "Nothing was recorded. Try again in a moment."
    return Failure(message, how, problems=lines, body=body)
