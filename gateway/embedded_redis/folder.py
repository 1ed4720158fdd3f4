"""The engine's folder: this user's alone, and one gateway's at a time."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import stat
from pathlib import Path
from typing import IO

from gateway.errors import GatewayError

LOCK_WAIT_S = 10.0
"""A gateway killed outright leaves its server this long to save and go."""

LOOK_AGAIN_S = 0.02
"""Ours: a lock has no event to wait for; an empty server is ready in 0.02 s (store-measured)."""

MAX_SOCKET_BYTES = 103
"""`sun_path` holds 104 bytes on macOS and 108 on Linux, the closing NUL among them (unix(7))."""

MAX_LOG_BYTES = 1_048_576
"""Ours: the server's own log starts anew above this; one older file is kept."""


class EngineError(GatewayError):
    """The embedded engine cannot start; the message says what to do."""

    code = "engine"


class FolderLock:
    """Held until every process that has `fd` is gone: this one, and the server that inherits it."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    async def take(cls, folder: Path, wait_s: float) -> FolderLock:
        """The folder's lock, waiting for a server that is on its way out.

        Raises:
            EngineError: another gateway has it.
        """
        lock = cls(os.open(folder / "engine.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        try:
            async with asyncio.timeout(wait_s):
                while not lock.try_now():  # noqa: ASYNC110 - other processes set no event
                    await asyncio.sleep(LOOK_AGAIN_S)
        except TimeoutError:
            owner = os.pread(lock.fd, 20, 0).decode("ascii", "replace").strip()
            lock.release()
            raise EngineError(
                f"Another gateway (process {owner}) uses {folder}. Stop it, or give this one a "
                "folder of its own: OZ_DATA."
            ) from None
        except BaseException:
            lock.release()
            raise
        os.ftruncate(lock.fd, 0)
        os.pwrite(lock.fd, f"{os.getpid()}\n".encode(), 0)
        return lock

    def try_now(self) -> bool:
        try:
            fcntl.flock(self.fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        os.close(self.fd)


def prepare(folder: Path) -> None:
    """Makes the folder, and that of its socket, so that nobody else can look into them.

    Raises:
        EngineError: it cannot be, or it is somebody else's.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        private = socket_path(folder).parent
        with contextlib.suppress(FileExistsError):
            private.mkdir(mode=0o700)
        found = private.lstat()
    except OSError as error:
        raise EngineError(f"Cannot use {folder}: {error.strerror}.") from error
    # In a shared /tmp the name can be guessed, and somebody else may have been there first.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise EngineError(f"{private} is not this user's alone. Remove it, or set another OZ_DATA.")


def socket_path(folder: Path) -> Path:
    """The server's socket: in its folder; where that path is too long, in one under /tmp."""
    path = folder / "engine.sock"
    if len(os.fsencode(path)) <= MAX_SOCKET_BYTES:
        return path
    digest = hashlib.blake2b(os.fsencode(folder), digest_size=8).hexdigest()
    # Not TMPDIR: on macOS that is long itself. `prepare` sees to it that the folder is ours.
    return Path(f"/tmp/oz-{os.getuid()}-{digest}/engine.sock")  # noqa: S108


def open_log(folder: Path) -> IO[bytes]:
    """The file for the server's own words; they are about itself and hold no content."""
    path = folder / "engine.log"
    if path.exists() and path.stat().st_size > MAX_LOG_BYTES:
        path.replace(folder / "engine.log.1")
    return path.open("ab")


def last_words(folder: Path) -> str:
    """The last line of the server's log, which is where it says why it ended."""
    lines = (folder / "engine.log").read_text("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")
