"""The way to Telegram and back, over python-telegram-bot's Bot: its requests, types and errors.

Updates are asked for as plain JSON and confirmed by us: the library's own loop confirms what it
has only read.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from itertools import cycle
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import httpx
from aiohttp import web
from telegram import (
    Bot,
    BotCommand,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    ReplyParameters,
)
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    TelegramError,
)
from telegram.request import BaseRequest, HTTPXRequest

from channels.contract import Later, PostError, Unreachable
from channels.telegram import errors, render
from channels.telegram.intake import Intake
from channels.telegram.pacing import Pacer
from channels.telegram.parse import Me
from channels.telegram.polling import POLL_S, poll
from channels.telegram.saying import Saying
from channels.telegram.words import COMMANDS
from gateway.errors import Unavailable
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from channels.contract import Destination
    from channels.desk import Desk
    from channels.drawing import Drawing
    from channels.telegram.settings import Settings

CALLS = 512
"""Ours: calls under way at once; 50 presses a second, each answered in 2 s, and as many edits."""

POOLS = 16
"""Ours: pools that these are spread over."""

CALL_S = 15.0
"""Ours: how long Telegram may take for a call before we call its answer lost."""

WAIT_S = 1.0
"""Ours: a post waits so long for its turn here; longer, and others go first."""

HOOK_S = 20.0
"""Ours: so long a webhook's answer waits for its message to be safe; then it is to come again."""

SWEEP_S = 5.0
"""Ours: so often a replica looks for what another left behind."""

UPDATES = ["message", "edited_message", "channel_post", "edited_channel_post", "callback_query"]
SECRET = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  # the header's name

_log = logging.getLogger("channels.telegram")


class TooMany(TelegramError):
    """A 429. The library's own error warns, each time it is made, of what it will be one day."""

    def __init__(self, after_s: float) -> None:
        super().__init__("Too Many Requests")
        self.after_s = after_s


class Request(HTTPXRequest):
    """The library's requests; 429 is read before the library reads it."""

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        status, body = await super().do_request(*args, **kwargs)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            raise TooMany(errors.retry_after_s(body))
        return status, body


