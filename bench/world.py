"""A whole gateway in this process, over the bench's own engine: the real parts, none left out."""

from __future__ import annotations

import asyncio
import uuid
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from gateway.answer import from_plain
from gateway.ask import Run
from gateway.broker import Broker, Try
from gateway.group_reader import GroupReader
from gateway.person import Caller, Role
from gateway.redis_store import RedisStore, open_store
from gateway.resume import Resume
from gateway.store import Group
from gateway.waiting import Waiters
from gateway.webhook import Poster

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from gateway.answer import Values
    from gateway.ask import AskRecord

TENANT = "acme"
AGENT = Caller(tenant=TENANT, role=Role.AGENT, name="agent:bench", agent="bench")
OPERATOR = Caller(tenant=TENANT, role=Role.OPERATOR, name="operator:bench", content=True)

TOOL = "oz.ask_user"
ARGUMENTS: dict[str, Any] = {
    "question": "Order 4711 of Example Ltd was delivered twice, on Monday and again on Wednesday. "
    "The customer asks us to collect the second parcel. What should I arrange for them?",
    "choices": [
        "Collect the second parcel on Friday",
        "Let them keep it",
        "Ask for it back by post, with a label",
        "Pass it to the warehouse team",
    ],
}
"""A typical ask: about 600 bytes as it is stored."""

ANSWER = "Let them keep it"

BLOCK = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class World:
    store: RedisStore
    broker: Broker
    waiters: Waiters


@asynccontextmanager
async def world(url: str, *, partitions: int = 16) -> AsyncIterator[World]:
    """Store, broker, the tail's reader and the resume worker, running."""
    store = await open_store(url, partitions=partitions)
    waiters = Waiters(store)
    async with Poster() as poster:
        tasks = [
            asyncio.create_task(waiters.run()),
            asyncio.create_task(Resume(store, poster, f"resume-{uuid.uuid4().hex[:8]}").run()),
        ]
        try:
            await waiters.hearing.wait()
            yield World(store, Broker(store, waiters), waiters)
        finally:
            await stop(tasks)
            await store.aclose()


async def stop(tasks: list[asyncio.Task[Any]]) -> None:
    """Cancels until they are done: a cancel may be swallowed while redis-py connects."""
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=1)


async def new_run(broker: Broker) -> str:
    """The id of a fresh run."""
    run = Run(id=f"job-{uuid.uuid4()}", tenant=TENANT, agent="bench")
    return (await broker.create_run(AGENT, run)).run.id


@asynccontextmanager
async def worker(store: RedisStore, take: Callable[[str], Awaitable[None]]) -> AsyncIterator[None]:
    """Takes asks as a channel's worker does, and hands each to `take`."""
    reader = GroupReader(store, Group.DELIVER, f"deliver-{uuid.uuid4().hex[:8]}", 256)
    answering: set[asyncio.Task[None]] = set()

    async def work() -> None:
        while True:
            taken = await reader.take(BLOCK)
            for entry in taken:
                if entry.event is not None and entry.event.ask_id is not None:
                    task = asyncio.ensure_future(take(entry.event.ask_id))
                    answering.add(task)
                    task.add_done_callback(answering.discard)
            await reader.done(taken)

    tasks: list[asyncio.Task[Any]] = [asyncio.create_task(work())]
    try:
        yield
    finally:
        await stop(tasks)
        await asyncio.gather(*answering, return_exceptions=True)
        await reader.aclose()


async def answer(broker: Broker, ask_id: str) -> None:
    """Answers as an operator would: read, checked, settled."""

    def read(record: AskRecord) -> Values:
        return from_plain(record.ask.question, ANSWER)

    await broker.answer_with(OPERATOR, ask_id, read, Try(f"bench:{ask_id}", "api"))
