"""One gateway's API on a real socket, and callers with tokens of every kind.

The parts are put together as `oz0 up` does it, without the clock and the webhooks.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from gateway.api import Parts, build_app, serving
from gateway.broker import Broker
from gateway.clock import Clock
from gateway.config import Settings
from gateway.memory_store import MemoryStore
from gateway.metrics import Metrics
from gateway.people import People
from gateway.person import Person, Role, Tenant
from gateway.posts import Posts
from gateway.redis_store import RedisStore, open_store
from gateway.routes import Route
from gateway.tokens import Grant, Tokens
from gateway.waiting import Waiters

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gateway.store import Store

ONE_STORE = pytest.mark.parametrize("gw", ["memory"], indirect=True)
"""For tests of what is said and read, which never comes to the store: once is enough."""

RUN = "job-0a9dc2d1-0000-4000-8000-000000000001"

PEOPLE = (
    Person(id="kevin", tenant="acme", name="Kevin", role=Role.OWNER, content=True),
    Person(
        id="U1",
        tenant="acme",
        name="Una",
        role=Role.OPERATOR,
        content=True,
        zone="Europe/Berlin",
        email="una@example.com",
        identities=("telegram:1001",),
    ),
    Person(id="U2", tenant="acme", name="Ugo", role=Role.OPERATOR, content=True),
    Person(id="rita", tenant="acme", name="Rita", role=Role.READER, content=True),
)

GRANTS: Mapping[str, tuple[str, Grant]] = {
    "owner": ("acme", Grant(name="owner", role=Role.OWNER, content=True)),
    "admin": ("acme", Grant(name="admin", role=Role.ADMIN, content=True)),
    "blind_admin": ("acme", Grant(name="blind", role=Role.ADMIN)),
    "operator": ("acme", Grant(name="admin", role=Role.OPERATOR, content=True)),
    "blind": ("acme", Grant(name="blind", role=Role.OPERATOR)),
    "reader": ("acme", Grant(name="seeing", role=Role.READER, content=True)),
    "blind_reader": ("acme", Grant(name="blind", role=Role.READER)),
    "agent": ("acme", Grant(name="asker", role=Role.AGENT, agent="asker")),
    "granted": ("acme", Grant(name="granted", role=Role.AGENT, agent="asker", answer=True)),
    "other_agent": ("acme", Grant(name="other", role=Role.AGENT, agent="other")),
    "kevin": ("acme", Grant(name="kevin", role=Role.OWNER, content=True, person="kevin")),
    "U1": ("acme", Grant(name="u1", role=Role.OPERATOR, content=True, person="U1")),
    "U2": ("acme", Grant(name="u2", role=Role.OPERATOR, content=True, person="U2")),
    "rival": ("rival", Grant(name="owner", role=Role.OWNER, content=True)),
}
"""Every kind of caller. `operator` is known as `operator:admin`, as in the first original."""


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    body: Any
    headers: Mapping[str, str]

    @property
    def code(self) -> str:
        """The code of a refusal."""
        return str(self.body["code"])

    @property
    def paths(self) -> list[str]:
        """Where the problems are."""
        return [problem["path"] for problem in self.body["problems"]]


class Client:
    """Calls with one token."""

    def __init__(self, session: aiohttp.ClientSession, base: str, secret: str | None) -> None:
        self._session = session
        self._base = base
        self.secret = secret

    async def get(self, path: str, **headers: str) -> Answer:
        return await self.call("GET", path, None, headers)

    async def post(self, path: str, body: Any = None, **headers: str) -> Answer:
        raw = None if body is None else json.dumps(body).encode()
        return await self.call("POST", path, raw, headers)

    async def delete(self, path: str) -> Answer:
        return await self.call("DELETE", path, None, {})

    async def call(
        self, method: str, path: str, raw: bytes | None, headers: Mapping[str, str]
    ) -> Answer:
        """Header names are given as keywords: `idempotency_key="k"`."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret is not None:
            sent.setdefault("Authorization", f"Bearer {self.secret}")
        if raw is not None:
            sent.setdefault("Content-Type", "application/json")
        async with self._session.request(
            method, self._base + path, data=raw and BytesIO(raw), headers=sent
        ) as response:
            text = await response.text()
            is_json = response.content_type == "application/json"
            return Answer(response.status, json.loads(text) if is_json else text, response.headers)


