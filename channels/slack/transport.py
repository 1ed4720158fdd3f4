"""Slack's SDK, and nothing else of ours touches it: calls out, Socket Mode and signed requests in.

No call is tried again here: the worker knows what was done, and `client_msg_id` makes one post of
two tries where Slack remembers it.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid4, uuid5

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientSession,
    ClientTimeout,
    TCPConnector,
    web,
)
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from channels.contract import Later, Missing, PostError, Shut, Unsure
from channels.slack import render
from channels.slack.errors import post_error
from channels.slack.inbox import Inbox
from channels.slack.pace import EVERY_S, Pace
from channels.slack.parse import Us, user_of
from channels.slack.socket import Sockets
from channels.slack.telling import patiently
from gateway.backoff import Backoff
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence

    from aiohttp.web import AbstractRouteDef
    from slack_bolt.request.async_request import AsyncBoltRequest
    from slack_sdk.web.async_slack_response import AsyncSlackResponse

    from channels.contract import Destination
    from channels.desk import Desk
    from channels.drawing import Drawing
    from channels.slack.markup import Json
    from channels.slack.settings import Settings
    from channels.slack.socket import Confirm

CALL_S = 10.0
"""Ours: Slack answers within a second or two; longer is taken for lost."""

FINISH_S = 3.0
"""Ours: what is being said when we stop may be said to its end."""

NAMES_KEPT = 4_096
"""Ours: names looked up; more people than most workspaces have in the channels that ask."""

LEADING_KEPT = 1_024
"""Ours: posts of several messages that are under way."""

QUIET: Json = {"unfurl_links": False, "unfurl_media": False, "parse": "none", "link_names": False}
"""No previews, and no bare word is a mention (platform facts, 1.2 and 1.9)."""

_log = logging.getLogger("channels.slack")


class Calls:
    """The SDK's client, trying once: a lost answer must not become two posts."""

    def __init__(self, settings: Settings) -> None:
        self.client = AsyncWebClient(
            settings.bot_token.get_secret_value(),
            base_url=settings.api_url,
            retry_handlers=[],
        )
        # The SDK takes a proxy from the environment without NO_PROXY; aiohttp's session minds both.
        self.client.proxy = None
        self._app_token = settings.app_token

    async def __call__(
        self, method: Callable[..., Awaitable[AsyncSlackResponse]], **args: Any
    ) -> AsyncSlackResponse:
        """Raises: PostError."""
        self.session()
        try:
            return await method(**args)
        except SlackApiError as error:
            raise _refusal(error) from error
        except ClientConnectorError as error:
            raise Later("connection_failed") from error
        except (ClientError, OSError, TimeoutError) as error:
            raise Unsure("connection_lost") from error

    def session(self) -> ClientSession:
        """One for all calls, made in the loop that first calls."""
        if self.client.session is None:
            # With a session of one's own the SDK's own timeout is not looked at.
            limit = ClientTimeout(CALL_S)
            # No limit of connections: at 50 presses a second each answer may take seconds.
            connector = TCPConnector(limit=0)
            self.client.session = ClientSession(connector=connector, timeout=limit, trust_env=True)
        return self.client.session

    async def identity(self) -> tuple[Json, Mapping[str, str]]:
        """Who the bot token is of, and the headers that say its scopes. Raises: PostError."""
        answer = await self(self.client.auth_test)
        return dict(answer.data) if isinstance(answer.data, dict) else {}, answer.headers

    async def connection(self) -> str:
        """An address for Socket Mode, good once. Raises: PostError."""
        token = self._app_token.get_secret_value() if self._app_token else ""
        answer = await self(self.client.apps_connections_open, app_token=token)
        return str(answer.get("url"))

    async def aclose(self) -> None:
        if self.client.session is not None:
            await self.client.session.close()


