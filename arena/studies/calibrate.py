"""Matches of a bot against itself, to learn about the game, the machine and the test."""

from __future__ import annotations

import contextlib
import dataclasses
import secrets
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from arena import __version__
from arena.config.matches import match_terms
from arena.documents.bad_input import BadInput
from arena.documents.problems import quote
from arena.games.base import RulesInfo, titles
from arena.games.registry import make_rules
from arena.hosting.machine.room import cores
from arena.ratings.match.blocks import game_score
from arena.ratings.match.numbers import elo_of
from arena.ratings.match.report import Measure, Range
from arena.ratings.match.sprt import GAIN
from arena.ratings.planning import calibration
from arena.ratings.planning.calibration import Calibration, Load, MachineLoad, Null
from arena.ratings.planning.pilot import Pilot, Solo, pilot
from arena.ratings.planning.planner import elo_of_nelo
from arena.records.format import Record
from arena.results import FaultKind, GameResult
from arena.runs.manifest import CalibrationSource
from arena.runs.reader import StoredRun
from arena.schedule.kinds.registry import seatings
from arena.studies.listener import Listener
from arena.studies.plan.pilot_run import blocks_of
from arena.text.numbers import count
from arena.tournament.prepare import opened_to_play, with_bots, with_workers
from arena.tournament.progress import Progress
from arena.tournament.run import Run, publish_seed

