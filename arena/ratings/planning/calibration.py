"""Calibration of the game, the machine and the sequential test by a bot against itself.

Two copies are equally strong, so any measured effect is not strength: it is the advantage of seats,
luck, load, or the error rate of the test. Pure Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import floor, log1p, log10, sqrt
from random import Random
from typing import Final

import msgspec

from arena.ratings.match.numbers import even_of
from arena.ratings.match.report import Measure, Range
from arena.ratings.match.sprt import LEAST_BLOCKS, NELO, Hypotheses, llr
from arena.ratings.planning.planner import course
from arena.ratings.probability import NORMAL_95, wilson

SCHEMA: Final = "arena.calibration/1"
_NEAR: Final = 0.25
"""Distance from a bound within which the exact ratio is computed, not the closed form."""
_LONGEST: Final = 50
"""Limit of a test, in multiples of the length expected between the hypotheses."""
_NICE: Final = (1.0, 2.0, 5.0, 10.0)
_SPARE_SLOWEST: Final = 2.0
_SPARE_USUAL: Final = 10.0
_LEAST_MOVE: Final = 0.01
_AS_FAST: Final = 0.95


class Load(msgspec.Struct, frozen=True):
    """Games with a number of workers; all loads play the same deals. Times in seconds, measured."""

    workers: int
    games: int
    games_per_second: float
    timeouts: int
    other_faults: int
    answers: int
    usual: float | None
    """Time within which 99.9 % of the answers were given; None without answers."""
    slowest: float | None
    """Longest time of an answer, including late answers as long as they were waited for."""


class MachineLoad(msgspec.Struct, frozen=True):
    """Games on one of several machines. Times as of ``Load``."""

    machine: str
    """Name of the machine; empty for the one that holds the run."""
    games: int
    timeouts: int
    answers: int
    usual: float | None
    slowest: float | None


class Null(msgspec.Struct, frozen=True):
    """Behaviour of a sequential test between equals."""

    elo0: float
    elo1: float
    alpha: float
    tests: int
    """Number of simulated tests."""
    passes: int
    share: Range
    """Share of passes, with the error of the simulation alone."""
    games: float
    """Mean number of games of a test."""
    expected_games: float
    """Mean number of games by the formula."""
    blocks: int
    """Number of blocks from which the tests were drawn."""
    independent: float
    """Number of tests that these blocks would suffice for if each block was used once."""
    re_paired: bool
    """True if games of different deals had to be combined, because those of a deal cancel."""


class Recommendation(msgspec.Struct, frozen=True):
    """Recommended settings of a run."""

    workers: int
    workers_reason: str
    move: float
    """Limit for one answer in seconds."""
    move_reason: str


class Calibration(msgspec.Struct, frozen=True, omit_defaults=True):
    """Report of ``arena calibrate``."""

    schema: str
    arena: str
    bot: str
    discipline: str
    title: str
    """Title of the discipline for people."""
    seats: int
    block_games: int
    measure: Measure
    score: str
    """Name of what margins count, as a plural noun."""
    blocks: int
    games: int
    move: float | None
    """Limit for one answer during the calibration, in seconds."""
    cores: int
    seats_worth: tuple[Range, ...]
    """Mean share of opponents that a player on a seat placed above, by seat; empty with one."""
    seat_advantage: Range | None
    """Advantage of seat 0 over seat 1 in Elo; None unless there are two seats."""
    draws: float | None
    correlation: Range
    luck_ratio: float | None
    deviation: Range
    """Deviation of one game in scores from 0 to 1, or in points for margins; no value if all blocks
    of the two copies were even."""
    loose_deviation: float | None
    """Deviation of one game on a deal of its own; None if all games are alike."""
    elo_of_40: float | None
    """Elo of 40 nElo; None for margins and without deviation."""
    loads: tuple[Load, ...]
    null: Null | None
    """Behaviour of the test; None if all games are alike."""
    advice: Recommendation
    machines: tuple[MachineLoad, ...] = ()
    """Games of each machine, the slowest first; empty for a single machine."""


Draw = Callable[[Random], float]
"""Function that returns the value of a random block between equals."""


def mirrored(values: Sequence[float], measure: Measure) -> Draw:
    """Return a function that draws a played block; either copy may be the first contestant."""
    even = even_of(measure)

    def draw(rng: Random) -> float:
        value = rng.choice(values)
        return value if rng.random() < 0.5 else 2 * even - value

    return draw


def re_paired(games: Sequence[Sequence[float]], measure: Measure) -> Draw:
    """Return a function that draws blocks of games on different deals, as if not mirrored.

    ``games``: for each block, the scores of the first copy by game; with one seat, of both copies.
    """
    even = even_of(measure)

    def draw(rng: Random) -> float:
        picked = [rng.choice(games)[place] for place in range(len(games[0]))]
        alone = measure is Measure.MARGIN
        value = picked[0] - picked[1] if alone else sum(picked) / len(picked)
        return value if rng.random() < 0.5 else 2 * even - value

    return draw


def loose_deviation(games: Sequence[Sequence[float]], measure: Measure) -> float | None:
    """Return the deviation of one game on a deal of its own, after subtracting its seat's mean.

    Return None without spread. With one seat, a game counts as half of a difference of two scores,
    as in blocks of two games.
    """
    variance = 0.0
    for place in range(len(games[0])):
        scores = [block[place] for block in games]
        mean = sum(scores) / len(scores)
        variance += sum((score - mean) ** 2 for score in scores) / len(scores)
    if measure is Measure.MARGIN:
        return sqrt(2 * variance) if variance > 0 else None
    return sqrt(variance / len(games[0])) if variance > 1e-12 else None


def null_tests(
    draw: Draw,
    test: Hypotheses,
    measure: Measure,
    *,
    blocks: int,
    block_games: int,
    two_seats: bool,
    most: float,
    tests: int,
    is_re_paired: bool,
) -> Null:
    """Simulate tests between equals, at H0 of a test whose ``elo0`` is 0.

    ``blocks``: number of blocks from which ``draw`` takes values. ``most``: the greatest distance
    of a value from even. ``is_re_paired``: whether ``draw`` is from ``re_paired``. The same
    arguments give the same result.
    """
    even = even_of(measure)
    grid = None if two_seats and measure is Measure.PLACES else (even - most, even + most)
    expected = course(test, 0.0, block_games=block_games).games
    middle = course(test, (test.elo0 + test.elo1) / 2, block_games=block_games).games
    limit = int(_LONGEST * middle / block_games)
    rng = Random("calibration")
    passes = played = 0
    for _ in range(tests):
        passed, length = _one_test(draw, rng, test, even, grid, block_games, limit)
        passes += passed
        played += length
    return Null(
        elo0=test.elo0,
        elo1=test.elo1,
        alpha=test.alpha,
        tests=tests,
        passes=passes,
        share=Range(passes / tests, *wilson(passes / tests, NORMAL_95**2 / tests)),
        games=played * block_games / tests,
        expected_games=expected,
        blocks=blocks,
        independent=blocks * block_games / expected,
        re_paired=is_re_paired,
    )


def _one_test(
    draw: Draw,
    rng: Random,
    test: Hypotheses,
    even: float,
    grid: tuple[float, float] | None,
    games: int,
    limit: int,
) -> tuple[bool, int]:
    """Return whether a test passes, and the number of blocks at its end."""
    t0, t1 = (sqrt(games) * elo / NELO for elo in (test.elo0, test.elo1))
    lower, upper = test.bounds
    counts: Counter[float] = Counter()
    total = squares = 0.0
    for blocks in range(1, limit + 1):
        value = draw(rng)
        counts[value] += 1
        total += value - even
        squares += (value - even) ** 2
        if blocks < LEAST_BLOCKS:
            continue
        ratio = _closed(blocks, total, squares, t0, t1)
        if min(abs(ratio - lower), abs(ratio - upper)) < _NEAR:
            ratio = llr(counts, games, test, ref=even, grid=grid)
        if not lower < ratio < upper:
            return ratio >= upper, blocks
    return False, limit


def _closed(blocks: int, total: float, squares: float, t0: float, t1: float) -> float:
    """Return the approximate ratio of a test, exact for a normal distribution; 0 without spread."""
    mean = total / blocks
    variance = squares / blocks - mean * mean
    if variance <= 1e-12:
        return 0.0
    t = mean / sqrt(variance)
    return blocks / 2 * _log_ratio((t - t0) ** 2, (t - t1) ** 2)


def _log_ratio(above: float, below: float) -> float:
    return log1p(above) - log1p(below)


def percentile(times: Mapping[int, int], share: float) -> int | None:
    """Return the least time that at least a ``share`` of the times do not exceed.

    ``times``: number of occurrences of each time.
    """
    wanted, seen = share * sum(times.values()), 0
    for time in sorted(times):
        seen += times[time]
        if seen >= wanted:
            return time
    return None


def advice(
    loads: Sequence[Load], move: float | None, cores: int, machines: Sequence[MachineLoad] = ()
) -> Recommendation:
    """Return the recommended number of workers and limit for an answer.

    ``loads`` are ordered by workers, ascending. More workers than ``cores`` are measured, but not
    recommended, because bots would wait for each other. Of several ``machines`` the slowest
    decides.
    """
    chosen, reason = _workers(loads, move, cores)
    slowest, usual = chosen.slowest or 0.0, chosen.usual or 0.0
    where = f"at {_workers_text(chosen.workers)}"
    if machines:
        last = max(machines, key=lambda load: load.usual or 0.0)
        usual, where = last.usual or 0.0, f"on {last.machine or 'the machine of the run'}"
    needed = max(_SPARE_SLOWEST * slowest, _SPARE_USUAL * usual, _LEAST_MOVE)
    limit = nice(needed)
    why = (
        f"{_SPARE_USUAL:g} times what 99.9 % of the answers need {where} "
        f"({_time(usual)}), {_SPARE_SLOWEST:g} times what the "
        f"slowest does ({_time(slowest)})"
    )
    return Recommendation(chosen.workers, reason, limit, why)


def _workers(loads: Sequence[Load], move: float | None, cores: int) -> tuple[Load, str]:
    """Return the load with the fewest workers that is as fast as any, and the reason.

    Loads without time losses and with a core for each worker are preferred.
    """
    sound = [load for load in loads if not load.timeouts and not _is_late(load, move)]
    if not sound:
        load = loads[0]
        losses = f"{load.timeouts} time losses" if load.timeouts else "answers near the limit"
        return load, f"there were {losses} even at {_workers_text(load.workers)}"
    own = [load for load in sound if load.workers <= cores] or sound[:1]
    best = max(load.games_per_second for load in own)
    chosen = next(load for load in own if load.games_per_second >= _AS_FAST * best)
    reason = f"{chosen.games_per_second:.3g} games a second without a time loss"
    later = [load for load in loads if load.workers > chosen.workers]
    if any(load.timeouts or _is_late(load, move) for load in later):
        return chosen, f"{reason}; with more of them answers come too late"
    if any(load.workers <= cores for load in later):
        return chosen, f"{reason}; more of them are not 5 % faster"
    if later:
        return chosen, f"{reason}; more of them would have to share {_cores_text(cores)}"
    return chosen, f"{reason}, the most of those tried"


def _is_late(load: Load, move: float | None) -> bool:
    """Return whether an answer took more than half of its limit."""
    return move is not None and (load.slowest or 0.0) > move / 2


def _workers_text(workers: int) -> str:
    return "1 worker" if workers == 1 else f"{workers} workers"


def _cores_text(cores: int) -> str:
    return "1 core" if cores == 1 else f"{cores} cores"


def _time(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def nice(value: float) -> float:
    """Return the least of 1, 2, 5, 10 … times a power of ten that is not below ``value`` > 0."""
    power: float = 10.0 ** floor(log10(value))
    return next(round(step * power, 9) for step in _NICE if step * power >= value * (1 - 1e-9))
