"""Prepare the play of a tournament: build its bots, open its run folder, and play its games."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

import msgspec

from arena import extensions
from arena.entrants import cache
from arena.entrants.entrants import Entrant
from arena.entrants.folders import Bounds
from arena.games.registry import make_rules
from arena.hosting.machine.capacity import cores
from arena.hosting.sandbox.isolation import Level
from arena.hosting.workspace.cells import clear_abandoned
from arena.runs.config.keys import Names, OnBuildFailure
from arena.runs.config.tournament import Tournament
from arena.runs.live import forget_live, locked, logging_to
from arena.runs.manifest import Source, Until, is_run
from arena.runs.store import Store
from arena.schedule.pairings import Shard
from arena.schedule.seeds import Seeds
from arena.tournament.dispatch import longest_game
from arena.tournament.events import Ended, Judge, Listener, Message, Started
from arena.tournament.executor import EntrantSpec, Executor, Job, Local
from arena.tournament.players import (
    SILENT,
    BuildCallbacks,
    built,
    installed,
    room_for,
    strict,
)
from arena.tournament.players import Judge as BuildJudge
from arena.tournament.pool import Pool
from arena.tournament.processes import KEPT
from arena.tournament.progress import Progress
from arena.tournament.run import Run, levels_of, open_run
from arena.tournament.session import Session
from arena.values.bad_input import BadInput
from arena.values.problems import quote
from arena.values.results import LogWire


class Remote(Protocol):
    """Machines at an address, which plays nothing until it has an executor."""

    def check_entrants(self, entrants: Sequence[Entrant]) -> None:
        """Raise BadInput if a bot cannot be sent there."""

    def check_reachable(self) -> None:
        """Raise BadInput if nothing answers at the address."""

    def executor(
        self, tournament: Tournament, run: Run, workers: int, note: Callable[[str], None]
    ) -> AbstractContextManager[Executor]:
        """Return what plays a run there with ``workers`` at most; ``note`` gets its messages."""


def remote(on: str) -> Remote:
    """Return the machines that ``--on`` names. Raises BadInput if games cannot be played there."""
    scheme = on.partition("://")[0]
    found: Remote = extensions.need(f"--on: {quote(on)}", "remotes", scheme, "")(on)
    return found


def with_workers(
    tournament: Tournament,
    workers: int | None,
    on: str | None = None,
    log_wire: LogWire | None = None,
) -> Tournament:
    """Return the tournament with these settings of execution; None: the setting of its file.

    ``workers``: number of workers. ``on``: address of the cluster that plays. ``log_wire``: games
    of which the exchange with bots is kept. Raises BadInput if games cannot be played at ``on``.
    """
    given = {
        "workers": (workers, f"-j {workers}"),
        "on": (on, f"--on {on}"),
        "log_wire": (log_wire, f"--log-wire {log_wire}"),
    }
    changes = {key: value for key, (value, _) in given.items() if value is not None}
    origins = {f"execution.{key}": flag for key, (_, flag) in given.items() if key in changes}
    execution = msgspec.structs.replace(tournament.execution, **changes)
    if execution.on is not None:
        remote(execution.on)
        if tournament.learning is not None:
            raise BadInput(
                "learning: found it for a run on a cluster; expected none, or a run on this machine"
            )
        if tournament.on_build_failure is OnBuildFailure.WITHDRAW:
            raise BadInput(
                "on_build_failure: found withdraw for a run on a cluster, where each machine "
                "builds for itself; expected stop"
            )
    return msgspec.structs.replace(
        tournament,
        execution=execution,
        origins=tournament.origins | origins,
    )


def with_bots(
    tournament: Tournament,
    steps: BuildCallbacks = SILENT,
    bounds: Bounds | None = None,
    unbounded: int = 0,
    judge: BuildJudge = strict,
) -> Tournament:
    """Return the tournament with its bots built, unless the machines of a cluster build them.

    ``bounds``, ``unbounded``, ``judge``: see ``built``. Shrinks the caches of builds and
    revisions if they were used.
    """
    if tournament.execution.on is not None:
        steps.cleared(clear_abandoned())
        remote(tournament.execution.on).check_entrants(tournament.entrants)
        return tournament
    entrants = built(tournament.entrants, tournament.readable, steps, bounds, unbounded, judge)
    if any(each.build or each.revision for each in entrants):
        places = {Path(each.folder).parent for each in entrants}
        for kind in (cache.BUILDS, cache.REVISIONS):
            cache.shrink(kind, places)
    return msgspec.structs.replace(tournament, entrants=entrants)


def check_cluster(tournament: Tournament, folder: Path) -> None:
    """Raise BadInput, before a run begins, if the cluster of the tournament does not answer.

    Checks nothing if the folder holds a run: the run may be over and need no cluster, and play
    reports a missing one.
    """
    on = tournament.execution.on
    if on is not None and not is_run(folder):
        remote(on).check_reachable()


@contextmanager
def opened(
    tournament: Tournament,
    folder: Path,
    source: Source | None,
    until: Until | None = None,
    *,
    is_checked: bool = False,
) -> Iterator[Run]:
    """Yield the run that ``open_run`` begins or finds in the folder, which is locked meanwhile."""
    with locked(folder):
        yield open_run(tournament, folder, source, until, is_checked=is_checked)


ShardOpener: TypeAlias = Callable[
    [Tournament, Shard, Path, Path, Source | None], AbstractContextManager[Run]
]
"""Yields the shard in a folder, found there or begun, while the folder is locked; the second folder
is that of the whole run. Raises as ``opened``."""


def opener_of_shards() -> ShardOpener:
    """Return what opens a shard of a run. Raises BadInput if no extension does."""
    found: ShardOpener = extensions.need("a shard of a run", "shards")
    return found


@contextmanager
def opened_to_play(
    tournament: Tournament, folder: Path, source: Source, until: Until | None = None
) -> Iterator[Run]:
    """Yield the run as ``opened`` does, after a check of the cluster, and log to its folder.

    Begins no run if the cluster does not answer. Raises as ``opened`` and ``check_cluster``.
    """
    check_cluster(tournament, folder)
    with opened(tournament, folder, source, until) as run, logging_to(folder):
        yield run


class PlayResult(NamedTuple):
    """Games of a run that were played until a judge or a person ended it."""

    progress: Progress
    interrupted: bool
    """True if a person ended it; everything is stored."""
    run: Run
    """The run with the games played so far."""


def play(
    tournament: Tournament,
    run: Run,
    listener: Listener,
    judge: Judge | None = None,
    deals: int | None = None,
) -> PlayResult:
    """Play every game that is not stored yet and all rounds that follow.

    The caller has locked the folder and built the bots. ``judge``, ``deals``: see ``Session``. A
    KeyboardInterrupt ends play. Raises ConfigError, StoreError, PoolError and IsolationError.
    """
    progress = Progress(run.schedule.games)
    try:
        with Store(run.folder) as store:
            forget_live(run.folder)
            session = Session(run, store, listener, judge, deals)
            progress = session.progress
            try:
                _play(tournament, session, listener, judge or Judge())
            finally:
                run = session.run
    except KeyboardInterrupt:
        return PlayResult(progress, True, run)
    finally:
        listener(Ended(progress))
    is_left = progress.left > 0 or progress.has_more or not run.manifest.is_over
    return PlayResult(progress, session.is_stopped and is_left, run)


def _play(tournament: Tournament, session: Session, listener: Listener, judge: Judge) -> None:
    """Play the games that a session has left. Raises as ``play``."""
    workers, progress = tournament.execution.workers or cores(), session.progress
    session.grow()
    run = session.run
    places = 0 if session.is_done else session.places(workers)
    seats = max(discipline.rules.seats for discipline in tournament.disciplines)
    on, kept = tournament.execution.on, None
    if places and on is None:
        progress.levels = levels_of(tournament.entrants)
        kept = room_for(progress.levels, places, seats)
    listener(Started(progress, workers, judge))
    session.report_growth()
    if not places:
        return
    plies = max(make_rules(game.rules).info.max_plies for game in tournament.disciplines)
    patience = longest_game(tournament.clock, seats, plies)
    executor: AbstractContextManager[Executor]
    if on is None:
        executor = _pool(tournament, run, places, progress.levels, kept)
    else:
        machines = remote(on)
        executor = machines.executor(tournament, run, workers, lambda text: listener(Message(text)))
    session.play(executor, patience, KEPT if kept is None else min(KEPT, kept))


@contextmanager
def _pool(
    tournament: Tournament, run: Run, places: int, levels: Mapping[str, Level], kept: int | None
) -> Iterator[Executor]:
    """Yield a pool of workers on this machine."""
    playing = [each for each in tournament.entrants if not each.unbuilt]
    with installed(playing, levels, tournament.limits, tournament.readable) as local:
        local = msgspec.structs.replace(local, kept=kept)
        job = job_of(tournament, run, local, Seeds.of(run.opening.seed).key)
        with Pool(job, places, pin=tournament.execution.pin) as pool:
            yield pool


def job_of(tournament: Tournament, run: Run, local: Local, seed_key: bytes = b"") -> Job:
    """Return the settings of a run for its workers. ``local``, ``seed_key``: see ``Job``."""
    return Job(
        rules={each.name: each.rules for each in run.manifest.disciplines},
        players=tuple(
            EntrantSpec(each.name, each.options, each.digest) for each in tournament.entrants
        ),
        control=tournament.clock,
        names_shown=tournament.names is Names.SHOWN,
        on_fault=run.manifest.identity.on_fault,
        fresh=tournament.execution.fresh or tournament.learning is not None,
        seed_key=seed_key,
        local=local,
        pondering=tournament.pondering,
        log_wire=tournament.execution.log_wire,
        learning=tournament.learning,
        adjudicate={
            each.name: each.adjudicate for each in run.manifest.disciplines if each.adjudicate
        },
    )
