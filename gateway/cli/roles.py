"""What a process of the gateway does; `oz0 serve --roles` names them."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    API = "api"
    CHANNELS = "channels"
    CLOCK = "clock"
    RESUME = "resume"
