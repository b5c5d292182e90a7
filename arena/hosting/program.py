"""Find out whether the program of a bot was started, or why not.

The launcher reports each step that failed. If the program itself could not be executed, its file
says more than the errno of the kernel.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import stat
from typing import Final

from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.confine import LaunchPlan
from arena.hosting.sandbox.isolation import IsolationError, Launch, Level
from arena.hosting.sandbox.paths import destination, is_own

_FIRST_LINE: Final = 256
_BOM: Final = codecs.BOM_UTF8


def start_problem(error: OSError, launch: Launch) -> str:
    """Return the reason, as the end of ``cannot be started: …``, with a remedy if one is known.

    The kernel says only that something is missing or has no format. For a submission that is kept
    apart, only programs in its own folder are examined: arena may read what the bot may not.
    """
    program = launch.command[0]
    name = os.path.basename(program)
    why = error.strerror or type(error).__name__
    if launch.copied and launch.level.at_least(Level.LANDLOCK):
        if not is_own(program, launch.folder):
            return why
        program = destination(program, launch.folder)
    if not os.path.isfile(program):
        return why
    if error.errno == errno.EACCES and not os.access(program, os.X_OK):
        return f"{name} is not executable (chmod +x {name})"
    first = first_line(program)
    if first is not None and first.startswith(_BOM + b"#!"):
        return (
            f"{name} has a byte order mark before its #! line "
            f"(sed -i '1s/^\\xEF\\xBB\\xBF//' {name})"
        )
    if error.errno == errno.ENOEXEC and first is not None and not first.startswith(b"#!"):
        return f"{name} is a script and has no #! line (begin it with #!/usr/bin/env python3, say)"
    if error.errno == errno.ENOENT and first is not None and first.startswith(b"#!"):
        interpreter = first[2:].strip().split(b" ")[0].decode("utf-8", "replace")
        if first.endswith(b"\r"):
            return (
                f"the #! line of {name} ends with a carriage return, which is taken for a part of "
                f"the interpreter's name (sed -i 's/\\r$//' {name})"
            )
        return f"the interpreter {interpreter} of {name} was not found"
    return why


def first_line(path: str) -> bytes | None:
    """Return the first line of a regular file, cut to a bound, without its line feed.

    Returns None if the file cannot be read or is not text. Never waits.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        first = os.read(descriptor, _FIRST_LINE).split(b"\n")[0] if is_file else b"\0"
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return None if b"\0" in first else first


_MOST: Final = 64 * 1024
_REACHED: Final = "reached"
_EXEC: Final = "exec"
_FOLDER: Final = "folder"
_CUT: Final = 300
_PARTS: Final = 4


class Status:
    """Pipe for reports of the launcher; closed when the bot's program replaces it."""

    def __init__(self, token: bytes) -> None:
        """Create the pipe. ``token``: marks the lines of the launcher. Raises OSError."""
        self._token = token
        self._received = b""
        self._read_end, self.write_end = os.pipe()
        os.set_blocking(self._read_end, False)

    def close_write_end(self) -> None:
        """Close the write end, once the launcher has its own copy."""
        os.close(self.write_end)

    def error(self, plan: LaunchPlan) -> OSError | IsolationError | None:
        """Return the error that kept or keeps the program of ``plan`` from starting, or None.

        Never waits.
        """
        self._read()
        lines = self._received.split(b"\n")[:-1]  # the last one may be incomplete
        reports = [part for line in lines if (part := self._parts(line)) is not None]
        reached = any(stage == _REACHED for stage, _, _ in reports)
        for stage, number, path in reports:
            if stage == _EXEC and reached:
                return OSError(number, os.strerror(number), plan.command[0])
            if stage == _FOLDER and plan.user is None:
                return OSError(number, os.strerror(number), path)
            if stage != _REACHED:
                return describe(plan, stage, number, path)
        return None if reached else self._unfinished(plan)

    def close(self) -> None:
        """Close the pipe; ``error`` still works."""
        if self._read_end >= 0:
            self._read()
            os.close(self._read_end)
            self._read_end = -1

    def _read(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._read_end >= 0 and len(self._received) < _MOST:
                data = os.read(self._read_end, _MOST)
                if not data:
                    return
                self._received += data

    def _parts(self, line: bytes) -> tuple[str, int, str] | None:
        """Return stage, errno and path of a report; None for any other line."""
        parts = line.split(b"\0")
        if parts[0] != self._token or len(parts) != _PARTS:
            return None
        _, stage, number, path = parts
        return stage.decode(), int(number), os.fsdecode(path)

    def _unfinished(self, plan: LaunchPlan) -> IsolationError:
        """Return the error without any report: bubblewrap failed, or the start takes too long."""
        said = self._received.decode("utf-8", "replace").strip().splitlines()
        if said:
            message = said[-1][:_CUT]
            return IsolationError(f"{message}: {bubblewrap.remedy(message)}")
        return IsolationError("the confinement of a bot was not finished in time")


def describe(plan: LaunchPlan, stage: str, number: int, path: str) -> IsolationError:
    """Return the error for a failed step that the launcher reported."""
    why = os.strerror(number)
    steps = plan.steps
    if steps is not None and stage == "covers":
        closed = path or ", ".join(cover.folder for cover in steps.covers or ())
        return IsolationError(
            f"bots run as user {plan.user}, who may not pass {closed}, and a view of its own "
            f"cannot be made ({why}): install Python and bots where other users may read, or "
            "run arena as an ordinary user"
        )
    if stage == "user":
        return IsolationError(
            f"bots cannot be run as user {plan.user} ({why}): run arena as an ordinary user"
        )
    if stage == "folder" and number == errno.EACCES:
        return IsolationError(
            f"bots run as user {plan.user}, who may not enter {path}: give the bot a folder with "
            "bot.yaml, or permit others to read this one (chmod -R o+rX)"
        )
    where = f" at {path}" if path else ""
    return IsolationError(f"the confinement of a bot failed in step {stage}{where}: {why}")
