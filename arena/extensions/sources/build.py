"""Build bots: run the ``build`` commands of a manifest once per state of its files.

The build of an untrusted bot is an untrusted program. It runs in a copy of the source, at the
isolation level at which the bot will play. The folder of the bot is never written to.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, cast

import msgspec

from arena.entrants import cache
from arena.entrants.entrants import Entrant
from arena.entrants.folders import (
    MAX_BYTES,
    Bounds,
    FolderError,
    check_size,
    file_errors,
    folder_digest,
    is_no_source,
)
from arena.entrants.manifest import find_program
from arena.entrants.toolchains import rust_folder
from arena.extensions.sources.growth import check_growth
from arena.hosting.machine import orphans, usage
from arena.hosting.process import BotProcess
from arena.hosting.sandbox.isolation import Isolation, IsolationError, Launch, Level
from arena.hosting.sandbox.paths import is_installed, program
from arena.hosting.sandbox.probes import resolve
from arena.hosting.workspace.cells import Cell, Workspace
from arena.hosting.workspace.learning import Given
from arena.hosting.workspace.trees import copy_tree, is_foreign, remove_tree
from arena.tournament.players import BuildFailed, check_program
from arena.values.problems import ConfigError, Problem, file_error, shown_path
from arena.values.results import Limits

BUILD_SECONDS: Final = 600.0
"""Longest time for all build commands of a bot together, in seconds."""
BUILD_LIMITS: Final = Limits(memory=4 << 30, processes=256, cpu=600.0, disk=MAX_BYTES, files=1024)
"""Limits of a build, regardless of the bot's limits in play.

The limit ``disk`` applies to one file, and also to all files together.
"""

_SHOWN_LINES: Final = 20
"""Number of lines kept from each end of the output.

The first error of a compiler comes first, other reasons come last.
"""
_LEFT_OUT: Final = "[...]"
_KEPT_BYTES: Final = 16 * 1024
"""Number of bytes kept from each end of the output."""
_CHUNK: Final = 64 * 1024
_CHUNKS_AFTER_END: Final = 64
_POLL_SECONDS: Final = 0.1
_WATCH_SECONDS: Final = 0.5
"""Time between two checks of what a build has written, in seconds."""
_WATCH_SHARE: Final = 0.2
"""Largest share of the time that each check may take."""
_TEMPORARY: Final = ".arena-build"
"""Folder in the copy for temporary files if there is no other place; not kept."""

_DRIVER: Final = """
import json, os, subprocess, sys
temporary = os.path.abspath(sys.argv[2])
os.makedirs(temporary, exist_ok=True)
environment = {"TMPDIR": temporary, **os.environ, "HOME": temporary}
if os.path.samefile(environment["TMPDIR"], "."):  # go takes nothing there for a module
    environment["TMPDIR"] = temporary
environment["PATH"] = os.pathsep.join([*sys.argv[3:], environment["PATH"]])
for index, command in enumerate(json.loads(sys.argv[1])):
    os.write(2, b"%d\\n" % index)
    if os.path.isfile(command[0]):
        command[0] = os.path.abspath(command[0])
    try:
        status = subprocess.call(
            command, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT
        )
        failure = f"ended with status {status}" if status else ""
    except OSError as error:
        failure = f"cannot be started: {error.strerror}"
    if failure:
        os.write(2, failure.encode())
        sys.exit(1)
"""
"""Program that runs the commands one after another in the isolated process.

