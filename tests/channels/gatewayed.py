"""A whole gateway over a real Redis, with channels that talk to fake platforms.

The parts and their composition are those of `oz0 up`; a test opens asks, acts in the platform as a
person, and looks at the platform and at the record.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any

from gateway.api.hooks import serving_hooks
from gateway.ask import AskKind, AskRecord, Run
from gateway.broker import Broker
from gateway.cli.chats import Chats, installed_channels, open_chats
from gateway.clock import Clock
from gateway.config import Bind, load
from gateway.feed import Feed
from gateway.people import People
from gateway.person import Caller, Role
from gateway.posts import Posts
from gateway.question import Question
from gateway.redis_store import RedisStore, open_store
from gateway.waiting import Waiters
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    import pytest

    from gateway.config import Config
    from gateway.question import Field

AGENT = Caller("default", Role.AGENT, "agent:asker", agent="asker")

_numbers = count(1)


@dataclass(slots=True)
class Gatewayed:
    """One replica. `hooks` is the address that platforms call."""

    config: Config
    store: RedisStore
    broker: Broker
    chats: Chats
    hooks: str = ""

    async def ask(
        self,
        *fields: Field,
        prompt: str = "Which colour should the report use?",
        kind: AskKind = AskKind.QUESTION,
        conversation: str | None = None,
        tags: Sequence[str] = (),
        destinations: Sequence[str] = (),
        audience: Sequence[str] = (),
        waits: timedelta = timedelta(hours=4),
        typed: bool = False,
    ) -> str:
        """An ask of a run of its own; its id."""
        run_id = f"job-{next(_numbers)}"
        run = Run(
            id=run_id, tenant="default", agent="asker", conversation=conversation, tags=tuple(tags)
        )
        await self.broker.create_run(AGENT, run)
        standing = await self.broker.open_question(
            AGENT,
            run_id,
            Question(prompt=prompt, fields=fields, typed=typed),
            call_id="c",
            kind=kind,
            timeout_s=int(waits.total_seconds()),
            audience=audience,
            destinations=destinations,
        )
        assert standing.record is not None
        return standing.record.ask.id

    async def tool(self, tool: str, arguments: Any) -> str:
        """An ask by one of the three tools; its id."""
        run_id = f"job-{next(_numbers)}"
        await self.broker.create_run(AGENT, Run(id=run_id, tenant="default", agent="asker"))
        standing = await self.broker.open(
            AGENT, run_id, tool=tool, arguments=arguments, call_id="c"
        )
        assert standing.record is not None
        return standing.record.ask.id

    async def record(self, ask_id: str) -> AskRecord:
        record = await self.store.read(ask_id)
        assert record is not None
        return record

    async def ended(self, ask_id: str, within_s: float = 10.0) -> AskRecord:
        """The ask, once it has ended. Raises: TimeoutError."""

        async def over() -> bool:
            return not (await self.record(ask_id)).pending

        await until(over, "the ask ends", within_s=within_s)
        return await self.record(ask_id)

    async def where(self, ask_id: str) -> Mapping[str, str]:
        """The state of its posts, by place."""
        posts = await Posts(self.store, "test").of(ask_id)
        return {place: post.state.value for place, post in posts.items()}

    async def closed(self, ask_id: str, within_s: float = 10.0) -> None:
        """Returns once all its posts show that it has ended. Raises: TimeoutError."""

        async def over() -> bool:
            posts = await Posts(self.store, "test").of(ask_id)
            return bool(posts) and all(post.closed for post in posts.values())

        await until(over, "its posts show the end", within_s=within_s)


class Slow:
    """A store that does not say what waits in a conversation until it `goes_on`.

    `times` it was asked so far, which every message begins with.
    """

    def __init__(self, made: Gatewayed, monkeypatch: pytest.MonkeyPatch) -> None:
        self.asked, self.goes_on = asyncio.Event(), asyncio.Event()
        self.times = 0
        self._joined = made.store.joined
        monkeypatch.setattr(made.store, "joined", self._late)

    async def _late(self, conversation: str) -> Mapping[str, str]:
        self.times += 1
        self.asked.set()
        await self.goes_on.wait()
        return await self._joined(conversation)


def settings(
    tables: Mapping[str, Mapping[str, Any]], people: str, routes: str, folder: Path
) -> Config:
    """The config with those `[channel.…]` tables, and the TOML of its people and routes."""
    models = {name: channel.settings for name, channel in installed_channels().items()}
    text = "\n".join((people, routes, *(_table(name, one) for name, one in tables.items())))
    return load(text, {"HOME": str(folder)}, folder=folder, channels=lambda: models)


def _table(name: str, values: Mapping[str, Any]) -> str:
    def written(value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        return str(value) if isinstance(value, int | float) else f'"{value}"'

    lines = [f"{key} = {written(value)}" for key, value in values.items()]
    return "\n".join((f"[channel.{name}]", *lines))


@asynccontextmanager
async def gateway(config: Config, url: str, name: str = "w1") -> AsyncIterator[Gatewayed]:
    """A replica of that name, working; cancelled and closed at the end, as SIGTERM does."""
    async with AsyncExitStack() as stack:
        store = await open_store(url)
        stack.push_async_callback(store.aclose)
        waiters = Waiters(store)
        broker = Broker(store, waiters)
        people = People(config.people)
        chats = await stack.enter_async_context(
            open_chats(config, installed_channels(), store, broker, people, name)
        )
        made = Gatewayed(config, store, broker, chats)
        if chats.routes():
            hooks = serving_hooks(chats.routes(), Bind("127.0.0.1", 0), finish_s=1.0)
            made.hooks = await stack.enter_async_context(hooks)
        tasks = [
            asyncio.create_task(waiters.run()),
            asyncio.create_task(Clock(store, broker, name).run()),
            asyncio.create_task(chats.worker.run(Feed(store, name))),
            *(asyncio.create_task(chats.listen(one)) for one in chats.transports),
        ]
        await waiters.hearing.wait()
        try:
            yield made
        finally:
            while pending := [task for task in tasks if not task.done()]:
                for task in pending:
                    task.cancel()
                await asyncio.wait(pending, timeout=0.5)
