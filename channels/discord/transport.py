"""Discord's socket and REST API, by discord.py; the only module that knows it.

Payloads are made in `render` and go out as they are; events come in as they were sent.
"""

from __future__ import annotations

import asyncio
import json
import logging
import warnings
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import aiohttp
import yarl

from channels.contract import Later, Missing, PostError, Shut, Unfit, Unreachable, Unsure
from channels.discord import commands, parse, render
from channels.discord.errors import ARCHIVED, FATAL_CLOSES, THREAD_ALONE, post_error
from channels.discord.incoming import Incoming
from gateway.log import event

with warnings.catch_warnings():
    # Python 3.11 and 3.12 warn of a module that discord.py imports for voice.
    warnings.simplefilter("ignore", DeprecationWarning)
    import discord
    from discord.gateway import DiscordWebSocket
    from discord.http import HTTPClient, Route
    from discord.webhook.async_ import AsyncWebhookAdapter

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence

    from aiohttp.web import AbstractRouteDef

    from channels.contract import Destination
    from channels.desk import Desk
    from channels.discord.parse import Ticket
    from channels.discord.settings import Settings
    from channels.drawing import Drawing

RETRACT_AFTER_S = 2.0
"""Ours: whoever answers in our place has done so by then; who acted sees "thinking" that long."""

LONGEST_WAIT_S = 30.0
"""The least that discord.py can be told: a longer wait is raised, and is the worker's to keep."""

CALL_S = 20.0
"""Ours: with its own tries and waits; a worker has the sole right to a place for 30 seconds."""

ANSWER_S = 20.0
"""Ours: an answer that takes longer is given up; its reader has."""

FINISH_S = 3.0
"""Ours: so long may what is in hand take when the channel stops; an answer has no longer."""

NONCE_BYTES = 12
"""24 hexadecimal digits, of the 25 characters that a nonce may have."""

REPOSTS = 8
"""Ours: times one post may be made anew, its earlier message deleted, within Discord's memory."""

HISTORY = 100
"""Messages in one page (documentation, "Get Channel Messages")."""

_log = logging.getLogger("channels.discord")