class Pools(BaseRequest):
    """Requests over several pools in turn.

    httpcore looks, at each call, at every connection once for each idle one; a hundred calls under
    way in one pool took all of a processor.
    """

    def __init__(self) -> None:
        # One for all: to read the certificates takes a twentieth of a second, and blocks.
        trust = {"verify": httpx.create_ssl_context()}
        self._pools = tuple(
            Request(CALLS // POOLS, CALL_S, pool_timeout=CALL_S, httpx_kwargs=trust)
            for _ in range(POOLS)
        )
        self._turns = cycle(self._pools)

    @property
    def read_timeout(self) -> float:
        return CALL_S

    async def initialize(self) -> None:
        await asyncio.gather(*(one.initialize() for one in self._pools))

    async def shutdown(self) -> None:
        await asyncio.gather(*(one.shutdown() for one in self._pools))

    async def do_request(self, *args: Any, **kwargs: Any) -> tuple[int, bytes]:
        return await next(self._turns).do_request(*args, **kwargs)


class BotApi:
    """The calls we make, their errors as `PostError`s."""

    def __init__(self, settings: Settings) -> None:
        # At INFO it logs every address, and the token is part of ours.
        logging.getLogger("httpx").setLevel(logging.WARNING)
        token = settings.token.get_secret_value()
        self._base = f"{settings.api_url}/bot{token}"
        self._polls = Request(connection_pool_size=2, read_timeout=POLL_S + 10)
        self._calls = Pools()
        self._bot = Bot(
            token,
            base_url=f"{settings.api_url}/bot",
            request=self._calls,
            get_updates_request=self._polls,
        )

    async def me(self) -> tuple[Me, bool]:
        """Who we are, and whether we hear all that is said in groups."""
        async with _translated():
            found = await self._bot.get_me()
        return Me(found.id, found.username or ""), bool(found.can_read_all_group_messages)

    async def send(self, chat: str, payload: dict[str, Any]) -> tuple[int, int]:
        under = payload.get("reply_parameters")
        async with _translated():
            sent = await self._bot.send_message(
                chat_id=chat,
                message_thread_id=payload.get("message_thread_id"),
                reply_parameters=ReplyParameters(**under) if under else None,
                **self._drawn(payload),
            )
        return sent.message_id, int(sent.date.timestamp())

    async def edit(self, chat: str, message: int, payload: dict[str, Any]) -> None:
        async with _translated():
            await self._bot.edit_message_text(
                chat_id=chat, message_id=message, **self._drawn(payload)
            )

    async def take_keyboard(self, chat: str, message: int) -> None:
        async with _translated():
            await self._bot.edit_message_reply_markup(chat_id=chat, message_id=message)

    async def answer(self, query: str, text: str, *, alert: bool, link: str | None) -> None:
        async with _translated():
            await self._bot.answer_callback_query(
                query, text=text or None, show_alert=alert, url=link
            )

    async def updates(self, offset: int, timeout_s: int) -> list[Any]:
        """The updates from that id on, as JSON; those before it are confirmed."""
        asked = {
            "offset": offset,
            "timeout": timeout_s,
            "allowed_updates": json.dumps(UPDATES),
        }
        async with _translated():
            found = await self._polls.post(f"{self._base}/getUpdates?{urlencode(asked)}")
        return found if isinstance(found, list) else []

    async def begin_polling(self) -> None:
        async with _translated():
            await self._bot.delete_webhook()

    async def begin_webhook(self, settings: Settings) -> None:
        async with _translated():
            await self._bot.set_webhook(
                settings.webhook_url or "",
                secret_token=settings.webhook_secret,
                allowed_updates=UPDATES,
                max_connections=100,
            )

    async def webhook(self) -> tuple[str, str, datetime | None]:
        """The address that is set, and the last error there and its time; "" where there is none.

        Telegram tells of that error for good, whatever it could post since.
        """
        async with _translated():
            found = await self._bot.get_webhook_info()
        return found.url, found.last_error_message or "", found.last_error_date

    async def may_write(self, chat: str, thread: str | None) -> None:
        """Shows that we type there, as only who may write can. Raises: PostError."""
        topic = None if thread is None else _id(thread)
        async with _translated():
            await self._bot.send_chat_action(chat, "typing", message_thread_id=topic)

    async def name_commands(self) -> None:
        async with _translated():
            await self._bot.set_my_commands([BotCommand(*one) for one in COMMANDS])

    async def aclose(self) -> None:
        # Not `Bot.shutdown`, which leaves them open where nothing was initialised.
        await asyncio.gather(self._calls.shutdown(), self._polls.shutdown())

    def _drawn(self, payload: dict[str, Any]) -> dict[str, Any]:
        markup = payload.get("reply_markup")
        return {
            "text": payload["text"],
            "parse_mode": payload["parse_mode"],
            "link_preview_options": LinkPreviewOptions(**payload["link_preview_options"]),
            "reply_markup": InlineKeyboardMarkup.de_json(markup, self._bot) if markup else None,
        }


class TelegramTransport:
    """One bot. Connected by `run`; posts go out without it too."""

    def __init__(self, settings: Settings, desk: Desk) -> None:
        self._settings = settings
        self._desk = desk
        self._api = BotApi(settings)
        self._pacer = Pacer()
        self._saying = Saying(self._api, self._pacer, desk.facts)
        self._intake: Intake | None = None
        self._connecting = asyncio.Lock()
        self._begun: dict[str, int] = {}

    # Out

    async def post(self, where: Destination, drawing: Drawing, key: str) -> tuple[str, int]:
        *leading, last = render.post(drawing)
        begun = self._begun.get(key, 0)
        for number, payload in enumerate(leading[begun:], begun + 1):
            await self._send(where, payload)
            self._begun[key] = number
        message, at = await self._send(where, last)
        self._begun.pop(key, None)
        return str(message), at * 1000

    async def update(self, where: Destination, message: str, drawing: Drawing) -> None:
        try:
            await self._turn(where.conversation, new=False)
            await self._api.edit(where.conversation, _id(message), render.post(drawing)[-1])
        finally:
            outcome = drawing.view.outcome
            if outcome is not None:
                await self._saying.over(drawing.view.ask_id, outcome)

    async def note(
        self, where: Destination, message: str, text: str, *, only_under: bool = False
    ) -> None:
        replied = {"message_id": _id(message), "allow_sending_without_reply": not only_under}
        for payload in render.tell(text):
            await self._send(where, {**payload, "reply_parameters": replied})

    async def direct(self, account: str) -> str:
        """A private chat has its person's id; whether it is open shows when we write there."""
        return account

    async def _send(self, where: Destination, payload: dict[str, Any]) -> tuple[int, int]:
        if where.thread is not None:
            payload = {**payload, "message_thread_id": _id(where.thread)}
        await self._turn(where.conversation, new=True)
        return await self._api.send(where.conversation, payload)

    async def _turn(self, chat: str, *, new: bool) -> None:
        """Waits for our turn to send there. Raises: Later, where that is long."""
        at = asyncio.get_running_loop().time()
        wait = self._pacer.wait_s(chat, at, new=new)
        if wait > WAIT_S:
            raise Later("paced", wait)
        await asyncio.sleep(self._pacer.turn(chat, at, new=new))

    # In

    async def run(self) -> None:
        intake = await self._connected()
        try:
            await self._api.name_commands()
        except Later as error:
            event(_log, "commands.unnamed", code=error.code)
        if self._settings.mode == "webhook":
            await self._api.begin_webhook(self._settings)
            await self._sweep(intake)
        await self._api.begin_polling()
        sweep = asyncio.create_task(self._sweep(intake))
        try:
            await poll(self._api, intake)
        finally:
            sweep.cancel()

    def routes(self) -> Sequence[web.AbstractRouteDef]:
        if self._settings.mode != "webhook":
            return ()
        return (web.post(self._settings.webhook_path, self._hook),)

    async def aclose(self) -> None:
        if self._intake is not None:
            await self._intake.aclose()
        await self._api.aclose()

    async def _connected(self) -> Intake:
        async with self._connecting:
            if self._intake is None:
                me, _ = await self._api.me()
                self._intake = Intake(self._desk, self._saying, me, lambda: datetime.now(UTC))
            return self._intake

    async def _sweep(self, intake: Intake) -> None:
        """Looks for what replicas that died had confirmed and not read, for good."""
        while True:
            try:
                await intake.read_what_was_left()
            except Exception as error:  # noqa: BLE001  # whatever one left stops nothing else
                event(_log, "held.waits", level=logging.WARNING, error=error, surface="telegram")
            await asyncio.sleep(SWEEP_S)

    async def _hook(self, request: web.Request) -> web.Response:
        """One update, posted to us. Only what is safe is answered with 200."""
        given = request.headers.get(SECRET, "")
        if not hmac.compare_digest(given.encode(), self._settings.webhook_secret.encode()):
            return web.Response(status=401)
        try:
            update = await request.json()
        except ValueError:
            return web.Response(status=400)
        try:
            intake = await self._connected()
        except PostError as error:
            event(_log, "hook.failed", level=logging.WARNING, code=error.code)
            return web.Response(status=503)
        try:
            if await intake.keep(update):
                return web.Response()
        except Unavailable as error:
            event(_log, "message.waits", level=logging.WARNING, error=error, surface="telegram")
            return web.Response(status=503)
        taken = intake.take(update)
        done, _ = await asyncio.wait({taken}, timeout=HOOK_S)
        return web.Response(status=200 if done else 503)


def _id(name: str) -> int:
    """A message's or a topic's id. Raises: Unreachable, for what is none of Telegram's."""
    if not name.isdecimal():
        raise Unreachable("not_an_id")
    return int(name)


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    """The library's errors as ours; an edit that changes nothing is none."""
    try:
        yield
    except TelegramError as error:
        translated = _post_error(error)
        if translated is not None:
            raise translated from error


def _post_error(error: TelegramError) -> PostError | None:
    found: PostError | None
    match error:
        case TooMany():
            found = errors.too_many(error.after_s)
        case ChatMigrated():
            found = errors.migrated(error.new_chat_id)
        case Forbidden():
            found = errors.forbidden()
        case InvalidToken():
            found = errors.unauthorized()
        case Conflict():
            found = errors.taken_elsewhere()
        case BadRequest():  # a NetworkError too, by the library's classes
            found = errors.bad_request(error.message)
        case _:
            found = errors.broken(type(error.__cause__).__name__ if error.__cause__ else None)
    return found
