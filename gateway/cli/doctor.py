"""`oz0 doctor`: what is right and wrong with this gateway's surroundings, and how to mend it."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.failure import REFUSED, Failure
from gateway.cli.output import AsJson, say, say_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from channels.contract import Finding
    from gateway.config import Config
    from gateway.routes import Target

SKEW_S = 5.0
"""Ours: clocks further apart than this make deadlines read wrong, and signatures fail."""

WAIT_S = 300
"""Ours: how long the test ask of --send waits for its tap."""

MARKS = {
    True: ("fine ", "green"),
    False: ("wrong", "bold red"),
    None: ("not checked", "yellow"),
}
"""How a finding begins, by what was seen."""

EXAMINE_WITHIN_S = 20.0
"""Ours: a platform that has not answered by then is not well."""


def register(app: typer.Typer) -> None:
    app.command()(doctor)


def doctor(
    channel: Annotated[str | None, typer.Option(help="One channel instead of all.")] = None,
    send: Annotated[
        str | None, typer.Option(metavar="DEST", help="Post a test ask: slack:C0123, person:ana.")
    ] = None,
    config: Annotated[str | None, typer.Option("--config", help="Settings (OZ_CONFIG).")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Check the settings, Redis and each chat platform, and say how to mend what is wrong.

    With --send the running gateway posts a real ask, and this waits until somebody answers it.
    What no call shows is said as not checked, and is no failure; what a platform does not answer
    just now is one.
    """
    import asyncio

    from gateway.cli.settings import read_config

    if send is not None:
        _send(send, config, as_json=as_json)
        return
    found = asyncio.run(_examine(read_config(os.environ, OZ_CONFIG=config), channel))
    _print(found, as_json=as_json)
    raise typer.Exit(_exit_code(found))


Found = tuple[str, "Finding"]


def _exit_code(found: Iterable[Found]) -> int:
    """REFUSED where something is to be mended or looked at again; what no call shows is neither."""
    return REFUSED if any(one.fine is False or one.passing for _, one in found) else 0


async def _examine(config: Config, only: str | None) -> list[Found]:
    """What was looked at, by what it belongs to."""
    found: list[Found] = []
    if only is None:
        found += [("redis", finding) for finding in await _redis(config)]
        found += [("routes", finding) for finding in _routes(config)]
    for name in config.channels:
        if only in (None, name):
            found += [(name, finding) for finding in await _channel(name, config)]
    if only is not None and only not in config.channels:
        raise Failure(
            f"{only} is not configured.", f"Add a table [channel.{only}] to the settings."
        )
    return found


async def _redis(config: Config) -> Sequence[Finding]:
    from channels.contract import Finding

    if config.gateway.redis is None:
        return [Finding("the gateway runs its own Redis, kept in its data folder", fine=True)]
    from datetime import UTC, datetime

    from gateway.embedded_redis import check_server
    from gateway.errors import GatewayError, Unavailable
    from gateway.redis_store import open_store

    try:
        url = config.gateway.redis.get_secret_value()
        store = await open_store(url, partitions=config.gateway.partitions)
    except Unavailable:
        mend = "Is the address of OZ_REDIS_URL right, and does a primary run there, not a replica?"
        return [Finding("Redis can be reached", fine=False, mend=mend)]
    except GatewayError as error:
        return [Finding("Redis has our store", fine=False, mend=error.message)]
    try:
        faults = check_server(await store.server())
        apart_s = abs((await store.now() - datetime.now(UTC)).total_seconds())
    except Unavailable:
        mend = "It was reached, and then did not answer. Try again."
        return [Finding("Redis can be reached", fine=None, mend=mend, passing=True)]
    finally:
        await store.aclose()
    found = [Finding("Redis can be reached", fine=True)]
    found += [Finding("Redis keeps what it is told", fine=False, mend=fault) for fault in faults]
    clock = f"the clocks of Redis and of this machine are {apart_s:.0f} s apart"
    mend = "Set both by NTP." if apart_s > SKEW_S else ""
    return [*found, Finding(clock, fine=apart_s <= SKEW_S, mend=mend)]