class Api:
    """Calls of the REST API. Each raises PostError, by the one table in `errors`."""

    def __init__(self, token: str) -> None:
        self._token = token
        self._entering = asyncio.Lock()
        self._http: HTTPClient | None = None
        self._hooks = AsyncWebhookAdapter()  # type: ignore[no-untyped-call]
        self._session: aiohttp.ClientSession | None = None

    async def create(self, conversation: str, payload: Mapping[str, Any]) -> Mapping[str, Any]:
        """Posts a message; the message."""
        path = "/channels/{channel_id}/messages"
        made: Mapping[str, Any] = await self._call("POST", path, payload, channel_id=conversation)
        return made

    async def edit(self, conversation: str, message: str, payload: Mapping[str, Any]) -> None:
        path = "/channels/{channel_id}/messages/{message_id}"
        await self._call("PATCH", path, payload, channel_id=conversation, message_id=message)

    async def reopen(self, thread: str) -> None:
        """Takes a thread out that was put away."""
        await self._call("PATCH", "/channels/{channel_id}", {"archived": False}, channel_id=thread)

    async def direct(self, account: str) -> str:
        """The chat of that account with us."""
        made = await self._call("POST", "/users/@me/channels", {"recipient_id": account})
        return str(made["id"])

    async def channel(self, conversation: str) -> Mapping[str, Any]:
        path = "/channels/{channel_id}"
        found: Mapping[str, Any] = await self._call("GET", path, channel_id=conversation)
        return found

    async def look_for(self, conversation: str, message: str) -> None:
        """Raises: PostError; `Missing` where it is gone."""
        path = "/channels/{channel_id}/messages/{message_id}"
        await self._call("GET", path, channel_id=conversation, message_id=message)

    async def after(self, conversation: str, message: str) -> Sequence[Mapping[str, Any]]:
        """All messages since that one, the oldest first."""
        found: list[Mapping[str, Any]] = []
        path = "/channels/{channel_id}/messages"
        while True:
            params = {"after": message, "limit": HISTORY}
            page = await self._call("GET", path, params=params, channel_id=conversation)
            found += reversed(page)
            if len(page) < HISTORY:
                return found
            message = found[-1]["id"]

    async def register(self, application: str) -> None:
        """Has `/oz` known, unless it is already."""
        path = "/applications/{application_id}/commands"
        known = await self._call("GET", path, application_id=application)
        if not commands.same(known):
            await self._call("PUT", path, commands.COMMANDS, application_id=application)

    async def first(self, ticket: Ticket, kind: int, payload: Mapping[str, Any] | None) -> None:
        """Gives an interaction its first answer."""
        path = "/interactions/{webhook_id}/{webhook_token}/callback"
        route = Route("POST", path, webhook_id=ticket.id, webhook_token=ticket.token)
        body: dict[str, Any] = {"type": kind}
        await self._hook(route, body if payload is None else body | {"data": payload})

    async def follow_up(self, ticket: Ticket, payload: Mapping[str, Any]) -> None:
        """Says more to whoever acted."""
        path = "/webhooks/{webhook_id}/{webhook_token}"
        route = Route("POST", path, webhook_id=ticket.application, webhook_token=ticket.token)
        await self._hook(route, payload)

    async def retract(self, ticket: Ticket) -> None:
        """Takes away that something was being thought about, if it still is."""
        path = "/webhooks/{webhook_id}/{webhook_token}/messages/@original"
        names = {"webhook_id": ticket.application, "webhook_token": ticket.token}
        # Another replica that heard the same may answer in its place, and what it says must not be
        # taken away between our look and the deletion: it has had its time when we look.
        await asyncio.sleep(RETRACT_AFTER_S)
        stands = await self._hook(Route("GET", path, **names), None)
        if stands["flags"] & render.LOADING:
            await self._hook(Route("DELETE", path, **names), None)

    async def enter(self) -> HTTPClient:
        """The client, logged in. Raises: PostError."""
        async with self._entering:
            if self._http is None:
                loop = asyncio.get_running_loop()
                http = HTTPClient(loop, max_ratelimit_timeout=LONGEST_WAIT_S)
                try:
                    with translated():
                        await http.static_login(self._token)
                except PostError:
                    await http.close()
                    raise
                self._http = http
        return self._http

    async def aclose(self) -> None:
        if self._http is not None:
            await self._http.close()
        if self._session is not None:
            await self._session.close()

    async def _call(
        self,
        verb: str,
        path: str,
        body: Any = None,
        *,
        params: Mapping[str, Any] | None = None,
        **names: str,
    ) -> Any:
        http = await self.enter()
        how: dict[str, Any] = {} if body is None else {"json": body}
        if params is not None:
            how["params"] = params
        with translated():
            async with asyncio.timeout(CALL_S):
                return await http.request(Route(verb, path, **names), **how)

    async def _hook(self, route: Route, payload: Mapping[str, Any] | None) -> Any:
        # Apart from the other calls, so that a limit those met never delays an answer.
        if self._session is None:
            # No limit of connections: at 50 presses a second each answer may take seconds.
            connector = aiohttp.TCPConnector(limit=0)
            timeout = aiohttp.ClientTimeout(total=ANSWER_S)
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        body = None if payload is None else dict(payload)
        with translated():
            return await self._hooks.request(route, self._session, payload=body)


class Socket(discord.Client):
    """The gateway's connection, which discord.py keeps and mends; every event is handed on raw."""

    def __init__(self, settings: Settings, take: Callable[[str, Any], None]) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)
        intents.message_content = settings.message_content
        super().__init__(
            intents=intents,
            enable_debug_events=True,
            max_messages=None,
            chunk_guilds_at_startup=False,
            member_cache_flags=discord.MemberCacheFlags.none(),
        )
        self._take = take
        # The library reads no event itself: one that it cannot read would end the connection.
        self._connection.parsers = {}

    async def on_socket_raw_receive(self, message: str) -> None:
        """One frame, before the library reads it."""
        frame = json.loads(message)
        if isinstance(frame, dict) and isinstance(frame.get("t"), str):
            self._take(frame["t"], frame.get("d"))

    async def on_error(self, event_method: str, /, *_args: Any, **_kwargs: Any) -> None:
        event(_log, "channel.event_failed", level=logging.ERROR, kind=event_method)


