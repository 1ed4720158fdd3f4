"""Keeps one server running in one folder for as long as it is entered."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self
from urllib.parse import quote

from gateway.embedded_redis.folder import (
    LOCK_WAIT_S,
    EngineError,
    FolderLock,
    prepare,
    socket_path,
)
from gateway.embedded_redis.server import Plan, Server, Way, find_server
from gateway.log import event

if TYPE_CHECKING:
    from collections.abc import Callable

    from gateway.config import Fsync

BACKOFF_S = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Ours: waits before a server that died is started again; the last one repeats."""

STEADY_S = 30.0
"""Ours: a server that lived this long has recovered, and the next wait is the first again."""

_log = logging.getLogger(__name__)


class EmbeddedRedis:
    """`async with EmbeddedRedis(folder) as engine:` runs a server; `engine.url` is where.

    Args:
        folder: made if missing, 0700; holds the append-only file and everything else.
        fsync: `always` survives a power cut; `everysec` may lose the last second then.
        binary: the server to run; None finds one (see `find_server`).
        lock_wait_s: how long another gateway's server may take to leave the folder.
        on_restart: called each time a server that died has been started again.
        way: how the server learns that this process is gone. The signal comes when the *thread*
            that started it ends, so run the event loop in a thread that stays.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fsync: Fsync = "always",
        binary: Path | None = None,
        lock_wait_s: float = LOCK_WAIT_S,
        on_restart: Callable[[], None] | None = None,
        way: Way = "signal" if sys.platform == "linux" else "pipe",
    ) -> None:
        self.folder = folder.absolute()
        self._fsync = fsync
        self._binary = binary
        self._lock_wait_s = lock_wait_s
        self._on_restart = on_restart
        self._way = way
        self._server: Server | None = None
        self._supervisor: asyncio.Task[None] | None = None
        self._lock: FolderLock | None = None

    @property
    def url(self) -> str:
        """Where the server listens: a socket that only this user reaches."""
        return f"unix://{quote(os.fsencode(socket_path(self.folder)))}"

    @property
    def pid(self) -> int | None:
        """The server's process; None while there is none."""
        return self._server.pid if self._server is not None and self._server.alive else None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def start(self) -> None:
        """Returns once the server answers, its data loaded.

        Raises:
            EngineError: no server to run, the folder is another gateway's or cannot be used, or
                the server would not start.
        """
        binary = self._binary or find_server()
        plan = Plan(binary, self.folder, self._fsync, self._way)
        prepare(self.folder)
        self._lock = lock = await FolderLock.take(self.folder, self._lock_wait_s)
        try:
            self._server = server = await Server.start(plan, lock)
            await server.ready()
        except BaseException:
            await self._leave()
            raise
        self._supervisor = asyncio.create_task(self._supervise(plan, lock, server), name="engine")

    async def aclose(self) -> None:
        """Stops the server, its data on disk, and gives the folder free."""
        if self._supervisor is not None:
            self._supervisor.cancel()
            await asyncio.wait([self._supervisor])
        await self._leave()

    async def _supervise(self, plan: Plan, lock: FolderLock, server: Server) -> None:
        """Starts the server again whenever it dies; callers' connections fail meanwhile."""
        clock = asyncio.get_running_loop().time
        deaths, began = 0, clock()
        while True:
            code = await server.ended()
            deaths = 0 if clock() - began > STEADY_S else deaths
            delay_s = BACKOFF_S[min(deaths, len(BACKOFF_S) - 1)]
            deaths, began = deaths + 1, clock() + delay_s
            event(_log, "engine.died", level=logging.ERROR, exit_code=code, delay_ms=delay_s * 1000)
            await asyncio.sleep(delay_s)
            try:
                self._server = server = await Server.start(plan, lock)
                await server.ready()
            except (EngineError, OSError) as error:  # it may die while it starts, too
                event(_log, "engine.restart_failed", level=logging.ERROR, error=error)
            else:
                if self._on_restart is not None:
                    self._on_restart()

    async def _leave(self) -> None:
        if self._lock is None:  # never started: nothing here is ours to take away
            return
        try:
            if self._server is not None:
                await self._server.stop()
        finally:
            short = socket_path(self.folder).parent
            if short != self.folder:
                shutil.rmtree(short, ignore_errors=True)
            self._lock.release()
            self._lock = None
