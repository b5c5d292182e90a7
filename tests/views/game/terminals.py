"""Commands that run on a terminal which a test reads and types on."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.cli.shell import command, environment

ENTER, LEAVE = b"\x1b[?1049h", b"\x1b[?1049l"


class Terminal(NamedTuple):
    """A command on a terminal of 80 columns and 24 rows."""

    process: subprocess.Popen[bytes]
    ours: int
    theirs: int

    def until(self, *wanted: bytes) -> bytes:
        """What is shown until one of the texts appears. Fails after a generous while."""
        shown, deadline = b"", time.monotonic() + 60
        while not any(text in shown for text in wanted):
            ready, _, _ = select.select([self.ours], [], [], deadline - time.monotonic())
            assert ready, f"{wanted!r} was never shown, but {shown!r}"
            shown += os.read(self.ours, 65536)
        return shown

    def press(self, keys: bytes) -> None:
        os.write(self.ours, keys)


@contextmanager
def terminal(*arguments: str | Path, folder: Path | None = None) -> Iterator[Terminal]:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    # A child would go on ignoring what we ignore, and a job in the background ignores SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command(*arguments), cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs,
        env=environment(TERM="xterm"), process_group=0,
    )  # fmt: skip
    signal.signal(signal.SIGINT, before)
    try:
        yield Terminal(process, ours, theirs)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(theirs)