class Discord:
    """The transport. See `channels.contract.Transport`."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        self._settings = settings
        self._api = Api(settings.token.get_secret_value())
        self._tasks: set[asyncio.Task[None]] = set()
        self._incoming = Incoming(desk, self._api, self._spawn, lambda: datetime.now(UTC))
        # The library has its addresses for the whole process.
        Route.BASE = settings.api_url
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(settings.gateway_url)

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        alone = not where.direct and where.thread is None
        if alone and await self._incoming.is_thread(where.conversation):
            raise Unreachable(THREAD_ALONE)
        place = where.thread or where.conversation
        payloads = [*render.leading(drawing), render.post(drawing)]
        message = ""
        for number, payload in enumerate(payloads):
            message = await self._create_once(place, payload, f"{key} {place} {number}")
        return message, parse.moment_ms(message)

    async def _create_once(self, place: str, payload: Mapping[str, Any], key: str) -> str:
        """The message; the same again for the same key, as long as it stands."""
        for again in range(REPOSTS):
            try:
                made = await self._api.create(
                    place, {**payload, "nonce": nonce(f"{key} {again}"), "enforce_nonce": True}
                )
            except Missing:
                # Discord remembers a message of that nonce, which somebody deleted since.
                continue
            return str(made["id"])
        raise Unsure("10008")

    async def update(self, where: Destination, message: str, drawing: Drawing) -> None:
        place, payload = where.thread or where.conversation, render.post(drawing)
        try:
            await self._api.edit(place, message, payload)
        except Unfit as refused:
            if refused.code != str(ARCHIVED):
                raise
            await self._api.reopen(place)
            await self._api.edit(place, message, payload)

    async def note(
        self, where: Destination, message: str, text: str, *, only_under: bool = False
    ) -> None:
        place = where.thread or where.conversation
        reference = render.reference(message, only_under=only_under)
        for payload in render.note(text):
            try:
                await self._api.create(place, {**payload, "message_reference": reference})
            except Unfit:
                if only_under:
                    # Discord refuses the whole; whether it is the post that is wrong, it is asked.
                    await self._api.look_for(place, message)
                raise

    async def direct(self, account: str) -> str:
        return await self._api.direct(account)

    async def run(self) -> None:
        socket = Socket(self._settings, self._incoming.take)
        try:
            with translated():
                await socket.login(self._settings.token.get_secret_value())
                self._spawn(self._register(str(socket.application_id)))
                await socket.connect()
        finally:
            await socket.close()
            await self._finish()

    def routes(self) -> Sequence[AbstractRouteDef]:
        return ()

    async def aclose(self) -> None:
        await self._finish()
        await self._api.aclose()

    async def _register(self, application: str) -> None:
        try:
            await self._api.register(application)
        except PostError as error:
            # Everything else works without the command.
            event(_log, "channel.commands_refused", level=logging.WARNING, code=error.code)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self) -> None:
        """Lets what is in hand end, and ends what does not."""
        if self._tasks:
            _, late = await asyncio.wait(set(self._tasks), timeout=FINISH_S)
            for task in late:
                task.cancel()
            if late:
                await asyncio.wait(late)


def nonce(key: str) -> str:
    """What tells Discord that two posts are one; it knows no channels apart."""
    return blake2b(key.encode(), digest_size=NONCE_BYTES).hexdigest()


@contextmanager
def translated() -> Iterator[None]:
    """Raises whatever the library raises as a `PostError`."""
    try:
        yield
    except discord.RateLimited as limited:
        raise Later("429", limited.retry_after) from limited
    except discord.LoginFailure as refused:
        raise Shut("401") from refused
    except discord.PrivilegedIntentsRequired as refused:
        raise Shut("4014") from refused
    except discord.ConnectionClosed as closed:
        kind = Shut if closed.code in FATAL_CLOSES else Later
        raise kind(str(closed.code)) from closed
    except discord.HTTPException as refused:
        raise post_error(refused.status, refused.code, _retry_after(refused)) from refused
    except aiohttp.ClientConnectorError as away:
        raise Later("unreachable") from away
    except (aiohttp.ClientError, OSError, TimeoutError) as lost:
        raise Unsure("lost") from lost


def _retry_after(refused: discord.HTTPException) -> float | None:
    said = refused.response.headers.get("Retry-After", "")
    return float(said) if said.replace(".", "", 1).isdecimal() else None
