"""Single-key facts, conversations, drafts and finished tries, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gateway.errors import DraftMoved

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from gateway.memory_store.kept import Kept


class MemoryIndex:
    """Implements `gateway.store.Index` and `gateway.store.Drafts`."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._facts: dict[str, tuple[str, datetime | None]] = {}
        self._sets: dict[str, set[str]] = {}
        self._places: dict[str, dict[str, str]] = {}

    async def bind(self, name: str, value: str, ttl: timedelta) -> str:
        bound = await self.look(name)
        if bound is None:
            self._facts[name] = (value, self._kept.now() + ttl)
        return value if bound is None else bound

    async def look(self, name: str) -> str | None:
        value, until = self._facts.get(name, (None, None))
        if until is not None and self._kept.now() >= until:
            del self._facts[name]
            return None
        return value

    async def put(self, name: str, value: str) -> None:
        self._facts[name] = (value, None)

    async def drop(self, name: str) -> bool:
        there = await self.look(name) is not None
        self._facts.pop(name, None)
        return there

    async def add(self, name: str, member: str) -> None:
        self._sets.setdefault(name, set()).add(member)

    async def remove(self, name: str, member: str) -> None:
        self._sets.get(name, set()).discard(member)

    async def members(self, name: str) -> list[str]:
        return sorted(self._sets.get(name, ()))

    async def join(self, place: str, code: str, ask_id: str) -> str:
        return self._places.setdefault(place, {}).setdefault(code, ask_id)

    async def joined(self, place: str) -> dict[str, str]:
        return dict(self._places.get(place, {}))

    async def leave(self, place: str, code: str) -> None:
        self._places.get(place, {}).pop(code, None)

    async def draft(self, ask_id: str, person: str) -> str | None:
        ask = self._kept.asks.get(ask_id)
        return ask.drafts.get(person) if ask else None

    async def save_draft(
        self, ask_id: str, person: str, draft: str, token: str, over: str | None = None
    ) -> bool:
        ask = self._kept.asks.get(ask_id)
        if ask is None or not ask.pending or token in ask.done:
            return False
        if over is not None and ask.drafts.get(person, "") != over:
            raise DraftMoved("The draft has changed.")
        ask.done.add(token)
        if draft:
            ask.drafts[person] = draft
        else:
            ask.drafts.pop(person, None)
        return True

    async def tried(self, ask_id: str, token: str) -> bool:
        ask = self._kept.asks.get(ask_id)
        return ask is not None and token in ask.done

    async def mark(self, ask_id: str, token: str) -> bool:
        ask = self._kept.asks.get(ask_id)
        if ask is None or token in ask.done:
            return False
        ask.done.add(token)
        return True
