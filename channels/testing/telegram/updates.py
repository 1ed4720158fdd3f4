"""What the bot is told, and how it takes it: asked for (getUpdates) or posted to it (a webhook).

An update is there until it is confirmed: by a higher offset, or by a 2xx of the webhook.
"""

from __future__ import annotations

import asyncio
import re
from asyncio import FIRST_COMPLETED
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import aiohttp

from channels.testing.telegram.refusals import bad, conflict

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LONGEST_POLL_S = 50
"""The server's cap on `timeout` of getUpdates."""
BATCH = 100
"""Bot API, getUpdates.limit: 1-100, and what it is where it is out of that."""
PORTS = (443, 80, 88, 8443)
"""Bot API, setWebhook: ports supported for webhooks."""
CONNECTIONS = (1, 100, 40)
"""Bot API, setWebhook.max_connections: least, most, default."""
SECRET = re.compile(r"[A-Za-z0-9_-]{1,256}")
"""Bot API, setWebhook.secret_token."""
RETRY_S = 1.0
"""The server's first delay, doubled each time; the first try again comes at once."""
LONGEST_RETRY_S = 60.0
"""The server's WEBHOOK_MAX_RESEND_TIMEOUT."""
LONGEST_RETRY_AFTER_S = 3600.0
"""The server's cap on what a webhook's own Retry-After asks for."""
ANSWER_WITHIN_S = 60.0
"""Ours: how long a webhook may take. The server's number is not documented."""
AHEAD = 10
"""The server (TQueue::get): an offset so far beyond what comes next is none."""
FIRST_UPDATE = 700_000_001
"""Ours. The platform starts anywhere."""

KINDS = frozenset(
    (
        *("message", "edited_message", "channel_post", "edited_channel_post"),
        *("callback_query", "my_chat_member", "chat_member"),
    )
)
"""What this fake delivers."""
ASKED_FOR = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
"""Bot API, getUpdates.allowed_updates: left out unless it is named."""


@dataclass(slots=True)
class Webhook:
    """Where updates are posted to."""

    url: str
    secret: str | None
    connections: asyncio.Semaphore
    max_connections: int
    error: tuple[int, str] | None = None
    """When the last try failed (Unix seconds), and why."""


@dataclass(eq=False, slots=True)
class Pending:
    """An update that is not confirmed. Within `line` (a chat, or someone's presses) order holds."""

    id: int
    line: str
    body: dict[str, Any]
    again: bool = False
    tries: int = 0


@dataclass(eq=False, slots=True)
class _Poll:
    ended: asyncio.Future[str]
    """Why somebody else's call ended this one."""


