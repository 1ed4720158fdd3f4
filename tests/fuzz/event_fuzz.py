"""Random and mutated events of the four platforms: their parsers raise on none of them.

`python -m tests.fuzz.event_fuzz --count 1000000` prints how many were read, the rate, and what came
of them; with `--seed` a run on the same payloads repeats. What fails is printed, to become a test.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from channels.discord import parse as discord
from channels.slack import parse as slack
from channels.teams import parse as teams
from channels.telegram import parse as telegram
from channels.telegram.pastes import may_go_on
from gateway.embedded_redis import EmbeddedRedis
from tests.fuzz.payloads import payloads
from tests.strategies import TRICKY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Json = Any

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
DEEP = 4
"""How deep made-up JSON goes."""

ARBITRARY = 0.1
"""The share of events that are made up from nothing."""

MANY = 3
"""The most changes to one event."""

LEAVES: tuple[Json, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**400, 0.5, 1e308, float("nan"), float("inf")),
    *(
        "",
        " ",
        "0",
        "-1",
        "null",
        "a" * 5_000,
        "\ud800",
        "1e400",
        "9" * 500,
        "<@U1>",
        "<at>OZ</at>",
    ),
    *("2026-13-45T99:99:99Z", "1800000000.000001", "T1/U1", "19:x@thread.tacv2", "/oz pending"),
    *(TRICKY, [], {}, [[]], [None], {"": None}, {"id": {"id": []}}),
)

US = slack.Us("T0001", "UOZ", "BOZ")
ME = telegram.Me(5_000_001, "oz_test_bot")


def mutated(random: Random, node: Json, pool: Sequence[Json]) -> Json:
    """The same with one thing in it changed; what is on the way there is copied."""
    inside = isinstance(node, dict | list) and bool(node)
    if not inside or random.random() < 0.08:
        return _other(random, node, pool)
    change = random.random()
    if isinstance(node, list):
        place = random.randrange(len(node))
        kept = [] if change < 0.08 else [mutated(random, node[place], pool)]
        return [*node, *node] if change > 0.96 else [*node[:place], *kept, *node[place + 1 :]]
    key = random.choice(list(node))
    if change < 0.08:
        return {name: value for name, value in node.items() if name != key}
    if change > 0.96:
        return {**node, random.choice(KEYS): _leaf(random, pool)}
    return {**node, key: mutated(random, node[key], pool)}


def _other(random: Random, node: Json, pool: Sequence[Json]) -> Json:
    """Something else in its place, or nearly the same."""
    if isinstance(node, str) and node and random.random() < 0.4:
        place = random.randrange(len(node))
        return node[:place] + random.choice(TRICKY) + node[place + random.randrange(3) :]
    if isinstance(node, int | float) and random.random() < 0.3:
        return random.choice((-node, node + 1, str(node), [node]))
    return _leaf(random, pool)


def _leaf(random: Random, pool: Sequence[Json]) -> Json:
    lot = random.random()
    if lot < 0.7:
        return random.choice(LEAVES)
    return random.choice(pool) if lot < 0.8 else made_up(random)


def made_up(random: Random, deep: int = DEEP) -> Json:
    """Any JSON, with the platforms' own words among its keys."""
    lot = random.random()
    if deep == 0 or lot < 0.4:
        return random.choice(LEAVES)
    size = random.randrange(4)
    if lot < 0.6:
        return [made_up(random, deep - 1) for _ in range(size)]
    return {random.choice(KEYS): made_up(random, deep - 1) for _ in range(size)}


KEYS = (
    *("type", "event", "user", "channel", "ts", "actions", "view", "state", "message", "text"),
    *("id", "from", "chat", "date", "data", "value", "action", "conversation", "channelData"),
    *("callback_query", "entities", "author", "member", "mentions", "custom_id", "components"),
    *("command", "team_id", "container", "block_id", "offset", "length", "reply_to_message", ""),
)


def read_slack(body: Json) -> object:
    return slack.event(body, US) or slack.interaction(body, US, NOW) or slack.command(body, US)


def read_teams(activity: Json) -> object:
    teams.service_url(activity)
    return teams.parse(activity, NOW)


def read_telegram(update: Json) -> object:
    found = telegram.parse(update, ME, NOW)
    if isinstance(found, telegram.Said):
        may_go_on(found.typed)
    return found


def read_discord(event: Json) -> object:
    """As the channel takes an event: whatever its name says it is."""
    name, data = event if isinstance(event, tuple | list) and len(event) == 2 else ("", event)
    known = discord.Known("1000")
    discord.learn(known, name if isinstance(name, str) else "", data)
    discord.conversation_of(data)
    list(discord.deleted(data, known))
    if name == "INTERACTION_CREATE":
        discord.ticket(data)
        found = discord.interaction(data)
        if found is not None:
            discord.opens_a_form(found)
            discord.kept(data)
        return found
    return discord.message(data, known, edited=name == "MESSAGE_UPDATE")


READERS: Mapping[str, Callable[[Json], object]] = {
    "slack": read_slack,
    "teams": read_teams,
    "discord": read_discord,
    "telegram": read_telegram,
}


def run(count: int, seed: int, sent: Mapping[str, Sequence[Json]]) -> int:
    """Reads that many, a quarter each; how many raised."""
    random = Random(seed)
    kinds: Counter[str] = Counter()
    failures, reading = 0, 0.0
    names = tuple(READERS)
    pools = {name: _parts(sent[name]) for name in names}
    for number in range(count):
        name = names[number % len(names)]
        event = _event(random, sent[name], pools[name])
        began = time.process_time()
        try:
            found = READERS[name](event)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            failures += 1
            shown = json.dumps(event, default=str)
            print(f"{name}: {type(error).__name__}: {error}\n  {shown}", file=sys.stderr)
        else:
            kinds[f"{name} {type(found).__name__}"] += 1
        reading += time.process_time() - began
    print(f"{count} events read, {failures} exceptions")
    print(f"{count / max(reading, 1e-9):.0f} events/s")
    print(", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items())))
    return failures


def _event(random: Random, sent: Sequence[Json], pool: Sequence[Json]) -> Json:
    if random.random() < ARBITRARY:
        return made_up(random)
    event = random.choice(sent)
    if isinstance(event, tuple):
        # The name stays, so that what follows from it is reached.
        name, data = event
        return (name, _changed(random, data, pool))
    return _changed(random, event, pool)


def _changed(random: Random, event: Json, pool: Sequence[Json]) -> Json:
    for _ in range(random.randrange(MANY + 1)):
        event = mutated(random, event, pool)
    return event


def _parts(sent: Sequence[Json]) -> list[Json]:
    """The objects and lists one step inside the payloads, to be put where others belong."""
    found: list[Json] = []
    for event in sent:
        body = event[1] if isinstance(event, tuple) else event
        found += [one for one in body.values() if isinstance(one, dict | list)]
    return found or [{}]


async def _collected() -> dict[str, list[Json]]:
    with tempfile.TemporaryDirectory(prefix="oz-fuzz-") as folder:
        async with EmbeddedRedis(Path(folder)) as started:
            return await payloads(started.url, Path(folder))


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="how many events")
    parser.add_argument("--seed", type=int, default=0, help="a run with the same seed is the same")
    given = parser.parse_args()
    sent = asyncio.run(_collected())
    print(", ".join(f"{name}: {len(found)} payloads" for name, found in sent.items()))
    sys.exit(1 if run(given.count, given.seed, sent) else 0)


if __name__ == "__main__":
    main()
