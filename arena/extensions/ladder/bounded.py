"""Run a program that is no bot, with a bound on its time, and kill what it leaves behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from arena.hosting.machine import orphans

_POLL: Final = 0.02
_DYING: Final = 2.0
"""Time for a killed program to end, in seconds; one of another user may not be killed by us."""


def run_bounded(
    command: Sequence[str],
    until: float,
    stopped: threading.Event,
    given: IO[bytes] | int = subprocess.DEVNULL,
    out: IO[bytes] | int = subprocess.DEVNULL,
    errors: IO[bytes] | int = subprocess.DEVNULL,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> int | None:
    """Run ``command`` in a process group of its own, which is killed afterwards.

    ``until``: latest end, by ``time.monotonic``. Returns the exit status, or None if the time has
    passed or ``stopped`` was set. It inherits no handles but those given. Raises OSError if it
    cannot be started.
    """
    with orphans.STARTING:
        process = subprocess.Popen(
            command,
            stdin=given,
            stdout=out,
            stderr=errors,
            env=environment,
            cwd=folder,
            start_new_session=True,
        )
        orphans.HELPERS.add(process.pid)
    try:
        while process.poll() is None and time.monotonic() < until and not stopped.wait(_POLL):
            pass
        return process.poll()
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_DYING)
        orphans.HELPERS.discard(process.pid)
