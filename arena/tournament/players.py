"""From entrants to their bots on this machine: what a worker needs to start them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from arena.documents.problems import ConfigError, Problem, printable, shown_path
from arena.entrants.digest import folder_digest
from arena.entrants.entrants import Entrant
from arena.entrants.folders import FolderError
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace
from arena.results import Limits
from arena.tournament.jobs import LocalBot


def local_bots(
    entrants: Iterable[Entrant],
    workspace: Workspace,
    levels: Mapping[str, Level],
    limits: Limits,
    readable: Sequence[str] = (),
) -> dict[str, LocalBot]:
    """The bots of built entrants, by name, with copies of their folders in the workspace.

    ``levels``: by entrant. ``limits``: as the tournament has them. Raises ConfigError if a folder
    cannot be copied, or is not any more what the entrant was found to be.
    """
    snapshots: dict[str, Path] = {}
    return {
        each.name: _local_bot(each, workspace, snapshots, levels[each.name], limits, readable)
        for each in entrants
    }


def _local_bot(
    entrant: Entrant,
    workspace: Workspace,
    snapshots: dict[str, Path],
    level: Level,
    limits: Limits,
    readable: Sequence[str],
) -> LocalBot:
    """``snapshots``: those made so far, by the digest of all their files."""
    command, folder, copied = entrant.command, entrant.folder, bool(entrant.files)
    if copied:
        snapshot = snapshots.get(entrant.files) or _snapshot(entrant, workspace)
        snapshots[entrant.files] = snapshot
        command = tuple(_moved(word, folder, snapshot) for word in command)
        folder = str(snapshot)
    launch = Launch(
        command,
        folder,
        entrant.env,
        level=level,
        limits=limits,
        copied=copied,
        readable=tuple(readable),
    )
    return LocalBot(launch, _in_force(limits, level))


def _snapshot(entrant: Entrant, workspace: Workspace) -> Path:
    """A copy of the entrant's folder, which must be what was digested."""
    try:
        snapshot = workspace.snapshot(entrant.name, Path(entrant.folder))
        unchanged = folder_digest(snapshot) == entrant.files
    except FolderError as error:
        raise _failure(entrant, f"cannot be copied: {error}") from None
    except OSError as error:
        where = f"{printable(os.fsdecode(error.filename))}: " if error.filename else ""
        raise _failure(entrant, f"cannot be copied: {where}{error.strerror}") from None
    if not unchanged:
        raise _failure(entrant, "changed while it was read")
    return snapshot


def _moved(word: str, folder: str, snapshot: Path) -> str:
    """A word of a command; a path into the folder leads into the copy."""
    below = word.removeprefix(f"{folder}{os.sep}")
    return word if below == word else str(snapshot / below)


def _in_force(limits: Limits, level: Level) -> Limits:
    """What is in force at the level."""
    if level.at_least(Level.LIMITS):
        return limits
    return msgspec.structs.replace(
        limits, memory=None, processes=None, cpu=None, disk=None, files=None
    )


def _failure(entrant: Entrant, found: str) -> ConfigError:
    return ConfigError([Problem(shown_path(entrant.folder), "", found)])
