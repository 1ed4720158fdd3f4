"""Slack for tests: a workspace on a free port that the real SDK talks to, and people in it."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from aiohttp import web

from channels.testing.platform import Call, Platform, cut
from channels.testing.slack import payloads
from channels.testing.slack.acting import Acting
from channels.testing.slack.api import Api
from channels.testing.slack.delivery import EVENT, Carrier
from channels.testing.slack.manifest import export
from channels.testing.slack.rules import Rules
from channels.testing.slack.workspace import Conversation, Life, Refused, User, Workspace

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from types import TracebackType

    from channels.testing.platform import Fault
    from channels.testing.slack.delivery import Delivery

TEAM, APP, BOT, BOT_NAME = "T0001", "A0001", "UOZ", "OZ"
REPLY_URL_USES = 5
"""Slack's: posts to one `response_url`."""
SUBSCRIPTIONS = {
    "channel": ("message.channels", "channels:history"),
    "group": ("message.groups", "groups:history"),
    "mpim": ("message.mpim", "mpim:history"),
    "im": ("message.im", "im:history"),
}
"""Kind of conversation → the event an app subscribes to, and the scope it needs for it."""


class Slack(Acting, Platform):
    """One workspace with one app. Point the SDK's `base_url` at `api_url`.

    Args:
        token, app_token, signing_secret: the app's; all others are refused.
        ack_s: how long Slack waits for an acknowledgement.
        retries_s: the waits before an event is brought again.
        trigger_s: how long a `trigger_id` is good.
        reply_url_s: how long a `response_url` is good.
        clock: Slack's own, in seconds since 1970; timestamps of messages are made by it.

    `rules` says how the app is set up: scopes, subscriptions, a revoked token, the pace of posts.
    """

    name = "slack"

    def __init__(
        self,
        *,
        token: str = "xoxb-oz",  # noqa: S107 - of no account anywhere
        app_token: str = "xapp-oz",  # noqa: S107
        signing_secret: str = "of the fake workspace",  # noqa: S107
        ack_s: float = 3.0,
        retries_s: tuple[float, ...] = (0.0, 60.0, 300.0),
        trigger_s: float = 3.0,
        reply_url_s: float = 1800.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.rules = Rules(token, app_token)
        self.signing_secret = signing_secret
        bot = User(BOT, BOT_NAME, TEAM, bot=True)
        life = Life(trigger_s, reply_url_s, REPLY_URL_USES)
        self.space = Workspace(TEAM, APP, bot, life, clock)
        self.api = Api(self.space, self.rules, self._emit)
        self.carrier = Carrier(
            self.space, signing_secret, ack_s, retries_s, self._late, self.changed
        )
        self._kept_back: list[dict[str, Any]] | None = None

    # The workspace

    @property
    def api_url(self) -> str:
        """What the SDK calls `base_url`."""
        return f"{self.url}/api/"

    @property
    def pings(self) -> list[tuple[str, str]]:
        """Whom the bot's messages called: conversation; account, `here`, `channel`, group."""
        return self.api.pings

    @property
    def previews(self) -> list[tuple[str, str]]:
        """What was fetched to be shown beside the bot's messages: conversation, address."""
        return self.api.previews

    @property
    def deliveries(self) -> list[Delivery]:
        """All that was brought to the app, tried in vain or not, oldest first."""
        return self.carrier.deliveries

    def person(self, account: str, name: str, **more: Any) -> str:
        """Adds somebody; `more` are other values of `User`. Their id."""
        self.space.users[account] = User(account, name, **{"team": TEAM, **more})
        return account

    def channel(
        self, conversation: str, members: tuple[str, ...] = (), *, name: str = "", bot: bool = True
    ) -> str:
        """Adds a public channel, with the bot in it or not. Its id."""
        return self._add(
            Conversation(conversation, name or conversation, "channel", set(members), bot)
        )

    def group(
        self, conversation: str, members: tuple[str, ...] = (), *, name: str = "", bot: bool = True
    ) -> str:
        """Adds a private channel. Its id."""
        return self._add(
            Conversation(conversation, name or conversation, "group", set(members), bot)
        )

    def dm(self, account: str) -> str:
        """The id of the bot's conversation with that person."""
        return self.space.dm(account).id

    def remove_bot(self, conversation: str) -> None:
        """Somebody takes the bot out of a conversation."""
        self.space.conversation(conversation).bot = False

    def archive(self, conversation: str) -> None:
        self.space.conversation(conversation).archived = True

    def delete_conversation(self, conversation: str) -> None:
        del self.space.conversations[conversation]

    def revoke(self, code: str = "token_revoked") -> None:
        """From now on every call is refused with that code; the last event says so, if revoked."""
        if code == "token_revoked" and "tokens_revoked" in self.rules.events:
            self.emit({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [BOT]}})
        self.rules.dead = code

    def _add(self, made: Conversation) -> str:
        self.space.conversations[made.id] = made
        return made.id

    def settings(self, mode: str = "socket") -> dict[str, Any]:
        """The `[channel.slack]` table of a gateway that talks to this workspace."""
        table = {
            "bot_token": self.rules.token,
            "config_token": self.rules.config_token,
            "mode": mode,
            "api_url": self.api_url,
        }
        if mode == "socket":
            return table | {"app_token": self.rules.app_token}
        return table | {"signing_secret": self.signing_secret}

    # How things are brought

    async def subscribe(self, url: str) -> None:
        """From now on all comes by HTTP to `url`. Raises: ValueError: the challenge failed."""
        if not await self.carrier.verify(url):
            raise ValueError(f"{url} did not answer the challenge")
        self.carrier.request_url = url

    @property
    def connections(self) -> int:
        """How many sockets are open and not asked to leave."""
        return sum(not one.leaving for one in self.carrier.sockets)

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Asks the app to reconnect; `reason` as Slack has them: `warning`, `link_disabled`, …"""
        await self.carrier.refresh(reason)

    def drop(self) -> None:
        """Breaks the sockets without a word."""
        self.carrier.drop()

    async def again(self, made: Delivery) -> None:
        """Brings something once more, though it was acknowledged: a duplicate."""
        await self.carrier.once(made.kind, made.payload, made.attempt + 1, "timeout")

    @asynccontextmanager
    async def backwards(self) -> AsyncGenerator[None, None]:
        """Events that happen in here are brought at the end, the last one first."""
        self._kept_back = []
        try:
            yield
        finally:
            kept, self._kept_back = self._kept_back, None
            for payload in reversed(kept):
                await self._event(payload)

    def emit(self, inner: dict[str, Any]) -> None:
        """Brings any event, whether the app subscribed to it or not."""
        payload = payloads.event(self.space, inner)
        if self._kept_back is None:
            self.spawn(self._event(payload))
        else:
            self._kept_back.append(payload)

    async def open_home(self, account: str) -> None:
        """Somebody looks at the app's Home."""
        if "app_home_opened" in self.rules.events:
            self.emit(payloads.home_event(self.space, account, self.space.homes.get(account)))

    def _emit(self, inner: dict[str, Any], conversation: str) -> None:
        """Brings an event if the app gets it."""
        where = self.space.conversations[conversation]
        event, scope = SUBSCRIPTIONS[where.kind]
        if inner["type"] != "message":
            event, scope = inner["type"], "app_mentions:read"
        wanted = event in self.rules.events and scope in self.rules.scopes
        if where.bot and wanted and self.rules.dead is None:
            self.emit(inner)

    async def _event(self, payload: dict[str, Any]) -> None:
        async for answer in self.carrier.event(payload):
            if answer.heard:
                said = {"kind": EVENT, "type": payload["event"]["type"], "body": answer.body}
                await self.note(Call("ack", said, answer.at, answer.failure))

    async def _late(self, said: Any, at: float) -> None:
        await self.note(Call("ack", {"said": said}, at, "late"))

    # The server

    def routes(self, app: web.Application) -> None:
        app.router.add_route("*", "/api/{method}", self._api)
        app.router.add_get("/socket", self.carrier.socket)
        app.router.add_post("/reply/{ticket}", self._reply)

    @asynccontextmanager
    async def outage(self) -> AsyncGenerator[None, None]:
        """See `Platform.outage`; sockets break as well."""
        async with super().outage():
            self.drop()
            yield

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.carrier.close()
        await super().__aexit__(kind, error, traceback)

    async def _api(self, request: web.Request) -> web.StreamResponse:
        at = asyncio.get_running_loop().time()
        method, (args, token) = request.match_info["method"], await _arguments(request)
        fault = await self.fault(method)
        if fault is not None and not fault.lost:
            await self.note(Call(method, args, at, f"http_{fault.status}"))
            return faulty(fault)
        status, headers, refused = (
            200,
            {"x-oauth-scopes": ",".join(sorted(self.rules.scopes))},
            None,
        )
        try:
            answer = {"ok": True, **self._called(method, args, token)}
        except Refused as said:
            refused = said.code
            answer = {"ok": False, "error": said.code, **said.extra}
            if said.problems:
                answer |= {"errors": said.problems}
                told = [f"[ERROR] {one}" for one in said.problems]
                answer |= {"response_metadata": {"messages": told}}
            if said.code == "ratelimited":
                status = 429
                headers["Retry-After"] = str(answer.pop("retry_after"))
        await self.note(Call(method, args, at, refused))
        if fault is not None:
            cut(request)
        return web.json_response(answer, status=status, headers=headers)

    def _called(self, method: str, args: dict[str, Any], token: str | None) -> dict[str, Any]:
        if method == "apps.manifest.export":
            return {"manifest": export(self.rules, args, token, APP, self.carrier.request_url)}
        if method != "apps.connections.open":
            return self.api.call(method, args, token)
        if token != self.rules.app_token:
            raise Refused("not_allowed_token_type" if token == self.rules.token else "invalid_auth")
        if "connections:write" not in self.rules.app_scopes:
            raise Refused("missing_scope", needed="connections:write", provided="")
        ticket = uuid4().hex
        self.carrier.tickets.add(ticket)
        return {"url": f"{self.url.replace('http', 'ws', 1)}/socket?ticket={ticket}&app_id={APP}"}

    async def _reply(self, request: web.Request) -> web.StreamResponse:
        at = asyncio.get_running_loop().time()
        args, _ = await _arguments(request)
        fault = await self.fault("response_url")
        if fault is not None and not fault.lost:
            await self.note(Call("response_url", args, at, f"http_{fault.status}"))
            return faulty(fault)
        refused, status = None, 200
        try:
            self.answer(request.match_info["ticket"], args)
        except Refused as said:
            refused = said.code
            status = 404 if said.code.endswith("_url") else 400
        await self.note(Call("response_url", args, at, refused))
        if fault is not None:
            cut(request)
        answer = {"ok": True} if refused is None else {"ok": False, "error": refused}
        return web.json_response(answer, status=status)


def faulty(fault: Fault) -> web.Response:
    """What a fault answers; 429 as Slack words it, unless the fault says otherwise."""
    if fault.body is None and fault.status == 429:
        headers = {"Retry-After": "1", **fault.headers}
        answer = {"ok": False, "error": "ratelimited"}
        return web.json_response(answer, status=429, headers=headers)
    if isinstance(fault.body, str):
        return web.Response(text=fault.body, status=fault.status or 500, headers=fault.headers)
    return web.json_response(fault.body or {}, status=fault.status or 500, headers=fault.headers)


async def _arguments(request: web.Request) -> tuple[dict[str, Any], str | None]:
    """The arguments of a call, JSON or form, and its token."""
    args: dict[str, Any] = dict(request.query)
    text = await request.text()
    if request.content_type == "application/json" and text:
        args |= json.loads(text)
    elif text:
        args |= dict(await request.post())
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return args, token if kind == "Bearer" else args.get("token")
