"""How Discord says no: its numbers, its words, and the tree of faults under code 50035.

Source of codes and words: discord-api-docs, "Opcodes and Status Codes" and "Error Messages".
"""

from __future__ import annotations

from enum import IntFlag
from typing import Any

REFUSALS: dict[int, tuple[int, str]] = {
    10003: (404, "Unknown Channel"),
    10008: (404, "Unknown Message"),
    10013: (404, "Unknown User"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    20012: (403, "You are not authorized to perform this action on this application"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50013: (403, "Missing Permissions"),
    50027: (401, "Invalid Webhook Token"),
    50033: (400, "Invalid Recipient(s)"),
    50035: (400, "Invalid Form Body"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    50278: (403, "Cannot send messages to this user due to having no mutual guilds"),
    160002: (400, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    160005: (403, "Thread is locked"),
}
"""Code: HTTP status and message."""


class Permission(IntFlag):
    """What the bot may do in a channel; the bits are Discord's own."""

    MANAGE_MESSAGES = 1 << 13
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    EMBED_LINKS = 1 << 14
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_APPLICATION_COMMANDS = 1 << 31
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    SEND_MESSAGES_IN_THREADS = 1 << 38


EVERYONE = (
    Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.READ_MESSAGE_HISTORY
    | Permission.MENTION_EVERYONE
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.SEND_MESSAGES_IN_THREADS
)
"""What a new server's @everyone role holds, of the permissions known here."""


Path = tuple[str | int, ...]
"""Where in a body: keys and positions."""


class Refusal(Exception):
    """An answer other than 2xx. `code` is in the body, and in `Call.refused`."""

    def __init__(self, code: int, errors: dict[str, Any] | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.status, message = REFUSALS[code]
        self.body: dict[str, Any] = {"message": message, "code": code}
        if errors:
            self.body["errors"] = errors


class Unsupported(Exception):
    """Discord takes this and the fake does not: answered 501, so that nobody builds on a guess."""


class Problems:
    """The faults of one body, by path. Nothing is refused before all of it was looked at."""

    def __init__(self) -> None:
        self._tree: dict[str, Any] = {}

    def add(self, path: Path, code: str, message: str) -> None:
        node = self._tree
        for step in path:
            node = node.setdefault(str(step), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def required(self, path: Path) -> None:
        self.add(path, "BASE_TYPE_REQUIRED", "This field is required")

    def choices(self, path: Path, allowed: object) -> None:
        self.add(path, "BASE_TYPE_CHOICES", f"Value must be one of {allowed}.")

    def length(self, path: Path, least: int, most: int) -> None:
        """A text or list that is too short or too long."""
        if least:
            self.add(path, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length.")
        else:
            self.add(path, "BASE_TYPE_MAX_LENGTH", f"Must be {most} or fewer in length.")

    def settle(self) -> None:
        """Raises: Refusal 50035 with the tree, where anything was added."""
        if self._tree:
            raise Refusal(50035, self._tree)


def check_text(problems: Problems, path: Path, value: Any, least: int, most: int) -> None:
    """Adds what is wrong with a text; None is missed only where `least` is not 0."""
    if value is None:
        if least:
            problems.required(path)
    elif not isinstance(value, str):
        problems.add(path, "STRING_TYPE_CONVERT", f'Could not interpret "{value}" as string.')
    elif not least <= len(value) <= most:
        problems.length(path, least, most)
