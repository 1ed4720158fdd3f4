"""Becomes the engine: `python -I -S launch.py PARENT signal|pipe COMMAND…`.

Run as a file, with the standard library alone. A program between fork and exec, because a
`preexec_fn` may deadlock where there are threads. It makes the engine end with the gateway, however
that ends: by the kernel's parent-death signal on Linux, elsewhere by a pipe that closes.
"""

from __future__ import annotations

import os
import select
import signal
import sys

PR_SET_PDEATHSIG = 1
"""Source: prctl(2), linux/prctl.h. It outlives the exec below."""

LOOK_AGAIN_S = 1.0
"""Ours: how soon the watcher of a pipe notices that the engine is gone."""


def ask_for_signal() -> None:
    """Has the kernel send SIGTERM when the thread that started this process ends. Linux only."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")


def watch_pipe() -> None:
    """Forks a watcher that sends the engine SIGTERM once standard input closes."""
    engine = os.getpid()
    if os.fork():
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        return
    os.closerange(3, 1024)  # the folder's lock is the engine's to hold, not the watcher's
    while os.getppid() == engine:
        if select.select([0], [], [], LOOK_AGAIN_S)[0]:  # the gateway never writes: it is gone
            os.kill(engine, signal.SIGTERM)
            break
    os._exit(0)


def main() -> None:
    parent, way, *command = sys.argv[1:]
    if way == "signal":
        ask_for_signal()
    else:
        watch_pipe()
    if os.getppid() != int(parent):  # it ended before we asked to be told
        sys.exit("the gateway has gone")
    os.execv(command[0], command)  # noqa: S606 - the engine's path, found by the gateway


if __name__ == "__main__":
    main()