def _routes(config: Config) -> Iterable[Finding]:
    """Routes that lead nowhere from here."""
    from channels.contract import Finding

    people = {(person.tenant, person.id): person for person in config.people}
    for route in config.routes:
        if route.conversation is not None:
            channel = route.conversation.partition(":")[0]
            fine = channel in config.channels
            mend = "" if fine else f"Add a table [channel.{channel}], or drop the route."
        else:
            identities = people[route.tenant, route.person or ""].identities
            fine = any(one.partition(":")[0] in config.channels for one in identities)
            mend = "" if fine else "Give that person an identity on a configured channel."
        yield Finding(f"the route to {route.name} has a channel", fine=fine, mend=mend)
    if config.channels and not config.routes:
        yield Finding(
            "asks are posted somewhere", fine=False, mend="Add a [[route]]: none leads anywhere."
        )


async def _channel(name: str, config: Config) -> Sequence[Finding]:
    """What the channel itself finds. A platform that cannot be asked is a finding too."""
    import asyncio

    from channels.contract import Finding
    from gateway.cli.chats import installed_channels

    rooms = _rooms(name, config)
    try:
        async with asyncio.timeout(EXAMINE_WITHIN_S):
            return await installed_channels()[name].examine(config.channels[name], rooms)
    except ImportError as error:
        mend = f"Install it: pip install 'oz-gateway[{name}]' ({error.name} is missing)."
        return [Finding(f"the library for {name} is there", fine=False, mend=mend)]
    except TimeoutError:
        mend = "Is there a way out to the platform, through a proxy perhaps?"
        return [Finding(f"{name} answers in time", fine=None, mend=mend, passing=True)]


def _rooms(name: str, config: Config) -> Sequence[Target]:
    """Where routes lead to on one channel, each place once."""
    from gateway.people import People
    from gateway.routes import targets_of

    people = People(config.people)
    rooms = (room for route in config.routes for room in targets_of(route, people))
    return tuple(dict.fromkeys(room for room in rooms if room.channel == name))


def _send(destination: str, config: str | None, *, as_json: bool) -> None:
    """A real ask by the running gateway, and its answer."""
    from uuid import uuid4

    from gateway.cli.client import Client
    from gateway.cli.connection import connection

    key = f"doctor-{uuid4().hex}"
    named = {} if config is None else {"OZ_CONFIG": config}
    with Client(connection({**os.environ, **named})) as client:
        run = client.post("/v1/runs", {"agent": "oz-doctor", "timeout": WAIT_S}, key=key)
        try:
            asked = client.post(
                f"/v1/runs/{run['id']}/asks",
                {
                    "tool": "oz.ask_user",
                    "arguments": {
                        "question": "Can you read and answer this? It is a test of OZ gateway.",
                        "choices": ["Yes, I can"],
                    },
                    "call_id": "doctor",
                    "destinations": [destination],
                },
            )
            ask_id = asked["ask"]["id"]
            if not as_json:
                say(f"Asked as {ask_id} in {destination}. Waiting for an answer …")
            told = _until_ended(client, ask_id)
            where = client.get(f"/v1/asks/{ask_id}")["where"]
        finally:
            client.post(f"/v1/runs/{run['id']}/end", {"status": "finished"})
    if as_json:
        say_json({"ask": told["ask"], "where": where})
    else:
        for post in where:
            reason = f", {post['reason']}" if post.get("reason") else ""
            say(f"{post['place']}: {post['state']}{reason}")
        say(_ending(told["status"]))
    if told["status"] != "answered":
        raise typer.Exit(REFUSED)


def _ending(status: str) -> str:
    """What became of the test ask; one that still waits is one that no place took."""
    return "No place took it." if status == "pending" else f"It ended {status}."


def _until_ended(client: Any, ask_id: str) -> Any:
    """How the ask stands once it has ended, or once no place took it. Raises: Failure."""
    while True:
        told = client.get(f"/v1/asks/{ask_id}/result", wait=5)
        if told["status"] != "pending":
            return told
        where = client.get(f"/v1/asks/{ask_id}")["where"]
        if where and all(post["state"] in ("failed", "shut") for post in where):
            return told


def _print(found: Sequence[Found], *, as_json: bool) -> None:
    if as_json:
        say_json([{"of": of} | asdict(finding) for of, finding in found])
        return
    from rich.text import Text

    for of, finding in found:
        mark, style = MARKS[finding.fine]
        say(Text.assemble((mark, style), f"  {of}: {finding.what}"))
        if not finding.fine:
            say(Text(f"       {finding.mend}"))
