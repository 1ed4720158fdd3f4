"""`oz0 demo --chat`: four chat platforms made here, one ask on all of them, and a tap on one.

The platforms are local servers; the SDKs, the gateway, its Redis and the worker are the real ones.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from channels.testing.town import Town
from gateway.api.hooks import serving_hooks
from gateway.ask import Run
from gateway.broker import Broker
from gateway.cli.chats import installed_channels, open_chats
from gateway.cli.failure import Failure
from gateway.cli.output import say
from gateway.clock import Clock
from gateway.config import Bind, load
from gateway.embedded_redis import EmbeddedRedis, EngineError
from gateway.feed import Feed
from gateway.people import People
from gateway.person import Caller, Role
from gateway.redis_store import open_store
from gateway.waiting import Waiters

if TYPE_CHECKING:
    from collections.abc import Mapping

    from channels.testing.platform import Message
    from channels.testing.town import Place
    from gateway.config import Config

AGENT = Caller("default", Role.AGENT, "agent:asker", agent="asker")
WITHIN_S = 30.0
"""Ours: everything here takes milliseconds; a busy machine gets its time."""

QUESTION = {
    "question": "Order 4711 was delivered twice. What should I arrange?",
    "choices": ["Collect the second parcel", "Let them keep it", "Ask for it back by post"],
}
CHOSEN = "Let them keep it"
TAPS = "telegram"
"""Where somebody taps."""

WINDOW = "720,760"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


def main(pictures: Path | None) -> int:
    """Runs it; its exit code. The pictures are left in that folder. Raises: Failure."""
    folder = (pictures or Path("oz-demo-chat")).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="oz-demo-") as kept:
        try:
            asyncio.run(_demo(Path(kept), folder))
        except EngineError as error:
            raise Failure(error.message) from error
        except ImportError as error:
            raise Failure(
                f"The library {error.name} is missing.",
                "pip install 'oz-gateway[slack,teams,discord,telegram,testing]'",
            ) from error
    return 0


async def _demo(kept: Path, folder: Path) -> None:
    say("Four chat platforms are started here, with Ana and Ben in a room on each.")
    async with AsyncExitStack() as stack:
        town = await stack.enter_async_context(Town())
        engine = await stack.enter_async_context(EmbeddedRedis(kept))
        config = _config(town, kept)
        store = await open_store(engine.url)
        stack.push_async_callback(store.aclose)
        waiters = Waiters(store)
        broker, name = Broker(store, waiters), uuid4().hex
        people = People(config.people)
        chats = await stack.enter_async_context(
            open_chats(config, installed_channels(), store, broker, people, name)
        )
        hooks = serving_hooks(chats.routes(), Bind("127.0.0.1", 0), finish_s=1.0)
        town.connect(await stack.enter_async_context(hooks))
        async with asyncio.TaskGroup() as tasks:
            working = [
                tasks.create_task(waiters.run()),
                tasks.create_task(Clock(store, broker, name).run()),
                tasks.create_task(chats.worker.run(Feed(store, name))),
                *(tasks.create_task(chats.listen(one)) for one in chats.transports),
            ]
            await waiters.hearing.wait()
            try:
                await _play(broker, town.places, folder)
            finally:
                for task in working:
                    task.cancel()
    say(f"The pictures are in {folder}.")


async def _play(broker: Broker, places: Mapping[str, Place], folder: Path) -> None:
    """One ask on all four, one tap, and what each shows before and after."""
    run = Run(id=f"job-{uuid4()}", tenant="default", agent="asker")
    await broker.create_run(AGENT, run)
    say(f"asker asks on all four: {QUESTION['question']}")
    waiting = asyncio.create_task(_ask(broker, run.id))
    posts = {name: await _posted(place) for name, place in places.items()}
    for name, post in posts.items():
        controls = " ".join(f"[{control.label}]" for control in post.controls)
        say(f"  {name}: posted as {post.id}  {controls}")
    await _picture(places, folder, "1-asked")
    place = places[TAPS]
    label = next(c.label for c in posts[TAPS].controls if CHOSEN in c.label)
    say(f"Ana taps {label!r} on {TAPS}.")
    await place.platform.press(place.accounts["Ana"], posts[TAPS], label)
    say(f"The run goes on. The agent reads: {await waiting}")
    for name, one in places.items():
        message = await one.platform.until(lambda one=one, name=name: _drawn(one, posts[name]))
        line = next(text for text in message.text.splitlines() if CHOSEN in text and "Ana" in text)
        say(f"  {name}: {line}")
    await _picture(places, folder, "2-answered")


async def _ask(broker: Broker, run_id: str) -> Any:
    """What the agent reads in the end."""
    from datetime import timedelta

    standing = await broker.open(
        AGENT,
        run_id,
        tool="oz.ask_user",
        arguments=QUESTION,
        call_id="call-1",
        within=timedelta(seconds=WITHIN_S),
    )
    return standing.result


async def _posted(place: Place) -> Message:
    def look() -> Message | None:
        return next((one for one in place.posts() if one.controls), None)

    message: Message = await place.platform.until(look, within_s=WITHIN_S)
    return message


def _drawn(place: Place, post: Message) -> Message | None:
    """The post, once it shows how the ask ended."""
    found = next((one for one in place.posts() if one.id == post.id), None)
    return found if found is not None and "Answered:" in found.text else None


async def _picture(places: Mapping[str, Place], folder: Path, moment: str) -> None:
    """Each room as a page, and as a picture where there is a Chromium to take it."""
    binary = next((found for name in CHROMIUM if (found := shutil.which(name))), None)
    for name, place in places.items():
        page = folder / f"{moment}-{name}.html"
        page.write_text(place.platform.html(place.room), "utf-8")
        if binary is None:
            continue
        with tempfile.TemporaryDirectory(prefix="oz-chromium-") as profile:
            process = await asyncio.create_subprocess_exec(
                binary,
                *FLAGS,
                f"--user-data-dir={profile}",
                f"--window-size={WINDOW}",
                f"--screenshot={page.with_suffix('.png')}",
                page.as_uri(),
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
            )
            await process.wait()


def _config(town: Town, folder: Path) -> Config:
    models = {name: channel.settings for name, channel in installed_channels().items()}
    text, home = town.config_file(), {"HOME": str(folder)}
    return load(text, home, folder=folder, channels=lambda: models)
