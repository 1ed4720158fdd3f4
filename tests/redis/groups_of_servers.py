"""A primary with replicas, a Sentinel over them, a cluster: made of a test's own servers."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from redis.asyncio import Redis
from redis.exceptions import ResponseError

import gateway.redis_store.server
from gateway.redis_store.lane import pack
from tests.redis.servers import free_port
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.redis.servers import Rack, Server

SLOTS = 16_384
HOST = "127.0.0.1"

QUICK = ("--repl-diskless-sync-delay", "0", "--repl-ping-replica-period", "1", "--hz", "100")
"""A replica follows at once, and not after the five seconds in which others might join."""

NODE_TIMEOUT_MS = 1_000
"""After how long a cluster gives a node up."""


async def primary(rack: Rack, *options: str) -> Server:
    """A server that replicas can follow."""
    return await rack.server(*QUICK, *options, port=free_port())


async def replica_of(rack: Rack, leader: Server) -> Server:
    """A server that follows, and has caught up."""
    server = await rack.server(*QUICK, "--replicaof", HOST, str(leader.port), port=free_port())
    await until(lambda: said(leader), "the replica follows")
    return server


async def said(leader: Server) -> bool:
    """Whether a replica has confirmed a write made for that; it is asked, and need not be due."""
    async with Redis.from_url(leader.url) as client:
        await client.set("probe", "1")
        return bool(await client.wait(1, 200) >= 1)


async def follows(leader: Server, replicas: int) -> bool:
    """Whether so many replicas follow, and have said so."""
    role = await leader.do("ROLE")
    return role[0] == "master" and sum(int(said) > 0 for _, _, said in role[2]) == replicas


@contextmanager
def silent(replica: Server) -> Iterator[None]:
    """The replica stands still, and is not waited for as long as people would allow."""
    replica.stop()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gateway.redis_store.server, "WAIT", pack(("WAIT", 1, 100)))
        yield
    replica.go_on()


async def cut(leader: Server, replica: Server) -> None:
    """The replica hears nothing of its primary any more, and cannot come back to it."""
    await replica.do("CONFIG", "SET", "masteruser", "nobody")
    await replica.do("CONFIG", "SET", "masterauth", "wrong")
    await leader.do("CLIENT", "KILL", "TYPE", "replica")
    await until(lambda: follows(leader, 0), "the replica is cut off")


async def sentinel_over(rack: Rack, leader: Server) -> Server:
    """One Sentinel that alone decides, after half a second."""
    settings = rack.file(
        f"sentinel monitor mymaster {HOST} {leader.port} 1",
        "sentinel down-after-milliseconds mymaster 500",
        "sentinel failover-timeout mymaster 2000",
    )
    server = await rack.server("--sentinel", port=free_port(), settings=settings)

    async def knows() -> bool:
        return bool(await server.do("SENTINEL", "REPLICAS", "mymaster"))

    await until(knows, "the sentinel knows the replica")
    return server


class Cluster:
    """Masters with a third of the slots each, and perhaps replicas."""

    def __init__(self, rack: Rack) -> None:
        self._rack = rack
        self.masters: list[Server] = []

    @property
    def url(self) -> str:
        return f"redis+cluster://{HOST}:{self.masters[0].port}"

    async def form(self, masters: int = 3) -> None:
        """Returns once every node says that all slots are served."""
        self.masters = [await self._node() for _ in range(masters)]
        share = -(-SLOTS // masters)
        for place, node in enumerate(self.masters):
            first, last = place * share, min(SLOTS, (place + 1) * share) - 1
            await node.do("CLUSTER", "ADDSLOTS", *range(first, last + 1))
            await node.do("CLUSTER", "SET-CONFIG-EPOCH", place + 1)
        for node in self.masters[1:]:
            await self.masters[0].do("CLUSTER", "MEET", HOST, node.port)
        await self._until_whole(masters)

    async def replicate(self, master: Server) -> Server:
        """A replica of one of the masters, caught up."""
        node = await self._node()
        await master.do("CLUSTER", "MEET", HOST, node.port)
        name = await master.do("CLUSTER", "MYID")

        async def taken() -> bool:
            try:
                return bool(await node.do("CLUSTER", "REPLICATE", name))
            except ResponseError:  # it does not know the master yet
                return False

        await until(taken, "the node replicates the master")
        await until(lambda: follows(master, 1), "the replica follows")
        await self._until_whole(len(self.masters) + 1)
        return node

    async def move(self, slot: int, source: Server, target: Server) -> None:
        """Gives a slot and its keys to another master."""
        to, of = await target.do("CLUSTER", "MYID"), await source.do("CLUSTER", "MYID")
        await target.do("CLUSTER", "SETSLOT", slot, "IMPORTING", of)
        await source.do("CLUSTER", "SETSLOT", slot, "MIGRATING", to)
        while keys := await source.do("CLUSTER", "GETKEYSINSLOT", slot, 100):
            for key in keys:
                await source.do("MIGRATE", HOST, target.port, key, 0, 5000)
        for node in (target, source, *self.masters):
            await node.do("CLUSTER", "SETSLOT", slot, "NODE", to)

    async def _node(self) -> Server:
        timeout = ("--cluster-node-timeout", str(NODE_TIMEOUT_MS))
        return await self._rack.server(
            "--cluster-enabled", "yes", *timeout, *QUICK, port=free_port()
        )

    async def _until_whole(self, nodes: int) -> None:
        async def whole() -> bool:
            told = [await node.do("CLUSTER", "INFO") for node in self.masters]
            infos = [dict(line.split(":") for line in info.split()) for info in told]
            return all(
                info["cluster_state"] == "ok" and int(info["cluster_known_nodes"]) == nodes
                for info in infos
            )

        await until(whole, f"the cluster of {nodes} is whole")
