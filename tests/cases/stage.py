"""One part's world: the real broker, store, clock, resume and channels' way in, over a real Redis.

Time is the store's; it passes from one due moment to the next, as it would for a clock that runs. A
restart throws every object of the gateway away; only Redis, the chats and the run's receiver stay.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Self
from uuid import uuid4

import redis.asyncio
from aiohttp import web
from standardwebhooks.webhooks import Webhook as Signer

from channels.desk import desk_for
from channels.inbound.actors import Everyone
from channels.inbound.interactions import Interactions
from channels.inbound.mine import Mine
from channels.worker import Outlet, Worker
from gateway.ask import Run, Webhook
from gateway.broker import Broker
from gateway.clock import Clock
from gateway.conversations import Conversations
from gateway.feed import Feed
from gateway.people import People
from gateway.person import Caller, Person, Role, Tenant
from gateway.posts import Posts
from gateway.redis_store import open_store
from gateway.resume import Resume
from gateway.routes import Route
from gateway.waiting import Waiters
from gateway.webhook import Poster
from tests.cases import reading
from tests.screens import CHAT, Screen, target_of
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from channels.contract import Interaction, Response, Tell
    from gateway.ask import Ask, AskRecord
    from gateway.embedded_redis import EmbeddedRedis
    from gateway.redis_store import RedisStore
    from gateway.routes import Target
    from tests.cases.reading import Json, Part

TENANT = "acme"
AGENT = Caller(TENANT, Role.AGENT, "agent:asker", content=True, agent="asker")
NAME = "cases"
"""The gateway's, after a restart too, so that it need not wait for its own lease to run out."""

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
RESUMED_WITHIN_S = 10.0
"""Ours: a webhook goes out at once; a busy machine gets its time."""


@dataclass
class Receiver:
    """Where the runs' webhooks arrive: what each run was told, signatures checked."""

    told: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    address: str = ""

    async def receive(self, request: web.Request) -> web.Response:
        body = await request.text()
        at = datetime.fromtimestamp(int(request.headers["webhook-timestamp"])).astimezone()
        wanted = Signer(SECRET).sign(request.headers["webhook-id"], at, body)
        if request.headers["webhook-signature"] != wanted:
            return web.Response(status=401)
        self.told[request.match_info["run"]].append(json.loads(body)["data"])
        return web.Response()

    def outcome_ids(self, run: str) -> set[str]:
        """The distinct outcomes that the run was told."""
        return {told["outcome_id"] for told in self.told[run]}