@dataclass
class Updates:
    """The queue of one bot. `reply` runs the call a webhook may put in its answer.

    `changed` wakes those who wait for something here.
    """

    now: Callable[[], float]
    spawn: Callable[[Awaitable[None]], None]
    reply: Callable[[str, dict[str, Any]], Awaitable[None]]
    changed: Callable[[], Awaitable[None]]
    retry_s: float = RETRY_S
    leads: dict[str, str] = field(default_factory=dict)
    """Where a public URL leads on this machine."""
    pending: list[Pending] = field(default_factory=list)
    made: list[dict[str, Any]] = field(default_factory=list)
    """Every update there ever was."""
    allowed: frozenset[str] | None = None
    webhook: Webhook | None = None
    held: bool = False
    """While true, nothing is handed out; it keeps coming in."""
    _next: int = FIRST_UPDATE
    _poll: _Poll | None = None
    _sent: deque[Pending] = field(default_factory=lambda: deque(maxlen=1000))
    _lines: set[str] = field(default_factory=set)
    _come: asyncio.Event = field(default_factory=asyncio.Event)
    _session: aiohttp.ClientSession | None = None

    # In

    def add(self, kind: str, line: str, body: dict[str, Any]) -> None:
        """Something happened, told if the bot takes that kind."""
        if kind not in (KINDS - ASKED_FOR if self.allowed is None else self.allowed):
            return
        update: dict[str, Any] = {"update_id": self._next, kind: body}
        self._next += 1
        self.made.append(update)
        self.pending.append(Pending(update["update_id"], line, update))
        self.wake()

    def count_anew(self, first: int) -> None:
        """The next update has that id."""
        self._next = first

    def repeat(self, count: int) -> None:
        """The last updates that were taken come once more, as where a confirmation was lost."""
        for one in list(self._sent)[-count:]:
            self.pending.append(Pending(one.id, one.line, one.body, again=True))
        self.wake()

    def wake(self) -> None:
        self._come.set()
        self._come = asyncio.Event()
        self._post()

    # Out, asked for

    async def poll(self, params: dict[str, Any]) -> list[dict[str, Any]]:
        """The updates there are, waited for up to `timeout` seconds. Raises: Refused (409)."""
        if self.webhook is not None:
            raise conflict(
                "can't use getUpdates method while webhook is active; "
                "use deleteWebhook to delete the webhook first"
            )
        self.end_poll(
            "terminated by other getUpdates request; "
            "make sure that only one bot instance is running"
        )
        self.allow(params.get("allowed_updates"))
        self._confirm(params.get("offset") or 0)
        limit = params.get("limit") or BATCH
        limit = limit if 1 <= limit <= BATCH else BATCH
        self._poll = mine = _Poll(asyncio.get_running_loop().create_future())
        await self.changed()
        try:
            async with asyncio.timeout(min(params.get("timeout") or 0, LONGEST_POLL_S)):
                while not self._ready():
                    come = asyncio.create_task(self._come.wait())
                    try:
                        await asyncio.wait((come, mine.ended), return_when=FIRST_COMPLETED)
                    finally:
                        come.cancel()
                    if mine.ended.cancelled():
                        raise ConnectionResetError("the long poll was cut")
                    if mine.ended.done():
                        raise conflict(mine.ended.result())
        except TimeoutError:
            return []
        finally:
            if self._poll is mine:
                self._poll = None
        return [self._hand_out(one) for one in self._ready()[:limit]]

    @property
    def polling(self) -> bool:
        """Whether a long poll is open right now."""
        return self._poll is not None

    def end_poll(self, why: str) -> None:
        """The open long poll is answered with a conflict."""
        if self._poll is not None and not self._poll.ended.done():
            self._poll.ended.set_result(why)
        self._poll = None

    def cut_poll(self) -> None:
        """The open long poll ends without an answer."""
        if self._poll is not None:
            self._poll.ended.cancel()
        self._poll = None

    def _ready(self) -> list[Pending]:
        return [] if self.held else self.pending

    def _hand_out(self, one: Pending) -> dict[str, Any]:
        if one.again:
            self.pending.remove(one)
        elif one not in self._sent:
            self._sent.append(one)
        return one.body

    def _confirm(self, offset: int) -> None:
        if offset < 0:
            self.pending = self.pending[offset:]
        elif 0 < offset <= self._next + AHEAD:
            self.pending = [one for one in self.pending if one.again or one.id >= offset]

    def allow(self, kinds: Any) -> None:
        """Which kinds the bot takes from now on; None leaves it as it is, an empty list resets."""
        if isinstance(kinds, list):
            self.allowed = frozenset(kinds) or None

    # Out, posted

    def set_webhook(self, params: dict[str, Any]) -> None:
        """Where updates go from now on; without `url` they wait. Raises: Refused."""
        url = str(params.get("url") or "")
        if url:
            self.end_poll("terminated by setWebhook request")
        hook = self._checked(url, params) if url else None
        if params.get("drop_pending_updates"):
            self.pending.clear()
        self.allow(params.get("allowed_updates"))
        self.webhook = hook
        self._post()

    def _checked(self, url: str, params: dict[str, Any]) -> Webhook:
        parts = urlsplit(url)
        if parts.scheme != "https":
            raise bad("bad webhook: An HTTPS URL must be provided for webhook")
        if (parts.port or 443) not in PORTS:
            raise bad("bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
        secret = params.get("secret_token")
        if secret and not SECRET.fullmatch(secret):
            raise bad("secret token contains unallowed characters")
        least, most, default = CONNECTIONS
        wanted = params.get("max_connections") or default
        wanted = min(max(wanted, least), most)
        return Webhook(url, secret or None, asyncio.Semaphore(wanted), wanted)

    def info(self) -> dict[str, Any]:
        """A WebhookInfo."""
        hook = self.webhook
        shown: dict[str, Any] = {
            "url": hook.url if hook else "",
            "has_custom_certificate": False,
            "pending_update_count": len(self.pending),
        }
        if hook:
            shown["max_connections"] = hook.max_connections
            if hook.error:
                shown["last_error_date"], shown["last_error_message"] = hook.error
        if self.allowed:
            shown["allowed_updates"] = sorted(self.allowed)
        return shown

    def _post(self) -> None:
        if self.webhook is None or self.held:
            return
        for line in dict.fromkeys(one.line for one in self.pending):
            if line not in self._lines:
                self._lines.add(line)
                self.spawn(self._drain(line, self.webhook))

    async def _drain(self, line: str, hook: Webhook) -> None:
        """One line's updates, one after another, until there is none or the webhook is another."""
        try:
            while not self.held and self.webhook is hook:
                one = next((one for one in self.pending if one.line == line), None)
                if one is None:
                    return
                async with hook.connections:
                    wait_s = await self._try(one, hook)
                if wait_s is None:
                    if one in self.pending:
                        self.pending.remove(one)
                    if not one.again:
                        self._sent.append(one)
                await self.changed()
                if wait_s:
                    await asyncio.sleep(wait_s)
        finally:
            self._lines.discard(line)
            if self.webhook is not hook:
                self._post()

    async def _try(self, one: Pending, hook: Webhook) -> float | None:
        """None: taken. Else the seconds until the next try."""
        headers = {"X-Telegram-Bot-Api-Secret-Token": hook.secret} if hook.secret else {}
        one.tries += 1
        after = 0.0
        try:
            async with self._client().post(
                self.leads.get(hook.url, hook.url), json=one.body, headers=headers
            ) as answer:
                if answer.ok:
                    await self._reply(answer)
                    return None
                why = f"Wrong response from the webhook: {answer.status} {answer.reason}"
                asked = answer.headers.get("Retry-After", "")
                after = min(float(asked), LONGEST_RETRY_AFTER_S) if asked.isdecimal() else 0.0
        except (aiohttp.ClientError, TimeoutError) as error:
            why = f"Connection to the webhook failed: {type(error).__name__}"
        hook.error = (int(self.now()), why)
        if after or one.tries == 1:
            return after
        return float(min(self.retry_s * 2 ** (one.tries - 1), LONGEST_RETRY_S))

    async def _reply(self, answer: aiohttp.ClientResponse) -> None:
        if answer.content_type == "application/json":
            call = await answer.json()
            if isinstance(call, dict) and isinstance(call.get("method"), str):
                await self.reply(call.pop("method"), call)

    def _client(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=aiohttp.ClientTimeout(total=ANSWER_WITHIN_S)
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
