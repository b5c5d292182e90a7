"""A launcher that is kept warm: it has read all its modules and splits into one more for each bot.

Each of them is a child of ours at once, not of the warm one's, by a flag of ``clone``; so there is
no difference to one that was started in full, but that it is there in a tenth of the time. The
warm one holds nothing of a bot: a plan is read by who follows it. It belongs to the thread that
started it and ends with it. Linux only.
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

from arena.hosting.machine import orphans

_ANSWER_BYTES: Final = 8
_SECONDS: Final = 5.0
"""Within which a process is there, or the warm launcher is given up."""


class Child:
    """A process of ours that ``subprocess`` did not start, with as much of ``Popen`` as is used."""

    def __init__(self, pid: int, pipes: Sequence[IO[bytes]]) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = pipes
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """See ``Popen``."""
        if self.returncode is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:  # somebody else reaped it
                self.returncode = 0
            else:
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode


class Warm:
    """A warm launcher."""

    def __init__(self, command: Callable[[int], Sequence[str]]) -> None:
        """``command`` starts it with the number of its socket. Raises OSError."""
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

    def start(self, plan: int, status: int) -> Child | None:
        """Have the plan followed; None: this one is of no more use. Raises OSError."""
        with contextlib.ExitStack() as stack:
            theirs, ours = [], []
            for writes in (True, False, False):
                reading, writing = os.pipe()
                stack.callback(os.close, reading if writes else writing)
                theirs.append(reading if writes else writing)
                end, mode = (writing, "wb") if writes else (reading, "rb")
                ours.append(os.fdopen(end, mode, buffering=0))
            try:
                socket.send_fds(self._socket, [b"."], [*theirs, plan, status])
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
        """End it."""
        self._socket.close()
        self._process.kill()
        self._process.wait()
        orphans.HELPERS.discard(self._process.pid)


class _Mine(threading.local):
    warm: Warm | None = None
    command: Callable[[int], Sequence[str]] | None = None
    starts = 0
    """In full, before one is kept by ``command``."""


_mine = _Mine()


def keep(command: Callable[[int], Sequence[str]], after: int = 0) -> None:
    """Keep one warm for what this thread starts, if the machine has room for it.

    ``after``: so many starts in full, before it is worth it.
    """
    if sys.platform == "linux" and _mine.warm is None:
        _mine.command, _mine.starts = command, after
        _begin()


def _begin() -> None:
    """Keep one if it is time."""
    if _mine.command is not None and _mine.starts <= 0:
        command, _mine.command = _mine.command, None
        with contextlib.suppress(OSError):
            _mine.warm = Warm(command)


def drop() -> None:
    """Keep none any more."""
    _mine.command = None
    if _mine.warm is not None:
        _mine.warm.close()
        _mine.warm = None


def start(plan: int, status: int) -> Child | None:
    """As ``Warm.start``; None too where none is kept."""
    if _mine.warm is None:
        _mine.starts -= 1
        _begin()
        return None
    child = _mine.warm.start(plan, status)
    if child is None:
        _mine.warm = None
    return child