GAMES: Final = 2000
"""Default number of games of all loads together."""
MAX_FAULT_SHARE: Final = 0.1
"""Greatest share of games with a fault at the fewest workers; beyond it a bot is not calibrated."""
TESTS: Final = 1000
"""Default number of simulated tests."""
_ALL: Final = 0
"""Number of workers that stands for all that a cluster has."""
_MOST_WORKERS: Final = 1024
_EACH: Final = 4
"""Fewest games of each worker, so that all are busy together."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class CalibrateSettings:
    """Options of a calibration."""

    bot: str
    game: str
    games: int = GAMES
    workers: str | None = None
    """Numbers of workers to try, as text (``1,2,4``); None: the usual ones."""
    on: str | None = None
    """Cluster to play on; None: this machine."""
    tests: int = TESTS
    settings: tuple[str, ...] = ()
    seed: str | None = None
    output: Path | None = None


class WorkerCountResult(NamedTuple):
    """Results of the games played with one number of workers."""

    folder: Path
    load: Load
    faulty: int
    """Number of games with a fault."""
    first_fault: str
    stopped: str
    """Reason why it stopped early; empty if it did not."""
    machines: tuple[MachineLoad, ...]
    """Load of each machine, slowest first; empty if there was only one."""


def calibrate(options: CalibrateSettings, listener: Listener) -> Calibration | str:
    """Return the calibration, or the reason for its failure, such as too many faults.

    Raises BadInput, ConfigError, StoreError, PoolError, IsolationError and KeyboardInterrupt.
    """
    with _base(options.output) as base:
        return _Calibrator(options, base, listener).run()


@contextlib.contextmanager
def _base(output: Path | None) -> Iterator[Path]:
    """Yield the folder for the runs: ``output``, or a temporary one."""
    if output is None:
        with tempfile.TemporaryDirectory(prefix="arena-calibrate-") as folder:
            yield Path(folder)
    elif output.exists():
        raise BadInput(f"-o: found {output}, expected a folder that is not there yet")
    else:
        yield output


class _Calibrator:
    """The games of a calibration and their evaluation."""

    def __init__(self, options: CalibrateSettings, base: Path, listener: Listener) -> None:
        self._options = options
        self._base = base
        self._listener = listener
        is_whole = options.on is not None and options.workers is None
        self._loads = [_ALL] if is_whole else _loads(options.workers)
        seed = options.seed or secrets.token_hex(16)
        terms = match_terms(
            options.bot, options.bot, (options.game,), seed=seed, overrides=options.settings
        )
        self._tournament = with_bots(with_workers(terms.tournament, None, options.on))
        discipline = self._discipline = self._tournament.disciplines[0]
        self._size = seatings(2, discipline.rules.seats, discipline.schedule)
        self._info: RulesInfo = make_rules(discipline.rules).info
        names = [entrant.name for entrant in self._tournament.entrants]
        self._one, self._other = names[0], names[1]

    def run(self) -> Calibration | str:
        """Play all loads and return the calibration, or the reason why it failed."""
        everything = []
        for workers, deals in self._plan():
            played = self._play(workers, deals)
            everything.append(played)
            if played is everything[0] and (failure := self._failure(played)):
                return failure
        main = max(everything, key=lambda played: (played.load.games, -played.load.workers))
        return self._document(main, [played.load for played in everything])

    def _plan(self) -> list[tuple[int, int]]:
        """Return (workers, deals) of each load; half of all games have one worker per core."""
        usual = [workers for workers in self._loads if workers <= cores()]
        main = usual[-1] if usual else self._loads[0]
        others = len(self._loads) - 1
        games = self._options.games
        plan = []
        for workers in self._loads:
            share = games if not others else games / 2 if workers == main else games / 2 / others
            deals = ceil(max(share, _EACH * workers) / self._size)
            plan.append((workers, max(2, deals)))
        return plan

    def _play(self, workers: int, deals: int) -> WorkerCountResult:
        tournament = with_workers(self._tournament, workers or None)
        folder = self._base / f"workers-{workers or 'all'}"
        began = time.monotonic()

        def started(progress: Progress, number: int) -> None:
            nonlocal began
            began = time.monotonic()
            games, busy = count(progress.left, "game"), count(number, "worker")
            if not workers:
                busy = f"on {self._options.on}"
            self._listener.note(f"{self._one} against itself, {games}, {busy}")

        source = CalibrationSource(bot=self._options.bot)
        with opened_to_play(tournament, folder, source) as run:
            stretch = self._listener.play(tournament, run, started, deals=deals)
            seconds = time.monotonic() - began
            if stretch.interrupted:
                raise KeyboardInterrupt
            publish_seed(run.folder, run.opening)
        progress = stretch.progress
        return _measured(run, workers or progress.places, seconds, progress.stopped)

    def _failure(self, played: WorkerCountResult) -> str:
        """Return why the bot cannot be calibrated; empty if it can."""
        name, load = self._one, played.load
        if not load.games:
            return f"{name}: no game could be played: {played.stopped or 'see above'}"
        if played.stopped or played.faulty > MAX_FAULT_SHARE * load.games:
            return (
                f"{name}: found faults in {played.faulty} of {load.games} games at "
                f"{count(load.workers, 'worker')} ({played.first_fault}), expected at most "
                f"{MAX_FAULT_SHARE:.0%}: such a bot is not calibrated"
            )
        return ""

    def _document(self, main: WorkerCountResult, loads: list[Load]) -> Calibration | str:
        solo = None
        if self._discipline.rules.seats == 1:
            solo = Solo(self._info.less_is_better, self._info.worst_score)
        pair = self._one, self._other
        blocks = list(blocks_of(StoredRun(main.folder), self._discipline, pair))
        found = pilot(blocks, *pair, solo)
        if found is None:
            return f"{self._one}: no block could be scored, because of faults"
        games = [scores for block in blocks if (scores := self._scores(block, solo))]
        null = self._null(games, found) if games else None
        return self._filled(found, games, loads, null, main.machines)

    def _scores(self, block: Sequence[GameResult], solo: Solo | None) -> list[float] | None:
        """Return the scores of the games of a block; None unless all games have one."""
        if solo is not None:
            sign = -1 if solo.less_is_better else 1
            return [
                float(sign * (solo.worst_score if game.scores is None else game.scores[0]))
                for game in block
            ]
        scores = [game_score(game, self._one, self._other) for game in block]
        known = [float(score) for score in scores if score is not None]
        return known if len(known) == len(scores) else None

    def _null(self, games: Sequence[Sequence[float]], found: Pilot) -> Null | None:
        measure, cancels = found.measure, found.deviation.value is None
        if cancels and calibration.loose_deviation(games, measure) is None:
            return None
        alone = measure is Measure.MARGIN
        most = 0.5
        if alone:
            scores = [score for block in games for score in block]
            most = max(scores) - min(scores)
        self._listener.note(f"simulating {self._options.tests:,} sequential tests between equals")
        if cancels:
            draw = calibration.re_paired(games, measure)
        else:
            draw = calibration.mirrored(_values(games, measure), measure)
        return calibration.null_tests(
            draw,
            GAIN,
            measure,
            blocks=len(games),
            block_games=self._size,
            two_seats=self._discipline.rules.seats == 2,
            most=most,
            tests=self._options.tests,
            is_re_paired=cancels,
        )

    def _filled(
        self,
        found: Pilot,
        games: Sequence[Sequence[float]],
        loads: list[Load],
        null: Null | None,
        machines: tuple[MachineLoad, ...],
    ) -> Calibration:
        move = self._tournament.clock.move
        deviation = found.deviation.value
        places = found.measure is Measure.PLACES
        return Calibration(
            schema=calibration.SCHEMA,
            arena=__version__,
            bot=self._one,
            discipline=self._discipline.name,
            title=titles({self._discipline.name: self._info})[self._discipline.name],
            seats=self._discipline.rules.seats,
            block_games=found.block_games,
            measure=found.measure,
            score=self._info.score,
            blocks=found.blocks,
            games=found.games,
            move=move,
            cores=cores(),
            seats_worth=found.seats,
            seat_advantage=_in_elo(found.seats[0]) if len(found.seats) == 2 else None,
            draws=found.draws,
            correlation=found.correlation,
            luck_ratio=found.luck_ratio,
            deviation=found.deviation,
            loose_deviation=calibration.loose_deviation(games, found.measure) if games else None,
            elo_of_40=elo_of_nelo(40, deviation) if places and deviation else None,
            loads=tuple(loads),
            null=null,
            advice=calibration.advice(loads, move, cores(), machines),
            machines=machines,
        )


def _values(games: Sequence[Sequence[float]], measure: Measure) -> list[float]:
    """Return the values of blocks from the scores of their games."""
    if measure is Measure.MARGIN:
        return [scores[0] - scores[1] for scores in games]
    return [sum(scores) / len(scores) for scores in games]


def _in_elo(share: Range) -> Range:
    """Return the Elo difference of two seats, from the share of points of the first one."""
    limits = (share.value, share.low, share.high)
    return Range(*(None if limit is None else elo_of(limit) for limit in limits))


def _loads(text: str | None) -> list[int]:
    """Return the numbers of workers to try, ascending."""
    if text is None:
        most, powers = 2 * cores(), [2**k for k in range(12)]
        return sorted({cores(), most, *(power for power in powers if power < most)})
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and len(part) <= 4 for part in parts):
        raise BadInput(f"--workers: found {quote(text)}, expected whole numbers: 1,2,4")
    numbers = sorted({int(part) for part in parts})
    if not 1 <= numbers[0] <= numbers[-1] <= _MOST_WORKERS:
        raise BadInput(
            f"--workers: found {quote(text)}, expected numbers from 1 to {_MOST_WORKERS}"
        )
    return numbers


def _measured(run: Run, workers: int, seconds: float, stopped: str) -> WorkerCountResult:
    """Return the results of ``workers`` workers from the stored games of ``run``.

    Raises StoreError.
    """
    times: defaultdict[str, Counter[int]] = defaultdict(Counter)
    timeouts, games = Counter[str](), Counter[str]()
    faults: Counter[str] = Counter()
    faulty, first = 0, ""
    stored_run = StoredRun(run.folder, run.manifest)
    for game in stored_run.games():
        result, machine = game.result, game.stored.machine
        games[machine] += 1
        faulty += bool(result.faults)
        for fault in result.faults:
            faults[fault.kind] += 1
            timeouts[machine] += fault.kind is FaultKind.TIMEOUT
            first = first or f"{fault.kind}: {fault.detail}"
        times[machine].update(_answers(stored_run.record(game.stored)))
    everywhere = sum(times.values(), Counter[int]())
    load = Load(
        workers=workers,
        games=games.total(),
        games_per_second=games.total() / max(seconds, 1e-9),
        timeouts=timeouts.total(),
        other_faults=faults.total() - timeouts.total(),
        answers=everywhere.total(),
        usual=_usual(everywhere),
        slowest=_slowest(everywhere),
    )
    machines = [
        MachineLoad(
            machine=name,
            games=games[name],
            timeouts=timeouts[name],
            answers=own.total(),
            usual=_usual(own),
            slowest=_slowest(own),
        )
        for name, own in times.items()
    ]
    machines.sort(key=lambda each: (-(each.usual or 0.0), each.machine))
    return WorkerCountResult(
        run.folder, load, faulty, first, stopped, tuple(machines) if len(machines) > 1 else ()
    )


def _usual(times: Counter[int]) -> float | None:
    found = calibration.percentile(times, 0.999)
    return None if found is None else found / 1e6


def _slowest(times: Counter[int]) -> float | None:
    return max(times) / 1e6 if times else None


def _answers(record: Record) -> Iterator[int]:
    """Yield the microseconds of each answer of a game, late ones included."""
    for ply, used in zip(record.plies, record.measured.think_us, strict=True):
        if ply.seat is not None and not ply.autopilot:
            yield used
    late = zip(record.end.faults, record.measured.evidence, strict=True)
    yield from (proof.waited_us for fault, proof in late if fault.kind is FaultKind.TIMEOUT)
