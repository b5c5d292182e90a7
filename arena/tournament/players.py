"""Build the bots of entrants and install them on this machine, ready for workers to start.

An extension runs the commands of a build, see ``Extension.sources``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

import msgspec

from arena import extensions
from arena.entrants.cache import is_built
from arena.entrants.entrants import Entrant, EntrantKind
from arena.entrants.folders import Bounds, FolderError, folder_digest
from arena.entrants.manifest import program_problem, stray_problem
from arena.hosting.machine import capacity
from arena.hosting.sandbox.isolation import Launch, Level
from arena.hosting.workspace.cells import Workspace, clear_abandoned
from arena.tournament.executor import Local, LocalBot
from arena.tournament.processes import new_workspace
from arena.values.bad_input import BadInput
from arena.values.problems import ConfigError, Problem, file_error, shown_path
from arena.values.results import Limits


class BuildFailed(ConfigError):
    """The bot cannot be built, and the machine is not to blame."""

    @property
    def reason(self) -> str:
        """The first line of what was found, without the output of the build."""
        return self.problems[0].found.partition("\n")[0]


class BuildCallbacks(NamedTuple):
    """Callbacks through which building reports its progress."""

    cleared: Callable[[int], object] = lambda runs: None
    """Called once, with the number of killed runs whose remains were removed."""
    building: Callable[[int, int, str], object] = lambda number, total, name: None
    """Called before each build, with its number from 1, the number of builds and the bot's name."""
    withdrawn: Callable[[str, BuildFailed], object] = lambda name, failure: None
    """Called with the name and the failure of each bot withdrawn because it cannot be built."""


SILENT: Final[BuildCallbacks] = BuildCallbacks()
"""Callbacks that report nothing."""

Judge: TypeAlias = Callable[[Entrant, BuildFailed], ConfigError | None]
"""Callback that returns the error with which a failed build stops play.

It returns None to withdraw the bot and let the others play."""


def strict(entrant: Entrant, failure: BuildFailed) -> ConfigError:
    """Return the failure itself: any bot that cannot be built stops play."""
    return failure


def built(
    entrants: Sequence[Entrant],
    readable: Sequence[str] = (),
    steps: BuildCallbacks = SILENT,
    bounds: Bounds | None = None,
    unbounded: int = 0,
    judge: Judge = strict,
) -> tuple[Entrant, ...]:
    """Remove the remains of killed runs, then return the entrants with their bots built.

    ``bounds`` limits the files of each build, see ``build``, but not those of the first
    ``unbounded`` entrants. ``judge`` decides about each bot that cannot be built. Raises
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
            ready.append(build(each, readable=readable, bounds=own))
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
    commands = () if entrant.unbuilt else entrant.build
    return bool(commands) and not is_built(entrant.digest, commands, entrant.isolation)


def build(entrant: Entrant, readable: Sequence[str] = (), bounds: Bounds | None = None) -> Entrant:
    """Return the entrant, built if necessary, with the folder and command of the built bot.

    Persons, and bots that could not be built before, are returned unchanged.
    ``readable``: as in ``Launch``. ``bounds``: on the build's files together with the source; None:
    those of any bot. Raises BuildFailed with the last lines of output if the build fails, or if the
    command is missing afterwards, and ConfigError if the machine is to blame.
    """
    if entrant.unbuilt or entrant.kind is EntrantKind.PERSON:
        return entrant
    if not entrant.build:
        check_program(entrant, Path(entrant.folder), readable)
        return entrant
    try:
        function = extensions.need("build", "sources", "build")
    except BadInput as error:
        raise ConfigError([Problem(shown_path(entrant.given), "", str(error))]) from None
    ready: Entrant = function(entrant, readable, bounds)
    return ready


def check_program(entrant: Entrant, place: Path, readable: Sequence[str]) -> None:
    """Check that the command of a bot can be started from ``place``. Raises BuildFailed."""
    word, is_bot = entrant.words[0], entrant.kind is EntrantKind.BOT
    seen = readable if is_bot and entrant.isolation.closes_files() else None
    shown = None if is_bot else place
    # An organiser's command may name any place, such as a virtual environment in its folder.
    problem = stray_problem(word, place) if is_bot or not os.path.isabs(word) else ""
    if problem := problem or program_problem(word, place, shown=shown, readable=seen):
        hint = " after the build" if entrant.build else ""
        where = shown_path(Path(entrant.folder))
        raise BuildFailed([Problem(where, "", f"command: {problem}{hint}")])


def room_for(levels: Mapping[str, Level], places: int, seats: int) -> int | None:
    """Return how many bots each place can have at once, or None for any number.

    ``levels``: isolation level of each bot, by name of the entrant. ``seats``: number of bots at
    the largest table. Raises IsolationError if the machine cannot hold ``places`` such tables at
    once.
    """
    each = max(map(capacity.processes_of, levels.values()))
    capacity.require(places, seats, each)
    return capacity.bots_of_each(places, each)


@contextmanager
def installed(
    entrants: Iterable[Entrant],
    levels: Mapping[str, Level],
    limits: Limits,
    readable: Sequence[str] = (),
) -> Iterator[Local]:
    """Provide built bots in a new workspace, which is removed afterwards with all its contents.

    Arguments and errors are those of ``local_bots``. Also raises PoolError.
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
    """Return the bots of built entrants by name, with copies of their folders in ``workspace``.

    ``levels``: isolation level of each bot, by name of the entrant. ``limits``: limits of the
    tournament. Raises ConfigError if a folder cannot be copied or has changed since its digest.
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
    """Return the bot of a built entrant, with a copy of its folder if its files are digested.

    ``snapshots``: copies made so far, by the digest of all their files; a new copy is added.
    Raises ConfigError.
    """
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
    return LocalBot(launch, _in_force(limits, level), entrant.speaks)


def _snapshot(entrant: Entrant, workspace: Workspace) -> Path:
    """Copy the entrant's folder. Raises ConfigError if that fails or the digest has changed."""
    try:
        snapshot = workspace.snapshot(entrant.name, Path(entrant.folder))
        unchanged = folder_digest(snapshot) == entrant.files
    except FolderError as error:
        raise _failure(entrant, f"cannot be copied: {error}") from None
    except OSError as error:
        raise _failure(entrant, f"cannot be copied: {file_error(error)}") from None
    if not unchanged:
        raise _failure(entrant, "changed while it was read")
    return snapshot


def _moved(word: str, folder: str, snapshot: Path) -> str:
    """Return a word of a command, with a path into ``folder`` replaced by that in ``snapshot``."""
    below = word.removeprefix(f"{folder}{os.sep}")
    return word if below == word else str(snapshot / below)


def _in_force(limits: Limits, level: Level) -> Limits:
    """Return the limits that apply at the isolation level."""
    if level.at_least(Level.LIMITS):
        return limits
    return msgspec.structs.replace(
        limits, memory=None, processes=None, cpu=None, disk=None, files=None
    )


def _failure(entrant: Entrant, found: str) -> ConfigError:
    return ConfigError([Problem(shown_path(entrant.given), "", found)])
