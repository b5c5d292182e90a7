"""Keep a warm launcher: a process, with all modules loaded, that forks once for each bot.

Each fork is a direct child of arena's process, not of the warm launcher, by a flag of ``clone``. So
it equals a launcher started in full, but is ready in a tenth of the time. The warm launcher holds
no data of a bot: the forked process itself reads the plan. It belongs to the thread that started it
and ends with that thread. Linux only.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from typing import IO, Final

from arena.hosting.machine import kernel, orphans

_ANSWER_BYTES: Final = 8
_SECONDS: Final = 5.0
"""Time in which a process must be ready, in seconds; otherwise the warm launcher is dropped."""


class Child:
    """A child process not started by ``subprocess``, with the needed parts of ``Popen``."""

    def __init__(self, pid: int, pipes: Sequence[IO[bytes]]) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = pipes
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit status, or None while the process runs; as ``Popen.poll``."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # already reaped elsewhere
                self.returncode = 0
            else:
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class Warm:
    """A running warm launcher."""

    def __init__(self, command: Callable[[int], Sequence[str]]) -> None:
        """Start the warm launcher; ``command`` takes the number of its socket. Raises OSError."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, contextlib.ExitStack() as undo:
            undo.callback(ours.close)
            ours.settimeout(_SECONDS)
            self._process = subprocess.Popen(
                command(theirs.fileno()),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={},
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )
            undo.pop_all()
        self._socket = ours
        orphans.HELPERS.add(self._process.pid)

    def start(self, plan: int, status: int, group: Sequence[int] = ()) -> Child | None:
        """Start a process that follows the plan; None if the warm launcher is unusable.

        ``plan``, ``status``: descriptors of the plan and of reports. ``group``: descriptor of the
        folder of its control group, or none. Raises OSError.
        """
        with contextlib.ExitStack() as stack:
            theirs, ours = [], []
            for writes in (True, False, False):
                reading, writing = os.pipe()
                stack.callback(os.close, reading if writes else writing)
                theirs.append(reading if writes else writing)
                end, mode = (writing, "wb") if writes else (reading, "rb")
                ours.append(os.fdopen(end, mode, buffering=0))
            try:
                socket.send_fds(self._socket, [b"."], [*theirs, plan, status, *group])
                answer = self._socket.recv(_ANSWER_BYTES)
            except OSError:
                answer = b""
            pid = int.from_bytes(answer, sys.byteorder, signed=True)
            if pid > 0:
                return Child(pid, ours)
            for pipe in ours:
                pipe.close()
        if pid < 0:
            raise OSError(-pid, os.strerror(-pid))
        self.close()
        return None

    def close(self) -> None:
        """End the warm launcher."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
        orphans.HELPERS.discard(self._process.pid)


class _ThreadState(threading.local):
    warm: Warm | None = None
    command: Callable[[int], Sequence[str]] | None = None
    starts = 0
    """Number of full starts until a warm launcher is started by ``command``."""


_thread_state = _ThreadState()


def keep(command: Callable[[int], Sequence[str]], after: int = 0) -> None:
    """Keep a warm launcher for starts by this thread, if the machine has room.

    ``after``: number of full starts before a warm launcher is worth its cost.
    """
    if kernel.offered().controls_processes and _thread_state.warm is None:
        _thread_state.command, _thread_state.starts = command, after
        _begin()


def _begin() -> None:
    """Start a warm launcher if it is due."""
    if _thread_state.command is not None and _thread_state.starts <= 0:
        command, _thread_state.command = _thread_state.command, None
        with contextlib.suppress(OSError):
            _thread_state.warm = Warm(command)


def drop() -> None:
    """End the warm launcher of this thread, and keep none from now on."""
    _thread_state.command = None
    if _thread_state.warm is not None:
        _thread_state.warm.close()
        _thread_state.warm = None


def start(plan: int, status: int, group: Sequence[int] = ()) -> Child | None:
    """Start a process as ``Warm.start`` does; None also without a warm launcher."""
    if _thread_state.warm is None:
        _thread_state.starts -= 1
        _begin()
        return None
    child = _thread_state.warm.start(plan, status, group)
    if child is None:
        _thread_state.warm = None
    return child
