"""From entrants to their bots on this machine: built, lodged, ready to be started by a worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena.documents.problems import ConfigError, Problem, printable, shown_path
from arena.entrants.build import BuildFailed, build
from arena.entrants.cache import is_built
from arena.entrants.digest import folder_digest
from arena.entrants.entrants import Entrant, EntrantKind
from arena.entrants.folders import Bounds, FolderError
from arena.hosting.machine import room
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace, clear_abandoned
from arena.results import Limits
from arena.tournament.jobs import Local, LocalBot
from arena.tournament.local.processes import new_workspace


class Steps(NamedTuple):
    """Callbacks through which building reports its progress."""

    cleared: Callable[[int], object] = lambda runs: None
    """Called once, with the number of killed runs of which something was removed."""
    building: Callable[[int, int, str], object] = lambda number, total, name: None
    """Called before each bot that has to be built: its number, from 1, how many there are, its
    name."""
    withdrawn: Callable[[str, BuildFailed], object] = lambda name, failure: None
    """Called for each bot that is withdrawn because it cannot be built."""


SILENT: Final = Steps()
"""Reports nothing."""

Judge: TypeAlias = Callable[[Entrant, BuildFailed], ConfigError | None]
"""Returns the error that stops play because of a bot that cannot be built; None: the bot is
withdrawn, and the others play."""


def strict(entrant: Entrant, failure: BuildFailed) -> ConfigError:
    """Stop play because of any bot that cannot be built."""
    return failure


def built(
    entrants: Sequence[Entrant],
    readable: Sequence[str] = (),
    steps: Steps = SILENT,
    bounds: Bounds | None = None,
    unbounded: int = 0,
    judge: Judge = strict,
) -> tuple[Entrant, ...]:
    """Return the entrants with their bots built, once nothing is left of killed runs.

    Persons, and bots that are withdrawn by now, are returned as they are. ``bounds``: on what each
    build leaves, see ``build``; they do not hold for the first ``unbounded`` entrants. Raises
    ConfigError with the problems of all bots that cannot be built and are not withdrawn.
    """
    steps.cleared(clear_abandoned())
    waiting = [each.name for each in entrants if _has_to_be_built(each)]
    ready: list[Entrant] = []
    failures: list[ConfigError] = []
    for index, each in enumerate(entrants):
        if each.name in waiting:
            steps.building(waiting.index(each.name) + 1, len(waiting), each.name)
        try:
            own = bounds if index >= unbounded else None
            ready.append(_built(each, readable, own))
        except BuildFailed as failure:
            if (stop := judge(each, failure)) is not None:
                failures.append(stop)
            ready.append(msgspec.structs.replace(each, unbuilt=failure.reason))
        except ConfigError as failure:
            failures.append(failure)
    if failures:
        raise ConfigError(dict.fromkeys(found for each in failures for found in each.problems))
    return tuple(ready)


def _has_to_be_built(entrant: Entrant) -> bool:
    is_there = is_built(entrant.digest, entrant.build, entrant.isolation)
    return not (entrant.unbuilt or is_there or entrant.kind is EntrantKind.PERSON)


def _built(entrant: Entrant, readable: Sequence[str], bounds: Bounds | None) -> Entrant:
    if entrant.unbuilt or entrant.kind is EntrantKind.PERSON:
        return entrant
    return build(entrant, readable=readable, bounds=bounds)


def room_for(levels: Mapping[str, Level], places: int, seats: int) -> int | None:
    """See that bots of these levels have room at so many places; how many each place may keep.

    Raises IsolationError.
    """
    each = max(map(room.processes_of, levels.values()))
    room.require(places, seats, each)
    return room.bots_of_each(places, each)


@contextmanager
def lodged(
    entrants: Iterable[Entrant],
    levels: Mapping[str, Level],
    limits: Limits,
    readable: Sequence[str] = (),
) -> Iterator[Local]:
    """Built bots in a workspace of their own, which is gone afterwards, with all that is in it.

    As ``local_bots``. Raises also PoolError.
    """
    with closing(new_workspace()) as workspace:
        bots = local_bots(entrants, workspace, levels, limits, readable)
        yield Local(str(workspace.root), bots)


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
    return ConfigError([Problem(shown_path(entrant.given), "", found)])
