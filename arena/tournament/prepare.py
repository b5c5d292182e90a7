"""From a tournament to its games: bots built, the run folder open, room for all, and play."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from arena.config.keys import Names
from arena.config.tournament import Tournament
from arena.entrants.build import build
from arena.entrants.entrants import Entrant, EntrantKind
from arena.games.registry import make_rules
from arena.hosting.machine import room
from arena.hosting.sandbox.isolation import Level
from arena.hosting.workspace.cells import clear_abandoned
from arena.results import Limits
from arena.runs.live import forget_live
from arena.runs.lock import locked
from arena.runs.manifest import Source, Until
from arena.runs.store import Store
from arena.schedule.seeds import Seeds
from arena.tournament.dispatch import longest_game
from arena.tournament.executor import Executor
from arena.tournament.jobs import Job, Local, Player
from arena.tournament.players import local_bots
from arena.tournament.pool import Pool
from arena.tournament.processes import KEPT, new_workspace
from arena.tournament.progress import Progress
from arena.tournament.run import Judge, Listener, Run, Session, levels_of, open_run


def with_workers(tournament: Tournament, workers: int | None) -> Tournament:
    """The tournament with so many workers; None: as many as it says itself."""
    if workers is None:
        return tournament
    return msgspec.structs.replace(
        tournament,
        execution=msgspec.structs.replace(tournament.execution, workers=workers),
        origins={**tournament.origins, "execution.workers": f"-j {workers}"},
    )


def with_bots(
    tournament: Tournament, cleared: Callable[[int], object] = lambda runs: None
) -> Tournament:
    """The tournament with its bots built; see ``built``."""
    entrants = built(tournament.entrants, tournament.readable, cleared)
    return msgspec.structs.replace(tournament, entrants=entrants)


def built(
    entrants: Iterable[Entrant],
    readable: Sequence[str] = (),
    cleared: Callable[[int], object] = lambda runs: None,
) -> tuple[Entrant, ...]:
    """The entrants with their bots built, once nothing is left of killed runs.

    ``cleared`` is told of how many of these there was something. Raises ConfigError.
    """
    cleared(clear_abandoned())
    return tuple(
        each if each.kind is EntrantKind.PERSON else build(each, readable=readable)
        for each in entrants
    )


@contextmanager
def opened(
    tournament: Tournament, folder: Path, source: Source | None, until: Until | None = None
) -> Iterator[Run]:
    """The run in the folder, begun or found there by ``open_run``, and nobody else's meanwhile."""
    with locked(folder):
        yield open_run(tournament, folder, source, until)


def play(
    tournament: Tournament,
    run: Run,
    workers: int,
    listener: Listener,
    can_stop: Callable[[Callable[[], None]], None],
    judge: Judge | None = None,
    deals: int | None = None,
) -> Progress:
    """Play every game that is not stored yet; returns what was played in all.

    The folder is locked and the bots are built. ``can_stop``, ``judge``, ``deals``: see
    ``Session``. Raises ConfigError, StoreError, PoolError and IsolationError.
    """
    with Store(run.folder) as store:
        forget_live(run.folder)
        session = Session(run, store, listener, judge, deals)
        progress = session.progress
        places = 0 if session.is_done else session.places(workers)
        if not places:
            listener.started(progress)
            return progress
        seats = max(discipline.rules.seats for discipline in tournament.disciplines)
        progress.levels = levels_of(tournament.entrants)
        each = _processes_of_each(progress.levels)
        room.require(places, seats, each)
        kept = room.bots_of_each(places, each)
        listener.started(progress)
        plies = max(make_rules(game.rules).info.max_plies for game in tournament.disciplines)
        patience = longest_game(tournament.clock, seats, plies)
        executor = _executor(tournament, run, places, progress.levels, kept)
        session.play(executor, patience, can_stop, KEPT if kept is None else min(KEPT, kept))
    return progress


@contextmanager
def _executor(
    tournament: Tournament, run: Run, places: int, levels: Mapping[str, Level], kept: int | None
) -> Iterator[Executor]:
    """What plays a run, by the ``execution`` that the tournament asks for."""
    with lodged(tournament.entrants, levels, tournament.limits, tournament.readable) as local:
        local = msgspec.structs.replace(local, kept=kept)
        with Pool(job_of(tournament, run, local), places, pin=tournament.execution.pin) as pool:
            yield pool


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


def job_of(tournament: Tournament, run: Run, local: Local) -> Job:
    """What those who play a run have to know."""
    return Job(
        rules={each.name: each.rules for each in run.manifest.disciplines},
        players=tuple(Player(each.name, each.options, each.digest) for each in tournament.entrants),
        control=tournament.clock,
        names_shown=tournament.names is Names.SHOWN,
        on_fault=run.manifest.identity.on_fault,
        fresh=tournament.execution.fresh,
        seed_key=Seeds.of(run.opening.seed).key,
        local=local,
        pondering=tournament.pondering,
    )


def _processes_of_each(levels: Mapping[str, Level]) -> int:
    """That it takes to run any of the bots."""
    return max(map(room.processes_of, levels.values()))