@dataclass
class Gateway:
    """One process's API."""

    base: str
    parts: Parts
    session: aiohttp.ClientSession
    time: Time
    secrets: dict[str, str] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)
    calls: Iterator[int] = field(default_factory=count)

    def as_(self, who: str) -> Client:
        """Calls as that caller of `GRANTS`."""
        return Client(self.session, self.base, self.secrets[who])

    def nobody(self) -> Client:
        """Calls without a token."""
        return Client(self.session, self.base, None)

    async def run(self, run_id: str = RUN, **values: Any) -> str:
        """A run of the agent `asker`, made at the first call; its id."""
        if run_id in self.runs:
            return run_id
        made = await self.as_("agent").post("/v1/runs", {"id": run_id, **values})
        assert made.status == 201, made.body
        self.runs.add(run_id)
        return run_id

    async def ask(
        self, arguments: Any, tool: str = "oz.ask_user", run: str = RUN, **more: Any
    ) -> str:
        """Opens an ask of a run, which is made where it is missing; the ask's id."""
        await self.run(run)
        body = {"tool": tool, "arguments": arguments, "call_id": f"call-{next(self.calls)}", **more}
        made = await self.as_("agent").post(f"/v1/runs/{run}/asks", body)
        assert made.status == 201, made.body
        return str(made.body["ask"]["id"])

    async def deploy(self, **more: Any) -> str:
        """The default ask of the scenarios: three options and Other."""
        options = ["Staging", "Production", "Cancel"]
        arguments = {"question": "Where should build 41 go?", "options": options}
        return await self.ask(arguments, "ask_a_human", **more)

    async def approval(self, prompt: str = "Refund it?", **more: Any) -> str:
        """Opens an approval; the ask's id."""
        await self.run()
        call_id = f"call-{next(self.calls)}"
        body = {"kind": "approval", "prompt": prompt, "call_id": call_id, **more}
        made = await self.as_("agent").post(f"/v1/runs/{RUN}/asks", body)
        assert made.status == 201, made.body
        return str(made.body["ask"]["id"])

    async def answer(
        self, ask_id: str, value: Any, who: str = "operator", **headers: str
    ) -> Answer:
        """Tries to answer an ask; what came back."""
        body = {"answer": value}
        return await self.as_(who).post(f"/v1/asks/{ask_id}/answer", body, **headers)

    async def status(self, ask_id: str) -> str:
        """How the ask stands."""
        read = await self.as_("owner").get(f"/v1/asks/{ask_id}")
        return str(read.body["ask"]["status"])

    async def endings(self, run: str = RUN) -> int:
        """How many asks of a run have ended: its resumes, each of them once."""
        told = await self.as_("owner").get(f"/v1/runs/{run}/history")
        kinds = ("ask.answered", "ask.declined", "ask.expired", "ask.cancelled")
        return sum(event["type"] in kinds for event in told.body["events"])

    async def pass_time(self, span: timedelta) -> None:
        """Moves the store's clock on, and fires what is due then."""
        self.time.move(self.parts.store, span)
        clock = Clock(self.parts.store, self.parts.broker, "tests")
        while await clock.look() == 0.0:
            pass


class Time:
    """The store's clock, which tests may move on."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def move(self, store: Store, span: timedelta) -> None:
        self.ahead += span
        if isinstance(store, RedisStore):
            store._link.skew_ms = self.ahead // timedelta(milliseconds=1)


ROUTES = (
    Route(conversation="slack:C1", tenant="acme"),
    Route(conversation="slack:C2", tenant="acme", agents=("other",)),
)


@asynccontextmanager
async def gateway(url: str | None, folder: Path, **settings: Any) -> AsyncIterator[Gateway]:
    """A gateway over that Redis, or over memory."""
    time = Time()
    store: Store = MemoryStore(time.now) if url is None else await open_store(url)
    people = People(PEOPLE)
    waiters = Waiters(store)
    metrics = Metrics()
    parts = Parts(
        broker=Broker(store, waiters, metrics),
        store=store,
        people=people,
        tenants={"acme": Tenant(id="acme", name="Acme", zone="Asia/Jakarta")},
        tokens=Tokens(store, people),
        waiters=waiters,
        metrics=metrics,
        settings=Settings(data=folder, **settings),
        posts=Posts(store, "api"),
        routes=ROUTES,
    )
    async with AsyncExitStack() as stack:
        stack.push_async_callback(store.aclose)
        tasks = await stack.enter_async_context(_tasks())
        tasks.append(asyncio.create_task(waiters.run()))
        await waiters.hearing.wait()
        listener = stack.enter_context(_listener())
        await stack.enter_async_context(serving(build_app(parts), listener, finish_s=1.0))
        session = await stack.enter_async_context(
            aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        )
        base = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield Gateway(base, parts, session, time)


async def make_tokens(at: Gateway) -> None:
    """A token of every kind."""
    made = await asyncio.gather(*(at.parts.tokens.make(*given) for given in GRANTS.values()))
    at.secrets |= {who: secret for who, (_, secret) in zip(GRANTS, made, strict=True)}


@asynccontextmanager
async def _tasks() -> AsyncIterator[list[asyncio.Task[None]]]:
    tasks: list[asyncio.Task[None]] = []
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@contextmanager
def _listener() -> Iterator[socket.socket]:
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        yield listener
