"""Test every isolation level on this machine with a program that tries to escape.

A level counts as available if a process started at that level cannot do what the level forbids.
The existence of a file or a version number proves nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import sys
import time
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from arena.hosting.machine import capacity, kernel
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import SANDBOX, IsolationError, Launch, Level
from arena.hosting.workspace.cells import Workspace

_SECONDS: Final = 20.0
_READ: Final = 64 * 1024
_TRIES: Final = 2
_FEWEST: Final = 2
"""Smallest number of bots at a table."""

_ATTEMPTS: Final = """
import ctypes, os, resource, socket, sys
secret, port, pid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
prctl = getattr(ctypes.CDLL(None), "prctl", lambda *_: 0)
def tried(attempt):
    try:
        attempt()
    except (OSError, MemoryError):
        return "0"
    return "1"
print(
    "root=" + str(int(os.getuid() == 0)),
    "privileges=" + str(int(prctl(39, 0, 0, 0, 0) != 1)),
    "memory=" + tried(lambda: bytearray(1 + resource.getrlimit(resource.RLIMIT_DATA)[0])),
    "files=" + tried(lambda: open(secret).close()),
    "network=" + tried(lambda: socket.create_connection(("127.0.0.1", port), 1).close()),
    "signals=" + tried(lambda: os.kill(pid, 0)),
    "processes=" + tried(lambda: open(f"/proc/{pid}/cmdline").close()),
    "writing=" + tried(lambda: open("written", "w").close()),
)
"""

_OPEN: Final = {
    "root": "run as root",
    "privileges": "gain privileges",
    "memory": "use memory without limit",
    "files": "read a file of the host",
    "network": "connect to the host",
    "signals": "signal a process of the host",
    "processes": "see a process of the host",
    "writing": "write to its folder",
}
"""Attempts of the program, as the end of ``could …``."""

_CLOSED: Final[dict[Level, frozenset[str]]] = {
    Level.NONE: frozenset({"root"}),
    Level.LIMITS: frozenset({"root", "privileges", "memory"}),
    Level.LANDLOCK: frozenset(_OPEN),
    Level.BUBBLEWRAP: frozenset(_OPEN),
}
"""Attempts that must fail at each level."""
_BY_LINUX: Final = frozenset({"privileges", "memory"})
"""Attempts that POSIX alone cannot make fail at ``limits``."""


class Probe(NamedTuple):
    """Result of testing an isolation level on this machine."""

    name: str
    works: bool
    detail: str
    """Finding on one line; if the test failed, also the remedy."""


@cache
def probe(level: Level) -> Probe:
    """Start a process at the level and let it try what the level forbids; once per level."""
    for _ in range(_TRIES):
        try:
            with contextlib.closing(Workspace.create()) as workspace:
                return _judged(level, _attempts(level, workspace))
        except IsolationError as error:  # perhaps the process was killed from outside
            found = Probe(level, works=False, detail=str(error))
        except OSError as error:
            detail = f"a process cannot be started: {error.strerror}"
            found = Probe(level, works=False, detail=detail)
    return found


def _judged(level: Level, succeeded: frozenset[str]) -> Probe:
    closed, is_left = _CLOSED[level] - succeeded, _CLOSED[level] & succeeded
    told = f"tried and closed: {', '.join(name for name in _OPEN if name in closed)}"
    if level is Level.LIMITS and not kernel.offered().controls_processes:
        tolerated = [name for name in _OPEN if name in is_left & _BY_LINUX]
        is_left -= _BY_LINUX
        told += f"; open on this system: {', '.join(tolerated)}" if tolerated else ""
    if is_left:
        could = ", ".join(text for name, text in _OPEN.items() if name in is_left)
        return Probe(level, works=False, detail=f"a process at this level could {could}")
    return Probe(level, works=True, detail=told)


def resolve(wanted: str) -> Level:
    """Return the level itself, or for ``sandbox`` the strongest level that works here.

    Raises IsolationError if the level is not available, or if there is no room for any bot.
    """
    _see_that_there_is_room()
    if wanted != SANDBOX:
        found = probe(Level(wanted))
        if not found.works:
            raise IsolationError(f"isolation {wanted}: not available here: {found.detail}")
        return Level(wanted)
    failures = {}
    for level in (Level.BUBBLEWRAP, Level.LANDLOCK):
        found = probe(level)
        if found.works:
            return level
        failures[found.detail] = f"{level}: {found.detail}"
    why = "; ".join(failures.values() if len(failures) > 1 else failures)
    raise IsolationError(f"isolation {SANDBOX}: not available here: {why}")


@cache
def _see_that_there_is_room() -> None:
    """Check the room for one smallest game, once; the number of workers is not known here."""
    capacity.require(1, _FEWEST)


@contextlib.contextmanager
def _targets(workspace: Workspace) -> Iterator[tuple[str, ...]]:
    """Provide targets for the program: a file, a port and a process."""
    secret = workspace.root / "secret"
    secret.write_text("secret")
    secret.chmod(0o644)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield str(secret), str(listener.getsockname()[1]), str(os.getpid())


def _attempts(level: Level, workspace: Workspace) -> frozenset[str]:
    """Return the attempts that succeeded. Raises OSError, IsolationError."""
    empty = workspace.root / "empty"
    empty.mkdir()
    folder = str(workspace.snapshot("probe", empty))
    with _targets(workspace) as targets:
        program = (sys.executable, "-I", "-S", "-c", _ATTEMPTS, *targets)
        launch = Launch(program, folder, level=level, copied=True)
        return _tried(launch, workspace)


def _tried(launch: Launch, workspace: Workspace) -> frozenset[str]:
    process = BotProcess(launch, workspace)
    try:
        printed, said = _output(process)
        if (error := process.start_error()) is not None:
            raise error
    finally:
        process.kill()
    found = dict(word.split("=", 1) for word in printed.split() if "=" in word)
    if found.keys() != _OPEN.keys():
        last = said.strip().splitlines()[-1:] or ["it printed nothing"]
        raise IsolationError(f"a process was started and did not work: {last[0]}")
    return frozenset(name for name, value in found.items() if value == "1")


def _output(process: BotProcess) -> tuple[str, str]:
    """Return the standard output and standard error of ``process``, after it has ended."""
    give_up = time.monotonic() + _SECONDS
    written = {process.stdout: b"", process.stderr: b""}
    ended = False
    while not ended and time.monotonic() < give_up:
        ended = process.wait(0.05)
        for descriptor in written:
            while select.select([descriptor], [], [], 0)[0]:
                data = os.read(descriptor, _READ)
                written[descriptor] += data
                if not data or len(written[descriptor]) > _READ:
                    break
    out, err = (data.decode("utf-8", "replace") for data in written.values())
    return out, err
