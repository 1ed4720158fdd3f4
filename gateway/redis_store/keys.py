"""The names of everything in Redis, by partition. One partition is one cluster slot."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.ids import ask_byte, partition_byte

META = "oz:meta"
"""What is fixed at first start: the number of partitions."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The keys of one partition."""

    partition: int
    prefix: str

    def _key(self, name: str) -> str:
        return self.prefix + name

    @property
    def asks(self) -> str:
        return self._key("asks")

    @property
    def log(self) -> str:
        return self._key("log")

    @property
    def due(self) -> str:
        return self._key("due")

    @property
    def owed(self) -> str:
        return self._key("owed")

    @property
    def clock(self) -> str:
        return self._key("clock")

    def ask(self, ask_id: str) -> str:
        return self._key(f"ask:{ask_id}")

    def settled(self, ask_id: str) -> str:
        return self._key(f"settled:{ask_id}")

    def posts(self, ask_id: str) -> str:
        return self._key(f"posts:{ask_id}")

    def lease(self, ask_id: str, place: str) -> str:
        return self._key(f"lease:{ask_id}:{place}")

    def drafts(self, ask_id: str) -> str:
        return self._key(f"drafts:{ask_id}")

    def done(self, ask_id: str) -> str:
        return self._key(f"done:{ask_id}")

    def run(self, run_id: str) -> str:
        return self._key(f"run:{run_id}")

    def inbox(self, tenant: str) -> str:
        return self._key(f"inbox:{tenant}")

    def dead(self, group: str) -> str:
        return self._key(f"dead:{group}")


@dataclass(frozen=True, slots=True)
class Partitions:
    """All partitions of one store, and which holds what."""

    all: tuple[Keys, ...]

    @classmethod
    def of(cls, count: int) -> Partitions:
        return cls(tuple(Keys(n, f"oz:{{{n:02d}}}:") for n in range(count)))

    @property
    def count(self) -> int:
        return len(self.all)

    def of_run(self, run_id: str) -> Keys:
        return self.all[partition_byte(run_id) % len(self.all)]

    def of_ask(self, ask_id: str) -> Keys | None:
        byte = ask_byte(ask_id)
        return None if byte is None else self.all[byte % len(self.all)]
