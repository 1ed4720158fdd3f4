"""A cluster: each command goes to the node that serves its key's slot.

Nothing is sent twice, but for what a node refused because the slot has moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisClusterException

from gateway.redis_store.lane import OfNode
from gateway.redis_store.server import Server

if TYPE_CHECKING:
    from redis.asyncio.cluster import ClusterNode, RedisCluster

    from gateway.redis_store.lane import Command

ANYWHERE = frozenset({"PING", "TIME"})
"""Commands without a key."""


class Nodes:
    """The cluster's primaries, by the slots they serve."""

    def __init__(self, client: RedisCluster) -> None:
        self._client = client
        self._sources: dict[str, OfNode] = {}
        self._servers: dict[str, Server] = {}
        self._stale = False

    def forget(self) -> None:
        """What is known of the slots is old: they are asked for again before the next command."""
        self._stale = True

    async def find(self) -> None:
        """Learns the slots, where they are not known. Raises: redis-py's errors."""
        await self._client.initialize()
        if self._stale:
            await self._client.nodes_manager.initialize()
            self._stale = False

    def serving(self, command: Command) -> Server:
        """Where a command goes. Raises: RedisClusterException when no node serves its slot."""
        source = self.source(_key(command))
        known = self._servers.get(source.node.name)
        if known is None or known.source is not source:
            known = self._servers[source.node.name] = Server(source)
        return known

    def source(self, key: Any) -> OfNode:
        """The node of a key's slot, any for None; the same object while it is the same node.

        Raises: RedisClusterException when no node serves the slot.
        """
        node = self._node(key)
        known = self._sources.get(node.name)
        if known is None or known.node is not node:
            known = self._sources[node.name] = OfNode(node)
        return known

    def _node(self, key: Any) -> ClusterNode:
        try:
            if key is None:
                return self._client.get_random_primary_node()
            return self._client.nodes_manager.get_node_from_slot(self._client.keyslot(key))
        except (RedisClusterException, IndexError) as error:
            self.forget()
            raise RedisClusterException("no node serves this slot") from error


def _key(command: Command) -> Any:
    """The key that tells where a command goes; None for one that any node serves."""
    match command[0]:
        case "EVALSHA" | "EVAL":
            return command[3]
        case "XGROUP" | "XINFO":
            return command[2]
        case "XREADGROUP":
            return command[command.index("STREAMS") + 1]
        case name if name in ANYWHERE:
            return None
        case _:
            return command[1]
