"""A cluster: each command goes to the node that serves its key's slot, those of one node in one write.

Nothing is sent twice, but for what a node refused because the slot has moved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisClusterException

from gateway.errors import Unavailable
from gateway.redis_store.server import Node

if TYPE_CHECKING:
    from redis.asyncio.cluster import ClusterNode, RedisCluster

    from gateway.redis_store.server import Command

ANYWHERE = frozenset({"PING", "TIME"})
"""Commands without a key."""


class Nodes:
    """The cluster's primaries, by the slots they serve."""

    def __init__(self, client: RedisCluster) -> None:
        self._client = client
        self._nodes: dict[str, Node] = {}
        self._stale = False

    async def aclose(self) -> None:
        """The client has the connections; closing it is enough."""

    def forget(self) -> None:
        """What is known of the slots is old: it is asked for again before the next command."""
        self._stale = True

    async def find(self) -> None:
        """Learns the slots, where they are not known. Raises: redis-py's errors."""
        await self._client.initialize()
        if self._stale:
            await self._client.nodes_manager.initialize()
            self._stale = False

    def serving(self, command: Command) -> Node:
        """The node for a command. Raises: Unavailable when no node serves its slot."""
        node = self._by_key(_key(command))
        known = self._nodes.get(node.name)
        if known is None or known.node is not node:
            known = self._nodes[node.name] = Node(node)
        return known

    async def read(self, head: Command, stream: str, start: str) -> Any:
        """One blocking read of one stream. Raises: redis-py's errors, Unavailable."""
        await self.find()
        # Named, because redis-py would ask the server twice per read which key it is about.
        node = self._by_key(stream)
        return await self._client.execute_command(*head, stream, start, target_nodes=node)

    def _by_key(self, key: Any) -> ClusterNode:
        try:
            if key is None:
                return self._client.get_random_primary_node()
            slot = self._client.keyslot(key)
            return self._client.nodes_manager.get_node_from_slot(slot)
        except (RedisClusterException, IndexError) as error:
            self.forget()
            raise Unavailable("The store has no server for this just now.") from error


def _key(command: Command) -> Any:
    """The key that tells where a command goes; None for one that any node serves."""
    match command[0]:
        case "EVALSHA" | "EVAL":
            return command[3]
        case "XREADGROUP":
            return command[command.index(b"STREAMS") + 1]
        case name if name in ANYWHERE:
            return None
        case _:
            return command[1]
