"""A process that dies at a given step: before or after one of its calls to what is outside it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any


class Died(BaseException):
    """The process is gone: nothing of ours catches it."""


@dataclass
class Fuse:
    """Burns through at the `at`-th step; from then on no step is taken."""

    at: int
    steps: int = 0

    @property
    def burnt(self) -> bool:
        return self.steps >= self.at

    def step(self) -> None:
        self.steps += 1
        if self.burnt:
            raise Died


class Mortal:
    """Passes every call on, and dies before or after one of them."""

    def __init__(self, thing: object, fuse: Fuse) -> None:
        self._thing = thing
        self._fuse = fuse

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def call(*args: Any, **more: Any) -> Any:
            self._fuse.step()
            answer = await getattr(self._thing, name)(*args, **more)
            self._fuse.step()
            return answer

        return call
