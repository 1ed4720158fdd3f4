"""How Slack brings things to an app: by Socket Mode or by signed requests, and again if need be.

An attempt that is not acknowledged in time failed; only events are brought again.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from uuid import uuid4

from aiohttp import ClientError, ClientSession, ClientTimeout, WSMsgType, web

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from channels.testing.slack.workspace import Workspace

EVENT, ACTION, COMMAND = "events_api", "interactive", "slash_commands"
MOST_SOCKETS = 10
"""Slack's: connections of one app."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the app said. `failure` is Slack's word for an attempt that came to nothing.

    `heard`: something came from the app, be it a failure.
    """

    at: float
    body: Any = None
    failure: str | None = None
    heard: bool = True
    final: bool = False
    """The app asked for no more attempts."""


@dataclass(slots=True)
class Delivery:
    """One attempt to bring something. `answer` is there once it is over."""

    kind: str
    payload: dict[str, Any]
    attempt: int = 0
    reason: str | None = None
    answer: Answer | None = None


@dataclass(slots=True, eq=False)
class Socket:
    ws: web.WebSocketResponse
    request: web.Request
    leaving: bool = False


@dataclass(slots=True)
class Carrier:
    """Both ways in. `request_url` set: by HTTP; else by whatever sockets are open."""

    space: Workspace
    secret: str
    ack_s: float
    retries_s: tuple[float, ...]
    late: Callable[[Any, float], Awaitable[None]]
    """Told of acknowledgements that nobody waits for any more."""
    changed: Callable[[], Awaitable[None]]
    request_url: str | None = None
    deliveries: list[Delivery] = field(default_factory=list)
    sockets: list[Socket] = field(default_factory=list)
    tickets: set[str] = field(default_factory=set)
    _waiting: dict[str, asyncio.Future[Answer]] = field(default_factory=dict)
    _arrival: asyncio.Event = field(default_factory=asyncio.Event)
    _session: ClientSession | None = None

    async def event(self, payload: dict[str, Any]) -> AsyncIterator[Answer]:
        """Brings an event until it is acknowledged, or Slack gives up; each answer."""
        answer = await self.once(EVENT, payload)
        yield answer
        for attempt, wait_s in enumerate(self.retries_s, 1):
            if answer.failure is None or answer.final:
                return
            await asyncio.sleep(wait_s)
            answer = await self.once(EVENT, payload, attempt, answer.failure)
            yield answer

    async def once(
        self, kind: str, payload: dict[str, Any], attempt: int = 0, reason: str | None = None
    ) -> Answer:
        """One attempt, to its end."""
        made = Delivery(kind, payload, attempt, reason)
        self.deliveries.append(made)
        url = self.request_url
        answer = await (self._by_socket(made) if url is None else self._by_http(made, url))
        made.answer = answer
        await self.changed()
        return answer

    async def close(self) -> None:
        for one in self.sockets:
            await one.ws.close()
        if self._session is not None:
            await self._session.close()

    # Socket Mode

    async def socket(self, request: web.Request) -> web.WebSocketResponse:
        """One connection, until it ends."""
        ws = web.WebSocketResponse()
        ticket = request.query.get("ticket", "")
        if ticket not in self.tickets:
            raise web.HTTPForbidden
        self.tickets.remove(ticket)
        await ws.prepare(request)
        if len(self.sockets) >= MOST_SOCKETS:
            await ws.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await ws.close()
            return ws
        one = Socket(ws, request)
        self.sockets.append(one)
        try:
            await ws.send_json(self._hello())
            self._arrival.set()
            await self.changed()
            async for message in ws:
                if message.type is WSMsgType.TEXT:
                    await self._heard(message.data)
        finally:
            self.sockets.remove(one)
            await self.changed()
        return ws

    async def refresh(self, reason: str) -> None:
        """Asks all connections to make new ones. Nothing more is sent to these."""
        for one in self.sockets:
            one.leaving = True
            await one.ws.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": "fake"}}
            )

    def drop(self) -> None:
        """Breaks all connections without a word."""
        for one in self.sockets:
            one.leaving = True
            if one.request.transport is not None:
                one.request.transport.abort()

    def _hello(self) -> dict[str, Any]:
        return {
            "type": "hello",
            "num_connections": len(self.sockets),
            "debug_info": {
                "host": "fake",
                "build_number": 1,
                "approximate_connection_time": 18_060,
            },
            "connection_info": {"app_id": self.space.app},
        }

    async def _by_socket(self, made: Delivery) -> Answer:
        loop = asyncio.get_running_loop()
        name = str(uuid4())
        envelope = {
            "envelope_id": name,
            "type": made.kind,
            "payload": made.payload,
            "accepts_response_payload": made.kind != EVENT,
        }
        if made.kind == EVENT:
            envelope |= {"retry_attempt": made.attempt, "retry_reason": made.reason or ""}
        answer: asyncio.Future[Answer] = loop.create_future()
        self._waiting[name] = answer
        try:
            async with asyncio.timeout(self.ack_s):
                await self._send(envelope)
                return await answer
        except TimeoutError:
            return Answer(loop.time(), failure="timeout", heard=False)
        finally:
            del self._waiting[name]

    async def _send(self, envelope: dict[str, Any]) -> None:
        """Sends to any one connection, once there is one that takes it."""
        while True:
            open_now = [one for one in self.sockets if not (one.leaving or one.ws.closed)]
            if open_now:
                try:
                    await random.choice(open_now).ws.send_json(envelope)  # noqa: S311
                except ConnectionError:
                    continue
                return
            self._arrival.clear()
            await self._arrival.wait()

    async def _heard(self, text: str) -> None:
        at = asyncio.get_running_loop().time()
        try:
            said = json.loads(text)
            waiting = self._waiting.get(said["envelope_id"])
        except (ValueError, KeyError, TypeError):
            await self.late({"text": text}, at)
            return
        if waiting is None or waiting.done():
            await self.late(said, at)
        else:
            waiting.set_result(Answer(at, said.get("payload")))

    # HTTP

    async def verify(self, url: str) -> bool:
        """Whether whoever is at `url` answers Slack's challenge."""
        challenge = uuid4().hex
        body = {"token": "", "challenge": challenge, "type": "url_verification"}
        answer = await self._request(url, json.dumps(body), "application/json", {})
        said = answer.body
        return challenge == (said.get("challenge") if isinstance(said, dict) else said)

    def signed(self, body: str) -> dict[str, str]:
        """The headers by which the app knows that a request is Slack's."""
        at = str(self.space.seconds())
        made = hmac.new(self.secret.encode(), f"v0:{at}:{body}".encode(), hashlib.sha256)
        return {"X-Slack-Request-Timestamp": at, "X-Slack-Signature": f"v0={made.hexdigest()}"}

    async def _by_http(self, made: Delivery, url: str) -> Answer:
        form = "application/x-www-form-urlencoded"
        match made.kind:
            case "events_api":
                body, content = json.dumps(made.payload), "application/json"
            case "interactive":
                body, content = urlencode({"payload": json.dumps(made.payload)}), form
            case _:
                fields = {key: value for key, value in made.payload.items() if value is not None}
                body, content = urlencode(fields), form
        headers = {}
        if made.attempt:
            headers["X-Slack-Retry-Num"] = str(made.attempt)
            headers["X-Slack-Retry-Reason"] = made.reason or "unknown_error"
        return await self._request(url, body, content, headers)

    async def _request(self, url: str, body: str, content: str, headers: dict[str, str]) -> Answer:
        if self._session is None:
            self._session = ClientSession()
        loop = asyncio.get_running_loop()
        headers = {**headers, **self.signed(body), "Content-Type": content}
        try:
            async with self._session.post(
                url,
                data=body.encode(),
                headers=headers,
                allow_redirects=False,
                timeout=ClientTimeout(self.ack_s),
            ) as answer:
                said = await answer.text()
                final = answer.headers.get("X-Slack-No-Retry") == "1"
                failure = None if answer.ok else "http_error"
                if answer.content_type == "application/json" and said:
                    return Answer(loop.time(), json.loads(said), failure, final=final)
                return Answer(loop.time(), said or None, failure, final=final)
        except TimeoutError:
            return Answer(loop.time(), failure="http_timeout", heard=False)
        except (ClientError, OSError):
            return Answer(loop.time(), failure="connection_failed", heard=False)
