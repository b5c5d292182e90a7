"""Interpret the reports of the launcher: whether the bot's program was started, or why not."""

from __future__ import annotations

import contextlib
import errno
import os
from typing import Final

from arena.hosting.sandbox import bubblewrap
from arena.hosting.sandbox.confine import LaunchPlan
from arena.hosting.sandbox.isolation import IsolationError

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
        reports = [part for line in self._lines() if (part := self._parts(line)) is not None]
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

    def _lines(self) -> list[bytes]:
        """Return the lines received completely."""
        return self._received.split(b"\n")[:-1]

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