class SlackTransport:
    """See `channels.contract.Transport`; and `channels.slack.inbox.Out` for what it answers by."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        self._settings = settings
        self._call = Calls(settings)
        self._client = self._call.client
        self._inbox = Inbox(desk, self, self._spawn, self._out_of_workspace)
        self._pace = Pace()
        self._us: Us | None = None
        self._names: OrderedDict[str, str] = OrderedDict()
        self._leading: OrderedDict[str, int] = OrderedDict()
        self._revoked = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        secret = settings.signing_secret
        self._app = AsyncApp(
            name="oz",
            client=self._client,
            signing_secret=secret.get_secret_value() if secret else "",
            # Behind the check of the signature, and before Bolt confirms events by itself.
            before_authorize=self._received,
        )

    # Posts

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        """See `channels.contract.Transport`."""
        *leading, last = render.post(drawing)
        for number, message in enumerate(leading):
            if number >= self._leading.get(key, 0):
                await self._say(where, message, str(uuid5(NAMESPACE_URL, f"{key} {number}")))
                self._leading[key] = number + 1
        if len(self._leading) > LEADING_KEPT:
            self._leading.popitem(last=False)
        answer = await self._say(where, last, key)
        self._leading.pop(key, None)
        ts = str(answer["ts"])
        return ts, int(ts.replace(".", "")) // 1000

    async def update(self, where: Destination, message: str, drawing: Drawing) -> None:
        """See `channels.contract.Transport`."""
        shown = render.post(drawing)[-1]
        await self._call(
            self._client.chat_update,
            channel=where.conversation,
            ts=message,
            text=shown["text"],
            blocks=shown["blocks"],
            # Slack reads both anew at each update, and would link bare words by default.
            parse="none",
            link_names=False,
        )

    async def note(
        self, where: Destination, message: str, text: str, *, only_under: bool = False
    ) -> None:
        """See `channels.contract.Transport`."""
        first, *more = render.note(text)
        thread: str | None = where.thread or message
        try:
            await self._say(where, first, str(uuid4()), thread)
        except PostError as error:
            if error.code != "thread_not_found" or where.thread is not None:
                raise
            if only_under:
                raise Missing(error.code) from error
            # The post is gone, and the thread under it with it.
            thread = None
            await self._say(where, first, str(uuid4()))
        for one in more:
            try:
                await patiently(partial(self._say, where, one, str(uuid4()), thread))
            except Later as error:
                # It is begun: said again from its beginning it would stand there twice.
                raise Unsure(error.code) from error

    async def direct(self, account: str) -> str:
        """See `channels.contract.Transport`."""
        answer = await self._call(self._client.conversations_open, users=user_of(account))
        channel = answer.get("channel") or {}
        return str(channel.get("id"))

    async def _say(
        self, where: Destination, message: Json, key: str, thread: str | None = None
    ) -> AsyncSlackResponse:
        await self._pace.turn(where.conversation, key)
        args = {**message, **QUIET, "thread_ts": thread or where.thread}
        try:
            return await self._posted(where.conversation, args, key)
        except Later as error:
            self._pace.rest(where.conversation, error.after_s or EVERY_S)
            raise
        except PostError as error:
            if error.code != "duplicate_message_not_found":
                raise
            # The first copy was made, and somebody deleted it since (platform facts, 1.2).
            anew = str(uuid5(NAMESPACE_URL, f"{key} anew"))
            return await self._posted(where.conversation, args, anew)

    async def _posted(self, channel: str, args: Json, key: str) -> AsyncSlackResponse:
        call = self._client.chat_postMessage
        return await self._call(call, channel=channel, client_msg_id=key, **args)

    # Answers

    async def open(self, trigger: str, view: Json) -> None:
        await self._call(self._client.views_open, trigger_id=trigger, view=view)

    async def publish(self, user: str, view: Json) -> None:
        await self._call(self._client.views_publish, user_id=user, view=view)

    async def whisper(self, where: Destination, user: str, message: Json) -> None:
        await self._call(
            self._client.chat_postEphemeral,
            channel=where.conversation,
            user=user,
            thread_ts=where.thread,
            **message,
            **{name: QUIET[name] for name in ("parse", "link_names")},
        )

    async def reply(self, where: Destination, message: Json, key: str) -> None:
        await self._say(where, message, key)

    async def respond(self, url: str, where: Destination, message: Json) -> None:
        hook = AsyncWebhookClient(url, session=self._call.session(), retry_handlers=[])
        hook.proxy = None
        body = {**message, "response_type": "ephemeral", "replace_original": False}
        if where.thread is not None:
            body["thread_ts"] = where.thread
        try:
            answer = await hook.send_dict(body | {name: QUIET[name] for name in UNFURL})
        except (ClientError, OSError, TimeoutError) as error:
            raise Unsure("connection_lost") from error
        if answer.status_code != 200:
            raise post_error("response_url_refused", answer.status_code)

    async def name(self, user: str) -> str:
        """The name that others see. Raises: PostError."""
        if user not in self._names:
            answer = await self._call(self._client.users_info, user=user)
            found = answer.get("user") or {}
            profile = found.get("profile") or {}
            names = (profile.get("display_name"), profile.get("real_name"), found.get("name"), user)
            self._names[user] = next(one for one in names if isinstance(one, str) and one)
            if len(self._names) > NAMES_KEPT:
                self._names.popitem(last=False)
        return self._names[user]

    async def identify(self) -> Us:
        """Who we are there; asked once. Raises: PostError."""
        if self._us is None:
            who, _ = await self._call.identity()
            self._us = Us(*(str(who.get(key)) for key in ("team_id", "user_id", "bot_id")))
        return self._us

    # In

    async def run(self) -> None:
        """See `channels.contract.Transport`."""
        self._revoked.clear()
        self._us = None
        await self._identified()
        revoked = asyncio.ensure_future(self._revoked.wait())
        work = {revoked}
        if self._settings.mode == "socket":
            address = self._call.connection
            sockets = Sockets(self._call.session(), address, self._enveloped, self._spawn)
            work.add(asyncio.ensure_future(sockets.run()))  # type: ignore[arg-type]
        try:
            done, _ = await asyncio.wait(work, return_when=asyncio.FIRST_COMPLETED)
            for one in done - {revoked}:
                one.result()
        finally:
            for one in work:
                one.cancel()
            await asyncio.gather(*work, return_exceptions=True)
        raise Shut("token_revoked")

    def routes(self) -> Sequence[AbstractRouteDef]:
        """See `channels.contract.Transport`."""
        if self._settings.mode == "socket":
            return ()
        return (web.post(self._settings.path, self._requested),)

    async def aclose(self) -> None:
        """See `channels.contract.Transport`."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=FINISH_S)
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._call.aclose()

    async def _identified(self) -> None:
        """Returns once Slack said who we are. Raises: PostError, it will not."""
        backoff = Backoff()
        while True:
            try:
                await self.identify()
            except (Later, Unsure) as error:
                event(_log, "identify.failed", level=logging.WARNING, code=error.code)
                await asyncio.sleep(getattr(error, "after_s", None) or backoff.rest_s())
            else:
                return

    async def _enveloped(self, envelope: Json, confirm: Confirm) -> None:
        """An envelope of Socket Mode: confirmed with its answer, or left to be brought again."""
        status, answer = await self._answered(envelope.get("payload"))
        if status == 200:
            await confirm(answer if envelope.get("accepts_response_payload") is True else None)

    async def _requested(self, request: web.Request) -> web.StreamResponse:
        """A request of Slack's, or of somebody who says so."""
        at = request.headers.get("X-Slack-Request-Timestamp", "")
        if not (at.isascii() and at.isdigit()):
            return web.Response(status=401)
        try:
            asked = await to_bolt_request(request)
        except Exception as error:  # noqa: BLE001 - a body that nobody has signed yet
            event(_log, "request.malformed", error=error)
            return web.Response(status=400)
        return await to_aiohttp_response(await self._app.async_dispatch(asked))

    async def _received(self, req: AsyncBoltRequest) -> BoltResponse:
        status, answer = await self._answered(req.body)
        return BoltResponse(status=status, body="" if answer is None else json.dumps(answer))

    async def _answered(self, body: Any) -> tuple[int, Any]:
        """The HTTP status and the answer; past 200, Slack brings an event again."""
        try:
            return 200, await self._inbox.answer(body)
        except (Unavailable, PostError) as error:
            event(_log, "event.deferred", level=logging.WARNING, code=error.code)
            return 503, None
        except Exception as error:  # noqa: BLE001 - one event must not stop those behind it
            event(_log, "event.failed", level=logging.ERROR, error=error)
            return 500, None

    def _out_of_workspace(self) -> None:
        self._revoked.set()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(_guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


UNFURL = ("unfurl_links", "unfurl_media")


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    except PostError as error:
        event(_log, "answer.failed", level=logging.WARNING, code=error.code)
    except Exception as error:  # noqa: BLE001 - what is said to one must not end the rest
        event(_log, "answer.failed", level=logging.ERROR, error=error)


def _refusal(error: SlackApiError) -> PostError:
    """What Slack's answer says; one that is not even JSON says its status."""
    response = error.response
    status = int(getattr(response, "status_code", 0) or getattr(response, "status", 0))
    data = getattr(response, "data", None)
    code = data.get("error") if isinstance(data, dict) else None
    after = (getattr(response, "headers", None) or {}).get("Retry-After", "")
    after_s = float(after) if after.isascii() and after.isdigit() else None
    return post_error(code if isinstance(code, str) else f"http_{status}", status, after_s)
