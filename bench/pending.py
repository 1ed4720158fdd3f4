"""What many waiting asks cost: memory, start, idleness, each lifecycle, and timers due at once."""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from contextlib import suppress
from datetime import timedelta
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from bench.backlog import drained
from bench.world import AGENT, ARGUMENTS, TENANT, TOOL, new_run, stop, world
from gateway.ask import Run
from gateway.clock import Clock
from gateway.ids import ask_id, digest_text, partition_byte
from gateway.redis_store.keys import Keys, Partitions
from gateway.redis_store.lane import pack
from gateway.redis_store.link import SCRIPTS
from gateway.store import Group

BATCH = 1_000


async def fill(url: str, count: int, *, per_run: int = 1) -> None:
    """Opens that many by the store's own scripts, without the broker: minutes become one.

    Only the ids differ. They count as shown to people already.
    """
    client = Redis.from_url(url)
    await client.config_set("appendfsync", "no")
    await client.config_set("auto-aof-rewrite-percentage", 0)  # it would rewrite again and again
    async with world(url) as made:
        run_id = await new_run(made.broker)
        standing = await made.broker.open(
            AGENT, run_id, tool=TOOL, arguments=ARGUMENTS, call_id="c"
        )
        if standing.record is None:
            raise RuntimeError("not opened")
        model = standing.record.ask.model_dump_json(exclude_defaults=True)
        like = standing.record.ask.id
    common = (SCRIPTS / "common.lua").read_text("utf-8")
    create = await client.script_load(common + (SCRIPTS / "create_run.lua").read_text("utf-8"))
    open_ = await client.script_load(common + (SCRIPTS / "open.lua").read_text("utf-8"))
    body = model.replace(like, ASK).replace(run_id, RUN)
    creation, opening = _create(create), _open(open_, body)
    pool: Any = client.connection_pool  # its method has no types
    connection = await pool.get_connection()
    for start in range(0, count, BATCH):
        commands: list[bytes] = []
        for number in range(start, min(start + BATCH, count), per_run):
            filled = f"job-fast-{number:030d}"
            place = f"{{{partition_byte(filled) % 16:02d}}}".encode()
            run = creation.replace(RUN.encode(), filled.encode()).replace(PLACE, place)
            commands.append(run)
            of_run = opening.replace(RUN.encode(), filled.encode()).replace(PLACE, place)
            for call in range(per_run):
                asked = ask_id(filled, str(call))
                digest = digest_text(asked)
                commands.append(
                    of_run.replace(ASK.encode(), asked.encode()).replace(CALL, digest.encode())
                )
        await connection.send_packed_command(commands, check_health=False)
        for _ in commands:
            await connection.read_response()
    await pool.release(connection)
    await seen(client)
    await rewrite(url)  # else the server does it while others measure
    await client.config_set("appendfsync", "always")
    await client.config_set("auto-aof-rewrite-percentage", 100)
    await client.aclose()


RUN = "job-fast-" + "R" * 30
ASK = "a-" + "f" * 12
CALL = b"D" * 15
PLACE = b"{99}"
"""Stand in a packed command for what differs; each is as long as what takes its place."""

WEEK_MS = 7 * 86_400_000


def _create(sha: str) -> bytes:
    """The packed command that creates a run."""
    keys = Keys(99, "oz:{99}:")
    names = (keys.run(RUN), keys.log, keys.due)
    fields = ("tenant", TENANT, "agent", "bench")
    digest = digest_text("a run")
    return pack(("EVALSHA", sha, 3, *names, 0, RUN, TENANT, digest, WEEK_MS, "", *fields))


def _open(sha: str, body: str) -> bytes:
    """The packed command that opens an ask of that body."""
    keys = Keys(99, "oz:{99}:")
    names = (keys.run(RUN), keys.ask(ASK), keys.asks, keys.log, keys.due, keys.inbox(TENANT))
    digests = (CALL.decode(), digest_text("arguments"))
    rungs = ("0.25", "0.5", "0.75")
    numbers = (WEEK_MS, "0", 1000, "-")
    return pack(("EVALSHA", sha, 6, *names, 0, ASK, RUN, TENANT, body, *digests, *numbers, *rungs))


async def seen(client: Redis) -> None:
    """What is there now has been shown and told: the groups begin behind it."""
    for keys in Partitions.of(16).all:
        for stream, group in ((keys.asks, Group.DELIVER), (keys.log, Group.RESUME)):
            try:
                await client.xgroup_create(stream, group.value, "$", mkstream=True)
            except ResponseError:  # it is there
                await client.xgroup_setid(stream, group.value, "$")


async def memory(url: str) -> int:
    """Bytes the server uses."""
    client = Redis.from_url(url)
    info = await client.info("memory")
    await client.aclose()
    return int(info["used_memory"])


async def settle_log(url: str) -> None:
    """Waits until the resume group is past the log, and drops it, as a clock does in time."""
    client = Redis.from_url(url)
    await drained(client)
    for keys in Partitions.of(16).all:
        await client.xtrim(keys.log, maxlen=0, approximate=False)
    await client.aclose()


def json_bytes() -> int:
    """What a typical ask takes as plain JSON: the arguments with their ids and times."""
    run_id = f"job-{uuid.uuid4()}"
    plain = {
        "id": ask_id(run_id, "call_0"),
        "run_id": run_id,
        "tenant": TENANT,
        "agent": "bench",
        "call_id": "call_0",
        "contract": TOOL,
        **ARGUMENTS,
        "opened_at": "2026-11-30T12:00:00Z",
        "deadline": "2026-12-07T12:00:00Z",
    }
    return len(json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode())


async def timers_late(url: str, count: int) -> float:
    """The most milliseconds a deadline ended late, of that many due in one second, two clocks."""
    async with world(url) as made:
        clocks = [Clock(made.store, made.broker, f"clock-{n}") for n in range(2)]
        tasks = [asyncio.create_task(clock.run()) for clock in clocks]
        deadlines: dict[str, float] = {}
        gap = 1.0 / count

        async def open_one(number: int) -> str:
            run_id = f"job-timer-{uuid.uuid4()}"
            at = await made.store.now() + timedelta(seconds=6 + number * gap)
            await made.broker.create_run(
                AGENT, Run(id=run_id, tenant=TENANT, agent="bench", deadline=at)
            )
            standing = await made.broker.open(
                AGENT, run_id, tool=TOOL, arguments=ARGUMENTS, call_id="c"
            )
            record = standing.record
            if record is None or record.deadline is None:
                raise RuntimeError("no deadline")
            deadlines[record.ask.id] = record.deadline.timestamp()
            return record.ask.id

        ids = [await open_one(number) for number in range(count)]
        lates = []
        for one in ids:
            ended = await made.broker.wait(AGENT, one, timedelta(seconds=60))
            if ended.record is None or ended.record.settled_at is None:
                raise RuntimeError(f"{one} did not end")
            lates.append(ended.record.settled_at.timestamp() - deadlines[one])
        await stop(tasks)
    return max(lates) * 1000


def cpu_seconds(pid: int) -> float:
    """CPU a process has used, from /proc."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123  # a kernel file
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def rewrite(url: str) -> None:
    """Has the append-only file rewritten, as the engine does by itself when it has grown."""
    client = Redis.from_url(url)
    with suppress(ResponseError):  # one is under way by itself
        await client.bgrewriteaof()
    while (await client.info("persistence"))["aof_rewrite_in_progress"]:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    await client.aclose()
