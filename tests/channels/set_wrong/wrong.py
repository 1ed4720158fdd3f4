"""One way to set a platform wrong, and what the doctor has to say of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PAST = "Wed, 01 Jan 2020 00:00:00 GMT"
NOBODY = "00000000-0000-0000-0000-000000000000"
NOWHERE = "http://127.0.0.1:9"


def nothing(_platform: Any) -> None:
    """The platform is as it should be; the settings are not."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One wrong set-up: what is done to the platform, to the table, to the route; what is said.

    The route leads to `room`, else the town's, and `thread` there; or to the person `account`.
    """

    name: str
    said: tuple[str, ...]
    platform: Callable[[Any], object] = nothing
    table: dict[str, Any] = field(default_factory=dict)
    room: str | None = None
    thread: str | None = None
    account: str | None = None

    def __str__(self) -> str:
        return self.name.replace(" ", "-")
