"""A press, and how soon every copy of the ask shows it, on the four fake platforms at once.

Beside it a bare call to each platform, so that the share of the calls themselves can be told.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from bench.world import AGENT, TENANT, TOOL, new_run, stop
from channels.testing.teams import SCOPE
from channels.testing.town import Town
from gateway.api.hooks import serving_hooks
from gateway.broker import Broker
from gateway.cli.chats import installed_channels, open_chats
from gateway.clock import Clock
from gateway.config import Bind, load
from gateway.feed import Feed
from gateway.people import People
from gateway.redis_store import open_store
from gateway.waiting import Waiters

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from channels.testing.platform import Message
    from channels.testing.town import Place
    from gateway.config import Config

SITTINGS, ROUNDS = 3, 7
"""Gateways one after the other, and asks of each: a Telegram group takes twenty messages a minute,
redraws too. Slack's second between two posts in a channel is most of what a round takes.
"""

CALLS = 100
"""Bare calls to each platform."""

QUESTION = "Should the second parcel of order 4711 be collected on Friday?"
PERSON = "Ana"
READY_S = 20.0


async def redraws(url: str) -> tuple[list[float], list[float]]:
    """Seconds from each press until the last copy is drawn anew; and of each bare call."""
    took: list[float] = []
    calls: list[float] = []
    for sitting in range(SITTINGS):
        async with Town((PERSON,)) as town, _gateway(town, url) as broker:
            places = tuple(town.places.values())
            rounds = range(sitting, sitting + ROUNDS)
            took += [await _round(broker, places, places[n % len(places)]) for n in rounds]
            calls += await _bare(town)
    return took, calls


async def _round(broker: Broker, places: tuple[Place, ...], pressed: Place) -> float:
    """One ask, mirrored on all, pressed on one."""
    run_id = await new_run(broker)
    asked = {"question": QUESTION, "choices": ["Yes", "No"]}
    before = [len(one.posts()) for one in places]
    await broker.open(AGENT, run_id, tool=TOOL, arguments=asked, call_id="c")
    posts = [await _posted(one, count) for one, count in zip(places, before, strict=True)]
    # All of them stand before anybody presses.
    began = time.perf_counter()
    post = posts[places.index(pressed)]
    label = next(one.label for one in post.controls if "Yes" in one.label)
    redrawn = [
        asyncio.ensure_future(_redrawn(one, at)) for one, at in zip(places, posts, strict=True)
    ]
    await pressed.platform.press(pressed.accounts[PERSON], post, label)
    return max(await asyncio.gather(*redrawn)) - began


async def _posted(place: Place, count: int) -> Message:
    def look() -> Message | None:
        found = place.posts()
        return found[-1] if len(found) > count and found[-1].controls else None

    message: Message = await place.platform.until(look, within_s=READY_S)
    return message


async def _redrawn(place: Place, post: Message) -> float:
    """When the copy showed who answered."""

    def look() -> bool:
        return any(one.id == post.id and PERSON in one.text for one in place.posts())

    await place.platform.until(look, within_s=READY_S)
    return time.perf_counter()


async def _bare(town: Town) -> list[float]:
    """Seconds of the plainest call of each platform's API, over a connection that is kept."""
    slack, discord, telegram = (
        town.places[name].platform for name in ("slack", "discord", "telegram")
    )
    teams = town.places["teams"].platform
    members = f"{teams.service_url}v3/conversations/{town.places['teams'].room}/members"
    calls = (
        (f"{slack.api_url}auth.test", f"Bearer {slack.rules.token}"),
        (f"{discord.api}/users/@me", f"Bot {discord.token}"),
        (f"{telegram.base_url}{telegram.token}/getMe", ""),
        (members, f"Bearer {await _token(teams)}"),
    )
    took = []
    async with aiohttp.ClientSession() as session:
        for url, token in calls:
            for _ in range(CALLS):
                began = time.perf_counter()
                async with session.get(url, headers={"Authorization": token}) as answer:
                    await answer.read()
                    answer.raise_for_status()
                took.append(time.perf_counter() - began)
    return took


async def _token(teams: Any) -> str:
    """One that the fake service takes."""
    form = {
        "grant_type": "client_credentials",
        "client_id": teams.app_id,
        "client_secret": teams.identity.password,
        "scope": SCOPE,
    }
    async with (
        aiohttp.ClientSession() as session,
        session.post(teams.identity.login_url, data=form) as answer,
    ):
        return str((await answer.json())["access_token"])


@asynccontextmanager
async def _gateway(town: Town, url: str) -> AsyncIterator[Broker]:
    """A gateway whose every ask goes to the four rooms, as `oz0 up` composes it."""
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="oz-bench-")))
        config = _config(town, folder)
        store = await open_store(url)
        stack.push_async_callback(store.aclose)
        waiters = Waiters(store)
        broker = Broker(store, waiters)
        chats = await stack.enter_async_context(
            open_chats(config, installed_channels(), store, broker, People(config.people), "bench")
        )
        hooks = serving_hooks(chats.routes(), Bind("127.0.0.1", 0), finish_s=1.0)
        town.connect(await stack.enter_async_context(hooks))
        tasks: list[asyncio.Task[Any]] = [
            asyncio.create_task(waiters.run()),
            asyncio.create_task(Clock(store, broker, "bench").run()),
            asyncio.create_task(chats.worker.run(Feed(store, "bench"))),
            *(asyncio.create_task(chats.listen(one)) for one in chats.transports),
        ]
        await waiters.hearing.wait()
        for place in town.places.values():
            await place.platform.listened_to()
        try:
            yield broker
        finally:
            await stop(tasks)


def _config(town: Town, folder: Path) -> Config:
    models = {name: channel.settings for name, channel in installed_channels().items()}
    text, home = town.config_file(TENANT), {"HOME": str(folder)}
    return load(text, home, folder=folder, channels=lambda: models)
