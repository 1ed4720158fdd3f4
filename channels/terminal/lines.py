"""Lines from a terminal, a pipe or a file, read when asked for and not before."""

from __future__ import annotations

import asyncio
import os

CHUNK_BYTES = 65_536

LONGEST_LINE_BYTES = 1_048_576
"""Ours: four times the longest reply anybody may send; more without a line break is one line."""


class Lines:
    """Reads a file descriptor, which stays its owner's."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""
        self._ended = False

    async def next(self) -> str | None:
        """The next line without its break; None at the end of the input."""
        while b"\n" not in self._read and not self._ended and len(self._read) < LONGEST_LINE_BYTES:
            await self._readable()
            chunk = os.read(self._descriptor, CHUNK_BYTES)
            self._read += chunk
            self._ended = not chunk
        if self._ended and not self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        return line.decode("utf-8", "replace").removesuffix("\r")

    async def _readable(self) -> None:
        """Returns once a read will not block; no thread, which could not be stopped in a read."""
        loop = asyncio.get_running_loop()
        readable = loop.create_future()
        try:
            loop.add_reader(self._descriptor, _set, readable)
        except (PermissionError, OSError):
            return  # a regular file, which never blocks and which no selector takes
        try:
            await readable
        finally:
            loop.remove_reader(self._descriptor)


def _set(readable: asyncio.Future[None]) -> None:
    if not readable.done():
        readable.set_result(None)
