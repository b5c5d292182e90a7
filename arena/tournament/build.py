"""Builds bots: runs the ``build`` commands of a manifest once per state of its files."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

import msgspec

from arena.tournament.digest import (
    BUILD_FOLDER,
    DigestError,
    folder_digest,
    is_built,
    mark_built,
)
from arena.tournament.entrants import Entrant
from arena.tournament.manifest import find_program, program_problem
from arena.tournament.problems import ConfigError, Problem, printable, shown_path

BUILD_SECONDS: Final = 600.0
"""Longest time for one build command."""

_TAIL_LINES: Final = 20
_TAIL_BYTES: Final = 16 * 1024


def build(entrant: Entrant) -> Entrant:
    """The entrant, built if it has to be, with its final command and digest.

    A bot is built once per state of its files; ``build/.arena-digest`` in its folder
    remembers which. Raises ConfigError with the last lines of output if the build fails, or
    if the command is not there afterwards.
    """
    folder = Path(entrant.folder)
    if entrant.build and not is_built(folder, entrant.digest):
        run_commands(folder, [_located(argv, folder) for argv in entrant.build])
    if problem := program_problem(entrant.words[0], folder):
        hint = " after the build" if entrant.build else ""
        raise _failure(folder, f"command: {problem}{hint}")
    digest = _digest(entrant, folder)
    if entrant.build:
        _mark_built(folder, digest)
    return msgspec.structs.replace(entrant, command=_located(entrant.words, folder), digest=digest)


def _located(argv: Sequence[str], folder: Path) -> tuple[str, ...]:
    return (find_program(argv[0], folder) or argv[0], *argv[1:])


def _digest(entrant: Entrant, folder: Path) -> str:
    """The digest after the build, which may have written outside of ``build/``."""
    if not entrant.build:
        return entrant.digest
    try:
        return folder_digest(folder)
    except DigestError as error:
        raise _failure(folder, f"cannot be read: {error}") from None


def _mark_built(folder: Path, digest: str) -> None:
    try:
        mark_built(folder, digest)
    except OSError as error:
        raise _failure(folder, f"cannot write to {BUILD_FOLDER}/: {error.strerror}") from None


def run_commands(
    folder: Path, commands: Sequence[Sequence[str]], *, limit: float = BUILD_SECONDS
) -> None:
    """Run the commands in the folder, one after another, each for ``limit`` seconds at most.

    First words are absolute paths. Raises ConfigError with the last lines of output of the
    first command that fails.
    """
    for command in commands:
        with tempfile.TemporaryFile() as output:
            failure = _run(folder, command, limit, output)
            if failure:
                shown = printable(" ".join(command))
                raise _failure(folder, f"build command {shown!r} {failure}{_tail(output)}")


def _run(folder: Path, command: Sequence[str], limit: float, output: IO[bytes]) -> str:
    """How the command failed, as a phrase; empty if it did not."""
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        return f"cannot be started: {error.strerror}"
    try:
        status = process.wait(limit)
    except subprocess.TimeoutExpired:
        return f"took longer than {limit:g} s"
    finally:
        if process.returncode is None:  # not reaped, so the group is still its own
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return f"ended with status {status}" if status else ""


def _tail(output: IO[bytes]) -> str:
    output.seek(max(0, output.seek(0, os.SEEK_END) - _TAIL_BYTES))
    lines = output.read().decode("utf-8", "replace").splitlines()[-_TAIL_LINES:]
    return "".join(f"\n    {printable(line)}" for line in lines)


def _failure(folder: Path, found: str) -> ConfigError:
    return ConfigError([Problem(shown_path(folder), "", found)])
