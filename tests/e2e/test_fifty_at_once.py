"""Fifty answers at once, over API, command line and text, on three replicas of one Redis.

Whatever happens, one outcome stands, and the forty-nine others are told whose it is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest

from channels.contract import Destination, Sender, Typed
from channels.inbound.actors import Everyone
from channels.inbound.interactions import Interactions
from gateway.broker import Broker
from gateway.conversations import Conversations
from gateway.people import People
from gateway.person import Person, Role, Tenant
from gateway.redis_store import open_store
from gateway.waiting import Waiters
from tests.cli.running import COLOURS, OZ0, Gateway, gateway, short_folder, start

REPLICAS = 3
BY_HTTP, BY_COMMAND, BY_TEXT = 40, 5, 5
LABELS = ("red", "blue")

CHATTERS = tuple(
    Person(
        id=f"chatter{n}",
        tenant="default",
        name=f"Chatter {n}",
        role=Role.OPERATOR,
        content=True,
        identities=(f"chat:{n}",),
    )
    for n in range(BY_TEXT)
)


@pytest.fixture
def replicas(redis_url: str) -> Iterator[list[Gateway]]:
    """Three processes with every role, on one Redis; their folders hold the same token."""
    with short_folder() as root, ExitStack() as stack:
        folders = [Path(root, str(n)) for n in range(REPLICAS)]
        first = stack.enter_context(
            gateway("serve", OZ_DATA=str(folders[0]), OZ_REDIS_URL=redis_url)
        )
        for folder in folders[1:]:
            folder.mkdir()
            (folder / "token").write_text(first.token, "utf-8")
        with ThreadPoolExecutor() as pool:
            others = [
                pool.submit(start, "serve", OZ_DATA=str(folder), OZ_REDIS_URL=redis_url)
                for folder in folders[1:]
            ]
        for other in others:
            stack.callback(other.result().stop)
        yield [first, *(other.result() for other in others)]


@asynccontextmanager
async def chat(redis_url: str) -> AsyncIterator[tuple[Interactions, Conversations]]:
    """A fourth process's way in from chats: the same store, a broker of its own."""
    store = await open_store(redis_url)
    conversations = Conversations(store)
    tenant = Tenant(id="default", name="Default")
    everyone = Everyone(People(CHATTERS), {tenant.id: tenant})
    try:
        yield Interactions(Broker(store, Waiters(store)), conversations, everyone), conversations
    finally:
        await store.aclose()


async def by_http(session: aiohttp.ClientSession, up: Gateway, token: str, ask: str, n: int) -> str:
    """Nothing for the winner, else whom the loser was told of."""
    async with session.post(
        f"{up.address}/v1/asks/{ask}/answer",
        json={"answer": LABELS[n % 2]},
        headers={"Authorization": f"Bearer {token}"},
    ) as reply:
        told = await reply.json()
    if reply.status == 200:
        return ""
    assert (reply.status, told["code"]) == (409, "already_settled"), told
    assert told["outcome"]["answer"] in LABELS
    return str(told["outcome"]["by"])


async def by_command(waiting: asyncio.subprocess.Process, n: int) -> str:
    """The same, of a command that stood ready and now gets its answer."""
    said, complained = await waiting.communicate(LABELS[n % 2].encode())
    if waiting.returncode == 0:
        return ""
    assert waiting.returncode == 1, complained
    told = json.loads(said)
    assert told["code"] == "already_settled", told
    assert complained.decode().startswith(f"oz0: Too late: {told['outcome']['by']} answered: ")
    return str(told["outcome"]["by"])


async def by_text(interactions: Interactions, n: int) -> str:
    """The same, of somebody who wrote a label in a direct chat."""
    where = Destination("chat", f"dm{n}", account=str(n))
    typed = Typed(where, Sender(str(n)), datetime.now(UTC), f"m{n}", LABELS[n % 2])
    response = await interactions.handle(typed)
    [told] = response.tells
    if told.text.startswith("Got it"):
        return ""
    assert response.settled is not None
    outcome = response.settled.outcome
    assert outcome is not None
    assert outcome.by is not None
    # People are told a name, where there is one.
    assert (outcome.name or outcome.by) in told.text, told.text
    return outcome.by


async def test_of_fifty_answers_one_wins_and_all_others_hear_whose(
    replicas: list[Gateway], redis_url: str
) -> None:
    """40 calls, 5 commands and 5 chat messages, at the same moment."""
    tokens = {
        f"operator:desk{n}": replicas[0]
        .here("token", "make", f"desk{n}", "--content")
        .stdout.strip()
        for n in range(8)
    }
    job = replicas[0].run()
    ask = replicas[1].ask(job, COLOURS)
    commands = [
        await asyncio.create_subprocess_exec(
            *(*OZ0, "approval", "answer", job, ask, "-", "--json"),
            env=replicas[n % REPLICAS].environ,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        for n in range(BY_COMMAND)
    ]
    async with (
        chat(redis_url) as (interactions, conversations),
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session,
    ):
        record = await conversations.read(ask)
        assert record is not None
        for n in range(BY_TEXT):
            await conversations.join(f"chat:dm{n}", record.ask)
        named = list(tokens.items())
        told = await asyncio.gather(
            *(by_command(command, n) for n, command in enumerate(commands)),
            *(by_text(interactions, n) for n in range(BY_TEXT)),
            *(
                by_http(session, replicas[n % REPLICAS], named[n % len(named)][1], ask, n)
                for n in range(BY_HTTP)
            ),
        )
    outcomes = [up.call("GET", f"/v1/asks/{ask}").body["ask"]["outcome"] for up in replicas]
    assert outcomes.count(outcomes[0]) == REPLICAS
    winner = outcomes[0]["by"]
    assert len(told) == BY_HTTP + BY_COMMAND + BY_TEXT == 50
    assert sorted(told) == ["", *[winner] * 49]
    assert replicas[2].result(ask) == f"The answer: {outcomes[0]['answer']}"
    events = [event["type"] for event in replicas[0].json("job", "history", job)["events"]]
    assert events == ["run.created", "ask.opened", "ask.answered"]
