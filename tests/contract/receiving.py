"""A real receiver of webhooks, and the worker that posts to it, one look at a time."""

from __future__ import annotations

import asyncio
import base64
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from aiohttp import web

from gateway.ask import Webhook
from gateway.broker import Broker
from gateway.clock import Clock
from gateway.resume import Resume
from gateway.waiting import Waiters
from gateway.webhook import Poster
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from gateway.store import Store
    from tests.contract.backends import Backend

SECRET = "whsec_" + base64.b64encode(b"a secret of twenty-four b").decode()
NO_WAIT = timedelta(milliseconds=1)


@dataclass
class Receiver:
    """A real receiver: what it got, and what it answers next."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    got: list[tuple[dict[str, str], str]] = field(default_factory=list)
    answers: asyncio.Event = field(default_factory=asyncio.Event)

    async def take(self, request: web.Request) -> web.Response:
        self.got.append((dict(request.headers), await request.text()))
        if not request.host.startswith("127.0.0.1"):
            await self.answers.wait()
        return web.Response(status=self.status, headers=self.headers)

    @property
    def hook(self) -> Webhook:
        return Webhook(url=self.url, secret=SECRET)

    def hanging(self, host: str = "localhost") -> Webhook:
        """The same by a name, under which it answers only once `answers` is set."""
        return Webhook(url=self.url.replace("127.0.0.1", host), secret=SECRET)


@asynccontextmanager
async def receiving() -> AsyncIterator[Receiver]:
    """A receiver on loopback, and on `localhost` by name."""
    made = Receiver()
    app = web.Application()
    app.router.add_post("/hook", made.take)
    app.router.add_get("/hook", made.take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    made.url = f"{site.name}/hook"
    yield made
    made.answers.set()
    await runner.cleanup()


@asynccontextmanager
async def resuming(store: Store, *, private: bool = True) -> AsyncIterator[Callable[[], Any]]:
    """A resume worker; calling what is given has it look, until nothing is on its way."""
    async with Poster(lambda _: private) as poster:
        worker = Resume(store, poster, "resume-1")

        async def look() -> None:
            for _ in range(2):  # the first may only have made the group
                await worker.work(NO_WAIT)
            await until(lambda: not worker.posting, "no post is under way")

        yield look


async def tick(backend: Backend, by: timedelta) -> None:
    """Time passes, and a clock looks."""
    backend.advance(by)
    await Clock(backend.store, Broker(backend.store, Waiters(backend.store)), "clock-1").look()