class Stage:
    """One part's world. Open with `async with`."""

    def __init__(self, engine: EmbeddedRedis, part: Part) -> None:
        self._engine = engine
        self._part = part
        self.receiver = Receiver()
        self.chat = Screen(self.now)
        self.said: list[tuple[str, Tell]] = []
        self.ids: dict[str, str] = {}
        self._targets: dict[str, list[Target]] = {}
        self._skew = timedelta()
        self._runs: dict[str, str] = {}
        self._stack = AsyncExitStack()
        self._gateway: AsyncExitStack | None = None

    async def __aenter__(self) -> Self:
        await self._serve_receiver()
        await self._start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stop()
        await self._stack.aclose()

    async def _serve_receiver(self) -> None:
        app = web.Application()
        app.router.add_post("/{run}", self.receiver.receive)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        self._stack.push_async_callback(runner.cleanup)
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.receiver.address = f"http://{host}:{port}"

    # The gateway's life

    async def _start(self) -> None:
        stack = AsyncExitStack()
        self._gateway = stack
        self.store: RedisStore = await open_store(self._engine.url)
        stack.push_async_callback(self.store.aclose)
        self._move()
        waiters = Waiters(self.store)
        self.broker = Broker(self.store, waiters)
        self.conversations = Conversations(self.store)
        everyone = Everyone(
            People(self._people()), {TENANT: Tenant(id=TENANT, name=TENANT)}, self._routes()
        )
        self.clock = Clock(self.store, self.broker, NAME)
        outlet = Outlet(self.chat, CHAT)
        self.worker = Worker(
            self.broker,
            self.conversations,
            Posts(self.store, NAME),
            everyone,
            dict.fromkeys((*reading.CHANNELS, reading.NO_PLATFORM), outlet),
            self._routed,
        )
        interactions = Interactions(self.broker, self.conversations, everyone)
        mine = Mine(self.broker, self.conversations, everyone)
        self.desk = desk_for(self.worker, interactions, mine, everyone)
        poster = await stack.enter_async_context(Poster(lambda _: True))
        tasks = [
            asyncio.create_task(Resume(self.store, poster, NAME).run()),
            asyncio.create_task(self.worker.run(Feed(self.store, NAME))),
        ]
        stack.push_async_callback(_end, tasks)

    async def _stop(self) -> None:
        if self._gateway is not None:
            await self._gateway.aclose()
            self._gateway = None

    async def restart(self, *, engine: bool) -> None:
        """Every object of the gateway is thrown away and made anew; the engine dies with it."""
        await self._stop()
        if engine:
            await self._kill_engine()
        await self._start()

    async def _kill_engine(self) -> None:
        """Kills the server outright, and waits for the one that its supervisor starts."""
        killed = self._engine.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        await until(lambda: self._answers(killed), "the engine is back")

    async def _answers(self, killed: int) -> bool:
        if self._engine.pid in (None, killed):
            return False
        async with redis.asyncio.Redis.from_url(self._engine.url) as client:
            try:
                return bool(await client.ping())
            except redis.RedisError:
                return False

    # Who and where

    def _people(self) -> Sequence[Person]:
        named = {who for ask in self._part.asks for who in ask["may_answer"]}
        return [self._person(who) for who in sorted(named) if not who.startswith("group:")]

    def _person(self, who: str) -> Person:
        channel, _, account = who.rpartition(":")
        channels = (channel,) if channel else (*reading.CHANNELS, reading.NO_PLATFORM)
        return Person(
            id=who,
            tenant=TENANT,
            name=who,
            role=Role.OPERATOR,
            content=True,
            zone=self._of(who, "tz"),
            locale=self._of(who, "locale"),
            identities=tuple(f"{name}:{account}" for name in channels),
        )

    def _of(self, who: str, key: str) -> str | None:
        """What the asks that this person may answer say of them."""
        mine = (ask for ask in self._part.asks if who in ask["may_answer"])
        return next((ask[key] for ask in mine if key in ask), None)

    def _routes(self) -> Sequence[Route]:
        return [
            Route(conversation=place.name, tenant=TENANT, content=True, answer=True)
            for ask in self._part.asks
            if any(who.startswith("group:") for who in ask["may_answer"])
            for place in [reading.where(ask["where"])]
        ]

    def _routed(self, ask: Ask, *, fallback: bool) -> Sequence[Target]:
        return () if fallback else self._targets.get(ask.call_id, ())

    # Time

    async def now(self) -> datetime:
        return await self.store.now()

    def _move(self) -> None:
        self.store._link.skew_ms = int(self._skew.total_seconds() * 1000)

    async def set_time(self, to: datetime) -> None:
        """The clock says so, and nothing has happened until then."""
        self._skew += to - await self.now()
        self._move()

    async def pass_time(self, to: datetime) -> None:
        """Time passes until then, with a clock that looks at each due moment."""
        while True:
            await self._look()
            due = await self.store.due(NAME, 1)
            if due.next_at is None or due.next_at > to:
                break
            await self.set_time(due.next_at)
        if to > await self.now():
            await self.set_time(to)
        await self._look()

    async def _look(self) -> None:
        while await self.clock.look() == 0.0:
            pass

    # Asks and people

    async def open(self, given: Json) -> None:
        """Opens an ask of the case on its run, and waits until it is posted."""
        run_id = self._runs.setdefault(given["run"], f"job-{uuid4()}")
        webhook = Webhook(url=f"{self.receiver.address}/{given['run']}", secret=SECRET)
        run = Run(
            id=run_id, tenant=TENANT, agent="asker", ladder=reading.ladder(given), webhook=webhook
        )
        await self.broker.create_run(AGENT, run)
        for time in (given.get("now"), given.get("created_at")):
            if time is not None:
                await self.set_time(reading.moment(time))
        surfaces = [s for s in given.get("surfaces", [given["where"]]) if s != "console"]
        call_id = f"{given['id']} {uuid4()}"
        self._targets[call_id] = [target_of(reading.where(surface)) for surface in surfaces]
        timeout = reading.timeout(given)
        audience = [who for who in given["may_answer"] if not who.startswith("group:")]
        if "contract" in given:
            standing = await self.broker.open(
                AGENT,
                run_id,
                tool=given["contract"],
                arguments=reading.arguments(given),
                call_id=call_id,
                audience=audience,
            )
        else:
            standing = await self.broker.open_question(
                AGENT,
                run_id,
                reading.question(given),
                call_id=call_id,
                kind=reading.kind(given),
                timeout_s=None if timeout is None else int(timeout.total_seconds()),
                audience=audience,
            )
        assert standing.record is not None
        ask_id = standing.record.ask.id
        self.ids[given["id"]] = ask_id
        await until(lambda: self.chat.post_of(ask_id), "the ask is posted")

    async def record(self, name: str) -> AskRecord:
        record = await self.store.read(self.ids[name])
        assert record is not None
        return record

    async def act(self, who: str, interaction: Interaction) -> Response:
        """Hands in what a channel would, and keeps what is said back."""
        response = await self.desk.handle(interaction)
        self.said += [(who, tell) for tell in response.tells]
        return response

    async def resumes(self, run: str) -> int:
        """How many distinct outcomes the run was told, once nothing is owed to it."""
        for ask in self._part.asks:
            if ask["run"] == run:
                ask_id = self.ids[ask["id"]]

                async def paid(ask_id: str = ask_id) -> bool:
                    return not await self.store.owes(ask_id)

                await until(paid, f"{run} is told", RESUMED_WITHIN_S)
        return len(self.receiver.outcome_ids(run))


async def _end(tasks: Sequence[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
