"""The fake Telegram: a server of the Bot API for one bot, and the chats of its people.

Point the real library at `base_url`; act and look through the methods of `Platform`.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from aiohttp import web

from channels.testing.platform import Call, cut
from channels.testing.telegram.chats import Chats
from channels.testing.telegram.methods import QUERY_S, Methods
from channels.testing.telegram.names import METHODS
from channels.testing.telegram.people import People
from channels.testing.telegram.places import Person, World
from channels.testing.telegram.rates import Rates
from channels.testing.telegram.refusals import Refused, unknown
from channels.testing.telegram.updates import RETRY_S, Updates

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from types import TracebackType

BOT = 5_000_001
TOKEN = f"{BOT}:AAfake-token-of-the-fake-telegram-0"
PLAIN = ("text", "callback_query_id", "secret_token", "url", "parse_mode", "language_code")
"""Parameters that are words, whatever they look like."""
STATUS = {404: "Not Found", 401: "Unauthorized", 429: "Too Many Requests", 502: "Bad Gateway"}


class Telegram(Chats):
    """One bot's Telegram. Ids are strings here, as everywhere in the adapters.

        async with Telegram() as chat:
            chat.person("7", "Ana")
            chat.group("-1001", members=["7"])
            Application.builder().token(chat.token).base_url(chat.base_url)

    `privacy`: as BotFather's setting; it takes hold of a group when the bot comes into it.
    `query_s`: how long a press may be answered. `rates`: hold the bot to the sending limits.
    `retry_s`: the delay before a webhook's third try, doubled then. `now`: Unix seconds.
    """

    name = "telegram"

    def __init__(
        self,
        *,
        token: str = TOKEN,
        username: str = "oz_test_bot",
        privacy: bool = True,
        query_s: float = QUERY_S,
        retry_s: float = RETRY_S,
        rates: bool = False,
        now: Callable[[], float] = time.time,
    ) -> None:
        super().__init__()
        self.token = token
        bot = Person(int(token.partition(":")[0]), "OZ", username, is_bot=True)
        self.world = World(bot, now, privacy=privacy)
        self.updates = Updates(now, self.spawn, self._reply, self.changed, retry_s=retry_s)
        self.methods = Methods(
            self.world, self.updates, query_s=query_s, rates=Rates() if rates else None
        )
        self.people = People(self.world, self.updates, self.methods)
        self._named = {name.lower(): (name, run) for name, run in self.methods.named().items()}
        self._polls: set[asyncio.Transport] = set()

    # The server

    @property
    def base_url(self) -> str:
        """For the library's builder: the token and the method follow."""
        return f"{self.url}/bot"

    def settings(self) -> dict[str, Any]:
        """The `[channel.telegram]` table with which a gateway talks to this one."""
        return {"token": self.token, "api_url": self.url}

    def routes(self, app: web.Application) -> None:
        app.router.add_route("*", "/bot{token:[^/]*}/{method}", self._api)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await super().__aexit__(kind, error, traceback)
        await self.updates.close()

    async def _api(self, request: web.Request) -> web.Response:
        at = asyncio.get_running_loop().time()
        params = await _params(request)
        name, run = self._named.get(
            request.match_info["method"].lower(), (request.match_info["method"], None)
        )
        fault = await self.fault(name)
        if fault is not None and fault.status is not None:
            refused = _faulted(fault.status, fault.headers)
            await self.note(Call(name, params, at, refused.description))
            body = refused.body if fault.body is None else fault.body
            return web.json_response(
                body, status=fault.status, headers={**refused.headers, **fault.headers}
            )
        try:
            if not hmac.compare_digest(request.match_info["token"], self.token):
                well_made = request.match_info["token"].partition(":")[0].isdecimal()
                raise Refused(401, "Unauthorized") if well_made else Refused(404, "Not Found")
            if run is None:
                missing = request.match_info["method"].lower() not in METHODS
                raise Refused(404, "Not Found: method not found") if missing else unknown(name)
            if name == "getUpdates" and request.transport is not None:
                self._polls.add(request.transport)
                await self.note(Call(name, params, at))
            result = await run(params)
        except Refused as refused:
            await self.note(Call(name, params, at, refused.description))
            answer = web.json_response(refused.body, status=refused.code, headers=refused.headers)
        else:
            if name != "getUpdates":
                await self.note(Call(name, params, at))
            answer = web.json_response({"ok": True, "result": result})
        finally:
            if request.transport is not None:
                self._polls.discard(request.transport)
        if self.down or (fault is not None and fault.lost):
            cut(request)
        return answer

    async def _reply(self, method: str, params: dict[str, Any]) -> None:
        """The call a webhook put in its answer: done, and nobody told how it went."""
        name, run = self._named.get(method.lower(), (method, None))
        if run is None or name.startswith("get") or "Webhook" in name:
            return
        at = asyncio.get_running_loop().time()
        try:
            await run(params)
        except Refused as refused:
            await self.note(Call(name, params, at, refused.description))
        else:
            await self.note(Call(name, params, at))

    def revoke(self) -> None:
        """The owner takes the token back: whoever still uses it is unauthorized."""
        self.token = f"{self.world.bot.id}:AArevoked-and-another-was-given-out0"

    def limit(self, method: str, *, retry_after: int = 1, times: int = 1) -> None:
        """The next calls of a method are too many: 429, to be tried again after so many seconds."""
        self.fail(method, times=times, status=429, headers={"Retry-After": str(retry_after)})

    # Delivery

    @property
    def polling(self) -> bool:
        """Whether a long poll is open."""
        return self.updates.polling

    def cut_polls(self) -> None:
        """Breaks the connections of the open long polls."""
        for transport in self._polls:
            transport.abort()
        self._polls.clear()
        self.updates.cut_poll()

    def lead(self, public: str, local: str) -> None:
        """Where a webhook's public address leads on this machine."""
        self.updates.leads[public] = local

    def count_anew(self, first: int) -> None:
        """The next update has that id, as after a quiet week: Bot API, Update.update_id."""
        self.updates.count_anew(first)

    def repeat(self, count: int = 1) -> None:
        """The last `count` updates that were taken come once more, with their old ids."""
        self.updates.repeat(count)

    @asynccontextmanager
    async def held(self, *, reverse: bool = False) -> AsyncGenerator[None, None]:
        """Nothing is delivered while this is open; then all of it, the last first if `reverse`."""
        self.updates.held = True
        try:
            yield
        finally:
            self.updates.held = False
            if reverse:
                self.updates.pending.reverse()
            self.updates.wake()

    @asynccontextmanager
    async def outage(self) -> AsyncGenerator[None, None]:
        """As everywhere; open long polls break, and nothing is posted to a webhook."""
        async with self.held(), super().outage():
            self.cut_polls()
            yield


def _faulted(status: int, headers: dict[str, str]) -> Refused:
    words = STATUS.get(status, "Internal Server Error" if status >= 500 else "Bad Request")
    if status != 429:
        return Refused(status, words)
    after = int(headers.get("Retry-After", "1"))
    return Refused(429, f"{words}: retry after {after}", retry_after=after)


async def _params(request: web.Request) -> dict[str, Any]:
    """A call's parameters, from its query, its form or its JSON."""
    given: dict[str, Any] = dict(request.query)
    if request.content_type == "application/json":
        given |= await request.json()
    else:
        given |= dict(await request.post())
    return {name: _value(name, value) for name, value in given.items()}


def _value(name: str, value: Any) -> Any:
    if name in PLAIN or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value
