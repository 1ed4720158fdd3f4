"""`oz0 demo`: a whole gateway, an agent that asks, and this terminal as the chat.

The engine, store, broker, clock, resume and worker are the real ones, in a folder that is gone
afterwards.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO
from uuid import uuid4

from babel import default_locale
from babel.dates import LOCALTZ
from rich.console import Console
from rich.text import Text

from channels.capabilities import PLAIN
from channels.catalogue import Language, Reader
from channels.desk import desk_for
from channels.inbound.actors import Everyone
from channels.inbound.interactions import Interactions
from channels.inbound.mine import Mine
from channels.terminal.lines import Lines
from channels.terminal.transport import CHANNEL, Terminal
from channels.worker import Outlet, Worker
from gateway.broker import Broker
from gateway.cli.demo_agent import Agent
from gateway.cli.failure import REFUSED, Failure
from gateway.clock import Clock
from gateway.config import Settings
from gateway.conversations import Conversations
from gateway.embedded_redis import EmbeddedRedis, EngineError
from gateway.feed import Feed
from gateway.people import People
from gateway.person import Person, Role, Tenant
from gateway.posts import Posts
from gateway.redis_store import open_store
from gateway.resume import Resume
from gateway.routes import Route, targets
from gateway.visible import one_line
from gateway.waiting import Waiters
from gateway.webhook import Poster

if TYPE_CHECKING:
    from collections.abc import Coroutine, Sequence

    from gateway.cli.transcript import Line

TENANT = Tenant(id="demo", name="the demo")
YOU = "you"
HEAR_WITHIN_S = 10.0
"""Ours, as for `oz0 up`: the log's tail is there within two round trips."""

STYLES = {"→": "dim", "?": "bold yellow", "▶": "bold green", "←": "cyan", "·": "dim"}

INTRO = (
    "An agent asks, and you answer in this terminal. The gateway, its Redis and the agent run in "
    "this process; nothing is kept."
)
NEXT = (
    "That was the demo. Next: `oz0 up` starts a gateway that keeps what it is told, and "
    "`oz0 tools` prints what your own agent can call."
)
ENDED = (
    "The input ended while the agent still asked. Nobody's silence is an answer, so its run was "
    "cancelled. Run `oz0 demo` again and answer each question, or pipe one line for each."
)


@dataclass
class Paper:
    """What the demo is written on. Colours stand on a terminal only."""

    console: Console
    wants: bool
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def post(self, text: str) -> None:
        self.console.print(Text(f"\n{text}\n"))

    def said(self, text: str) -> None:
        self.console.print(Text(text, style="bold"))

    def prompt(self) -> None:
        if self.wants:
            self.console.print(Text("> ", style="bold"), end="")

    def heard(self, line: str) -> None:
        if not self.wants:  # on a terminal it stands there already
            self.console.print(Text(f"> {one_line(line)}", style="bold"))

    def line(self, line: Line) -> None:
        self.console.print(Text(line.text, style=STYLES[line.mark]))

    def words(self, text: str) -> None:
        self.console.print(Text(text))


def main() -> int:
    """Runs the demo in this terminal; its exit code. Raises: Failure."""
    with tempfile.TemporaryDirectory(prefix="oz-demo-") as folder:
        try:
            return asyncio.run(demo(Settings(data=Path(folder)), sys.stdin, sys.stdout))
        except EngineError as error:
            raise Failure(error.message) from error


async def demo(settings: Settings, stdin: TextIO, stdout: TextIO) -> int:
    """0 once every question was answered; 1 when the input ended before.

    Raises: EngineError, Failure.
    """
    paper = Paper(_console(stdout), wants=stdin.isatty())
    paper.words(INTRO)
    async with AsyncExitStack() as stack:
        engine = EmbeddedRedis(settings.data, fsync=settings.fsync)
        await stack.enter_async_context(engine)
        store = await open_store(engine.url, partitions=settings.partitions)
        stack.push_async_callback(store.aclose)
        poster = await stack.enter_async_context(Poster(settings.may_reach_private))
        you = _you()
        waiters = Waiters(store)
        broker = Broker(store, waiters)
        conversations = Conversations(store)
        routes = (Route(person=YOU, tenant=TENANT.id),)
        everyone = Everyone(People([you]), {TENANT.id: TENANT}, routes)
        reader = Reader(Language(you.locale), zone=you.zone or TENANT.zone)
        name = uuid4().hex
        outlets: dict[str, Outlet] = {}
        worker = Worker(
            broker,
            conversations,
            Posts(store, name),
            everyone,
            outlets,
            partial(targets, routes, everyone.people),
        )
        interactions = Interactions(broker, conversations, everyone)
        desk = desk_for(worker, interactions, Mine(broker, conversations, everyone), everyone)
        lines = Lines(stdin.fileno())
        terminal = Terminal(YOU, reader, paper, lines, lambda: datetime.now(UTC), desk)
        outlets[CHANNEL] = Outlet(terminal, PLAIN)
        workers = (
            waiters.run(),
            Clock(store, broker, name).run(),
            Resume(store, poster, name).run(),
            worker.run(Feed(store, name)),
        )
        agent = Agent(broker, TENANT.id, paper.line)
        finished = await _play(agent, terminal.run(), workers, waiters, paper)
    paper.words(f"\n{NEXT if finished else ENDED}")
    return 0 if finished else REFUSED


async def _play(
    agent: Agent,
    answering: Coroutine[None, None, None],
    workers: Sequence[Coroutine[None, None, None]],
    waiters: Waiters,
    paper: Paper,
) -> bool:
    """Whether the agent finished before the input ended."""
    async with asyncio.TaskGroup() as group:
        working = [group.create_task(one) for one in workers]
        async with asyncio.timeout(HEAR_WITHIN_S):
            await waiters.hearing.wait()
        asks = group.create_task(agent.run(paper.lock))
        answers = group.create_task(answering)
        await asyncio.wait({asks, answers}, return_when=asyncio.FIRST_COMPLETED)
        finished = asks.done()
        if not finished:
            asks.cancel()
            await agent.stop()
        for task in (answers, *working):
            task.cancel()
    return finished


def _console(stdout: TextIO) -> Console:
    """Plain where it is no terminal; nothing is cut or folded."""
    return Console(file=stdout, highlight=False, markup=False, emoji=False, soft_wrap=True)


def _you() -> Person:
    """Whoever sits here, with this machine's zone and language, so that dates read as at home."""
    language = default_locale("LC_TIME")
    is_known = language is not None and not language.endswith("POSIX")
    return Person(
        id=YOU,
        tenant=TENANT.id,
        name="You",
        role=Role.OWNER,
        content=True,
        locale=language.replace("_", "-") if is_known and language else None,
        zone=getattr(LOCALTZ, "key", None),
        identities=(f"{CHANNEL}:{YOU}",),
    )
