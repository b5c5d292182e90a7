"""One run from its folder to its last game: begin or resume, play what is missing."""

from __future__ import annotations

import contextlib
import datetime
import os
import platform
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from arena import __version__
from arena.hosting.yard import Yard
from arena.results import GameResult
from arena.rules import make_rules
from arena.tournament.config import Tournament
from arena.tournament.identity import differences, identity, identity_digest
from arena.tournament.jobs import GameDone, GameVoid, Job
from arena.tournament.players import players
from arena.tournament.runner import Pool
from arena.tournament.schedule import Done, Schedule
from arena.tournament.seeds import Opening, Seeds, new_opening
from arena.tournament.shapes import Names
from arena.tournament.store import (
    FORMAT,
    Manifest,
    Store,
    StoreError,
    cannot_write,
    is_run,
    locked,
    read_manifest,
    read_opening,
    stored_games,
    write_atomically,
)

_SECRET = 0o600
_OPENED = 0o644


class ConfigMismatch(StoreError):
    """The folder holds a run of another config. ``differences`` has one line for each."""

    def __init__(self, folder: Path, found: list[str]) -> None:
        super().__init__(f"{folder}: holds another run: " + "; ".join(found))
        self.differences = found


class Progress:
    """What is known of a run while it is played; counts games of earlier sessions too."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.earlier = 0
        """Games that were stored before this session."""
        self.faults: Counter[str] = Counter()
        """By entrant."""
        self.voids: list[GameVoid] = []
        self._points: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()

    def add(self, result: GameResult) -> None:
        """Count a finished game."""
        self.done += 1
        for fault in result.faults:
            self.faults[result.spec.entrants[fault.seat]] += 1
        seats = range(len(result.places))
        if len(seats) == 1:  # nobody to score off
            return
        for seat, name in enumerate(result.spec.entrants):
            others = [result.pair_score(seat, other) or 0.0 for other in seats if other != seat]
            self._points[name] += sum(others) / len(others)
            self._games[name] += 1

    def leaders(self, count: int) -> list[tuple[str, float]]:
        """The best entrants so far with their points per game, best first."""
        shares = [(name, self._points[name] / games) for name, games in self._games.items()]
        return sorted(shares, key=lambda item: (-item[1], item[0]))[:count]


class Run(NamedTuple):
    """A run folder that is ready to be played into."""

    folder: Path
    manifest: Manifest
    opening: Opening
    schedule: Schedule
    resumed: bool


class Listener(NamedTuple):
    """What is called while a run is played."""

    started: Callable[[Progress], None]
    """Once, when stored games are counted."""
    game: Callable[[Progress, GameDone], None]
    void: Callable[[Progress, GameVoid], None]
    tick: Callable[[Progress], None]
    """Several times a second."""


def open_run(tournament: Tournament, folder: Path, source: Mapping[str, Any]) -> Run:
    """Begin a run in the folder, or find the one there. The caller holds the folder's lock.

    Raises ConfigMismatch if the run there has another config, StoreError if the folder
    cannot be used.
    """
    wanted = identity(tournament)
    if not is_run(folder):
        return _begin(tournament, folder, wanted, source)
    manifest, opening = read_manifest(folder), read_opening(folder)
    if opening.commitment(identity_digest(manifest.identity)) != manifest.commitment:
        raise StoreError(f"{folder}/run.json: seed and config do not fit the commitment")
    found = differences(manifest.identity, wanted)
    if tournament.seed is not None and tournament.seed != opening.seed:
        found.append("seed: the run has another one")
    if found:
        raise ConfigMismatch(folder, found)
    return Run(folder, manifest, opening, schedule_of(manifest, opening), resumed=True)


def is_stopped(tournament: Tournament, folder: Path) -> bool:
    """Whether the folder holds a run of this tournament that was stopped before its end."""
    try:
        with locked(folder):
            run = open_run(tournament, folder, {}) if is_run(folder) else None
        return run is not None and _stored(run) < run.schedule.games
    except StoreError:
        return False


def _stored(run: Run) -> int:
    return sum(1 for _ in stored_games(run.folder))


def schedule_of(manifest: Manifest, opening: Opening) -> Schedule:
    """The games of a run."""
    return Schedule(manifest.disciplines, Seeds.of(opening.seed))


def play(
    tournament: Tournament,
    run: Run,
    workers: int,
    listener: Listener,
    on_pool: Callable[[Pool], None],
) -> Progress:
    """Play every game that is not stored yet; returns what was played in all.

    ``on_pool`` gets the pool before the first game, so that a signal can stop it.
    """
    schedule = run.schedule
    progress, done = Progress(schedule.games), Done(schedule.games)
    with Store(run.folder) as store:
        _count_stored(run.folder, schedule, progress, done)
        listener.started(progress)
        if len(done) == schedule.games:
            return progress
        blocks_left = sum(1 for _ in islice(schedule.blocks(done), workers))
        pin = tournament.execution.pin
        with contextlib.closing(Yard.create()) as yard:
            job = _job(tournament, run, yard)
            with Pool(job, blocks_left, pin=pin, max_plies=_max_plies(job)) as pool:
                on_pool(pool)
                for report in pool.play(schedule.blocks(done)):
                    match report:
                        case GameDone():
                            store.add(report)
                            progress.add(report.result)
                            listener.game(progress, report)
                        case GameVoid():
                            progress.voids.append(report)
                            listener.void(progress, report)
                    store.flush_if_due()
                    listener.tick(progress)
    return progress


def open_seed(run: Run) -> None:
    """Publish the seed of a finished run: everybody may read it now."""
    try:
        (run.folder / "seed.json").chmod(_OPENED)
    except OSError as error:
        raise cannot_write(run.folder / "seed.json", error) from error


def _count_stored(folder: Path, schedule: Schedule, progress: Progress, done: Done) -> None:
    for line, stored in enumerate(stored_games(folder), 1):
        game_id = stored.result.spec.game_id
        number = schedule.number(game_id)
        if number is None or not done.add(number):
            what = "not a game of this run" if number is None else "stored twice"
            raise StoreError(f"{folder}/games.jsonl:{line}: {game_id}: {what}")
        progress.add(stored.result)
    progress.earlier = progress.done


def _begin(
    tournament: Tournament, folder: Path, wanted: dict[str, Any], source: Mapping[str, Any]
) -> Run:
    opening = new_opening(tournament.seed)
    ratings = tournament.ratings
    manifest = Manifest(
        format=FORMAT,
        arena=__version__,
        name=tournament.name,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        commitment=opening.commitment(identity_digest(wanted)),
        identity=wanted,
        disciplines=tournament.disciplines,
        entrants=tuple(entrant.name for entrant in tournament.entrants),
        on_fault=tournament.on_fault,
        anchor=ratings.anchor if ratings else None,
        anchor_elo=ratings.elo if ratings else None,
        source=dict(source),
        machine=_machine(),
    )
    try:
        write_atomically(folder / "seed.json", msgspec.json.encode(opening) + b"\n", _SECRET)
        text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
        write_atomically(folder / "run.json", text + b"\n")
    except OSError as error:
        raise cannot_write(folder, error) from error
    return Run(folder, manifest, opening, schedule_of(manifest, opening), resumed=False)


def _max_plies(job: Job) -> int:
    """Of the longest game."""
    return max(make_rules(spec).info.max_plies for spec in job.rules.values())


def _job(tournament: Tournament, run: Run, yard: Yard) -> Job:
    return Job(
        rules={each.name: each.rules for each in run.manifest.disciplines},
        players=players(tournament.entrants, yard),
        control=tournament.clock,
        limits=tournament.limits,
        names_shown=tournament.names is Names.SHOWN,
        on_fault=run.manifest.on_fault,
        fresh=tournament.execution.fresh,
        seed_key=Seeds.of(run.opening.seed).key,
        yard=str(yard.root),
    )


def _machine() -> dict[str, Any]:
    return {
        "system": platform.system(),
        "release": platform.release(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": ".".join(map(str, sys.version_info[:3])),
    }