It writes the number of each command to its standard error before it starts, and the failure if it
fails. All output of the commands goes to its standard output. Its third and later arguments are
folders that are put first in PATH.
"""


def build(entrant: Entrant, readable: Sequence[str] = (), bounds: Bounds | None = None) -> Entrant:
    """Build an entrant that has commands for it, as ``tournament.players.build`` says.

    A bot is built once per state of its files, its build commands and the level at which it will
    play, see ``cache``.
    """
    level = _level(entrant)
    place = cache.place_of(entrant.digest, entrant.build, level)
    found = cache.fetch(place)
    if found is None:
        with _explained(Path(entrant.given)):
            _make(entrant, level, readable, place, bounds)
        found = cache.fetch(place)
    if found is None:
        raise _failure(Path(entrant.given), f"what was built is gone from {shown_path(place)}")
    files, stamp = found
    if bounds is not None:  # it may have been built under other bounds
        with _explained(Path(entrant.given)):
            check_size(files, bounds=bounds)
    command = (find_program(entrant.words[0], files) or entrant.words[0], *entrant.words[1:])
    return msgspec.structs.replace(entrant, folder=str(files), files=stamp, command=command)


def _level(entrant: Entrant) -> Level:
    if entrant.isolation is not Isolation.SANDBOX:
        return Level(entrant.isolation.value)
    try:
        return resolve(entrant.isolation)
    except IsolationError as error:
        raise _failure(Path(entrant.given), str(error)) from None


def _make(
    entrant: Entrant, level: Level, readable: Sequence[str], place: Path, bounds: Bounds | None
) -> None:
    """Build the bot of ``entrant`` and move it to ``place`` in the cache.

    Raises ConfigError, OSError, FolderError.
    """
    folder = Path(entrant.folder)
    with cache.making() as unfinished:
        source, files = unfinished / "source", unfinished / "files"
        check_size(folder, is_no_source)
        with file_errors(folder, source):
            copy_tree(folder, source, skip=is_no_source)
        if folder_digest(source) != entrant.digest:
            raise _failure(folder, "changed while it was read")
        run_commands(
            entrant.build,
            source,
            files,
            shown=folder,
            level=level,
            readable=readable,
            bounds=bounds,
        )
        check_program(entrant, files, readable)
        remove_tree(source)
        cache.finish(unfinished, place)
        cache.tidy()


def run_commands(
    commands: Sequence[Sequence[str]],
    source: Path,
    target: Path,
    *,
    shown: Path,
    level: Level = Level.LIMITS,
    readable: Sequence[str] = (),
    seconds: float = BUILD_SECONDS,
    bounds: Bounds | None = None,
) -> None:
    """Run ``commands`` one after another in a copy of ``source``; copy the result to ``target``.

    ``readable``: as in ``Launch``. All commands together may take ``seconds``; no process that they
    started is left. ``bounds`` limit the size and number of files of the result. Raises ConfigError
    about the folder ``shown`` with the last lines of output if a command fails, FolderError if a
    file cannot be copied, OSError.
    """
    launch = _launch(commands, source, level, readable)
    with (
        contextlib.closing(cast("_Workshop", _Workshop.create())) as workspace,
        contextlib.closing(_Site(launch, workspace)) as site,
    ):
        cell = workspace.cells[0]
        folders = [folder for folder in (cell.folder, cell.scratch) if folder is not None]
        written = _Watch(partial(_growth, folders), _WATCH_SECONDS)
        course = _follow(site.process, seconds, (written, _Watch(site.excess, _POLL_SECONDS)))
        if course.failure:
            command = " ".join(commands[min(course.last, len(commands) - 1)])
            said = course.said
            for each in folders:  # hide the path of the copy, which is of no use to readers
                said = said.replace(each, os.curdir)
            kind = ConfigError if course.is_machine else BuildFailed
            raise _failure(shown, f"build command {command!r} {course.failure}{said}", kind)
        site.quieten()
        made = Path(cell.folder)
        try:
            check_size(made, _is_left_over, bounds)
        except FolderError as error:
            raise FolderError(f"made what cannot be kept: {error}") from None
        with file_errors(made, target):
            copy_tree(made, target, skip=_is_left_over)


def _launch(
    commands: Sequence[Sequence[str]], source: Path, level: Level, readable: Sequence[str]
) -> Launch:
    """Return the start of the driver that runs the commands, which may read their programs."""
    located = [(find_program(argv[0], source) or argv[0], *argv[1:]) for argv in commands]
    inside = [(_within(argv[0], source), *argv[1:]) for argv in located]
    programs = [path for argv in inside if is_installed(argv[0]) for path in program(argv[0])]
    toolchain = rust_folder()  # programs called by a script or make are found there too
    if toolchain is not None:
        programs += program(os.path.join(toolchain, "rustc"))
    return Launch(
        (
            sys.executable,
            "-I",
            "-S",
            "-c",
            _DRIVER,
            msgspec.json.encode(inside).decode(),
            _TEMPORARY,
            *filter(None, [toolchain]),
        ),
        str(source),
        level=level,
        limits=BUILD_LIMITS,
        copied=True,
        readable=(*readable, *programs),
        writable=True,
    )


def _is_left_over(path: str, is_folder: bool) -> bool:
    return is_foreign(path, is_folder) or path == _TEMPORARY


def _within(word: str, folder: Path) -> str:
    """Return ``word``; if it is a program of ``folder``, its relative path, valid in a copy."""
    if not word.startswith(f"{folder}{os.sep}"):
        return word
    return os.path.join(os.curdir, os.path.relpath(word, folder))


class _Workshop(Workspace):
    """A workspace that remembers its cells, so that their files can be fetched."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.cells: list[Cell] = []

    def cell(self, launch: Launch, given: Given | None = None) -> Cell:
        self.cells.append(super().cell(launch, given))
        return self.cells[-1]


