"""What is wrong with a Redis that somebody else runs. Pure: `INFO` in, sentences out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OLDEST_VERSION = (6, 2)
"""XAUTOCLAIM, GETDEL and the other commands the store uses."""


def check_server(info: Mapping[str, object]) -> list[str]:
    """One sentence a fault, for the operator; none when all is well.

    Args:
        info: `INFO`'s values by name; `appendfsync` from `CONFIG GET`, where that is allowed.
    """
    warnings = []
    version = str(info.get("redis_version", ""))
    if _numbers(version) < OLDEST_VERSION:
        wanted = ".".join(map(str, OLDEST_VERSION))
        warnings.append(f"This Redis is {version or 'of unknown version'}; {wanted} is needed.")
    if str(info.get("role", "master")) != "master":
        warnings.append("This Redis is a replica and takes no writes; name its primary.")
    if str(info.get("aof_enabled", "0")) != "1":
        warnings.append(
            "This Redis keeps no append-only file: what was asked and answered can be lost when it "
            "stops. Set `appendonly yes`."
        )
    elif str(info.get("appendfsync", "everysec")) == "no":
        warnings.append(
            "This Redis leaves writing to the system: a power cut can lose minutes. "
            "Set `appendfsync everysec` or `always`."
        )
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        warnings.append(
            f"This Redis drops keys when memory is short ({policy}): waiting questions can "
            "vanish. Set `maxmemory-policy noeviction`."
        )
    return warnings


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
