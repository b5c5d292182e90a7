"""One bot process: its pipes, its end, its process group.

Pipes are non-blocking and belong to the caller, who reads and writes them (``fileno``
attributes). The process leads a session of its own, so that one signal reaches everything
it started and stayed in its group.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from typing import IO, Final

from arena.hosting.isolation import Launch
from arena.hosting.yard import Cell, Yard

_NAP_SECONDS: Final = 0.01
_REAP_SECONDS: Final = 0.5
_SYSTEM_PATH: Final = "/usr/local/bin:/usr/bin:/bin"


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """What every bot gets instead of ours: no secret of the host, the same on every machine.

    A fixed hash seed makes Python bots that iterate over sets repeatable.
    """
    return {
        "PATH": os.environ.get("PATH", _SYSTEM_PATH),
        "HOME": "/nonexistent",
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        **extra,
    }


class BotProcess:
    """A started process. Raises OSError from the constructor if it cannot be started."""

    def __init__(self, launch: Launch, yard: Yard | None = None) -> None:
        """``yard``: where the process gets a cell of its own; None: it has none."""
        self._cell = Cell(launch.folder) if yard is None else yard.cell(launch)
        self._popen = subprocess.Popen(
            launch.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=self._cell.folder,
            env=clean_environment(launch.env),
            start_new_session=True,
        )
        pipes = [pipe for pipe in self._pipes() if pipe is not None]
        self.stdin, self.stdout, self.stderr = (pipe.fileno() for pipe in pipes)
        for descriptor in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(descriptor, False)
        self.pidfd = _pidfd(self.pid)
        """Readable once the process has ended; None where the system gives no such thing."""

    @property
    def pid(self) -> int:
        """Process id, also of its group and session."""
        return self._popen.pid

    def exit_status(self) -> int | None:
        """As ``subprocess`` writes it, negative for a signal; None while the process runs.

        Leaves the process unreaped, so that its group id stays ours until ``kill``.
        """
        if self._popen.returncode is not None:
            return self._popen.returncode
        try:
            end = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:  # somebody else reaped it, when all of us are to go
            return -signal.SIGKILL
        if end is None:
            return None
        return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status

    def ended(self) -> bool:
        """Whether the process has ended."""
        return self.exit_status() is not None

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long; whether it came."""
        if self.pidfd is not None:
            poll = select.poll()
            poll.register(self.pidfd, select.POLLIN)
            poll.poll(max(0.0, seconds * 1000))
            return self.ended()
        give_up = time.monotonic() + seconds
        while not self.ended() and time.monotonic() < give_up:
            time.sleep(_NAP_SECONDS)
        return self.ended()

    def close_stdin(self) -> None:
        """Let the process see the end of its input."""
        if self._popen.stdin is not None:
            self._popen.stdin.close()

    def kill(self) -> None:
        """Kill the process and its group, reap it, close everything.

        A process that is traced by another cannot be reaped before that one is gone; it is
        left to ``orphans.sweep``. Nothing here waits for ever.
        """
        if self._popen.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self.wait(_REAP_SECONDS)
        if self._popen.poll() is None:
            self._popen.returncode = -signal.SIGKILL
        for pipe in self._pipes():
            if pipe is not None:
                pipe.close()
        if self.pidfd is not None:
            os.close(self.pidfd)
            self.pidfd = None
        self._cell.close()

    def _pipes(self) -> tuple[IO[bytes] | None, ...]:
        return self._popen.stdin, self._popen.stdout, self._popen.stderr


def _pidfd(pid: int) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:  # an old kernel, a sandbox, no descriptor left: the process can be polled
        return None
