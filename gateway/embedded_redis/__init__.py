"""A real redis-server as a supervised child, for a gateway that is given no Redis.

Its folder has one owner: the lock is taken before the server starts and is inherited by it, so that
it is free only when gateway and server are both gone.
"""

from __future__ import annotations

from gateway.embedded_redis.check import check_server
from gateway.embedded_redis.folder import EngineError
from gateway.embedded_redis.server import find_server, wheel_server
from gateway.embedded_redis.supervisor import EmbeddedRedis

__all__ = ["EmbeddedRedis", "EngineError", "check_server", "find_server", "wheel_server"]
