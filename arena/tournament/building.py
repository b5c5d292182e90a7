"""Build the bots of a run before play, and stop the run or withdraw a bot if its build fails.

With ``on_build_failure: withdraw``, a bot that cannot be built is withdrawn when it enters. The run
records this with the bot, see ``runs.field.EntrantIdentity``, so that later starts neither build
nor judge the bot again.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from arena.entrants.entrants import Entrant
from arena.runs.config.keys import OnBuildFailure
from arena.runs.config.tournament import Tournament
from arena.runs.disk import in_place
from arena.runs.field import EntrantIdentity
from arena.runs.identity import identity
from arena.runs.live import LiveFile, SessionStart, locked
from arena.runs.manifest import Source, is_run, read_manifest
from arena.runs.store import RECORDS
from arena.tournament.players import BuildCallbacks, BuildFailed
from arena.tournament.prepare import with_bots
from arena.tournament.run import Run, open_run
from arena.values.problems import ConfigError, Problem, shown_path

_ADVICE: Final = "on_build_failure: withdraw plays without them"


@contextmanager
def built_and_opened(
    tournament: Tournament, folder: Path, source: Source | None, steps: BuildCallbacks
) -> Iterator[tuple[Tournament, Run]]:
    """Build the bots, then begin the run in the folder or open the run that is there.

    The folder is locked from the start, so that others can watch and no other process builds for
    it. If no run begins, the folder is removed unless it holds other files. Raises as
    ``with_field`` and ``open_run``.
    """
    failures: dict[str, BuildFailed] = {}
    with _claimed(folder):
        with LiveFile(folder, SessionStart(time.monotonic()), building="") as live:

            def building(number: int, total: int, name: str) -> None:
                live.building(f"{number}/{total} {name}")
                steps.building(number, total, name)

            def withdrawn(name: str, failure: BuildFailed) -> None:
                failures[name] = failure
                steps.withdrawn(name, failure)

            told = steps._replace(building=building, withdrawn=withdrawn)
            tournament = with_field(tournament, folder, told)
            run = open_run(tournament, folder, source)
        for name, failure in failures.items():
            _keep_output(folder, name, failure)
        yield tournament, run


def with_field(tournament: Tournament, folder: Path, steps: BuildCallbacks) -> Tournament:
    """Return the tournament with its bots built, or withdrawn if they cannot be built.

    ``folder``: the folder of the run that the bots enter or have entered; the run need not exist
    yet. Raises ConfigError with all bots whose failure stops the run, and as ``with_bots``.
    """
    known = _known(tournament, folder)
    failures: list[BuildFailed] = []
    stopped: list[BuildFailed] = []

    def judge(entrant: Entrant, failure: BuildFailed) -> ConfigError | None:
        if entrant.name in known:
            hint = f"it was built when it entered {shown_path(folder)}, so it is not withdrawn"
            return ConfigError(msgspec.structs.replace(e, hint=hint) for e in failure.problems)
        if tournament.on_build_failure is OnBuildFailure.STOP:
            stopped.append(failure)
            return failure
        failures.append(failure)
        steps.withdrawn(entrant.name, failure)
        return None

    entrants = [
        msgspec.structs.replace(each, unbuilt=known[each.name].unbuilt or "")
        if each.name in known
        else each
        for each in tournament.entrants
    ]
    tournament = msgspec.structs.replace(tournament, entrants=tuple(entrants))
    try:
        tournament = with_bots(tournament, steps, judge=judge)
    except ConfigError as error:
        if stopped and len(stopped) == len(error.problems):
            raise ConfigError(error.problems, _ADVICE) from None
        raise
    if failures and not known:
        _check_enough(tournament, failures)
    return tournament


def _known(tournament: Tournament, folder: Path) -> Mapping[str, EntrantIdentity]:
    """Return the identities of the entrants that the run in the folder has, by tournament name."""
    if not is_run(folder):
        return {}
    manifest = read_manifest(folder)
    called = manifest.field.names(identity(tournament).entrants)
    players = manifest.players
    return {name: players[now] for name, now in called.items() if now in players}


def _check_enough(tournament: Tournament, failures: list[BuildFailed]) -> None:
    """Raise ConfigError with all failures if every discipline has fewer bots than seats."""
    out = {each.name for each in tournament.entrants if each.unbuilt}
    if all(len({*each.entrants} - out) < each.rules.seats for each in tournament.disciplines):
        left = len(tournament.entrants) - len(out)
        few = Problem("on_build_failure", "", f"found {left} left, too few for a game")
        problems = [problem for failure in failures for problem in failure.problems]
        raise ConfigError([*problems, few])


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; if the folder holds no run at the end, remove what was created."""
    made = [each for each in (folder, *folder.parents) if not each.exists()] or [folder]
    with locked(folder):
        try:
            yield
        finally:
            if not is_run(folder):
                records = folder / RECORDS
                with contextlib.suppress(OSError):
                    if not records.stat().st_size:
                        records.unlink()
                    for each in (records.parent, *made):
                        each.rmdir()


def _keep_output(folder: Path, name: str, failure: BuildFailed) -> None:
    """Write the output of a failed build to ``logs/NAME.build``; ignore errors of the disk."""
    text = "".join(f"{problem.found}\n" for problem in failure.problems)
    with contextlib.suppress(OSError):
        path = folder / "logs" / f"{name}.build"
        path.parent.mkdir(exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="replace", opener=in_place) as file:
            file.write(text)
