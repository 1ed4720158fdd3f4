"""The calls of the Bot Connector that a bot needs, with its access token and at its pace.

The SDK's own client runs blocking calls in the process's shared threads, fetches its token in the
event loop and repeats updates by itself; this one does none of that.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import aiohttp
from yarl import URL

from channels.contract import Later, Shut, Unsure
from channels.teams.errors import WRONG_HOST, refusal
from channels.teams.pace import Pace

if TYPE_CHECKING:
    from channels.teams.settings import Settings

CALL_S = 15.0
"""Ours: the service answers in one or two seconds; what takes this long is lost."""

EARLY_S = 300.0
"""Ours: a token is renewed this long before its end, so that none ends on its way."""

LEAST_PAGE = 50
"""The service's least number of members in one answer."""

MOST_REMEMBERED = 10_000
"""Ours: conversations whose address is kept in memory; the oldest are looked up anew."""


class Connector:
    """One bot's way out. Its connections are opened by the first call, in that loop."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._session: aiohttp.ClientSession | None = None
        self._token = ""
        self._good_until = 0.0
        self._renewing = asyncio.Lock()
        self._urls: OrderedDict[str, str] = OrderedDict()
        self._pace = Pace()

    def learn(self, conversation: str, url: str) -> None:
        """Calls for that conversation go there from now on: what it told last holds."""
        _remember(self._urls, conversation, url)

    def _forget(self, conversation: str) -> bool:
        """Whether there was an address of its own to forget."""
        known = conversation in self._urls
        self._urls.pop(conversation, "")
        return known

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    # Calls

    async def send(
        self, conversation: str, thread: str | None, body: dict[str, Any], key: str | None = None
    ) -> str:
        """Posts a message; its id. `key` is the same for each try of one, which `Later` may put
        off; without one the conversation's pace is waited for. Raises: PostError.
        """
        await self._pace.turn(conversation, key)
        path = f"{_talk(conversation, thread)}/activities"
        answer = await self._call("POST", path, body, conversation=conversation, posting=True)
        return str(answer.get("id", ""))

    async def update(
        self, conversation: str, thread: str | None, message: str, body: dict[str, Any]
    ) -> None:
        """Puts another message in the place of one of ours. Raises: PostError."""
        await self._pace.turn(conversation, f"update {message}")
        path = f"{_talk(conversation, thread)}/activities/{quote(message, safe='')}"
        await self._call("PUT", path, {**body, "id": message}, conversation=conversation)

    async def open(self, account: str) -> str:
        """The conversation of one account with the bot. Raises: PostError."""
        tenant = self._settings.tenant
        body = {
            "bot": {"id": f"28:{self._settings.app_id}"},
            "members": [{"id": account}],
            "isGroup": False,
            "tenantId": tenant,
            "channelData": {"tenant": {"id": tenant}},
        }
        # Opening a chat that is open already gives that one, so it may be tried again.
        answer = await self._call("POST", "conversations", body)
        return str(answer.get("id", ""))

    async def look(self, conversation: str) -> None:
        """Reads who is in a conversation, as only a bot in it may. Raises: PostError."""
        path = f"{_talk(conversation, None)}/pagedmembers?pageSize={LEAST_PAGE}"
        await self._call("GET", path, None, conversation=conversation)

    async def _call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        *,
        conversation: str = "",
        posting: bool = False,
    ) -> dict[str, Any]:
        renewed = moved = False
        while True:
            base = self._urls.get(conversation, self._settings.service_url)
            token = await self.token(renew=renewed)
            status, code, retry_after, answer = await self._ask(
                method, f"{base}/v3/{path}", body, token, posting=posting
            )
            if status < 300:
                return answer
            if status == 401 and code != "BotNotRegistered" and not renewed:
                renewed = True
                continue
            if code == WRONG_HOST and not moved and self._forget(conversation):
                moved = True
                continue
            raise refusal(status, code, posting=posting, retry_after=retry_after)

    async def _ask(
        self, method: str, url: str, body: dict[str, Any] | None, token: str, *, posting: bool
    ) -> tuple[int, str, str | None, dict[str, Any]]:
        """Status, the service's code, how long to wait, and the answer. Raises: PostError."""
        headers = {"Authorization": f"Bearer {token}"}
        target = URL(url, encoded=True)
        try:
            async with self._connections().request(
                method, target, json=body, headers=headers, allow_redirects=False
            ) as found:
                answer = await _json(found)
                code = _code(answer)
                return found.status, code, found.headers.get("Retry-After"), answer
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            # Nothing was sent yet.
            raise Later(type(error).__name__) from error
        except (aiohttp.ClientError, TimeoutError) as error:
            code = type(error).__name__
            raise (Unsure(code) if posting else Later(code)) from error

    # The token

    async def token(self, *, renew: bool = False) -> str:
        """An access token that is still good for a while. Raises: PostError."""
        held = self._token
        async with self._renewing:
            now = asyncio.get_running_loop().time()
            # Whoever waited for another's renewal takes what that one brought.
            if self._token and now < self._good_until and (not renew or self._token != held):
                return self._token
            # Until there is another there is none: the old one was refused, or is at its end.
            self._token = ""
            self._token, lasts_s = await self._fetch()
            self._good_until = now + max(lasts_s - EARLY_S, lasts_s / 2)
            return self._token

    async def _fetch(self) -> tuple[str, float]:
        form = {
            "grant_type": "client_credentials",
            "client_id": self._settings.app_id,
            "client_secret": self._settings.app_password.get_secret_value(),
            "scope": self._settings.scope,
        }
        try:
            async with self._connections().post(self._settings.token_url, data=form) as found:
                answer = await _json(found)
                status = found.status
        except (aiohttp.ClientError, TimeoutError) as error:
            raise Later(type(error).__name__) from error
        token, lasts = answer.get("access_token"), answer.get("expires_in")
        if status == 200 and isinstance(token, str) and isinstance(lasts, int | float):
            return token, float(lasts)
        code = answer.get("error")
        named = code if isinstance(code, str) else str(status)
        if status in (400, 401, 403, 404):
            raise Shut(named)
        raise Later(named)

    def _connections(self) -> aiohttp.ClientSession:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=CALL_S, sock_connect=CALL_S / 3)
            # No limit of connections: at 50 presses a second each answer may take seconds.
            connector = aiohttp.TCPConnector(limit=0)
            self._session = aiohttp.ClientSession(connector=connector, timeout=timeout)
        return self._session


def _remember(known: OrderedDict[str, str], name: str, value: str) -> None:
    known[name] = value
    known.move_to_end(name)
    if len(known) > MOST_REMEMBERED:
        known.popitem(last=False)


def _talk(conversation: str, thread: str | None) -> str:
    whole = conversation if thread is None else f"{conversation};messageid={thread}"
    return f"conversations/{quote(whole, safe='')}"


async def _json(found: aiohttp.ClientResponse) -> dict[str, Any]:
    """The answer's object; {} where it is none."""
    try:
        answer = await found.json(content_type=None)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _code(answer: dict[str, Any]) -> str:
    error = answer.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return code if isinstance(code, str) else ""
