"""What a channel must not forget with its process, kept in the store: sets of words, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gateway.store import Index


class Facts:
    """Each is safe to write twice, and stays until it is dropped. All raise Unavailable."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def keep(self, name: str, fact: str) -> None:
        await self._index.add(f"fact:{name}", fact)

    async def kept(self, name: str) -> list[str]:
        """The facts of that name, sorted."""
        return await self._index.members(f"fact:{name}")

    async def drop(self, name: str, fact: str) -> None:
        await self._index.remove(f"fact:{name}", fact)
