"""Start worker processes: separate programs, each with two pipes to this process.

No worker is forked from this process, which has threads and the pipes of other workers. A killed
process leaves nothing on the machine: no socket, no semaphore, no helper process.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP)
"""Signals to the whole process group that only the parent handles.

A worker stopped by Ctrl-Z would find its bots late. These signals are blocked in a new worker until
it ignores them."""
_CODE: Final = """
import importlib, json, sys
from multiprocessing.connection import Connection
blocks, control = Connection(int(sys.argv[1])), Connection(int(sys.argv[2]), writable=False)
sys.path[:], module, name, core = json.loads(blocks.recv_bytes())
getattr(importlib.import_module(module), name)(blocks, control, blocks.recv_bytes(), core)
"""


def start(theirs: Connection, control: Connection, name: str) -> subprocess.Popen[bytes]:
    """Start a process that waits for ``brief``. Raises OSError.

    ``theirs``, ``control``: the process's ends of the pipes, which the caller closes. ``name``
    appears in process lists.
    """
    ends = theirs.fileno(), control.fileno()
    words = [sys.executable, "-P", "-c", _CODE, *map(str, ends), name]
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=ends)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def brief(ours: Connection, target: Callable[..., Any], job: bytes, core: int) -> None:
    """Make a new process call ``target(blocks, control, job, core)``. Raises OSError."""
    where = [sys.path, target.__module__, target.__qualname__, core]
    ours.send_bytes(json.dumps(where).encode())
    ours.send_bytes(job)