class _Site:
    """A process that builds, with all processes that it leaves running."""

    def __init__(self, launch: Launch, workspace: Workspace) -> None:
        orphans.adopt_orphans()
        self._others = set(orphans.children())
        self._is_limited = launch.level.at_least(Level.LIMITS)
        self.process = BotProcess(launch, workspace)
        self.process.close_stdin()

    def excess(self) -> str:
        """Return a phrase if the processes exceed a limit, else "".

        Only limits that the kernel does not enforce are checked.
        """
        if not self._is_limited or self.process.is_kept_in_limits:
            return ""
        daemons = {*orphans.children()} - self._others - {self.process.pid}
        each = [self.process.usage(), *map(usage.measure, daemons)]
        used = usage.together(filter(None, each))
        roots = (self.process.pid, *daemons)
        pids = [pid for root in roots for pid in usage.tree(root)]
        return usage.excess(used, BUILD_LIMITS, lambda: pids) or ""

    def quieten(self) -> None:
        """Kill the processes that still run after the main process has ended."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, signal.SIGKILL)
        orphans.sweep({*self._others, self.process.pid})

    def close(self) -> None:
        """Kill everything and remove the cell."""
        self.process.kill()
        orphans.sweep(self._others)


class _BuildResult(NamedTuple):
    """The course of a build."""

    last: int
    """Index of the last command that was started."""
    failure: str
    """Failure of that command, as a phrase; empty if no command failed."""
    said: str
    """First and last lines of output, each on a line of its own."""
    is_machine: bool = False
    """True if the machine could not isolate the build."""


class _Watch:
    """A repeated check of a running build."""

    def __init__(self, look: Callable[[], str], seconds: float) -> None:
        """``look``: returns why the build has to end, or ""; ``seconds``: between two looks."""
        self._look = look
        self._seconds = seconds
        self._next = time.monotonic() + seconds

    def excess(self) -> str:
        """Return why the build has to end, as a phrase; empty if it may continue."""
        began = time.monotonic()
        if began < self._next:
            return ""
        found = self._look()
        ended = time.monotonic()
        self._next = ended + max(self._seconds, (ended - began) / _WATCH_SHARE)
        return found


def _growth(folders: Sequence[str]) -> str:
    try:
        check_growth(folders)
    except FolderError as error:
        return f"made what cannot be kept: {error}"
    return ""


def _follow(process: BotProcess, seconds: float, watches: Sequence[_Watch]) -> _BuildResult:
    """Read the output of ``process`` until it ends, times out or exceeds a limit."""
    output, reports = _Ends(process.stdout), _Ends(process.stderr)
    poll = select.poll()
    for descriptor in filter(None, (process.stdout, process.stderr, process.pidfd)):
        poll.register(descriptor, select.POLLIN)
    give_up = time.monotonic() + seconds
    while not process.ended() and (left := give_up - time.monotonic()) > 0:
        poll.poll(min(left, _POLL_SECONDS) * 1000)
        for pipe in (output, reports):
            if not pipe.read():
                with contextlib.suppress(KeyError):
                    poll.unregister(pipe.descriptor)
        for watch in watches:
            if excess := watch.excess():
                process.condemn(excess)
    status = process.exit_status()
    for pipe in (output, reports):
        pipe.drain()
    started = [line for line in reports.lines() if line.isdigit()]
    said = [line for line in reports.lines() if line and not line.isdigit()]
    return _BuildResult(
        int(started[-1]) if started else 0,
        _failed(process, status, said, seconds),
        "".join(f"\n    {line}" for line in _ends(output.lines())),
        isinstance(process.start_error(), IsolationError),
    )


def _failed(process: BotProcess, status: int | None, said: Sequence[str], seconds: float) -> str:
    if status == 0:
        return ""
    if process.over_limit is not None:
        return process.over_limit
    if isinstance(error := process.start_error(), IsolationError):
        return f"cannot be started: {error}"
    if isinstance(error, OSError):
        return f"cannot be started: {error.strerror}"
    if status is None:
        return f"took longer than {seconds:g} s"
    if status < 0:
        return f"was killed by signal {-status}"
    return said[-1] if said else f"ended with status {status}"


def _ends(lines: Sequence[str]) -> list[str]:
    """Return the first and the last of ``lines``."""
    if len(lines) <= 2 * _SHOWN_LINES + 1:
        return [*lines]
    return [*lines[:_SHOWN_LINES], _LEFT_OUT, *lines[-_SHOWN_LINES:]]


class _Ends:
    """The beginning and the end of the output of a pipe."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._head = bytearray()
        self._tail = bytearray()
        self._is_cut = False

    def read(self) -> bool:
        """Read once, without waiting; return False at the end of the output."""
        try:
            data = os.read(self.descriptor, _CHUNK)
        except BlockingIOError:
            return True
        room = _KEPT_BYTES - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        self._is_cut |= len(self._tail) > _KEPT_BYTES
        del self._tail[:-_KEPT_BYTES]
        return bool(data)

    def drain(self) -> None:
        """Read the bytes that are in the pipe now, at most the capacity of a pipe."""
        for _ in range(_CHUNKS_AFTER_END):
            if not self.read():
                break

    def lines(self) -> list[str]:
        """Return the kept output as lines."""
        mark = f"\n{_LEFT_OUT}\n".encode() if self._is_cut else b""
        return (self._head + mark + self._tail).decode("utf-8", "replace").splitlines()


@contextlib.contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn failures of the machine, and files that cannot be copied, into a ConfigError."""
    try:
        yield
    except (FolderError, IsolationError) as error:
        kind = BuildFailed if isinstance(error, FolderError) else ConfigError
        raise _failure(folder, f"cannot be built: {error}", kind) from None
    except OSError as error:
        raise _failure(folder, f"cannot be built: {file_error(error)}") from None


def _failure(folder: Path, found: str, kind: type[ConfigError] = ConfigError) -> ConfigError:
    return kind([Problem(shown_path(folder), "", found)])
